"""What a model needs of a language: its networks, and the meaning of a latent value. A domain's `networks` module has them.

A latent value is a model's picture of a value: a tensor (..., K, *) whose last axes are the language's own affair. Encoders
give one feature vector for each of the L places of a value that a decoder can attend to. Values come as the numbers that
`Networks.numbers` makes of them.
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
        """What an execution needs of the decoder's state; for all points at once. (..., H) -> (..., X)"""

    def __call__(self, latent: Tensor, context: Tensor) -> Tensor:
        """The latent value after one execution. (R, K, *), (R, 1 or K, X) -> (R, K, *)"""


class LatentEncoder(Protocol):
    """For `latent_view: beside`: a light encoding of a latent value and the wanted output."""

    @property
    def size(self) -> int:
        """Of its features, Z."""

    def prepare(self, inputs: Tensor, outputs: Tensor, wanted: Tensor) -> Tensor:
        """What all latent values of a task share, from the features of its examples and from its outputs.

        (B, K, L, D), (B, K, L, D), (B, K, *) -> (B, K, *)
        """

    def __call__(self, latent: Tensor, base: Tensor) -> Tensor:
        """(R, K, *), (R, K, *) -> (R, K, L, Z)"""


class Operations(Protocol):
    def __call__(self, attended_input: Tensor, attended_output: Tensor) -> Tensor:
        """(..., A), (..., A) -> (..., A)"""


class Networks(Protocol):
    """A module with these parts; a part that the config does not ask for is None."""

    @property
    def feature_size(self) -> int:
        """D"""

    @property
    def encoder(self) -> Encoder: ...

    @property
    def executor(self) -> Executor | None: ...

    @property
    def latent_encoder(self) -> LatentEncoder | None: ...

    @property
    def operations(self) -> Operations | None: ...

    def numbers(self, values: Tensor) -> Tensor:
        """Values as the other parts take them; a value that they cannot represent becomes a near one. (..., *) -> (..., *)"""

    def certain(self, numbers: Tensor) -> Tensor:
        """The latent value that is surely this one. (R, K, *) -> (R, K, *)"""

    def value_loss(self, latent: Tensor, numbers: Tensor) -> Tensor:
        """How far a latent value is from the true one. (..., *), (..., *) -> (...)"""

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        """Step-0 loss of the operation predictor. (B, K, A), (B, K, A), (B, K, *), (B, K, *) -> (B, K)"""
