"""Training by reward: raise the probability of programs that are right, whether or not they are the data's own.

The second stage of Bunel et al. (2018). A beam search finds the likeliest programs of each task; the data's own program
is added to them. Their probabilities are scaled to add up to 1, and the objective is the expected reward: 1 for a
program that is right on every example of its task, also on those that the model does not see, and 0 for any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lasynth.batch import Collator
from lasynth.domains.base import Syntax
from lasynth.models.base import Batch, Losses
from lasynth.models.build import Model
from lasynth.search import Found, beam_search
from lasynth.settings import SearchConfig
from lasynth.task import InputError
from lasynth.vocab import PAD

MOST_LEXEMES = 60
"""Longer hypotheses are dropped: at the beginning they would take most of the time."""


@dataclass(frozen=True)
class BeamReward:
    """The loss of a batch: 1 minus the expected reward of the beam's programs, as a mean over the tasks."""

    model: Model
    collate: Collator
    syntax: Syntax
    beam: int

    def __call__(self, batch: Batch) -> Losses:
        if batch.every is None:
            raise InputError("training by reward needs batches with all examples of their tasks")
        tokens, task = with_own_programs(self._search(batch), batch.tokens.cpu().numpy())  # (P, T), (P,)
        device = batch.tokens.device
        rewards = torch.from_numpy(self._right(batch, tokens, task)).to(device)
        rows = torch.from_numpy(task).to(device)
        programs = Batch(batch.io.at(rows), torch.from_numpy(tokens).to(device))
        chances = scaled(self.model.log_probs(programs).float(), rows, len(batch.tokens))
        none = chances.new_zeros(())
        return Losses(1 - (chances * rewards).sum() / len(batch.tokens), none, none, none)

    def _search(self, batch: Batch) -> Found:
        config = SearchConfig(beam=self.beam, max_length=MOST_LEXEMES, tasks=len(batch.tokens))
        was, inputs = self.model.training, batch.io.inputs.cpu().numpy()
        self.model.eval()
        try:
            return beam_search(self.model, batch.io, self.syntax, config, hopeless=self.collate.hopeless(inputs))
        finally:
            self.model.train(was)

    def _right(self, batch: Batch, tokens: NDArray[np.int64], task: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which programs are right on every example of their task. (P, T), (P,) -> (P,)"""
        assert batch.every is not None
        inputs, outputs = batch.every.inputs.cpu().numpy(), batch.every.outputs.cpu().numpy()
        fits, _ = self.collate.right(tokens, inputs, outputs, task)  # (P, K)
        right: NDArray[np.bool_] = np.logical_and.reduce(fits, axis=1)
        return right


def with_own_programs(found: Found, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The programs of all beams, and those of the data that are not in their task's beam. (B, T) -> (P, T), (P,)"""
    task, slot = (found.scores > -np.inf).nonzero()
    width = max(found.tokens.shape[2], own.shape[1])
    beams, mine = (
        np.pad(part, [(0, 0), (0, width - part.shape[1])], constant_values=PAD)
        for part in (found.tokens[task, slot].astype(np.int64), own)
    )
    missing = np.ones(len(own), np.bool_)
    missing[task[(beams == mine[task]).all(axis=1)]] = False
    return np.concatenate([beams, mine[missing]]), np.concatenate([task, missing.nonzero()[0]])


def scaled(log_probs: Tensor, rows: Tensor, tasks: int) -> Tensor:
    """Probabilities of programs, scaled to add up to 1 for each task. (P,), (P,) -> (P,)"""
    largest = log_probs.new_full((tasks,), -torch.inf).scatter_reduce(0, rows, log_probs.detach(), "amax")
    weights = (log_probs - largest[rows]).exp()
    totals = weights.new_zeros(tasks).scatter_add(0, rows, weights)
    return weights / totals[rows]
