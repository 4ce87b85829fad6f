"""Small layers that several networks share: attention, pooling over examples, masked means, the loss of a program.

Letters of shapes are those of `models.base`; `...` stands for any leading axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from lasynth.vocab import PAD

ROWS = 64
"""Numbers of rows are rounded up to powers of two, and above this number to its multiples."""


def few_sizes(count: int, multiple: int = ROWS) -> Tensor:
    """Indices of `count` rows, then of some of them again, so that few numbers of rows occur. (count or more,)

    For each new shape, oneDNN makes new kernels, which often takes longer than the product. The rows that occur again
    are spread over all of them.
    """
    size = -(-count // multiple) * multiple if count > multiple else 1 << (count - 1).bit_length()
    again = size - count
    return torch.cat([torch.arange(count), torch.arange(again) * count // max(1, again)])


class Join(nn.Module):
    """A linear layer over the concatenation of its arguments.

    It is computed as a sum of one product per argument, so that arguments may broadcast: an argument that is the same
    for all examples is multiplied once, not once per example.
    """

    def __init__(self, sizes: Sequence[int], size: int, bias: bool = True) -> None:
        super().__init__()
        whole = nn.Linear(sum(sizes), size, bias)  # one layer, since the scale of initial weights depends on all inputs
        self.weights = nn.ParameterList(part.clone() for part in torch.split(whole.weight.detach(), list(sizes), dim=1))
        self.bias = whole.bias

    def forward(self, *parts: Tensor) -> Tensor:
        total = F.linear(parts[0], self.weights[0], self.bias)
        for part, weight in zip(parts[1:], list(self.weights)[1:], strict=True):
            total = total + F.linear(part, weight)
        return total


class Projected(NamedTuple):
    """A memory of M places as attention reads it. Two tensors, because products with halves of one copy them first."""

    keys: Tensor
    """(..., M, A)"""
    values: Tensor
    """(..., M, A)"""

    def rows(self, index: Tensor) -> Projected:
        """Some rows of the first axis."""
        return Projected(self.keys.index_select(0, index), self.values.index_select(0, index))

    def join(self, other: Projected) -> Projected:
        """The rows of both."""
        return Projected(torch.cat([self.keys, other.keys]), torch.cat([self.values, other.values]))

    def each(self, change: Callable[[Tensor], Tensor]) -> Projected:
        """The same change of keys and values."""
        return Projected(change(self.keys), change(self.values))


class Attention(nn.Module):
    """Luong's attention: a bilinear score, and tanh(W [context; query]) as its result.

    The memory (..., M, D) is multiplied by W and by the matrix of the score in advance: it has fewer rows than there
    are queries, and it stays the same for all of them. Parts of a query are (..., T, size) up to broadcasting.
    """

    def __init__(self, query_sizes: Sequence[int], memory_size: int, size: int) -> None:
        super().__init__()
        self.memory = nn.Linear(memory_size, 2 * size, bias=False)
        self.query = Join(query_sizes, size)
        self.combine = Join(query_sizes, size)

    def project(self, memory: Tensor) -> Projected:
        """(..., M, D) -> (..., M, A) twice"""
        keys, values = self.memory.weight.chunk(2)
        return Projected(F.linear(memory, keys), F.linear(memory, values))

    def forward(
        self, query: Sequence[Tensor], projected: Projected, mask: Tensor | None = None, places: Places | None = None
    ) -> Tensor:
        """(..., T, A); the mask is (..., T, M) of bool. With `places` there are N queries and G memories."""
        return attend(self.query(*query), self.combine(*query), projected, mask, places)


def attend(
    query: Tensor, own: Tensor, projected: Projected, mask: Tensor | None = None, places: Places | None = None
) -> Tensor:
    """Attention for projected queries and a projected memory. (..., T, A) twice -> (..., T, A)"""
    query = query if places is None else places.spread(query)
    scores = torch.matmul(query, projected.keys.transpose(-1, -2)).float()  # (..., T, M)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = softmax_of_few(scores) if places is not None else scores.softmax(-1)
    context = torch.matmul(weights.to(projected.values.dtype), projected.values)  # (..., T, A)
    context = context if places is None else places.collect(context)
    return (context + own).tanh()


def softmax_of_few(scores: Tensor) -> Tensor:
    """Softmax over a last axis with few places. torch's own is slow there. (..., M) -> (..., M)"""
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True)


TASKS, PLACES = 16, 4
"""Like ROWS, for the rows and columns of `Places`."""


