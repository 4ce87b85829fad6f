"""What a model needs of a domain: four networks and the meaning of a latent value. A domain's `networks` module fits this.

A latent value is a tensor (..., K, *) whose last dimensions are the domain's own affair. Encoders give one feature vector
for each of the L places of a value that a decoder may attend to.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor


class Encoder(Protocol):
    def prepare(self, outputs: Tensor) -> Tensor:
        """What all latent values of a task share. (B, K, *) -> (B, K, *)"""

    def __call__(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """Features of input and output. (R, K, *), (R, K, *) -> (R, K, L, D), (R, K, L, D)"""


class Executor(Protocol):
    def prepare(self, hidden: Tensor) -> Tensor:
        """What an execution needs of the decoder's state; for all points at once. (..., decoder) -> (..., X)"""

    def __call__(self, latent: Tensor, context: Tensor) -> Tensor:
        """The latent value after one execution. (R, K, *), (R, 1 or K, X) -> (R, K, *)"""


class LatentEncoder(Protocol):
    """For `latent_view: beside`: what is left to do, lightly encoded."""

    @property
    def size(self) -> int:
        """Of its features, Z."""

    def prepare(self, inputs: Tensor, outputs: Tensor, wanted: Tensor) -> Tensor:
        """What all latent values of a task share, from the features of its examples and its outputs themselves.

        (B, K, L, D), (B, K, L, D), (B, K, *) -> (B, K, *)
        """

    def __call__(self, latent: Tensor, base: Tensor) -> Tensor:
        """(R, K, *), (R, K, *) -> (R, K, L, Z)"""


class Operations(Protocol):
    def __call__(self, attended_input: Tensor, attended_output: Tensor) -> Tensor:
        """(..., A), (..., A) -> (..., A)"""


class Networks(Protocol):
    """A module with these parts; those that a config has no use for are None."""

    @property
    def feature_size(self) -> int:
        """D"""

    @property
    def encoder(self) -> Encoder: ...

    @property
    def executor(self) -> Executor | None: ...

    @property
    def latent(self) -> LatentEncoder | None: ...

    @property
    def operations(self) -> Operations | None: ...

    @property
    def alike(self) -> Tensor:
        """For mistakes: which lexemes can take whose place. (V, V) of bool"""

    def reaching(self, tokens: Tensor, values: Tensor, begin: int) -> Tensor:
        """For `pool_over: reaching`: which inputs come to the statement that is being written after each lexeme of unfinished
        programs, from lexeme `begin` on. (B, T), (B, K, *) -> (B, K, T - begin) of bool"""

    def executed(self, tokens: Tensor, values: Tensor) -> Tensor:
        """For `executor: real`: the values that inputs have become at every statement end of programs.

        (B, T), (B, K, *) -> (B, S, K, *)
        """

    def executed_last(self, tokens: Tensor, values: Tensor) -> Tensor:
        """The same for unfinished programs at their last lexeme, which ends a statement. (B, T), (B, K, *) -> (B, K, *)"""

    def certain(self, values: Tensor) -> Tensor:
        """The latent value that is surely this one. (R, K, *) -> (R, K, *)"""

    def value_loss(self, latent: Tensor, values: Tensor) -> Tensor:
        """How far a latent value is from the true one. (..., *), (..., *) -> (...)"""

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        """Step-0 loss of the operation predictor. (B, K, A), (B, K, A), (B, K, *), (B, K, *) -> (B, K)"""
