"""Small models of every row, and batches of real tasks."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from lasynth.batch import padded
from lasynth.config import MODELS, ModelConfig, model_config
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.domains.restricted_c.execution.prefixes import prefix_values
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.learning.values import ListConfig
from lasynth.models.base import IO, Batch
from lasynth.models.build import build_model
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.task import Task

DOMAIN = RestrictedC()
SIZES: dict[str, Any] = {"hidden": 12, "embedding": 14, "decoder_hidden": 20}


def small(row: str, preset: str = "cpu", **settings: Any) -> ModelConfig:
    overview = {"overview": 9} if preset == "cpu" else {}
    return model_config(row, preset, ListConfig(), **(SIZES | overview | settings))


ROWS = {f"{row}, {preset}": small(row, preset) for row in MODELS for preset in ("cpu", "paper")}
VARIANTS = {
    "every lexeme, beside": small("LaSynth+", execute_at="token", execution_loss="final"),
    "LaSynth+, one decoder per example": small("LaSynth+", decoder="per_example"),
    "LaSynth+, fed": small("LaSynth+", input_feeding=True),
    "LaSynth+, two layers": small("LaSynth+", layers=2),
    "LaSynth, beside": small("LaSynth", latent_view="beside"),
    "LaSynth+, replaced": small("LaSynth+", latent_view="replace"),
    "LaSynth+, at every statement": small("LaSynth+", execute_at="statement"),
    "Executed, replaced": small("Executed", latent_view="replace"),
    "Executed, with the paper's decoder": small("Executed", decoder="per_example", input_feeding=True, overview=0),
    "LaSynth+, no overview": small("LaSynth+", overview=0),
}
CONFIGS = ROWS | VARIANTS
"""Every row at both presets, and variants with settings that no row uses."""


def new_model(config: ModelConfig, seed: int = 0) -> EncoderDecoder:
    """A model with new weights, of the class that has all rows of restricted C."""
    model = build_model(config, DOMAIN, seed)
    assert isinstance(model, EncoderDecoder)
    return model


@cache
def sampled(count: int, length: int, low: int, high: int) -> list[Task[Program, list[int]]]:
    options = COptions(list_length=length, smallest_value=low, largest_value=high, reduce=True, max_tokens=90)
    return DOMAIN.sample_tasks(Random(7), count, options)[0]


def make_batch(
    tasks: list[Task[Program, list[int]]], examples: int = 5, absent: bool = True, low: int = -4, high: int = 4
) -> Batch:
    """A batch as in training. With `absent`, every second task lacks its last example."""
    values = np.array([[(e.input, e.output) for e in task.examples[:examples]] for task in tasks])  # (B, K, 2, L)
    programs = [DOMAIN.vocab.encode(DOMAIN.unparse(task.program)) for task in tasks]
    tokens = padded(programs)
    present = np.ones((len(tasks), examples), bool)
    if absent and examples > 1:
        present[::2, -1] = False
    inputs, outputs = values[:, :, 0], values[:, :, 1]
    states, valid = prefix_values(DOMAIN.table.kinds[tokens], DOMAIN.table.arguments[tokens], inputs.astype(np.int32))
    valid &= ((states >= low) & (states <= high)).all(-1) & present[:, None]
    tensors = [torch.from_numpy(array).long() for array in (inputs, outputs, tokens, states)]
    io = IO(tensors[0], tensors[1], torch.from_numpy(present))
    return Batch(io, tensors[2], tensors[3], torch.from_numpy(valid))


@pytest.fixture(scope="session")
def batch() -> Batch:
    """Six programs of different lengths; some intermediate values are outside of the range."""
    return make_batch(sampled(6, 5, -4, 4))


@pytest.fixture(scope="session")
def short_batch() -> Batch:
    """Four short programs to memorise."""
    return make_batch(sorted(sampled(40, 5, -4, 4), key=lambda task: task.tokens)[4:8])


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Two threads do not pay for such small models, and oneDNN stalls when another process uses a core."""
    torch.set_num_threads(1)
