"""The leaves of the search and their costs: inputs, constants, the empty list. Costs were set by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import Constant, Empty, Expression, Input, Type

INPUT = 1
EMPTY = 2
SMALL = {0: 2, 1: 2, 2: 2, 3: 3, 4: 3, 5: 3, -1: 4, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4}
"""Constants that are tried for all examples."""
SEEN_IN_ALL, SEEN = 3, 5
"""A constant that occurs in all outputs; in several."""
MOST_SEEN = 24
"""Constants from the examples."""
NATS = 0.7
"""Length of a description in nats for each unit of cost."""


class Leaf(NamedTuple):
    expression: Expression
    values: Sequence[Basic]
    """One for each example."""
    cost: int


def leaves(inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic], types: Sequence[Type]) -> list[Leaf]:
    """What programs are made of; the cheapest first."""
    count = len(outputs)
    found = [Leaf(Input(place, type_), [row[place] for row in inputs], INPUT) for place, type_ in enumerate(types)]
    found.append(Leaf(Empty(), [[] for _ in range(count)], EMPTY))
    costs = dict(SMALL)
    for value, cost in _seen(outputs):
        costs[value] = min(cost, costs.get(value, cost))
    found += [Leaf(Constant(value), [value] * count, cost) for value, cost in costs.items()]
    return sorted(found, key=lambda leaf: leaf.cost)


def _seen(outputs: Sequence[Basic]) -> list[tuple[int, int]]:
    """Numbers of the outputs with their costs: those in most outputs first."""
    in_outputs = Counter(v for output in outputs for v in set(output if isinstance(output, list) else [output]))
    several = [(value, count) for value, count in in_outputs.most_common(MOST_SEEN) if count > 1 or len(outputs) < 4]
    return [(value, SEEN_IN_ALL if count == len(outputs) else SEEN) for value, count in several]
