"""A solver without learning: the honest baseline. Each element of the output is explained by itself, with no control flow.

Per position it takes the simplest of these that fits the examples: a constant; x_i + c or c - x_i; x_i + x_j + c or
x_i - x_j + c, where x is the input. Within one form c = 0 is simpler than another c, and an expression with the
position's own element is simpler than one without. Writes no programs and knows no lexemes.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.signedinteger[Any]]
BYTES = 50_000_000
"""Memory for the table of all expressions on some tasks; tasks beyond it wait."""


class Forms(NamedTuple):
    """The M expressions over lists of L elements, without their constants."""

    weights: NDArray[np.int32]
    """(L, M): an expression's value is the input times its column."""
    cost: NDArray[np.int32]
    """(L, M): how complicated the expression is as the explanation of a position; no two have the same cost."""


@cache
def forms(length: int) -> Forms:
    """All expressions for lists of this length."""
    one = np.eye(length, dtype=np.int32)
    first, second = np.triu_indices(length)
    left, right = np.nonzero(~np.eye(length, dtype=np.bool_))
    columns = [np.zeros((1, length), np.int32), one, -one, one[first] + one[second], one[left] - one[right]]
    weights = np.concatenate(columns)  # (M, L)
    kind = np.repeat(np.arange(len(columns)), [len(column) for column in columns])
    terms = np.array([0, 1, 1, 2, 2])[kind]
    foreign = (weights.T <= 0) & (
        terms > 0
    )  # (L, M): the position's own element is not what the expression starts with
    count = len(weights)
    cost = (4 * terms + foreign) * count + np.arange(count)
    return Forms(np.ascontiguousarray(weights.T), cost.astype(np.int32))


class Fit(NamedTuple):
    """The chosen expression for each position of B tasks."""

    form: NDArray[np.int64]
    """(B, L) number of the expression."""
    constant: NDArray[np.int32]
    """(B, L)"""
    found: NDArray[np.bool_]
    """(B, L) whether any expression fits."""


def fit(inputs: Ints, outputs: Ints) -> Fit:
    """The simplest expressions that agree with all examples. (B, K, L), (B, K, L)"""
    tasks, examples, length = inputs.shape
    weights, cost = forms(length)
    room = max(1, BYTES // (8 * max(1, examples) * length * weights.shape[1]))
    parts = [_fit(inputs[i : i + room], outputs[i : i + room], weights, cost) for i in range(0, tasks, room)]
    return (
        Fit(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        if parts
        else _fit(inputs, outputs, weights, cost)
    )


def _fit(inputs: Ints, outputs: Ints, weights: NDArray[np.int32], cost: NDArray[np.int32]) -> Fit:
    values = inputs.astype(np.int32) @ weights  # (B, K, M)
    rest = outputs.astype(np.int32)[..., None] - values[:, :, None, :]  # (B, K, L, M)
    constant = rest[:, 0]  # (B, L, M)
    fits = (rest == constant[:, None]).all(axis=1)  # (B, L, M)
    price = cost + 2 * weights.shape[1] * (constant != 0)
    price = np.where(fits, price, np.iinfo(np.int32).max)
    form = price.argmin(axis=2)  # (B, L)
    chosen = np.take_along_axis(constant, form[..., None], axis=2)[..., 0]
    return Fit(form, chosen, fits.any(axis=2))


def predict(inputs: Ints, outputs: Ints, new_inputs: Ints) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """What the simplest expressions give for new inputs, and for which tasks every position has one.

    (B, K, L), (B, K, L), (B, Q, L) -> (B, Q, L), (B,)
    """
    form, constant, found = fit(inputs, outputs)
    weights = forms(inputs.shape[2]).weights.T[form]  # (B, L, L): position, element
    predicted = np.einsum("bqi,bpi->bqp", new_inputs.astype(np.int32), weights) + constant[:, None]
    return predicted.astype(np.int32), np.logical_and.reduce(found, axis=1)


def has_closed_form(inputs: Ints, outputs: Ints) -> NDArray[np.bool_]:
    """Which tasks such expressions explain on every example they have. (B, K, L), (B, K, L) -> (B,)"""
    explained: NDArray[np.bool_] = np.logical_and.reduce(fit(inputs, outputs).found, axis=1)
    return explained
