"""Interruptions by the user are never lost."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator

import pytest

from lasynth.interruption import never_lost


class Interrupted:
    """Ctrl-C arrives in the destructor."""

    def __del__(self) -> None:
        raise KeyboardInterrupt


class Broken:
    def __del__(self) -> None:
        raise ArithmeticError("from a destructor")


@pytest.fixture
def termination_interrupts() -> Iterator[None]:
    """As in the command line."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("termination_interrupts")
def test_an_interruption_in_a_destructor_arrives_a_little_later() -> None:
    reached: list[str] = []

    def work() -> None:
        Interrupted()
        reached.append("the line after it")
        time.sleep(10)
        reached.append("the end")

    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), never_lost():
        work()
    assert time.perf_counter() - begin < 5, "it also ends a wait"
    assert reached == ["the line after it"]


def test_other_errors_in_destructors_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda dropped: reported.append(str(dropped.exc_value)))
    with never_lost():
        Broken()
    assert reported == ["from a destructor"]
    Broken()
    assert len(reported) == 2, "the hook is as it was"
