"""What the solver needs from the language: it checks examples, searches, and draws inputs that tell programs apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.base import Explained
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.lexemes import unfinished
from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Call, Constant, Empty, Input, Program, Type
from lasynth.domains.lists.language.operations import NUMBERS
from lasynth.domains.lists.symbolic.costs import IGNORED, NATS, ignored, leaves, total_cost
from lasynth.domains.lists.symbolic.guidance import hinted
from lasynth.domains.lists.symbolic.search import MOST_EXAMPLES, Search
from lasynth.domains.lists.values import Value, bind, parameters_of, parts_of, type_of
from lasynth.task import Example, InputError

ListExample = Example[Value]
LENGTH, EQ = NUMBERS["length", (Type.LIST,)], NUMBERS["eq", (Type.INT, Type.INT)]
IF = NUMBERS["if", (Type.BOOL, Type.LIST, Type.LIST)]
MOST_PROGRAMS = 60
"""Programs that are handed to the solver."""
USUAL = 9
"""Probes use at least the values -USUAL to USUAL; 0 to USUAL if no example has a negative number."""
LONGEST_PROBE = 9
SECONDS_PER_ELEMENT = 1.5e-6
"""Estimated seconds to check all found programs on one element of an example."""
MOST_TO_CHECK = 0.7
"""Largest share of the remaining time that is reserved for these checks."""
MOST_SIMPLIFIED = 20
"""Longest list that is made simpler."""


def check_example(example: ListExample, first: ListExample) -> None:
    """Raise InputError if the example does not go with the first one."""
    if isinstance(example.output, (tuple, dict)):
        raise InputError("the output is one number or one list")
    mine, others = ([type_of(part).name.lower() for part in parts_of(e.input)] for e in (example, first))
    if mine != others and not isinstance(example.input, dict):
        raise InputError(f"the inputs are ({', '.join(mine)}), those of the first example ({', '.join(others)})")
    bind(parameters_of(first.input), example.input)
    if isinstance(example.output, list) != isinstance(first.output, list):
        one, other = ("a list" if isinstance(e.output, list) else "a number" for e in (example, first))
        raise InputError(f"the output is {one}, that of the first example {other}")


def rows_of(examples: Sequence[ListExample]) -> tuple[list[list[Basic]], list[Basic]]:
    """Inputs in the order of the first example's, and outputs."""
    parameters = parameters_of(examples[0].input)
    inputs = [bind(parameters, e.input) for e in examples]
    return inputs, [e.output for e in examples if isinstance(e.output, (int, list))]


def explained(
    examples: Sequence[ListExample], deadline: float, hints: Sequence[tuple[Sequence[str], float]] = ()
) -> Iterator[Explained[Program]]:
    """Programs that fit the examples, the cheapest first; else some that fit a part of them.

    Hints are lexemes of unfinished programs, with logarithms of weights: their parts are tried early.
    """
    parameters = parameters_of(examples[0].input)
    inputs, outputs = rows_of(examples)
    end = deadline - _time_to_check(inputs, deadline)
    begun = [(body, weight) for lexemes, weight in hints for body in unfinished(lexemes)[1]]
    parts = hinted(begun, inputs[:MOST_EXAMPLES])
    search = Search(inputs, outputs, [p.type for p in parameters], end, hints=parts)
    found = search.run()
    for number, (body, cost) in enumerate(found[:MOST_PROGRAMS]):
        if number and time.perf_counter() > end:
            break
        yield Explained(guarded(Program(parameters, body), inputs[0]), NATS * cost)
    if not found:
        for body, cost in search.partly_right():
            yield Explained(Program(parameters, body), NATS * cost, after_all=search.exhausted)


def described(program: Program, examples: Sequence[ListExample]) -> Explained[Program]:
    """A program of a model as `explained` would propose it."""
    inputs, outputs = rows_of(examples)
    parameters = parameters_of(examples[0].input)
    known = {leaf.expression: leaf.cost for leaf in leaves(inputs, outputs, [p.type for p in parameters])}
    whole = guarded(Program(parameters, program.body), inputs[0])
    cost = total_cost(program.body, known) + IGNORED * ignored(program.body, len(parameters))
    return Explained(whole, NATS * cost)


def _time_to_check(inputs: Sequence[Sequence[Basic]], deadline: float) -> float:
    """Seconds to reserve for checking found programs on all examples. It matters if there are many."""
    elements = sum(len(value) if isinstance(value, list) else 1 for row in inputs for value in row)
    return min(SECONDS_PER_ELEMENT * elements, MOST_TO_CHECK * (deadline - time.perf_counter()))


def guarded(program: Program, like: Sequence[Basic]) -> Program:
    """A program from one list to a list that faults for the empty list returns the empty list there instead.

    So `sub(a, minimum(a))` holds for every length. `like` are inputs; their numbers are used.
    """
    places = [place for place, parameter in enumerate(program.parameters) if parameter.type == Type.LIST]
    if program.body.type != Type.LIST or len(places) != 1:
        return program
    row: list[Basic] = [[] if place in places else value for place, value in enumerate(like)]
    if run_many(program, [row]) != [None]:
        return program
    length = Call(LENGTH, (Input(places[0], Type.LIST),), Type.INT)
    is_empty = Call(EQ, (length, Constant(0)), Type.BOOL)
    return Program(program.parameters, Call(IF, (is_empty, Empty(), program.body), Type.LIST))


