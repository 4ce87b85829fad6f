"""Sums of list elements and a constant: what explains one element of an output where nothing depends on a condition.

Lists all sums of a few elements once per list length, says what each costs as the explanation of a position, and finds the
cheapest ones that fit some of the examples. Knows no conditions and no C.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.jit import compiled

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_TERMS = 6
"""Elements in a sum, repetitions counted."""
MOST_SUMS = 20_000
MOST_CELLS = 4_000_000
"""Sums times positions: long lists get fewer sums, so that time and memory stay small."""
TOP = 3
"""Sums kept for a position: the cheapest and its runners-up."""
NONE = 1e9
"""Cost of what does not exist."""

FEATURES = (
    "changed", "first other element", "more other elements", "without own element", "own element negative",
    "own element repeated", "other element negative", "constant only", "own element and constant",
    "with constant", "size of constant", "constant beyond 4",
)  # fmt: skip
"""What the cost of a sum is made of. The first ones depend on the elements, the last three on the constant."""
OF_CONSTANT = 3


class Sum(NamedTuple):
    """`constant + coefficient * a[element] + ..`"""

    terms: tuple[tuple[int, int], ...]
    """(element, coefficient), by element; no coefficient is zero."""
    constant: int = 0

    def at(self, inputs: Ints) -> Ints:
        """Its value for each list. (N, L) -> (N,)"""
        total = np.full(len(inputs), self.constant, np.int64)
        for element, coefficient in self.terms:
            total += coefficient * inputs[:, element]
        return total

    def is_copy_of(self, element: int) -> bool:
        return self.constant == 0 and self.terms == ((element, 1),)


class Forms(NamedTuple):
    """The M sums over lists of one length, without their constants."""

    codes: Ints
    """(M, T): 2 i stands for + a[i], 2 i + 1 for - a[i], -1 for nothing; rising in each row."""

    def sum_at(self, number: int, constant: int) -> Sum:
        counts: dict[int, int] = {}
        for code in self.codes[number].tolist():
            if code >= 0:
                counts[code // 2] = counts.get(code // 2, 0) + (-1 if code % 2 else 1)
        return Sum(tuple(sorted(counts.items())), constant)

    def values(self, inputs: Ints) -> Ints:
        """(K, L) -> (K, M)"""
        wide = np.concatenate([np.stack([inputs, -inputs], axis=2).reshape(len(inputs), -1), 0 * inputs[:, :1]], axis=1)
        total: Ints = wide[:, self.codes].sum(axis=2)  # code -1 is the zero at the end
        return total


@lru_cache(maxsize=8)
def forms(length: int) -> Forms:
    """All sums for lists of this length, those with fewer elements first; as many as there is room for."""
    most = min(MOST_SUMS, MOST_CELLS // length)
    levels = [np.full((1, 0), -1, np.int64)]
    total = 1
    for terms in range(1, MOST_TERMS + 1):
        rows = _extended(levels[-1], length, most - total)
        if total + len(rows) > most or not len(rows):
            break
        levels.append(rows)
        total += len(rows)
        if terms == 2 and len(rows) < 2 * length * length:  # only neighbours were taken: no room for more
            break
    width = levels[-1].shape[1]
    codes = np.concatenate([np.pad(rows, [(0, 0), (0, width - rows.shape[1])], constant_values=-1) for rows in levels])
    return Forms(codes)


def _extended(rows: Ints, length: int, room: int) -> Ints:
    """Every row with one more code, not below its last one and not undoing it; of pairs only near ones if room is short."""
    codes = np.arange(2 * length)
    last = rows[:, -1:] if rows.shape[1] else np.zeros((1, 1), np.int64)
    fits = (codes >= last) & ~((last % 2 == 0) & (codes == last + 1) & (rows.shape[1] > 0))  # (M, 2L)
    if rows.shape[1] == 1 and fits.sum() > room:
        reach = max(0, room // (4 * length) - 1)
        fits &= codes // 2 - last // 2 <= reach
    if fits.sum() > room:
        return np.zeros((0, rows.shape[1] + 1), np.int64)
    before, code = np.nonzero(fits)
    return np.concatenate([rows[before], codes[code, None]], axis=1)


def form_costs(codes: Ints, length: int, weights: Floats) -> Floats:
    """What each form costs as the explanation of each position, without its constant. (M, T), (F,) -> (L, M)"""
    cost = np.zeros((length, len(codes)))
    for column, weight in zip(_columns(codes, length), weights[:-OF_CONSTANT].tolist(), strict=True):
        cost += weight * column
    return cost


def _columns(codes: Ints, length: int) -> Iterator[NDArray[Any]]:
    """Features one after the other, because all of them at once take much memory for long lists. (L, M) each"""
    plus = np.stack([(codes == 2 * p).sum(axis=1) for p in range(length)])  # (L, M)
    minus = np.stack([(codes == 2 * p + 1).sum(axis=1) for p in range(length)])
    total = (codes >= 0).sum(axis=1)  # (M,)
    negative = ((codes >= 0) & (codes % 2 == 1)).sum(axis=1)
    other = total - plus - minus
    own_only = (total == 1) & (plus == 1)
    yield ~own_only
    yield other > 0
    yield np.maximum(other - 1, 0)
    yield (plus + minus == 0) & (total > 0)
    yield minus > 0
    yield np.maximum(plus + minus - 1, 0)
    yield negative - minus
    yield np.broadcast_to(total == 0, plus.shape)
    yield own_only


@compiled
def constant_cost(constant: int, weights: Floats) -> float:
    """Of the part of a sum that is a number; `weights` are the last three of FEATURES."""
    if constant == 0:
        return 0.0
    size = abs(constant)
    return float(weights[0] + weights[1] * np.log2(size) + (weights[2] if size > 4 else 0.0))


def constant_features(constant: int) -> Floats:
    size = abs(constant)
    return np.array([size > 0, np.log2(size) if size else 0.0, size > 4], np.float64)


class Best(NamedTuple):
    """The cheapest sums for each of Q questions, the best first."""

    form: Ints
    """(Q, TOP), -1 where there is none."""
    constant: Ints
    cost: Floats
    """NONE where there is none."""


class Questions(NamedTuple):
    """Which sums explain a position on some of the examples?"""

    masks: NDArray[np.bool_]
    """(N, K): which examples."""
    mask: Ints
    """(Q,) number of the mask."""
    position: Ints
    """(Q,)"""


def cheapest(values: Ints, outputs: Ints, asked: Questions, cost: Floats, weights: Floats) -> Best:
    """`values` (K, M) of the forms, `outputs` (K, L), `cost` (L, M) of the forms without constants."""
    return Best(*_cheapest(values, outputs, asked.masks, asked.mask, asked.position, cost, weights, TOP))


@compiled
def _cheapest(
    values: Ints,
    outputs: Ints,
    masks: NDArray[np.bool_],
    mask: Ints,
    position: Ints,
    cost: Floats,
    weights: Floats,
    top: int,
) -> tuple[Ints, Ints, Floats]:
    asked = mask.size
    form = np.full((asked, top), -1, np.int64)
    constant = np.zeros((asked, top), np.int64)
    price = np.full((asked, top), NONE)
    for q in range(asked):
        p = position[q]
        examples = np.flatnonzero(masks[mask[q]])
        first = examples[0]
        for m in range(values.shape[1]):
            if cost[p, m] >= price[q, top - 1]:
                continue
            rest = outputs[first, p] - values[first, m]
            fits = True
            for k in examples[1:]:
                if outputs[k, p] - values[k, m] != rest:
                    fits = False
                    break
            if not fits:
                continue
            mine = cost[p, m] + constant_cost(rest, weights)
            place = top
            while place > 0 and price[q, place - 1] > mine:
                place -= 1
            if place == top:
                continue
            for r in range(top - 1, place, -1):
                form[q, r], constant[q, r], price[q, r] = form[q, r - 1], constant[q, r - 1], price[q, r - 1]
            form[q, place], constant[q, place], price[q, place] = m, rest, mine
    return form, constant, price
