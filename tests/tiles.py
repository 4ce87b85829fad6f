"""A tiny language whose values are not lists: programs that turn, mirror and invert a 3 x 3 grid of bits.

It is a minimal domain with models and `solve`. It shows that no code outside of a language's folder depends on the
shape of a value. A grid is a tuple of three rows. As an array it is (3, 3), so one value has two axes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from lasynth.config import ModelConfig, ValueConfig, preset_rows
from lasynth.domains.base import Explained, Reduction, Step, Trace
from lasynth.domains.learnable import Baseline, Runs, States
from lasynth.task import Example, InputError, ParseError, Task
from lasynth.vocab import EOS, SPECIAL, Vocab

if TYPE_CHECKING:
    import pyarrow as pa

Grid = tuple[tuple[int, ...], ...]
Program = tuple[str, ...]
SIDE = 3
ACTIONS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "turn": lambda grids: np.rot90(grids, axes=(-2, -1)),
    "mirror": lambda grids: grids[..., ::-1],
    "invert": lambda grids: 1 - grids,
}
LONGEST = 4
"""Most actions of a program."""


@dataclass(frozen=True)
class GridConfig(ValueConfig):
    """Which grids a model can represent."""

    side: int = SIDE


@dataclass(frozen=True)
class TilesOptions:
    examples: int = 4


class TilesSyntax:
    """Any actions, up to LONGEST. A state is the number of actions so far, (N, 1)."""

    def __init__(self, vocabulary: int) -> None:
        self.vocabulary = vocabulary

    def start(self, count: int) -> NDArray[np.int64]:
        return np.zeros((count, 1), np.int64)

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        mask = np.zeros((len(states), self.vocabulary), np.bool_)
        mask[:, len(SPECIAL) :] = states < LONGEST
        mask[:, EOS] = states[:, 0] > 0
        return mask

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        return states + 1


class GridValues:
    def read(self, column: Any) -> NDArray[np.int8]:
        return np.array(column.to_pylist(), np.int8)

    def pack(self, values: Sequence[Grid]) -> NDArray[np.int8]:
        return np.array(values, np.int8)

    def same(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        equal: NDArray[np.bool_] = (one == other).all(axis=(-2, -1))
        return equal

    def refusal(self, config: ValueConfig, values: NDArray[Any]) -> str | None:
        assert isinstance(config, GridConfig)
        return None if values.shape[-1] == config.side else f"the model takes grids of side {config.side}"

    def inside(self, config: ValueConfig, values: NDArray[Any]) -> NDArray[np.bool_]:
        return np.ones(values.shape[:-2], np.bool_)

    def sample(self, config: ValueConfig) -> NDArray[np.int8]:
        assert isinstance(config, GridConfig)
        return np.zeros((config.side, config.side), np.int8)


class TilesMachine:
    def __init__(self, vocab: Vocab) -> None:
        self.vocab, self.can_fail = vocab, False
        special = np.arange(len(vocab)) < len(SPECIAL)
        self.alike = ~special[:, None] & ~special

    def run(self, tokens: NDArray[Any], inputs: NDArray[Any], group: NDArray[np.int64]) -> Runs:
        ended = (tokens == EOS).any(axis=1)
        outputs = np.array([self._after(row, grids)[-1] for row, grids in zip(tokens, inputs[group], strict=True)])
        outputs = outputs.reshape(len(tokens), *inputs.shape[1:])
        return Runs(outputs, np.repeat(ended[:, None], inputs.shape[1], axis=1), ended)

    def states(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> States:
        rows = [self._after(row, grids)[1:] for row, grids in zip(tokens, inputs, strict=True)]
        longest = max(len(row) for row in rows)
        states = np.zeros((len(rows), longest, *inputs.shape[1:]), np.int8)
        valid = np.zeros((len(rows), longest, inputs.shape[1]), np.bool_)
        for number, row in enumerate(rows):
            for place, grids in enumerate(row):
                states[number, place], valid[number, place] = grids, True
        return States(states, valid)

    def last_state(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[Any]:
        return np.array([self._after(row, grids)[-1] for row, grids in zip(tokens, inputs, strict=True)])

    def reaching(self, tokens: NDArray[Any], inputs: NDArray[Any], begin: int) -> NDArray[np.bool_]:
        return np.ones((len(tokens), inputs.shape[1], tokens.shape[1] - begin), np.bool_)

    def failed(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.bool_]:
        return np.zeros(len(tokens), np.bool_)

    def _after(self, tokens: NDArray[Any], grids: NDArray[Any]) -> list[NDArray[Any]]:
        """The grids before the program and after each of its actions. (T,), (K, 3, 3)"""
        states = [grids]
        for word in self.vocab.decode(tokens.tolist()):
            states.append(ACTIONS[word](states[-1]))
        return states


class GridNetworks(nn.Module):
    """Networks over latent grids, which hold the probability that each cell is 1, (..., 3, 3). L is 9, the cells."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        assert isinstance(config.values, GridConfig)
        self.feature_size = config.hidden
        self.encoder = GridEncoder(config.hidden)
        self.executor = GridExecutor(config.decoder_hidden) if config.learns_execution else None
        self.latent_encoder = GridLatentEncoder(config.hidden) if config.latent_view == "beside" else None
        self.operations = None

    def numbers(self, values: Tensor) -> Tensor:
        return values.long()

    def certain(self, numbers: Tensor) -> Tensor:
        return numbers.float()

    def value_loss(self, latent: Tensor, numbers: Tensor) -> Tensor:
        return F.binary_cross_entropy(latent, numbers.float(), reduction="none").flatten(-2).mean(-1)

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        raise AssertionError("there is no operation predictor of grids")


