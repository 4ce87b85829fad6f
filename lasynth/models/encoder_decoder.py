"""The encoder-decoder: one class for all rows of the paper's C table, with or without latent execution.

`run` computes all lexemes of a program at once if the config allows it. Only the chain of latent values is sequential.
`step` computes one lexeme for any number of hypotheses. Both use the same parts, and a test checks that they give the
same log-probabilities. The model does not depend on a language: its networks and its machine are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from lasynth.config import ModelConfig
from lasynth.layers import Places, few_sizes, program_loss
from lasynth.models.base import IO, Batch, Losses, Synthesizer
from lasynth.models.decoder import INPUT, OUTPUT, Decoder, Overview, View
from lasynth.models.encoding import Encoding
from lasynth.models.execution import Chain, Structure, execution_points, run_chain, true_chain
from lasynth.models.losses import (
    Run,
    final_loss,
    operation_loss,
    own_mistakes,
    shifted,
    statements_loss,
)
from lasynth.models.networks import Networks
from lasynth.models.real import RealExecution, distinct
from lasynth.models.state import EncodedExamples, Hypotheses, Pool


class Moment(NamedTuple):
    """Everything computed in one step of N hypotheses."""

    scores: Tensor
    """(N, V)"""
    seen: list[Tensor]
    """Results of attention, each (N, K, 1, A)."""
    hidden: Tensor
    """(N, E, 1, H)"""


class EncoderDecoder(Synthesizer[Hypotheses, Run]):
    """The model that the docstring of the module describes."""

    def __init__(
        self, config: ModelConfig, vocabulary: int, structure: Structure, networks: Networks, real: RealExecution
    ) -> None:
        super().__init__()
        self.config, self.vocabulary, self.real = config, vocabulary, real
        self.networks = networks
        encoder = networks.latent_encoder
        self.decoder = Decoder(
            config, vocabulary, [networks.feature_size] * 2 + ([] if encoder is None else [encoder.size])
        )
        self.encoding = Encoding(networks, self.decoder, config.executes_prefixes)
        self.statement_ends: Tensor
        self.nesting: Tensor
        self.register_buffer("statement_ends", structure.ends, persistent=False)
        self.register_buffer("nesting", structure.nesting, persistent=False)

    # --- one lexeme: search ------------------------------------------------------------------------------------
    def start(self, io: IO) -> Hypotheses:
        examples = self.encoding.examples(io)
        tasks = torch.arange(len(io.present), device=io.present.device)
        memory = self.decoder.start(*examples.features, examples.present)
        zeros, fed_size = memory.hidden.new_zeros, self.decoder.fed_size
        real = self.config.executor == "real"
        return Hypotheses(
            examples,
            Pool(examples.inputs if real else examples.latent, examples.first_views),
            task=tasks,
            pool_row=tasks,
            memory=memory,
            fed=zeros(len(tasks), memory.hidden.shape[2], 1, fed_size) if fed_size else None,
            counts=zeros(len(tasks), self.vocabulary),
            depth=torch.zeros_like(tasks),
            written=tasks.new_empty(len(tasks), 0) if real else None,
        )

    def step(self, state: Hypotheses, tokens: Tensor) -> tuple[Tensor, Hypotheses]:
        moment, state = self.advance(state, tokens)
        return moment.scores.log_softmax(-1), state

    def advance(self, state: Hypotheses, tokens: Tensor) -> tuple[Moment, Hypotheses]:
        """`step`, with intermediate results."""
        if state.written is not None:
            state = replace(state, written=torch.cat([state.written, tokens.unsqueeze(1)], 1))
        hidden, memory = self.decoder.advance(state.memory, tokens.unsqueeze(1), state.fed)
        depth = state.depth + self.nesting[tokens]
        rows = self._points(tokens, depth).nonzero().squeeze(1)
        if len(rows):
            state = self._execute(state, rows[few_sizes(len(rows)).to(rows.device)], hidden)
        places = Places.of(state.task)
        fixed = [View(view.rows(places.tasks), places=places) for view in state.examples.fixed_views]
        shared = Places.of(state.pool_row) if state.pool.views else places
        moving = [View(view.rows(shared.tasks), places=shared) for view in state.pool.views]
        seen = self.decoder.attend(hidden, fixed + moving)
        counts = state.counts + F.one_hot(tokens, self.vocabulary)
        overview = state.examples.overview_of(state.task, places)
        present = counting = state.examples.present[state.task]
        if state.written is not None:
            inputs = state.examples.inputs[state.task]
            counting = self.real.examples_at_cursor(state.written, inputs, present, last=True)
        scores = self._predict(hidden, seen, counting, counts.unsqueeze(1), overview).squeeze(1)
        fed = self.decoder.feed(seen, present)
        return Moment(scores, seen, hidden), replace(state, memory=memory, fed=fed, counts=counts, depth=depth)

    def _execute(self, state: Hypotheses, rows: Tensor, hidden: Tensor) -> Hypotheses:
        """Execute once for the hypotheses `rows`."""
        executor, task, base = self.networks.executor, state.task[rows], state.examples.base
        if executor is not None:
            latents = executor(state.latents[rows], executor.prepare(hidden[rows].squeeze(2)))
            return state.replace_latents(rows, Pool(latents, self.encoding.latent_views(latents, base, task)))
        assert state.written is not None
        values = self.real.last_state(state.written[rows, 1:], state.examples.inputs[task])
        first, shared = distinct(task, values)  # many hypotheses have done the same so far
        views = self.encoding.value_views(values[first], base, task[first])
        return state.replace_latents(rows, Pool(values[first], views), shared)

    # --- whole programs: training and judging ------------------------------------------------------------------
    def run(self, batch: Batch) -> Run:
        return self.run_stepwise(batch) if self.config.input_feeding else self.run_parallel(batch)

    def run_parallel(self, batch: Batch) -> Run:
        """All lexemes at once; not for `input_feeding`."""
        examples, fed = self.encoding.examples(batch.io), shifted(batch.tokens)
        memory = self.decoder.start(*examples.features, examples.present)
        hidden, _ = self.decoder.advance(memory, fed, None)  # (B, E, T, H)
        latents, current, views = self._all_views(examples, hidden, fed)
        seen = self.decoder.attend(hidden, views)
        counts = F.one_hot(fed, self.vocabulary).cumsum(1).to(memory.hidden.dtype)
        counting = examples.present
        if self.config.executor == "real":
            counting = self.real.examples_at_cursor(fed, examples.inputs, counting)
        scores = self._predict(hidden, seen, counting, counts, examples.overview)
        return Run(scores, [part[:, :, 0] for part in seen], hidden, latents, current)

    def _all_views(self, examples: EncodedExamples, hidden: Tensor, fed: Tensor) -> tuple[Tensor, Tensor, list[View]]:
        """Latent values, (B, T) the row of the current one at each moment, and the views to attend to."""
        fixed = [View(view) for view in examples.fixed_views]
        if not self.config.executes_prefixes:
            tasks = torch.arange(len(fed), device=fed.device)
            return examples.latent, tasks.unsqueeze(1).expand_as(fed), fixed
        points = self._all_points(fed)
        chain = self._chain(examples, hidden, fed, points)
        executions = points.cumsum(1)  # (B, T): so far
        steps = torch.arange(chain.rows.shape[1], device=fed.device)
        mask = executions.unsqueeze(-1) == steps  # (B, T, J)
        moving = []
        initial = len(fed)  # the first rows of the chain are before any execution, and already encoded
        encode = self.encoding.latent_views if self.config.learns_execution else self.encoding.value_views
        later = encode(chain.latents[initial:], examples.base, chain.task[initial:])
        for first, rest in zip(examples.first_views, later, strict=True):
            view = first.rows(chain.task[:initial]).join(rest)  # (P, K, L, A)
            all_steps = view.rows(chain.rows.flatten()).each(lambda part: part.view(*chain.rows.shape, *part.shape[1:]))
            elements = mask.repeat_interleave(view.keys.shape[2], -1).unsqueeze(1)  # (B, 1, T, J L)
            side_by_side = all_steps.each(lambda part: part.transpose(1, 2).flatten(2, 3))  # (B, K, J L, A)
            moving.append(View(side_by_side, elements))
        return chain.latents, chain.rows.gather(1, executions), fixed + moving

    def _chain(self, examples: EncodedExamples, hidden: Tensor, fed: Tensor, points: Tensor) -> Chain:
        if self.networks.executor is not None:
            return run_chain(self.networks.executor, examples.latent, hidden, points)
        states = self.real.states(fed[:, 1:], examples.inputs)
        return true_chain(examples.inputs, states, points, self.statement_ends[fed])

    def run_stepwise(self, batch: Batch) -> Run:
        """One lexeme after the other, as in a search."""
        state = self.start(batch.io)
        moments, latents = [], []
        for tokens in shifted(batch.tokens).unbind(1):
            moment, state = self.advance(state, tokens)
            moments.append(moment)
            latents.append(state.latents)
        rows, steps = batch.tokens.shape
        current = torch.arange(rows * steps, device=batch.tokens.device).view(steps, rows).T
        return Run(
            torch.stack([moment.scores for moment in moments], 1),
            [part.squeeze(2) for part in moments[0].seen],
            torch.cat([moment.hidden for moment in moments], 2),
            torch.cat(latents),
            current,
        )

    # --- losses ------------------------------------------------------------------------------------------------
    def log_probs(self, batch: Batch) -> Tensor:
        return -program_loss(self.run(batch).scores, batch.tokens)

    def losses(self, run: Run, batch: Batch) -> Losses:
        fed = shifted(batch.tokens)
        points = self._all_points(fed)
        execution = final_loss(self.networks, run, batch, points)
        if self.config.execution_loss == "statements":
            execution = execution + statements_loss(self.networks, run, batch, points, self.statement_ends[fed])
        program = program_loss(run.scores, batch.tokens).mean()
        return Losses(program, execution, operation_loss(self.networks, run, batch), run.scores.new_zeros(()))

    def mistake_loss(self, run: Run, batch: Batch, count: int, rng: Generator) -> Tensor:
        return own_mistakes(self, run.scores, batch, count, rng)

    # --- parts of both paths -----------------------------------------------------------------------------------
    def _points(self, tokens: Tensor, depths: Tensor) -> Tensor:
        return execution_points(self.config, tokens, depths, Structure(self.statement_ends, self.nesting))

    def _all_points(self, fed: Tensor) -> Tensor:
        """Execution points of whole programs. (B, T) -> (B, T) of bool"""
        return self._points(fed, self.nesting[fed].cumsum(1))

    def _predict(
        self, hidden: Tensor, seen: Sequence[Tensor], counting: Tensor, counts: Tensor, overview: Overview
    ) -> Tensor:
        operations = self.networks.operations
        extra = [] if operations is None else [operations(seen[INPUT], seen[OUTPUT])]
        return self.decoder.predict(hidden, [*seen, *extra], counting, counts, overview)
