"""Reduction keeps all outcomes, never makes a program longer, and leaves no statement that could go."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.machine import pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import to_code, to_lexemes
from lasynth.domains.restricted_c.language.nodes import For, If, Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.reduction.reduce import reduce_program
from tests.domains.restricted_c.strategies import programs

INPUTS = np.random.default_rng(7).integers(-4, 5, (74, 5)).astype(np.int32)
STEPS = 300


def outcomes(program: Program) -> tuple[list[object], list[int]]:
    outputs, status = run_codes(pack([to_code(canonical(program))]), INPUTS, max_steps=STEPS)
    return outputs.tolist(), status.tolist()


def size(program: Program) -> int:
    return len(to_lexemes(canonical(program)))


@given(programs())
def test_outcomes_stay_and_reducing_twice_changes_nothing(program: Program) -> None:
    smaller = reduce_program(program, INPUTS, STEPS)
    assert outcomes(smaller) == outcomes(program)
    assert size(smaller) <= size(program)
    assert canonical(smaller) == smaller
    assert reduce_program(smaller, INPUTS, STEPS) == smaller


def without_one_statement(program: Program) -> list[Program]:
    """Every program that lacks one statement but has no empty block. Independent of the code of the reducer."""

    def shorter(block: tuple[object, ...], least: int) -> list[tuple[object, ...]]:
        found = [block[:i] + block[i + 1 :] for i in range(len(block)) if len(block) > least]
        for i, statement in enumerate(block):
            inner: list[object] = []
            if isinstance(statement, For):
                head = (statement.variable, statement.declares, statement.start)
                tail = (statement.relation, statement.limit, statement.operator)
                inner = [For(*head, *tail, body) for body in shorter(statement.body, 1)]  # type: ignore[arg-type]
            elif isinstance(statement, If):
                condition, then, orelse = statement.condition, statement.then, statement.orelse
                inner = [If(condition, body, orelse) for body in shorter(then, 1)]  # type: ignore[arg-type]
                inner += [If(condition, then, body) for body in shorter(orelse, 0)]  # type: ignore[arg-type]
            found += [(*block[:i], replaced, *block[i + 1 :]) for replaced in inner]
        return found

    return [Program(program.declarations, body) for body in shorter(program.body, 0)]  # type: ignore[arg-type]


def test_no_statement_can_go(rng: Random) -> None:
    checked = 0
    for _ in range(100):
        smaller = reduce_program(sample_program(rng), INPUTS, STEPS)
        for candidate in without_one_statement(smaller):
            assert outcomes(candidate) != outcomes(smaller)
            checked += 1
    assert checked > 100


def test_random_programs_get_much_shorter(rng: Random) -> None:
    drawn = [sample_program(rng) for _ in range(300)]
    before = sum(size(program) for program in drawn)
    after = sum(size(reduce_program(program, INPUTS, STEPS)) for program in drawn)
    assert after < 0.75 * before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int i = 1; int j = 2; a[i] = 3; a[i] = 4;", "a[1] = 4;"),
        ("if (a[0] < 9) a[1] = 2;", "a[1] = 2;"),
        ("if (a[0] > 9) a[1] = 2; else a[1] = 3;", "a[1] = 3;"),
        ("if (a[0] < 0) a[1] = 2; else a[0] = a[0] + 0;", "if (a[0] < 0) a[1] = 2;"),
        ("for (int i = 1; i <= 1; i++) a[2] = 3;", "a[2] = 3;"),
        ("a[1] = a[1] + 2 - 0;", "a[1] = a[1] + 2;"),
        ("a[1] = a[0] - a[2] + a[2];", "a[1] = a[0];"),
        ("a[1] = 2 + a[0] - 2;", "a[1] = a[0];"),
        ("a[1] = a[0] - a[0] + 4;", "a[1] = 4;"),
        ("if (3 + a[0] - 3 < 2) a[1] = 2;", "if (a[0] < 2) a[1] = 2;"),
        ("int i = 0; i++; i--; a[i] = 7;", "a[0] = 7;"),
        ("if (a[0] < 2 && a[0] < 9) a[1] = 2;", "if (a[0] < 2) a[1] = 2;"),
        ("if (a[0] > 9 || a[0] < 2) a[1] = 2;", "if (a[0] < 2) a[1] = 2;"),
        (
            "for (int i = 0; i <= 1; i++) for (int j = 0; j <= 1; j++) a[j] = 3;",
            "for (int p_0 = 0; p_0 <= 1; p_0++) a[p_0] = 3;",
        ),
        ("a[0] = a[0];", ""),
        ("a[1] = a[1] + 2 - 1;", "++a[1];"),
        ("a[1] = a[0] - a[0];", "a[1] = 0;"),
        ("a[1] = 2 + a[0] - 1;", "a[1] = a[0] + 1;"),
        ("if (a[4] - 4 - a[4] > (-1) || a[1] >= 4) a[1]--;", "if (a[1] > 3) --a[1];"),
        ("for (int i = 3; i <= 3; i++) a[i] = a[i] + i;", "a[3] = a[3] + 3;"),
        ("for (int i = 3; i <= 4; i++) { a[i] = 1; break; }", "a[3] = 1;"),
        ("a[3]++; a[0]--;", "--a[0]; ++a[3];"),
        ("a[3] = a[1] + -3;", "a[3] = a[1] - 3;"),
        ("if (2 < a[0]) a[1] = 2;", "if (a[0] > 2) a[1] = 2;"),
        ("if (a[0] >= 3) a[1] = 2;", "if (a[0] > 2) a[1] = 2;"),
        (
            "if (a[0]) ++a[1]; for (int i = 2; i <= 3; i++) a[i] = 0;",
            "for (int p_0 = 2; p_0 <= 3; p_0++) a[p_0] = 0; if (a[0]) ++a[1];",
        ),
        ("int i = 3; for (i = 1; i >= 0; i--) ++a[i];", "for (int p_0 = 0; p_0 <= 1; p_0++) ++a[p_0];"),
        ("int i = 9; a[0] = 1; a[i] = 1; a[1] = 1;", "++a[9];"),
    ],
)
def test_cuts(body: str, expected: str) -> None:
    frame = "int * f(int a[]) {{ {} return a; }}"
    smaller = reduce_program(parse(frame.format(body)), INPUTS)
    if "a[9]" in expected:  # a fault is an outcome, and any statement may be kept for it
        assert len(smaller.body) == 1
        assert outcomes(smaller) == outcomes(parse(frame.format(body)))
    else:
        assert smaller == parse(frame.format(expected))
