"""The operation table and its predictor: which sum or difference gives the output's element from the input's.

Values are numbers 0 .. C-1, counted from the smallest value.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class OperationTable(NamedTuple):
    """The R rows [operation, I, O] with O = c + I or O = c - I, for all possible c, I and O. Each column is (R,)."""

    operations: Tensor
    """Numbers of operations: first all sums, in the order of c, then all differences."""
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
    """Attends to the input and output columns of the table. The result is the expected embedding of the operation."""

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
        for name, column in (("inputs", table.inputs), ("outputs", table.outputs)):
            is_value = nn.functional.one_hot(column, count).T  # (C, R): 1 where a row has the value
            self.register_buffer(name, is_value.float().contiguous(), persistent=False)

    def forward(self, attended_input: Tensor, attended_output: Tensor) -> Tensor:
        """The expected embedding of the operation. (..., A), (..., A) -> (..., size)"""
        scores_input, scores_output = self._scores(attended_input, attended_output)
        rows = (scores_input @ self.inputs + scores_output @ self.outputs).float()  # log of the product of both weights
        expected: Tensor = rows.softmax(-1).to(attended_input.dtype) @ self.embedding(self.operations)
        return expected

    def loss(self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor) -> Tensor:
        """Minus the log of the weight of all rows whose value occurs in the list, summed over both columns.

        The paper's target is one value. A list has several elements, so any of them counts as right.
        (..., A), (..., A), (..., L), (..., L) -> (...)
        """
        scores_input, scores_output = self._scores(attended_input, attended_output)
        return _weight_loss(scores_input, self.inputs, inputs) + _weight_loss(scores_output, self.outputs, outputs)

    def _scores(self, attended_input: Tensor, attended_output: Tensor) -> tuple[Tensor, Tensor]:
        """Scores per value, because the score of a row depends only on its value. (..., A) -> (..., C), (..., C)"""
        table = self.values.weight  # (C, E)
        keys_input, keys_output = table @ self.score_input.weight, table @ self.score_output.weight  # (C, A)
        return attended_input @ keys_input.T, attended_output @ keys_output.T


def _weight_loss(scores: Tensor, column: Tensor, lists: Tensor) -> Tensor:
    """Loss of one column. Scores (..., C), the column's values (C, R), lists (..., L) -> (...)"""
    right = (nn.functional.one_hot(lists, len(column)).amax(-2).float() @ column) > 0.5  # (..., R)
    rows = (scores @ column).float()
    return rows.logsumexp(-1) - rows.masked_fill(~right, -torch.inf).logsumexp(-1)
