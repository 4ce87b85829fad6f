"""Finds short explanations of examples without learning: conditions and sums, the shortest description first.

Every position is explained by the cheapest sum that fits, or by a choice between sums. Choices share their conditions: one
condition for all positions, two of them beside each other or one inside the other, or one that moves along with the
position (a loop with a branch in it). The many structures are compared by a sum of costs, the best of them described
exactly and ordered. Knows nothing of C: `writing` turns explanations into programs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c import sums
from lasynth.domains.restricted_c.conditions import SHORT, Comparison, Separation, bits, separations
from lasynth.domains.restricted_c.explanations import (
    Choice,
    Explanation,
    Tree,
    description,
    elements_of,
    outputs,
    shifted,
    values,
)
from lasynth.domains.restricted_c.prices import COSTS, Costs, Late, Mask, PriceTable
from lasynth.domains.restricted_c.sums import NONE, Floats, Ints, Sum

MAX_LENGTH = 1000
"""Longest list that is explained."""
MOST_EXAMPLES = 24
"""Examples that are explained at once; of more, those that refute an explanation are added to the first ones."""
FIRST_EXAMPLES = 12
STRUCTURES, FEWEST_STRUCTURES = 60, 4
"""Structures that are described exactly; fewer for lists that are not SHORT."""
VARIANTS = 6
"""Runners-up of single sums that are tried in each structure."""
CONDITIONS = 4
"""Conditions tried for one separation."""
WORK = 400_000_000
"""Comparisons of a form with an example that may be made for one task: it bounds how many conditions are considered."""
WORK_PER_SECOND = 200_000_000
"""The same where time is short."""
PAIRED = 40
"""Separations that are combined with each other."""


class Found(NamedTuple):
    """An explanation that fits every example, and the length of its description."""

    length: float
    explanation: Explanation


def explain(inputs: Ints, expected: Ints, deadline: float = float("inf"), costs: Costs = COSTS) -> list[Found]:
    """Explanations of examples (K, L), the shortest first; fewer of them if the deadline (of `time.perf_counter`) is near."""
    chosen = list(range(min(len(inputs), FIRST_EXAMPLES)))
    while True:
        found = _Search(inputs[chosen], expected[chosen], deadline, costs).explanations()
        fitting = [f for f in found if (outputs(f.explanation, inputs) == expected).all()]
        if fitting or not found or len(chosen) >= MOST_EXAMPLES or time.perf_counter() > deadline:
            return fitting
        wrong = (outputs(found[0].explanation, inputs) != expected).any(axis=1)
        chosen += np.flatnonzero(wrong)[:2].tolist()


Skeleton: TypeAlias = Union[Mask, "Branching"]
"""A tree whose leaves are the examples that reach them."""


class Branching(NamedTuple):
    condition: Comparison
    then: Skeleton
    orelse: Skeleton


class Structure(NamedTuple):
    """A skeleton for each position."""

    cost: float
    skeletons: tuple[Skeleton, ...]


class _Search:
    """The structures for one task."""

    def __init__(self, inputs: Ints, expected: Ints, deadline: float, costs: Costs) -> None:
        self.inputs, self.expected, self.costs, self.deadline = inputs, expected, costs, deadline
        self.length = inputs.shape[1]
        self.everything: Mask = (1 << len(inputs)) - 1
        self.table = PriceTable(inputs, expected, deadline, costs)
        self.table.compute([(self.everything, p) for p in range(self.length)])
        self.plain = self.table.prices(self.everything, list(range(self.length)))  # (L,)
        copies = (inputs == expected).all(axis=0)
        self.open = np.flatnonzero(~copies).tolist()
        """Positions that change: a condition can only help these."""
        self.kept = float(self.plain[copies].sum())

    def explanations(self) -> list[Found]:
        count = max(FEWEST_STRUCTURES, min(STRUCTURES, STRUCTURES * SHORT // self.length))
        unique: dict[Explanation, None] = {}
        structures: list[Structure] = []
        with suppress(Late):
            structures.extend(self.structures())
        for structure in sorted(structures, key=lambda s: s.cost)[:count]:
            for explanation in self.variants(structure):
                unique.setdefault(explanation)
            if time.perf_counter() > self.deadline and unique:
                break
        found = [Found(float(description(explanation) @ self.costs.weights), explanation) for explanation in unique]
        return sorted(found, key=lambda f: f.length)

    # --- structures ------------------------------------------------------------------------------------------------
    def structures(self) -> Iterator[Structure]:
        """The simplest kinds first. Late if there is no time for more."""
        if (self.plain < NONE).all():
            yield Structure(float(self.plain.sum()), (self.everything,) * self.length)
        if not self.open or time.perf_counter() > self.deadline:
            return
        per_mask = len(self.open) * self.table.values.shape[1] * 2
        work = min(WORK, WORK_PER_SECOND * (self.deadline - time.perf_counter()))
        ways = separations(self.inputs, self.costs.of_conditions, self.deadline)[: max(1, int(work / (2 * per_mask)))]
        self.table.fill([(m, p) for way in ways for m in self.sides(way) for p in self.open])
        self.split = np.array([self.prices_split(way) for way in ways]).reshape(len(ways), len(self.open))  # (W, O)
        yield from self.shared(ways)
        yield from self.moving()
        paired = ways[: min(PAIRED, int((work / (4 * per_mask)) ** 0.5))]
        if len(paired) > 1 and time.perf_counter() < self.deadline:
            yield from self.beside(paired)
            yield from self.nested(paired)

    def sides(self, way: Separation) -> tuple[Mask, Mask]:
        return way.mask, self.everything ^ way.mask

    def prices_split(self, way: Separation) -> Floats:
        """Of explaining each open position by a choice."""
        both = [self.table.prices(mask, self.open) for mask in self.sides(way)]
        return both[0] + both[1] + self.costs.of("choices")

    def by(self, condition: Comparison, within: Mask) -> Branching:
        """The choice by one condition among some of the examples."""
        mask = bits(condition.holds(self.inputs))
        return Branching(condition, mask & within, within & ~mask)

    def assembled(self, cost: float, chosen: Mapping[int, Skeleton]) -> Structure:
        """With the skeletons chosen for open positions; all others are plain."""
        return Structure(cost + self.kept, tuple(chosen.get(p, self.everything) for p in range(self.length)))

    def shared(self, ways: list[Separation]) -> Iterator[Structure]:
        """One condition."""
        plain = self.plain[self.open]
        for way, split in zip(ways, self.split, strict=True):
            better = split < plain
            total = np.minimum(split, plain).sum()
            if better.any() and total < NONE:
                for price, condition in way.conditions[:CONDITIONS]:
                    tree = self.by(condition, self.everything)
                    chosen = {p: tree for p, use in zip(self.open, better, strict=True) if use}
                    yield self.assembled(float(total) + price, chosen)

    def moving(self) -> Iterator[Structure]:
        """A condition on each position's own element, or on it and a neighbour."""
        for template in self.templates():
            if time.perf_counter() > self.deadline:
                raise Late
            trees: dict[int, Branching] = {}
            for p in self.open:
                moved = _moved(template, p)
                if min(moved.elements) >= 0 and max(moved.elements) < self.length:
                    tree = self.by(moved, self.everything)
                    if tree.then and tree.orelse:
                        trees[p] = tree
            if len(trees) < 2:
                continue
            self.table.fill([(mask, p) for p, tree in trees.items() for mask in tree[1:] if isinstance(mask, int)])
            total, chosen = 0.0, {}
            for p in self.open:
                split = self.split_price(trees[p], p) if p in trees else NONE
                if split < self.plain[p]:
                    chosen[p] = trees[p]
                total += min(split, float(self.plain[p]))
            if len(chosen) > 1 and total < NONE:
                yield self.assembled(total + float(template.features() @ self.costs.of_conditions), chosen)

    def split_price(self, tree: Branching, position: int) -> float:
        assert isinstance(tree.then, int)
        assert isinstance(tree.orelse, int)
        prices = self.table.price(tree.then, position) + self.table.price(tree.orelse, position)
        return prices + self.costs.of("choices")

    def templates(self) -> Iterator[Comparison]:
        """Conditions relative to a position: element 0 is its own."""
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
        """Two conditions, each for some positions."""
        plain = self.plain[self.open]
        extra = self.costs.of("more conditions") + self.costs.of("conditions beside each other")
        for a, first in enumerate(ways):
            for b, second in enumerate(ways[:a]):
                one, two = self.split[a], self.split[b]
                total = np.minimum(plain, np.minimum(one, two)).sum()
                by_first, by_second = (one < plain) & (one < two), (two < plain) & (two < one)
                if total >= NONE or not by_first.any() or not by_second.any():
                    continue
                for price_1, condition_1 in first.conditions[:2]:
                    for price_2, condition_2 in second.conditions[:2]:
                        trees = self.by(condition_1, self.everything), self.by(condition_2, self.everything)
                        chosen = {p: trees[0] for p, use in zip(self.open, by_first, strict=True) if use}
                        chosen |= {p: trees[1] for p, use in zip(self.open, by_second, strict=True) if use}
                        yield self.assembled(float(total) + price_1 + price_2 + extra, chosen)

    def nested(self, ways: list[Separation]) -> Iterator[Structure]:
        """A condition inside one side of another."""
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
            shallow = np.minimum(plain, split)
            if time.perf_counter() > self.deadline:
                raise Late
            for side in self.sides(outer):
                for inner in ways:
                    parts = side & inner.mask, side & ~inner.mask
                    if inner is outer or not all(parts):
                        continue
                    deep = prices[self.everything ^ side] + prices[parts[0]] + prices[parts[1]]
                    deep = deep + 2 * self.costs.of("choices")
                    total = np.minimum(shallow, deep).sum()
                    if total < NONE and (deep < shallow).any():
                        yield from self.nestings(
                            float(total) + extra, outer, side, inner, split < plain, deep < shallow
                        )

    def nestings(
        self,
        cost: float,
        outer: Separation,
        side: Mask,
        inner: Separation,
        shallow: NDArray[np.bool_],
        deep: NDArray[np.bool_],
    ) -> Iterator[Structure]:
        for price_1, condition_1 in outer.conditions[:2]:
            for price_2, condition_2 in inner.conditions[:2]:
                simple = self.by(condition_1, self.everything)
                inside = self.by(condition_2, side)
                tree = simple._replace(then=inside) if simple.then == side else simple._replace(orelse=inside)
                chosen: dict[int, Skeleton] = {
                    p: tree if d else simple for p, s, d in zip(self.open, shallow, deep, strict=True) if s or d
                }
                yield self.assembled(cost + price_1 + price_2, chosen)

    # --- explanations ----------------------------------------------------------------------------------------------
    def variants(self, structure: Structure) -> Iterator[Explanation]:
        """With the cheapest sums everywhere, then with what most positions have in common, or with a runner-up in one place."""
        cheapest_one = tuple(self.tree(s, p, None) for p, s in enumerate(structure.skeletons))
        yield cheapest_one
        yield from self.uniform(cheapest_one)
        places = [
            (self.table.price(mask, p, rank) - self.table.price(mask, p), mask, p, rank)
            for p in self.open for skeleton in (structure.skeletons[p],)
            for mask in _leaves(skeleton) for rank in range(1, sums.TOP)
            if self.table.price(mask, p, rank) < NONE
        ]  # fmt: skip
        for _, mask, position, rank in sorted(places)[:VARIANTS]:
            yield tuple(
                self.tree(s, p, (mask, rank) if p == position else None) for p, s in enumerate(structure.skeletons)
            )

    def uniform(self, explanation: Explanation) -> Iterator[Explanation]:
        """The same with the most frequent tree wherever it fits, be it relative to the position or not."""
        for moving in (True, False):
            moved = [shifted(tree, -p if moving else 0) for p, tree in enumerate(explanation)]
            frequent = Counter(moved[p] for p in self.open).most_common(1)
            if frequent and frequent[0][1] > 1:
                tree = frequent[0][0]
                yield tuple(
                    new if self.fits(new := shifted(tree, p if moving else 0), p) else old
                    for p, old in enumerate(explanation)
                )

    def fits(self, tree: Tree, position: int) -> bool:
        """Whether a tree, whose elements may lie outside the list, explains a position."""
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
