"""Small models of every row, and batches of real tasks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from lasynth.config import ModelConfig, model_config
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.domains.restricted_c.generator import COptions
from lasynth.domains.restricted_c.nodes import Program
from lasynth.domains.restricted_c.prefixes import prefix_values
from lasynth.models.base import IO, Batch
from lasynth.task import Task
from lasynth.vocab import PAD

SIZES: dict[str, Any] = {
    "hidden": 12, "embedding": 14, "decoder_hidden": 20, "decoder_layers": 1, "encoder_layers": 1,
    "attention_hidden": 16, "executor_hidden": 10, "executor_layers": 1,
}  # fmt: skip
DOMAIN = RestrictedC()


def small(row: str, preset: str = "cpu", **settings: Any) -> ModelConfig:
    return model_config(row, preset, **(SIZES | settings))


@cache
def tasks(count: int, length: int = 5, low: int = -4, high: int = 4) -> list[Task[Program, list[int]]]:
    options = COptions(list_length=length, smallest_value=low, largest_value=high, reduce=True, max_tokens=90)
    return DOMAIN.sample_tasks(Random(7), count, options)[0]


def make_batch(
    count: int, examples: int = 5, absent: bool = True, length: int = 5, low: int = -4, high: int = 4
) -> Batch:
    """Real tasks of different lengths; every second one lacks an example where `absent`."""
    chosen = tasks(count, length, low, high)
    values = np.array([[(e.input, e.output) for e in task.examples[:examples]] for task in chosen])  # (B, K, 2, L)
    programs = [DOMAIN.vocab.encode(DOMAIN.unparse(task.program)) for task in chosen]
    tokens = np.full((count, max(map(len, programs))), PAD)
    for row, program in zip(tokens, programs, strict=True):
        row[: len(program)] = program
    present = np.ones((count, examples), bool)
    if absent and examples > 1:
        present[::2, -1] = False
    states, valid = prefix_values(
        DOMAIN.table.kinds[tokens], DOMAIN.table.arguments[tokens], values[:, :, 0].astype(np.int32)
    )
    valid &= ((states >= low) & (states <= high)).all(-1) & present[:, None]
    inputs, outputs, lists, tokens = (
        torch.from_numpy(array).long() for array in (values[:, :, 0] - low, values[:, :, 1] - low, states - low, tokens)
    )
    return Batch(IO(inputs, outputs, torch.from_numpy(present)), tokens, lists, torch.from_numpy(valid))


@pytest.fixture(scope="session")
def batch() -> Batch:
    return make_batch(6)


@pytest.fixture(scope="session")
def batches() -> Callable[..., Batch]:
    return make_batch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    """These models are too small for two threads to pay, and oneDNN stalls when a core is busy."""
    torch.set_num_threads(1)
