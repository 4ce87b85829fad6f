"""The semantics, one line per case, faults included. The machine must pass the same table."""

from __future__ import annotations

import numpy as np
import pytest

from lasynth.domains.restricted_c.execution.interpreter import run, trace
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import to_code
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.task import ExecutionError

FAULTS = {
    "OutOfBounds": Status.OUT_OF_BOUNDS,
    "UninitialisedRead": Status.UNINITIALISED,
    "Overflow": Status.OVERFLOW,
    "StepLimit": Status.STEP_LIMIT,
}
BIG = 2**31 - 1

CASES = [
    # body, input, output or fault
    ("", [1, 2, 3], [1, 2, 3]),
    ("int i = 1; a[i] = 7;", [1, 2, 3], [1, 7, 3]),
    ("a[2] = a[0] - a[1] + 4;", [1, 2, 3], [1, 2, 3]),
    ("a[0] = 1 - 2 - 3;", [0, 0, 0], [-4, 0, 0]),
    ("int i = 1; ++i; a[i]--; --a[0]; a[1]++;", [1, 2, 3], [0, 3, 2]),
    ("int i = 0; i = a[1]; a[i] = 9;", [1, 2, 3], [1, 2, 9]),
    # branches
    ("if (a[0]) a[1] = 9; else a[2] = 9;", [-1, 2, 3], [-1, 9, 3]),
    ("if (a[0]) a[1] = 9; else a[2] = 9;", [0, 2, 3], [0, 2, 9]),
    ("if (a[0] < 1) a[1] = 9;", [0, 2, 3], [0, 9, 3]),
    ("if (a[0] > 1) a[1] = 9;", [1, 2, 3], [1, 2, 3]),
    ("if (a[0] <= 1) a[1] = 9;", [1, 2, 3], [1, 9, 3]),
    ("if (a[0] >= 2) a[1] = 9;", [1, 2, 3], [1, 2, 3]),
    ("if (a[0] == 1) a[1] = 9;", [1, 2, 3], [1, 9, 3]),
    ("if (a[0] != 1) a[1] = 9;", [1, 2, 3], [1, 2, 3]),
    ("if (a[0] + a[1] > a[2] - 1) a[1] = 9;", [1, 2, 3], [1, 9, 3]),
    ("if (a[0] && a[1] || a[2]) a[1] = 9;", [0, 2, 3], [0, 9, 3]),
    ("if (a[0] || a[1] && a[2]) a[1] = 9;", [0, 2, 0], [0, 2, 0]),
    ("if (a[0] && a[1] && a[2]) a[1] = 9;", [1, 2, 3], [1, 9, 3]),
    ("if (a[0] || a[1] || a[2]) a[1] = 9; else a[0] = 9;", [0, 0, 0], [9, 0, 0]),
    # && and || stop early: the subscript outside the list is never used
    ("int i = 5; if (a[0] && a[i]) a[1] = 9;", [0, 2, 3], [0, 2, 3]),
    ("int i = 5; if (a[0] || a[i]) a[1] = 9;", [1, 2, 3], [1, 9, 3]),
    ("int i = 5; if (a[0] && a[i]) a[1] = 9;", [1, 2, 3], "OutOfBounds"),
    # loops
    ("int i = 0; for (i = 0; i <= 2; i++) a[i] = i;", [9, 9, 9], [0, 1, 2]),
    ("int i = 0; for (i = 2; i >= 1; i--) a[i]++;", [0, 0, 0], [0, 1, 1]),
    ("int i = 0; for (i = 3; i <= 2; i++) a[i]++; a[0] = i;", [0, 0, 0], [3, 0, 0]),
    ("int i = 0; for (i = 0; i <= 1; i++) a[i]++; a[0] = i;", [0, 0, 0], [2, 1, 0]),
    ("for (int i = 0; i <= 2; i++) for (int j = 0; j <= 1; j++) a[i]++;", [0, 0, 0], [2, 2, 2]),
    ("int i = 0; for (i = 0; i <= 2; i++) { if (i == 1) continue; a[i]++; }", [0, 0, 0], [1, 0, 1]),
    ("int i = 0; for (i = 0; i <= 2; i++) { if (i == 1) break; a[i]++; } a[2] = i;", [0, 0, 0], [1, 0, 1]),
    (
        "int i = 0; for (i = 0; i <= 2; i++) for (int j = 0; j <= 2; j++) { if (j == i) break; a[i]++; }",
        [0, 0, 0],
        [0, 1, 2],
    ),
    ("int i = 0; for (i = 0; i <= 2; i++) { for (i = 1; i <= 1; i++) a[i]++; }", [0, 0, 0], [0, 1, 0]),
    ("int i = 0; for (i = 0; i <= 2; i++) { i++; a[2]++; }", [0, 0, 0], [0, 0, 2]),
    ("int i = 7; for (int i = 0; i <= 1; i++) a[i]++; a[2] = i;", [0, 0, 0], [1, 1, 7]),
    # faults
    ("int i = 3; a[i] = 1;", [0, 0, 0], "OutOfBounds"),
    ("int i = (-1); a[i]++;", [0, 0, 0], "OutOfBounds"),
    ("a[0] = a[3];", [0, 0, 0], "OutOfBounds"),
    ("int i = 0; for (i = 0; i <= 3; i++) a[i]++;", [0, 0, 0], "OutOfBounds"),
    ("int i; a[0] = i;", [0, 0, 0], "UninitialisedRead"),
    ("int i; a[i] = 0;", [0, 0, 0], "UninitialisedRead"),
    ("int i; i++;", [0, 0, 0], "UninitialisedRead"),
    ("int i; if (i < 1) a[0] = 1;", [0, 0, 0], "UninitialisedRead"),
    ("int i; i = 1; a[i] = 5;", [0, 0, 0], [0, 5, 0]),
    ("int i; for (i = 0; i <= 1; i++) a[i] = 5;", [0, 0, 0], [5, 5, 0]),
    # the right-hand side is evaluated before the place it is assigned to
    ("int i; a[i] = a[3];", [0, 0, 0], "OutOfBounds"),
    ("int i; int j; i = a[0] + a[3] + j;", [0, 0, 0], "OutOfBounds"),
    ("int i; if (a[i] < a[3] + 1) a[0] = 1;", [0, 0, 0], "UninitialisedRead"),
    ("int i; a[3] = i;", [0, 0, 0], "UninitialisedRead"),
    ("a[0] = a[0] + 1;", [BIG, 0, 0], "Overflow"),
    ("a[0]++;", [BIG, 0, 0], "Overflow"),
    ("--a[0];", [-BIG - 1, 0, 0], "Overflow"),
    ("a[0] = a[0] + 1 - 1;", [BIG, 0, 0], "Overflow"),
    ("if (a[0] + 1) a[1] = 2;", [BIG, 0, 0], "Overflow"),
    ("a[0] = a[0] - 1 + 1;", [BIG, 0, 0], [BIG, 0, 0]),
    ("int i = 0; for (i = 0; i >= 0; i++) a[0] = 1;", [0, 0, 0], "StepLimit"),
    ("int i = 0; for (i = 0; i <= 0; i++) i = i - 1;", [0, 0, 0], "StepLimit"),
    (f"int i = 0; for (i = {BIG}; i >= 0; i++) a[0] = 1;", [0, 0, 0], "Overflow"),
    ("int i = 0; for (i = 0; i <= 1; i--) { if (a[0] == 5) break; a[0]++; }", [0, 0, 0], [5, 0, 0]),
]


