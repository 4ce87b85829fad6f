"""The machine and gcc agree: the same results, and faults where gcc's sanitizers report them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import inline_constants
from lasynth.domains.restricted_c.language.lexemes import to_code
from tests.domains.restricted_c import gcc

pytestmark = pytest.mark.skipif(not gcc.AVAILABLE, reason="gcc is not installed")

EXPECTED = {Status.OUT_OF_BOUNDS: gcc.BOUNDS, Status.OVERFLOW: gcc.OVERFLOW}


def judge(rng: Random, count: int, folder: Path) -> np.ndarray:
    """Draw programs and compare all runs that end. Return how often each status occurred.

    Half of the programs have inlined constants, as programs shown to people do.
    """
    numbers = np.random.default_rng(rng.getrandbits(32))
    inputs = numbers.integers(-4, 5, (4, 5)).astype(np.int32)
    inputs[3, :3] = (1_500_000_000, -1_500_000_000, 1_400_000_000)  # large values make sums overflow
    programs = [sample_program(rng) for _ in range(count)]
    outputs, status = run_codes(pack([to_code(p) for p in programs]), inputs)
    ends = (status != Status.STEP_LIMIT).all(axis=1)
    chosen = np.flatnonzero(ends)
    shown = [inline_constants(programs[p]) if p % 2 else programs[p] for p in chosen]
    results = gcc.run_with_gcc(shown, inputs.tolist(), (status[chosen] == Status.OK).tolist(), folder)
    folded = 0
    for p, row in zip(chosen, results, strict=True):
        for k, result in enumerate(row):
            expected = EXPECTED.get(Status(int(status[p, k])), outputs[p, k].tolist())
            if expected == gcc.OVERFLOW and result != gcc.OVERFLOW:
                folded += 1  # gcc may simplify `2 + x - 1` or `if (x - y)`, and then there is no overflow to report
            else:
                assert result == expected, (programs[p], inputs[k])
    assert folded <= 0.1 * (status[chosen] == Status.OVERFLOW).sum()
    return np.bincount(status[chosen].ravel(), minlength=len(Status))


def test_gcc_agrees(rng: Random, tmp_path: Path) -> None:
    counts = judge(rng, 120, tmp_path)
    assert counts[Status.OK] > 240
    assert counts[Status.OUT_OF_BOUNDS] > 5
    assert counts[Status.OVERFLOW] > 5


@pytest.mark.slow
def test_gcc_agrees_on_ten_thousand_programs(rng: Random, tmp_path: Path) -> None:
    counts = np.sum([judge(rng, 500, tmp_path) for _ in range(20)], axis=0)
    print(f"\nruns compared with gcc by status: {dict(zip(Status.__members__, counts, strict=True))}")
    assert sum(counts) > 35_000
