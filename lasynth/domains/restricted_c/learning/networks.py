"""Networks over lists: three encoders, two executors, and the definition of a latent list.

Networks see an element as a number 0 .. C-1, counted from the smallest value. A latent list is a tensor (..., L, C):
for each element, the log-probabilities of the C values that it may have. Leading axes are rows of any kind, then K
examples. The networks do not depend on the decoder or on the search.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.domains.restricted_c.learning.operations import OperationPredictor
from lasynth.domains.restricted_c.learning.values import ListConfig
from lasynth.layers import Attention, Join, attend
from lasynth.task import InputError

CERTAIN = -20.0
"""Log-probability of a value that an element certainly does not have. It is finite, so that sums stay finite."""
RELATIONS = 32
"""R: number of features of a pair of values and a third value."""


class ListNetworks(nn.Module):
    """`lasynth.models.networks.Networks` of restricted C."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        lists = lists_of(config)
        if config.architecture != "encoder_decoder":
            raise InputError(f"restricted C has no networks for architecture: {config.architecture}")
        if config.channels != ModelConfig.channels:
            raise InputError("channels has no effect in restricted C: its values are no grids")
        if config.operation_predictor and not lists.smallest_value <= 0 <= lists.largest_value:
            raise InputError("operation_predictor needs a range of values with 0 in it")
        self.lists = lists
        values = nn.Embedding(lists.count, config.embedding)
        self.feature_size = 2 * config.hidden
        self.encoder = ENCODERS[config.encoder](config, values)
        self.executor = EXECUTORS[config.executor_network](config, values) if config.learns_execution else None
        self.latent_encoder = LatentEncoder(config) if config.latent_view == "beside" else None
        self.operations = (
            OperationPredictor(lists.smallest_value, lists.largest_value, values, config.hidden, config.hidden)
            if config.operation_predictor
            else None
        )

    def numbers(self, lists: Tensor) -> Tensor:
        """Elements as numbers 0 .. C-1, clamped to the range of values. (..., L) -> (..., L)"""
        smallest, largest = self.lists.smallest_value, self.lists.largest_value
        return lists.long().clamp(smallest, largest) - smallest

    def certain(self, lists: Tensor) -> Tensor:
        """The latent list that is certainly this list. (..., L) -> (..., L, C)"""
        return (1.0 - F.one_hot(lists, self.lists.count)) * CERTAIN

    def value_loss(self, latent: Tensor, lists: Tensor) -> Tensor:
        """Cross-entropy with the true list, averaged over its elements. (..., L, C), (..., L) -> (...)"""
        return -latent.gather(-1, lists.unsqueeze(-1)).squeeze(-1).mean(-1)

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        assert self.operations is not None
        return self.operations.loss(attended_input, attended_output, inputs, outputs)


def lists_of(config: ModelConfig) -> ListConfig:
    """The config's part about lists."""
    assert isinstance(config.values, ListConfig)
    return config.values


