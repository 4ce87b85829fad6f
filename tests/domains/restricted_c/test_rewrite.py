"""Symbolic execution describes what a program does. Rewriting keeps the outcomes and gives equal programs one text."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.reduction.paths import Inexplicable, explain_runs
from lasynth.domains.restricted_c.reduction.rewrite import rewrite_program
from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.explanations import Choice, outputs
from lasynth.domains.restricted_c.symbolic.sums import Sum
from lasynth.task import ExecutionError
from tests.domains.restricted_c.strategies import programs

INPUTS = np.random.default_rng(7).integers(-4, 5, (40, 5)).astype(np.int32)
STEPS = 300


def program(body: str) -> Program:
    return parse(f"int * func_1(int a[]) {{ {body} return a; }}")


def outcomes(one: Program) -> list[list[int] | None]:
    def outcome(values: list[int]) -> list[int] | None:
        try:
            return run(one, values, STEPS)
        except ExecutionError:
            return None

    return [outcome(values) for values in INPUTS.tolist()]


@given(programs())
def test_rewriting_keeps_the_outcomes_and_does_not_lengthen(any_program: Program) -> None:
    rewritten = rewrite_program(any_program, INPUTS, STEPS)
    assert outcomes(rewritten) == outcomes(any_program)
    assert count_tokens(print_program(rewritten)) <= count_tokens(print_program(any_program))


def test_explanations_give_the_outputs_of_programs(rng: Random) -> None:
    explained = 0
    for _ in range(300):
        drawn = sample_program(rng)
        try:
            explanation = explain_runs(drawn, INPUTS.tolist(), STEPS)
        except (ExecutionError, Inexplicable):
            continue
        assert outputs(explanation, INPUTS.astype(np.int64)).tolist() == outcomes(drawn)
        explained += 1
    assert explained > 150


ZERO_AT_1 = Comparison(Sum(((1, 1),)), "==")
KEPT = tuple(Sum(((position, 1),)) for position in range(5))


@pytest.mark.parametrize(
    ("body", "position", "expected"),
    [
        ("a[0] = a[1] + a[2]; a[0] = a[0] + a[0] - 3;", 0, Sum(((1, 2), (2, 2)), -3)),
        ("for (int i = 1; i <= 4; i++) { a[0] = a[0] - a[i]; }", 0, Sum(((0, 1), (1, -1), (2, -1), (3, -1), (4, -1)))),
        ("if (a[1] > 2) { a[0] = 1; }", 0, Choice(Comparison(Sum(((1, 1),), -2), "<="), KEPT[0], Sum((), 1))),
        ("if (2 > a[1]) { a[0] = 1; }", 0, Choice(Comparison(Sum(((1, 1),), -1), "<="), Sum((), 1), KEPT[0])),
        ("if (a[1]) { a[0] = a[1]; } else { a[0] = 0; }", 0, Sum(((1, 1),))),
        ("if (a[1]) { a[1] = 0; } else { a[1] = 0; }", 1, Sum(())),
        ("if (a[1] == 0) { a[1] = 0; }", 1, KEPT[1]),
        ("a[1] = 3; if (a[1]) { a[0] = 1; }", 0, Sum((), 1)),
        ("if (a[1]) { if (a[1]) { a[0] = 1; } else { a[0] = 2; } }", 0, Choice(ZERO_AT_1, KEPT[0], Sum((), 1))),
    ],
)  # fmt: skip
def test_explanations(body: str, position: int, expected: object) -> None:
    assert explain_runs(program(body), INPUTS.tolist(), STEPS)[position] == expected


def test_a_branch_that_no_list_takes_is_left_out() -> None:
    branching = program("if (a[0] == 3) { a[1] = 2; }")
    assert explain_runs(branching, [[1, 2, 3, 4, 0], [2, 2, 2, 2, 2]], STEPS) == KEPT


@pytest.mark.parametrize(
    "body",
    ["int p_0 = 0; p_0 = a[1]; a[p_0] = 1;", "if (a[0] + a[0] > 3) { a[1] = 2; }"],
    ids=["subscript", "condition"],
)
def test_programs_without_an_explanation(body: str) -> None:
    with pytest.raises(Inexplicable):
        explain_runs(program(body), [[1, 2, 3, 4, 0], [2, 2, 2, 2, 2]], STEPS)


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        (
            [
                "for (int p_0 = 2; p_0 <= 3; p_0++) { a[p_0] = 1; }",
                "a[3] = a[2]; a[2] = a[3] - a[3] + 1; a[3] = a[2];",
                "a[3] = 1; a[2] = 1;",
            ],
            "a[2] = 1; a[3] = 1;",
        ),
        (
            [
                "for (int p_0 = 0; p_0 <= 3; p_0++) { if (a[4]) continue; --a[3]; }",
                "if (a[4]) { a[0] = a[0]; } else { a[3] = a[3] - 2; a[3] = a[3] - 2; }",
            ],
            "if (a[4] == 0) { a[3] = a[3] - 4; }",
        ),
        (["for (int p_0 = 4; p_0 >= 0; p_0--) { a[p_0]++; }"], "for (int p_0 = 0; p_0 <= 4; p_0++) { ++a[p_0]; }"),
    ],
    ids=["sums", "branch", "loop"],
)
def test_programs_with_the_same_behaviour_get_the_same_text(bodies: list[str], expected: str) -> None:
    for body in bodies:
        assert print_program(rewrite_program(program(body), INPUTS)) == print_program(program(expected))


def test_a_rewritten_program_needs_no_lexeme_outside_the_dialect() -> None:
    long = program("a[0] = a[0] + 4; a[0] = a[0] + 3;")
    assert rewrite_program(long, INPUTS) == long
