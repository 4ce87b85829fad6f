"""Training: a killed run resumes to the same weights, two processes learn the same as one, a run learns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from lasynth import checkpoint
from lasynth.older import current_format
from lasynth.runlog import read_log
from lasynth.settings import TRAINING, TrainConfig
from lasynth.task import Diverged, InputError, OutOfMemory
from lasynth.train import Job, learning_rate, train
from tests.fakes import small_data, tiny_config
from tests.timing import PATIENCE, wait_until

ROOT = Path(__file__).parents[1]
TRAIN = TrainConfig(steps=12, batch=8, warmup=2, bf16=False, validate_every=4, validation_tasks=10, log_every=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data(tmp_path_factory.mktemp("train"))


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Use one thread, as the processes that are started here do: sums depend on the number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def a_job(data: Path, out: Path, row: str = "LaSynth+", resume: bool = False, **changes: Any) -> Job:
    return Job(row, tiny_config(row), replace(TRAIN, **changes), data, out, resume)


def start(code: str, job: Job, *launcher: str) -> subprocess.Popen[str]:
    """Start another process that runs `code` and then the job."""
    arguments = [str(job.data), str(job.out), job.name, str(job.resume), json.dumps(job.train.__dict__)]
    script = job.out.with_suffix(".py")
    script.write_text(PROGRAM.replace("CODE", code))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, *launcher, str(script), *arguments], env=environment, text=True, stderr=subprocess.PIPE
    )


PROGRAM = """
import json, os, signal, sys
from pathlib import Path
import lasynth.train, lasynth.checkpoint
from tests.fakes import tiny_config
def die(): os.kill(os.getpid(), signal.SIGKILL)
CODE
data, out, row, resume, settings = sys.argv[1:]
config = lasynth.train.TrainConfig(**json.loads(settings))
lasynth.train.train(lasynth.train.Job(row, tiny_config(row), config, Path(data), Path(out), resume == "True"))
"""
DIE_IN_A_STEP = """
real = lasynth.train.nn.utils.clip_grad_norm_
calls = []
def counted(*arguments):
    calls.append(1)
    if len(calls) == 7: die()
    return real(*arguments)
