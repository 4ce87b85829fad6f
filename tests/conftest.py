"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import settings

# No deadline, because compiled code is slow on its first call. Every run draws the same examples.
# `make test-slow` draws more of them.
EXAMPLES = int(os.environ.get("LASYNTH_EXAMPLES", "40"))
settings.register_profile("lasynth", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("lasynth")

# As `make test` does: more threads do not pay for small models, and they would count several times on the clock below.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell's `&` makes processes ignore SIGINT, and their children inherit that. Tests send it to their children.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _processor_clock() -> Iterator[None]:
    """Count time limits in processor time of this process, so that a search finds the same on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", time.process_time)
        yield


@pytest.fixture
def rng() -> Random:
    return Random(20211206)
