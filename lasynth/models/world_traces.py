"""The model of Shin et al. (2018) as its paper has it: both parts see the world before every action.

The interpreter moves the world on while a trace is written. The writer reads the last action, the world, what holds in
it, and the vector of the example. The reader reads the same of whole traces, in both directions. The decoder of each
example reads the last lexeme, the vector of the example and what it attended to before; so it must go step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import max_over_examples
from lasynth.models.base import IO
from lasynth.models.encoding import filled
from lasynth.models.execution import Structure
from lasynth.models.losses import shifted
from lasynth.models.pooled import ExampleVectors
from lasynth.models.real import RealExecution
from lasynth.models.traces import LONGEST, TraceSynthesizer, Tracing
from lasynth.vocab import BOS, EOS, PAD


class WorldTracing(Tracing, Protocol):
    """A language's traces, and the values on their way. Every action that succeeds changes the value."""

    lexemes: NDArray[np.bool_]
    """(V,) which lexemes a trace can have: actions and EOS."""

    def before(self, traces: NDArray[Any], inputs: NDArray[Any]) -> NDArray[Any]:
        """The value before each action; after the last one it stays. (B, K, A), (B, K, *) -> (B, K, A, *)"""


class ValueVectors(Protocol):
    """A network of the language that encodes each value as one vector."""

    size: int

    def __call__(self, values: Tensor) -> Tensor:
        """(R, *) -> (R, size)"""


class WorldTraceNetworks(Protocol):
    """What a language gives to this model: two networks for each part, and traces."""

    writer_vectors: ExampleVectors
    writer_values: ValueVectors
    reader_vectors: ExampleVectors
    reader_values: ValueVectors
    tracing: WorldTracing


class Conditions(nn.Module):
    """What is sensed, as one vector for each condition."""

    def __init__(self, senses: int, size: int) -> None:
        super().__init__()
        count = (senses - 2).bit_length()  # the last number says that the trace has ended
        self.size = count * size
        self.embedding = nn.Embedding(2 * count, size)
        self.bits: Tensor
        self.register_buffer("bits", torch.arange(count), persistent=False)

    def forward(self, sensed: Tensor) -> Tensor:
        """(...) -> (..., size)"""
        holds = (sensed.unsqueeze(-1) >> self.bits) & 1
        vectors: Tensor = self.embedding(2 * self.bits + holds)
        return vectors.flatten(-2)


@dataclass(frozen=True)
class TasksRead:
    """The examples and traces of B tasks, encoded for the decoder."""

    steps: Tensor
    """(B, K, A, M): the trace, read in both directions."""
    mask: Tensor
    """(B, K, A) of bool: the places that exist."""
    vectors: Tensor
    """(B, K, D)"""
    present: Tensor
    """(B, K)"""

    def at(self, rows: Tensor) -> TasksRead:
        return TasksRead(self.steps[rows], self.mask[rows], self.vectors[rows], self.present[rows])


@dataclass(frozen=True)
class WorldReaders:
    """N unfinished programs."""

    tasks: TasksRead
    task: Tensor
    """(N,) row of the tasks."""
    hidden: Tensor
    """(layers, N, K, H)"""
    cell: Tensor
    """As hidden."""
    context: Tensor
    """(N, K, M): what was attended to in the last step."""

    def reorder(self, index: Tensor) -> WorldReaders:
        return replace(
            self, task=self.task[index], hidden=self.hidden[:, index], cell=self.cell[:, index],
            context=self.context[index],
        )  # fmt: skip


