"""Interruptions by the user: Ctrl-C and SIGTERM.

Imports the standard library only, because the command line uses it while it loads everything else.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 0.05
"""Seconds after which an interruption that was lost arrives again."""


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
def never_lost() -> Iterator[None]:
    """Interrupt the main thread again where Python drops a KeyboardInterrupt.

    It does so if Ctrl-C arrives in a destructor or in the callback of a weak reference; every import has some. SIGTERM
    must raise KeyboardInterrupt, too: it is sent, because a shell's `&` may have switched off SIGINT.
    """
    before, main = sys.unraisablehook, threading.main_thread().ident
    assert main is not None

    def hook(dropped: UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt):
            before(dropped)
            return
        later = threading.Timer(AGAIN, signal.pthread_kill, [main, signal.SIGTERM])  # now, it would be dropped again
        later.daemon = True
        later.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


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


class _Held:
    """Signals that wait for the end of a block."""

    def __init__(self) -> None:
        self.handlers: dict[int, Any] = {}
        self.arrived: list[int] = []

    def hold(self, number: int, frame: Any) -> None:
        self.arrived.append(number)

    def deliver(self) -> None:
        """Call the handlers of all signals that have arrived. Most of them raise KeyboardInterrupt."""
        while self.arrived:
            number = self.arrived.pop(0)
            self.handlers[number](number, None)


_held: list[_Held] = []
"""The signals of the block that the main thread is in; empty outside."""


@contextmanager
def signals_later() -> Iterator[None]:
    """Handle SIGINT and SIGTERM at the end of the block, and wherever a block inside it begins or ends.

    Numba and LLVM lose a KeyboardInterrupt that is raised in the middle of their work: it may arrive where Python
    cannot pass it on. Outside the main thread, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
    elif _held:
        _held[0].deliver()
        yield
        _held[0].deliver()
    else:
        held = _Held()
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):  # else it is ignored, or ends the process
                held.handlers[number] = handler
                signal.signal(number, held.hold)
        _held.append(held)
        try:
            yield
        finally:
            _held.clear()
            for held_number, handler in held.handlers.items():
                signal.signal(held_number, handler)
            held.deliver()
