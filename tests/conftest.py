"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
from random import Random

import pytest
from hypothesis import settings

# No deadline, because compiled code is slow on its first call. Every run draws the same examples.
# `make test-slow` draws more of them.
EXAMPLES = int(os.environ.get("LASYNTH_EXAMPLES", "40"))
settings.register_profile("lasynth", deadline=None, derandomize=True, max_examples=EXAMPLES)
settings.load_profile("lasynth")

# A shell's `&` makes processes ignore SIGINT, and their children inherit that. Tests send it to their children.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng() -> Random:
    return Random(20211206)