class GridEncoder(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.cell = nn.Linear(2 + SIDE * SIDE, hidden)

    def prepare(self, outputs: Tensor) -> Tensor:
        return outputs.float()

    def forward(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """(R, K, 3, 3) twice -> (R, K, 9, D) twice"""
        places = torch.eye(SIDE * SIDE).expand(*latent.shape[:2], -1, -1)
        cells = torch.stack([latent.flatten(2), prepared.flatten(2)], -1)
        features: Tensor = self.cell(torch.cat([cells, places], -1)).tanh()
        return features, features


class GridExecutor(nn.Module):
    def __init__(self, decoder: int) -> None:
        super().__init__()
        self.context = nn.Linear(decoder, 16)
        self.output = nn.Linear(SIDE * SIDE + 16, SIDE * SIDE)

    def prepare(self, hidden: Tensor) -> Tensor:
        prepared: Tensor = self.context(hidden)
        return prepared

    def forward(self, latent: Tensor, context: Tensor) -> Tensor:
        context = context.expand(*latent.shape[:2], -1)
        cells: Tensor = self.output(torch.cat([latent.flatten(2), context], -1)).sigmoid()
        return cells.view_as(latent)


class GridLatentEncoder(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.size = hidden
        self.cell = nn.Linear(2, hidden)

    def prepare(self, inputs: Tensor, outputs: Tensor, wanted: Tensor) -> Tensor:
        return wanted.float()

    def forward(self, latent: Tensor, base: Tensor) -> Tensor:
        features: Tensor = self.cell(torch.stack([latent.flatten(2), base.flatten(2)], -1))
        return features.tanh()


class Tiles:
    """The domain."""

    name = "tiles"
    suffix = ".tiles"
    options = TilesOptions
    categories = ("Seq-only",)
    distinct_splits = False
    values_in_files = False

    def __init__(self) -> None:
        self.vocab = Vocab(ACTIONS)
        self.syntax = TilesSyntax(len(self.vocab))
        self.statement_ends = np.arange(len(self.vocab)) >= len(SPECIAL)
        self.nesting = np.zeros(len(self.vocab), np.int64)

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> Program:
        return self.parse(text.split())

    def text(self, program: Program) -> str:
        return " ".join(program) + "\n"

    def pretty(self, program: Program) -> str:
        return self.text(program)

    def parse(self, lexemes: Sequence[str]) -> Program:
        if unknown := set(lexemes) - set(ACTIONS):
            raise ParseError(f"`{min(unknown)}` is not an action")
        return tuple(lexemes)

    def unparse(self, program: Program) -> list[str]:
        return list(program)

    def canonical(self, program: Program) -> Program:
        return program

    def category(self, program: Program) -> str:
        return "Seq-only"

    def length(self, program: Program) -> int:
        return len(program)

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> Grid:
        try:
            return self.check_value(json.loads(text))
        except ValueError as error:
            raise InputError(f"`{text}` is not a grid") from error

    def check_value(self, value: object) -> Grid:
        grid = np.array(value)
        if grid.shape != (SIDE, SIDE) or not np.isin(grid, (0, 1)).all():
            raise InputError(f"`{value}` is not a grid of {SIDE} x {SIDE} bits")
        return tuple(map(tuple, grid.tolist()))

    def random_values(self, rng: Random, count: int, like: Grid | None = None) -> list[Grid]:
        return [tuple(tuple(rng.randint(0, 1) for _ in range(SIDE)) for _ in range(SIDE)) for _ in range(count)]

    def value_json(self, value: Grid) -> Any:
        return [list(row) for row in value]

    def run(self, program: Program, value: Grid) -> Grid:
        grid = np.array(value)
        for word in program:
            grid = ACTIONS[word](grid)
        return tuple(map(tuple, grid.tolist()))

    def trace(self, program: Program, value: Grid) -> Trace[Grid]:
        steps = tuple(Step(word, self.run(program[: i + 1], value)) for i, word in enumerate(program))
        return Trace(value, steps, self.run(program, value))

    def show(self, trace: Trace[Grid], *, steps: bool) -> str:
        return str(trace.steps if steps else trace.output)

    def run_many(self, programs: Sequence[Program], values: Sequence[Grid]) -> list[list[Grid | None]]:
        return [[self.run(program, value) for value in values] for program in programs]

    def reduce(self, program: Program, values: Sequence[Grid]) -> Program:
        shorter = (words for size in range(1, len(program)) for words in product(ACTIONS, repeat=size))
        wanted = self.run_many([program], values)
        return next((words for words in shorter if self.run_many([words], values) == wanted), program)

    def reduce_for_all(self, program: Program, values: Sequence[Grid], like: Grid | None = None) -> Reduction[Program]:
        bits = product((0, 1), repeat=SIDE * SIDE)
        grids = [tuple(row[i : i + SIDE] for i in range(0, SIDE * SIDE, SIDE)) for row in bits]
        return Reduction(self.reduce(program, grids), len(grids), 0, proved=True)

    # --- solving -----------------------------------------------------------------------------------------------
    def check_example(self, example: Example[Grid], first: Example[Grid]) -> None:
        """All grids have the same size, so any examples may be combined."""

    def explained(self, examples: Sequence[Example[Grid]], deadline: float) -> Iterator[Explained[Program]]:
        for size in range(1, LONGEST + 1):
            for words in product(ACTIONS, repeat=size):
                if self.tester(examples)(words).all():
                    yield Explained(words, float(size))

    def probes(self, rng: Random, count: int, examples: Sequence[Example[Grid]]) -> list[Grid]:
        return self.random_values(rng, count)

    def tester(self, examples: Sequence[Example[Grid]]) -> Callable[[Program], NDArray[np.bool_]]:
        return lambda program: np.array([self.run(program, e.input) == e.output for e in examples])

    def alike(self, values: Sequence[Grid], examples: Sequence[Example[Grid]]) -> list[bool]:
        return [True] * len(values)

    def standalone(self, program: Program, examples: Sequence[Example[Grid]]) -> str:
        return self.text(program)

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(
        self, rng: Random, count: int, options: TilesOptions
    ) -> tuple[list[Task[Program, Grid]], Counter[str]]:
        tasks = []
        for _ in range(count):
            program = tuple(rng.choices(list(ACTIONS), k=rng.randint(1, LONGEST)))
            inputs = self.random_values(rng, options.examples)
            examples = tuple(Example(value, self.run(program, value)) for value in inputs)
            tasks.append(Task(program, examples, "Seq-only", len(program), "native"))
        return tasks, Counter()

    def given(self, examples: int) -> int:
        return max(1, examples - 1)

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        return {split: path}

    def import_tasks(self, path: Path) -> Iterator[Task[Program, Grid]]:
        raise InputError("there are no published tasks of this language")

    def behaviours(self, programs: Sequence[Program], like: Grid) -> list[bytes]:
        probe = self.random_values(Random(0), 1)[0]
        return [bytes(b for row in self.run(program, probe) for b in row)[:8] for program in programs]

    def arrow_type(self) -> pa.DataType:
        import pyarrow as pa

        return pa.list_(pa.list_(pa.int8()))

    def to_arrow(self, value: Grid) -> Any:
        return self.value_json(value)

    def from_arrow(self, stored: Any) -> Grid:
        return self.check_value(stored)

    def statistics(self, tasks: Iterable[Task[Program, Grid]]) -> dict[str, Counter[str]]:
        return {"actions": Counter(word for task in tasks for word in task.program)}

    def published(self) -> dict[str, dict[str, float]]:
        return {}

    # --- models ------------------------------------------------------------------------------------------------
    def values(self) -> GridValues:
        return GridValues()

    def machine(self) -> TilesMachine:
        return TilesMachine(self.vocab)

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        return {name: replace(config, operation_predictor=False) for name, config in preset_rows(preset).items()}

    def value_config(self, options: Mapping[str, Any]) -> GridConfig:
        return GridConfig()

    def networks(self, config: ModelConfig) -> GridNetworks:
        return GridNetworks(config)

    def baselines(self) -> dict[str, Baseline]:
        return {}

    def groups(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> dict[str, dict[str, NDArray[np.bool_]]]:
        return {"ones": {"few": inputs.sum(axis=(1, 2, 3)) < 18, "many": inputs.sum(axis=(1, 2, 3)) >= 18}}
