"""Other explanations of the same examples, found even where a simple formula fits already.

The search prefers a plain sum to a choice wherever the sum is cheaper. Few examples often fit a plain sum by chance. So
this module also tries choices where only one side is simpler than the plain sum, and sums of one style at all
positions: elements that are moved, elements plus a constant, constants; and constants for pieces of a piecewise
function that one element shows. The alternatives show what the examples leave open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.symbolic.conditions import SHORT, Comparison, Separation
from lasynth.domains.restricted_c.symbolic.explanations import Choice, Explanation, Tree
from lasynth.domains.restricted_c.symbolic.pieces import FLAT_FIRST
from lasynth.domains.restricted_c.symbolic.prices import Mask, has_passed
from lasynth.domains.restricted_c.symbolic.sums import NONE, Sum

if TYPE_CHECKING:
    from lasynth.domains.restricted_c.symbolic.search import Skeleton, _Search

Style = Literal["moves", "offsets", "constants"]
STYLES: tuple[Style, ...] = ("moves", "offsets", "constants")
PER_KIND = 6
"""Most structures for each kind of condition. Lists longer than SHORT get fewer."""


def alternatives(search: _Search) -> Iterator[Explanation]:
    """Explanations that the search leaves out because a cheaper one fits. Stops at the deadline of the search."""
    yield from search.alike(FLAT_FIRST)
    length = search.length
    skeletons: list[list[Skeleton]] = []
    if (search.plain < NONE).all():
        skeletons.append([search.everything] * length)
    skeletons += [[choices.get(p, search.everything) for p in range(length)] for choices in _forced(search)]
    for rows in skeletons:
        if has_passed(search.deadline):
            return
        if rows[0] != search.everything or len(set(rows)) > 1:
            yield tuple(search.tree(skeleton, p, None) for p, skeleton in enumerate(rows))
        for style in STYLES:
            yield tuple(_Styled(search, style).trees(rows))


def _forced(search: _Search) -> Iterator[dict[int, Skeleton]]:
    """Choices wherever one side is simpler than the plain sum: the cheapest ones for each kind of condition."""
    kinds: dict[tuple[str, int], list[tuple[float, Comparison, NDArray[np.bool_]]]] = {}
    plain = search.plain[search.open]
    for way in search.ways:
        sides = [search.table.prices(mask, search.open) for mask in search.sides(way)]
        chosen = (np.maximum(*sides) < NONE) & (np.minimum(*sides) < plain)
        if not chosen.any() or (~chosen & (plain >= NONE)).any() or _is_idle(search, way, chosen):
            continue
        cost = float(np.where(chosen, sides[0] + sides[1], plain).sum())
        seen = set()
        for price, condition in way.conditions:  # the cheapest comes first
            kind = condition.relation, len(condition.left.terms)
            if kind not in seen:
                seen.add(kind)
                kinds.setdefault(kind, []).append((cost + price, condition, chosen))
    count = max(1, min(PER_KIND, PER_KIND * SHORT // search.length))
    for members in kinds.values():
        for _, condition, chosen in sorted(members, key=lambda member: member[0])[:count]:
            yield search.at_open(search.by(condition, search.everything), chosen)


def _is_idle(search: _Search, way: Separation, chosen: NDArray[np.bool_]) -> bool:
    """Whether both sides have the same sum at every chosen position."""
    then, orelse = search.sides(way)
    places = [p for p, use in zip(search.open, chosen.tolist(), strict=True) if use]
    return all(search.table.sum_at(then, p) == search.table.sum_at(orelse, p) for p in places)


class _Styled:
    """Trees whose sums have one style wherever such a sum fits."""

    def __init__(self, search: _Search, style: Style) -> None:
        self.search, self.style = search, style
        self.kept = set(range(search.length)) - set(search.open)
        self.used: dict[Mask, set[int]] = {}
        """Elements that other positions got, for each side of a choice."""

    def trees(self, skeletons: list[Skeleton]) -> Iterator[Tree]:
        for p, skeleton in enumerate(skeletons):
            yield self.tree(skeleton, p)

    def tree(self, skeleton: Skeleton, position: int) -> Tree:
        if isinstance(skeleton, int):
            found = None if position in self.kept else self.leaf(skeleton, position)
            return self.search.table.sum_at(skeleton, position) if found is None else found
        then, orelse = (self.tree(branch, position) for branch in (skeleton.then, skeleton.orelse))
        return Choice(skeleton.condition, then, orelse)

    def leaf(self, mask: Mask, position: int) -> Sum | None:
        """A sum of this style that fits these examples, if there is one."""
        rows = [k for k in range(len(self.search.inputs)) if mask >> k & 1]
        inputs, wanted = self.search.inputs[rows], self.search.expected[rows, position]
        if self.style == "moves":
            return self.moved((inputs == wanted[:, None]).all(axis=0), mask, position)
        rest = wanted - inputs[:, position] if self.style == "offsets" else wanted
        if (rest != rest[0]).any():
            return None
        return Sum(((position, 1),) if self.style == "offsets" else (), int(rest[0]))

    def moved(self, fitting: NDArray[np.bool_], mask: Mask, position: int) -> Sum | None:
        """The position's own element; else one that no other position got, the nearest. `fitting` is (L,)."""
        used = self.used.setdefault(mask, set(self.kept))
        elements = np.flatnonzero(fitting).tolist()
        if not elements:
            return None
        element = min(elements, key=lambda e: (e != position, e in used, abs(e - position)))
        used.add(element)
        return Sum(((element, 1),))
