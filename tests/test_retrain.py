"""Retraining: its stages and folders, and that a kill at any of them changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lasynth import checkpoint
from lasynth.cli import main
from lasynth.relabel import Relabelled, Relabelling, relabel
from lasynth.retrain import SUMMARY, Retraining, Stage, planned_processes, retrain
from lasynth.settings import RelabelConfig, SearchConfig, TrainConfig
from lasynth.task import InputError, Occupied
from lasynth.train import Job, Outcome, train
from tests.fakes import small_data, tiny_config
from tests.timing import wait_until

TRAIN = TrainConfig(steps=4, batch=4, validate_every=2, validation_tasks=4, log_every=1)
RELABEL = RelabelConfig(SearchConfig(beam=2, max_length=12, tasks=8), shard=16)
WORDS = ["--model", "NoExecutor", "--steps", "4", "--batch", "4", "--validate-every", "2", "--validation-tasks", "4"]
WORDS += ["--log-every", "1", "--iterations", "1", "--beam", "2", "--max-length", "12"]
WORDS += [f"--set={name}=8" for name in ("hidden", "embedding", "decoder_hidden")]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data(tmp_path_factory.mktemp("data"), 40, 6, 0)


def job_of(data: Path, out: Path, **changes: Any) -> Retraining:
    settings: dict[str, Any] = {"iterations": 2, "train": TRAIN, "relabel": RELABEL, **changes}
    return Retraining("NoExecutor", tiny_config("NoExecutor"), data=data, out=out, **settings)


def perform(job: Job | Relabelling) -> Outcome | Relabelled:
    return train(job) if isinstance(job, Job) else relabel(job)


def quiet(text: str) -> None: ...


@pytest.fixture(scope="module")
def whole(data: Path) -> Path:
    """A retraining without any disturbance."""
    said: list[str] = []
    job = job_of(data, data.with_name("whole"))
    entries = retrain(job, perform, said.append)
    assert entries is not None
    assert [line.split(": ")[0] for line in said] == [
        f"stage {number} of 5, iteration {iteration}" for number, iteration in enumerate((0, 1, 1, 2, 2), 1)
    ]
    estimated = ["left in all" in line for line in said]
    assert estimated == [False, False, True, True, True], "known as soon as both kinds of stages were done"
    assert entries == json.loads((job.out / SUMMARY).read_text())
    return job.out


def results(out: Path) -> dict[str, bytes]:
    """All data sets and weights, and the summary."""
    files = [*out.rglob("*.parquet"), *out.rglob(checkpoint.WEIGHTS), out / SUMMARY, *out.glob("*/data/card.json")]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_folders_and_summary(data: Path, whole: Path) -> None:
    folders = {str(path.relative_to(whole)) for path in whole.glob("*/*")}
    assert folders == {"iteration-0/run", "iteration-1/data", "iteration-1/run", "iteration-2/data", "iteration-2/run"}
    entries = json.loads((whole / SUMMARY).read_text())
    assert [entry["iteration"] for entry in entries] == [0, 1, 2]
    assert [entry["programs seen"] for entry in entries] == [16, 16, 16]
    for iteration, entry in enumerate(entries):
        run = whole / f"iteration-{iteration}" / "run"
        card = json.loads((checkpoint.find(run, "best") / checkpoint.CARD).read_text())
        assert entry["validation accuracy"] == card["metrics"]["accuracy"]
        used = whole / f"iteration-{iteration}" / "data" if iteration else data
        assert card["data"] == json.loads((used / "card.json").read_text())
        relabelled = card["data"].get("relabelled", [])
        assert [one["iteration"] for one in relabelled] == list(range(1, iteration + 1))
        assert entry["replaced"] == (relabelled[-1]["replaced"] if relabelled else 0)


class Killed(BaseException):
    """Stands for the end of the process."""


def dying(stage: int, ended: bool) -> Callable[[Job | Relabelling], Outcome | Relabelled]:
    """Performs stages; in the given one the process dies in the middle, or at its end."""
    number = iter(range(99))

    def perform_some(job: Job | Relabelling) -> Outcome | Relabelled:
        if next(number) != stage:
            return perform(job)
        asked = iter([False, False, False, True] if isinstance(job, Relabelling) else [False, True])
        if ended:
            perform(job)
        elif isinstance(job, Relabelling):
            assert relabel(job, lambda: next(asked)).interrupted
        else:
            assert train(job, lambda: next(asked)).interrupted
        raise Killed

    return perform_some


@pytest.mark.parametrize(("stage", "ended"), [(0, False), (1, False), (3, True), (4, False)])
def test_a_retraining_goes_on_where_it_was(stage: int, ended: bool, data: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(Killed):
        retrain(job_of(data, out), dying(stage, ended), quiet)
    with pytest.raises(Occupied):
        retrain(job_of(data, out), perform, quiet)
    done: list[Path] = []

    def note(job: Job | Relabelling) -> Outcome | Relabelled:
        done.append(job.out)
        return perform(job)

    assert retrain(job_of(data, out, resume=True), note, quiet) is not None
    assert results(out) == results(whole)
    assert len(done) == 5 - stage - ended, "complete stages are not repeated"


def test_a_killed_command_goes_on(data: Path, tmp_path: Path) -> None:
    """kill -9 in the first training; the same command does the rest."""
    words = ["retrain", str(data), *WORDS, "--processes", "1"]
    killed, other = tmp_path / "killed", tmp_path / "other"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "lasynth.cli", *words, "--out", str(killed), "--resume"]
    quietly = subprocess.DEVNULL
    running = subprocess.Popen(command, env=environment, stdout=quietly, stderr=quietly, text=True)
    wait_until((killed / "iteration-0" / "run" / checkpoint.INDEX).exists, running)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert main([*words, "--out", str(killed), "--resume"]) == 0
    assert main([*words, "--out", str(other)]) == 0
    assert results(killed) == results(other)
    assert len(json.loads((killed / SUMMARY).read_text())) == 2


@pytest.mark.slow
def test_torchrun(data: Path, tmp_path: Path) -> None:
    """All stages in the same two processes, which join several groups one after the other."""
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "lasynth.cli"]
    words = ["retrain", str(data), *WORDS]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *launcher, *words, "--out", str(tmp_path / "torchrun")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(SUMMARY) == 1, "only one process prints"
    assert main([*words, "--out", str(tmp_path / "here"), "--processes", "2"]) == 0
    assert results(tmp_path / "torchrun") == results(tmp_path / "here")


def test_more_iterations_can_follow(data: Path, whole: Path, tmp_path: Path) -> None:
    one = job_of(data, tmp_path / "out", iterations=1)
    assert len(retrain(one, perform, quiet) or []) == 2
    assert len(retrain(job_of(data, one.out, resume=True), perform, quiet) or []) == 3
    assert results(one.out) == results(whole)


def test_wrong_settings_are_refused(data: Path, whole: Path, tmp_path: Path) -> None:
    for changes, message in (
        ({"iterations": 0}, "at least 1"),
        ({"train": TrainConfig(hours=1)}, "a number of steps"),
    ):
        with pytest.raises(InputError, match=message):
            job_of(data, tmp_path / "out", **changes)
    other = job_of(data, whole, resume=True, train=TrainConfig(steps=5))
    with pytest.raises(InputError, match=r"begun with train.steps = 4; it cannot be resumed with 5"):
        retrain(other, perform, quiet)
    assert main(["retrain", str(data), "--out", str(tmp_path / "out"), "--steps", "1", "--set", "colour=1"]) == 2
    assert not (tmp_path / "out").exists()


def test_all_trainings_have_as_many_processes_as_planned(data: Path, whole: Path, tmp_path: Path) -> None:
    assert planned_processes(whole) == 1
    assert planned_processes(tmp_path) is None
    for damaged in ("{", "[]", '{"processes": "two"}', '{"processes": 0}'):
        (tmp_path / "plan.json").write_text(damaged)
        with pytest.raises(InputError, match=r"plan\.json"):
            planned_processes(tmp_path)
    with pytest.raises(InputError, match="begun with processes = 1; it cannot be resumed with 2"):
        retrain(job_of(data, whole, resume=True, processes=2), perform, quiet)
    words = ["retrain", str(data), *WORDS, "--out", str(tmp_path / "out")]
    assert main([*words, "--processes", "1"]) == 0
    assert main([*words, "--resume", "--iterations", "2"]) == 0
    cards = [
        json.loads((checkpoint.find(run, "last") / checkpoint.CARD).read_text())
        for run in (tmp_path / "out").glob("*/run")
    ]
    assert [card["processes"] for card in cards] == [1, 1, 1]


def test_bad_input_that_the_first_training_finds_leaves_nothing(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    (tmp_path / "data" / "val.parquet").unlink()
    job = job_of(tmp_path / "data", tmp_path / "out")
    with pytest.raises(InputError, match=r"val\.parquet"):
        retrain(job, perform, quiet)
    assert not job.out.exists()


def test_torchrun_starts_a_retraining_again(
    data: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the death of a process the same command runs again, without --resume."""
    job = job_of(data, tmp_path / "out")
    with pytest.raises(Killed):
        retrain(job, dying(1, ended=False), quiet)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert retrain(job, perform, quiet) is not None
    assert results(job.out) == results(whole)


def test_an_incomplete_stage_is_not_taken_for_complete(whole: Path, data: Path) -> None:
    stages = list(job_of(data, whole).stages())
    assert all(stage.is_complete() for stage in stages)
    longer = job_of(data, whole, train=TrainConfig(steps=5))
    assert [stage.is_complete() for stage in longer.stages()] == [False, True, False, True, False]
    assert isinstance(stages[0], Stage)
