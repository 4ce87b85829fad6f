"""Conditionals: two values that are right in different examples, or at different places, and a condition between them.

The search over triples would be hopeless. Instead, each value is described by the set of examples (or elements) in
which it
is right. Two values whose sets cover everything need a condition that is true only where the first is right and false
only where the second is right.
"""

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

WORDS = 8
"""Words in a set of elements, 63 elements each. Longer outputs get no element-wise conditionals."""
MOST_SETS, MOST_CONDITIONS = 300, 3000
TOGETHER, PART = 8, 100_000
"""Values whose pairs are tried, and entries that are looked at, between two looks at the clock."""
IF_NUMBER = NUMBERS["if", (Type.BOOL, Type.INT, Type.INT)]
IF_LIST = NUMBERS["if", (Type.BOOL, Type.LIST, Type.LIST)]
WHERE = np.array(
    [[NUMBERS["where", (Type.MASK, one, other)] for other in (Type.INT, Type.LIST)] for one in (Type.INT, Type.LIST)],
    np.int64,
)
"""[whether the first is a list, whether the second is]"""

Sets = NDArray[np.int64]


@dataclass
class Known:
    """Distinct sets, each with the cheapest entry that has it."""

    most: int
    entries: list[int] = field(default_factory=list)
    sets: list[tuple[int, ...]] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)

    def add(self, entries: NDArray[np.int64], sets: Sets) -> int:
        """Add what is new. Returns how many were known before."""
        before = len(self.entries)
        if before >= self.most or not len(entries):
            return before
        rows = np.ascontiguousarray(sets).view(np.dtype((np.void, sets.itemsize * sets.shape[1]))).ravel()
        firsts = np.sort(np.unique(rows, return_index=True)[1])
        for entry, row in zip(entries[firsts].tolist(), map(tuple, sets[firsts].tolist()), strict=True):
            if len(self.entries) >= self.most:
                break
            if row not in self.seen:
                self.seen.add(row)
                self.entries.append(entry)
                self.sets.append(row)
        return before

    def arrays(self, words: int) -> tuple[NDArray[np.int64], Sets]:
        return np.array(self.entries, np.int64), np.array(self.sets, np.int64).reshape(-1, words)


