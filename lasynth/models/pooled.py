"""The model of Bunel et al. (2018): one decoder per example, and the decoders' states pooled for each lexeme.

A network of the language turns each example into one vector. Every decoder is the same LSTM. It reads the last lexeme
and the vector of its example. The largest value of each hidden unit over the examples predicts the next lexeme. There
is no attention and no execution.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import torch
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import max_over_examples, program_loss
from lasynth.models.base import IO, Batch, Losses, Synthesizer
from lasynth.models.encoding import filled
from lasynth.models.execution import Structure
from lasynth.models.losses import own_mistakes, shifted
from lasynth.models.real import RealExecution


class ExampleVectors(Protocol):
    """A network of the language that encodes each example as one vector."""

    size: int

    def __call__(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """(B, K, *), (B, K, *) -> (B, K, size)"""


class PooledRun(NamedTuple):
    """All steps of B programs."""

    scores: Tensor
    """(B, T, V)"""


@dataclass(frozen=True)
class Decoders:
    """N unfinished programs."""

    vectors: Tensor
    """(B, K, D): the examples of the tasks."""
    present: Tensor
    """(B, K)"""
    task: Tensor
    """(N,) row of the tasks."""
    hidden: Tensor
    """(layers, N, K, H)"""
    cell: Tensor
    """As hidden."""

    def reorder(self, index: Tensor) -> Decoders:
        return replace(self, task=self.task[index], hidden=self.hidden[:, index], cell=self.cell[:, index])


class PooledModel(Synthesizer[Decoders, PooledRun]):
    """The model that the docstring of the module describes."""

    def __init__(
        self, config: ModelConfig, vocabulary: int, structure: Structure, vectors: ExampleVectors, real: RealExecution
    ) -> None:
        super().__init__()
        self.config, self.real, self.vectors = config, real, vectors
        self.embedding = nn.Embedding(vocabulary, config.embedding)
        self.lstm = nn.LSTM(config.embedding + vectors.size, config.decoder_hidden, config.layers, batch_first=True)
        self.output = nn.Linear(config.decoder_hidden, vocabulary)
        self.statement_ends: Tensor
        self.register_buffer("statement_ends", structure.ends, persistent=False)

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> Decoders:
        vectors = self.vectors(*filled(io))
        tasks = torch.arange(len(vectors), device=vectors.device)
        zeros = vectors.new_zeros(self.lstm.num_layers, *vectors.shape[:2], self.lstm.hidden_size)
        return Decoders(vectors, io.present, tasks, zeros, zeros)

    def step(self, state: Decoders, tokens: Tensor) -> tuple[Tensor, Decoders]:
        scores, hidden, cell = self._advance(
            tokens.unsqueeze(1), state.vectors[state.task], state.present[state.task], (state.hidden, state.cell)
        )
        return scores.squeeze(1).log_softmax(-1), replace(state, hidden=hidden, cell=cell)

    # --- whole programs: training and judging ------------------------------------------------------------------
    def run(self, batch: Batch) -> PooledRun:
        vectors = self.vectors(*filled(batch.io))
        return PooledRun(self._advance(shifted(batch.tokens), vectors, batch.io.present)[0])

    def log_probs(self, batch: Batch) -> Tensor:
        return -program_loss(self.run(batch).scores, batch.tokens)

    def losses(self, run: PooledRun, batch: Batch) -> Losses:
        none = run.scores.new_zeros(())
        return Losses(program_loss(run.scores, batch.tokens).mean(), none, none, none)

    def mistake_loss(self, run: PooledRun, batch: Batch, count: int, rng: Generator) -> Tensor:
        return own_mistakes(self, run.scores, batch, count, rng)

    # --- both paths --------------------------------------------------------------------------------------------
    def _advance(
        self, tokens: Tensor, vectors: Tensor, present: Tensor, before: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores after each of these lexemes, and the decoders' states after the last one.

        (N, T), (N, K, D), (N, K), twice (layers, N, K, H) -> (N, T, V), and twice (layers, N, K, H)
        """
        rows, examples, length = *vectors.shape[:2], tokens.shape[1]
        embedded = self.embedding(tokens).unsqueeze(1).expand(-1, examples, -1, -1)  # (N, K, T, embedding)
        told = vectors.unsqueeze(2).expand(-1, -1, length, -1).to(embedded.dtype)
        fed = torch.cat([embedded, told], -1).flatten(0, 1)
        begin = (
            None if before is None else (before[0].flatten(1, 2).to(fed.dtype), before[1].flatten(1, 2).to(fed.dtype))
        )
        states, (hidden, cell) = self.lstm(fed, begin)  # (N K, T, H)
        pooled = max_over_examples(states.unflatten(0, (rows, examples)), present)  # (N, T, H)
        scores: Tensor = self.output(pooled)
        return scores.float(), hidden.unflatten(1, (rows, examples)), cell.unflatten(1, (rows, examples))
