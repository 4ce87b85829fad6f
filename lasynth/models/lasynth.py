"""The synthesizer: all rows of the paper are configs of this one class.

`loss` computes all lexemes of a program at once where the config allows it; only the chain of latent values is sequential.
`step` computes one lexeme for any number of hypotheses. Both are made of the same pieces, and a test holds them to the
same log-probabilities. Knows no domain: its networks are given (see `models.networks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig
from lasynth.domains.base import AnyDomain, learnable
from lasynth.layers import Places, masked_mean, program_loss
from lasynth.models.base import IO, Batch, Losses
from lasynth.models.decoder import INPUT, LATENT, OUTPUT, Decoder, Overview, View
from lasynth.models.execution import Structure, execution_points, hidden_at, run_chain, true_chain
from lasynth.models.mistakes import draw_mistakes
from lasynth.models.networks import Networks
from lasynth.models.state import Examples, Hypotheses, Pool
from lasynth.vocab import BOS, PAD


class Moment(NamedTuple):
    """One step of N hypotheses."""

    scores: Tensor
    """(N, V)"""
    seen: list[Tensor]
    """What was attended to, each (N, K, 1, A)."""
    hidden: Tensor
    """(N, E, 1, H)"""


class Run(NamedTuple):
    """All steps of B programs."""

    scores: Tensor
    """(B, T, V)"""
    first_seen: list[Tensor]
    """What was attended to before the first lexeme, each (B, K, A)."""
    hidden: Tensor
    """(B, E, T, H)"""
    values: Tensor
    """(P, K, *): latent values."""
    after: Tensor
    """(B, T): row of the value that was current at each moment."""


class LaSynth(nn.Module):
    def __init__(self, config: ModelConfig, vocabulary: int, structure: Structure, networks: Networks) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.networks = networks
        self.real = config.executor == "real"
        self.partial = config.executor == "partial" or self.real
        self.reaching = config.pool_over == "reaching"
        latent_sizes = [] if networks.latent is None else [networks.latent.size]
        self.decoder = Decoder(config, vocabulary, [networks.feature_size] * 2 + latent_sizes)
        self.statement_ends: Tensor
        self.nesting: Tensor
        self.register_buffer("statement_ends", structure.ends, persistent=False)
        self.register_buffer("nesting", structure.nesting, persistent=False)
        self.batches: Tensor | None
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64) if config.execution_warmup_steps else None)

    # --- search ------------------------------------------------------------------------------------------------
    def start(self, io: IO) -> Hypotheses:
        examples = self._encode(io)
        tasks = torch.arange(len(io.present), device=io.present.device)
        memory = self.decoder.start(*examples.features, examples.present)
        zeros, fed_size = examples.latent.new_zeros, self.decoder.fed_size
        return Hypotheses(
            examples,
            Pool(examples.latent, examples.first_views),
            task=tasks,
            latent=tasks,
            memory=memory,
            fed=zeros(len(tasks), memory.hidden.shape[2], 1, fed_size) if fed_size else None,
            counts=zeros(len(tasks), self.vocabulary),
            depth=torch.zeros_like(tasks),
            written=io.inputs.new_empty(len(tasks), 0) if self.reaching or self.real else None,
        )

    def step(self, state: Hypotheses, tokens: Tensor) -> tuple[Tensor, Hypotheses]:
        moment, state = self._step(state, tokens)
        return moment.scores.log_softmax(-1), state

    def _step(self, state: Hypotheses, tokens: Tensor) -> tuple[Moment, Hypotheses]:
        if state.written is not None:
            state = replace(state, written=torch.cat([state.written, tokens.unsqueeze(1)], 1))
        hidden, memory = self.decoder.advance(state.memory, tokens.unsqueeze(1), state.fed)
        depth = state.depth + self.nesting[tokens]
        rows = self._points(tokens, torch.tensor(state.length, device=tokens.device), depth).nonzero().squeeze(1)
        if len(rows):
            state = self._execute(state, rows, hidden)
        present = state.examples.present[state.task]
        places = Places.of(state.task)
        fixed = [View(view.index_select(0, places.tasks), places=places) for view in state.examples.fixed_views]
        moving = [View(view.index_select(0, state.latent)) for view in state.pool.views]
        seen = self.decoder.attend(hidden, fixed + moving)
        counts = state.counts + F.one_hot(tokens, self.vocabulary)
        overview = state.examples.overview_of(state.task, places)
        pooled = present
        if self.reaching and state.written is not None:
            pooled = self._pooled(state.written, state.examples.inputs[state.task], present, last=True)
        scores = self._predict(hidden, seen, pooled, counts.unsqueeze(1), overview).squeeze(1)
        fed = self.decoder.feed(seen, present)
        state = replace(state, memory=memory, fed=fed, counts=counts, depth=depth, length=state.length + 1)
        return Moment(scores, seen, hidden), state

    def _execute(self, state: Hypotheses, rows: Tensor, hidden: Tensor) -> Hypotheses:
        """One execution for the hypotheses `rows`."""
        executor = self.networks.executor
        if executor is not None:
            values = executor(state.pool.values[state.latent[rows]], executor.prepare(hidden[rows].squeeze(2)))
        else:
            assert state.written is not None
            given = state.examples.inputs[state.task[rows]]
            values = self.networks.certain(self.networks.executed_last(state.written[rows, 1:], given))
        return state.replace_latent(
            rows, Pool(values, self._latent_views(values, state.examples.base, state.task[rows]))
        )

    # --- training ----------------------------------------------------------------------------------------------
    def log_probs(self, batch: Batch) -> Tensor:
        """How likely whole programs are, given their examples. (B,)"""
        return -program_loss(self.run(batch).scores, batch.tokens)

    def loss(self, batch: Batch) -> Losses:
        return self.losses(self.run(batch), batch)

    def losses(self, run: Run, batch: Batch) -> Losses:
        """What a run of the batch's programs, by either path, costs."""
        return Losses(
            program_loss(run.scores, batch.tokens).mean(),
            self._execution_loss(run, batch),
            self._operation_loss(run, batch),
            run.scores.new_zeros(()),
        )

    def mistake_loss(self, run: Run, batch: Batch, count: int, rng: Generator) -> Tensor:
        """How far the model is from knowing so many mistakes of its own, after the statement that they are in.

        BOS, which nothing writes and a search never takes, says that nothing follows. A mistake that leads to the same values
        as the true program is none.
        """
        scores = run.scores.detach()
        alike = self.networks.alike.to(scores.device)
        drawn = draw_mistakes(batch.tokens, scores, alike, self.statement_ends, count, rng)
        inputs = filled(batch.io)[0]
        made, true = (
            self.networks.executed(tokens, inputs[drawn.rows]) for tokens in (drawn.tokens, batch.tokens[drawn.rows])
        )  # (R, S, K, *) each
        every = torch.arange(len(drawn.rows), device=drawn.rows.device)
        last = self.statement_ends[drawn.tokens].sum(1) - 1  # (R,)
        differs = (made[every, last] != true[every, last]).flatten(1).any(1)
        drawn = drawn.at(differs.nonzero().squeeze(1))
        if not len(drawn.rows):
            return scores.new_zeros(())
        again = self.run(Batch(IO(*(part[drawn.rows] for part in batch.io)), drawn.tokens)).scores  # (R, T, V)
        behind = again[torch.arange(len(drawn.rows), device=drawn.rows.device), drawn.ends]
        return -behind.log_softmax(-1)[:, BOS].sum() / len(batch.tokens)

    def run(self, batch: Batch) -> Run:
        return self.run_stepwise(batch) if self.config.input_feeding else self.run_parallel(batch)

    def run_parallel(self, batch: Batch) -> Run:
        """All lexemes at once; not for `input_feeding`."""
        examples, fed = self._encode(batch.io), shifted(batch.tokens)
        memory = self.decoder.start(*examples.features, examples.present)
        hidden, _ = self.decoder.advance(memory, fed, None)  # (B, E, T, H)
        values, after, views = self._all_views(examples, hidden, fed)
        seen = self.decoder.attend(hidden, views)
        counts = F.one_hot(fed, self.vocabulary).cumsum(1).to(values.dtype)
        pooled = examples.present
        if self.reaching:
            pooled = self._pooled(fed, examples.inputs, examples.present)
        scores = self._predict(hidden, seen, pooled, counts, examples.overview)
        return Run(scores, [part[:, :, 0] for part in seen], hidden, values, after)

    def _all_views(self, examples: Examples, hidden: Tensor, fed: Tensor) -> tuple[Tensor, Tensor, list[View]]:
        """Latent values, which is current when, and what there is to attend to at every moment."""
        fixed = [View(view) for view in examples.fixed_views]
        if not self.partial:
            tasks = torch.arange(len(fed), device=fed.device)
            return examples.latent, tasks.unsqueeze(1).expand_as(fed), fixed
        points = self._all_points(fed)
        if self.networks.executor is not None:
            chain = run_chain(self.networks.executor, examples.latent, hidden, points)
        else:
            values = self.networks.certain(self.networks.executed(fed[:, 1:], examples.inputs))
            chain = true_chain(examples.latent, values, points, self.statement_ends[fed])
        current = points.cumsum(1)  # (B, T): executions so far
        steps = torch.arange(chain.rows.shape[1], device=fed.device)
        mask = current.unsqueeze(-1) == steps  # (B, T, J)
        moving = []
        initial = len(fed)  # rows of the chain that no execution has touched: they are encoded already
        later = self._latent_views(chain.values[initial:], examples.base, chain.task[initial:])
        for first, rest in zip(examples.first_views, later, strict=True):
            view = torch.cat([first.index_select(0, chain.task[:initial]), rest])  # (P, K, L, 2 A)
            all_steps = view.index_select(0, chain.rows.flatten()).view(*chain.rows.shape, *view.shape[1:])
            elements = mask.repeat_interleave(view.shape[2], -1).unsqueeze(1)  # (B, 1, T, J L)
            moving.append(View(all_steps.transpose(1, 2).flatten(2, 3), elements))  # (B, K, J L, 2 A)
        return chain.values, chain.rows.gather(1, current), fixed + moving

    def run_stepwise(self, batch: Batch) -> Run:
        """One lexeme after the other, as a search does it."""
        state = self.start(batch.io)
        moments, values = [], []
        for tokens in shifted(batch.tokens).unbind(1):
            moment, state = self._step(state, tokens)
            moments.append(moment)
            values.append(state.pool.values[state.latent])
        rows, steps = batch.tokens.shape
        after = torch.arange(rows * steps, device=batch.tokens.device).view(steps, rows).T
        return Run(
            torch.stack([moment.scores for moment in moments], 1),
            [part.squeeze(2) for part in moments[0].seen],
            torch.cat([moment.hidden for moment in moments], 2),
            torch.cat(values),
            after,
        )

    def _execution_loss(self, run: Run, batch: Batch) -> Tensor:
        executor = self.networks.executor
        if executor is None:
            return run.scores.new_zeros(())
        outputs = filled(batch.io)[1]
        fed = shifted(batch.tokens)
        points = self._all_points(fed)
        last = (batch.tokens != PAD).sum(1, keepdim=True) - 1  # (B, 1): the moment after the last lexeme
        final = run.values[run.after.gather(1, last).squeeze(1)]  # (B, K, *)
        executed = points.gather(1, last).squeeze(1)
        if not bool(executed.all()):  # programs that do not end at an execution point are executed once more
            more = executor(final, executor.prepare(hidden_at(run.hidden, last).squeeze(1)))
            final = torch.where(executed.view(-1, *(1 for _ in final.shape[1:])), final, more)
        loss = masked_mean(self.networks.value_loss(final, outputs), batch.io.present).mean()
        if self.config.execution_loss == "statements":
            loss = loss + self._statements_loss(run, batch, fed, points, outputs)
        return loss * self._execution_weight()

    def _statements_loss(self, run: Run, batch: Batch, fed: Tensor, points: Tensor, outputs: Tensor) -> Tensor:
        if batch.states is None or batch.states_valid is None:
            raise ValueError("execution_loss: statements needs a batch with the true values at statement ends")
        ends = self.statement_ends[fed].cumsum(1)  # (B, T): statements so far, of which the points are some
        count = int(ends[:, -1].max())
        if batch.states.shape[1] < count:
            raise ValueError(f"a program has {count} statement ends, the batch has values for {batch.states.shape[1]}")
        positions = points.int().argsort(dim=1, descending=True, stable=True)[:, : int(points.sum(1).max())]  # (B, S)
        number = (ends.gather(1, positions) - 1).clamp(min=0)  # (B, S): of each point among the statement ends
        rows = torch.arange(len(fed), device=fed.device).unsqueeze(1)
        valid = batch.states_valid[rows, number] & batch.io.present.unsqueeze(1)  # (B, S, K)
        valid = valid & points.gather(1, positions).unsqueeze(2)
        true = batch.states[rows, number]
        unknown = ~valid.view(*valid.shape, *(1 for _ in true.shape[3:]))
        true = torch.where(unknown, outputs.unsqueeze(1), true)  # anything that is a value: it does not count
        latent = run.values[run.after.gather(1, positions)]  # (B, S, K, *)
        return masked_mean(self.networks.value_loss(latent, true), valid).mean()

    def _execution_weight(self) -> float:
        if self.batches is None:
            return self.config.execution_weight
        grown = min(1.0, int(self.batches) / self.config.execution_warmup_steps)
        if self.training:
            self.batches += 1
        return self.config.execution_weight * grown

    def _operation_loss(self, run: Run, batch: Batch) -> Tensor:
        if self.networks.operations is None:
            return run.scores.new_zeros(())
        seen = run.first_seen
        losses = self.networks.operation_loss(seen[INPUT], seen[OUTPUT], *filled(batch.io))
        return masked_mean(losses, batch.io.present).mean()

    # --- pieces of both ----------------------------------------------------------------------------------------
    def _points(self, tokens: Tensor, moments: Tensor, depths: Tensor) -> Tensor:
        return execution_points(self.config, tokens, moments, depths, Structure(self.statement_ends, self.nesting))

    def _all_points(self, fed: Tensor) -> Tensor:
        """(B, T) -> (B, T)"""
        return self._points(fed, torch.arange(fed.shape[1], device=fed.device), self.nesting[fed].cumsum(1))

    def _encode(self, io: IO) -> Examples:
        inputs, outputs = filled(io)
        certain, base = self.networks.certain(inputs), self.networks.encoder.prepare(outputs)
        features = self.networks.encoder(certain, base)
        overview = self.decoder.overview(*features, io.present)
        views, latent = self._project(INPUT, features), self.networks.latent
        if latent is None:
            fixed, moving = ((), views) if self.partial else (views, ())
            return Examples(inputs, certain, io.present, features, overview, base, fixed, moving)
        base = latent.prepare(*features, outputs)
        first = self._project(LATENT, [latent(certain, base)])
        return Examples(inputs, certain, io.present, features, overview, base, views, first)

    def _pooled(self, fed: Tensor, inputs: Tensor, present: Tensor, last: bool = False) -> Tensor:
        """Which examples count at every moment, or at the last one alone: those that come to where the program is being
        written; all of them where none does. (B, T), BOS first; (B, K, *), (B, K) -> (B, K, T or 1) of bool"""
        begin = fed.shape[1] - 2 if last else 0
        reached = self.networks.reaching(fed[:, 1:], inputs, max(0, begin))
        if begin <= 0:
            reached = F.pad(reached, (1, 0), value=True)  # before the first lexeme
        here = present.unsqueeze(-1)
        counting = (reached[..., -1:] if last else reached) & here
        return torch.where(counting.any(1, keepdim=True), counting, here)

    def _latent_views(self, values: Tensor, base: Tensor, task: Tensor) -> tuple[Tensor, ...]:
        """What the decoder sees of latent values, (P, K, *), that belong to tasks (P,)."""
        if self.config.detach_state:
            values = values.detach()
        base, latent = base.index_select(0, task), self.networks.latent
        if latent is None:
            return self._project(INPUT, self.networks.encoder(values, base))
        return self._project(LATENT, [latent(values, base)])

    def _project(self, first: int, features: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Features of the views from `first` on, for the decoder. (..., D) -> (..., 2 A)"""
        return tuple(self.decoder.project(view, part) for view, part in enumerate(features, first))

    def _predict(
        self, hidden: Tensor, seen: Sequence[Tensor], present: Tensor, counts: Tensor, overview: Overview
    ) -> Tensor:
        operations = self.networks.operations
        extra = [] if operations is None else [operations(seen[INPUT], seen[OUTPUT])]
        return self.decoder.predict(hidden, [*seen, *extra], present, counts, overview)


def shifted(tokens: Tensor) -> Tensor:
    """What is fed at each moment: BOS, then all but the last lexeme. (B, T) -> (B, T)"""
    return torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], 1)


def filled(io: IO) -> tuple[Tensor, Tensor]:
    """Inputs and outputs with copies of the first present example in place of the absent ones. (B, K, *) each"""
    tasks, count = io.present.shape
    first = io.present.int().argmax(1, keepdim=True)
    slots = torch.where(io.present, torch.arange(count, device=first.device), first)  # (B, K)
    rows = torch.arange(tasks, device=first.device).unsqueeze(1)
    return io.inputs[rows, slots], io.outputs[rows, slots]


def build_model(config: ModelConfig, domain: AnyDomain, seed: int = 0) -> LaSynth:
    """A model with fresh weights for this domain. Same seed, same weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        networks: Networks = learnable(domain).networks(config)
        structure = Structure(torch.from_numpy(domain.statement_ends), torch.from_numpy(domain.nesting))
        return LaSynth(config, len(domain.vocab), structure, networks)
