"""The two interpreters agree, and so do the values of the search."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from lasynth.domains.lists.data.inputs import ListsOptions, random_input
from lasynth.domains.lists.data.programs import random_program
from lasynth.domains.lists.execution import interpreter
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import read_values, run_many
from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Program, Type
from lasynth.domains.lists.language.text import parse_program
from lasynth.domains.lists.symbolic.bank import ENTRIES
from lasynth.domains.lists.symbolic.search import Search
from lasynth.task import ExecutionError
from tests.domains.lists.programs import TYPES, one_of_each

EDGES = [INT_MIN, INT_MIN + 1, -1, 0, 1, 2, 7, 10, INT_MAX - 1, INT_MAX]


def interpreted(program: Program, row: list[Basic]) -> Basic | None:
    try:
        return interpreter.run(program, row)
    except ExecutionError:
        return None


def edge_row(rng: Random) -> list[Basic]:
    """Inputs with numbers at the ends of 32 bits."""
    return [
        [rng.choice(EDGES) for _ in range(rng.randint(0, 4))] if type_ == Type.LIST else rng.choice(EDGES)
        for type_ in TYPES
    ]


def test_every_operation_is_the_same_in_both_interpreters(rng: Random) -> None:
    options = ListsOptions(max_length=6, smallest_value=-3, largest_value=7)
    outcomes = {True: 0, False: 0}
    for program in one_of_each():
        rows = [random_input(rng, TYPES, options) for _ in range(40)] + [edge_row(rng) for _ in range(60)]
        wanted = [interpreted(program, row) for row in rows]
        assert run_many(program, rows) == wanted, program
        assert any(value is not None for value in wanted), program
        for value in wanted:
            outcomes[value is None] += 1
    assert min(outcomes.values()) > 300


def test_random_programs_are_the_same_in_both_interpreters(rng: Random) -> None:
    options = ListsOptions(max_operations=6)
    for _ in range(300):
        program = random_program(rng, options.max_operations)
        types = [p.type for p in program.parameters]
        rows = [random_input(rng, types, options) for _ in range(10)]
        assert run_many(program, rows) == [interpreted(program, row) for row in rows], program


def test_the_values_of_the_search_are_those_of_the_interpreter(rng: Random) -> None:
    rows: list[list[Basic]] = [[[3, 1, 2, 2], 2], [[5, 0, 7], 1], [[], 3], [[4], 0]]
    search = Search(rows, [11, 12, 13, 17], [Type.LIST, Type.INT], inf, most_cost=10)
    search.run()
    count = int(search.bank.counts[ENTRIES])
    assert count > 1000
    for entry in [*range(200), *rng.sample(range(count), 800)]:
        bank = search.bank
        body = search._expression(int(bank.operation[entry]), bank.arguments[entry].tolist())
        values = read_values(bank.arena, int(bank.place[entry]), len(rows), body.type)
        for e, row in enumerate(rows):
            wanted = interpreted(Program((), body), row)
            assert (None if (int(bank.gaps[entry]) >> e) & 1 else values[e]) == wanted, body


@pytest.mark.parametrize(
    ("text", "inputs", "wanted"),
    [
        ("(a: list) => div(a, 2)", [[-7, 7]], [-3, 3]),
        ("(a: list) => mod(a, 3)", [[-7, 7]], [-1, 1]),
        ("(a: list) => odd(sum(a))", [[3]], None),
        ("(a: list) => sub(tail(a), a)", [[1, 4, 9]], [3, 5]),
        ("(a: list) => take(a, -1)", [[1]], []),
        ("(a: list) => maximum(a)", [[]], None),
        ("(a: list) => if(eq(length(a), 0), 0, maximum(a))", [[]], 0),
        ("(a: list) => rotate(a, -1)", [[1, 2, 3]], [3, 1, 2]),
        ("(a: list) => digits(sum(a))", [[-120]], [1, 2, 0]),
        ("(a: list) => sort_by(a, mod(a, 10))", [[21, 10, 11]], [10, 21, 11]),
        ("(a: list) => add(a, 1)", [[INT_MAX]], None),
        ("(a: list) => div(a, -1)", [[INT_MIN]], None),
        ("(a: list) => mod(a, -1)", [[INT_MIN]], None),
        ("(a: list) => product(a)", [[65536, 65536, 0]], None),
        ("(k: int) => range(k)", [1 << 21], None),
    ],
)
def test_meanings(text: str, inputs: list[Basic], wanted: Basic | None) -> None:
    if "odd" in text:
        with pytest.raises(ValueError, match="flags"):
            parse_program(text)
        return
    program = parse_program(text)
    assert interpreted(program, inputs) == wanted
    assert run_many(program, [inputs]) == [wanted]
