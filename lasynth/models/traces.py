"""The model of Shin et al. (2018): from examples to action traces, and from traces to programs.

The first part writes the trace of each example: the actions that lead from its input to its output. The second part
reads all traces, with what is sensed before each action, and writes the program. The parts share no weights. The second
one learns from true traces, so one run trains both at once. A search reads the traces that the first part infers by
greedy decoding. So does `run` outside training, so that validation shows what a search can expect.

`TraceModel` is a light form for two cores, which sees the worlds of an example once. `lasynth.models.world_traces` has
the model of the paper.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import torch
from numpy.typing import NDArray
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import Attention, Projected, max_over_examples, program_loss
from lasynth.models.base import IO, AnyState, Batch, Losses, Synthesizer
from lasynth.models.encoding import filled
from lasynth.models.execution import Structure
from lasynth.models.losses import own_mistakes, shifted
from lasynth.models.pooled import ExampleVectors
from lasynth.models.real import RealExecution
from lasynth.vocab import BOS, EOS, PAD

LONGEST = 60
"""Longest trace that is learned and inferred; longer ones are cut off."""


class Tracing(Protocol):
    """A language's traces as rows of lexemes: actions, EOS, then PAD."""

    senses: int
    """How many different things can be sensed before an action."""

    def traces(self, tokens: NDArray[Any], inputs: NDArray[Any], most: int) -> NDArray[Any]:
        """The traces of programs, cut off after `most` actions. (B, T), (B, K, *) -> (B, K, A)"""

    def sensed(self, traces: NDArray[Any], inputs: NDArray[Any]) -> NDArray[Any]:
        """What is sensed before each action. (B, K, A), (B, K, *) -> (B, K, A)"""


class TraceNetworks(Protocol):
    """What a language gives to this model: a module that encodes examples, and traces."""

    vectors: ExampleVectors
    tracing: Tracing


class TraceRun(NamedTuple):
    """All steps of B programs."""

    scores: Tensor
    """(B, T, V)"""
    trace_scores: Tensor
    """(B, K, A, V): of the true traces."""
    traces: Tensor
    """(B, K, A): the true traces."""


class TraceMemory(NamedTuple):
    """The traces of tasks, encoded."""

    projected: Projected
    """(B, K, A, H)"""
    mask: Tensor
    """(B, K, 1, A) of bool: the places that exist."""

    def at(self, rows: Tensor) -> TraceMemory:
        return TraceMemory(self.projected.rows(rows), self.mask[rows])


@dataclass(frozen=True)
class Readers:
    """N unfinished programs."""

    memory: TraceMemory
    present: Tensor
    """(B, K)"""
    task: Tensor
    """(N,) row of the tasks."""
    hidden: Tensor
    """(layers, N, K, H)"""
    cell: Tensor
    """As hidden."""

    def reorder(self, index: Tensor) -> Readers:
        return replace(self, task=self.task[index], hidden=self.hidden[:, index], cell=self.cell[:, index])


class TraceSynthesizer(Synthesizer[AnyState, TraceRun]):
    """Any model in two parts: `infer` writes traces, and `program_scores` reads them."""

    tracing: Tracing
    real: RealExecution
    statement_ends: Tensor

    @abstractmethod
    def infer(self, io: IO) -> Tensor:
        """The likeliest trace of each example, action by action. (B, K, A)"""

    @abstractmethod
    def trace_scores(self, traces: Tensor, inputs: Tensor, outputs: Tensor) -> Tensor:
        """Scores of the next action at every place of true traces. (B, K, A) -> (B, K, A, V)"""

    @abstractmethod
    def program_scores(self, tokens: Tensor, traces: Tensor, io: IO) -> Tensor:
        """Scores after each of these lexemes, given traces. (B, T), (B, K, A) -> (B, T, V)"""

    def run(self, batch: Batch) -> TraceRun:
        inputs, outputs = filled(batch.io)
        true = self.tracing.traces(batch.tokens.cpu().numpy(), inputs.cpu().numpy(), LONGEST)
        traces = torch.from_numpy(true).to(batch.tokens.device)
        read = traces if self.training else self.infer(batch.io)
        scores = self.program_scores(shifted(batch.tokens), read, batch.io)
        return TraceRun(scores, self.trace_scores(traces, inputs, outputs), traces)

    def log_probs(self, batch: Batch) -> Tensor:
        scores = self.program_scores(shifted(batch.tokens), self.infer(batch.io), batch.io)
        return -program_loss(scores, batch.tokens)

    def losses(self, run: TraceRun, batch: Batch) -> Losses:
        none = run.scores.new_zeros(())
        shape = batch.io.present.shape
        traces = program_loss(run.trace_scores.flatten(0, 1), run.traces.flatten(0, 1)).view(shape)  # (B, K)
        present = batch.io.present
        execution = ((traces * present).sum(1) / present.sum(1)).mean()
        return Losses(program_loss(run.scores, batch.tokens).mean(), execution, none, none)

    def mistake_loss(self, run: TraceRun, batch: Batch, count: int, rng: Generator) -> Tensor:
        return own_mistakes(self, run.scores, batch, count, rng)


