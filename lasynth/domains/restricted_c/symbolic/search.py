"""Finds short explanations of examples without learning, the shortest description first.

Every position is explained by the cheapest sum that fits, or by a choice between sums. Choices share their conditions,
in one of four ways: one condition for all positions; two conditions beside each other; one condition inside another;
one condition that moves along with the position (a loop with a branch in it). Two moving conditions are tried only
where every position is the same function of its own element.

There are many such structures. They are compared by an approximate cost, a sum over the positions. The best of them are
described exactly and sorted. `writing` turns explanations into programs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from math import inf, sqrt
from typing import NamedTuple, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.symbolic import sums
from lasynth.domains.restricted_c.symbolic.alternatives import alternatives
from lasynth.domains.restricted_c.symbolic.conditions import SHORT, Comparison, Separation, bits, separations
from lasynth.domains.restricted_c.symbolic.explanations import (
    Choice,
    Explanation,
    Tree,
    description,
    elements_of,
    fits,
    outputs,
    shifted,
    values,
)
from lasynth.domains.restricted_c.symbolic.pieces import SLOPES, in_pieces
from lasynth.domains.restricted_c.symbolic.prices import COSTS, Costs, Late, Mask, PriceTable, has_passed, look_at_clock
from lasynth.domains.restricted_c.symbolic.sums import NONE, Floats, Ints, Sum

MAX_LENGTH = 1000
"""Longest list that can be explained."""
MOST_EXAMPLES = 24
"""Most examples that are explained at once. If there are more, the search starts with the first FIRST_EXAMPLES, and
adds examples that refute its best explanation."""
FIRST_EXAMPLES = 12
STRUCTURES, FEWEST_STRUCTURES = 60, 4
"""Most structures that are described exactly. Lists longer than SHORT get fewer, down to the second number."""
VARIANTS = 6
"""Variants of each structure in which one sum is replaced by a runner-up."""
CONDITIONS = 4
"""Conditions tried for one separation."""
WORK, LONG_WORK = 400_000_000, 1_600_000_000
"""Most comparisons of a form with an example for one task, with lists up to SHORT and with longer ones. They limit how
many conditions are considered."""
WORK_PER_SECOND = 800_000_000
"""The same limit for each second that is left until the deadline."""
PAIRED = 40
"""Separations that are combined in pairs; also the number of values that a moving condition compares with."""
LOOKED_AT = 100_000
"""Elements, of all examples together, that explanations are compared with at a time."""


class Described(NamedTuple):
    """An explanation and the length of its description."""

    length: float
    explanation: Explanation


class Rows(Protocol):
    """Lists of one length: an array (N, L), or an object that converts only the requested rows to an array."""

    def __len__(self) -> int: ...
    def __getitem__(self, rows: list[int] | slice, /) -> Ints: ...


def explain(
    inputs: Rows, expected: Rows, deadline: float = float("inf"), costs: Costs = COSTS, broad: bool = False
) -> list[Described]:
    """Explanations that fit the examples, the shortest first. A broad search adds those of `alternatives`.

    After the deadline (of `time.perf_counter`) the search stops, and the explanations found so far are no longer
    compared with the examples that they were not made from.
    """
    chosen = list(range(min(len(inputs), FIRST_EXAMPLES)))
    while True:
        found = _Search(inputs[chosen], expected[chosen], deadline, costs).explanations(broad)
        if len(chosen) == len(inputs):
            return found
        fitting = _unrefuted(found, inputs, expected, deadline)
        if fitting or not found or len(chosen) >= MOST_EXAMPLES or has_passed(deadline):
            return fitting
        chosen += _refuting(found[0].explanation, inputs, expected, deadline)


def _unrefuted(found: list[Described], inputs: Rows, expected: Rows, deadline: float) -> list[Described]:
    """The explanations that fit every example that was checked before the deadline."""
    for _, given, wanted in _chunks(inputs, expected):
        if not found or has_passed(deadline):
            break
        found = [f for f in found if has_passed(deadline) or fits(f.explanation, given, wanted)]
    return found


def _refuting(explanation: Explanation, inputs: Rows, expected: Rows, deadline: float, count: int = 2) -> list[int]:
    """Indices of the first `count` examples that the explanation does not fit."""
    wrong: list[int] = []
    for begin, given, wanted in _chunks(inputs, expected):
        wrong += (begin + np.flatnonzero((outputs(explanation, given) != wanted).any(axis=1))).tolist()
        if len(wrong) >= count or has_passed(deadline):
            break
    return wrong[:count]


def _chunks(inputs: Rows, expected: Rows) -> Iterator[tuple[int, Ints, Ints]]:
    """The examples in chunks, each with the index of its first example."""
    size = max(1, LOOKED_AT // inputs[:1].shape[1])
    for begin in range(0, len(inputs), size):
        yield begin, inputs[begin : begin + size], expected[begin : begin + size]


Skeleton: TypeAlias = Union[Mask, "Branching"]
"""A tree whose leaves are sets of examples: those that reach the leaf."""


class Branching(NamedTuple):
    """A node of a skeleton that is not a leaf."""

    condition: Comparison
    then: Skeleton
    orelse: Skeleton


class Structure(NamedTuple):
    """Which positions are explained by choices. All others are explained by plain sums."""

    cost: float
    choices: Mapping[int, Skeleton]


class Nesting(NamedTuple):
    """A separation inside one side of another."""

    outer: Separation
    side: Mask
    inner: Separation
    shallow: NDArray[np.bool_]
    """(O,): open positions where the outer separation alone is better than a plain sum."""
    deep: NDArray[np.bool_]
    """(O,): open positions where both separations together are better still."""


class _Search:
    """The search for explanations of one task."""

    def __init__(self, inputs: Ints, expected: Ints, deadline: float, costs: Costs) -> None:
        self.inputs, self.expected, self.costs, self.deadline = inputs, expected, costs, deadline
        self.length = inputs.shape[1]
        self.everything: Mask = (1 << len(inputs)) - 1
        self.table = PriceTable(inputs, expected, deadline, costs)
        self.table.compute([(self.everything, p) for p in range(self.length)])
        self.plain = self.table.prices(self.everything, list(range(self.length)))  # (L,)
        copies = (inputs == expected).all(axis=0)
        self.open = np.flatnonzero(~copies).tolist()
        """Positions that change. Only these can gain from a condition."""
        self.kept = float(self.plain[copies].sum())
        self.ways: list[Separation] = []
        """Separations that were priced."""

    def explanations(self, broad: bool = False) -> list[Described]:
        """All explanations, the shortest first. After the deadline only those found so far.

        At least one is returned if plain sums or a piecewise function explain the task.
        """
        found: dict[Explanation, Described] = {}
        self.describe(chain(self.alike(), chain.from_iterable(map(self.variants, self.best_structures()))), found)
        if broad and not has_passed(self.deadline):
            # the weights were fitted without alternatives: one of them is never preferred to the best explanation
            self.describe(alternatives(self), found, min((f.length for f in found.values()), default=-inf))
        return sorted(found.values(), key=lambda f: f.length)

    def describe(
        self, explanations: Iterator[Explanation], found: dict[Explanation, Described], least: float = -inf
    ) -> None:
        """Add explanations with the lengths of their descriptions, but at least `least`, until the deadline."""
        for explanation in explanations:
            if explanation not in found:
                length = float(description(explanation) @ self.costs.weights)
                found[explanation] = Described(max(length, least), explanation)
            if has_passed(self.deadline):
                break

    def best_structures(self) -> list[Structure]:
        """The structures with the smallest costs."""
        count = max(FEWEST_STRUCTURES, min(STRUCTURES, STRUCTURES * SHORT // self.length))
        structures: list[Structure] = []
        with suppress(Late):
            structures.extend(self.structures())
        return sorted(structures, key=lambda s: s.cost)[:count]

    # --- structures ------------------------------------------------------------------------------------------------
    def structures(self) -> Iterator[Structure]:
        """All structures, the simplest kinds first. Raises Late when the deadline has passed."""
        if (self.plain < NONE).all():
            yield Structure(float(self.plain.sum()), {})
        if not self.open:
            return
        look_at_clock(self.deadline)
        work, per_mask = self.work(), len(self.open) * self.table.values.shape[1] * 2
        ways = self.separations()[: max(1, int(work / (2 * per_mask)))]
        self.table.fill([(m, p) for way in ways for m in self.sides(way) for p in self.open])
        self.split = np.array([self.prices_split(way) for way in ways]).reshape(len(ways), len(self.open))  # (W, O)
        self.ways = ways
        yield from self.shared(ways)
        yield from self.moving()
        paired = ways[: min(PAIRED, int(sqrt(work / (4 * per_mask))))]
        if len(paired) > 1:
            yield from self.beside(paired)
            yield from self.nested(paired)

    def work(self) -> float:
        """Number of comparisons that there is time for."""
        left = max(0.0, self.deadline - time.perf_counter())
        return min(WORK if self.length <= SHORT else LONG_WORK, WORK_PER_SECOND * left)

    def separations(self) -> list[Separation]:
        """The separations found in half of the remaining time. The other half is needed to try them."""
        now = time.perf_counter()
        return separations(self.inputs, self.costs.of_conditions, now + (self.deadline - now) / 2)

    def sides(self, way: Separation) -> tuple[Mask, Mask]:
        return way.mask, self.everything ^ way.mask

    def prices_split(self, way: Separation) -> Floats:
        """Price of explaining each open position by a choice. (O,)"""
        both = [self.table.prices(mask, self.open) for mask in self.sides(way)]
        return both[0] + both[1] + self.costs.of("choices")

    def by(self, condition: Comparison, within: Mask) -> Branching:
        """The choice by one condition, among the examples `within`."""
        mask = bits(condition.holds(self.inputs))
        return Branching(condition, mask & within, within & ~mask)

    def at_open(self, skeleton: Skeleton, where: NDArray[np.bool_]) -> dict[int, Skeleton]:
        """The skeleton at each open position where `where` (O,) is true."""
        return {p: skeleton for p, use in zip(self.open, where.tolist(), strict=True) if use}

    def shared(self, ways: list[Separation]) -> Iterator[Structure]:
        """Structures with one condition for all positions."""
        plain = self.plain[self.open]
        for way, split in zip(ways, self.split, strict=True):
            look_at_clock(self.deadline)
            better = split < plain
            total = float(np.minimum(split, plain).sum())
            if better.any() and total < NONE:
                for price, condition in way.conditions[:CONDITIONS]:
                    choices = self.at_open(self.by(condition, self.everything), better)
                    yield Structure(total + price + self.kept, choices)

    def moving(self) -> Iterator[Structure]:
        """Structures with a condition on each position's own element, or on it and a neighbour."""
        for template in self.templates():
            look_at_clock(self.deadline)
            sides = self.moved_sides(template)
            if len(sides) < 2:
                continue
            self.table.fill([(mask, p) for p, both in sides.items() for mask in both])
            total, chosen = 0.0, []
            for p in self.open:
                split = self.split_price(sides[p], p) if p in sides else NONE
                if split < self.plain[p]:
                    chosen.append(p)
                total += min(split, float(self.plain[p]))
            if len(chosen) > 1 and total < NONE:
                choices = {p: Branching(_moved(template, p), *sides[p]) for p in chosen}
                yield Structure(total + float(template.features() @ self.costs.of_conditions) + self.kept, choices)

    def moved_sides(self, template: Comparison) -> dict[int, tuple[Mask, Mask]]:
        """For each open position, the examples for which the moved condition holds, and the others. Both must exist."""
        # the positions where all elements of the condition are inside the list
        inside = range(-min(template.elements), self.length - max(template.elements))
        positions = np.array([p for p in self.open if p in inside], np.int64)
        left = np.full((len(self.inputs), len(positions)), template.left.constant)
        for element, coefficient in template.left.terms:
            left += coefficient * self.inputs[:, positions + element]
        masks = [bits(holds) for holds in template.holds_for(left).T]
        both = {p: (mask, self.everything ^ mask) for p, mask in zip(positions.tolist(), masks, strict=True)}
        return {p: sides for p, sides in both.items() if all(sides)}

    def split_price(self, sides: tuple[Mask, Mask], position: int) -> float:
        return sum(self.table.price(mask, position) for mask in sides) + self.costs.of("choices")

    def templates(self) -> Iterator[Comparison]:
        """Conditions relative to a position: element 0 is the position's own."""
        own = np.unique(self.inputs[:, self.open])
        values = own[np.argsort(np.abs(own), kind="stable")][:PAIRED].tolist()
        for value in values:
            yield Comparison(Sum(((0, 1),), -value), "==")
        for limit in dict.fromkeys([0, -1, *values]):
            yield Comparison(Sum(((0, 1),), -limit), "<=")
        for other in (-1, 1):
            for terms in (((0, 1), (other, -1)), ((0, -1), (other, 1))):
                yield Comparison(Sum(tuple(sorted(terms)), 1), "<=")
            yield Comparison(Sum(tuple(sorted(((0, 1), (other, -1))))), "==")

    def beside(self, ways: list[Separation]) -> Iterator[Structure]:
        """Structures with two conditions, each for some of the positions."""
        plain = self.plain[self.open]
        extra = self.costs.of("more conditions") + self.costs.of("conditions beside each other")
        for a, first in enumerate(ways):
            look_at_clock(self.deadline)
            for b, second in enumerate(ways[:a]):
                one, two = self.split[a], self.split[b]
                total = float(np.minimum(plain, np.minimum(one, two)).sum())
                by_first, by_second = (one < plain) & (one < two), (two < plain) & (two < one)
                if total >= NONE or not by_first.any() or not by_second.any():
                    continue
                for price_1, condition_1 in first.conditions[:2]:
                    for price_2, condition_2 in second.conditions[:2]:
                        choices = self.at_open(self.by(condition_1, self.everything), by_first)
                        choices |= self.at_open(self.by(condition_2, self.everything), by_second)
                        yield Structure(total + price_1 + price_2 + extra + self.kept, choices)

    def nested(self, ways: list[Separation]) -> Iterator[Structure]:
        """Structures with one condition inside one side of another."""
        masks = [
            mask
            for outer in ways for side in self.sides(outer)
            for inner in ways for mask in (side & inner.mask, side & ~inner.mask)
            if mask
        ]  # fmt: skip
        self.table.fill([(mask, p) for mask in masks for p in self.open])
        prices = {
            mask: self.table.prices(mask, self.open) for mask in {*masks, *(m for w in ways for m in self.sides(w))}
        }
        plain, extra = self.plain[self.open], self.costs.of("more conditions") + self.costs.of("nested")
        for split, outer in zip(self.split, ways, strict=False):
            look_at_clock(self.deadline)
            shallow = np.minimum(plain, split)
            for side in self.sides(outer):
                for inner in ways:
                    parts = side & inner.mask, side & ~inner.mask
                    if inner is outer or not all(parts):
                        continue
                    deep = prices[self.everything ^ side] + prices[parts[0]] + prices[parts[1]]
                    deep = deep + 2 * self.costs.of("choices")
                    total = float(np.minimum(shallow, deep).sum())
                    if total < NONE and (deep < shallow).any():
                        nesting = Nesting(outer, side, inner, split < plain, deep < shallow)
                        yield from self.nestings(total + extra, nesting)

    def nestings(self, cost: float, nesting: Nesting) -> Iterator[Structure]:
        """Structures of a nesting, with each of the two cheapest conditions for both separations."""
        for price_1, condition_1 in nesting.outer.conditions[:2]:
            for price_2, condition_2 in nesting.inner.conditions[:2]:
                simple = self.by(condition_1, self.everything)
                inside = self.by(condition_2, nesting.side)
                tree = simple._replace(then=inside) if simple.then == nesting.side else simple._replace(orelse=inside)
                choices = self.at_open(simple, nesting.shallow) | self.at_open(tree, nesting.deep)
                yield Structure(cost + price_1 + price_2 + self.kept, choices)

    # --- explanations ----------------------------------------------------------------------------------------------
    def alike(self, slopes: tuple[int, ...] = SLOPES) -> Iterator[Explanation]:
        """The explanation by one piecewise function of the own element. Positions that it does not fit are kept."""
        given, wanted = self.inputs[:, self.open], self.expected[:, self.open]
        if len(self.open) > 1 and (tree := in_pieces(given, wanted, slopes)):
            moved = [shifted(tree, p) for p in range(self.length)]
            yield tuple(new if self.explains(new, p) else Sum(((p, 1),)) for p, new in enumerate(moved))

    def variants(self, structure: Structure) -> Iterator[Explanation]:
        """Explanations with this structure.

        First the cheapest sum everywhere, then the most frequent tree wherever it fits, then a runner-up in one place.
        """
        skeletons = [structure.choices.get(p, self.everything) for p in range(self.length)]
        cheapest_one = tuple(self.tree(skeleton, p, None) for p, skeleton in enumerate(skeletons))
        yield cheapest_one
        yield from self.uniform(cheapest_one)
        for _, mask, p, rank in sorted(self.runners_up(skeletons))[:VARIANTS]:
            other = self.tree(skeletons[p], p, (mask, rank))
            yield (*cheapest_one[:p], other, *cheapest_one[p + 1 :])

    def runners_up(self, skeletons: list[Skeleton]) -> Iterator[tuple[float, Mask, int, int]]:
        """Runners-up as (extra cost over the cheapest sum, examples, position, rank)."""
        for p in self.open:
            for mask in _leaves(skeletons[p]):
                for rank in range(1, sums.TOP):
                    price = self.table.price(mask, p, rank)
                    if price < NONE:
                        yield price - self.table.price(mask, p), mask, p, rank

    def uniform(self, explanation: Explanation) -> Iterator[Explanation]:
        """The explanation with its most frequent tree wherever that fits: the relative tree, then the absolute one."""
        for moving in (True, False):
            moved = [shifted(tree, -p if moving else 0) for p, tree in enumerate(explanation)]
            frequent = Counter(moved[p] for p in self.open).most_common(1)
            if frequent and frequent[0][1] > 1:
                tree = frequent[0][0]
                yield tuple(
                    new if (new := shifted(tree, p if moving else 0)) != old and self.explains(new, p) else old
                    for p, old in enumerate(explanation)
                )

    def explains(self, tree: Tree, position: int) -> bool:
        """Whether a tree explains a position. It does not if one of its elements is outside the list."""
        elements = elements_of(tree)
        if elements and (min(elements) < 0 or max(elements) >= self.length):
            return False
        return bool((values(tree, self.inputs) == self.expected[:, position]).all())

    def tree(self, skeleton: Skeleton, position: int, other: tuple[Mask, int] | None) -> Tree:
        if isinstance(skeleton, int):
            rank = other[1] if other is not None and other[0] == skeleton else 0
            return self.table.sum_at(skeleton, position, rank)
        then, orelse = (self.tree(branch, position, other) for branch in (skeleton.then, skeleton.orelse))
        return Choice(skeleton.condition, then, orelse)


def _moved(template: Comparison, position: int) -> Comparison:
    terms = tuple((element + position, coefficient) for element, coefficient in template.left.terms)
    return template._replace(left=template.left._replace(terms=terms))


def _leaves(skeleton: Skeleton) -> Iterator[Mask]:
    if isinstance(skeleton, int):
        yield skeleton
    else:
        yield from _leaves(skeleton.then)
        yield from _leaves(skeleton.orelse)
