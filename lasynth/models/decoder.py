"""The program decoder: an LSTM over lexemes, attention to the examples, pooling over them, attention to what was written.

Knows nothing of execution: the things it attends to are given as views, for one moment or for all moments of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import Attention, Join, Places, TokenAttention, max_over_examples

INPUT, OUTPUT, LATENT = 0, 1, 2
"""Order in which views are given."""


class View(NamedTuple):
    """Something to attend to."""

    projected: Tensor
    """(B, K, M, 2 A): what the attention to this view has made of its features."""
    mask: Tensor | None = None
    """(B, 1, T, M) of bool: which of it exists at which moment; None for all."""
    places: Places | None = None
    """Which of N hypotheses the B are for; None if there is one for each."""


class Overview(NamedTuple):
    """What all examples of a task say together. Knows no time."""

    summary: Tensor | None
    """(B, G): enters the choice of every lexeme as it is."""
    consensus: View | None
    """Of K = 1: what the examples have in common, to attend to."""


class Memory(NamedTuple):
    """What the decoder's LSTM remembers. E is 1 for a shared decoder and K for one per example."""

    hidden: Tensor
    """(layers, B, E, H)"""
    cell: Tensor
    """As hidden."""

    def reorder(self, index: Tensor) -> Memory:
        return Memory(self.hidden.index_select(1, index), self.cell.index_select(1, index))


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig, vocabulary: int, view_sizes: Sequence[int]) -> None:
        """`view_sizes` are the sizes of the features of input, output and, if it is a view of its own, latent value."""
        super().__init__()
        views = len(view_sizes)
        size, attended = config.decoder_hidden, config.attention_hidden
        self.shared = config.decoder == "shared"
        self.layers = config.decoder_layers
        self.fed_size = views * attended if config.input_feeding else 0
        self.embedding = nn.Embedding(vocabulary, config.embedding)
        self.begin = Join(view_sizes[:LATENT], 2 * config.decoder_layers * size)
        self.lstm = nn.LSTM(config.embedding + self.fed_size, size, config.decoder_layers, batch_first=True)
        self.order = [OUTPUT, INPUT] if config.double_attention == "output_first" else [INPUT, OUTPUT]
        self.order += [LATENT] * (views > LATENT)
        self.attentions = nn.ModuleList(
            Attention((size,) if view == self.order[0] else (size, attended), view_size, attended)
            for view, view_size in enumerate(view_sizes)
        )
        self.merge = Join([attended] * (views + config.operation_predictor), attended)
        self.recall = TokenAttention(attended, self.embedding) if config.token_attention else None
        self.consensus = Attention((size,), view_sizes[OUTPUT], 2 * attended) if config.consensus else None
        sizes = [attended, attended, size] if config.output_from == "all" else []
        sizes += [2 * attended] * config.consensus
        self.gather = Join(sizes, 2 * attended) if sizes else None
        self.summary = Join(view_sizes[:LATENT], config.summary) if config.summary else None
        self.recap = nn.Linear(config.summary, 2 * attended, bias=False) if config.summary else None
        self.output = nn.Linear(2 * attended if sizes else attended, vocabulary)

    def start(self, inputs: Tensor, outputs: Tensor, present: Tensor) -> Memory:
        """Before the first lexeme, from the examples' features. (B, K, L, D) twice, (B, K)"""
        begun = self.begin(inputs.mean(2), outputs.mean(2)).float()  # (B, K, 2 layers H)
        if self.shared:
            begun = max_over_examples(begun, present).unsqueeze(1)
        hidden, cell = begun.unflatten(-1, (2, self.layers, -1)).permute(2, 3, 0, 1, 4)
        return Memory(hidden.tanh().contiguous(), cell.contiguous())

    def overview(self, inputs: Tensor, outputs: Tensor, present: Tensor) -> Overview:
        """(B, K, L, D) twice, (B, K)"""
        summary = consensus = None
        if self.summary is not None and self.recap is not None:
            summary = self.recap(max_over_examples(self.summary(inputs.mean(2), outputs.mean(2)), present).relu())
        if self.consensus is not None:
            consensus = View(self.consensus.project(max_over_examples(outputs, present).unsqueeze(1)))
        return Overview(summary, consensus)

    def advance(self, memory: Memory, tokens: Tensor, fed: Tensor | None) -> tuple[Tensor, Memory]:
        """States after each of these lexemes. (B, T) and, if it is fed, (B, E, 1, F) -> (B, E, T, H)"""
        _, rows, decoders, size = memory.hidden.shape
        embedded = self.embedding(tokens).unsqueeze(1).expand(-1, decoders, -1, -1)  # (B, E, T, embedding)
        if fed is not None:
            embedded = torch.cat([embedded, fed.to(embedded.dtype)], -1)
        states, (hidden, cell) = self.lstm(
            embedded.flatten(0, 1), (memory.hidden.flatten(1, 2), memory.cell.flatten(1, 2))
        )
        shape = (self.layers, rows, decoders, size)
        return states.unflatten(0, (rows, decoders)), Memory(hidden.view(shape), cell.view(shape))

    def project(self, view: int, features: Tensor) -> Tensor:
        """A view's features as `View` holds them. (..., D) -> (..., 2 A)"""
        attention = self.attentions[view]
        assert isinstance(attention, Attention)
        return attention.project(features)

    def attend(self, hidden: Tensor, views: Sequence[View]) -> list[Tensor]:
        """What is seen of each view, each in the light of the one before. (B, E, T, H) -> views x (B, K, T, A)"""
        seen: dict[int, Tensor] = {}
        query = [hidden]
        for view in self.order:
            seen[view] = self.attentions[view](query, *views[view])
            query = [hidden, seen[view]]
        return [seen[view] for view in sorted(seen)]

    def predict(
        self, hidden: Tensor, seen: Sequence[Tensor], present: Tensor, counts: Tensor, overview: Overview
    ) -> Tensor:
        """Scores of the next lexeme.

        (B, E, T, H), views (and operation) x (B, K, T, A), (B, K), (B, T, V) -> (B, T, V)
        """
        pooled = max_over_examples(self.merge(*seen).tanh(), present)  # (B, T, A)
        last = pooled if self.recall is None else self.recall(pooled, counts)
        if self.gather is not None:
            own = hidden.squeeze(1) if self.shared else max_over_examples(hidden, present)  # (B, T, H)
            parts = [pooled, last, own]
            if self.consensus is not None and overview.consensus is not None:
                parts.append(self.consensus([own.unsqueeze(1)], *overview.consensus).squeeze(1))
            gathered = self.gather(*parts)
            last = F.gelu(gathered if overview.summary is None else gathered + overview.summary.unsqueeze(1))
        scores: Tensor = self.output(last)
        return scores.float()

    def feed(self, seen: Sequence[Tensor], present: Tensor) -> Tensor | None:
        """What the next step is fed of what this one saw, if anything. views x (B, K, 1, A) -> (B, E, 1, F)"""
        if not self.fed_size:
            return None
        together = torch.cat(list(seen), -1)
        return max_over_examples(together, present).unsqueeze(1) if self.shared else together
