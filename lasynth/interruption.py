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
    """Raise KeyboardInterrupt again where compiled code has turned it into a SystemError.

    This happens if Ctrl-C arrives while compiled code returns its result. Several SystemErrors may be chained.
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
    """Give a function that says whether SIGINT or SIGTERM has arrived, so that work can stop at a good moment.

    The first signal also calls `on_stop`. A second signal raises KeyboardInterrupt at once. Outside the main thread,
    signal handlers do not change.
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
