"""A group of processes: the leader's result, deaths and restarts, errors."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from lasynth.launcher import RESTARTS, launch
from lasynth.task import InputError, WorkerDied


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
    monkeypatch.setattr("lasynth.launcher.RESTARTS", 0)
    with pytest.raises(WorkerDied, match=r"process 2 of 2 was killed by signal 9 .* gave up after 0 restarts"):
        launch(Work(deaths=RESTARTS), 2, pytest.fail)


@pytest.mark.usefixtures("_no_grace")
def test_errors_of_a_group() -> None:
    """Bad input is raised without a restart. An unexpected error counts as a death; its traceback is shown."""
    with pytest.raises(InputError, match="too long"):
        launch(Work(error=InputError("too long")), 2, pytest.fail)

    def stop_there(text: str) -> None:
        raise AssertionError(text)

    with pytest.raises(AssertionError, match=r"process 2 of 2 failed:(?s:.)*KeyError: 'unexpected'"):
        launch(Work(error=KeyError("unexpected")), 2, stop_there)
