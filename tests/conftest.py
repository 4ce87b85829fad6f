"""Fixtures for all tests."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings

# Compiled code is slow on its first call, so examples have no deadline; the same examples are drawn every time.
settings.register_profile("lasynth", deadline=None, derandomize=True, max_examples=150)
settings.load_profile("lasynth")


@pytest.fixture
def rng() -> Random:
    return Random(20211206)
