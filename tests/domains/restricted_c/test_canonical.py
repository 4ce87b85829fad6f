"""Canonical names, dropped declarations and inlined constants never change the meaning of a program."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.language.canonical import canonical, drop_unused, inline_constants
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.task import ExecutionError
from tests.domains.restricted_c.strategies import lists, programs


def outcome(program: Program, values: list[int]) -> list[int] | str:
    try:
        return run(program, values, max_steps=300)
    except ExecutionError as error:
        return type(error).__name__


@given(programs(), lists)
def test_meaning_is_kept(program: Program, values: list[int]) -> None:
    expected = outcome(program, values)
    assert outcome(canonical(program), values) == expected
    assert outcome(drop_unused(program), values) == expected
    assert outcome(inline_constants(program), values) == expected


@given(programs())
def test_canonical_form_is_stable_and_can_be_printed(program: Program) -> None:
    once = canonical(program)
    assert canonical(once) == once
    assert parse(print_program(once)) == once
    assert parse(print_program(inline_constants(once))) == inline_constants(once)


def test_sampled_programs_are_canonical(rng: Random) -> None:
    for _ in range(300):
        program = sample_program(rng)
        assert canonical(program) == program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x = 1; int y = 2; a[y] = a[x];", "int p_0 = 2; int l_1 = 1; a[p_0] = a[l_1];"),
        (
            "int x = 1; int i = 2; a[x]++; for (i = 0; i <= 1; i++) a[i]++;",
            "int p_0 = 2; int l_1 = 1; a[l_1]++; for (p_0 = 0; p_0 <= 1; p_0++) a[p_0]++;",
        ),
        ("for (int i = 0; i <= 1; i++) a[i]++;", "for (int p_0 = 0; p_0 <= 1; p_0++) a[p_0]++;"),
        (
            "int i = 3; for (int i = 0; i <= 1; i++) a[i]++; a[i]--;",
            "int p_0 = 3; for (int p_1 = 0; p_1 <= 1; p_1++) a[p_1]++; a[p_0]--;",
        ),
    ],
)
def test_names(text: str, expected: str) -> None:
    frame = "int * f(int a[]) {{ {} return a; }}"
    assert canonical(parse(frame.format(text))) == parse(frame.format(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x = 1; a[x] = x;", "a[1] = 1;"),
        ("int x = 1; a[x] = 2; x++; a[x] = 3;", "int x = 1; a[1] = 2; x++; a[x] = 3;"),
        ("int x = (-1); a[x] = x;", "int x = (-1); a[x] = (-1);"),
        ("int x; a[x] = 1;", "int x; a[x] = 1;"),
        ("int x = 2; for (x = 0; x <= 1; x++) a[x]++;", "int x = 2; for (x = 0; x <= 1; x++) a[x]++;"),
    ],
)
def test_constants_replace_variables_only_while_they_are_unchanged(text: str, expected: str) -> None:
    frame = "int * f(int a[]) {{ {} return a; }}"
    assert inline_constants(parse(frame.format(text))) == parse(frame.format(expected))
