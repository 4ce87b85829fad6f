"""Conditions on an input list, each a single comparison, and the ways in which they split the examples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.symbolic.sums import Floats, Ints, Sum

SHORT = 12
"""In lists up to this length any two elements are compared, in longer ones only neighbours (see docs/solve.md)."""
FEATURES = (
    "condition", "more elements", "order", "equal to a constant but 0", "size of that constant", "equal with offset",
    "size of a limit",
)  # fmt: skip
"""Features that make up the cost of a condition."""


class Comparison(NamedTuple):
    """`left == 0` or `left <= 0`"""

    left: Sum
    relation: Literal["==", "<="]

    def holds(self, inputs: Ints) -> NDArray[np.bool_]:
        """Whether the condition holds for each list. (N, L) -> (N,)"""
        return self.holds_for(self.left.at(inputs))

    def holds_for(self, left: Ints) -> NDArray[np.bool_]:
        """Whether the condition holds for each value of the left side."""
        return left == 0 if self.relation == "==" else left <= 0

    @property
    def elements(self) -> tuple[int, ...]:
        return tuple(element for element, _ in self.left.terms)

    def features(self) -> Floats:
        size, several = abs(self.left.constant), len(self.left.terms) > 1
        order = self.relation == "<="
        limit = min(abs(self.left.constant), abs(self.left.constant - 1))  # x <= -1 is the same as x < 0
        equal = not order and not several
        return np.array(
            [
                1,
                several,
                order,
                equal and size > 0,
                np.log2(1 + size) if equal else 0,
                not order and several and size > 0,
                np.log2(1 + limit) if order else 0,
            ],
            np.float64,
        )


def comparisons(inputs: Ints) -> Iterator[Comparison]:
    """Candidate conditions for these lists. Some of them hold for all lists or for none. (K, L)"""
    length = inputs.shape[1]
    for i in range(length):
        yield from _thresholds(((i, 1),), inputs[:, i])
    for i in range(length):
        for j in range(i + 1, length if length <= SHORT else min(length, i + 2)):
            difference = inputs[:, i] - inputs[:, j]
            yield from _equalities(((i, 1), (j, -1)), difference)
            yield from _equalities(((i, 1), (j, 1)), inputs[:, i] + inputs[:, j])
            for limit in (0, 1):  # a[i] <= a[j], a[i] < a[j]
                yield Comparison(Sum(((i, 1), (j, -1)), limit), "<=")


def _equalities(terms: tuple[tuple[int, int], ...], values: Ints) -> Iterator[Comparison]:
    for value in np.unique(values).tolist():
        yield Comparison(Sum(terms, -value), "==")


def _thresholds(terms: tuple[tuple[int, int], ...], values: Ints) -> Iterator[Comparison]:
    """`== v` for each value that occurs, and `<= limit` between any two neighbouring values; the limit nearest to 0."""
    yield from _equalities(terms, values)
    present = np.unique(values).tolist()
    for low, high in pairwise(present):
        yield Comparison(Sum(terms, -max(low, min(high - 1, 0 if high > 0 else -1))), "<=")


class Separation(NamedTuple):
    """A split of the examples into two sides, and the conditions that produce it, the cheapest first."""

    mask: int
    """Bit k is set if example k is on the same side as example 0."""
    conditions: tuple[tuple[float, Comparison], ...]
    """Pairs of a cost and a condition."""


def bits(holds: NDArray[np.bool_]) -> int:
    """Truth values as the bits of a number; the first one is bit 0."""
    return int.from_bytes(np.packbits(holds, bitorder="little").tobytes(), "little")


def separations(inputs: Ints, weights: Floats, deadline: float = float("inf")) -> list[Separation]:
    """All splits of the examples by a single condition, those with the cheapest condition first. (K, L)

    Conditions on one element are tried before those on two. What is not tried by the deadline is left out.
    """
    everything = (1 << len(inputs)) - 1
    found: dict[int, list[tuple[float, Comparison]]] = {}
    for condition in comparisons(inputs):
        if time.perf_counter() > deadline:
            break
        mask = bits(condition.holds(inputs))
        if 0 < mask < everything:
            same_as_first = mask if mask & 1 else everything ^ mask
            found.setdefault(same_as_first, []).append((float(condition.features() @ weights), condition))
    ordered = [Separation(mask, tuple(sorted(members, key=lambda m: m[0]))) for mask, members in found.items()]
    return sorted(ordered, key=lambda separation: separation.conditions[0][0])
