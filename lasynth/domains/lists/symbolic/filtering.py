"""Each mask tried as a filter of each list that holds the output: what enumeration would reach much later."""

from __future__ import annotations

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
MOST_LISTS, MOST_MASKS = 200, 200_000


@dataclass
class Filtering:
    """Lists that hold the output in order, and masks, for one goal."""

    goal: Goal
    lists: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    masks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def extend(self, bank: Bank, begin: int, end: int) -> None:
        """Look at the entries from `begin` to `end`, and report filters that give the output."""
        if self.goal.type != Type.LIST:
            return
        new = np.arange(begin, end)
        new = new[bank.gaps[begin:end] == 0]
        lists = holding(bank, self.goal, new[bank.type[new] == Type.LIST])[: MOST_LISTS - len(self.lists)]
        masks = new[bank.type[new] == Type.MASK][: MOST_MASKS - len(self.masks)]
        try_filters(bank, self.goal, self.lists, masks)
        self.masks = np.concatenate([self.masks, masks])
        try_filters(bank, self.goal, lists, self.masks)
        self.lists = np.concatenate([self.lists, lists])


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
