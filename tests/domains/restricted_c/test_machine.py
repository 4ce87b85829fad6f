"""The compiled machine agrees with the readable interpreter on all results and faults."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import Code, to_code
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.task import ExecutionError
from tests.domains.restricted_c.strategies import programs
from tests.domains.restricted_c.test_interpreter import FAULTS

STEPS = 300


def by_interpreter(program: Program, values: list[int]) -> tuple[list[int], int]:
    try:
        return run(program, values, STEPS), Status.OK
    except ExecutionError as error:
        return [0] * len(values), FAULTS[type(error).__name__]


def assert_agreement(drawn: list[Program], inputs: np.ndarray) -> np.ndarray:
    """Compare both on every input. Return how often each status occurred."""
    outputs, status = run_codes(pack([to_code(p) for p in drawn]), inputs, max_steps=STEPS)
    lists = inputs.tolist()
    for p, program in enumerate(drawn):
        for k, values in enumerate(lists):
            assert by_interpreter(program, values) == (outputs[p, k].tolist(), status[p, k]), program
    return np.bincount(status.ravel(), minlength=len(Status))


@given(programs(), st.lists(st.integers(-4, 9) | st.sampled_from([2**31 - 1, -(2**31)]), min_size=1, max_size=7))
def test_any_program_on_any_list(program: Program, values: list[int]) -> None:
    assert_agreement([canonical(program)], np.array([values], np.int32))


def test_generated_programs(rng: Random) -> None:
    inputs = np.random.default_rng(0).integers(-4, 5, (4, 5)).astype(np.int32)
    counts = assert_agreement([sample_program(rng) for _ in range(3_000)], inputs)
    assert counts[Status.OK] > 8_000
    assert counts[Status.OUT_OF_BOUNDS] > 100


@pytest.mark.slow
def test_a_million_generated_programs(rng: Random) -> None:
    numbers = np.random.default_rng(0)
    for _ in range(1_000):
        inputs = numbers.integers(-4, 5, (2, 5)).astype(np.int32)
        assert_agreement([sample_program(rng) for _ in range(1_000)], inputs)


def test_each_program_may_have_its_own_inputs(rng: Random) -> None:
    codes = pack([to_code(sample_program(rng)) for _ in range(20)])
    inputs = np.random.default_rng(1).integers(-4, 5, (3, 4, 5)).astype(np.int32)
    group = np.arange(20) % 3
    outputs, status = run_codes(codes, inputs, group)
    for g in range(3):
        expected = run_codes(codes, inputs[g])
        assert (outputs[group == g] == expected.outputs[group == g]).all()
        assert (status[group == g] == expected.status[group == g]).all()


@given(st.lists(st.tuples(st.integers(0, 255), st.integers(-(2**31), 2**31 - 1)), max_size=30))
def test_nonsense_is_a_status_not_a_crash(lexemes: list[tuple[int, int]]) -> None:
    nonsense = Code(np.array([k for k, _ in lexemes], np.uint8), np.array([a for _, a in lexemes], np.int32))
    empty = Code(np.zeros(1, np.uint8), np.zeros(1, np.int32))
    _, status = run_codes(pack([nonsense, empty]), np.zeros((1, 3), np.int32))
    assert status[1, 0] == Status.OK
    if not lexemes or lexemes[-1][0] != 0:
        assert status[0, 0] == Status.SYNTAX


def test_no_programs_at_all() -> None:
    outputs, status = run_codes(pack([]), np.zeros((2, 5), np.int32))
    assert outputs.shape == (0, 2, 5)
    assert status.shape == (0, 2)
