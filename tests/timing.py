"""Measuring time limits in tests."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


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
