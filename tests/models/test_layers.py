"""Layers against their definitions."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from lasynth.layers import (
    Attention,
    Join,
    Places,
    TokenAttention,
    few_sizes,
    masked_mean,
    max_over_examples,
    program_loss,
)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def test_few_sizes_keep_all_rows_and_repeat_each_at_most_once() -> None:
    sizes = set()
    for count in range(1, 1025):
        rows = few_sizes(count, 64).tolist()
        assert rows[:count] == list(range(count))
        assert len(set(rows[count:])) == len(rows) - count
        assert max(rows) < count <= len(rows) < 2 * count
        sizes.add(len(rows))
    assert len(sizes) == 7 + 1024 // 64 - 1


def test_join_is_a_linear_layer_over_the_concatenation(generator: torch.Generator) -> None:
    join = Join((3, 4), 5)
    same_for_all, own = torch.randn(2, 1, 3, generator=generator), torch.randn(2, 6, 4, generator=generator)
    together = torch.cat([same_for_all.expand(2, 6, 3), own], -1)
    expected = nn.functional.linear(together, torch.cat(list(join.weights), 1), join.bias)
    torch.testing.assert_close(join(same_for_all, own), expected)


def test_token_attention_is_attention_over_every_lexeme_written(generator: torch.Generator) -> None:
    layer = TokenAttention(5, nn.Embedding(7, 3))
    query, written = torch.randn(5, generator=generator), torch.tensor([1, 4, 4, 6, 4])
    embedded = layer.embedding(written)
    weights = (embedded @ layer.score(query)).softmax(0)
    expected = layer.combine(weights @ embedded, query).tanh()
    counts = nn.functional.one_hot(written, 7).sum(0).float()
    torch.testing.assert_close(layer(query, counts), expected)


def test_absent_examples_are_not_pooled(generator: torch.Generator) -> None:
    features = torch.randn(1, 3, 4, 2, generator=generator)
    pooled = max_over_examples(features, torch.tensor([[True, False, True]]))
    torch.testing.assert_close(pooled, features[:, [0, 2]].amax(1))


def test_a_masked_mean_of_no_values_is_zero() -> None:
    values, mask = torch.tensor([[1.0, 5.0], [2.0, torch.inf]]), torch.tensor([[True, True], [False, False]])
    assert masked_mean(values, mask).tolist() == [3.0, 0.0]


def test_padding_does_not_count_in_the_loss(generator: torch.Generator) -> None:
    logits = torch.randn(1, 3, 5, generator=generator)
    loss = program_loss(logits, torch.tensor([[3, 2, 0]]))
    expected = -logits.log_softmax(-1)[0, [0, 1], [3, 2]].sum()
    torch.testing.assert_close(loss, expected.unsqueeze(0))


def test_a_shared_memory_gives_the_same_result_as_a_copy_per_query(generator: torch.Generator) -> None:
    attention, task = Attention((4,), 3, 6), torch.tensor([2, 0, 2, 5, 2, 0])
    memory = attention.project(torch.randn(6, 2, 5, 3, generator=generator))
    places = Places.of(task)
    for examples in (1, 2):  # one query for all examples, or one for each
        query = [torch.randn(len(task), examples, 1, 4, generator=generator)]
        copied = attention(query, memory.rows(task))
        shared = attention(query, memory.rows(places.tasks), places=places)
        torch.testing.assert_close(shared, copied)
