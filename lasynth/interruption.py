"""Interruptions by the user: Ctrl-C and SIGTERM.

Imports the standard library only, because the command line uses it while it loads everything else.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt where compiled code made a SystemError of it.

    That happens if Ctrl-C arrives while compiled code returns its result. Several SystemErrors may be chained.
    """
    try:
        yield
    except SystemError as error:
        reason: BaseException | None = error
        while reason is not None and not isinstance(reason, KeyboardInterrupt):
            reason = reason.__cause__
        if reason is None:
            raise
        raise KeyboardInterrupt from error


@contextmanager
def stop_signal(on_stop: Callable[[], None] = lambda: None) -> Iterator[Callable[[], bool]]:
    """Tell whether SIGINT or SIGTERM has come, so that work can end at a good moment; a second one ends it at once.

    The first signal also calls `on_stop`. In threads other than the main one, signals are left as they are.
    """
    signals: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return

    def stop(number: int, frame: Any) -> None:
        if signals:
            raise KeyboardInterrupt
        signals.append(number)
        on_stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(signals)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
