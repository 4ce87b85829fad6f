"""Reduction for all inputs keeps behaviour that random small numbers do not show."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.domains.restricted_c.execution.interpreter import MAX_STEPS, Execution
from lasynth.domains.restricted_c.language.canonical import canonical, map_operands
from lasynth.domains.restricted_c.language.lexemes import to_lexemes
from lasynth.domains.restricted_c.language.nodes import INT_MAX, Const, Operand, Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.reduction.exploration import Coverage, explore
from lasynth.domains.restricted_c.reduction.faithful import outcomes, reduce_faithfully
from lasynth.domains.restricted_c.reduction.inequalities import Answer, solution
from lasynth.domains.restricted_c.reduction.probing import constants
from lasynth.task import ExecutionError
from tests.conftest import EXAMPLES
from tests.domains.restricted_c.strategies import programs

FRAME = "int * f(int a[]) {{ {} return a; }}"
any_number = st.integers(-INT_MAX, INT_MAX) | st.integers(-300, 300) | st.sampled_from([100, 1000, INT_MAX, -INT_MAX])


@st.composite
def programs_with_any_constants(draw: st.DrawFn) -> Program:
    """A program in which each constant of an expression is replaced by any other number."""
    program = draw(programs())
    numbers: dict[int, int] = {}

    def change(operand: Operand) -> Operand:
        if not isinstance(operand, Const):
            return operand
        if operand.value not in numbers:
            numbers[operand.value] = draw(any_number)
        return Const(numbers[operand.value])

    return Program(program.declarations, map_operands(program.body, change))


def fresh_lists(program: Program, rng: Random, count: int) -> list[list[int]]:
    """Lists around the constants of a program. Independent of how the reduction draws its probes."""
    own = sorted(constants(program) | {0})
    drawn = []
    for _ in range(count):
        values = []
        for _ in range(rng.randint(1, 9)):
            number = rng.choice(own) + rng.choice([-1, 0, 0, 1])
            if rng.random() < 0.3:
                number += rng.choice([-1, 1]) * rng.choice(own)
            values.append(max(-INT_MAX - 1, min(INT_MAX, number)))
        drawn.append(values)
    return drawn


@settings(max_examples=EXAMPLES // 2)
@given(programs_with_any_constants(), st.integers(0, 2**32))
def test_behaviour_stays_on_fresh_inputs(program: Program, seed: int) -> None:
    result = reduce_faithfully(program, [])
    fresh = fresh_lists(program, Random(seed), 300)
    assert outcomes(result.program, fresh) == outcomes(program, fresh)
    assert len(to_lexemes(result.program)) <= len(to_lexemes(canonical(program)))
    assert canonical(result.program) == result.program
    assert not (result.proved and result.unreached)


@settings(max_examples=EXAMPLES // 4)
@given(programs_with_any_constants())
def test_reducing_twice_changes_nothing(program: Program) -> None:
    once = reduce_faithfully(program, []).program
    assert reduce_faithfully(once, []).program == once


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("if (a[0] > 100) a[0] = 100;", [101]),
        ("if (a[0] == 123456789) a[0] = 0;", [123456789]),
        ("if (a[0] == 123456789 && a[1] == 987654321) a[2] = 7;", [123456789, 987654321, 0]),
        ("if (a[0] + a[1] == 123456789 && a[0] - a[1] == 1) a[2] = 7;", [61728395, 61728394, 0]),
        ("if (a[0] > 5000) if (a[1] < -5000) if (a[0] + a[1] == 77) a[2] = 7;", [5078, -5001, 0]),
        (
            "int s = 0; for (int i = 0; i <= 4; i++) s = s + a[i]; if (s == 77777) a[0] = 1;",
            [77777, 0, 0, 0, 0],
        ),
        ("for (int i = 0; i <= 3; i++) if (a[i] > a[i] - 1 && a[i] > 999) a[i] = 999;", [0, 0, 1000, 0]),
        ("int x = 5; if (a[0] == 4242) x = 6; a[1] = x;", [4242, 0]),
        ("int x = 5; if (a[0] == 4242) a[1] = x;", [4242, 0]),
        ("a[0] = a[0] + 2 - 1;", [INT_MAX - 1]),
        ("a[0]++; a[0]--;", [INT_MAX]),
        ("int i = 0; i = a[0]; if (i > 7) a[i] = 5;", [9] * 10),
        ("a[12] = 1;", [0] * 13),
        ("for (int i = 0; i <= 14; i++) a[i] = 0; if (a[14] > 3) a[0] = 1; a[15] = 9;", [7] * 16),
        ("if (a[1]) a[0] = a[0];", [3]),
    ],
)
def test_what_random_numbers_do_not_show(body: str, value: list[int]) -> None:
    """The value is an input on which the program without its rare part does something else."""
    program = parse(FRAME.format(body))
    result = reduce_faithfully(program, [])
    fresh = [value, *fresh_lists(program, Random(5), 500)]
    assert outcomes(result.program, fresh) == outcomes(program, fresh)
    assert outcomes(program, [value]) != outcomes(parse(FRAME.format("")), [value])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (a[0] > 100) a[0] = 100;", "if (a[0] > 100) a[0] = 100;"),
        ("a[0] = 3; a[0] = 4;", "a[0] = 4;"),
        ("if (a[0] < 2 && a[0] > 9) a[0] = 2;", ""),
        ("if (a[0] > a[1] && a[1] > a[0]) a[0] = 2;", "if (a[1]) ++a[0];"),
        ("if (a[0] < 2 && a[0] < 9000) a[0] = 2;", "if (a[0] < 2) a[0] = 2;"),
        ("if (3 < 2) a[0] = 7; else a[0] = 8;", "a[0] = 8;"),
        ("for (int i = 0; i <= 2; i++) for (int j = 0; j <= 1; j++) a[i] = 3;", None),
    ],
)
def test_what_is_proved_to_be_superfluous_goes(body: str, expected: str | None) -> None:
    result = reduce_faithfully(parse(FRAME.format(body)), [])
    assert result.proved
    if expected is None:
        expected = "for (int p_0 = 0; p_0 <= 2; p_0++) a[p_0] = 3;"
    if expected.startswith("if (a[1])"):  # it faults on lists of one element, so something must be kept
        assert outcomes(result.program, [[1]]) == outcomes(parse(FRAME.format(body)), [[1]])
    else:
        assert result.program == parse(FRAME.format(expected))


def test_code_that_no_input_reaches_is_kept() -> None:
    """Only lists that are longer than all probes come behind `a[i] = 1`."""
    program = parse(FRAME.format("int i = 0; i = a[0]; if (i > 3000) { a[i] = 1; a[1] = 2; a[1] = 3; }"))
    result = reduce_faithfully(program, [])
    assert result.unreached
    assert result.program == canonical(program)


def test_with_a_length_only_lists_of_that_length_count() -> None:
    program = parse(FRAME.format("if (a[0] > 100) a[0] = 100; a[3] = a[3];"))
    assert reduce_faithfully(program, [], 5).program == parse(FRAME.format("if (a[0] > 100) a[0] = 100;"))
    assert len(reduce_faithfully(program, []).program.body) == 2  # a[3] is a fault on short lists


def test_lists_of_several_lengths_cannot_be_given() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        RestrictedC().reduce_for_all(parse(FRAME.format("")), [[1], [1, 2]])


# --- inequalities and paths ------------------------------------------------------------------------------------------
@given(st.lists(st.tuples(st.tuples(*[st.integers(-2, 2)] * 3), st.integers(-30, 30)), min_size=1, max_size=6))
def test_solutions_are_right(rows: list[tuple[tuple[int, int, int], int]]) -> None:
    system: dict[tuple[int, ...], int] = {}
    for coefficients, bound in rows:
        system[coefficients] = min(bound, system.get(coefficients, bound))
    found = solution(system, [0, 0, 0])

    def holds(values: tuple[int, ...]) -> bool:
        return all(sum(c * v for c, v in zip(row, values, strict=True)) <= bound for row, bound in system.items())

    if isinstance(found, list):
        assert holds(tuple(found))
    elif found is Answer.IMPOSSIBLE:
        cube = range(-8, 9)
        assert not any(holds((x, y, z)) for x in cube for y in cube for z in cube)


def test_an_exploration_that_is_complete_knows_all_outcomes() -> None:
    """Every path of a program with three boundaries, by running it on all small lists."""
    program = parse(FRAME.format("if (a[0] > 3) a[1] = 0; if (a[1] == a[0] + 2) a[0] = 9; else if (a[1] < 1) a[0]--;"))
    found = explore([program], [[0, 0]], Coverage(), 100)
    assert found.complete

    def path(values: list[int]) -> tuple[bool, ...]:
        held: list[bool] = []

        class Recording(Execution):
            def test(self, test):  # type: ignore[no-untyped-def]
                held.append(super().test(test))
                return held[-1]

        try:
            Recording(program, values, MAX_STEPS).run()
        except ExecutionError:
            held.append(False)
        return tuple(held)

    paths = {path([x, y]) for x in range(-9, 10) for y in range(-9, 10)}
    assert paths <= {path(values) for values in found.inputs}
