"""Measuring time limits in tests, and waiting for other processes."""

from __future__ import annotations

import gc
import subprocess
import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which a process counts as hanging. They are many, because other work may have all cores."""


def keeps_within(seconds: float, work: Callable[[], None], tries: int = 3) -> bool:
    """Whether `work` takes at most so many seconds of processor time in one of several tries.

    Objects of other tests are frozen, so that collecting them does not count.
    """
    gc.collect()
    gc.freeze()
    try:
        for _ in range(tries):
            begin = time.process_time()
            work()
            if time.process_time() - begin <= seconds:
                return True
        return False
    finally:
        gc.unfreeze()


def wait_until(holds: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Return as soon as a condition holds. It must do so while the process, if there is one, still runs."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it takes too long"
        assert process is None or process.poll() is None, "the process has ended"
        time.sleep(0.02)
