"""The program decoder: LSTM over lexemes, attention to the examples, pooling over them, attention to earlier lexemes.

It does not depend on execution. It attends to views, which are given for one moment or for all moments of a program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import Attention, Join, Places, Projected, TokenAttention, max_over_examples

INPUT, OUTPUT, LATENT = 0, 1, 2
"""Numbers of the views. The decoder attends to the output first. The result is part of the query to the input, and that
result is part of the query to the latent value, if that is a separate view."""
ORDER = (OUTPUT, INPUT, LATENT)


class View(NamedTuple):
    """A memory that the decoder attends to."""

    projected: Projected
    """(B, K, M, A)"""
    mask: Tensor | None = None
    """(B, 1, T, M) of bool: which of the M places are visible at which moment; None for all."""
    places: Places | None = None
    """Which of the B rows each of N hypotheses attends to; None if each has its own row."""


class Overview(NamedTuple):
    """Features of all examples of a task together. They stay the same while a program is written."""

    summary: Tensor | None
    """(B, G): added to the features that predict each lexeme."""
    consensus: View | None
    """A view with K = 1 of what the examples have in common."""


class Memory(NamedTuple):
    """State of the decoder's LSTM. E is 1 for a shared decoder and K for one decoder per example."""

    hidden: Tensor
    """(layers, B, E, H)"""
    cell: Tensor
    """As hidden."""

    def reorder(self, index: Tensor) -> Memory:
        return Memory(self.hidden.index_select(1, index), self.cell.index_select(1, index))


class Decoder(nn.Module):
    def __init__(self, config: ModelConfig, vocabulary: int, view_sizes: Sequence[int]) -> None:
        """`view_sizes`: feature sizes of the input, the output and, if it is a separate view, the latent value."""
        super().__init__()
        views = len(view_sizes)
        size, attended = config.decoder_hidden, config.hidden
        self.shared = config.decoder == "shared"
        self.layers = config.layers
        self.fed_size = views * attended if config.input_feeding else 0
        self.embedding = nn.Embedding(vocabulary, config.embedding)
        self.begin = Join(view_sizes[:LATENT], 2 * config.layers * size)
        self.lstm = nn.LSTM(config.embedding + self.fed_size, size, config.layers, batch_first=True)
        self.order = ORDER[:views]
        self.attentions = nn.ModuleList(
            Attention((size,) if view == ORDER[0] else (size, attended), view_size, attended)
            for view, view_size in enumerate(view_sizes)
        )
        self.merge = Join([attended] * (views + config.operation_predictor), attended)
        self.recall = TokenAttention(attended, self.embedding) if config.token_attention else None
        wide, overview = 2 * attended, config.overview
        self.consensus = Attention((size,), view_sizes[OUTPUT], wide) if overview else None
        self.gather = Join([attended, attended, size, wide], wide) if overview else None
        self.summary = Join(view_sizes[:LATENT], overview) if overview else None
        self.recap = nn.Linear(overview, wide, bias=False) if overview else None
        self.output = nn.Linear(wide if overview else attended, vocabulary)

    def start(self, inputs: Tensor, outputs: Tensor, present: Tensor) -> Memory:
        """The state before the first lexeme, from the examples' features. (B, K, L, D) twice, (B, K)"""
        begun = self.begin(inputs.mean(2), outputs.mean(2)).float()  # (B, K, 2 layers H)
        if self.shared:
            begun = max_over_examples(begun, present).unsqueeze(1)
        hidden, cell = begun.unflatten(-1, (2, self.layers, -1)).permute(2, 3, 0, 1, 4)
        return Memory(hidden.tanh().contiguous(), cell.contiguous())

    def overview(self, inputs: Tensor, outputs: Tensor, present: Tensor) -> Overview:
        """The overview of the examples with these features; empty if the config has none. (B, K, L, D) twice, (B, K)"""
        if self.summary is None or self.recap is None or self.consensus is None:
            return Overview(None, None)
        summary = self.recap(max_over_examples(self.summary(inputs.mean(2), outputs.mean(2)), present).relu())
        return Overview(summary, View(self.consensus.project(max_over_examples(outputs, present).unsqueeze(1))))

    def advance(self, memory: Memory, tokens: Tensor, fed: Tensor | None) -> tuple[Tensor, Memory]:
        """States after each of these lexemes. (B, T) and, with input feeding, (B, E, 1, F) -> (B, E, T, H)"""
        _, rows, decoders, size = memory.hidden.shape
        embedded = self.embedding(tokens).unsqueeze(1).expand(-1, decoders, -1, -1)  # (B, E, T, embedding)
        if fed is not None:
            embedded = torch.cat([embedded, fed.to(embedded.dtype)], -1)
        states, (hidden, cell) = self.lstm(
            embedded.flatten(0, 1), (memory.hidden.flatten(1, 2), memory.cell.flatten(1, 2))
        )
        shape = (self.layers, rows, decoders, size)
        return states.unflatten(0, (rows, decoders)), Memory(hidden.view(shape), cell.view(shape))

    def project(self, view: int, features: Tensor) -> Projected:
        """A view's features as `View` holds them. (..., D) -> (..., A) twice"""
        attention = self.attentions[view]
        assert isinstance(attention, Attention)
        return attention.project(features)

    def attend(self, hidden: Tensor, views: Sequence[View]) -> list[Tensor]:
        """Attend to each view, with the result of the view before in the query. (B, E, T, H) -> views x (B, K, T, A)"""
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
        if self.gather is not None and self.consensus is not None:
            assert overview.summary is not None
            assert overview.consensus is not None
            own = hidden.squeeze(1) if self.shared else max_over_examples(hidden, present)  # (B, T, H)
            common = self.consensus([own.unsqueeze(1)], *overview.consensus).squeeze(1)  # (B, T, 2 A)
            last = F.gelu(self.gather(pooled, last, own, common) + overview.summary.unsqueeze(1))
        scores: Tensor = self.output(last)
        return scores.float()

    def feed(self, seen: Sequence[Tensor], present: Tensor) -> Tensor | None:
        """What input feeding gives to the next step, if the config has it. views x (B, K, 1, A) -> (B, E, 1, F)"""
        if not self.fed_size:
            return None
        together = torch.cat(list(seen), -1)
        return max_over_examples(together, present).unsqueeze(1) if self.shared else together
