"""The leaves of the search and their costs: inputs, constants, the empty list, idioms. Costs were set by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Program, Type, walk
from lasynth.domains.lists.language.operations import NUMBERS, OPERATIONS
from lasynth.domains.lists.symbolic.idioms import idioms

CONS = NUMBERS["cons", (Type.INT, Type.LIST)]
INPUT = 1
EMPTY = 2
SMALL = {0: 2, 1: 2, 2: 2, 3: 3, 4: 3, 5: 3, -1: 2, 6: 4, 7: 4, 8: 4, 9: 4, 10: 3}
"""Cost of each constant that is always tried."""
SEEN_IN_ALL, SEEN = 3, 5
"""Cost of a constant that occurs in all outputs, and of one that occurs in several."""
RARE = 7
"""A constant that is neither usual nor in the outputs; only models propose it."""
MOST_SEEN = 24
"""Most constants that are taken from the outputs."""
NATS = 0.7
"""Length of a description in nats for each unit of cost."""


IGNORED = 4
"""Cost of each input that a program does not use: who gives an input means it to matter."""
LITERAL = 2
"""Cost of a constant list, besides one for each element."""


class Leaf(NamedTuple):
    expression: Expression
    values: Sequence[Basic]
    """One for each example."""
    cost: int
    late: bool = False
    """Tried after all operations of its cost: an equal value that is made of operations is kept instead."""
    gaps: int = 0
    """Bits of the examples in which it has no value."""


def total_cost(expression: Expression, known: Mapping[Expression, int]) -> int:
    """The cost of an expression; `known` are those of leaves, some of which are lists of constants."""
    if expression in known:
        return known[expression]
    if isinstance(expression, Call):
        return OPERATIONS[expression.operation].cost + sum(total_cost(part, known) for part in expression.arguments)
    return EMPTY if isinstance(expression, Empty) else INPUT if isinstance(expression, Input) else RARE


def ignored(expression: Expression, inputs: int) -> int:
    """How many of the inputs an expression does not use."""
    return inputs - len({part.place for part in walk(expression) if isinstance(part, Input)})


def leaves(inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic], types: Sequence[Type]) -> list[Leaf]:
    """What programs are made of; the cheapest first."""
    count = len(outputs)
    found = [Leaf(Input(place, type_), [row[place] for row in inputs], INPUT) for place, type_ in enumerate(types)]
    found.append(Leaf(Empty(), [[] for _ in range(count)], EMPTY))
    found += [Leaf(_literal(values), [values] * count, LITERAL + len(values)) for values in _fixed_lists(outputs)]
    found += _named(inputs, types)
    costs = dict(SMALL)
    for value, cost in _seen(outputs):
        costs[value] = min(cost, costs.get(value, cost))
    found += [Leaf(Constant(value), [value] * count, cost) for value, cost in costs.items()]
    return sorted(found, key=lambda leaf: leaf.cost)


def _named(inputs: Sequence[Sequence[Basic]], types: Sequence[Type]) -> list[Leaf]:
    """The idioms, with 0 in examples where they have no value."""
    found = []
    for expression, cost in idioms(types):
        values = run_many(Program((), expression), inputs)
        gaps = sum(1 << e for e, value in enumerate(values) if value is None)
        found.append(Leaf(expression, [0 if value is None else value for value in values], cost, True, gaps))
    return found


def _fixed_lists(outputs: Sequence[Basic]) -> list[list[int]]:
    """What all outputs begin with, and what they end with, if that is more than one number in several examples."""
    lists = [output for output in outputs if isinstance(output, list)]
    if len(lists) < 2:
        return []
    found = []
    for rows in (lists, [row[::-1] for row in lists]):
        same = 0
        while all(len(row) > same and row[same] == rows[0][same] for row in rows):
            same += 1
        part = rows[0][:same] if rows is lists else rows[0][:same][::-1]
        if same > 1 and part not in found:
            found.append(part)
    return found


def _literal(values: Sequence[int]) -> Expression:
    expression: Expression = Empty()
    for value in reversed(values):
        expression = Call(CONS, (Constant(value), expression), Type.LIST)
    return expression


def _seen(outputs: Sequence[Basic]) -> list[tuple[int, int]]:
    """Numbers of the outputs with their costs: those in most outputs first."""
    in_outputs = Counter(v for output in outputs for v in set(output if isinstance(output, list) else [output]))
    several = [(value, count) for value, count in in_outputs.most_common(MOST_SEEN) if count > 1 or len(outputs) < 4]
    return [(value, SEEN_IN_ALL if count == len(outputs) else SEEN) for value, count in several]
