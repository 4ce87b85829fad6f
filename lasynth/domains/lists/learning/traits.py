"""Yes-or-no facts about one value: its length, order and size, and single elements. As in `relations.py`."""

from __future__ import annotations

import numpy as np

from lasynth.domains.lists.learning.relations import Cells, Facts, ordered
from lasynth.jit import compiled

LONG = 12
"""Lengths are counted up to this."""
LEAST, MOST = -12, 102
"""Numbers from here to there are told apart."""
FEW = 6
"""Distinct elements are counted up to this."""
BOUNDS = np.array([-10, -1, 0, 1, 2, 5, 10, 20, 100])
"""Sizes of numbers are told apart by these."""
LOW, HIGH = -6, 20
"""Elements from here to there are told apart."""
ELEMENT = HIGH - LOW + 4
"""Facts about one element."""

NUMBER = MOST - LEAST + 3 + 2


@compiled
def number_traits(x: int, base: int, out: Facts, n: int) -> int:
    at = 0 if x < LEAST else (MOST - LEAST + 2 if x > MOST else x - LEAST + 1)
    out[n] = base + at
    out[n + 1] = base + MOST - LEAST + 3 + x % 2
    return n + 2


@compiled
def size_of(value: int) -> int:
    at = 0
    while at < len(BOUNDS) and value >= BOUNDS[at]:
        at += 1
    return at


SIZES = len(BOUNDS) + 1
LIST = LONG + 1 + 15 + 3 * SIZES + FEW + 1


@compiled
def list_traits(x: Cells, length: int, base: int, out: Facts, n: int) -> int:
    out[n] = base + min(length, LONG)
    n += 1
    count = len(x)
    if count == 0:
        return n
    even, distinct, steady, mirrored, rising = 0, 0, True, True, True
    for i in range(count):
        even += x[i] % 2 == 0
        again = False
        for j in range(i):
            again = again or x[j] == x[i]
        distinct += not again
        steady = steady and (i < 2 or x[i] - x[i - 1] == x[1] - x[0])
        mirrored = mirrored and x[i] == x[count - 1 - i]
        rising = rising and x[i] == i + x[0]
    least, most = x.min(), x.max()
    facts = (
        ordered(x, 1), ordered(x, -1), distinct == count, distinct == 1, least >= 0, least > 0, even == count,
        even == 0, least <= 0 <= most and (x == 0).any(), least >= 0 and most <= 1, least >= 0 and most < 10,
        mirrored, steady, rising and x[0] == 0, rising and x[0] == 1,
    )  # fmt: skip
    base += LONG + 1
    for i, holds in enumerate(facts):
        if holds:
            out[n] = base + i
            n += 1
    base += 15
    for i, value in enumerate((least, most, x.sum())):
        out[n] = base + i * SIZES + size_of(value)
        n += 1
    out[n] = base + 3 * SIZES + min(distinct, FEW)
    return n + 1


@compiled
def element_traits(x: Cells, first: int, last: int, base: int, out: Facts, n: int) -> int:
    """The values of the first few and of the last few elements."""
    for i in range(min(first, len(x))):
        out[n] = base + i * ELEMENT + _element(x[i])
        n += 1
    for i in range(min(last, len(x))):
        out[n] = base + (first + i) * ELEMENT + _element(x[len(x) - 1 - i])
        n += 1
    return n


@compiled
def _element(value: int) -> int:
    if value < LOW:
        return 0
    if value <= HIGH:
        return value - LOW + 1
    return ELEMENT - 2 if value < 100 else ELEMENT - 1
