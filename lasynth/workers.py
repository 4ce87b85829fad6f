"""A pool of processes that leaves signals to its parent and never outlives it. Knows nothing of the work."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process


def start_workers(count: int) -> ProcessPoolExecutor:
    """`count` processes, all of them started."""
    pool = ProcessPoolExecutor(count, get_context("spawn"), _end_with_parent)
    with _signals_ignored():  # what a process ignores, its children ignore from their first instruction on
        for _ in range(count):
            pool.submit(os.getpid)
    return pool


@contextmanager
def _signals_ignored() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; the parent alone shall act on it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_with_parent() -> None:
    """A parent that is killed cannot say goodbye: watch for its end."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_exit, args=(parent.sentinel,), daemon=True).start()


def _wait_and_exit(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
