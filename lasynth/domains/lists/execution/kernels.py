"""Operations as machine code, on values of all examples at once.

A value is a run of numbers in a shared array, the arena. A number or a flag takes one cell per example. A list or a
mask takes one cell per example for where its elements end, counted from the first element of the first example, and
then the elements of all examples. If a value is undefined in example e, bit e of its gaps is set; it has no elements
there, or is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution.list_kernels import (
    FAULT,
    TOO_LONG,
    Arena,
    copied,
    filled,
    joined,
    rearranged,
    replicated,
    shaped,
    to_number,
)
from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Type
from lasynth.domains.lists.language.operations import Op
from lasynth.jit import compiled


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
    `gaps` where they are undefined. The end is -1 if the operation faults in an example outside of `tolerated`, or
    makes a list longer than `longest`.
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
    """Most cells that an operation writes before its length is checked. Joining two lists needs the most."""
    return examples * (1 + longest) + 2 * longest + 16
