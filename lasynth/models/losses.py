"""The losses of a run on true programs, each a mean over the batch."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import torch
from torch import Generator, Tensor

from lasynth.layers import masked_mean
from lasynth.models.base import Batch
from lasynth.models.decoder import INPUT, OUTPUT
from lasynth.models.encoding import filled
from lasynth.models.execution import hidden_at, in_time_order
from lasynth.models.mistakes import Mistakes, draw_mistakes
from lasynth.models.networks import Networks
from lasynth.models.real import RealExecution
from lasynth.vocab import BOS, PAD


class Run(NamedTuple):
    """Everything computed for B programs."""

    scores: Tensor
    """(B, T, V)"""
    first_seen: list[Tensor]
    """Results of attention before the first lexeme, each (B, K, A)."""
    hidden: Tensor
    """(B, E, T, H)"""
    latents: Tensor
    """(P, K, *)"""
    current: Tensor
    """(B, T): row of the latent value that was current at each moment."""


def shifted(tokens: Tensor) -> Tensor:
    """The lexemes that are fed at each moment: BOS, then all but the last one. (B, T) -> (B, T)"""
    return torch.cat([torch.full_like(tokens[:, :1], BOS), tokens[:, :-1]], 1)


def final_loss(networks: Networks, run: Run, batch: Batch, points: Tensor) -> Tensor:
    """How far the latent value after the whole program is from the output. `points`: execution points, (B, T)."""
    executor = networks.executor
    if executor is None:
        return run.scores.new_zeros(())
    wanted = networks.numbers(filled(batch.io)[1])
    last = (batch.tokens != PAD).sum(1, keepdim=True) - 1  # (B, 1): the moment after the last lexeme
    final = run.latents[run.current.gather(1, last).squeeze(1)]  # (B, K, *)
    executed = points.gather(1, last).squeeze(1)
    if not bool(executed.all()):  # a program that does not end at an execution point is executed once more
        more = executor(final, executor.prepare(hidden_at(run.hidden, last).squeeze(1)))
        final = torch.where(executed.view(-1, *(1 for _ in final.shape[1:])), final, more)
    return masked_mean(networks.value_loss(final, wanted), batch.io.present).mean()


def statements_loss(networks: Networks, run: Run, batch: Batch, points: Tensor, ends: Tensor) -> Tensor:
    """How far the latent values at execution points are from the true ones.

    Every point is a statement end. `points` and `ends` are (B, T) of bool.
    """
    if batch.states is None or batch.states_valid is None:
        raise ValueError("execution_loss: statements needs a batch with the true values at statement ends")
    numbers = ends.cumsum(1)  # (B, T): statements so far
    count = int(numbers[:, -1].max())
    if batch.states.shape[1] < count:
        raise ValueError(f"a program has {count} statement ends, the batch has values for {batch.states.shape[1]}")
    positions, _ = in_time_order(points)  # (B, S)
    number = (numbers.gather(1, positions) - 1).clamp(min=0)  # (B, S): index among the statement ends
    rows = torch.arange(len(points), device=points.device).unsqueeze(1)
    valid = batch.states_valid[rows, number] & batch.io.present.unsqueeze(1)  # (B, S, K)
    valid = valid & points.gather(1, positions).unsqueeze(2)
    true = batch.states[rows, number]
    unknown = ~valid.view(*valid.shape, *(1 for _ in true.shape[3:]))
    outputs = filled(batch.io)[1].unsqueeze(1).to(true.dtype)
    true = networks.numbers(
        torch.where(unknown, outputs, true)
    )  # unknown values may be anything: the mean leaves them out
    latents = run.latents[run.current.gather(1, positions)]  # (B, S, K, *)
    return masked_mean(networks.value_loss(latents, true), valid).mean()


def operation_loss(networks: Networks, run: Run, batch: Batch) -> Tensor:
    """The loss of the operation predictor, before the first lexeme."""
    if networks.operations is None:
        return run.scores.new_zeros(())
    seen, numbers = run.first_seen, [networks.numbers(side) for side in filled(batch.io)]
    losses = networks.operation_loss(seen[INPUT], seen[OUTPUT], *numbers)
    return masked_mean(losses, batch.io.present).mean()


def real_mistakes(
    real: RealExecution, scores: Tensor, batch: Batch, statement_ends: Tensor, count: int, rng: Generator
) -> Mistakes:
    """Draw mistakes that the model finds likely, and drop those that have the same values as the true program.

    `scores` are the model's for the batch's programs, (B, T, V).
    """
    scores = scores.detach()
    drawn = draw_mistakes(batch.tokens, scores, real.alike.to(scores.device), statement_ends, count, rng)
    inputs = filled(batch.io)[0][drawn.rows]
    made, true = (real.states(tokens, inputs) for tokens in (drawn.tokens, batch.tokens[drawn.rows]))  # (R, S, K, *)
    every = torch.arange(len(drawn.rows), device=drawn.rows.device)
    last = statement_ends[drawn.tokens].sum(1) - 1  # (R,)
    return drawn.at(real.differ(made[every, last], true[every, last]).nonzero().squeeze(1))


def mistake_loss(scores: Tensor, mistakes: Mistakes, tasks: int) -> Tensor:
    """How far a model is from predicting that no program continues after a mistake.

    The model predicts this with the lexeme BOS. No program contains it, and no search chooses it. `scores` are those of
    the programs with mistakes, (R, T, V). The result is the sum over mistakes, divided by the number of tasks.
    """
    behind = scores[torch.arange(len(mistakes.rows), device=scores.device), mistakes.ends]  # (R, V)
    return -behind.log_softmax(-1)[:, BOS].sum() / tasks


class Mistaken(Protocol):
    """A model that can run programs with mistakes."""

    real: RealExecution
    statement_ends: Tensor

    def run(self, batch: Batch) -> Any: ...


def own_mistakes(model: Mistaken, scores: Tensor, batch: Batch, count: int, rng: Generator) -> Tensor:
    """Draw `count` mistakes that the model finds likely, and measure how far it is from recognising them.

    `scores` are the model's for the batch's programs, (B, T, V).
    """
    mistakes = real_mistakes(model.real, scores, batch, model.statement_ends, count, rng)
    if not len(mistakes.rows):
        return scores.new_zeros(())
    behind = model.run(Batch(batch.io.at(mistakes.rows), mistakes.tokens)).scores  # (R, T, V)
    return mistake_loss(behind, mistakes, len(batch.tokens))