class WorldTraceModel(TraceSynthesizer[WorldReaders]):
    """Both parts; see the docstring of the module."""

    def __init__(
        self,
        config: ModelConfig,
        vocabulary: int,
        structure: Structure,
        networks: WorldTraceNetworks,
        real: RealExecution,
    ) -> None:
        super().__init__()
        self.config, self.real, self.networks, self.tracing = config, real, networks, networks.tracing
        size, embedding, layers = config.decoder_hidden, config.embedding, config.layers
        each, read = max(1, embedding // 4), 2 * config.hidden
        self.action, self.done = (nn.Embedding(vocabulary, embedding) for _ in range(2))
        self.writer_senses, self.reader_senses = (Conditions(networks.tracing.senses, each) for _ in range(2))
        step = embedding + self.writer_senses.size
        writer = step + networks.writer_values.size + networks.writer_vectors.size
        self.writer = nn.LSTM(writer, size, layers, batch_first=True)
        self.next_action = nn.Linear(size, vocabulary)
        self.reader = nn.LSTM(
            step + networks.reader_values.size, config.hidden, layers, batch_first=True, bidirectional=True
        )
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.lstm = nn.LSTM(embedding + networks.reader_vectors.size + read, size, layers, batch_first=True)
        self.query = nn.Linear(size, read, bias=False)
        self.output = nn.Linear(size + read, vocabulary)
        self.in_traces: Tensor
        self.register_buffer("in_traces", torch.from_numpy(networks.tracing.lexemes), persistent=False)
        self.register_buffer("statement_ends", structure.ends, persistent=False)

    # --- from examples to traces -------------------------------------------------------------------------------
    @torch.no_grad()
    def infer(self, io: IO) -> Tensor:
        inputs, outputs = filled(io)
        vectors = self.networks.writer_vectors(inputs, outputs).flatten(0, 1).unsqueeze(1)  # (B K, 1, D)
        values = inputs.flatten(0, 1).unsqueeze(1)  # (B K, 1, *)
        last = torch.full((len(vectors), 1), BOS, device=vectors.device)
        ended, state = torch.zeros_like(last, dtype=torch.bool), None
        written: list[Tensor] = []
        while len(written) < LONGEST and not bool(ended.all()):
            sensed = self._sensed(last.unsqueeze(-1), values).squeeze(-1)
            states, state = self.writer(self._writer_input(last, values, sensed, vectors), state)
            scores = self.next_action(states).float().masked_fill(~self.in_traces, -torch.inf)
            last = scores.argmax(-1).masked_fill(ended, PAD)  # (B K, 1)
            written.append(last)
            step = torch.stack([last, torch.full_like(last, EOS)], -1)  # (B K, 1, 2)
            before, values = values, self._before(step, values)[:, :, 1]
            ended = (before == values).flatten(2).all(-1)  # by EOS, or because the action failed
        return torch.cat(written, 1).view(*inputs.shape[:2], -1)

    def trace_scores(self, traces: Tensor, inputs: Tensor, outputs: Tensor) -> Tensor:
        places = traces.shape[2]
        vectors = self.networks.writer_vectors(inputs, outputs).flatten(0, 1).unsqueeze(1)
        fed = self._writer_input(
            shifted(traces.flatten(0, 1)),
            self._before(traces, inputs).flatten(0, 1),
            self._sensed(traces, inputs).flatten(0, 1),
            vectors.expand(-1, places, -1),
        )
        scores: Tensor = self.next_action(self.writer(fed)[0])
        return scores.float().view(*traces.shape, -1)

    def _writer_input(self, actions: Tensor, values: Tensor, sensed: Tensor, vectors: Tensor) -> Tensor:
        """(R, A), (R, A, *), (R, A), (R, A, D) -> (R, A, ..)"""
        worlds = self.networks.writer_values(values.flatten(0, 1)).view(*actions.shape, -1)
        parts = [self.action(actions), self.writer_senses(sensed), worlds, vectors]
        return torch.cat([part.to(parts[0].dtype) for part in parts], -1)

    def _before(self, traces: Tensor, inputs: Tensor) -> Tensor:
        """`WorldTracing.before` of tensors."""
        found = self.networks.tracing.before(traces.cpu().numpy(), inputs.cpu().numpy())
        return torch.from_numpy(found).to(traces.device)

    def _sensed(self, traces: Tensor, inputs: Tensor) -> Tensor:
        """`Tracing.sensed` of tensors."""
        found = self.tracing.sensed(traces.cpu().numpy(), inputs.cpu().numpy())
        return torch.from_numpy(found).to(traces.device)

    # --- from traces to programs -------------------------------------------------------------------------------
    def _read(self, traces: Tensor, io: IO) -> TasksRead:
        """(B, K, A)"""
        inputs, outputs = filled(io)
        worlds = self.networks.reader_values(self._before(traces, inputs).flatten(0, 2)).view(*traces.shape, -1)
        parts = [self.done(traces), self.reader_senses(self._sensed(traces, inputs)), worlds]
        steps = torch.cat([part.to(parts[0].dtype) for part in parts], -1)  # (B, K, A, ..)
        read = self.reader(steps.flatten(0, 1))[0].unflatten(0, traces.shape[:2])
        mask = traces != PAD
        mask[..., 0] = True
        return TasksRead(read, mask, self.networks.reader_vectors(inputs, outputs), io.present)

    def program_scores(self, tokens: Tensor, traces: Tensor, io: IO) -> Tensor:
        state, scores = self._begin(self._read(traces, io)), []
        for last in tokens.unbind(1):
            found, state = self._advance(state, last)
            scores.append(found)
        return torch.stack(scores, 1)

    def _begin(self, tasks: TasksRead) -> WorldReaders:
        count, examples = tasks.present.shape
        zeros = tasks.steps.new_zeros(self.lstm.num_layers, count, examples, self.lstm.hidden_size)
        context = tasks.steps.new_zeros(count, examples, tasks.steps.shape[-1])
        return WorldReaders(tasks, torch.arange(count, device=zeros.device), zeros, zeros, context)

    def _advance(self, state: WorldReaders, tokens: Tensor) -> tuple[Tensor, WorldReaders]:
        """Scores of the next lexeme. (N,) -> (N, V)"""
        tasks = state.tasks.at(state.task)
        rows = tasks.present.shape
        embedded = self.embedding(tokens).unsqueeze(1).expand(-1, rows[1], -1)  # (N, K, embedding)
        parts = [embedded, tasks.vectors, state.context]
        fed = torch.cat([part.to(embedded.dtype) for part in parts], -1).flatten(0, 1).unsqueeze(1)
        begin = tuple(part.flatten(1, 2).to(fed.dtype) for part in (state.hidden, state.cell))
        states, (hidden, cell) = self.lstm(fed, begin)
        own = states.view(*rows, -1)  # (N, K, H)
        scores = (tasks.steps @ self.query(own).unsqueeze(-1)).squeeze(-1).float() / sqrt(tasks.steps.shape[-1])
        weights = scores.masked_fill(~tasks.mask, -torch.inf).softmax(-1)  # (N, K, A)
        context = (weights.to(own.dtype).unsqueeze(2) @ tasks.steps.to(own.dtype)).squeeze(2)  # (N, K, M)
        seen = torch.cat([context, own], -1).unsqueeze(2)
        found: Tensor = self.output(max_over_examples(seen, tasks.present)).squeeze(1)
        hidden, cell = hidden.unflatten(1, rows), cell.unflatten(1, rows)
        return found.float(), replace(state, hidden=hidden, cell=cell, context=context)

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> WorldReaders:
        return self._begin(self._read(self.infer(io), io))

    def step(self, state: WorldReaders, tokens: Tensor) -> tuple[Tensor, WorldReaders]:
        scores, state = self._advance(state, tokens)
        return scores.log_softmax(-1), state