@dataclass
class Covering:
    """What is known of conditionals for one goal."""

    goal: Goal
    values: Known = field(default_factory=lambda: Known(MOST_SETS))
    conditions: Known = field(default_factory=lambda: Known(MOST_CONDITIONS))
    parts: Known = field(default_factory=lambda: Known(MOST_SETS))
    masks: Known = field(default_factory=lambda: Known(MOST_CONDITIONS))

    def extend(self, bank: Bank, begin: int, end: int, is_over: Callable[[], bool]) -> None:
        """Look at the entries from `begin` to `end`, and report conditionals that fit, while there is time."""
        new = np.arange(begin, end)
        types, right, gaps = bank.type[begin:end], bank.right[begin:end], bank.gaps[begin:end]
        useful = new[(types == self.goal.type) & (right != 0)]
        before = self.values.add(useful, bank.right[useful].reshape(-1, 1))
        flags = new[(types == Type.BOOL) & (gaps == 0)]
        known = self.conditions.add(flags, truths(bank, flags, self.goal.examples).reshape(-1, 1))
        everything = np.array([(1 << self.goal.examples) - 1], np.int64)
        operations = np.full((2, 2), IF_NUMBER if self.goal.type == Type.INT else IF_LIST)
        values, conditions = self.values.arrays(1), self.conditions.arrays(1)
        for i in range(0, len(values[0]), TOGETHER):
            if not is_over():
                cover(bank, self.goal, operations, everything, i, *values, before, *conditions, known)
        elements = len(self.goal.output) - self.goal.examples
        if self.goal.type == Type.LIST and 0 < elements <= 63 * WORDS:
            self._extend_elements(bank, new[(gaps == 0)], elements, is_over)

    def _extend_elements(self, bank: Bank, new: NDArray[np.int64], elements: int, is_over: Callable[[], bool]) -> None:
        before, known = len(self.parts.entries), len(self.masks.entries)
        for i in range(0, len(new), PART):
            some = new[i : i + PART]
            if is_over():
                return
            self.parts.add(*right_elements(bank, self.goal, some[bank.type[some] <= Type.LIST]))
            self.masks.add(*mask_elements(bank, self.goal, some[bank.type[some] == Type.MASK]))
        everything = np.zeros(WORDS, np.int64)
        for i in range(elements):
            everything[i // 63] |= 1 << (i % 63)
        parts, masks = self.parts.arrays(WORDS), self.masks.arrays(WORDS)
        for i in range(0, len(parts[0]), TOGETHER):
            if not is_over():
                cover(bank, self.goal, WHERE, everything, i, *parts, before, *masks, known)


@compiled
def truths(bank: Bank, flags: NDArray[np.int64], examples: int) -> Sets:
    """For each flag the set of examples in which it is true."""
    found = np.zeros(len(flags), np.int64)
    for i in range(len(flags)):
        for e in range(examples):
            found[i] |= np.int64(bank.arena[bank.place[flags[i]] + e]) << e
    return found


@compiled
def right_elements(bank: Bank, goal: Goal, entries: NDArray[np.int64]) -> tuple[NDArray[np.int64], Sets]:
    """Numbers, and lists as long as the output, that are right at some elements: entries and sets. 63 elements a
    word."""
    d, out, k = bank.arena, goal.output, goal.examples
    kept, sets = np.zeros(len(entries), np.int64), np.zeros((len(entries), WORDS), np.int64)
    count = 0
    for entry in entries:
        place, is_list = bank.place[entry], bank.type[entry] == Type.LIST
        fits = bank.type[entry] != Type.BOOL
        some = False
        sets[count, :] = 0
        for e in range(k):
            if not fits or (is_list and d[place + e] != out[e]):
                fits = False
                break
            for i in range(begin_of(out, 0, k, e) - k, out[e]):
                if out[k + i] == (d[place + k + i] if is_list else d[place + e]):
                    sets[count, i // 63] |= 1 << (i % 63)
                    some = True
        if fits and some:
            kept[count] = entry
            count += 1
    return kept[:count], sets[:count]


@compiled
def mask_elements(bank: Bank, goal: Goal, entries: NDArray[np.int64]) -> tuple[NDArray[np.int64], Sets]:
    """Masks as long as the output: entries and the sets of elements at which they are true."""
    d, out, k = bank.arena, goal.output, goal.examples
    kept, sets = np.zeros(len(entries), np.int64), np.zeros((len(entries), WORDS), np.int64)
    count = 0
    for entry in entries:
        place = bank.place[entry]
        fits = True
        for e in range(k):
            fits = fits and d[place + e] == out[e]
        if fits:
            sets[count, :] = 0
            for i in range(out[k - 1]):
                if d[place + k + i]:
                    sets[count, i // 63] |= 1 << (i % 63)
            kept[count] = entry
            count += 1
    return kept[:count], sets[:count]


@compiled
def cover(
    bank: Bank, goal: Goal, operations: NDArray[np.int64], everything: Sets, begin: int,
    values: NDArray[np.int64], sets: Sets, old_values: int, conditions: NDArray[np.int64], truth: Sets, old: int,
) -> None:  # fmt: skip
    """Report pairs of values with a condition between them, for some first values from `begin` on.

    Pairs and conditions that were both known are passed over.
    """
    words = len(everything)
    for i in range(begin, min(begin + TOGETHER, len(values))):
        for j in range(len(values)):
            if i == j:
                continue
            covers = True
            for w in range(words):
                covers = covers and (sets[i, w] | sets[j, w]) == everything[w]
            if not covers:
                continue
            for c in range(old if max(i, j) < old_values else 0, len(conditions)):
                separates = True
                for w in range(words):
                    t = truth[c, w]
                    separates = separates and (t & ~sets[i, w]) == 0 and (everything[w] & ~t & ~sets[j, w]) == 0
                if separates:
                    a, b = values[i], values[j]
                    one, other = int(bank.type[a] == Type.LIST), int(bank.type[b] == Type.LIST)
                    operation = operations[one, other]
                    cost = bank.cost[a] + bank.cost[b] + bank.cost[conditions[c]] + goal.costs[operation]
                    hit(bank, operation, conditions[c], a, b, cost)
                    break  # later conditions cost more
