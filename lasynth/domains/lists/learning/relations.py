"""Yes-or-no facts about a value beside the wanted output: is it a part of it, in which order, how far away?

A list is an array of cells that are in use. Each function writes the numbers of the facts that hold, counted from
`base`, into `out` from place `n` on, and returns where they end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.jit import compiled

Cells = NDArray[np.int64]
Facts = NDArray[np.int32]
FAR = 12
"""Differences of numbers are counted up to this."""
STEP = 5
"""Differences of lengths are counted up to this."""
FACTOR = 10
"""Largest factor, divisor and modulus."""
NEAR = 10
"""Differences of all elements of a list are counted up to this."""


@compiled
def clip(value: Any, most: int) -> Any:
    return max(-most, min(most, value))


@compiled
def matches(x: Cells, a: int, y: Cells, b: int, count: int) -> bool:
    """Whether x[a : a + count] and y[b : b + count] exist and are equal."""
    if a < 0 or b < 0 or count < 0 or a + count > len(x) or b + count > len(y):
        return False
    same = 0
    while same < count and x[a + same] == y[b + same]:
        same += 1
    return same == count


@compiled
def part_of(x: Cells, y: Cells) -> bool:
    """Whether x stands in y in one piece."""
    begin = 0
    while begin + len(x) <= len(y) and not matches(x, 0, y, begin, len(x)):
        begin += 1
    return begin + len(x) <= len(y)


@compiled
def within(x: Cells, y: Cells) -> bool:
    """Whether all elements of x are in y, in any order and number."""
    for v in x:
        found = False
        for w in y:
            found = found or v == w
        if not found:
            return False
    return True


@compiled
def ordered(x: Cells, sign: int) -> bool:
    i = 1
    while i < len(x) and sign * (x[i] - x[i - 1]) >= 0:
        i += 1
    return i >= len(x)


@compiled
def same_elements(x: Cells, y: Cells) -> bool:
    """Whether two lists have the same elements, each as often."""
    return len(x) == len(y) and matches(np.sort(x), 0, np.sort(y), 0, len(x))


@compiled
def reversed_of(x: Cells, y: Cells) -> bool:
    return len(x) == len(y) and matches(x[::-1].copy(), 0, y, 0, len(y))


@compiled
def kept_of(x: Cells, y: Cells, kept: NDArray[np.bool_]) -> bool:
    """Whether y is x with elements left out; fills in which are kept, the first possible ones."""
    at = 0
    for i in range(len(x)):
        kept[i] = at < len(y) and x[i] == y[at]
        at += kept[i]
    return at == len(y)


LENGTHS = 5 + 2 * STEP + 1


@compiled
def lengths(x: int, y: int, base: int, out: Facts, n: int) -> int:
    for i, holds in enumerate((x == y, y < x, y > x, y == 2 * x, 2 * y - x in (0, 1))):
        if holds:
            out[n] = base + i
            n += 1
    out[n] = base + 5 + STEP + clip(y - x, STEP)
    return n + 1


PLACES = 20


@compiled
def places(x: Cells, y: Cells, base: int, out: Facts, n: int) -> int:
    """Where the elements of one list are in the other."""
    a, b = len(x), len(y)
    both = a > 0 and b > 0
    some = min(a, b)
    facts = (
        a == b and matches(x, 0, y, 0, a), matches(x, 0, y, 0, b), matches(x, 0, y, 0, a), matches(x, a - b, y, 0, b),
        matches(x, 0, y, b - a, a), b < a and part_of(y, x), a < b and part_of(x, y), reversed_of(x, y),
        within(y, x), within(x, y), both and x[0] == y[0], both and x[-1] == y[-1], both and y[0] == x[-1],
        both and y[-1] == x[0], a == b and matches(x, 0, y, 1, a - 1), a == b and matches(x, 1, y, 0, a - 1),
        b == 2 * a and matches(x, 0, y, 0, a) and matches(x, 0, y, a, a), same_elements(x, y) and ordered(y, 1),
        same_elements(x, y) and ordered(y, -1), matches(x, 0, y, 0, some),
    )  # fmt: skip
    for i, holds in enumerate(facts):
        if holds:
            out[n] = base + i
            n += 1
    return n


FILTERS = 14


@compiled
def filters(x: Cells, y: Cells, base: int, out: Facts, n: int) -> int:
    """If y is x without some elements: what is common to those that are kept, and to the others."""
    kept = np.zeros(len(x), np.bool_)
    if not kept_of(x, y, kept):
        return n
    out[n] = base
    n += 1
    if len(y) == len(x):
        return n
    facts = np.ones(FILTERS - 1, np.bool_)
    least, most = np.zeros(2, np.int64), np.zeros(2, np.int64)
    seen = np.zeros(2, np.bool_)
    for i in range(len(x)):
        v, k = x[i], int(kept[i])
        least[k], most[k] = (min(least[k], v), max(most[k], v)) if seen[k] else (v, v)
        seen[k] = True
        again = False
        for j in range(i):
            again = again or x[j] == v
        facts[0] &= not k or v % 2 == 0
        facts[1] &= not k or v % 2 == 1
        facts[2] &= k or v % 2 == 0
        facts[3] &= k or v % 2 == 1
        facts[4] &= k == (i % 2 == 0)
        facts[5] &= k == (i % 2 == 1)
        facts[6] &= k != again
        facts[7] &= k == (v > 0)
        facts[8] &= k == (v >= 0)
        facts[9] &= k == (v != 0)
    facts[10] = seen[1] and least[1] > most[0]
    facts[11] = seen[1] and most[1] < least[0]
    facts[12] = not seen[1]
    for i in range(len(facts)):
        if facts[i]:
            out[n] = base + 1 + i
            n += 1
    return n


ELEMENTS = 2 * NEAR + 2 + FACTOR + 2 * (FACTOR - 1) + 21


@compiled
def elements(x: Cells, y: Cells, base: int, out: Facts, n: int) -> int:
    """Facts that hold at every place of two lists of one length."""
    count = len(x)
    if count == 0 or len(y) != count:
        return n
    facts = np.ones(21, np.bool_)
    total, most, least, different, other = 0, x[0], x[0], 0, 0
    for i in range(count):
        v, w = x[i], y[i]
        total, most, least = total + v, max(most, v), min(least, v)
        if v != w:
            facts[0] &= different == 0 or w == other
            different, other = different + 1, w
        facts[1] &= w >= v
        facts[2] &= w <= v
        facts[3] &= (v - w) % 2 == 0
        facts[4] &= w == v * v
        facts[5] &= w == abs(v)
        facts[6] &= w == v + i
        facts[7] &= w == v * i
        facts[8] &= w == v + i + 1
        facts[9] &= w == v * (i + 1)
        facts[10] &= w == total
        facts[11] &= w == most
        facts[12] &= w == least
        facts[13] &= w == v - x[0]
        facts[14] &= i == 0 or w == v - x[i - 1]
        facts[15] &= i == 0 or w == v + x[i - 1]
        facts[16] &= v != 0 and w % v == 0
    facts[17:] = False
    facts[17 + min(different, 3)] = True
    for i in range(21):
        if facts[i]:
            out[n] = base + i
            n += 1
    return same_change(x, y, base + 21, out, n)


@compiled
def same_change(x: Cells, y: Cells, base: int, out: Facts, n: int) -> int:
    """One number that is added, or with which all elements are multiplied, divided, or taken the remainder."""
    added, same = y[0] - x[0], True
    factors = np.ones(3 * (FACTOR + 1), np.bool_)
    for i in range(len(x)):
        v, w = x[i], y[i]
        same = same and w - v == added
        for c in range(2, FACTOR + 1):
            factors[c] &= w == c * v
            factors[FACTOR + c] &= v >= 0 and w == v // c
            factors[2 * FACTOR + c] &= v >= 0 and w == v % c
        factors[1] &= w == -v
    if same:
        out[n] = base + (NEAR + added if abs(added) <= NEAR else 2 * NEAR + 1)
        n += 1
    for c in range(1, FACTOR + 1):
        if factors[c]:
            out[n] = base + 2 * NEAR + 1 + c
            n += 1
    for c in range(2, FACTOR + 1):
        for kind in range(2):
            if factors[(1 + kind) * FACTOR + c]:
                out[n] = base + 2 * NEAR + 2 + FACTOR + kind * (FACTOR - 1) + c - 2
                n += 1
    return n


LIST_TO_LIST = LENGTHS + PLACES + FILTERS + ELEMENTS


@compiled
def list_to_list(x: Cells, y: Cells, base: int, out: Facts, n: int) -> int:
    n = lengths(len(x), len(y), base, out, n)
    n = places(x, y, base + LENGTHS, out, n)
    n = filters(x, y, base + LENGTHS + PLACES, out, n)
    return elements(x, y, base + LENGTHS + PLACES + FILTERS, out, n)


SUMMARIES, FIRST_PLACES = 36, 6
LIST_TO_NUMBER = SUMMARIES + 2 * FIRST_PLACES


@compiled
def list_to_number(x: Cells, y: int, base: int, out: Facts, n: int) -> int:
    """Which summary of a list a number is."""
    count, seen, total, product, distinct = len(x), 0, 0, 1, 0
    counts = np.zeros(5, np.int64)  # even, odd, positive, negative, zero
    sums = np.zeros(4, np.int64)
    for i in range(count):
        v = x[i]
        seen += v == y
        total += v
        product = product * v if abs(product) < 1 << 30 else product
        again = False
        for j in range(i):
            again = again or x[j] == v
        distinct += not again
        for k, holds in enumerate((v % 2 == 0, v % 2 == 1, v > 0, v < 0)):
            counts[k] += holds
            sums[k] += v * holds
        counts[4] += v == 0
    some = count > 0
    ranked = np.sort(x)
    top, low = (ranked[-1], ranked[0]) if some else (0, 0)
    simple = (
        seen > 0, seen == 1, y == total, y == product, some and y == top, some and y == low, y == count,
        some and y == x[0], some and y == x[-1], some and y == x.argmax(), some and y == x.argmin(), y == distinct,
        y == counts[0], y == counts[1], y == counts[2], y == counts[3], y == counts[4], y == sums[0], y == sums[1],
        y == sums[2], y == sums[3],
    )  # fmt: skip
    others = (
        some and y == top - low, some and y == total // max(1, count), y == count - 1,
        count > 1 and y == ranked[count - 2], count > 1 and y == ranked[1], some and y == ranked[count // 2],
        some and y == x[count // 2], 0 <= y < count, 0 <= y <= count, some and y > top, some and y < low,
        y == count - distinct, y == total + 1, some and y == top + low, y == 0 or y == 1,
    )  # fmt: skip
    for i, holds in enumerate(simple + others):
        if holds:
            out[n] = base + i
            n += 1
    for i in range(min(FIRST_PLACES, count)):
        if x[i] == y:
            out[n] = base + SUMMARIES + i
            n += 1
        if x[count - 1 - i] == y:
            out[n] = base + SUMMARIES + FIRST_PLACES + i
            n += 1
    return n


NUMBER_TO_LIST = 22


@compiled
def number_to_list(x: int, y: Cells, base: int, out: Facts, n: int) -> int:
    """What a number is to the elements of a list."""
    count, seen, total = len(y), 0, 0
    above, below, divides, all_range = True, True, x != 0, True
    for i in range(count):
        seen += y[i] == x
        total += y[i]
        above, below = above and y[i] > x, below and y[i] < x
        divides = divides and y[i] % x == 0
        all_range = all_range and y[i] == i
    some = count > 0
    facts = (
        seen > 0, seen == 1, some and seen == count, some and y[0] == x, some and y[-1] == x, count == x,
        count == x + 1, count == x - 1, some and total == x, some and y.max() == x, some and y.min() == x,
        some and above, some and below, some and y.min() >= x, some and y.max() <= x, some and divides,
        count > 1 and y[1] == x, count > 1 and y[-2] == x, 0 <= x < count and y[x] == x, count == 2 * x,
        all_range and count == x, seen == 2,
    )  # fmt: skip
    for i, holds in enumerate(facts):
        if holds:
            out[n] = base + i
            n += 1
    return n


NUMBER_TO_NUMBER = 2 * FAR + 1 + 8 + 4 * (FACTOR - 1)


@compiled
def number_to_number(x: int, y: int, base: int, out: Facts, n: int) -> int:
    out[n] = base + FAR + clip(y - x, FAR)
    n += 1
    base += 2 * FAR + 1
    facts = (x == y, y == -x, y == abs(x), y == x * x, (x - y) % 2 == 0, y > x, abs(y - x) > FAR, x in (0, 1))
    for i, holds in enumerate(facts):
        if holds:
            out[n] = base + i
            n += 1
    base += 8
    for c in range(2, FACTOR + 1):
        for i, holds in enumerate((y == c * x, x == c * y, x >= 0 and y == x % c, x >= 0 and y == x // c)):
            if holds:
                out[n] = base + i * (FACTOR - 1) + c - 2
                n += 1
    return n


MASK = 9


@compiled
def mask_to_any(x: Cells, y: Cells, is_list: bool, base: int, out: Facts, n: int) -> int:
    """A mask beside a list, or a number in the first cell."""
    count = x.sum()
    first = x.argmax() if count else -1
    facts = (
        is_list and len(x) == len(y), is_list and count == len(y), is_list and len(x) - count == len(y),
        is_list and len(x) == len(y) and matches(x, 0, y, 0, len(x)), not is_list and count == y[0],
        not is_list and first == y[0], count == 0, count == len(x), not is_list and int(count > 0) == y[0],
    )  # fmt: skip
    for i, holds in enumerate(facts):
        if holds:
            out[n] = base + i
            n += 1
    return n
