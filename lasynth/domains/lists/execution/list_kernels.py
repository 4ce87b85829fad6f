"""Operations on one list or two in one example, as machine code. Elements are cells of the arena; see kernels.py.

A function writes its list at cell `o` and returns where it ends, or FAULT, or TOO_LONG.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN
from lasynth.domains.lists.language.operations import Op
from lasynth.jit import compiled

Arena = NDArray[np.int32]
FAULT = 1 << 40
"""Stands for the result of an operation that has none."""
TOO_LONG = -2
"""Stands for the end of a list that does not fit into the room that is left."""


@compiled
def to_number(op: int, d: Arena, a: int, a_end: int, k: int) -> Any:
    """An operation that gives one number for the list or mask in `d[a:a_end]`, or FAULT."""
    n = a_end - a
    if op == Op.LENGTH:
        return n
    if op == Op.SUM or op == Op.COUNT:
        r = 0
        for i in range(a, a_end):
            r += d[i]
            if r > INT_MAX or r < INT_MIN:
                return FAULT
        return r
    if op == Op.PRODUCT:
        r = 1
        for i in range(a, a_end):
            r *= d[i]
            if r > INT_MAX or r < INT_MIN:
                return FAULT
        return r
    if op == Op.ANY:
        for i in range(a, a_end):
            if d[i]:
                return 1
        return 0
    if op == Op.ALL:
        for i in range(a, a_end):
            if not d[i]:
                return 0
        return 1
    if op == Op.POSITION:
        for i in range(a, a_end):
            if d[i]:
                return i - a
        return FAULT
    if op == Op.LAST_POSITION:
        for i in range(n):
            if d[a_end - 1 - i]:
                return n - 1 - i
        return FAULT
    if op == Op.NTH:
        return np.int64(d[a + k]) if 0 <= k < n else FAULT
    if n == 0:
        return FAULT
    if op == Op.FIRST:
        return np.int64(d[a])
    if op == Op.LAST:
        return np.int64(d[a_end - 1])
    if op == Op.COMMON:
        most, found = 0, 0
        for i in range(a, a_end):
            count = 0
            for j in range(a, a_end):
                count += int(d[j] == d[i])
            if count > most:
                most, found = count, i
        return np.int64(d[found])
    best = a
    upwards = op == Op.MAXIMUM or op == Op.ARGMAX
    for i in range(a + 1, a_end):
        if (upwards and d[i] > d[best]) or (not upwards and d[i] < d[best]):
            best = i
    if op == Op.ARGMAX or op == Op.ARGMIN:
        return best - a
    return np.int64(d[best])


@compiled
def sort_cells(d: Arena, begin: int, end: int, sign: int) -> None:
    """Sort in place, upwards for sign 1, downwards for -1: by insertion over steps that become smaller."""
    step = 1
    while 3 * step < end - begin:
        step = 3 * step + 1
    while step > 0:
        for i in range(begin + step, end):
            x = d[i]
            j = i - step
            while j >= begin and (d[j] > x if sign == 1 else d[j] < x):
                d[j + step] = d[j]
                j -= step
            d[j + step] = x
        step //= 3


@compiled
def rearranged(op: int, d: Arena, a: int, a_end: int, o: int) -> int:
    """Operations from one list or mask to a list or mask not longer than it. Write at `o`; the end, or FAULT."""
    n = a_end - a
    if op == Op.REVERSE:
        for i in range(n):
            d[o + i] = d[a_end - 1 - i]
    elif op == Op.SORT or op == Op.SORT_DOWN:
        for i in range(n):
            d[o + i] = d[a + i]
        sort_cells(d, o, o + n, 1 if op == Op.SORT else -1)
    elif op == Op.TAIL:
        for i in range(1, n):
            d[o + i - 1] = d[a + i]
        return o + max(n - 1, 0)
    elif op == Op.INIT:
        for i in range(n - 1):
            d[o + i] = d[a + i]
        return o + max(n - 1, 0)
    elif op == Op.INDICES or op == Op.ORDINALS:
        first = int(op == Op.ORDINALS)
        for i in range(n):
            d[o + i] = i + first
    elif op == Op.RUNNING_SUM or op == Op.RUNNING_PRODUCT:
        r = 0 if op == Op.RUNNING_SUM else 1
        for i in range(n):
            r = r + d[a + i] if op == Op.RUNNING_SUM else r * d[a + i]
            if r > INT_MAX or r < INT_MIN:
                return FAULT
            d[o + i] = r
    elif op == Op.RUNNING_MAX or op == Op.RUNNING_MIN:
        for i in range(n):
            x = d[a + i]
            if i and op == Op.RUNNING_MAX:
                x = max(x, d[o + i - 1])
            elif i:
                x = min(x, d[o + i - 1])
            d[o + i] = x
    elif op == Op.OCCURRENCES:
        for i in range(n):
            count = 0
            for j in range(a, a_end):
                count += int(d[j] == d[a + i])
            d[o + i] = count
    elif op == Op.UNIQUE or op == Op.IS_FIRST:
        end = o
        for i in range(a, a_end):
            new = 1
            for j in range(a, i):
                if d[j] == d[i]:
                    new = 0
                    break
            if op == Op.IS_FIRST:
                d[end] = new
                end += 1
            elif new:
                d[end] = d[i]
                end += 1
        return end
    elif op == Op.SQUEEZE:
        end = o
        for i in range(a, a_end):
            if i == a or d[i - 1] != d[i]:
                d[end] = d[i]
                end += 1
        return end
    else:  # POSITIONS
        end = o
        for i in range(n):
            if d[a + i]:
                d[end] = i
                end += 1
        return end
    return o + n


@compiled
def filled(op: int, d: Arena, x: int, y: int, o: int, room: int) -> int:
    """Operations from numbers to a list. Write at `o`; the end, FAULT or TOO_LONG."""
    if op == Op.SINGLE:
        d[o] = x
        return o + 1
    if op == Op.DIGITS:
        x = abs(x)
        count, rest = 1, x // 10
        while rest:
            count += 1
            rest //= 10
        for i in range(count):
            d[o + count - 1 - i] = x % 10
            x //= 10
        return o + count
    low, high = 0, x
    if op == Op.BETWEEN:
        low, high = x, y + 1
    elif op == Op.FILL:
        high = y
    if high - low > room:
        return TOO_LONG
    for i in range(low, high):
        d[o + i - low] = x if op == Op.FILL else i
    return o + max(high - low, 0)


@compiled
def copied(d: Arena, begin: int, end: int, o: int) -> int:
    for i in range(begin, end):
        d[o] = d[i]
        o += 1
    return o


@compiled
def shaped(op: int, d: Arena, a: int, a_end: int, x: int, y: int, o: int, room: int) -> int:
    """Operations from a list and one or two numbers to a list. Write at `o`; the end, FAULT or TOO_LONG."""
    n = a_end - a
    cut = min(max(x, 0), n)
    if op == Op.TAKE:
        return copied(d, a, a + cut, o)
    if op == Op.DROP:
        return copied(d, a + cut, a_end, o)
    if op == Op.TAKE_LAST:
        return copied(d, a_end - cut, a_end, o)
    if op == Op.DROP_LAST:
        return copied(d, a, a_end - cut, o)
    if op == Op.SLICE:
        return copied(d, a + cut, max(a + cut, a + min(max(y, 0), n)), o)
    if op == Op.APPEND:
        o = copied(d, a, a_end, o)
        d[o] = x
        return o + 1
    if op == Op.CONS:
        d[o] = x
        return copied(d, a, a_end, o + 1)
    if op == Op.ROTATE:
        place = x % n if n else 0
        return copied(d, a, a + place, copied(d, a + place, a_end, o))
    if op == Op.REPEAT or op == Op.STRETCH:
        if n * max(x, 0) > room:
            return TOO_LONG
        if n == 0:
            return o
        if op == Op.REPEAT:
            for _ in range(x):
                o = copied(d, a, a_end, o)
            return o
        for i in range(a, a_end):
            for _ in range(x):
                d[o] = d[i]
                o += 1
        return o
    if op == Op.EVERY:
        if x <= 0:
            return FAULT
        for i in range(0, n, x):
            d[o] = d[a + i]
            o += 1
        return o
    if op == Op.INSERT:
        if not 0 <= x <= n:
            return FAULT
        o = copied(d, a, a + x, o)
        d[o] = y
        return copied(d, a + x, a_end, o + 1)
    if not 0 <= x < n:
        return FAULT
    if op == Op.DELETE:
        return copied(d, a + x + 1, a_end, copied(d, a, a + x, o))
    if op == Op.SWAP and not 0 <= y < n:
        return FAULT
    end = copied(d, a, a_end, o)
    if op == Op.REPLACE:
        d[o + x] = y
    else:  # SWAP
        d[o + x], d[o + y] = d[a + y], d[a + x]
    return end


@compiled
def joined(op: int, d: Arena, a: int, a_end: int, b: int, b_end: int, o: int) -> int:
    """Operations on two lists, or a list and a mask, that give a list or a mask. Write at `o`; the end, or FAULT."""
    n, m = a_end - a, b_end - b
    shorter = min(n, m)
    if op == Op.CONCAT:
        return copied(d, b, b_end, copied(d, a, a_end, o))
    if op == Op.FILTER or op == Op.REJECT:
        wanted = int(op == Op.FILTER)
        for i in range(shorter):
            if d[b + i] == wanted:
                d[o] = d[a + i]
                o += 1
        return o
    if op == Op.TAKE_WHILE or op == Op.DROP_WHILE:
        i = 0
        while i < shorter and d[b + i]:
            i += 1
        if op == Op.TAKE_WHILE:
            return copied(d, a, a + i, o)
        return copied(d, a + i, a + shorter, o)
    if op == Op.INTERLEAVE:
        for i in range(max(n, m)):
            if i < n:
                d[o] = d[a + i]
                o += 1
            if i < m:
                d[o] = d[b + i]
                o += 1
        return o
    if op == Op.GATHER:
        for i in range(m):
            if not 0 <= d[b + i] < n:
                return FAULT
            d[o + i] = d[a + d[b + i]]
        return o + m
    if op == Op.MEMBER:
        for i in range(n):
            found = 0
            for j in range(b, b_end):
                if d[j] == d[a + i]:
                    found = 1
                    break
            d[o + i] = found
        return o + n
    # SORT_BY: the place of an element is the number of elements that go before it
    for i in range(shorter):
        place = 0
        for j in range(shorter):
            place += int(d[b + j] < d[b + i] or (d[b + j] == d[b + i] and j < i))
        d[o + place] = d[a + i]
    return o + shorter


@compiled
def replicated(d: Arena, a: int, a_end: int, b: int, b_end: int, o: int, room: int) -> int:
    """REPLICATE: each element as often as the other list says."""
    most = o + room
    for i in range(min(a_end - a, b_end - b)):
        if d[b + i] > most - o:
            return TOO_LONG
        for _ in range(d[b + i]):
            d[o] = d[a + i]
            o += 1
    return o
