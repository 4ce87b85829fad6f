"""Processes for work on one machine: how many to use, and a pool of them.

The processes of a pool ignore signals, which the parent handles, and end with the parent.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import TypeVar

from lasynth.task import InputError, WorkerDied

T = TypeVar("T")
MOST = 256
"""Most processes: a typo should get a message, not fill the machine with processes."""
QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Linux file with the processor time of a container: microseconds (or `max`), and the period that they are for."""


# --- how many --------------------------------------------------------------------------------------------------------
def usable_cores() -> int:
    """Cores that this process may use. A pinned process, or a container with a quota, has fewer than the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        time, period = QUOTA.read_text().split()
        return max(1, min(cores, int(time) // int(period)))
    except (OSError, ValueError):  # no such file, or no quota
        return cores


def threads_per_process() -> int:
    """Threads for each process: OMP_NUM_THREADS, or 1.

    The default is 1 because threads of one process often wait for each other when cores are busy.
    """
    value = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return max(1, int(value)) if value.isdecimal() else 1


def process_count(asked: int | None, threads: int) -> int:
    """The number of processes that the user asked for; by default, as many as fill the usable cores. InputError.

    `threads`: how many threads each process has.
    """
    if asked is not None and not 1 <= asked <= MOST:
        raise InputError(f"the number of processes must be 1 to {MOST}")
    return asked or max(1, usable_cores() // threads)


# --- a pool ----------------------------------------------------------------------------------------------------------
def start_workers(count: int, prepare: Callable[[], None] | None = None) -> ProcessPoolExecutor:
    """Start a pool of `count` processes. Each calls `prepare` first."""
    pool = ProcessPoolExecutor(count, get_context("spawn"), _begin, (prepare,))
    with signals_ignored():
        for _ in range(count):
            pool.submit(os.getpid)
    return pool


def end_workers(pool: ProcessPoolExecutor, at_once: bool) -> None:
    """End a pool: after the calls that are running, or at once, which an error or Ctrl-C need not wait for."""
    children = list((pool._processes or {}).values())
    if at_once:
        for child in children:
            child.kill()  # they ignore other signals
    pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    pool: ProcessPoolExecutor, calls: Iterable[tuple[Callable[..., T], tuple[object, ...]]], ahead: int
) -> Iterator[T]:
    """Results of calls (function and arguments), in the order of the calls. WorkerDied.

    At most `ahead` calls are submitted before their results are read.
    """
    waiting: deque[Future[T]] = deque()
    try:
        for function, arguments in calls:
            waiting.append(pool.submit(function, *arguments))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise WorkerDied("a worker process died; is there enough memory? Fewer processes need less") from error


@contextmanager
def signals_ignored() -> Iterator[None]:
    """Ignore SIGINT and SIGTERM while child processes are started. Children inherit this.

    Ctrl-C reaches every process of a terminal. Only the parent should act on it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _begin(prepare: Callable[[], None] | None) -> None:
    end_with_parent()
    if prepare is not None:
        prepare()


def end_with_parent() -> None:
    """Make this process exit when its parent ends. A parent that is killed cannot end its children itself."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_exit, args=(parent.sentinel,), daemon=True).start()


def _wait_and_exit(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
