"""Build a model with new weights from a config and a language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from lasynth.config import ModelConfig
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.models.base import Synthesizer
from lasynth.models.cursor import CursorModel
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.models.execution import Structure
from lasynth.models.imagined import ImaginedModel
from lasynth.models.pooled import PooledModel
from lasynth.models.real import RealExecution
from lasynth.models.traces import TraceModel
from lasynth.models.world_traces import WorldTraceModel

Model = Synthesizer[Any, Any]
"""A model of any class."""
ARCHITECTURES: dict[str, Callable[..., Model]] = {
    "encoder_decoder": EncoderDecoder,
    "cursor": CursorModel,
    "imagined": ImaginedModel,
    "pooled": PooledModel,
    "traces": TraceModel,
    "world_traces": WorldTraceModel,
}


def build_model(config: ModelConfig, domain: AnyDomain, seed: int = 0) -> Model:
    """A model with new weights for this domain. The same seed gives the same weights."""
    language = learnable(domain)
    if config.values is None:
        config = replace(config, values=language.value_config({}))
    structure = Structure(torch.from_numpy(domain.statement_ends), torch.from_numpy(domain.nesting))
    real = RealExecution(language.values(), language.machine())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        networks = language.networks(config)
        return ARCHITECTURES[config.architecture](config, len(domain.vocab), structure, networks, real)
