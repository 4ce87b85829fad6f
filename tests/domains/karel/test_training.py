"""Training Karel's models: a run that was stopped resumes to the same weights."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from lasynth import checkpoint
from lasynth.config import model_config
from lasynth.dataset import DatasetPlan, generate
from lasynth.domains.karel.domain import Karel
from lasynth.settings import TrainConfig
from lasynth.train import Job, shape_of, train

KAREL = Karel()
TRAIN = TrainConfig(steps=6, batch=8, validate_every=3, validation_tasks=4, warmup=1, curriculum=0, mistakes=0.5)
SMALL: dict[str, Any] = {"hidden": 8, "embedding": 4, "decoder_hidden": 8, "channels": 4}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("karel") / "data"
    sizes = {"train": 40, "val": 4, "test": 0}
    generate(DatasetPlan("karel", sizes, 3, KAREL.options(reduce=True), False), out, 1, False, lambda split, made: None)
    return out


def weights(run: Path) -> dict[str, torch.Tensor]:
    return load_file(checkpoint.find(run, "last") / checkpoint.WEIGHTS)


@pytest.mark.parametrize("row", ["Executed", "LaSynth+", "LaSynth", "Bunel", "Shin"])
def test_a_stopped_run_resumes_to_the_same_weights(
    row: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = model_config(row, "cpu", **{**shape_of(data), **SMALL})
    whole, stopped = (Job(row, config, TRAIN, data, tmp_path / name, resume=True) for name in ("whole", "stopped"))
    train(whole)
    calls, clip = [], nn.utils.clip_grad_norm_

    def stop_in_the_second_step(*arguments: Any, **settings: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return clip(*arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(nn.utils, "clip_grad_norm_", stop_in_the_second_step)
        assert train(stopped).interrupted
    assert not train(stopped).interrupted
    one, other = weights(whole.out), weights(stopped.out)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
