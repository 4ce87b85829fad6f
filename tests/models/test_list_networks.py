"""Networks of restricted C: the operation table, property signatures, latent lists."""

from __future__ import annotations

import pytest
import torch

from lasynth.config import ModelConfig
from lasynth.domains.restricted_c.learning.networks import ListNetworks, PropertyEncoder
from lasynth.domains.restricted_c.learning.operations import operation_table
from tests.models.conftest import small


def test_the_table_has_every_sum_and_difference_in_range() -> None:
    operations, inputs, outputs = operation_table(-4, 4)
    rows = set(zip(operations.tolist(), (inputs - 4).tolist(), (outputs - 4).tolist(), strict=True))
    sums = {(c + 4, i, c + i) for c in range(-4, 5) for i in range(-4, 5) if -4 <= c + i <= 4}
    differences = {(9 + c + 4, i, c - i) for c in range(-4, 5) for i in range(-4, 5) if -4 <= c - i <= 4}
    assert rows == sums | differences
    assert len(operations) == len(rows) == 122


def test_operation_weights_are_the_papers() -> None:
    """P[row] is the product of the two attention weights of its row, normalised."""
    predictor = ListNetworks(small("LaSynth")).operations
    assert predictor is not None
    table = operation_table(-4, 4)
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, 12, generator=generator)
    rows = predictor.values(table.inputs), predictor.values(table.outputs)
    weight_input = (rows[0] @ predictor.score_input(first)).softmax(0)
    weight_output = (rows[1] @ predictor.score_output(second)).softmax(0)
    chosen = weight_input * weight_output / (weight_input * weight_output).sum()
    torch.testing.assert_close(predictor(first, second), chosen @ predictor.embedding(table.operations))

    given, wanted = torch.tensor([0, 3]), torch.tensor([8, 8])
    on_rows = (
        weight_input[torch.isin(table.inputs, given)].sum(),
        weight_output[torch.isin(table.outputs, wanted)].sum(),
    )
    torch.testing.assert_close(predictor.loss(first, second, given, wanted), -(on_rows[0].log() + on_rows[1].log()))


def test_properties_are_per_element() -> None:
    """The paper's own example: the property `Input == Output?`, that is O = 0 + I."""
    encoder = PropertyEncoder(small("PropertySignatures"), torch.nn.Embedding(9, 14))
    given, wanted = torch.tensor([-4, 3, 1, 2, 1]), torch.tensor([-4, 3, 3, 3, 3])
    properties = encoder.properties(given, wanted)  # (L, 2 C)
    assert properties[:, 4].tolist() == [1, 1, 0, 0, 0]
    assert properties[:, 9 + 4].tolist() == [0, 0, 0, 0, 0]  # O = 0 - I
    assert properties[2].nonzero().flatten().tolist() == [4 + 2, 9 + 4 + 4]  # 3 = 2 + 1 and 3 = 4 - 1


def test_a_certain_list_has_no_loss_and_a_wrong_one_a_large_loss() -> None:
    lists = ListNetworks(small("LaSynth"))
    right, wrong = torch.tensor([[0, 8, 3]]), torch.tensor([[0, 8, 4]])
    latent = lists.certain(right)
    assert lists.value_loss(latent, right).item() == 0
    assert lists.value_loss(latent, wrong).item() > 5


@pytest.mark.parametrize("config", [small("LaSynth"), small("LaSynth+")])
def test_an_execution_gives_probabilities_and_distinguishes_places(config: ModelConfig) -> None:
    lists = ListNetworks(config)
    assert lists.executor is not None
    latent = lists.certain(torch.tensor([[[4, 4, 4]]]))  # (1, 1, L, C): equal elements in different places
    after = lists.executor(latent, lists.executor.prepare(torch.zeros(1, 1, config.decoder_hidden)))
    torch.testing.assert_close(after.exp().sum(-1), torch.ones(1, 1, 3))
    assert not torch.allclose(after[0, 0, 0], after[0, 0, 1], atol=1e-6)