@pytest.mark.parametrize(("body", "values", "expected"), CASES)
def test_semantics(body: str, values: list[int], expected: list[int] | str) -> None:
    program = parse(f"int * f(int a[]) {{ {body} return a; }}")
    outputs, status = run_codes(pack([to_code(canonical(program))]), np.array([values], np.int32))
    if isinstance(expected, list):
        assert run(program, values) == expected
        assert status[0, 0] == Status.OK
        assert outputs[0, 0].tolist() == expected
    else:
        with pytest.raises(ExecutionError) as caught:
            run(program, values)
        assert type(caught.value).__name__ == expected
        assert status[0, 0] == FAULTS[expected]


def test_the_input_does_not_change() -> None:
    values = [1, 2, 3]
    run(parse("int * f(int a[]) { a[0] = 9; return a; }"), values)
    assert values == [1, 2, 3]


@pytest.mark.parametrize("tests", [3, 4])
def test_the_limit_counts_loop_tests(tests: int) -> None:
    program = parse("int * f(int a[]) { for (int i = 0; i <= 2; i++) a[i]++; return a; }")
    outputs, status = run_codes(pack([to_code(canonical(program))]), np.zeros((1, 3), np.int32), max_steps=tests)
    if tests == 4:
        assert run(program, [0, 0, 0], max_steps=4) == outputs[0, 0].tolist() == [1, 1, 1]
    else:
        assert status[0, 0] == Status.STEP_LIMIT
        with pytest.raises(ExecutionError):
            run(program, [0, 0, 0], max_steps=3)


def test_a_trace_has_the_state_after_each_statement() -> None:
    program = parse("int * f(int a[]) { int i = 1; for (i = 0; i <= 1; i++) a[i]++; return a; }")
    result = trace(program, [5, 6])
    assert [(step.label, step.value, dict(step.scalars)) for step in result.steps] == [
        ("int i = 1;", [5, 6], {"i": 1}),
        ("for (i = 0; i <= 1; i++)", [5, 6], {"i": 0}),
        ("a[i]++;", [6, 6], {"i": 0}),
        ("for (i = 0; i <= 1; i++)", [6, 6], {"i": 1}),
        ("a[i]++;", [6, 7], {"i": 1}),
    ]
    assert result.output == [6, 7]


def test_a_trace_ends_with_the_fault() -> None:
    result = trace(parse("int * f(int a[]) { a[0]++; a[5]++; return a; }"), [5, 6])
    assert [step.label for step in result.steps] == ["a[0]++;"]
    assert result.output is None
    assert "outside the list of 2 elements" in str(result.error)
