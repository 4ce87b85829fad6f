"""Sums of list elements and a constant: they explain an element of the output that depends on no condition.

This module lists all sums of a few elements once per list length, computes what each of them costs as the explanation
of a position, and finds the cheapest ones that fit a subset of the examples.
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
"""Most elements in a sum; an element that occurs twice counts twice."""
MOST_SUMS = 20_000
MOST_CELLS = 4_000_000
"""Limit on sums times positions: long lists get fewer sums, so that the search stays fast."""
NEAREST = 2
"""Sums of two elements that are at most this far apart are listed for lists of any length."""
TOP = 3
"""Sums kept for a position: the cheapest one and its runners-up."""
NONE = 1e9
"""The cost where no sum exists; larger than any real cost."""

FEATURES = (
    "changed", "first other element", "more other elements", "without own element", "own element negative",
    "own element repeated", "other element negative", "constant only", "own element and constant",
    "with constant", "size of constant", "constant beyond 4",
)  # fmt: skip
"""Features that make up the cost of a sum. The last three depend on the constant, the others on the elements."""
OF_CONSTANT = 3
NO_ELEMENT = -2
"""Fills the rows of forms with fewer elements. 2 * NO_ELEMENT and 2 * NO_ELEMENT + 1 are not codes."""
BLOCK = 256
"""Forms that are compared with an example at a time, by vector instructions."""


class Sum(NamedTuple):
    """`constant + coefficient * a[element] + ..`"""

    terms: tuple[tuple[int, int], ...]
    """Pairs (element, coefficient), sorted by element; no coefficient is zero."""
    constant: int = 0

    def at(self, inputs: Ints) -> Ints:
        """Value of the sum for each list. (N, L) -> (N,)"""
        total = np.full(len(inputs), self.constant, np.int64)
        for element, coefficient in self.terms:
            total += coefficient * inputs[:, element]
        return total

    def is_copy_of(self, element: int) -> bool:
        return self.constant == 0 and self.terms == ((element, 1),)


class Forms(NamedTuple):
    """The M sums over lists of one length, without their constants."""

    codes: Ints
    """(M, T): 2 i stands for + a[i] and 2 i + 1 for - a[i]. A row never decreases, except that -1 fills its end."""

    def sum_at(self, number: int, constant: int) -> Sum:
        counts: dict[int, int] = {}
        for code in self.codes[number].tolist():
            if code >= 0:
                counts[code // 2] = counts.get(code // 2, 0) + (-1 if code % 2 else 1)
        return Sum(tuple(sorted(counts.items())), constant)

    def values(self, inputs: Ints) -> Ints:
        """Value of each form for each list. (K, L) -> (K, M)"""
        wide = np.concatenate([np.stack([inputs, -inputs], axis=2).reshape(len(inputs), -1), 0 * inputs[:, :1]], axis=1)
        total: Ints = wide[:, self.codes].sum(axis=2)  # code -1 selects the column of zeros at the end
        return np.ascontiguousarray(total)  # `_fitting` needs the values of one example side by side


@lru_cache(maxsize=8)
def forms(length: int) -> Forms:
    """All sums for lists of this length, within the limits above. Those with fewer elements come first."""
    levels = [np.zeros((1, 0), np.int64), np.arange(2 * length)[:, None]]
    room = min(MOST_SUMS, MOST_CELLS // length) - 1 - 2 * length
    for terms in range(2, MOST_TERMS + 1):
        if _extensions(levels[-1], length) > room:
            if terms == 2:
                levels.append(_near_pairs(length, room))
            break
        levels.append(_extended(levels[-1], length))
        room -= len(levels[-1])
    width = levels[-1].shape[1]
    codes = np.concatenate([np.pad(rows, [(0, 0), (0, width - rows.shape[1])], constant_values=-1) for rows in levels])
    return Forms(codes)


def _extensions(rows: Ints, length: int) -> int:
    """Number of rows that `_extended` returns."""
    last = rows[:, -1]
    return int((2 * length - last - (last % 2 == 0)).sum())


def _extended(rows: Ints, length: int) -> Ints:
    """Every row with one more code that is not smaller than its last one and does not cancel it."""
    codes, last = np.arange(2 * length), rows[:, -1:]
    fits = (codes >= last) & ~((last % 2 == 0) & (codes == last + 1))  # (M, 2L)
    before, code = np.nonzero(fits)
    return np.concatenate([rows[before], codes[code, None]], axis=1)


def _near_pairs(length: int, room: int) -> Ints:
    """Pairs of codes of two elements that are near each other or mirrored (at the same distance from the two ends).

    Near is up to NEAREST apart, or further if there is room.
    """
    reach = max(NEAREST, room // (4 * length) - 1)
    place, mirrored = np.arange(length), np.arange(length // 2)
    first = np.concatenate([*(place[: max(0, length - apart)] for apart in range(reach + 1)), mirrored])
    second = np.concatenate([*(place[apart:] for apart in range(reach + 1)), length - 1 - mirrored])
    both = [
        np.stack([2 * first + sign, 2 * second + other], axis=1)[(first != second) | (sign == other)]
        for sign in (0, 1) for other in (0, 1)
    ]  # fmt: skip
    numbers = np.unique(np.concatenate(both) @ [2 * length, 1])  # sorted, and without duplicates
    return np.stack(np.divmod(numbers, 2 * length), axis=1)


class FormCosts(NamedTuple):
    """Costs of M forms without their constants.

    The cost of a form depends on the position only if the form contains the position's own element. So one price for
    each element and one for all other positions are enough.
    """

    elements: Ints
    """(M, T): the elements of each form, or a negative number."""
    prices: Floats
    """(M, T + 1): price at the position of each of these elements; the last one is for any other position."""
    least: Floats
    """(M,): the smallest price of each form."""

    def price(self, form: int, position: int) -> float:
        return _form_cost(self.elements, self.prices, form, position)


def form_costs(codes: Ints, weights: Floats) -> FormCosts:
    """Costs of forms (M, T) under the weights (F,) of FEATURES."""
    elements = np.where(codes >= 0, codes // 2, NO_ELEMENT)
    own = np.concatenate([elements, np.full((len(codes), 1), NO_ELEMENT)], axis=1)[:, :, None]  # (M, T + 1, 1)
    plus, minus = ((codes[:, None] == 2 * own + sign).sum(axis=2) for sign in (0, 1))
    prices = np.zeros(plus.shape)
    for column, weight in zip(_columns(codes, plus, minus), weights[:-OF_CONSTANT].tolist(), strict=True):
        prices += weight * column
    return FormCosts(elements, prices, prices.min(axis=1))


def _columns(codes: Ints, plus: Ints, minus: Ints) -> Iterator[NDArray[Any]]:
    """The features that depend on the elements, one at a time, in the order of FEATURES. (M, P) each

    `codes` (M, T) are the forms. `plus` and `minus` (M, P) say how often each form adds and subtracts the position's
    own element.
    """
    total = (codes >= 0).sum(axis=1)[:, None]
    negative = ((codes >= 0) & (codes % 2 == 1)).sum(axis=1)[:, None]
    other = total - plus - minus
    own_only = (total == 1) & (plus == 1)
    yield ~own_only
    yield other > 0
    yield np.maximum(other - 1, 0)
    yield (plus + minus == 0) & (total > 0)
    yield minus > 0
    yield np.maximum(plus + minus - 1, 0)
    yield negative - minus
    yield total == 0
    yield own_only


@compiled
def _form_cost(elements: Ints, prices: Floats, form: int, position: int) -> float:
    for term in range(elements.shape[1]):
        if elements[form, term] == position:
            return float(prices[form, term])
    return float(prices[form, -1])


@compiled
def constant_cost(constant: int, weights: Floats) -> float:
    """Cost of the constant of a sum; `weights` are those of the last three FEATURES."""
    if constant == 0:
        return 0.0
    size = abs(constant)
    return float(weights[0] + weights[1] * np.log2(size) + (weights[2] if size > 4 else 0.0))


def constant_features(constants: Ints) -> Floats:
    """The last three of FEATURES for each constant. (N,) -> (N, 3)"""
    size = np.abs(constants)
    return np.stack([size > 0, np.log2(np.maximum(size, 1)), size > 4], axis=1)


class Best(NamedTuple):
    """The cheapest sums for each of Q questions, the cheapest first."""

    form: Ints
    """(Q, TOP): index of the form, -1 where there is none."""
    constant: Ints
    """(Q, TOP)"""
    cost: Floats
    """(Q, TOP): NONE where there is no form."""


class Questions(NamedTuple):
    """Q questions, each of the kind: which sums explain this position on this subset of the examples?"""

    masks: NDArray[np.bool_]
    """(N, K): subsets of the examples."""
    mask: Ints
    """(Q,): row of the subset in `masks`."""
    position: Ints
    """(Q,)"""


def cheapest(values: Ints, outputs: Ints, asked: Questions, costs: FormCosts, weights: Floats) -> Best:
    """Answer the questions. `values` (K, M) are those of the forms, `outputs` is (K, L), `weights` are of constants."""
    return Best(*_cheapest(values, outputs, asked.masks, asked.mask, asked.position, *costs, weights, TOP))


@compiled
def _cheapest(
    values: Ints,
    outputs: Ints,
    masks: NDArray[np.bool_],
    mask: Ints,
    position: Ints,
    elements: Ints,
    prices: Floats,
    least: Floats,
    weights: Floats,
    top: int,
) -> tuple[Ints, Ints, Floats]:
    asked, count = mask.size, least.size
    form = np.full((asked, top), -1, np.int64)
    constant = np.zeros((asked, top), np.int64)
    price = np.full((asked, top), NONE)
    least_of_block = np.array([least[begin : begin + BLOCK].min() for begin in range(0, count, BLOCK)])
    differs = np.empty(BLOCK, np.int64)
    for q in range(asked):
        p = position[q]
        examples = np.flatnonzero(masks[mask[q]])
        first = examples[0]
        for block in range(least_of_block.size):
            if least_of_block[block] >= price[q, top - 1]:
                continue
            begin, end = block * BLOCK, min(count, (block + 1) * BLOCK)
            if not _fitting(values, outputs, examples, p, begin, differs[: end - begin]):
                continue
            for m in range(begin, end):
                if differs[m - begin] or least[m] >= price[q, top - 1]:
                    continue
                rest = outputs[first, p] - values[first, m]
                mine = _form_cost(elements, prices, m, p) + constant_cost(rest, weights)
                place = top
                while place > 0 and price[q, place - 1] > mine:
                    place -= 1
                if place == top:
                    continue
                for r in range(top - 1, place, -1):
                    form[q, r], constant[q, r], price[q, r] = form[q, r - 1], constant[q, r - 1], price[q, r - 1]
                form[q, place], constant[q, place], price[q, place] = m, rest, mine
    return form, constant, price


@compiled
def _fitting(values: Ints, outputs: Ints, examples: Ints, position: int, begin: int, differs: Ints) -> bool:
    """Whether any form from `begin` on differs from the outputs by one constant on all these examples.

    Sets `differs` to 0 for those forms. The loops have no branches and their arrays are contiguous, so that they
    compile to vector instructions.
    """
    first, count = examples[0], differs.size
    at_first = values[first, begin : begin + count]
    differs[:] = 0
    for k in examples[1:]:
        change = outputs[k, position] - outputs[first, position]
        at_this = values[k, begin : begin + count]
        for i in range(count):
            differs[i] |= (at_this[i] - at_first[i]) ^ change
        fitting = 0
        for i in range(count):
            fitting += 1 if differs[i] == 0 else 0
        if fitting == 0:
            return False
    return True
