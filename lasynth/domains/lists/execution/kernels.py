"""Operations as machine code, on values of all examples at once.

A value is a run of numbers in a shared array, the arena. A number or a flag takes one cell per example. A list or a
mask
takes one cell per example for where its elements end, counted from the first element of the first example, and then
the elements of all examples. What is undefined in an example (bit e of a set) has no elements and the number 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Type
from lasynth.domains.lists.language.operations import Op
from lasynth.jit import compiled

Arena = NDArray[np.int32]
FAULT = 1 << 40
"""Stands for the result of an operation that has none."""
TOO_LONG = -2
"""Stands for the end of a list that does not fit into the room that is left."""


@compiled
def scalar(op: int, x: Any, y: Any) -> Any:
    """An operation on numbers, or FAULT. `y` does not matter for operations on one number."""
    if op == Op.ADD:
        r = x + y
    elif op == Op.SUB:
        r = x - y
    elif op == Op.MUL:
        r = x * y
    elif op == Op.DIV or op == Op.MOD:
        if y == 0:
            return FAULT
        q = abs(x) // abs(y)
        if (x < 0) != (y < 0):
            q = -q
        if q > INT_MAX:
            return FAULT
        r = q if op == Op.DIV else x - y * q
    elif op == Op.MIN:
        r = min(x, y)
    elif op == Op.MAX:
        r = max(x, y)
    elif op == Op.EQ:
        r = int(x == y)
    elif op == Op.NE:
        r = int(x != y)
    elif op == Op.LT:
        r = int(x < y)
    elif op == Op.LE:
        r = int(x <= y)
    elif op == Op.GT:
        r = int(x > y)
    elif op == Op.GE:
        r = int(x >= y)
    elif op == Op.AND:
        r = x & y
    elif op == Op.OR:
        r = x | y
    elif op == Op.NEG:
        r = -x
    elif op == Op.ABS:
        r = abs(x)
    elif op == Op.ODD:
        r = x & 1
    elif op == Op.EVEN:
        r = 1 - (x & 1)
    elif op == Op.NOT:
        r = 1 - x
    elif op == Op.SQUARE:
        r = x * x
    else:
        r = x
    if r > INT_MAX or r < INT_MIN:
        return FAULT
    return r


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


@compiled
def elementwise(
    op: int, d: Arena, ta: int, a: int, a_end: int, x: int, tb: int, b: int, b_end: int, y: int, o: int
) -> int:
    """An operation on numbers, element by element; a number stands for a list full of it. The end, or FAULT."""
    n = a_end - a if ta >= Type.LIST else b_end - b
    if tb >= Type.LIST:
        n = min(n, b_end - b)
    for i in range(n):
        r = scalar(op, np.int64(d[a + i]) if ta >= Type.LIST else x, np.int64(d[b + i]) if tb >= Type.LIST else y)
        if r == FAULT:
            return FAULT
        d[o + i] = r
    return o + n


@compiled
def chosen(
    d: Arena, a: int, a_end: int, tb: int, b: int, b_end: int, x: int, tc: int, c: int, c_end: int, y: int, o: int
) -> int:
    """WHERE: element by element one or the other."""
    n = a_end - a
    if tb >= Type.LIST:
        n = min(n, b_end - b)
    if tc >= Type.LIST:
        n = min(n, c_end - c)
    for i in range(n):
        if d[a + i]:
            d[o + i] = d[b + i] if tb >= Type.LIST else x
        else:
            d[o + i] = d[c + i] if tc >= Type.LIST else y
    return o + n


@compiled
def begin_of(d: Arena, value: int, examples: int, e: int) -> int:
    """Where the elements of a list begin in example e."""
    return value + examples + (d[value + e - 1] if e else 0)


@compiled
def evaluate(
    op: int, types: NDArray[np.int64], values: NDArray[np.int64], gaps: NDArray[np.int64], tolerated: int,
    d: Arena, o: int, examples: int, longest: int,
) -> tuple[int, int]:  # fmt: skip
    """Compute an operation for all examples at `o` of the arena: the end of the value, and where it is undefined.

    `types` are those of the result and of three arguments (-1: no such argument), `values` where the arguments are,
    `gaps`
    where they are undefined. The end is -1 if the operation faults in an example outside of `tolerated`, or makes a
    list longer than `longest`.
    """
    result, ta, tb, tc = types
    va, vb, vc = values
    undefined, all_gaps = 0, gaps[0] | gaps[1] | gaps[2]
    end = o + examples
    for e in range(examples):
        a = a_end = b = b_end = c = c_end = 0
        x: Any = 0
        y: Any = 0
        z: Any = 0
        if ta >= Type.LIST:
            a, a_end = begin_of(d, va, examples, e), va + examples + d[va + e]
        elif ta >= 0:
            x = np.int64(d[va + e])
        if tb >= Type.LIST:
            b, b_end = begin_of(d, vb, examples, e), vb + examples + d[vb + e]
        elif tb >= 0:
            y = np.int64(d[vb + e])
        if tc >= Type.LIST:
            c, c_end = begin_of(d, vc, examples, e), vc + examples + d[vc + e]
        elif tc >= 0:
            z = np.int64(d[vc + e])
        missing = all_gaps
        if op == Op.IF:  # the branch that is not taken does not matter
            missing = gaps[0] | (gaps[1] if x else gaps[2])
        fault = (missing >> e) & 1 == 1
        if result < Type.LIST:
            r = 0
            if not fault:
                if op == Op.IF:
                    r = y if x else z
                elif op < Op.SUM:
                    r = scalar(op, x, y)
                else:
                    r = to_number(op, d, a, a_end, y)
                if r == FAULT:
                    fault, r = True, 0
            d[o + e] = r
        else:
            if not fault:
                if op < Op.SUM:
                    r = elementwise(op, d, ta, a, a_end, x, tb, b, b_end, y, end)
                elif op == Op.IF:
                    r = copied(d, b, b_end, end) if x else copied(d, c, c_end, end)
                elif op <= Op.IS_FIRST or op == Op.POSITIONS or op == Op.ORDINALS:
                    r = rearranged(op, d, a, a_end, end)
                elif op <= Op.FILL:
                    r = filled(op, d, x, y, end, longest)
                elif op == Op.CONS:
                    r = shaped(op, d, b, b_end, x, 0, end, longest)
                elif op <= Op.DELETE or (op >= Op.SLICE and op <= Op.SWAP):
                    r = shaped(op, d, a, a_end, y, z, end, longest)
                elif op == Op.WHERE:
                    r = chosen(d, a, a_end, tb, b, b_end, y, tc, c, c_end, z, end)
                elif op == Op.REPLICATE:
                    r = replicated(d, a, a_end, b, b_end, end, longest)
                else:
                    r = joined(op, d, a, a_end, b, b_end, end)
                if r == FAULT:
                    fault = True
                elif r == TOO_LONG or r - end > longest:
                    return -1, 0
                else:
                    end = r
            d[o + e] = end - o - examples
        if fault:
            undefined |= 1 << e
            if (tolerated >> e) & 1 == 0:
                return -1, 0
    return end, undefined


def room_for(examples: int, longest: int) -> int:
    """Cells that one operation may write before its result is refused for its length: two lists can be joined."""
    return examples * (1 + longest) + 2 * longest + 16
