"""The language of lists as a `Domain`: each method calls a module of this folder."""

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

from lasynth.config import ModelConfig
from lasynth.domains.base import Explained, Reduction, Step, Trace
from lasynth.domains.learnable import Baseline
from lasynth.domains.lists import solving, values
from lasynth.domains.lists.data import generator
from lasynth.domains.lists.data.generator import CATEGORIES
from lasynth.domains.lists.data.inputs import ListsOptions, as_value, random_input
from lasynth.domains.lists.emission.standalone import standalone
from lasynth.domains.lists.emission.written import parse_any, written
from lasynth.domains.lists.execution import interpreter, machine
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language import lexemes
from lasynth.domains.lists.language.nodes import Call, Program, Type, walk
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.language.text import count_tokens, expression_text, program_text
from lasynth.domains.lists.learning.rows import rows
from lasynth.domains.lists.reduction import around_constants, reduce_program
from lasynth.domains.lists.solving import ListExample
from lasynth.domains.lists.values import Value, bind, parameters_of, parts_of
from lasynth.task import ExecutionError, InputError, Task
from lasynth.vocab import SPECIAL

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

    from lasynth.domains.lists.learning.programs import StackMachine
    from lasynth.domains.lists.learning.values import StackConfig, StackValues

PROBES = 64
"""Inputs on which two programs must agree to count as the same behaviour."""


