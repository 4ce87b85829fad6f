"""Each mask tried as a filter of each list that holds the output: what enumeration would reach much later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution.kernels import begin_of
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.language.operations import NUMBERS
from lasynth.domains.lists.symbolic.bank import Bank
from lasynth.domains.lists.symbolic.combine import Goal, hit
from lasynth.jit import compiled

FILTER = NUMBERS["filter", (Type.LIST, Type.MASK)]
REJECT = NUMBERS["reject", (Type.LIST, Type.MASK)]
AND = NUMBERS["and", (Type.MASK, Type.MASK)]
PART, MANY = 2000, 100_000
"""Masks that are tried, and lists that are looked at, between two looks at the clock."""
MOST_PAIRED = 300
"""Masks that are tried two at a time."""
MOST_LISTS, MOST_MASKS = 200, 200_000


@dataclass
class Filtering:
    """Lists that hold the output in order, and masks, for one goal."""

    goal: Goal
    lists: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    masks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    wide: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Masks that keep the output, and other elements too, of the first list that holds it."""
    pairs: list[tuple[int, int, int]] = field(default_factory=list)
    """Lists with two masks that give the output together."""

    def extend(self, bank: Bank, begin: int, end: int, is_over: Callable[[], bool]) -> None:
        """Look at the entries from `begin` to `end`, and report filters that give the output, while there is time."""
        if self.goal.type != Type.LIST:
            return
        new = np.arange(begin, end)
        new = new[bank.gaps[begin:end] == 0]
        lists = self._holding(bank, new[bank.type[new] == Type.LIST], is_over)
        masks = new[bank.type[new] == Type.MASK][: MOST_MASKS - len(self.masks)]
        for some in self._parts(masks):
            if not is_over():
                try_filters(bank, self.goal, self.lists, some)
        self.masks = np.concatenate([self.masks, masks])
        for some in self._parts(self.masks):
            if not is_over():
                try_filters(bank, self.goal, lists, some)
        self.lists = np.concatenate([self.lists, lists])
        if len(self.lists):
            self._try_pairs(bank, int(self.lists[0]), masks)

    def _holding(self, bank: Bank, lists: NDArray[np.int64], is_over: Callable[[], bool]) -> NDArray[np.int64]:
        """The first new lists that hold the output."""
        found = lists[:0]
        for i in range(0, len(lists), MANY):
            if is_over() or len(found) + len(self.lists) >= MOST_LISTS:
                break
            found = np.concatenate([found, holding(bank, self.goal, lists[i : i + MANY])])
        return found[: MOST_LISTS - len(self.lists)]

    def _parts(self, masks: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """The masks in parts. The search looks at the clock between two parts."""
        return [masks[i : i + PART] for i in range(0, len(masks), PART)]

    def _try_pairs(self, bank: Bank, entry: int, masks: NDArray[np.int64]) -> None:
        """Two masks, each of which keeps too much, as a filter of the first list that holds the output."""
        before = len(self.wide)
        new = keeping(bank, self.goal, bank.place[entry], masks)[: MOST_PAIRED - before]
        self.wide = np.concatenate([self.wide, new])
        one, other = try_pairs(bank, self.goal, bank.place[entry], self.wide, before)
        self.pairs += [(entry, a, b) for a, b in zip(one.tolist(), other.tolist(), strict=True)]


@compiled
def holding(bank: Bank, goal: Goal, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lists of which the output is a part, in the same order, in all examples."""
    d, out, k = bank.arena, goal.output, goal.examples
    kept = np.zeros(len(entries), np.int64)
    count = 0
    for entry in entries:
        place = bank.place[entry]
        holds = True
        for e in range(k):
            b, b_end = begin_of(out, 0, k, e), k + out[e]
            for i in range(begin_of(d, place, k, e), place + k + d[place + e]):
                if b < b_end and d[i] == out[b]:
                    b += 1
            if b < b_end:
                holds = False
                break
        if holds:
            kept[count] = entry
            count += 1
    return kept[:count]


@compiled
def keeping(bank: Bank, goal: Goal, place: int, masks: NDArray[np.int64]) -> NDArray[np.int64]:
    """The masks as long as a list that, as a filter, leave a list that holds the output."""
    d, out, k = bank.arena, goal.output, goal.examples
    kept = np.zeros(len(masks), np.int64)
    count = 0
    for mask in masks:
        m = bank.place[mask]
        holds = True
        for e in range(k):
            b, b_end = begin_of(out, 0, k, e), k + out[e]
            if d[m + e] != d[place + e]:
                holds = False
                break
            a = begin_of(d, place, k, e)
            for i in range(a, place + k + d[place + e]):
                if b < b_end and d[m + i - place] and d[i] == out[b]:
                    b += 1
            if b < b_end:
                holds = False
                break
        if holds:
            kept[count] = mask
            count += 1
    return kept[:count]


@compiled
def try_pairs(
    bank: Bank, goal: Goal, place: int, masks: NDArray[np.int64], old: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of masks of which one is new that give the output together; at most 16."""
    d, out, k = bank.arena, goal.output, goal.examples
    ones, others = np.zeros(16, np.int64), np.zeros(16, np.int64)
    count = 0
    for j in range(old, len(masks)):
        for i in range(j):
            m, n = bank.place[masks[i]], bank.place[masks[j]]
            fits = True
            for e in range(k):
                b, b_end = begin_of(out, 0, k, e), k + out[e]
                for x in range(begin_of(d, place, k, e) - place, k + d[place + e]):
                    if d[m + x] and d[n + x]:
                        if b == b_end or d[place + x] != out[b]:
                            fits = False
                            break
                        b += 1
                if not fits or b < b_end:
                    fits = False
                    break
            if fits and count < 16:
                ones[count], others[count] = masks[i], masks[j]
                count += 1
    return ones[:count], others[:count]


@compiled
def try_filters(bank: Bank, goal: Goal, lists: NDArray[np.int64], masks: NDArray[np.int64]) -> None:
    for mask in masks:
        for entry in lists:
            for wanted in range(2):
                if gives(bank, goal, bank.place[entry], bank.place[mask], wanted):
                    operation = FILTER if wanted else REJECT
                    hit(bank, operation, entry, mask, -1, bank.cost[entry] + bank.cost[mask] + goal.costs[operation])


@compiled
def gives(bank: Bank, goal: Goal, place: int, mask: int, wanted: int) -> bool:
    """Whether the elements of a list where a mask has a value are the output."""
    d, out, k = bank.arena, goal.output, goal.examples
    for e in range(k):
        a, m, b = begin_of(d, place, k, e), begin_of(d, mask, k, e), begin_of(out, 0, k, e)
        b_end = k + out[e]
        for i in range(min(place + k + d[place + e] - a, mask + k + d[mask + e] - m)):
            if d[m + i] == wanted:
                if b == b_end or d[a + i] != out[b]:
                    return False
                b += 1
        if b < b_end:
            return False
    return True
