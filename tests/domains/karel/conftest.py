"""Fixtures of Karel's tests: generated tasks, and the folder of independent cases if there is one."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from lasynth.domains.karel import generator
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import World
from lasynth.task import Task

settings.register_profile("compiled code starts slowly", deadline=None)
settings.load_profile("compiled code starts slowly")
CASES = Path(__file__).parents[4] / "shared" / "data" / "karel"


@pytest.fixture(scope="session")
def cases() -> Path:
    if not CASES.is_dir():
        pytest.skip("the folder of independent Karel cases is not beside this repository")
    return CASES


@pytest.fixture(scope="session")
def tasks() -> list[Task[Program, World]]:
    return generator.sample_tasks(Random(1), 2000, generator.KarelOptions())[0]
