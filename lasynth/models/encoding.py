"""Encode examples for the decoder: features of inputs and outputs, and views of latent values.

The encoding of a latent value does not depend on the moment at which it occurs.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from lasynth.layers import Projected
from lasynth.models.base import IO
from lasynth.models.decoder import INPUT, LATENT, Decoder
from lasynth.models.networks import Networks
from lasynth.models.real import distinct
from lasynth.models.state import EncodedExamples


class Encoding:
    """Encodes the examples of tasks for one decoder."""

    def __init__(self, networks: Networks, decoder: Decoder, executes_prefixes: bool) -> None:
        """`executes_prefixes`: whether latent values replace the input while the program grows."""
        self.networks, self.decoder, self.executes_prefixes = networks, decoder, executes_prefixes

    def examples(self, io: IO) -> EncodedExamples:
        """Encode everything that is known about tasks before the first lexeme."""
        inputs, outputs = filled(io)
        wanted = self.networks.numbers(outputs)
        latent = self.networks.certain(self.networks.numbers(inputs))
        base = self.networks.encoder.prepare(wanted)
        features = self.networks.encoder(latent, base)
        overview = self.decoder.overview(*features, io.present)
        views, encoder = self._project(INPUT, features), self.networks.latent_encoder
        if encoder is None:
            fixed, moving = ((), views) if self.executes_prefixes else (views, ())
            return EncodedExamples(inputs, latent, io.present, features, overview, base, fixed, moving)
        base = encoder.prepare(*features, wanted)
        first = self._project(LATENT, [encoder(latent, base)])
        return EncodedExamples(inputs, latent, io.present, features, overview, base, views, first)

    def certain(self, values: Tensor) -> Tensor:
        """Latent values that stand for exactly these values. (..., K, *) -> (..., K, *)"""
        return self.networks.certain(self.networks.numbers(values))

    def value_views(self, values: Tensor, base: Tensor, task: Tensor) -> tuple[Projected, ...]:
        """Views of real values of these tasks. Each value of an example is encoded once, however often it occurs.

        (R, K, *), (B, K, *), (R,) -> each (R, K, L, A)
        """
        rows, count = values.shape[:2]
        example = (task.unsqueeze(1) * count + torch.arange(count, device=task.device)).flatten()  # (R K,)
        first, place = distinct(example, values.flatten(0, 1))  # (D,), (R K,)
        latents = self.certain(values.flatten(0, 1)[first])
        views = self.latent_views(latents.unsqueeze(1), base.flatten(0, 1).unsqueeze(1), example[first])
        return tuple(view.rows(place).each(lambda part: part.view(rows, count, *part.shape[2:])) for view in views)

    def latent_views(self, latents: Tensor, base: Tensor, task: Tensor) -> tuple[Projected, ...]:
        """Views of the latent values of these tasks. (P, K, *), (B, K, *), (P,) -> each (P, K, L, A)"""
        base, encoder = base.index_select(0, task), self.networks.latent_encoder
        if encoder is None:
            return self._project(INPUT, self.networks.encoder(latents, base))
        return self._project(LATENT, [encoder(latents, base)])

    def _project(self, first: int, features: Sequence[Tensor]) -> tuple[Projected, ...]:
        """Keys and values for the views `first`, `first` + 1, ... (..., D) -> each (..., A)"""
        return tuple(self.decoder.project(view, part) for view, part in enumerate(features, first))


def filled(io: IO) -> tuple[Tensor, Tensor]:
    """Inputs and outputs, with the first present example in place of absent ones. (B, K, *) each"""
    tasks, count = io.present.shape
    first = io.present.int().argmax(1, keepdim=True)
    slots = torch.where(io.present, torch.arange(count, device=first.device), first)  # (B, K)
    rows = torch.arange(tasks, device=first.device).unsqueeze(1)
    return io.inputs[rows, slots], io.outputs[rows, slots]
