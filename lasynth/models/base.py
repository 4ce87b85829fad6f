"""The seam between models and the rest: what a model is given, what it answers, and how a search holds on to its state.

Letters for shapes, fixed here for the whole project:
    B tasks in a batch      K examples of a task        L elements of a value (a list's length)
    T lexemes of a program  S execution points          H hidden units
    N hypotheses of a search (any number per task)      V lexemes of the vocabulary
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self, TypeVar

import torch
from torch import Tensor


class IO(NamedTuple):
    """The examples of B tasks, as numbers that the domain's networks understand."""

    inputs: Tensor
    """(B, K, L) of int64 for lists; a domain may have more dimensions behind K."""
    outputs: Tensor
    """As inputs."""
    present: Tensor
    """(B, K) of bool: tasks may have fewer examples than K; at least one is present."""


class Batch(NamedTuple):
    """Tasks with the programs to learn."""

    io: IO
    tokens: Tensor
    """(B, T) of int64: the program's lexemes, EOS, then PAD."""
    states: Tensor | None = None
    """(B, S, K, L): the true value at each statement end of the program, for `execution_loss: statements`."""
    states_valid: Tensor | None = None
    """(B, S, K) of bool: the statement exists and the value after it is inside the domain's range."""


class Losses(NamedTuple):
    """Mean over the batch; parts that a model does not have are zero."""

    program: Tensor
    execution: Tensor
    operation: Tensor
    mistake: Tensor
    """Of being told that nothing follows a mistake; only in training, where it is asked for."""

    @property
    def total(self) -> Tensor:
        return self.program + self.execution + self.operation + self.mistake


class State(Protocol):
    """What a model remembers of N unfinished programs."""

    def reorder(self, index: Tensor) -> Self:
        """The state of hypotheses index[0], index[1], ..: rows may be dropped, repeated and moved."""


AnyState = TypeVar("AnyState", bound=State)


class Synthesizer(Protocol[AnyState]):
    """Every model, each with a state of its own.

    `loss` may run all steps in parallel; a test holds it to the same log-probabilities as `step`.
    """

    def start(self, io: IO) -> AnyState:
        """The state before the first lexeme: one hypothesis per task."""

    def step(self, state: AnyState, tokens: Tensor) -> tuple[Tensor, AnyState]:
        """Take the last lexeme of each hypothesis (BOS at first); log-probabilities of the next one. (N,) -> (N, V)"""

    def loss(self, batch: Batch) -> Losses:
        """Teacher-forced losses."""


def device_of(module: torch.nn.Module) -> torch.device:
    return next(module.parameters()).device
