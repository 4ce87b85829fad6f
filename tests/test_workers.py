"""Processes: their number, results in order, and a message about one that dies."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from lasynth import workers
from lasynth.task import WorkerDied
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