lasynth.train.nn.utils.clip_grad_norm_ = counted
"""
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
DIE_IN_A_CHECKPOINT = "lasynth.checkpoint.write_file = lambda file, content: die()"  # before the new index is written


def final(run: Path) -> dict[str, Any]:
    return {**checkpoint.load(run, "last").weights, **flat(checkpoint.load_training(run)["optimiser"]["state"])}


def flat(state: dict[int, dict[str, Any]]) -> dict[str, Any]:
    return {f"{number}/{name}": value for number, values in state.items() for name, value in values.items()}


@pytest.mark.parametrize(
    "changes", [pytest.param({"bf16": False}, marks=pytest.mark.slow), {"bf16": True, "mistakes": 0.5}], ids=str
)
def test_a_killed_run_resumes_to_the_same_weights(changes: dict[str, Any], data: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    dying = start(DIE_IN_A_STEP, a_job(data, killed, **changes))
    train(a_job(data, tmp_path / "whole", **changes))
    for code, reached in ((None, 4), (DIE_IN_A_CHECKPOINT, 4)):
        if code is not None:
            dying = start(code, a_job(data, killed, resume=True, **changes))
        _, errors = dying.communicate(timeout=PATIENCE)
        assert dying.returncode == -signal.SIGKILL, errors
        assert checkpoint.load(killed, "last").card["step"] == reached
    train(a_job(data, killed, resume=True, **changes))
    one, other = final(tmp_path / "whole"), final(killed)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
    logs = [
        [{k: v for k, v in r.items() if k not in ("seconds", "programs/s")} for r in read_log(run)]
        for run in (tmp_path / "whole", killed)
    ]
    assert logs[0] == logs[1]
    assert [r["step"] for r in read_log(killed) if r["kind"] == "train"] == list(range(1, 13))


def test_two_processes_learn_as_one(data: Path, tmp_path: Path) -> None:
    both = a_job(data, tmp_path / "both", batch=12, steps=5, draw_examples=(2, 8))
    running = start("", both, *TORCHRUN)
    train(a_job(data, tmp_path / "one", batch=12, steps=5, draw_examples=(2, 8)))
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    logs = [[r for r in read_log(tmp_path / run) if r["kind"] == "train"] for run in ("one", "both")]
    assert len(logs[0]) == 5
    for mine, theirs in zip(*logs, strict=True):
        for name in ("program", "execution", "operation", "gradient", "programs"):
            assert mine[name] == pytest.approx(theirs[name], rel=1e-4), (mine["step"], name)
    one, other = (checkpoint.load(tmp_path / run, "last").weights for run in ("one", "both"))
    assert all(torch.allclose(one[name], other[name], atol=1e-4) for name in one)


ONE_OF_TWO_DIES = DIE_IN_A_STEP.replace(
    "if len(calls) == 7: die()",
    "if (len(calls), os.environ['RANK'], os.environ['TORCHELASTIC_RESTART_COUNT']) == (7, '1', '0'):\n"
    "        Path(out).with_suffix('.died').touch()\n"
    "        die()",
)


@pytest.mark.slow
def test_torchrun_survives_the_death_of_a_process(data: Path, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"batch": 12, "mistakes": 0.5}
    whole, killed = (a_job(data, tmp_path / name, resume=True, **changes) for name in ("whole", "killed"))
    running = [start("", whole, *TORCHRUN), start(ONE_OF_TWO_DIES, killed, *TORCHRUN, "--max-restarts", "1")]
    for process in running:
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
    assert killed.out.with_suffix(".died").exists()
    one, other = final(whole.out), final(killed.out)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_divergence_has_its_own_error(data: Path, tmp_path: Path) -> None:
    with pytest.raises(Diverged, match="no longer a number at step"):
        train(a_job(data, tmp_path / "run", learning_rate=1e38, warmup=0))


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes")])
def test_a_lack_of_memory_has_its_own_error(
    error: Exception, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr("lasynth.train._loop", fail)
    with pytest.raises(OutOfMemory, match="not enough memory for a batch of 8 programs"):
        train(a_job(data, tmp_path / "run"))


def test_cards_of_older_runs_count_the_programs_of_one_process() -> None:
    part = {"processes": 2, "training": {"batch": 64, "seed": 1}}
    card = {**part, "before": [{**part, "processes": 3}], "step": 5}
    new = current_format(card)
    assert new["training"] == {"batch": 128, "seed": 1}
    assert [part["training"]["batch"] for part in new["before"]] == [192]
    assert current_format(new) == new
    assert card["training"] == {"batch": 64, "seed": 1}


def test_a_run_learns_and_keeps_its_best_checkpoint(data: Path, tmp_path: Path) -> None:
    outcome = train(a_job(data, tmp_path, row="NoExecutor", steps=60, batch=16, learning_rate=1e-2, validate_every=30))
    losses = [r["program"] for r in read_log(tmp_path) if r["kind"] == "train"]
    assert sum(losses[-15:]) < 0.85 * sum(losses[:15]), "the last epoch against the first"
    assert outcome.step == 60
    assert outcome.metrics.keys() == {"accuracy", "program", "execution", "operation", "mistake"}
    validations = [r for r in read_log(tmp_path) if r["kind"] == "validation"]
    best = max(validations, key=lambda r: (r["accuracy"], -r["program"]))
    assert checkpoint.load(tmp_path, "best").card["step"] == best["step"]
    assert checkpoint.load_model(tmp_path).card["name"] == "NoExecutor"


def test_an_interrupted_run_saves_a_checkpoint(data: Path, tmp_path: Path) -> None:
    def interrupt() -> None:
        wait_until(lambda: read_log(tmp_path))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    outcome = train(a_job(data, tmp_path, steps=100_000, validate_every=100_000))
    assert outcome.interrupted
    assert 0 < outcome.step < 100_000
    assert checkpoint.load(tmp_path, "last").card["step"] == outcome.step
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_that_is_stopped_in_its_last_step_is_whole(data: Path, tmp_path: Path) -> None:
    asked = iter([False, True])
    outcome = train(a_job(data, tmp_path / "stopped", steps=2, validate_every=100), lambda: next(asked))
    assert outcome.interrupted
    train(a_job(data, tmp_path / "whole", steps=2, validate_every=100))
    metrics = [checkpoint.load(tmp_path / name, "best").card["metrics"] for name in ("stopped", "whole")]
    assert metrics[0] == metrics[1]
    assert metrics[0]["accuracy"] >= 0


def test_a_run_ends_after_its_hours(data: Path, tmp_path: Path) -> None:
    outcome = train(a_job(data, tmp_path, steps=0, hours=0.5 / 3600, validate_every=100_000))
    assert outcome.step > 1
    assert 0.5 <= checkpoint.load(tmp_path, "last").card["seconds"] < 5, "in processor time"


def test_training_leaves_the_global_rng_untouched(data: Path, tmp_path: Path) -> None:
    before = torch.random.get_rng_state()
    train(a_job(data, tmp_path, steps=1))
    assert torch.equal(torch.random.get_rng_state(), before)


def test_jobs_that_cannot_be_trained_are_refused(data: Path, tmp_path: Path) -> None:
    other = small_data(tmp_path, 20, 5, 0)
    train(a_job(data, tmp_path / "run", steps=1))
    for job, message in (
        (a_job(data, tmp_path / "run"), "not empty"),
        (a_job(data, tmp_path / "run", resume=True, batch=9), "begun with batch = 8"),
        (a_job(data, tmp_path / "run", row="NoExecutor", resume=True), "begun with"),
        (a_job(other, tmp_path / "run", resume=True), "another data set"),
        (a_job(data, tmp_path / "other", steps=0), "a number of steps or of hours"),
        (a_job(tmp_path, tmp_path / "other"), "not a data set"),
        (a_job(data, tmp_path / "other", draw_examples=(5, 11)), "cannot be drawn"),
    ):
        with pytest.raises(InputError, match=message):
            train(job)
    longer = train(a_job(data, tmp_path / "run", resume=True, steps=3))
    assert longer.step == checkpoint.load(tmp_path / "run", "last").card["step"] == 3
    assert train(a_job(data, tmp_path / "run", resume=True, steps=3)) == longer, "nothing is left to do"


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": -1},
        {"steps": 1, "hours": 1.0},
        {"batch": 0},
        {"learning_rate": 0.0},
        {"clip": 0.0},
        {"log_every": 0},
        {"beta2": 1.0},
        {"longest": -1},
        {"mistakes": -0.5},
    ],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        TrainConfig(**wrong)


def test_learning_rates() -> None:
    cosine = TrainConfig(steps=1000, learning_rate=1.0, warmup=10)
    rates = [learning_rate(cosine, step, step / 1000) for step in range(1001)]
    assert rates[:10] == pytest.approx([(n + 1) / 10 for n in range(10)], rel=1e-3)
    assert rates[500] == pytest.approx(0.505)
    assert rates[1000] == pytest.approx(0.01)
    assert all(a > b for a, b in pairwise(rates[10:]))
    decay = TrainConfig(**{**TRAINING["paper"], "steps": 1, "learning_rate": 1.0})
    assert [learning_rate(decay, step, 0.0) for step in (0, 5999, 6000, 12000)] == pytest.approx([1, 1, 0.9, 0.81])
