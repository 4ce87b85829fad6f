"""Training Karel's models: a run that was stopped resumes to the same weights, also where rewards train it."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from lasynth import checkpoint
from lasynth.cli import main
from lasynth.commands.arguments import KAREL_ROWS
from lasynth.config import model_config
from lasynth.dataset import DatasetPlan, generate
from lasynth.domains.karel.domain import Karel
from lasynth.runlog import read_log
from lasynth.settings import TrainConfig
from lasynth.train import Job, shape_of, train

KAREL = Karel()
TRAIN = TrainConfig(steps=6, batch=8, validate_every=3, validation_tasks=4, warmup=1, curriculum=0, mistakes=0.5)
LEARN = replace(TRAIN, steps=40, mistakes=0.0, validate_every=40, learning_rate=1e-2, longest=3)
"""Learns enough of the shortest programs that a beam finds complete ones. Without any, rewards teach nothing."""
REWARD = replace(LEARN, steps=4, validate_every=2, reward="beam", reward_beam=4)
SMALL: dict[str, Any] = {"hidden": 8, "embedding": 4, "decoder_hidden": 8, "channels": 4}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("karel") / "data"
    sizes = {"train": 40, "val": 4, "test": 0}
    generate(DatasetPlan("karel", sizes, 3, KAREL.options(reduce=True), False), out, 1, False, lambda split, made: None)
    return out


@pytest.fixture(scope="module")
def learned(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A run of the row `Bunel` that has learned some programs, for a stage of reward to begin with."""
    config = model_config("Bunel", "cpu", **{**shape_of(data), **SMALL})
    job = Job("Bunel", config, LEARN, data, tmp_path_factory.mktemp("learned") / "run")
    train(job)
    return job


def weights(run: Path) -> dict[str, torch.Tensor]:
    return load_file(checkpoint.find(run, "last") / checkpoint.WEIGHTS)


def same(one: Path, other: Path) -> bool:
    """Whether two runs end with the same weights, bit for bit."""
    first, second = weights(one), weights(other)
    assert first.keys() == second.keys()
    return all(torch.equal(first[name], second[name]) for name in first)


def check_resuming(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train in `job.out`, and beside it in two parts: a signal stops the second step, then the run is resumed."""
    stopped = replace(job, out=job.out.with_name("stopped"), resume=True)
    train(job)
    calls, clip = [], nn.utils.clip_grad_norm_

    def stop_in_the_second_step(*arguments: Any, **settings: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return clip(*arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(nn.utils, "clip_grad_norm_", stop_in_the_second_step)
        assert train(stopped).interrupted
    assert not same(job.out, stopped.out)
    assert not train(stopped).interrupted
    assert same(job.out, stopped.out)


ROWS = [*((row, "cpu") for row in KAREL_ROWS), pytest.param("Shin", "paper", marks=pytest.mark.slow)]


@pytest.mark.parametrize(("row", "preset"), ROWS)
def test_a_stopped_run_resumes_to_the_same_weights(
    row: str, preset: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`Shin` is another architecture in the preset `paper`."""
    config = model_config(row, preset, **{**shape_of(data), **SMALL})
    check_resuming(Job(row, config, TRAIN, data, tmp_path / "whole"), monkeypatch)


def test_a_stopped_stage_of_reward_resumes_to_the_same_weights(
    learned: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resumed run goes on with its own weights, not with those that it began with."""
    job = replace(learned, train=REWARD, out=tmp_path / "whole", begin_with=learned.out)
    check_resuming(job, monkeypatch)
    assert not same(learned.out, job.out)


def test_the_command_trains_by_reward(learned: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, begin = tmp_path / "run", ["--begin-with", str(learned.out)]
    words = ["train", str(learned.data), "--out", str(run), "--model", "Bunel", "--reward", "beam", "--steps", "2"]
    words += ["--reward-beam", "4", "--longest", "3", "--batch", "8", "--warmup", "0", "--validation-tasks", "4"]
    words += ["--processes", "1"]
    words += [f"--set={name}={size}" for name, size in SMALL.items()]
    for more, message in (
        ([], "training by reward needs a model that has learned programs"),
        ([*begin, "--mistakes", "0.5"], "give either reward or mistakes, not both"),
        ([*begin, "--reward-beam", "0"], "reward-beam must be 1 to 1024"),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err
        assert not run.exists()
    assert main([*words, *begin]) == 0
    assert "done at step 2" in capsys.readouterr().out
    card = checkpoint.load(run, "last").card
    assert [card["training"][name] for name in ("reward", "reward_beam", "steps")] == ["beam", 4, 2]
    assert [before["training"]["reward"] for before in card["before"]] == ["none"]
    (trained,) = [record for record in read_log(run) if record["kind"] == "train"]
    assert 0 < trained["program"] < 1, "the loss is 1 minus the expected reward"
    assert not same(learned.out, run)
