"""The cursor model: before every lexeme it sees the real state of each example at the cursor.

The cursor is the place of the next lexeme. The network has no attention and no executor: the language's machine runs
the prefix. A view encodes each state together with the wanted output, in two halves. The first half is pooled over the
examples that reach the cursor; the LSTM takes it with the last lexeme. The second half is added to a query from the
LSTM's state and pooled to predict the next lexeme. The model does not depend on a language: the domain gives the view
and the machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig
from lasynth.layers import program_loss
from lasynth.models.base import IO, AnyRun, AnyState, Batch, Losses, Synthesizer
from lasynth.models.encoding import filled
from lasynth.models.execution import Structure
from lasynth.models.losses import own_mistakes, shifted
from lasynth.models.real import RealExecution

VIEWS = 256
"""The number of views of a batch is a multiple of this. Torch keeps kernels for every new shape, which costs time and,
over a long training, gigabytes."""


class StateEncoder(Protocol):
    """A network of the language that encodes a state together with the wanted output."""

    def __call__(self, states: Tensor, outputs: Tensor) -> Tensor:
        """(R, K, *), (R, K, *) -> (R, K, 2 F)"""


class CursorRun(NamedTuple):
    """All steps of B programs."""

    scores: Tensor
    """(B, T, V)"""


@dataclass(frozen=True)
class Cursors:
    """N unfinished programs."""

    inputs: Tensor
    """(B, K, *): the inputs of the tasks."""
    outputs: Tensor
    """(B, K, *)"""
    present: Tensor
    """(B, K)"""
    task: Tensor
    """(N,) row of the tasks."""
    written: Tensor
    """(N, t): BOS and the lexemes so far."""
    hidden: Tensor
    """(1, N, H)"""
    cell: Tensor
    """(1, N, H)"""
    seen: Tensor
    """(N, K, 2 F): the view of the current state."""

    def reorder(self, index: Tensor) -> Cursors:
        return replace(
            self,
            task=self.task[index],
            written=self.written[index],
            hidden=self.hidden[:, index],
            cell=self.cell[:, index],
            seen=self.seen[index],
        )


class CursorDecoder(Synthesizer[AnyState, AnyRun]):
    """The networks of a cursor model: from lexemes and states at the cursor to the next lexeme."""

    def __init__(
        self, config: ModelConfig, vocabulary: int, structure: Structure, view: StateEncoder, real: RealExecution
    ) -> None:
        super().__init__()
        self.config, self.real = config, real
        self.view = view
        size, features = config.decoder_hidden, config.hidden
        self.embedding = nn.Embedding(vocabulary, config.embedding)
        self.lstm = nn.LSTM(config.embedding + 2 * features, size, batch_first=True)
        self.query = nn.Linear(size, features)
        self.choice = nn.Linear(2 * features + size, size)
        self.output = nn.Linear(size, vocabulary)
        self.statement_ends: Tensor
        self.register_buffer("statement_ends", structure.ends, persistent=False)

    def predict(
        self, tokens: Tensor, seen: Tensor, counting: Tensor, hidden: Tensor, cell: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Scores of the next lexeme after these, and the LSTM's new state.

        (N,), (N, K, 2 F), (N, K, 1), (1, N, H) twice -> (N, V), (1, N, H) twice
        """
        looked = seen.unsqueeze(2)  # (N, K, 1, 2 F)
        fed = self._fed(tokens.unsqueeze(1), looked, counting)
        states, (hidden, cell) = self.lstm(fed, (hidden.to(fed.dtype), cell.to(fed.dtype)))
        return self._scores(states, looked, counting).squeeze(1), hidden, cell

    def predict_all(self, fed: Tensor, states: Tensor, outputs: Tensor, counting: Tensor) -> Tensor:
        """Scores after every lexeme. (B, T), (B, S + 1, K, *), (B, K, *), (B, K, T) -> (B, T, V)"""
        ends = self.statement_ends[fed]  # (B, T)
        seen, rows = self._views(states, outputs, ends.sum(1))  # (P, 2 F), (B, K, S + 1)
        so_far = ends.cumsum(1).unsqueeze(1).expand(-1, rows.shape[1], -1)  # (B, K, T)
        looked = seen.index_select(0, rows.gather(2, so_far).flatten()).view(*so_far.shape, -1)  # (B, K, T, 2 F)
        hidden, _ = self.lstm(self._fed(fed, looked, counting))
        return self._scores(hidden, looked, counting)

    def _views(self, states: Tensor, outputs: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
        """Views of the states of each example, and the row of each state's view. States that stay the same share one.

        (B, S + 1, K, *), (B, K, *), (B,) -> (P, 2 F), (B, K, S + 1)
        """
        changed = (states[:, 1:] != states[:, :-1]).flatten(3).any(-1)  # (B, S, K)
        exists = torch.arange(changed.shape[1], device=ends.device) < ends.unsqueeze(1)  # (B, S)
        new = F.pad(changed & exists.unsqueeze(-1), (0, 0, 1, 0), value=True).transpose(1, 2)  # (B, K, S + 1)
        rows = new.flatten().cumsum(0).view(new.shape) - 1
        places = new.nonzero()  # (P, 3)
        padding = places[:1].expand(-len(places) % VIEWS, -1)
        task, example, number = torch.cat([places, padding]).unbind(1)
        seen = self.view(states[task, number, example].unsqueeze(1), outputs[task, example].unsqueeze(1))
        return seen.squeeze(1), rows

    def _fed(self, tokens: Tensor, looked: Tensor, counting: Tensor) -> Tensor:
        """The LSTM's inputs: lexemes and views of the states. (B, T), (B, K, T, 2 F), (B, K, T) -> (B, T, D)"""
        own, _ = looked.chunk(2, -1)
        embedded = self.embedding(tokens)
        return torch.cat([embedded, max_and_mean(F.relu(own), counting).to(embedded.dtype)], -1)

    def _scores(self, hidden: Tensor, looked: Tensor, counting: Tensor) -> Tensor:
        """(B, T, H), (B, K, T, 2 F), (B, K, T) -> (B, T, V)"""
        _, asked = looked.chunk(2, -1)
        answers = max_and_mean(F.relu(asked + self.query(hidden).unsqueeze(1)), counting)  # (B, T, 2 F)
        scores: Tensor = self.output(F.relu(self.choice(torch.cat([answers, hidden], -1))))
        return scores.float()


class CursorModel(CursorDecoder[Cursors, CursorRun]):
    """The cursor model, as the docstring of the module describes it."""

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> Cursors:
        inputs, outputs = filled(io)
        tasks = torch.arange(len(inputs), device=inputs.device)
        zeros = self.query.weight.new_zeros(1, len(tasks), self.query.in_features)
        written = tasks.new_empty(len(tasks), 0)
        return Cursors(inputs, outputs, io.present, tasks, written, zeros, zeros, self.view(inputs, outputs))

    def step(self, state: Cursors, tokens: Tensor) -> tuple[Tensor, Cursors]:
        written = torch.cat([state.written, tokens.unsqueeze(1)], 1)
        inputs, seen = state.inputs[state.task], state.seen
        ended = self.statement_ends[tokens].nonzero().squeeze(1)
        if len(ended):
            now = self.real.last_state(written[ended, 1:], inputs[ended])
            seen = seen.index_copy(0, ended, self.view(now, state.outputs[state.task[ended]]).to(seen.dtype))
        present = state.present[state.task]
        counting = self.real.examples_at_cursor(written, inputs, present, last=True)  # (N, K, 1)
        scores, hidden, cell = self.predict(tokens, seen, counting, state.hidden, state.cell)
        return scores.log_softmax(-1), replace(state, written=written, hidden=hidden, cell=cell, seen=seen)

    # --- whole programs: training and judging ------------------------------------------------------------------
    def run(self, batch: Batch) -> CursorRun:
        inputs, outputs = filled(batch.io)
        fed = shifted(batch.tokens)
        states = torch.cat([inputs.unsqueeze(1), self.real.states(fed[:, 1:], inputs)], 1)  # (B, S + 1, K, *)
        counting = self.real.examples_at_cursor(fed, inputs, batch.io.present)  # (B, K, T)
        return CursorRun(self.predict_all(fed, states, outputs, counting))

    def log_probs(self, batch: Batch) -> Tensor:
        return -program_loss(self.run(batch).scores, batch.tokens)

    def losses(self, run: CursorRun, batch: Batch) -> Losses:
        none = run.scores.new_zeros(())
        return Losses(program_loss(run.scores, batch.tokens).mean(), none, none, none)

    def mistake_loss(self, run: CursorRun, batch: Batch, count: int, rng: Generator) -> Tensor:
        return own_mistakes(self, run.scores, batch, count, rng)


def max_and_mean(features: Tensor, counting: Tensor) -> Tensor:
    """Largest and mean of each feature over the examples that count. Features are not negative.

    (B, K, T, F), (B, K, T) -> (B, T, 2 F)
    """
    kept = features * counting.unsqueeze(-1)
    mean = kept.sum(1) / counting.sum(1).clamp(min=1).unsqueeze(-1)
    return torch.cat([kept.amax(1), mean], -1)
