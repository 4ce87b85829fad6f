"""The operation table and its predictor: which sum or difference leads from an input's element to the output's.

Knows values by their numbers 0 .. C-1 only; what they stand for is given at construction.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class OperationTable(NamedTuple):
    """Rows [operation, I, O] of all O = c + I and O = c - I in which c, I and O are possible values; R of each."""

    operations: Tensor
    """Numbers of operations: those of + first, in the order of c, then those of -."""
    inputs: Tensor
    outputs: Tensor


def operation_table(smallest: int, largest: int) -> OperationTable:
    values = range(smallest, largest + 1)
    count = len(values)
    rows = [
        (half * count + c - smallest, i - smallest, o - smallest)
        for half, sign in enumerate((1, -1))
        for c in values
        for i in values
        if (o := c + sign * i) in values
    ]
    return OperationTable(*torch.tensor(rows).unbind(1))


class OperationPredictor(nn.Module):
    """Attends to the table's columns of inputs and outputs, and gives the expected operation's embedding."""

    def __init__(self, smallest: int, largest: int, values: nn.Embedding, query_size: int, size: int) -> None:
        super().__init__()
        table = operation_table(smallest, largest)
        count = values.num_embeddings
        self.values = values
        self.score_input = nn.Linear(query_size, values.embedding_dim, bias=False)
        self.score_output = nn.Linear(query_size, values.embedding_dim, bias=False)
        self.embedding = nn.Embedding(2 * count, size)
        self.operations: Tensor
        self.inputs: Tensor
        self.outputs: Tensor
        self.register_buffer("operations", table.operations, persistent=False)
        for name, column in (
            ("inputs", table.inputs),
            ("outputs", table.outputs),
        ):  # (C, R): 1 where a row has the value
            self.register_buffer(name, nn.functional.one_hot(column, count).T.float().contiguous(), persistent=False)

    def forward(self, attended_input: Tensor, attended_output: Tensor) -> Tensor:
        """The expected operation. (..., A), (..., A) -> (..., size)"""
        scores_input, scores_output = self._scores(attended_input, attended_output)
        rows = (scores_input @ self.inputs + scores_output @ self.outputs).float()  # log of the product of weights
        expected: Tensor = rows.softmax(-1).to(attended_input.dtype) @ self.embedding(self.operations)
        return expected

    def loss(self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor) -> Tensor:
        """Minus the log of the weight on rows whose value occurs in the list, for both columns. (.., A), (.., L) -> (..)

        A list has several elements and the paper's target is one value: any element is right.
        """
        scores_input, scores_output = self._scores(attended_input, attended_output)
        return _weight_loss(scores_input, self.inputs, inputs) + _weight_loss(scores_output, self.outputs, outputs)

    def _scores(self, attended_input: Tensor, attended_output: Tensor) -> tuple[Tensor, Tensor]:
        """A row's score depends on its value only, so there is one score per value. (..., A) -> (..., C), (..., C)"""
        table = self.values.weight  # (C, E)
        keys_input, keys_output = table @ self.score_input.weight, table @ self.score_output.weight  # (C, A)
        return attended_input @ keys_input.T, attended_output @ keys_output.T


def _weight_loss(scores: Tensor, column: Tensor, lists: Tensor) -> Tensor:
    """(..., C) scores, (C, R) the column's values, (..., L) lists -> (...)"""
    right = (nn.functional.one_hot(lists, len(column)).amax(-2).float() @ column) > 0.5  # (..., R)
    rows = (scores @ column).float()
    return rows.logsumexp(-1) - rows.masked_fill(~right, -torch.inf).logsumexp(-1)
