"""Fixtures for all tests."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings

# No deadline, because compiled code is slow on its first call. Every run draws the same examples.
settings.register_profile("lasynth", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("lasynth")


@pytest.fixture
def rng() -> Random:
    return Random(20211206)