class Lists:
    """Functions over lists of any length and numbers."""

    name = "lists"
    suffix = ".lists"
    values_in_files = False
    categories = CATEGORIES
    several_inputs = True
    options = ListsOptions
    distinct_splits = True
    most_lexemes = 20

    def __init__(self) -> None:
        self.vocab = lexemes.VOCAB
        self.syntax = lexemes.StackSyntax()
        self.statement_ends = np.arange(len(self.vocab)) >= len(SPECIAL)
        self.nesting = np.zeros(len(self.vocab), np.int64)

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> Program:
        return parse_any(text)

    def text(self, program: Program) -> str:
        return program_text(program)

    def pretty(self, program: Program) -> str:
        return written(program)

    def parse(self, lexemes_: Sequence[str]) -> Program:
        return lexemes.from_lexemes(lexemes_)

    def unparse(self, program: Program) -> list[str]:
        return lexemes.to_lexemes(program)

    def canonical(self, program: Program) -> Program:
        """The program itself: there are no names but those of the inputs, and callers may pass inputs by name."""
        return program

    def category(self, program: Program) -> str:
        return generator.category(program)

    def length(self, program: Program) -> int:
        return count_tokens(program)

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> Value:
        return values.read_value(text)

    def random_values(self, rng: Random, count: int, like: Value | None = None) -> list[Value]:
        types = [p.type for p in parameters_of([] if like is None else like)]
        return [as_value(random_input(rng, types, ListsOptions())) for _ in range(count)]

    def some_input(self, program: Program) -> Value:
        """An input of the kinds that the program takes."""
        return as_value([[] if p.type == Type.LIST else 0 for p in program.parameters])

    def check_value(self, value: object) -> Value:
        return values.check_value(value)

    def value_json(self, value: Value) -> Any:
        return values.value_json(value)

    def run(self, program: Program, value: Value) -> Basic:
        return interpreter.run(program, bind(program.parameters, value))

    def trace(self, program: Program, value: Value) -> Trace[Value]:
        steps: list[Step[Value]] = []

        def visit(call: Call, result: Basic) -> None:
            steps.append(Step(expression_text(call, program.parameters), result))

        try:
            output = interpreter.evaluate(program.body, bind(program.parameters, value), visit)
        except ExecutionError as error:
            return Trace(value, tuple(steps), None, error)
        return Trace(value, tuple(steps), output)

    def show(self, trace: Trace[Value], *, steps: bool) -> RenderableType:
        from lasynth.domains.lists.display import trace_table

        return trace_table(trace) if steps else json.dumps(trace.output)

    def run_many(self, programs: Sequence[Program], values: Sequence[Value]) -> list[list[Value | None]]:
        return [[*machine.run_many(p, [bind(p.parameters, value) for value in values])] for p in programs]

    def reduce(self, program: Program, values: Sequence[Value]) -> Program:
        return reduce_program(program, [bind(program.parameters, value) for value in values])

    def reduce_for_all(
        self, program: Program, values: Sequence[Value], like: Value | None = None
    ) -> Reduction[Program]:
        """Outcomes are compared on the values, and on copies of them with numbers around the program's constants."""
        rows = [bind(program.parameters, value) for value in values]
        rows += around_constants(program, rows)
        failed = sum(outcome is None for outcome in machine.run_many(program, rows))
        return Reduction(reduce_program(program, rows), len(rows), failed)

    # --- solving -----------------------------------------------------------------------------------------------
    def check_example(self, example: ListExample, first: ListExample) -> None:
        solving.check_example(example, first)

    def explained(self, examples: Sequence[ListExample], deadline: float) -> Iterator[Explained[Program]]:
        return solving.explained(examples, deadline)

    def guided(
        self, examples: Sequence[ListExample], hints: Sequence[tuple[Sequence[str], float]], deadline: float
    ) -> Iterator[Explained[Program]]:
        return solving.explained(examples, deadline, hints)

    def described(self, program: Program, examples: Sequence[ListExample]) -> Explained[Program]:
        return solving.described(program, examples)

    def probes(self, rng: Random, count: int, examples: Sequence[ListExample]) -> list[Value]:
        return solving.probes(rng, count, examples)

    def tester(self, examples: Sequence[ListExample]) -> Callable[[Program], NDArray[np.bool_]]:
        return solving.tester(examples)

    def alike(self, values: Sequence[Value], examples: Sequence[ListExample]) -> list[bool]:
        return solving.alike(values, examples)

    def simpler(self, value: Value, examples: Sequence[ListExample]) -> Iterator[Value]:
        return solving.simpler(value, examples)

    def standalone(self, program: Program, examples: Sequence[ListExample]) -> str:
        return standalone(program, examples)

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(
        self, rng: Random, count: int, options: ListsOptions
    ) -> tuple[list[Task[Program, Value]], Counter[str]]:
        return generator.sample_tasks(rng, count, options)

    def given(self, examples: int) -> int:
        return max(1, examples // 2)

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        return {split: path}

    def import_tasks(self, path: Path) -> Iterator[Task[Program, Value]]:
        raise InputError(f"{path}: no published format of tasks of this language is known")

    def behaviours(self, programs: Sequence[Program], like: Value) -> list[bytes]:
        """Programs with other inputs than `like` are run on inputs of their own kinds."""
        found = []
        for program in programs:
            rng, types = Random(0), [p.type for p in program.parameters]
            rows = [random_input(rng, types, ListsOptions()) for _ in range(PROBES)]
            outcome = repr([types, machine.run_many(program, rows)])
            found.append(hashlib.blake2b(outcome.encode(), digest_size=8).digest())
        return found

    def arrow_type(self) -> pa.DataType:
        import pyarrow as pa

        part = pa.struct([("is_list", pa.bool_()), ("numbers", pa.list_(pa.int32()))])
        return pa.list_(part)

    def to_arrow(self, value: Value) -> Any:
        parts = parts_of(value)
        return [{"is_list": isinstance(p, list), "numbers": p if isinstance(p, list) else [p]} for p in parts]

    def from_arrow(self, stored: Any) -> Value:
        parts: list[Basic] = [list(p["numbers"]) if p["is_list"] else int(p["numbers"][0]) for p in stored]
        return as_value(parts)

    def statistics(self, tasks: Iterable[Task[Program, Value]]) -> dict[str, Counter[str]]:
        found: dict[str, Counter[str]] = {"operations": Counter(), "operations a program": Counter()}
        for task in tasks:
            calls = [e for e in walk(task.program.body) if isinstance(e, Call)]
            found["operations"].update(OPERATIONS[call.operation].name for call in calls)
            found["operations a program"][str(len(calls))] += 1
        return found

    def published(self) -> dict[str, dict[str, float]]:
        return {}

    # --- models ------------------------------------------------------------------------------------------------
    def values(self) -> StackValues:
        from lasynth.domains.lists.learning.values import StackValues  # here, so that `solve` starts sooner

        return StackValues()

    def machine(self) -> StackMachine:
        from lasynth.domains.lists.learning.programs import StackMachine

        return StackMachine()

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        return rows(preset)

    def value_config(self, options: Mapping[str, Any]) -> StackConfig:
        from lasynth.domains.lists.learning.values import StackConfig

        return StackConfig()

    def networks(self, config: ModelConfig) -> Any:
        if config.architecture != "cursor":
            raise InputError(f"models of the language `{self.name}` have architecture: cursor")
        from lasynth.domains.lists.learning.view import FEATURES, see
        from lasynth.layers import FeatureEncoder

        return FeatureEncoder(see, FEATURES, config.hidden)

    def baselines(self) -> dict[str, Baseline]:
        return {}

    def groups(self, inputs: NDArray[Any], outputs: NDArray[Any]) -> dict[str, dict[str, NDArray[np.bool_]]]:
        return {}
