"""A model of lists from a data set to a verified program: it trains, resumes exactly, is evaluated and solves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lasynth import checkpoint
from lasynth.config import ModelConfig, model_config
from lasynth.dataset import DatasetPlan, generate, read_tasks
from lasynth.domains.lists.data.inputs import ListsOptions
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.learning.values import StackConfig
from lasynth.evaluate import evaluate
from lasynth.runlog import read_log
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.solver import solve
from lasynth.train import Job, shape_of, train

LISTS = Lists()
SIZES: dict[str, Any] = {"hidden": 24, "embedding": 16, "decoder_hidden": 32}
TRAIN = TrainConfig(
    steps=300, batch=16, warmup=5, learning_rate=5e-3, draw_examples=(1, 6), curriculum=0, validate_every=150,
    validation_tasks=10, log_every=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists") / "data"
    options = ListsOptions(examples=6, max_operations=1, max_length=5, known_cost=5)
    plan = DatasetPlan("lists", {"train": 300, "val": 20, "test": 30}, 1, options, False)
    generate(plan, folder, 1, False, lambda split, done: None)
    return folder


@pytest.fixture(scope="module")
def model(data: Path) -> ModelConfig:
    return model_config("Executed", "cpu", **{**shape_of(data), **SIZES})


def test_lists_go_from_a_file_to_a_verified_program(model: ModelConfig, data: Path, tmp_path: Path) -> None:
    assert model.values == StackConfig()
    train(Job("Executed", model, TRAIN, data, tmp_path / "run"))
    losses = [record["program"] for record in read_log(tmp_path / "run") if record["kind"] == "train"]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    settings = EvaluateConfig(SearchConfig(beam=8, max_length=6), limit=60, checkpoint="last")
    (result,) = evaluate([str(tmp_path / "run")], data / "train.parquet", settings, lambda name, done: None)
    assert result.overall.first_consistent > 50
    checkpoint.export(tmp_path / "run", tmp_path / "weights", "last")
    task = next(read_tasks(data / "train.parquet", LISTS))
    pairs = [(example.input, example.output) for example in task.examples]
    solution = solve(pairs, language="lists", strategy="neural", weights=tmp_path / "weights", timeout=20)
    assert solution.solved, solution.reason
    assert solution.best is not None
    assert solution.best.source == "neural"
    assert LISTS.run_many([solution.best.program], [x for x, _ in pairs]) == [[y for _, y in pairs]]


def test_a_resumed_training_is_the_same(model: ModelConfig, data: Path, tmp_path: Path) -> None:
    half, whole_run = (replace(TRAIN, steps=steps, schedule="decay") for steps in (8, 16))
    train(Job("Executed", model, whole_run, data, tmp_path / "whole"))
    train(Job("Executed", model, half, data, tmp_path / "parts"))
    train(Job("Executed", model, whole_run, data, tmp_path / "parts", resume=True))
    whole, parts = (checkpoint.load(tmp_path / name, "last").weights for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