class TraceModel(TraceSynthesizer[Readers]):
    """The light form; see the docstring of the module."""

    def __init__(
        self, config: ModelConfig, vocabulary: int, structure: Structure, networks: TraceNetworks, real: RealExecution
    ) -> None:
        super().__init__()
        self.config, self.real, self.networks, self.tracing = config, real, networks, networks.tracing
        size = config.decoder_hidden
        self.action = nn.Embedding(vocabulary, config.embedding)
        self.writer = nn.LSTM(config.embedding + networks.vectors.size, size, config.layers, batch_first=True)
        self.next_action = nn.Linear(size, vocabulary)
        self.done = nn.Embedding(vocabulary, config.embedding)
        self.sensed = nn.Embedding(networks.tracing.senses, config.embedding)
        self.reader = nn.LSTM(2 * config.embedding, config.hidden, batch_first=True, bidirectional=True)
        self.embedding = nn.Embedding(vocabulary, config.embedding)
        self.lstm = nn.LSTM(config.embedding, size, config.layers, batch_first=True)
        self.attention = Attention((size,), 2 * config.hidden, config.hidden)
        self.output = nn.Linear(config.hidden, vocabulary)
        self.statement_ends: Tensor
        self.register_buffer("statement_ends", structure.ends, persistent=False)

    # --- from examples to traces -------------------------------------------------------------------------------
    @torch.no_grad()
    def infer(self, io: IO) -> Tensor:
        inputs, outputs = filled(io)
        vectors = self.networks.vectors(inputs, outputs).flatten(0, 1).unsqueeze(1)  # (B K, 1, D)
        last = torch.full((len(vectors), 1), BOS, device=vectors.device)
        ended, state = torch.zeros_like(last, dtype=torch.bool), None
        written: list[Tensor] = []
        while len(written) < LONGEST and not bool(ended.all()):
            states, state = self.writer(torch.cat([self.action(last), vectors], -1), state)
            scores = self.next_action(states).float()
            scores[..., [PAD, BOS]] = -torch.inf
            last = scores.argmax(-1).masked_fill(ended, PAD)  # (B K, 1)
            written.append(last)
            ended = ended | (last == EOS)
        return torch.cat(written, 1).view(*inputs.shape[:2], -1)

    def trace_scores(self, traces: Tensor, inputs: Tensor, outputs: Tensor) -> Tensor:
        vectors = self.networks.vectors(inputs, outputs).flatten(0, 1)
        fed = self.action(shifted(traces.flatten(0, 1)))  # (B K, A, embedding)
        told = vectors.unsqueeze(1).expand(-1, fed.shape[1], -1).to(fed.dtype)
        scores: Tensor = self.next_action(self.writer(torch.cat([fed, told], -1))[0])
        return scores.float().view(*traces.shape, -1)

    # --- from traces to programs -------------------------------------------------------------------------------
    def _read(self, traces: Tensor, inputs: Tensor) -> TraceMemory:
        """(B, K, A), (B, K, *)"""
        numbers = self.tracing.sensed(traces.cpu().numpy(), inputs.cpu().numpy())
        senses = torch.from_numpy(numbers).to(traces.device)
        steps = torch.cat([self.done(traces), self.sensed(senses)], -1)  # (B, K, A, 2 embedding)
        read = self.reader(steps.flatten(0, 1))[0].unflatten(0, traces.shape[:2])
        mask = traces != PAD
        mask[..., 0] = True
        return TraceMemory(self.attention.project(read), mask.unsqueeze(2))

    def _advance(
        self, tokens: Tensor, memory: TraceMemory, present: Tensor, before: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """(N, T), N rows of memory, (N, K), twice (layers, N, K, H) -> (N, T, V), and twice (layers, N, K, H)"""
        rows = present.shape
        fed = self.embedding(tokens).unsqueeze(1).expand(-1, rows[1], -1, -1).flatten(0, 1)  # (N K, T, embedding)
        begin = None if before is None else tuple(part.flatten(1, 2).to(fed.dtype) for part in before)
        states, (hidden, cell) = self.lstm(fed, begin)
        seen = self.attention([states.unflatten(0, rows)], memory.projected, memory.mask)  # (N, K, T, A)
        scores: Tensor = self.output(max_over_examples(seen, present))
        return scores.float(), hidden.unflatten(1, rows), cell.unflatten(1, rows)

    def program_scores(self, tokens: Tensor, traces: Tensor, io: IO) -> Tensor:
        return self._advance(tokens, self._read(traces, filled(io)[0]), io.present)[0]

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> Readers:
        memory = self._read(self.infer(io), filled(io)[0])
        tasks = torch.arange(len(io.present), device=io.present.device)
        zeros = memory.projected.keys.new_zeros(self.lstm.num_layers, *io.present.shape, self.lstm.hidden_size)
        return Readers(memory, io.present, tasks, zeros, zeros)

    def step(self, state: Readers, tokens: Tensor) -> tuple[Tensor, Readers]:
        scores, hidden, cell = self._advance(
            tokens.unsqueeze(1), state.memory.at(state.task), state.present[state.task], (state.hidden, state.cell)
        )
        return scores.squeeze(1).log_softmax(-1), replace(state, hidden=hidden, cell=cell)
