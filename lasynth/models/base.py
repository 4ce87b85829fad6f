"""The interface between models and the rest of the project: batches, losses, and the state of a search.

Letters for shapes, fixed here for the whole project:
    B tasks in a batch      K examples of a task        L places of a value that a decoder can attend to
    T lexemes of a program  S statement ends            H hidden units
    N hypotheses of a search (any number per task)      V lexemes of the vocabulary
    *  the axes of one value, which the language defines: (L,) for lists
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, Protocol, Self, TypeVar

import torch
from torch import Generator, Tensor, nn

from lasynth.config import ModelConfig


class IO(NamedTuple):
    """The examples of B tasks. Values are arrays as `Values.pack` makes them."""

    inputs: Tensor
    """(B, K, *)"""
    outputs: Tensor
    """(B, K, *)"""
    present: Tensor
    """(B, K) of bool: which examples exist. A task may have fewer than K, but at least one."""

    def at(self, rows: Tensor | slice) -> IO:
        """The examples of some tasks."""
        return IO(*(part[rows] for part in self))

    def to(self, device: torch.device) -> IO:
        return IO(*(part.to(device) for part in self))


class Batch(NamedTuple):
    """Tasks with their true programs."""

    io: IO
    tokens: Tensor
    """(B, T) of int64: the program's lexemes, EOS, then PAD."""
    states: Tensor | None = None
    """(B, S, K, *): the true value at each statement end of the program, for `execution_loss: statements`."""
    states_valid: Tensor | None = None
    """(B, S, K) of bool: the statement exists, and the model can represent the value after it."""
    every: IO | None = None
    """All examples of the tasks, for training by reward. The model does not see them."""

    def to(self, device: torch.device) -> Batch:
        states, valid = (None if part is None else part.to(device) for part in (self.states, self.states_valid))
        every = None if self.every is None else self.every.to(device)
        return Batch(self.io.to(device), self.tokens.to(device), states, valid, every)


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the batch. A part that a model does not have is zero."""

    program: Tensor
    """Minus the log-probability of the true program."""
    execution: Tensor
    """How far the latent values are from the true ones."""
    operation: Tensor
    """The loss of the operation predictor."""
    mistake: Tensor
    """How far the model is from recognising its own mistakes. Only in training, if its settings ask for it."""

    @property
    def total(self) -> Tensor:
        return self.program + self.execution + self.operation + self.mistake


class State(Protocol):
    """A model's state for N unfinished programs."""

    def reorder(self, index: Tensor) -> Self:
        """The state of the hypotheses index[0], index[1], ... Rows may be dropped, repeated and moved."""


AnyState = TypeVar("AnyState", bound=State)
AnyRun = TypeVar("AnyRun")
"""Everything that a model computed for the programs of a batch. Only the model itself reads it."""


class Searchable(Protocol[AnyState]):
    """The methods of a model that a search calls."""

    def start(self, io: IO) -> AnyState:
        """The state before the first lexeme: one hypothesis per task."""

    def step(self, state: AnyState, tokens: Tensor) -> tuple[Tensor, AnyState]:
        """Feed the last lexeme of each hypothesis (BOS at first). Log-probabilities of the next one. (N,) -> (N, V)"""


class Synthesizer(nn.Module, ABC, Generic[AnyState, AnyRun]):
    """The interface of every model: the methods that training, search and solver call.

    `run` may compute all lexemes in parallel. It gives the same log-probabilities as `step`, which a test checks.
    """

    config: ModelConfig

    @abstractmethod
    def start(self, io: IO) -> AnyState:
        """As `Searchable.start`."""

    @abstractmethod
    def step(self, state: AnyState, tokens: Tensor) -> tuple[Tensor, AnyState]:
        """As `Searchable.step`."""

    @abstractmethod
    def run(self, batch: Batch) -> AnyRun:
        """Compute the scores of all lexemes of the batch's programs, each given the true lexemes before it."""

    @abstractmethod
    def losses(self, run: AnyRun, batch: Batch) -> Losses:
        """The losses of a run, with `mistake` zero."""

    @abstractmethod
    def mistake_loss(self, run: AnyRun, batch: Batch, count: int, rng: Generator) -> Tensor:
        """Draw `count` of the model's own mistakes, and measure how far it is from recognising them."""

    @abstractmethod
    def log_probs(self, batch: Batch) -> Tensor:
        """Log-probabilities of the batch's programs, given their examples. (B,)"""

    def loss(self, batch: Batch) -> Losses:
        """`losses` of a new run."""
        return self.losses(self.run(batch), batch)


def device_of(module: nn.Module) -> torch.device:
    return next(module.parameters()).device
