"""Random programs with examples: grows expressions by type, keeps those that run and use every input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.lexemes import CONSTANTS, usual_parameters
from lasynth.domains.lists.language.nodes import Call, Constant, Expression, Input, Program, Type, size, walk
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.language.text import count_tokens
from lasynth.domains.lists.values import Value
from lasynth.task import Example, InputError, Task

BY_RESULT = {type_: [n for n, o in enumerate(OPERATIONS) if o.result == type_] for type_ in Type}
CATEGORIES = ("List", "Number")
MOST_DRAWS = 10_000
"""Programs that are drawn for one task before the options are said to be impossible."""
RANGES = {
    "examples": (1, 64),
    "max_operations": (1, 20),
    "max_length": (1, 100),
    "smallest_value": (-1_000_000, 1_000_000),
    "largest_value": (-1_000_000, 1_000_000),
}
"""Smallest and largest value of each option."""
SIGNATURES = ((Type.LIST,),) * 6 + ((Type.LIST, Type.INT), (Type.INT, Type.LIST), (Type.LIST, Type.LIST))


@dataclass(frozen=True)
class ListsOptions:
    """Options of the generator."""

    examples: int = 10
    """Examples of a task."""
    max_operations: int = 4
    """Most operations of a program."""
    max_length: int = 8
    """Longest list of an input."""
    smallest_value: int = -9
    """Smallest number of an input."""
    largest_value: int = 20
    """Largest number of an input."""

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name.replace('_', '-')} must be {low:,} to {high:,}")
        if self.smallest_value > self.largest_value:
            low, high = self.smallest_value, self.largest_value
            raise InputError(f"smallest-value ({low}) must not be above largest-value ({high})")


def category(program: Program) -> str:
    return CATEGORIES[0] if program.body.type == Type.LIST else CATEGORIES[1]


def random_input(rng: Random, types: Sequence[Type], options: ListsOptions) -> list[Basic]:
    """A row of inputs; numbers are small where there is a list beside them, because they often count elements."""
    low, high = options.smallest_value, options.largest_value
    row: list[Basic] = []
    for type_ in types:
        if type_ == Type.LIST:
            row.append([rng.randint(low, high) for _ in range(rng.randint(0, options.max_length))])
        else:
            row.append(rng.randint(0, min(high, options.max_length)))
    return row


def as_value(row: Sequence[Basic]) -> Value:
    return row[0] if len(row) == 1 else tuple(row)


def random_program(rng: Random, options: ListsOptions) -> Program:
    """A program with 1 to `max_operations` operations; it may ignore inputs, and it may fault."""
    types = rng.choice(SIGNATURES)
    wanted = Type.LIST if rng.random() < 0.75 else Type.INT
    return Program(usual_parameters(types), _grow(rng, types, wanted, rng.randint(1, options.max_operations)))


def _grow(rng: Random, types: Sequence[Type], wanted: Type, operations: int) -> Expression:
    places = [place for place, type_ in enumerate(types) if type_ == wanted]
    if operations <= 0 and places and (wanted == Type.LIST or rng.random() < 0.5):
        place = rng.choice(places)
        return Input(place, wanted)
    if operations <= 0 and wanted == Type.INT:
        return Constant(rng.choice([c for c in CONSTANTS if -1 <= c <= 9]))
    number = rng.choice(BY_RESULT[wanted])
    operation = OPERATIONS[number]
    left = operations - 1
    heavy = rng.randrange(len(operation.arguments))
    parts = tuple(
        _grow(rng, types, type_, left if i == heavy else rng.randint(0, max(0, left)) // 2)
        for i, type_ in enumerate(operation.arguments)
    )
    return Call(number, parts, operation.result)


def sample_tasks(rng: Random, count: int, options: ListsOptions) -> tuple[list[Task[Program, Value]], Counter[str]]:
    """Tasks whose programs run on all of their examples, use every input and do not give the same output for all
    examples. InputError."""
    tasks: list[Task[Program, Value]] = []
    happened: Counter[str] = Counter()
    draws = 0
    while len(tasks) < count:
        draws += 1
        if draws > MOST_DRAWS * (len(tasks) + 1):
            raise InputError("no program passes the filters with these options")
        program = random_program(rng, options)
        reason, examples = _examples(rng, program, options)
        happened[reason] += 1
        if examples:
            tokens = count_tokens(program)
            tasks.append(Task(program, examples, category(program), tokens, "native"))
    return tasks, happened


def _examples(rng: Random, program: Program, options: ListsOptions) -> tuple[str, tuple[Example[Value], ...]]:
    used = {e.place for e in walk(program.body) if isinstance(e, Input)}
    if len(used) < len(program.parameters):
        return "an input is not used", ()
    if sum(isinstance(e, Call) for e in walk(program.body)) > options.max_operations or size(program.body) > 40:
        return "too many operations", ()
    types = [p.type for p in program.parameters]
    rows = [random_input(rng, types, options) for _ in range(3 * options.examples)]
    outputs = run_many(program, rows)
    pairs = [(row, output) for row, output in zip(rows, outputs, strict=True) if output is not None]
    if len(pairs) < options.examples:
        return "a run faults", ()
    pairs = pairs[: options.examples]
    if options.examples > 1 and len({repr(output) for _, output in pairs}) == 1:
        return "the output is always the same", ()
    if all(output in row for row, output in pairs):
        return "the output is an input", ()
    return "taken", tuple(Example(as_value(row), output) for row, output in pairs)