class Places(NamedTuple):
    """Places of N queries in a table (G, W): a row per task, with all queries to the memory of this task.

    With the table, one product computes all queries of a task, and its memory is not copied for each query.
    """

    tasks: Tensor
    """(G,) the tasks that have a query, and some of them again, without queries."""
    place: Tensor
    """(N,) the place of each query in the flattened table."""
    width: int
    """W: at least the largest number of queries of a task."""

    @staticmethod
    def of(task: Tensor) -> Places:
        """Places of queries to these tasks, in any order. The table is a little larger than needed, see `few_sizes`.

        (N,)
        """
        tasks, group, counts = torch.unique(task, return_inverse=True, return_counts=True)
        order, begin = group.argsort(stable=True), counts.cumsum(0) - counts
        slot = torch.empty_like(group)
        slot[order] = torch.arange(len(group), device=group.device) - begin[group[order]]
        width = -(-int(counts.max()) // PLACES) * PLACES
        tasks = tasks[few_sizes(len(tasks), TASKS).to(tasks.device)]
        return Places(tasks, group * width + slot, width)

    def spread(self, queries: Tensor) -> Tensor:
        """(N, K, 1, A) -> (G, K, W, A), with zeros in empty places"""
        _, examples, _, size = queries.shape
        table = queries.new_zeros(len(self.tasks) * self.width, examples, size)
        table = table.index_copy(0, self.place, queries.squeeze(2))
        return table.view(len(self.tasks), self.width, examples, size).transpose(1, 2)

    def collect(self, answers: Tensor) -> Tensor:
        """(G, K, W, A) -> (N, K, 1, A)"""
        return answers.transpose(1, 2).flatten(0, 1).index_select(0, self.place).unsqueeze(2)


class TokenAttention(nn.Module):
    """Attention over the embeddings of the lexemes written so far.

    The embeddings have no position, so a lexeme that was written c times has c times the weight of one that was written
    once. Therefore the counts of lexemes, (..., V), are sufficient, and no sum over T is needed.
    """

    def __init__(self, size: int, embedding: nn.Embedding) -> None:
        super().__init__()
        self.embedding = embedding
        self.score = nn.Linear(size, embedding.embedding_dim, bias=False)
        self.combine = Join((embedding.embedding_dim, size), size)

    def forward(self, query: Tensor, counts: Tensor) -> Tensor:
        table = self.embedding.weight  # (V, E)
        scores = F.linear(self.score(query), table).float() + counts.log()  # (..., V); -inf where not written
        context = torch.matmul(scores.softmax(-1).to(query.dtype), table)  # (..., E)
        combined: Tensor = self.combine(context, query)
        return combined.tanh()


def max_over_examples(features: Tensor, present: Tensor) -> Tensor:
    """The maximum of each feature over the present examples. (B, K, ..., H), (B, K) or (B, K, T) -> (B, ..., H)"""
    mask = present.reshape(*present.shape, *(1 for _ in features.shape[present.dim() :]))
    return features.masked_fill(~mask, -torch.inf).amax(1)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of the values of each row where the mask is true; 0 if it is true nowhere. (B, ...) -> (B,)"""
    values, mask = values.flatten(1), mask.flatten(1)
    return values.masked_fill(~mask, 0.0).sum(1) / mask.sum(1).clamp(min=1)


def program_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """The negative log-probability of each program, without PAD. (B, T, V), (B, T) -> (B,)"""
    losses = F.cross_entropy(logits.float().transpose(1, 2), tokens, ignore_index=PAD, reduction="none")
    return losses.sum(1)


class FeatureEncoder(nn.Module):
    """Encodes a state and the wanted output by yes-or-no features of the two: a `models.cursor.StateEncoder`.

    The first layer adds up the embeddings of the features that hold. Few do, so this is far cheaper than a product.
    """

    def __init__(self, see: Callable[..., tuple[NDArray[Any], NDArray[Any]]], features: int, hidden: int) -> None:
        """`see` gives the features of R states, one after the other, and where those of each begin.

        (R, *), (R, *) -> (N,), (R,)
        """
        super().__init__()
        self.see = see
        self.seen = nn.EmbeddingBag(features, hidden, mode="sum")
        nn.init.normal_(self.seen.weight, std=0.1)  # about a hundred features hold at once
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.deeper = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, 2 * hidden)

    def forward(self, states: Tensor, outputs: Tensor) -> Tensor:
        """(R, K, *) twice -> (R, K, 2 hidden)"""
        rows, examples, width = states.shape
        features, begins = self.see(states.reshape(-1, width).cpu().numpy(), outputs.reshape(-1, width).cpu().numpy())
        device = self.bias.device
        held = self.seen(torch.from_numpy(features).to(device), torch.from_numpy(begins).to(device))
        known = F.relu(held + self.bias)
        known = known + F.relu(self.deeper(known))
        seen: Tensor = self.output(known)
        return seen.view(rows, examples, -1)
