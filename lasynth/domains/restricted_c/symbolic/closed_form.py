"""A baseline without learning: explains each position of the output on its own, without control flow.

For each position it takes the simplest of these expressions that fits the examples, where x is the input: a constant;
x_i + c or c - x_i; x_i + x_j + c or x_i - x_j + c. Within one form, c = 0 is simpler than any other c, and an
expression that adds the position's own element is simpler than one that does not. The result is predictions, not
programs.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.signedinteger[Any]]
BYTES = 50_000_000
"""Memory limit for the table of all expressions; tasks that do not fit in it are processed in later chunks."""


class Forms(NamedTuple):
    """The M expressions over lists of L elements, without their constants."""

    weights: NDArray[np.int32]
    """(L, M): the value of an expression is the input times its column."""
    cost: NDArray[np.int32]
    """(L, M): cost of each expression as the explanation of each position. At one position all costs differ."""


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
    # (L, M): the expression contains elements, but does not add the position's own one
    foreign = (weights.T <= 0) & (terms > 0)
    count = len(weights)
    cost = (4 * terms + foreign) * count + np.arange(count)
    return Forms(np.ascontiguousarray(weights.T), cost.astype(np.int32))


class Fit(NamedTuple):
    """The chosen expression for each position of B tasks."""

    form: NDArray[np.int64]
    """(B, L): index of the expression."""
    constant: NDArray[np.int32]
    """(B, L)"""
    found: NDArray[np.bool_]
    """(B, L): whether any expression fits."""


def fit(inputs: Ints, outputs: Ints) -> Fit:
    """The simplest expressions that fit all examples. (B, K, L), (B, K, L)"""
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
    """Apply the simplest expressions to new inputs, and say for which tasks every position has an expression.

    (B, K, L), (B, K, L), (B, Q, L) -> (B, Q, L), (B,)
    """
    form, constant, found = fit(inputs, outputs)
    weights = forms(inputs.shape[2]).weights.T[form]  # (B, L, L): position, element
    predicted = np.einsum("bqi,bpi->bqp", new_inputs.astype(np.int32), weights) + constant[:, None]
    return predicted.astype(np.int32), np.logical_and.reduce(found, axis=1)


def has_closed_form(inputs: Ints, outputs: Ints) -> NDArray[np.bool_]:
    """Which tasks have, for every position, an expression that fits all examples. (B, K, L), (B, K, L) -> (B,)"""
    explained: NDArray[np.bool_] = np.logical_and.reduce(fit(inputs, outputs).found, axis=1)
    return explained
