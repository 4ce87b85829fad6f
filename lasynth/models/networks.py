"""The networks that a language provides for models. `Learnable.networks` of a domain makes them.

A latent value is a model's representation of a value: a tensor (..., K, *) whose last axes the language defines.
Encoders give one feature vector for each of the L places of a value that a decoder can attend to. Networks take values
in the form that `Networks.numbers` gives them.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor


class Encoder(Protocol):
    def prepare(self, outputs: Tensor) -> Tensor:
        """The part of the encoding that all latent values of a task share. (B, K, *) -> (B, K, *)"""

    def __call__(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """Features of input and output. (R, K, *), (R, K, *) -> (R, K, L, D), (R, K, L, D)"""


class Executor(Protocol):
    def prepare(self, hidden: Tensor) -> Tensor:
        """The part of an execution that depends only on the decoder's state. (..., H) -> (..., X)"""

    def __call__(self, latent: Tensor, context: Tensor) -> Tensor:
        """The latent value after one execution. (R, K, *), (R, 1 or K, X) -> (R, K, *)"""


class LatentEncoder(Protocol):
    """For `latent_view: beside`: a light encoding of a latent value and the wanted output."""

    @property
    def size(self) -> int:
        """Z, the size of its features."""

    def prepare(self, inputs: Tensor, outputs: Tensor, wanted: Tensor) -> Tensor:
        """The part that all latent values of a task share, from the features of its examples and from its outputs.

        (B, K, L, D), (B, K, L, D), (B, K, *) -> (B, K, *)
        """

    def __call__(self, latent: Tensor, base: Tensor) -> Tensor:
        """(R, K, *), (R, K, *) -> (R, K, L, Z)"""


class Operations(Protocol):
    def __call__(self, attended_input: Tensor, attended_output: Tensor) -> Tensor:
        """(..., A), (..., A) -> (..., A)"""


class Networks(Protocol):
    """A module with these parts. A part that the config does not ask for is None."""

    @property
    def feature_size(self) -> int:
        """D, the size of the encoder's features."""

    @property
    def encoder(self) -> Encoder: ...

    @property
    def executor(self) -> Executor | None: ...

    @property
    def latent_encoder(self) -> LatentEncoder | None: ...

    @property
    def operations(self) -> Operations | None: ...

    def numbers(self, values: Tensor) -> Tensor:
        """Values as the networks take them; one that they cannot represent becomes a near one. (..., *) -> (..., *)"""

    def certain(self, numbers: Tensor) -> Tensor:
        """The latent value that is certainly this value. (R, K, *) -> (R, K, *)"""

    def value_loss(self, latent: Tensor, numbers: Tensor) -> Tensor:
        """How far a latent value is from the true one. (..., *), (..., *) -> (...)"""

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        """Loss of the operation predictor at step 0. (B, K, A), (B, K, A), (B, K, *), (B, K, *) -> (B, K)"""