class ListEncoder(nn.Module):
    """A bidirectional LSTM for the input and one for the output, which also attends to the elements of the input."""

    def __init__(self, config: ModelConfig, values: nn.Embedding) -> None:
        super().__init__()
        self.values = values
        self.input = _bidirectional(config.embedding, config.hidden, config.layers)
        self.output = _bidirectional(config.embedding, config.hidden, config.layers)
        self.attention = Attention((2 * config.hidden,), 2 * config.hidden, 2 * config.hidden)

    def prepare(self, outputs: Tensor) -> Tensor:
        """The output's side of the attention, which all latent lists of a task share. (..., L) -> (..., L, 2 D)"""
        wanted = _over_elements(self.output, self.values(outputs))
        return torch.cat([self.attention.query(wanted), self.attention.combine(wanted)], -1)

    def forward(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """Features of input and output elements. (..., L, C), (..., L, 2 D) -> (..., L, D), (..., L, D)"""
        inputs = _over_elements(self.input, soft_embedding(latent, self.values))
        query, own = prepared.chunk(2, -1)
        return inputs, attend(query, own, self.attention.project(inputs))


class PairEncoder(nn.Module):
    """Encodes each pair of input and output element in the same place, with the other input elements, then all pairs.

    Every pair of values has its own embedding, so that the model need not learn `one more` or `unchanged` as
    arithmetic. So has every pair with a third value, for `the sum of itself and the second element`. Every place has
    its own weights, so that the decoder can easily see that `the third element changed`.
    """

    def __init__(self, config: ModelConfig, values: nn.Embedding) -> None:
        super().__init__()
        size, lists = 2 * config.hidden, lists_of(config)
        self.length, self.count = lists.list_length, lists.count
        self.pair = nn.Embedding(self.count**2, config.embedding)
        self.place = nn.Embedding(self.length, config.embedding)
        self.triple = nn.Embedding(self.count**2, self.count * RELATIONS)
        self.relations = nn.Linear(self.length * RELATIONS, config.embedding)
        self.whole = nn.Linear(self.length * config.embedding, size)
        self.features = Join((config.embedding, size), size)
        self.norm = nn.LayerNorm(size)

    def prepare(self, outputs: Tensor) -> Tensor:
        """The output, which all latent lists of a task share. (..., L) -> (..., L, C)"""
        return F.one_hot(outputs, self.count).float()

    def forward(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """As `ListEncoder`; both features are the same. (..., L, C), (..., L, C) -> (..., L, D), (..., L, D)"""
        length = latent.shape[-2]
        together = pairs(latent, prepared)  # (..., L, C C)
        own = together @ self.pair.weight + self.place.weight[:length]  # (..., L, E)
        elements = F.gelu(own + self.relations(self._beside_others(latent, together)))
        padded = F.pad(elements, (0, 0, 0, self.length - length)).flatten(-2)
        whole = F.gelu(self.whole(padded)).unsqueeze(-2)  # (..., 1, D)
        features = self.norm(F.gelu(self.features(elements, whole)))
        return features, features

    def _beside_others(self, latent: Tensor, together: Tensor) -> Tensor:
        """Features of each pair with each input element. (..., L, C), (..., L, C C) -> (..., L, list length x R)"""
        rows, length = latent.shape[:-2], latent.shape[-2]
        asked = (together @ self.triple.weight).view(*rows, length, self.count, RELATIONS)
        asked = asked.transpose(-3, -2).flatten(-2)  # (..., C, L R): for each value that an input may have
        answers = latent.exp().to(asked.dtype) @ asked  # (..., L, L R): of each input to each pair
        answers = answers.view(*rows, length, length, RELATIONS).transpose(-3, -2).flatten(-2)
        return F.pad(answers, (0, (self.length - length) * RELATIONS))


class PropertyEncoder(nn.Module):
    """A bidirectional LSTM over each element's properties: O = c + I? and O = c - I? for every value c."""

    def __init__(self, config: ModelConfig, values: nn.Embedding) -> None:
        super().__init__()
        lists = lists_of(config)
        self.smallest = lists.smallest_value
        self.constants: Tensor
        constants = torch.arange(lists.smallest_value, lists.largest_value + 1)
        self.register_buffer("constants", constants, persistent=False)
        self.lstm = _bidirectional(2 * lists.count, config.hidden, config.layers)

    def prepare(self, outputs: Tensor) -> Tensor:
        return outputs

    def forward(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """As `ListEncoder`, but both features are the same, because properties are of input and output together."""
        inputs = latent.argmax(-1) + self.smallest  # (..., L)
        features = _over_elements(self.lstm, self.properties(inputs, prepared + self.smallest))
        return features, features

    def properties(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """1 where a property holds. (..., L), (..., L) -> (..., L, 2 C)"""
        i, o = inputs.unsqueeze(-1), outputs.unsqueeze(-1)
        return torch.cat([o == self.constants + i, o == self.constants - i], -1).float()


ENCODERS = {"lists": ListEncoder, "pairs": PairEncoder, "properties": PropertyEncoder}


class LstmExecutor(nn.Module):
    """The paper's executor: a bidirectional LSTM over the elements, started from the decoder's state."""

    def __init__(self, config: ModelConfig, values: nn.Embedding) -> None:
        super().__init__()
        self.values = values
        self.states, self.hidden = 2 * config.layers, config.hidden
        self.begin = nn.Linear(config.decoder_hidden, self.states * self.hidden)
        self.lstm = _bidirectional(config.embedding, config.hidden, config.layers)
        self.output = nn.Linear(2 * config.hidden, values.num_embeddings)

    def prepare(self, hidden: Tensor) -> Tensor:
        """The part of an execution that depends only on the decoder's state. (..., decoder) -> (..., X)"""
        begun: Tensor = self.begin(hidden)
        return begun.tanh()

    def forward(self, latent: Tensor, context: Tensor) -> Tensor:
        """The latent list after one execution. (R, K, L, C), (R, 1 or K, X) -> (R, K, L, C)"""
        rows = latent.shape[:-2]
        elements = soft_embedding(latent, self.values).flatten(0, -3)  # (R K, L, E)
        begin = context.expand(*rows, -1).reshape(-1, self.states, self.hidden).transpose(0, 1).contiguous()
        features = self.lstm(elements.to(begin.dtype), (begin, torch.zeros_like(begin)))[0]
        scores: Tensor = self.output(features)
        return scores.float().log_softmax(-1).view_as(latent)  # not in half precision: errors add up along a chain


class WholeExecutor(nn.Module):
    """A small executor that sees all elements at once. The decoder's state scales and shifts its hidden units.

    Scaling lets the decoder's state select elements: `a[i] = a[j]` reads and writes where the program says.
    """

    def __init__(self, config: ModelConfig, values: nn.Embedding) -> None:
        super().__init__()
        size, self.length = config.decoder_hidden, lists_of(config).list_length
        whole = self.length * values.num_embeddings
        self.begin = nn.Linear(config.decoder_hidden, 2 * size)
        self.first = nn.Linear(whole, size)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(size), nn.Linear(size, size), nn.GELU(), nn.Linear(size, size))
            for _ in range(config.layers)
        )
        self.output = nn.Linear(size, whole + self.length)  # new values, and a gate for each element

    def prepare(self, hidden: Tensor) -> Tensor:
        prepared: Tensor = self.begin(hidden)
        return prepared

    def forward(self, latent: Tensor, context: Tensor) -> Tensor:
        """As `LstmExecutor`."""
        length = latent.shape[-2]
        scale, shift = context.chunk(2, -1)  # (R, 1 or K, U)
        values = F.pad(latent.exp(), (0, 0, 0, self.length - length)).flatten(-2)
        known = F.gelu(self.first(values) * (1 + scale) + shift)  # (R, K, U)
        for block in self.blocks:
            known = known + block(known)
        scores: Tensor = self.output(known)
        return update(latent, scores.view(*latent.shape[:-2], self.length, -1)[..., :length, :])


EXECUTORS: dict[str, type[LstmExecutor | WholeExecutor]] = {"lstm": LstmExecutor, "whole": WholeExecutor}


class LatentEncoder(nn.Module):
    """Encodes what is left to do: each element's pair of latent and wanted value, and the features of the example."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        features = 2 * config.hidden
        self.size, self.count = config.hidden, lists_of(config).count
        self.base = Join((features, features), config.hidden)
        self.pair = nn.Embedding(self.count**2, config.hidden)

    def prepare(self, inputs: Tensor, outputs: Tensor, wanted: Tensor) -> Tensor:
        """The part that all latent lists of a task share. (..., L, D), (..., L, D), (..., L) -> (..., L, C + Z)"""
        return torch.cat([F.one_hot(wanted, self.count), self.base(inputs, outputs)], -1)

    def forward(self, latent: Tensor, base: Tensor) -> Tensor:
        """(..., L, C), (..., L, C + Z) -> (..., L, Z)"""
        return F.gelu(pairs(latent, base[..., : self.count]) @ self.pair.weight + base[..., self.count :])


def soft_embedding(latent: Tensor, values: nn.Embedding) -> Tensor:
    """The expected embedding of each element. (..., L, C) -> (..., L, E)"""
    return latent.exp() @ values.weight


def pairs(latent: Tensor, wanted: Tensor) -> Tensor:
    """Probability of each pair of a latent and a wanted value. (..., L, C), (..., L, C) -> (..., L, C C)"""
    return (latent.exp().unsqueeze(-1) * wanted.unsqueeze(-2)).flatten(-2)


def update(latent: Tensor, scores: Tensor) -> Tensor:
    """The latent list after an execution. `scores` are those of the new values, then a gate: the score of a change.

    (..., L, C), (..., L, C + 1) -> (..., L, C)
    """
    scores = scores.float()  # not in half precision: errors add up along a chain of executions
    written, gate = scores[..., :-1].log_softmax(-1), scores[..., -1:]
    return torch.logaddexp(latent + F.logsigmoid(-gate), written + F.logsigmoid(gate))


def _bidirectional(inputs: int, hidden: int, layers: int) -> nn.LSTM:
    return nn.LSTM(inputs, hidden, layers, batch_first=True, bidirectional=True)


def _over_elements(lstm: nn.LSTM, elements: Tensor) -> Tensor:
    """(..., L, E) -> (..., L, D)"""
    features: Tensor = lstm(elements.flatten(0, -3))[0]
    return features.view(*elements.shape[:-1], -1)
