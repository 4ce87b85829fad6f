"""Processes: their number, results in order, and messages about one that dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lasynth import workers
from lasynth.launcher import RESTARTS, launch
from lasynth.task import InputError, WorkerDied
from lasynth.workers import end_workers, in_order, start_workers, threads_per_process, usable_cores


def double(number: int) -> int:
    return 2 * number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_results_come_in_order_and_a_death_is_named() -> None:
    pool = start_workers(2)
    try:
        assert list(in_order(pool, [(double, (n,)) for n in range(9)], 2)) == [2 * n for n in range(9)]
        with pytest.raises(WorkerDied, match="a worker process died"):
            list(in_order(pool, [(double, (1,)), (die, (2,))], 2))
    finally:
        pool.shutdown()


def test_workers_that_are_busy_can_be_ended_at_once() -> None:
    pool = start_workers(2)
    busy = [pool.submit(time.sleep, 600) for _ in range(4)]
    children = list(pool._processes.values())
    end_workers(pool, at_once=True)
    assert not any(child.is_alive() for child in children)
    assert all(future.cancelled() or future.exception() for future in busy)


@pytest.mark.parametrize(("value", "threads"), [("3", 3), ("4,2", 4), ("0", 1), ("many", 1), (None, 1)])
def test_threads(value: str | None, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert threads_per_process() == threads


@pytest.mark.parametrize(
    ("quota", "cores"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("900000 100000", 4), ("", 4)]
)
def test_usable_cores(quota: str, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cpu.max").write_text(quota)
    monkeypatch.setattr(workers, "QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3})
    assert usable_cores() == cores


class Work:
    """The work of a process in a test. It can be pickled, unlike a function inside a test."""

    def __init__(self, deaths: int = 0, error: Exception | None = None) -> None:
        self.deaths, self.error = deaths, error

    def __call__(self, stop: Callable[[], bool]) -> tuple[str, str, str, bool]:
        rank, size, start = (os.environ[name] for name in ("RANK", "WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT"))
        if rank == "1" and self.error is not None:
            raise self.error
        if rank == "1" and int(start) < self.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.error is not None or int(start) < self.deaths:
            time.sleep(600)  # the leader waits for the other
        return rank, size, start, stop()


@pytest.fixture
def _no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasynth.launcher.GRACE", 0.1)


@pytest.mark.usefixtures("_no_grace")
def test_a_group_gives_the_leaders_result_and_survives_a_death() -> None:
    said: list[str] = []
    assert launch(Work(deaths=1), 2, said.append) == ("0", "2", "1", False)
    assert said == ["process 2 of 2 was killed by signal 9 (Killed); starting again from the last checkpoint"]


@pytest.mark.usefixtures("_no_grace")
def test_a_group_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("lasynth.launcher.RESTARTS", 1)
    with pytest.raises(WorkerDied, match=r"process 2 of 2 was killed by signal 9 .* gave up after 1 restarts"):
        launch(Work(deaths=RESTARTS), 2, said.append)
    assert len(said) == 1


@pytest.mark.usefixtures("_no_grace")
def test_errors_of_a_group() -> None:
    """Bad input is raised without a restart. An unexpected error counts as a death; its traceback is shown."""
    with pytest.raises(InputError, match="too long"):
        launch(Work(error=InputError("too long")), 2, pytest.fail)

    def stop_there(text: str) -> None:
        raise AssertionError(text)

    with pytest.raises(AssertionError, match=r"process 2 of 2 failed:(?s:.)*KeyError: 'unexpected'"):
        launch(Work(error=KeyError("unexpected")), 2, stop_there)
