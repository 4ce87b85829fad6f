"""Karel as a Domain: each method calls the module that does the work."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ModelConfig
from lasynth.domains.base import Explained, Given, Reduction, Sampled, Trace
from lasynth.domains.karel import (
    drawing,
    generator,
    grammar,
    interpreter,
    machine,
    nodes,
    picture,
    public,
    readable,
    solving,
    statistics,
    syntax,
)
from lasynth.domains.karel.enumeration import predict
from lasynth.domains.karel.generator import KarelOptions
from lasynth.domains.karel.given import read_given
from lasynth.domains.karel.learning.programs import LexemeMachine
from lasynth.domains.karel.learning.rows import rows
from lasynth.domains.karel.learning.values import BYTES, GridConfig, WorldValues, from_bytes, world_bytes
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.probing import critical_worlds
from lasynth.domains.karel.reduce import reduce_tokens
from lasynth.domains.karel.simplification import simpler_worlds
from lasynth.domains.karel.solving import WorldExample
from lasynth.domains.karel.world import World
from lasynth.domains.learnable import Baseline
from lasynth.task import InputError, Task

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

MEMORY = 50_000_000
"""Limit in bytes on the grids of one call of the machine, which returns one grid for each program on each world."""
REDUCTIONS = 16
"""Most times that a program is reduced again because the result differs on worlds that were drawn for it."""
PROBES, PROBE_SEED = 64, 5
"""Number and seed of the worlds on which `behaviours` compares programs."""


class Karel:
    """The Domain of Karel programs and worlds."""

    name = "karel"
    suffix = ".karel"
    values_in_files = True
    categories = nodes.CATEGORIES
    options = KarelOptions
    distinct_splits = False  # as in the public data; else the held-out splits would have hardly any short programs
    vocab = grammar.VOCAB
    syntax = grammar.KarelSyntax()
    statement_ends = grammar.STATEMENT_ENDS
    nesting = grammar.NESTING

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> Program:
        return syntax.parse(text)

    def text(self, program: Program) -> str:
        return syntax.text(program)

    def pretty(self, program: Program) -> str:
        return readable.write(program) + "\n"

    def parse(self, lexemes: Sequence[str]) -> Program:
        return grammar.parse(lexemes)

    def unparse(self, program: Program) -> list[str]:
        return grammar.lexemes(program)

    def canonical(self, program: Program) -> Program:
        return nodes.canonical(program)

    def category(self, program: Program) -> str:
        return nodes.category(program)

    def length(self, program: Program) -> int:
        return syntax.length(program)

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> World:
        """A world from text: the public grid JSON, or a picture of characters. InputError."""
        if text.lstrip().startswith("{"):
            return World.from_json(text).check_input()
        try:
            return drawing.read(text).check_input()
        except InputError as error:
            raise InputError(error.drawn) from error

    def random_values(self, rng: Random, count: int, like: World | None = None) -> list[World]:
        size = None if like is None else (like.rows, like.cols)
        return machine.unpack_all(generator.sample_worlds(rng, count, size))

    def check_value(self, value: object) -> World:
        """A world as it is, or the public grid object."""
        return value if isinstance(value, World) else World.from_json(value)

    def value_json(self, value: World) -> Any:
        return value.to_json()

    def run(self, program: Program, value: World) -> World:
        return interpreter.run(program, value)

    def trace(self, program: Program, value: World) -> Trace[World]:
        return interpreter.trace(program, value)[0]

    def show(self, trace: Trace[World], *, steps: bool) -> RenderableType:
        from lasynth.domains.karel.display import show

        return show(trace, steps=steps)

    def picture(self, trace: Trace[World]) -> str:
        """The run as a strip of worlds, in SVG; for a run that did nothing, a picture of its input."""
        return picture.run_svg(trace) if trace.steps or trace.error else picture.world_svg(trace.input)

    def run_many(self, programs: Sequence[Program], values: Sequence[World]) -> list[list[World | None]]:
        results = []
        for reports, grids in _runs(programs, machine.pack(values)):
            results += [_outputs(*rows, values) for rows in zip(reports, grids, strict=True)]
        return results

    def reduce(self, program: Program, values: Sequence[World]) -> Program:
        worlds = machine.pack(values)
        tokens = reduce_tokens(grammar.ids(program), worlds.grids, worlds.heroes, interpreter.TICKS)
        return grammar.parse(grammar.VOCAB.decode(tokens.tolist()))

    def reduce_for_all(
        self, program: Program, values: Sequence[World], like: World | None = None
    ) -> Reduction[Program]:
        size = None if like is None else (like.rows, like.cols)
        worlds = dict.fromkeys(values)
        for _ in range(REDUCTIONS):
            smaller, before = program, None
            while smaller != before:
                worlds.update(dict.fromkeys(critical_worlds(smaller, Random(PROBE_SEED), size)))
                before, smaller = smaller, self.reduce(smaller, list(worlds))
            wanted, made = self.run_many([program, smaller], list(worlds))
            if wanted == made:  # also on the worlds that were drawn for a smaller program
                return Reduction(smaller, len(worlds), sum(output is None for output in wanted))
        return Reduction(program, len(worlds), sum(output is None for output in wanted))

    # --- solving -----------------------------------------------------------------------------------------------
    def read_given(self, text: str, name: str) -> Given[World]:
        return read_given(text, name)

    def drawn(self, value: World) -> str:
        return drawing.draw(value)

    def examples_picture(self, examples: Sequence[WorldExample]) -> str:
        return picture.examples_svg(examples)

    def parts(self, value: World) -> list[int]:
        return [value.row, value.col, value.direction, *value.cells]

    def simpler(self, value: World, examples: Sequence[WorldExample]) -> Iterator[World]:
        return simpler_worlds(value)

    def check_example(self, example: WorldExample, first: WorldExample) -> None:
        solving.check_example(example, first)

    def explained(self, examples: Sequence[WorldExample], deadline: float) -> Iterator[Explained[Program]]:
        return solving.explained(examples, deadline)

    def probes(self, rng: Random, count: int, examples: Sequence[WorldExample]) -> list[World]:
        return solving.probes(rng, count, examples)

    def tester(self, examples: Sequence[WorldExample]) -> Callable[[Program], NDArray[np.bool_]]:
        return solving.tester(examples)

    def comparer(self, values: Sequence[World]) -> Callable[[Program], bytes]:
        worlds = machine.pack(values)
        return lambda program: next(_digests([program], worlds))

    def alike(self, values: Sequence[World], examples: Sequence[WorldExample]) -> list[bool]:
        return solving.alike(values, examples)

    def standalone(self, program: Program, examples: Sequence[WorldExample]) -> str:
        """The program's text: Karel has no way to write a test."""
        return self.pretty(program)

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(
        self, rng: Random, count: int, options: KarelOptions
    ) -> tuple[list[Task[Program, World]], Counter[str]]:
        return generator.sample_tasks(rng, count, options)

    def sample_columns(self, rng: Random, count: int, options: KarelOptions) -> Sampled[Program]:
        programs, before, after, counts = generator.sample_packed(rng, count, options)
        return Sampled(programs, self._column(before), self._column(after), generator.SOURCE, counts)

    def _column(self, worlds: NDArray[np.uint8]) -> pa.Array:
        """Packed worlds as an Arrow column, without a copy. (N, K, BYTES)"""
        import pyarrow as pa

        tasks, examples = worlds.shape[:2]
        flat = pa.FixedSizeBinaryArray.from_buffers(self.arrow_type(), tasks * examples, [None, pa.py_buffer(worlds)])
        return pa.ListArray.from_arrays(pa.array(np.arange(tasks + 1, dtype=np.int32) * examples), flat)

    def import_tasks(self, path: Path) -> Iterator[Task[Program, World]]:
        return public.import_tasks(path)

    def given(self, examples: int) -> int:
        return max(1, examples - 1)

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        return public.splits(path) if path.is_dir() else {split: path}

    @cached_property
    def _probes(self) -> machine.Worlds:
        return generator.sample_worlds(Random(PROBE_SEED), PROBES)

    def behaviours(self, programs: Sequence[Program], like: World | None = None) -> list[bytes]:
        """Digests of 8 bytes. `like` has no effect: the probes have all sizes, as the worlds of one task do."""
        return list(_digests(programs, self._probes))

    def arrow_type(self) -> pa.DataType:
        """A packed world, so that batches read columns without a Python object for each world."""
        import pyarrow as pa

        return pa.binary(BYTES)

    def to_arrow(self, value: World) -> bytes:
        return world_bytes(value)

    def from_arrow(self, stored: Any) -> World:
        return from_bytes(np.frombuffer(stored, np.uint8))

    def statistics(self, tasks: Iterable[Task[Program, World]]) -> dict[str, Counter[str]]:
        return statistics.statistics(tasks)

    def published(self) -> dict[str, dict[str, float]]:
        return statistics.published()

    # --- models ------------------------------------------------------------------------------------------------
    def values(self) -> WorldValues:
        return WorldValues()

    def machine(self) -> LexemeMachine:
        return LexemeMachine()

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        return rows(preset)

    def value_config(self, options: Mapping[str, Any]) -> GridConfig:
        return GridConfig()

    def networks(self, config: ModelConfig) -> Any:
        if config.operation_predictor:
            raise InputError("Karel has no operation_predictor: it is for sums of numbers")
        if config.architecture == "encoder_decoder" and config.latent_view == "beside":
            raise InputError("Karel has no latent_view: beside; its latent worlds replace the inputs")
        if config.encoder != ModelConfig.encoder:
            raise InputError(f"Karel has no encoder: {config.encoder}; its grids have one encoder")
        if config.architecture == "cursor":
            from lasynth.domains.karel.learning.view import FEATURES, see
            from lasynth.layers import FeatureEncoder

            return FeatureEncoder(see, FEATURES, config.hidden)
        if config.architecture == "imagined":
            from lasynth.domains.karel.learning.imagined_networks import ImaginedNetworks

            return ImaginedNetworks(config)
        from lasynth.domains.karel.learning import grid_networks as grids

        networks = {
            "pooled": grids.PairVector, "traces": grids.TraceNetworks, "world_traces": grids.WorldTraceNetworks
        }.get(config.architecture, grids.GridNetworks)  # fmt: skip
        return networks(config)

    def baselines(self) -> dict[str, Baseline]:
        return {"Enumerated": predict}

    def groups(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> dict[str, dict[str, NDArray[np.bool_]]]:
        return {}


def _runs(programs: Sequence[Program], worlds: machine.Worlds) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Reports and grids of all programs on all worlds, as many programs at a time as MEMORY allows."""
    size = max(MEMORY // (machine.AREA * max(len(worlds.grids), 1)), 1)
    for start in range(0, len(programs), size):
        yield machine.run(machine.pack_programs(programs[start : start + size]), worlds)


def _digests(programs: Sequence[Program], worlds: machine.Worlds) -> Iterator[bytes]:
    """What each program does on all worlds, in 8 bytes."""
    columns = [machine.STATUS, machine.PLACE, machine.HEADING]
    for reports, grids in _runs(programs, worlds):
        failed = reports[:, :, machine.STATUS] != machine.OK
        grids[failed] = 0
        reports[failed, machine.PLACE] = reports[failed, machine.HEADING] = 0
        for report, grid in zip(reports, grids, strict=True):
            state = np.ascontiguousarray(report[:, columns]).tobytes() + grid.tobytes()
            yield hashlib.blake2b(state, digest_size=8).digest()


def _outputs(reports: Any, grids: Any, values: Sequence[World]) -> list[World | None]:
    """One program's results on all worlds; None where the run failed."""
    outputs: list[World | None] = []
    for report, grid, value in zip(reports.tolist(), grids, values, strict=True):
        fine = report[machine.STATUS] == machine.OK
        place = report[machine.PLACE], report[machine.HEADING]
        outputs.append(machine.unpack(grid, *place, value.rows, value.cols) if fine else None)
    return outputs
