"""The cursor model with a learned executor: it imagines the state of each example at the cursor.

It looks at states as the cursor model does, but in a search they come from a learned executor, not from an interpreter.
The executor is the language's. It predicts the likeliest state after each statement, and whether the run of an example
enters a block. Training shows the decoder the true states and teaches the executor to predict each of them from the one
before, so all lexemes are computed at once. Outside training, `run` follows the imagined states as a search does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig
from lasynth.domains.learnable import Flow
from lasynth.layers import masked_mean, program_loss
from lasynth.models.base import IO, Batch, Losses
from lasynth.models.cursor import VIEWS, CursorDecoder, StateEncoder
from lasynth.models.encoding import filled
from lasynth.models.execution import Structure, in_time_order
from lasynth.models.losses import own_mistakes, shifted
from lasynth.models.real import RealExecution, counting


class StateExecutor(Protocol):
    """A network of the language that predicts what statements do. It does not see the wanted output."""

    def __call__(self, states: Tensor, text: Tensor) -> Tensor:
        """What is known of states and of the programs so far. (R, *), (R, H) -> (R, X)"""

    def enters(self, known: Tensor) -> Tensor:
        """Log-odds that the run enters the block. (R, X) -> (R,)"""

    def advance(self, known: Tensor, states: Tensor) -> Tensor:
        """The likeliest states after the statement just written. (R, X), (R, *) -> (R, *)"""

    def loss(self, known: Tensor, states: Tensor, after: Tensor) -> Tensor:
        """How unlikely the true states are. (R, X), (R, *), (R, *) -> (R,)"""


class ImaginedNetworks(Protocol):
    """A module with these parts."""

    flow: Flow
    view: StateEncoder
    executor: StateExecutor


class Directions(NamedTuple):
    """`Flow` as tensors."""

    acts: Tensor
    opens: Tensor
    tests: Tensor
    switches: Tensor
    closes: Tensor

    def of(self, tokens: Tensor) -> Directions:
        """What these lexemes do. (...) -> each (...) of bool"""
        return Directions(*(part[tokens] for part in self))


@dataclass(frozen=True)
class Reach:
    """Which examples reach the cursor, in N unfinished programs with D blocks at most."""

    now: Tensor
    """(N, K)"""
    outside: Tensor
    """(N, D, K): which reached each open block."""
    entered: Tensor
    """(N, D, K): which entered it."""
    depth: Tensor
    """(N,) open blocks."""

    @staticmethod
    def everywhere(programs: int, examples: int, deepest: int, device: torch.device) -> Reach:
        now = torch.ones(programs, examples, dtype=torch.bool, device=device)
        blocks = now.unsqueeze(1).repeat(1, deepest + 1, 1)
        return Reach(now, blocks, blocks, torch.zeros(programs, dtype=torch.int64, device=device))

    def follow(self, does: Directions, enters: Tensor) -> Reach:
        """After lexemes that do this. `enters` counts where the lexeme is a test. (N,) each, (N, K)"""
        rows, last = torch.arange(len(enters), device=enters.device), (self.depth - 1).clamp(min=0)
        opens, tests, switches, closes = (part.unsqueeze(1) for part in does[1:])  # (N, 1)
        outside, entered = self.outside.clone(), self.entered.clone()
        outside[rows, self.depth] = torch.where(opens, self.now, outside[rows, self.depth])
        entered[rows, last] = torch.where(tests, enters, entered[rows, last])
        now = torch.where(tests, self.now & enters, self.now)
        now = torch.where(switches, outside[rows, last] & ~entered[rows, last], now)
        now = torch.where(closes, outside[rows, last], now)
        depth = self.depth + does.opens.long() - does.closes.long()
        return Reach(now, outside, entered, depth.clamp(0, outside.shape[1] - 1))

    def reorder(self, index: Tensor) -> Reach:
        return Reach(self.now[index], self.outside[index], self.entered[index], self.depth[index])


@dataclass(frozen=True)
class Imagined:
    """What is imagined of N unfinished programs."""

    states: Tensor
    """(N, K, *): at the cursor."""
    reach: Reach
    text: Tensor
    """(1, N, H): state of the LSTM that reads the program."""
    cell: Tensor
    """As text."""

    def reorder(self, index: Tensor) -> Imagined:
        return Imagined(self.states[index], self.reach.reorder(index), self.text[:, index], self.cell[:, index])


@dataclass(frozen=True)
class ImaginedCursors:
    """N unfinished programs."""

    outputs: Tensor
    """(B, K, *)"""
    present: Tensor
    """(B, K)"""
    task: Tensor
    """(N,) row of the tasks."""
    imagined: Imagined
    hidden: Tensor
    """(1, N, H)"""
    cell: Tensor
    """(1, N, H)"""
    seen: Tensor
    """(N, K, 2 F): the view of the imagined state."""

    def reorder(self, index: Tensor) -> ImaginedCursors:
        return replace(
            self,
            task=self.task[index],
            imagined=self.imagined.reorder(index),
            hidden=self.hidden[:, index],
            cell=self.cell[:, index],
            seen=self.seen[index],
        )


class Truth(NamedTuple):
    """What the programs of a batch really do."""

    states: Tensor
    """(B, S + 1, K, *): before any statement, and at statement ends."""
    reached: Tensor
    """(B, K, T): which examples reach the place after each lexeme."""


class ImaginedRun(NamedTuple):
    """All steps of B programs."""

    scores: Tensor
    """(B, T, V)"""
    truth: Truth | None
    """None outside training, where the scores do not depend on it."""


class ImaginedModel(CursorDecoder[ImaginedCursors, ImaginedRun]):
    """The model that the docstring of the module describes."""

    def __init__(
        self,
        config: ModelConfig,
        vocabulary: int,
        structure: Structure,
        networks: ImaginedNetworks,
        real: RealExecution,
    ) -> None:
        super().__init__(config, vocabulary, structure, networks.view, real)
        self.executor = networks.executor
        self.deepest = networks.flow.deepest
        self.lexemes = nn.Embedding(vocabulary, config.embedding)
        self.reader = nn.LSTM(config.embedding, config.hidden, batch_first=True)
        for name in Directions._fields:
            self.register_buffer(name, torch.from_numpy(getattr(networks.flow, name)), persistent=False)

    @property
    def directions(self) -> Directions:
        return Directions(*(getattr(self, name) for name in Directions._fields))

    # --- imagined execution ------------------------------------------------------------------------------------
    def _imagine(self, inputs: Tensor) -> Imagined:
        """Before the first lexeme. (N, K, *)"""
        reach = Reach.everywhere(inputs.shape[0], inputs.shape[1], self.deepest, inputs.device)
        zeros = self.lexemes.weight.new_zeros(1, len(inputs), self.reader.hidden_size)
        return Imagined(inputs, reach, zeros, zeros)

    def _follow(self, before: Imagined, tokens: Tensor) -> Imagined:
        """After one more lexeme. (N,)"""
        fed = self.lexemes(tokens.unsqueeze(1))
        _, (text, cell) = self.reader(fed, (before.text.to(fed.dtype), before.cell.to(fed.dtype)))
        does, reach, states = self.directions.of(tokens), before.reach, before.states
        asked = (does.acts | does.tests).unsqueeze(1) & reach.now  # (N, K)
        enters = torch.zeros_like(reach.now)
        if asked.any():
            known = self.executor(states[asked], text[0, asked.nonzero()[:, 0]])
            enters[asked] = self.executor.enters(known) > 0
            moving = does.acts[asked.nonzero()[:, 0]]  # (R,)
            moved = asked & does.acts.unsqueeze(1)
            states = states.clone()
            states[moved] = self.executor.advance(known[moving], states[moved])
        return Imagined(states, reach.follow(does, enters), text, cell)

    def _imagined_run(self, fed: Tensor, inputs: Tensor, present: Tensor) -> tuple[Tensor, Tensor]:
        """States before any statement and at statement ends, and the examples that count after each lexeme.

        (B, T), (B, K, *), (B, K) -> (B, S + 1, K, *), (B, K, T)
        """
        now, states, counts = self._imagine(inputs), [], []
        for tokens in fed.unbind(1):
            now = self._follow(now, tokens)
            states.append(now.states)
            counts.append(counting(now.reach.now, present))
        ends, _ = in_time_order(self.statement_ends[fed])  # (B, S)
        rows = torch.arange(len(fed), device=fed.device).unsqueeze(1)
        at_ends = torch.stack(states, 1)[rows, ends]
        return torch.cat([inputs.unsqueeze(1), at_ends], 1), torch.stack(counts, 2)

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> ImaginedCursors:
        inputs, outputs = filled(io)
        tasks = torch.arange(len(inputs), device=inputs.device)
        zeros = self.query.weight.new_zeros(1, len(tasks), self.query.in_features)
        seen = self.view(inputs, outputs)
        return ImaginedCursors(outputs, io.present, tasks, self._imagine(inputs), zeros, zeros, seen)

    def step(self, state: ImaginedCursors, tokens: Tensor) -> tuple[Tensor, ImaginedCursors]:
        imagined, seen = self._follow(state.imagined, tokens), state.seen
        ended = self.statement_ends[tokens].nonzero().squeeze(1)
        if len(ended):
            now = self.view(imagined.states[ended], state.outputs[state.task[ended]])
            seen = seen.index_copy(0, ended, now.to(seen.dtype))
        counts = counting(imagined.reach.now, state.present[state.task]).unsqueeze(2)
        scores, hidden, cell = self.predict(tokens, seen, counts, state.hidden, state.cell)
        return scores.log_softmax(-1), replace(state, imagined=imagined, hidden=hidden, cell=cell, seen=seen)

    # --- whole programs: training and judging ------------------------------------------------------------------
    def run(self, batch: Batch) -> ImaginedRun:
        inputs, outputs = filled(batch.io)
        fed, present = shifted(batch.tokens), batch.io.present
        truth = self._truth(batch) if self.training else None
        if truth is None:
            states, counts = self._imagined_run(fed, inputs, present)
        else:
            states, counts = truth.states, counting(truth.reached, present.unsqueeze(-1))
        return ImaginedRun(self.predict_all(fed, states, outputs, counts), truth)

    def _truth(self, batch: Batch) -> Truth:
        inputs, fed = filled(batch.io)[0], shifted(batch.tokens)
        states = torch.cat([inputs.unsqueeze(1), self.real.states(fed[:, 1:], inputs)], 1)
        return Truth(states, self.real.reached(fed, inputs))

    def _execution_loss(self, batch: Batch, truth: Truth) -> Tensor:
        """How far the executor is from what lexemes do: a mean over those that act or test and the examples that reach
        them, then over programs."""
        fed, (states, reached) = shifted(batch.tokens), truth
        does, so_far = self.directions.of(fed), self.statement_ends[fed].cumsum(1)  # (B, T)
        before = F.pad(reached, (1, 0), value=True)[..., :-1] & batch.io.present.unsqueeze(-1)  # (B, K, T)
        asked = before & (does.acts | does.tests).unsqueeze(1)
        places = asked.nonzero()  # (R, 3)
        if not len(places):
            return self.lexemes.weight.sum() * 0
        text, _ = self.reader(self.lexemes(fed))  # (B, T, H)
        row, example, moment = torch.cat([places, places[:1].expand(-len(places) % VIEWS, -1)]).unbind(1)
        acts, number = does.acts[row, moment], so_far[row, moment]
        now, after = states[row, number - acts.long(), example], states[row, number, example]
        known = self.executor(now, text[row, moment])
        enters = reached[row, example, moment].float()
        tested = F.binary_cross_entropy_with_logits(self.executor.enters(known), enters, reduction="none")
        losses = torch.where(acts, self.executor.loss(known, now, after), tested)[: len(places)]
        return masked_mean(losses.new_zeros(asked.shape).index_put((asked,), losses), asked).mean()

    def log_probs(self, batch: Batch) -> Tensor:
        return -program_loss(self.run(batch).scores, batch.tokens)

    def losses(self, run: ImaginedRun, batch: Batch) -> Losses:
        none = run.scores.new_zeros(())
        execution = self._execution_loss(batch, run.truth or self._truth(batch))
        return Losses(program_loss(run.scores, batch.tokens).mean(), execution, none, none)

    def mistake_loss(self, run: ImaginedRun, batch: Batch, count: int, rng: Generator) -> Tensor:
        return own_mistakes(self, run.scores, batch, count, rng)