def tester(examples: Sequence[ListExample]) -> Callable[[Program], NDArray[np.bool_]]:
    inputs = [e.input for e in examples]
    outputs = [e.output for e in examples]

    def satisfied(program: Program) -> NDArray[np.bool_]:
        rows = [bind(program.parameters, value) for value in inputs]
        found = run_many(program, rows)
        return np.array([x == y for x, y in zip(found, outputs, strict=True)], np.bool_)

    return satisfied


def probes(rng: Random, count: int, examples: Sequence[ListExample]) -> list[Value]:
    """Inputs like those of the examples: of the same kinds, some with their elements, some longer and some shorter."""
    inputs, _ = rows_of(examples)
    columns = [_Column.of(column) for column in zip(*inputs, strict=True)]
    return [_rebuild(examples[0].input, [column.draw(rng) for column in columns]) for _ in range(count)]


def _rebuild(like: Value, parts: list[Basic]) -> Value:
    if isinstance(like, dict):
        return dict(zip(like, parts, strict=True))
    return tuple(parts) if isinstance(like, tuple) else parts[0]


@dataclass(frozen=True)
class _Column:
    """What one input is like in the examples."""

    is_list: bool
    seen: list[int]
    """All numbers."""
    low: int
    high: int
    longest: int

    @staticmethod
    def of(column: Sequence[Basic]) -> _Column:
        seen = [v for value in column for v in (value if isinstance(value, list) else [value])]
        least = min([0, *seen])
        low, high = max(INT_MIN, least - (USUAL if least < 0 else 0)), min(INT_MAX, max([USUAL, *seen]))
        longest = max([LONGEST_PROBE, *(len(value) for value in column if isinstance(value, list))])
        return _Column(isinstance(column[0], list), seen, low, high, longest)

    def draw(self, rng: Random) -> Basic:
        """A value like those that the input has in the examples."""
        if not self.is_list:
            return rng.choice(self.seen) if rng.random() < 0.5 else rng.randint(self.low, self.high)
        length = min(rng.randint(0, self.longest), rng.randint(0, 2 * LONGEST_PROBE))
        few = min(self.high, max(self.low + 2, 4))  # few different numbers: some are equal
        top = self.high if rng.random() < 0.5 else few
        return [self._number(rng, top) for _ in range(length)]

    def _number(self, rng: Random, top: int) -> int:
        return rng.choice(self.seen) if self.seen and rng.random() < 0.3 else rng.randint(self.low, top)


def alike(values: Sequence[Value], examples: Sequence[ListExample]) -> list[bool]:
    """Which inputs have all numbers between the smallest and the largest one of the examples, and lists not longer."""
    columns = [_extent(column) for column in zip(*rows_of(examples)[0], strict=True)]
    parameters = parameters_of(examples[0].input)
    found = []
    for value in values:
        extents = [_extent([part]) for part in bind(parameters, value)]
        found.append(
            all(
                mine[0] >= low and mine[1] <= high and mine[2] <= longest
                for mine, (low, high, longest) in zip(extents, columns, strict=True)
            )
        )
    return found


def simpler(value: Value, examples: Sequence[ListExample]) -> Iterator[Value]:
    """The input with one element left out or replaced by a number nearer to 0, within the range of the examples."""
    columns = [_extent(column) for column in zip(*rows_of(examples)[0], strict=True)]
    parts = bind(parameters_of(examples[0].input), value)
    for place, (part, (low, high, _)) in enumerate(zip(parts, columns, strict=True)):
        for new in _simpler_part(part, low, high):
            yield _rebuild(examples[0].input, [*parts[:place], new, *parts[place + 1 :]])


def _simpler_part(part: Basic, low: int, high: int) -> Iterator[Basic]:
    if isinstance(part, list):
        if len(part) > MOST_SIMPLIFIED:
            return
        for i, old in enumerate(part):
            yield [*part[:i], *part[i + 1 :]]
            yield from ([*part[:i], new, *part[i + 1 :]] for new in _nearer(old, low, high))
    else:
        yield from _nearer(part, low, high)


def _nearer(old: int, low: int, high: int) -> list[int]:
    """Small numbers in the range that are nearer to 0 than the old one."""
    base = min(max(low, 0), high)
    return [v for v in dict.fromkeys((base, base + 1, base + 2)) if v <= high and (abs(v), v < 0) < (abs(old), old < 0)]


def _extent(column: Sequence[Basic]) -> tuple[int, int, int]:
    """The smallest and the largest number, and the length of the longest list."""
    numbers = [v for value in column for v in (value if isinstance(value, list) else [value])]
    longest = max((len(value) for value in column if isinstance(value, list)), default=0)
    return min(numbers, default=INT_MAX), max(numbers, default=INT_MIN), longest
