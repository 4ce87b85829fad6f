"""Fake models for tests: a random table and a tiny network. Also small data sets and small configurations."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lasynth.config import ModelConfig, model_config
from lasynth.dataset import DatasetPlan, generate
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.models.base import IO
from lasynth.vocab import PAD


class Written(NamedTuple):
    """The state of `TableModel`: the prefix of each hypothesis and its task."""

    task: Tensor  # (N,)
    prefix: Tensor  # (N, t)

    def reorder(self, index: Tensor) -> Written:
        return Written(self.task[index], self.prefix[index])


class TableModel:
    """Looks up log-probabilities of the next lexeme in a random table, by task, position and the last two lexemes."""

    def __init__(self, vocabulary: int, seed: int = 0, tasks: int = 4, length: int = 8) -> None:
        shape = (tasks, length, vocabulary, vocabulary, vocabulary)
        logits = 2 * torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        self.table = logits.log_softmax(-1)
        self.calls: list[int] = []

    def start(self, io: IO) -> Written:
        return Written(io.inputs[:, 0, 0].long() % len(self.table), torch.full((len(io.inputs), 1), PAD))

    def step(self, state: Written, tokens: Tensor) -> tuple[Tensor, Written]:
        self.calls.append(len(tokens))
        prefix = torch.cat([state.prefix, tokens[:, None]], dim=1)
        position = min(prefix.shape[1] - 2, self.table.shape[1] - 1)
        return self.table[state.task, position, prefix[:, -2], prefix[:, -1]].clone(), Written(state.task, prefix)


class Hidden(NamedTuple):
    """The state of `TinyModel`. (N, H)"""

    h: Tensor
    c: Tensor

    def reorder(self, index: Tensor) -> Hidden:
        return Hidden(self.h[index], self.c[index])


class TinyModel(nn.Module):
    """An LSTM cell writes the program; the mean of the examples is its first state."""

    def __init__(self, vocabulary: int, values: int, hidden: int = 24) -> None:
        super().__init__()
        self.values = nn.Embedding(values, hidden)
        self.lexemes = nn.Embedding(vocabulary, hidden)
        self.read = nn.LazyLinear(hidden)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.out = nn.Linear(hidden, vocabulary)

    def start(self, io: IO) -> Hidden:
        pairs = torch.cat([io.inputs, io.outputs], dim=2)  # (B, K, 2L)
        numbers = pairs.long() % self.values.num_embeddings
        features = self.read(self.values(numbers).flatten(2)).tanh()  # (B, K, H)
        h = (features * io.present[:, :, None]).sum(1) / io.present.sum(1, keepdim=True)
        return Hidden(h, torch.zeros_like(h))

    def step(self, state: Hidden, tokens: Tensor) -> tuple[Tensor, Hidden]:
        h, c = self.cell(self.lexemes(tokens), (state.h, state.c))
        return self.out(h).log_softmax(-1), Hidden(h, c)


def any_io(tasks: int, examples: int = 2, length: int = 3) -> IO:
    """Tasks that differ: all values of task b are b."""
    values = torch.arange(tasks)[:, None, None].expand(tasks, examples, length).contiguous()
    return IO(values, values, torch.ones(tasks, examples, dtype=torch.bool))


def small_data(folder: Path, train: int = 240, val: int = 20, test: int = 40, **options: Any) -> Path:
    """Make a small data set of restricted C. Returns its folder. One like an earlier one is a copy of it."""
    shutil.copytree(_made(train, val, test, COptions(**options)), folder / "data")
    return folder / "data"


@cache
def _made(train: int, val: int, test: int, options: COptions) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lasynth-test-data-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    plan = DatasetPlan("c", {"train": train, "val": val, "test": test}, 7, options)
    generate(plan, folder / "data", processes=1, overwrite=False, report=lambda split, done: None)
    return folder / "data"


def tiny_config(row: str, **settings: Any) -> ModelConfig:
    """The configuration of a row of the results table, small enough to train in a test."""
    sizes = dict.fromkeys(("hidden", "embedding", "decoder_hidden"), 8)
    return model_config(row, "cpu", **{**sizes, **settings})
