"""Start the processes of a group on this machine, watch them, and restart all of them when one dies.

Each process gets the environment variables that `torchrun` would set, so the work runs the same under both. When one
process dies, the others are ended and all are started again. The work itself must then continue from its last
checkpoint. Does not depend on the kind of work.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

import torch
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from lasynth.distributed import PATIENCE
from lasynth.interruption import stop_signal
from lasynth.task import Diverged, InputError, OutOfMemory, WorkerDied
from lasynth.workers import end_with_parent, signals_ignored, threads_per_process

RESTARTS = 3
"""How often a group is restarted before the next death is an error."""
GRACE = 5.0
"""Seconds that the other processes have, after one has died, to end and to send their errors."""
FINAL = (InputError, Diverged, OutOfMemory, OSError)
"""Errors that would occur again after a restart."""

T = TypeVar("T")
Work = Callable[[Callable[[], bool]], T]
"""What every process of the group does. Its argument is a function that says whether to stop."""


@dataclass
class _Worker(Generic[T]):
    process: SpawnProcess
    answers: Connection
    """The process sends one object before it ends: its result, a final error, or the traceback of any other error."""

    def answer(self) -> T | BaseException | _Traceback | None:
        """What the process has sent; None if it died without sending anything."""
        try:
            answer: T | BaseException | _Traceback | None = self.answers.recv() if self.answers.poll() else None
        except EOFError:
            return None
        return answer


@dataclass(frozen=True)
class _Traceback:
    text: str


def launch(work: Work[T], count: int, say: Callable[[str], None]) -> T:
    """Do the work in a group of `count` processes. Returns the leader's result.

    `say` gets a message before each restart. The first SIGINT or SIGTERM tells the work to stop; a second one kills it
    and raises KeyboardInterrupt. Raises WorkerDied after too many restarts, and the errors of `FINAL` that the work
    raises.
    """
    context = get_context("spawn")
    stop = context.RawValue(ctypes.c_bool, False)  # set inside a signal handler, so it must not need a lock
    with stop_signal(lambda: setattr(stop, "value", True)):
        for attempt in range(RESTARTS + 1):
            with _group(context, work, count, attempt, stop) as workers:
                answer = _watch(workers)
            if not isinstance(answer, WorkerDied):
                return answer
            if stop.value:  # the process died because of the interruption
                raise KeyboardInterrupt
            if attempt < RESTARTS:
                say(f"{answer}; starting again from the last checkpoint")
    raise WorkerDied(f"{answer}; gave up after {RESTARTS} restarts. Is there enough memory?")


def _watch(workers: list[_Worker[T]]) -> T | WorkerDied:
    """Wait until all processes end, or until GRACE seconds after one died. Raises final errors."""
    running, answers, deadline = dict(enumerate(workers)), dict[int, Any](), math.inf
    while running and time.monotonic() < deadline:
        patience = None if deadline == math.inf else deadline - time.monotonic()
        connection.wait([worker.process.sentinel for worker in running.values()], patience)
        for number in [number for number, worker in running.items() if worker.process.exitcode is not None]:
            answers[number] = running.pop(number).answer()
            if isinstance(answers[number], FINAL):
                raise answers[number]
            if answers[number] is None or isinstance(answers[number], _Traceback):
                deadline = min(deadline, time.monotonic() + GRACE)
    if 0 in answers and not (answers[0] is None or isinstance(answers[0], _Traceback)):
        result: T = answers[0]
        return result
    return _cause(workers, answers)


def _cause(workers: list[_Worker[T]], answers: dict[int, Any]) -> WorkerDied:
    """The error that names the dead process. A killed one comes first: the others often fail because it is gone."""
    codes = {number: workers[number].process.exitcode or 0 for number in answers}
    number = min(codes, key=lambda number: (codes[number] >= 0, number))
    name, code, answer = f"process {number + 1} of {len(workers)}", codes[number], answers[number]
    if code < 0:
        return WorkerDied(f"{name} was killed by signal {-code} ({signal.strsignal(-code)})")
    if isinstance(answer, _Traceback):
        return WorkerDied(f"{name} failed:\n{answer.text}")
    return WorkerDied(f"{name} ended with exit code {code}")


@contextmanager
def _group(context: Any, work: Work[T], count: int, attempt: int, stop: Any) -> Iterator[list[_Worker[T]]]:
    """Start the processes. Those that still run at the end are killed."""
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, timeout=PATIENCE)
    place = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "WORLD_SIZE": str(count),
        "LOCAL_WORLD_SIZE": str(count),
        "TORCHELASTIC_RESTART_COUNT": str(attempt),
        "TORCHELASTIC_USE_AGENT_STORE": "True",  # the store is in this process, not in the leader
    }
    workers: list[_Worker[T]] = []
    try:
        for rank in range(count):
            mine = {**place, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            answers, sender = context.Pipe(duplex=False)
            process = context.Process(target=_serve, args=(work, mine, stop, sender), daemon=True)
            with signals_ignored():
                process.start()
            sender.close()
            workers.append(_Worker(process, answers))
        yield workers
    finally:
        for worker in workers:
            worker.process.kill()
            worker.process.join()
            worker.answers.close()


def _serve(work: Work[T], place: dict[str, str], stop: Any, answers: Connection) -> None:
    """Main function of a process of the group."""
    end_with_parent()
    os.environ.update(place)
    torch.set_num_threads(threads_per_process())
    try:
        answers.send(work(lambda: bool(stop.value)))
    except FINAL as error:
        answers.send(error)
    except KeyboardInterrupt:  # the second one; the parent gets it too
        sys.exit(130)
    except Exception:
        answers.send(_Traceback(traceback.format_exc()))
        sys.exit(1)
