"""Restricted C as a `Domain`: connects the modules of this folder and adds no logic of its own."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ModelConfig, preset_rows
from lasynth.domains.base import Explained, Reduction, Trace
from lasynth.domains.learnable import Baseline
from lasynth.domains.restricted_c import solving
from lasynth.domains.restricted_c.data import authors, generator
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.data.statistics import program_statistics
from lasynth.domains.restricted_c.execution import interpreter
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical, inline_constants
from lasynth.domains.restricted_c.language.grammar import STATE_SIZE, LexemeGrammar, check
from lasynth.domains.restricted_c.language.lexemes import Code, Kind, Lexeme, from_lexemes, to_code, to_lexemes
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import CATEGORIES, Program, category
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.language.vocabulary import Dialect, LexemeTable, lexeme_text
from lasynth.domains.restricted_c.learning.programs import LexemeMachine
from lasynth.domains.restricted_c.learning.values import ListConfig, ListValues, list_config
from lasynth.domains.restricted_c.lists import check_list, pack_lists, read_list
from lasynth.domains.restricted_c.reduction.faithful import reduce_faithfully
from lasynth.domains.restricted_c.reduction.reduce import reduce_program
from lasynth.domains.restricted_c.solving import ListExample
from lasynth.task import ParseError, Task

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

    from lasynth.domains.restricted_c.learning.networks import ListNetworks

PROBES = 64
"""How many lists two programs must agree on to count as the same behaviour."""


class RestrictedC:
    """Functions `int * func_1(int a[])` over lists of integers."""

    name = "c"
    suffix = ".c"
    values_in_files = False
    categories = CATEGORIES
    options = COptions
    distinct_splits = True

    def __init__(self, dialect: Dialect | None = None) -> None:
        self.table = LexemeTable(dialect or Dialect())
        self.vocab = self.table.vocab
        self.syntax = LexemeGrammar(self.table)
        self.statement_ends = self.table.statement_ends
        self.nesting = self.table.nesting

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> Program:
        return parse(text)

    def text(self, program: Program) -> str:
        return print_program(program)

    def pretty(self, program: Program) -> str:
        return print_program(inline_constants(program))

    def parse(self, lexemes: Sequence[str]) -> Program:
        found = [*self.table.lookup(lexemes), Lexeme(Kind.END)]
        code = Code(np.array([k for k, _ in found], np.uint8), np.array([a for _, a in found], np.int32))
        wrong = check(code.kinds, code.arguments, np.empty(STATE_SIZE, np.int64))
        if wrong >= 0:
            text = " ".join([*lexemes, "<eos>"])
            raise ParseError("this lexeme cannot stand here", text, sum(len(lexeme) + 1 for lexeme in lexemes[:wrong]))
        return from_lexemes(found)

    def unparse(self, program: Program) -> list[str]:
        return [lexeme_text(lexeme) for lexeme in to_lexemes(program)]

    def canonical(self, program: Program) -> Program:
        return canonical(program)

    def category(self, program: Program) -> str:
        return category(program)

    def length(self, program: Program) -> int:
        return count_tokens(print_program(program))

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> list[int]:
        return read_list(text)

    def random_values(self, rng: Random, count: int, like: list[int] | None = None) -> list[list[int]]:
        usual = COptions()
        length = usual.list_length if like is None else len(like)
        low, high = usual.smallest_value, usual.largest_value
        return [[rng.randint(low, high) for _ in range(length)] for _ in range(count)]

    def check_value(self, value: object) -> list[int]:
        return check_list(value)

    def value_json(self, value: list[int]) -> list[int]:
        return value

    def run(self, program: Program, value: list[int]) -> list[int]:
        return interpreter.run(program, value)

    def trace(self, program: Program, value: list[int]) -> Trace[list[int]]:
        return interpreter.trace(program, value)

    def show(self, trace: Trace[list[int]], *, steps: bool) -> RenderableType:
        from lasynth.domains.restricted_c.display import trace_table

        return trace_table(trace) if steps else json.dumps(trace.output)

    def run_many(self, programs: Sequence[Program], values: Sequence[list[int]]) -> list[list[list[int] | None]]:
        outputs, status = run_codes(pack([to_code(canonical(p)) for p in programs]), pack_lists(values))
        return [
            [row if s == Status.OK else None for row, s in zip(rows, states, strict=True)]
            for rows, states in zip(outputs.tolist(), status.tolist(), strict=True)
        ]

    def reduce(self, program: Program, values: Sequence[list[int]]) -> Program:
        return reduce_program(program, pack_lists(values))

    def reduce_for_all(
        self, program: Program, values: Sequence[list[int]], like: list[int] | None = None
    ) -> Reduction[Program]:
        given = pack_lists(values).tolist()
        return reduce_faithfully(program, given, None if like is None else len(like))

    # --- solving -----------------------------------------------------------------------------------------------
    def check_example(self, example: ListExample, first: ListExample) -> None:
        solving.check_example(example, first)

    def explained(self, examples: Sequence[ListExample], deadline: float) -> Iterator[Explained[Program]]:
        return solving.explained(examples, deadline)

    def probes(self, rng: Random, count: int, examples: Sequence[ListExample]) -> list[list[int]]:
        return solving.probes(rng, count, examples)

    def tester(self, examples: Sequence[ListExample]) -> Callable[[Program], NDArray[np.bool_]]:
        inputs, wanted = (pack_lists(side) for side in zip(*((e.input, e.output) for e in examples), strict=True))

        def satisfied(program: Program) -> NDArray[np.bool_]:
            outputs, status = run_codes(pack([to_code(canonical(program))]), inputs)
            same: NDArray[np.bool_] = (outputs[0] == wanted).all(axis=1) & (status[0] == Status.OK)
            return same

        return satisfied

    def alike(self, values: Sequence[list[int]], examples: Sequence[ListExample]) -> list[bool]:
        return solving.alike(values, examples)

    def simpler(self, value: list[int], examples: Sequence[ListExample]) -> Iterator[list[int]]:
        return solving.simpler(value, examples)

    def standalone(self, program: Program, examples: Sequence[ListExample]) -> str:
        return solving.standalone(program, examples)

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(
        self, rng: Random, count: int, options: COptions
    ) -> tuple[list[Task[Program, list[int]]], Counter[str]]:
        return generator.sample_tasks(rng, count, options)

    def given(self, examples: int) -> int:
        return max(1, examples // 2)

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        return {split: path}

    def import_tasks(self, path: Path) -> Iterator[Task[Program, list[int]]]:
        return authors.read_tasks(path)

    def behaviours(self, programs: Sequence[Program], like: list[int]) -> list[bytes]:
        probes = np.random.default_rng(0).integers(-4, 5, (PROBES, len(like))).astype(np.int32)
        outputs, status = run_codes(pack([to_code(p) for p in programs]), probes)
        return [
            hashlib.blake2b(row.tobytes() + state.tobytes(), digest_size=8).digest()
            for row, state in zip(outputs, status, strict=True)
        ]

    def arrow_type(self) -> pa.DataType:
        import pyarrow as pa

        return pa.list_(pa.int32())

    def to_arrow(self, value: list[int]) -> Any:
        return value

    def from_arrow(self, stored: Any) -> list[int]:
        return list(stored)

    def statistics(self, tasks: Iterable[Task[Program, list[int]]]) -> dict[str, Counter[str]]:
        return program_statistics(task.program for task in tasks)

    def published(self) -> dict[str, dict[str, float]]:
        return {}

    # --- models ------------------------------------------------------------------------------------------------
    def values(self) -> ListValues:
        return ListValues()

    def machine(self) -> LexemeMachine:
        return LexemeMachine(self.table)

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        return preset_rows(preset)

    def value_config(self, options: Mapping[str, Any]) -> ListConfig:
        return list_config(options)

    def networks(self, config: ModelConfig) -> ListNetworks:
        from lasynth.domains.restricted_c.learning.networks import ListNetworks

        return ListNetworks(config)

    def baselines(self) -> dict[str, Baseline]:
        from lasynth.domains.restricted_c.symbolic.closed_form import predict

        return {"ClosedForm": predict}

    def groups(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> dict[str, dict[str, NDArray[np.bool_]]]:
        from lasynth.domains.restricted_c.symbolic.closed_form import has_closed_form

        closed = has_closed_form(inputs, outputs)
        return {"closed form": {"without": ~closed, "with": closed}}
