"""The inner loop of the search: apply one operation to all combinations of known values, and keep what is new.

Each new value is compared with the output. It is also subtracted from the output, in several senses: what must be
concatenated, prepended or added to give the output is looked up among known values, and remembered as wanted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution.kernels import begin_of, evaluate
from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Type
from lasynth.domains.lists.language.operations import NUMBERS
from lasynth.domains.lists.symbolic.bank import ARENA_END, ENTRIES, HITS, MOST_HITS, TRIED, WANTED, Bank, digest, find
from lasynth.jit import compiled

I, L = Type.INT, Type.LIST  # noqa: E741
CONCAT, CONS, APPEND = NUMBERS["concat", (L, L)], NUMBERS["cons", (I, L)], NUMBERS["append", (L, I)]
INTERLEAVE = NUMBERS["interleave", (L, L)]
ADD_LISTS, SUB_LISTS = NUMBERS["add", (L, L)], NUMBERS["sub", (L, L)]
ADD_TO_ALL, MUL_ALL = NUMBERS["add", (L, I)], NUMBERS["mul", (L, I)]
ADD, SUB, MUL = NUMBERS["add", (I, I)], NUMBERS["sub", (I, I)], NUMBERS["mul", (I, I)]
SWAPPED = 1 << 14
"""Added to the number of an operation if its first argument is the wanted value, not the known one."""
RESIDUALS = 300_000
"""Residual goals are computed for this many first entries."""


class Goal(NamedTuple):
    """What does not change during a search."""

    output: NDArray[np.int32]
    """The wanted output, laid out as a value in the arena."""
    type: int
    key: NDArray[np.uint64]
    """(2,) its hash."""
    examples: int
    tolerated: int
    """Examples in which a value may be undefined."""
    longest: int
    """Most elements of a list in one example."""
    room: int
    """Cells that must be free before an operation is computed."""
    costs: NDArray[np.int64]
    """Cost of each operation, by its number."""


@compiled
def right_in(bank: Bank, goal: Goal, place: int, type_: int, gaps: int) -> int:
    """The set of examples in which a value is the output."""
    found = 0
    d, out = bank.arena, goal.output
    for e in range(goal.examples):
        if (gaps >> e) & 1 or type_ != goal.type:
            continue
        if type_ == Type.INT:
            same = d[place + e] == out[e]
        else:
            a, b = begin_of(d, place, goal.examples, e), begin_of(out, 0, goal.examples, e)
            n = place + goal.examples + d[place + e] - a
            same = n == goal.examples + out[e] - b
            i = 0
            while same and i < n:
                same = d[a + i] == out[b + i]
                i += 1
        if same:
            found |= 1 << e
    return found


@compiled
def hit(bank: Bank, operation: int, a: int, b: int, c: int, cost: int) -> None:
    """Store a program that fits. If the table is full, it replaces the most expensive one, unless it costs as much."""
    at = bank.counts[HITS]
    if at == MOST_HITS:
        at = bank.hits[:, 4].argmax()
        if bank.hits[at, 4] <= cost:
            return
    else:
        bank.counts[HITS] += 1
    bank.hits[at, 0], bank.hits[at, 1], bank.hits[at, 2], bank.hits[at, 3], bank.hits[at, 4] = operation, a, b, c, cost


@compiled
def complete(bank: Bank, goal: Goal, operation: int, known: int, wanted: int) -> None:
    """A known value and the wanted one make a program that fits."""
    plain = operation & (SWAPPED - 1)
    a, b = (wanted, known) if operation & SWAPPED else (known, wanted)
    hit(bank, plain, a, b, -1, bank.cost[known] + bank.cost[wanted] + goal.costs[plain])


@compiled
def want(bank: Bank, goal: Goal, operation: int, known: int, end: int, type_: int) -> None:
    """The value at the end of the arena completes a known value to the output: look it up, else mark it as wanted."""
    if end < 0:
        return
    one, other = digest(bank.arena, bank.counts[ARENA_END], end, type_, 0)
    slot = find(bank.keys, one, other)
    if bank.keys[slot, 0] == one and bank.keys[slot, 1] == other:
        complete(bank, goal, operation, known, bank.slots[slot])
        return
    slot = find(bank.wanted_keys, one, other)
    if bank.wanted_keys[slot, 0] == one and bank.wanted_keys[slot, 1] == other:
        return  # for a cheaper value
    bank.wanted_keys[slot, 0], bank.wanted_keys[slot, 1] = one, other
    bank.wanted[slot, 0], bank.wanted[slot, 1] = operation, known
    bank.counts[WANTED] += 1


@compiled
def remaining(bank: Bank, goal: Goal, place: int, type_: int, at_end: bool) -> Any:
    """Cut a list or number off the beginning or end of the output, and write the rest. Returns its end, or -1.

    A list that is empty in all examples leaves everything, which is of no use.
    """
    d, out, k = bank.arena, goal.output, goal.examples
    o = bank.counts[ARENA_END]
    end = o + k
    some = False
    for e in range(k):
        b, b_end = begin_of(out, 0, k, e), k + out[e]
        a, n = place + e, 1
        if type_ == Type.LIST:
            a = begin_of(d, place, k, e)
            n = place + k + d[place + e] - a
        some = some or n > 0
        if n > b_end - b:
            return -1
        begin = b_end - n if at_end else b
        for i in range(n):
            if d[a + i] != out[begin + i]:
                return -1
        for i in range(b_end - b - n):
            d[end] = out[(b if at_end else b + n) + i]
            end += 1
        d[o + e] = end - o - k
    return end if some else -1


@compiled
def difference(bank: Bank, goal: Goal, place: int, type_: int, of_value: int, of_goal: int) -> Any:
    """Write `of_goal * output + of_value * value`, element by element; the end, or -1 if lengths differ or one
    overflows."""
    d, out, k = bank.arena, goal.output, goal.examples
    o = bank.counts[ARENA_END]
    if goal.type == Type.INT:
        for e in range(k):
            r = of_goal * np.int64(out[e]) + of_value * np.int64(d[place + e])
            if r > INT_MAX or r < INT_MIN:
                return -1
            d[o + e] = r
        return o + k
    for e in range(k):
        if type_ == Type.LIST and d[place + e] != out[e]:
            return -1
        b, b_end = begin_of(out, 0, k, e), k + out[e]
        for i in range(b, b_end):
            r = of_goal * np.int64(out[i]) + of_value * np.int64(d[place + i] if type_ == Type.LIST else d[place + e])
            if r > INT_MAX or r < INT_MIN:
                return -1
            d[o + i] = r
        d[o + e] = out[e]
    return o + len(out)


@compiled
def quotient(bank: Bank, goal: Goal, place: int) -> Any:
    """Write the output divided by a number; the end, or -1 if there is a remainder."""
    d, out, k = bank.arena, goal.output, goal.examples
    o = bank.counts[ARENA_END]
    for e in range(k):
        x = d[place + e]
        if x == 0 or x == -1:
            return -1
        begin = e if goal.type == Type.INT else begin_of(out, 0, k, e)
        end = e + 1 if goal.type == Type.INT else k + out[e]
        for i in range(begin, end):
            if out[i] % x:
                return -1
            d[o + i] = out[i] // x
        if goal.type == Type.LIST:
            d[o + e] = out[e]
    return o + len(out)


@compiled
def other_half(bank: Bank, goal: Goal, place: int) -> Any:
    """Write the elements at odd places of the output if those at even places are a list; the end, or -1."""
    d, out, k = bank.arena, goal.output, goal.examples
    o = bank.counts[ARENA_END]
    end = o + k
    for e in range(k):
        b, b_end = begin_of(out, 0, k, e), k + out[e]
        a = begin_of(d, place, k, e)
        if 2 * (place + k + d[place + e] - a) != b_end - b:
            return -1
        for i in range((b_end - b) // 2):
            if d[a + i] != out[b + 2 * i]:
                return -1
            d[end] = out[b + 2 * i + 1]
            end += 1
        d[o + e] = end - o - k
    return end


@compiled
def residuals(bank: Bank, goal: Goal, new: int) -> None:
    """What would complete a new value to the output."""
    place, type_ = bank.place[new], bank.type[new]
    if goal.type == Type.LIST and type_ == Type.LIST:
        want(bank, goal, CONCAT, new, remaining(bank, goal, place, type_, False), L)
        want(bank, goal, CONCAT | SWAPPED, new, remaining(bank, goal, place, type_, True), L)
        want(bank, goal, INTERLEAVE, new, other_half(bank, goal, place), L)
        want(bank, goal, ADD_LISTS, new, difference(bank, goal, place, type_, -1, 1), L)
        want(bank, goal, SUB_LISTS, new, difference(bank, goal, place, type_, 1, -1), L)
        want(bank, goal, SUB_LISTS | SWAPPED, new, difference(bank, goal, place, type_, 1, 1), L)
    elif goal.type == Type.LIST and type_ == Type.INT:
        want(bank, goal, CONS, new, remaining(bank, goal, place, type_, False), L)
        want(bank, goal, APPEND | SWAPPED, new, remaining(bank, goal, place, type_, True), L)
        want(bank, goal, ADD_TO_ALL | SWAPPED, new, difference(bank, goal, place, type_, -1, 1), L)
        want(bank, goal, MUL_ALL | SWAPPED, new, quotient(bank, goal, place), L)
    elif goal.type == Type.INT and type_ == Type.INT:
        want(bank, goal, ADD, new, difference(bank, goal, place, type_, -1, 1), I)
        want(bank, goal, SUB, new, difference(bank, goal, place, type_, 1, -1), I)
        want(bank, goal, SUB | SWAPPED, new, difference(bank, goal, place, type_, 1, 1), I)
        want(bank, goal, MUL, new, quotient(bank, goal, place), I)


@compiled
def settle(
    bank: Bank, goal: Goal, end: int, gaps: int, type_: int, operation: int, a: int, b: int, c: int, cost: int
) -> Any:
    """Keep the value at the end of the arena if it is new: its entry, or -1. A leaf that depends on no input has b =
    1."""
    o = bank.counts[ARENA_END]
    one, other = digest(bank.arena, o, end, type_, gaps)
    is_output = one == goal.key[0] and other == goal.key[1]
    if is_output:
        hit(bank, operation, a, b, c, cost)
    slot = find(bank.keys, one, other)
    if bank.keys[slot, 0] == one and bank.keys[slot, 1] == other:
        return -1
    new = bank.counts[ENTRIES]
    bank.keys[slot, 0], bank.keys[slot, 1], bank.slots[slot] = one, other, new
    bank.operation[new], bank.cost[new], bank.type[new], bank.place[new] = operation, cost, type_, o
    bank.fixed[new] = int(operation < 0 and b == 1)
    bank.arguments[new, 0], bank.arguments[new, 1], bank.arguments[new, 2] = a, b, c
    bank.gaps[new], bank.right[new] = gaps, right_in(bank, goal, o, type_, gaps)
    bank.counts[ENTRIES] += 1
    bank.counts[ARENA_END] = end
    if gaps == 0:
        slot = find(bank.wanted_keys, one, other)
        if bank.wanted_keys[slot, 0] == one and bank.wanted_keys[slot, 1] == other:
            complete(bank, goal, bank.wanted[slot, 0], bank.wanted[slot, 1], new)
        if not is_output and new < RESIDUALS:
            residuals(bank, goal, new)
    return new


@compiled
def combine(
    bank: Bank, goal: Goal, operation: int, op: int, types: NDArray[np.int64], commutes: bool, cost: int,
    first: NDArray[np.int32], second: NDArray[np.int32], third: NDArray[np.int32], position: int, budget: int,
) -> int:  # fmt: skip
    """Apply an operation to combinations of entries, from a position on; where to go on, or the number of combinations.

    Stops after `budget` combinations, or when the bank has no room. Arguments that do not exist are the entry -1.
    """
    values, gaps = np.zeros(3, np.int64), np.zeros(3, np.int64)
    total = len(first) * len(second) * len(third)
    stop = min(total, position + budget)
    full = len(bank.arena) - goal.room
    while position < stop and bank.counts[ARENA_END] < full:
        rest, k = divmod(position, len(third))
        i, j = divmod(rest, len(second))
        a, b, c = first[i], second[j], third[k]
        position += 1
        if commutes and a > b:
            continue
        if bank.fixed[a] and (b < 0 or bank.fixed[b]) and (c < 0 or bank.fixed[c]):
            continue  # constants are leaves
        values[0], gaps[0] = bank.place[a], bank.gaps[a]
        if b >= 0:
            values[1], gaps[1] = bank.place[b], bank.gaps[b]
        if c >= 0:
            values[2], gaps[2] = bank.place[c], bank.gaps[c]
        bank.counts[TRIED] += 1
        end, undefined = evaluate(
            op, types, values, gaps, goal.tolerated, bank.arena, bank.counts[ARENA_END], goal.examples, goal.longest
        )
        if end >= 0:
            settle(bank, goal, end, undefined, types[0], operation, a, b, c, cost)
    return position
