"""`solve` in the language of lists: answers, several inputs, names, messages, time."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lasynth import solve
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.values import check_value, read_value
from lasynth.task import Example, InputError
from tests.timing import keeps_within

LISTS = Lists()


@pytest.mark.parametrize(
    ("examples", "value", "wanted"),
    [
        ([([3, 1, 2], [1, 2, 3]), ([9, 4], [4, 9]), ([], [])], [5, 2, 8, 1], [1, 2, 5, 8]),
        ([([3, 1, 2], 6), ([9, 4], 13), ([], 0)], [5, 2, 8, 1], 16),
        ([((2, [5, 6, 7]), [5, 6]), ((1, [9, 4, 3]), [9]), ((3, [9, 4, 2, 1]), [9, 4, 2])], (2, [1]), [1]),
        ([((3, 5), 8), ((2, 2), 4), ((0, -7), -7)], (40, 2), 42),
        ([([1, 2], [7, 8, 1, 2]), ([], [7, 8]), ([4], [7, 8, 4])], [0, 0, 3], [7, 8, 0, 0, 3]),
        (
            [
                ([4, 9, 2], [9, 2, 3]),
                ([7, 1], [7, 1, 2]),
                ([5, 3, 8, 6], [8, 3, 4]),
                ([6, 6, 0, 5, 1], [6, 0, 5]),
                ([1, 8, 4, 12, 9, 3], [12, 1, 6]),
                ([30, 20, 25], [30, 20, 3]),
            ],
            [2, 1, 0],
            [2, 0, 3],
        ),
        ([([0, 4, 0, 5], [1, 4, 1, 5]), ([3, 0], [3, 1]), ([7, 8, 9], [7, 8, 9])], [0, 2], [1, 2]),
    ],
)
def test_answers_hold_for_other_lengths(examples: list[Any], value: Any, wanted: Any) -> None:
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20)
    assert solution.solved, solution.reason
    answer = solution.programs[0]
    assert LISTS.run(answer.program, value) == wanted
    assert "int func_1(" in answer.code


def test_a_list_from_the_empty_list_is_empty_if_nothing_else_is_known() -> None:
    examples = [([5, 2, 8], [3, 0, 6]), ([7, 9], [0, 2]), ([4, 4, 1, 3], [3, 3, 0, 2])]
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20)
    assert LISTS.run(solution.programs[0].program, []) == []
    assert LISTS.run(solution.programs[0].program, [-4, 3]) == [0, 7]


def test_inputs_by_name_may_come_in_any_order() -> None:
    examples = [({"k": 2, "b": [5, 6]}, [7, 8]), ({"b": [5, 1, 4], "k": 1}, [6, 2, 5]), ({"k": 9, "b": []}, [])]
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20)
    assert "int func_1(int k, const int b[], int n, int out[])" in solution.programs[0].code
    assert LISTS.run(solution.programs[0].program, {"b": [1], "k": 5}) == [6]


def test_several_answers_differ() -> None:
    solution = solve([([3, 1, 2], 6), ([9, 4], 13)], language="lists", strategy="symbolic", top=3, timeout=20)
    probes = LISTS.random_values(Random(1), 100, [1])
    rows = LISTS.run_many([answer.program for answer in solution.programs], probes)
    assert len(solution.programs) == 3
    assert rows[0] != rows[1] != rows[2] != rows[0]


def test_the_time_limit_holds() -> None:
    rng = Random(3)
    examples = [([rng.randint(0, 99) for _ in range(9)], [rng.randint(0, 99) for _ in range(7)]) for _ in range(8)]
    solve([([1], [1])], language="lists")  # load compiled code

    def work() -> None:
        solution = solve(examples, language="lists", strategy="symbolic", timeout=1)
        assert not solution.solved
        assert solution.reason is not None

    assert keeps_within(1.1, work)


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([([1], [2]), ([2], 3)], "a number, that of the first example a list"),
        ([([1], [2]), (2, [3])], r"the inputs are \(int\)"),
        ([({"k": 1}, 2), ({"j": 1}, 2)], "the inputs are j"),
        ([({"int": 1}, 2)], "name of an input"),
        ([([1.5], [2])], "not a whole number"),
        ([([2**31], [2])], "32 bits"),
        ([([1], (1, [2]))], "one number or one list"),
        ([(tuple([1] * 9), 2)], "1 to 8"),
        ([([0] * 10_001, 2)], "at most 10,000"),
    ],
)
def test_bad_examples_are_explained(examples: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(examples, language="lists")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[3, 1, 2]", [3, 1, 2]),
        ("6", 6),
        ("[]", []),
        ("2, [5, 6]", (2, [5, 6])),
        ('{"k": 2, "b": [5]}', {"k": 2, "b": [5]}),
    ],
)
def test_values_are_read(text: str, value: Any) -> None:
    assert read_value(text) == value
    assert check_value(LISTS.value_json(value)) == value


@pytest.mark.parametrize("text", ["", "[1, ", "x", "[[[1]]]", '"a"', "1.5", "true", "[" * 5000])
def test_values_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        read_value(text)


def test_reduction_keeps_what_a_program_does() -> None:
    program = LISTS.parse_text("(a: list) => add(concat(reverse(reverse(a)), []), sub(length(a), length(a)))")
    values = LISTS.random_values(Random(0), 50)
    small = LISTS.reduce(program, values)
    assert LISTS.text(small) == "(a: list) => a\n"
    assert LISTS.reduce(small, values) == small


def test_traces_show_every_operation() -> None:
    program = LISTS.parse_text("(a: list) => first(tail(a))")
    trace = LISTS.trace(program, [4, 7])
    assert [(step.label, step.value) for step in trace.steps] == [("tail(a)", [7]), ("first(tail(a))", 7)]
    assert LISTS.trace(program, [4]).error is not None


def test_probes_and_likeness() -> None:
    examples: list[Example[Any]] = [Example([1, 5], [1]), Example([2], [2])]
    assert LISTS.alike([[3], [0], [1, 2, 3], []], examples) == [True, False, False, True]
    probes = LISTS.probes(Random(0), 50, examples)
    assert len(probes) == 50
    assert {len(probe) for probe in probes if isinstance(probe, list)} > {0, 1, 2, 3, 4}


def test_tasks_are_the_same_for_the_same_seed() -> None:
    options = LISTS.options()
    one, other = (LISTS.sample_tasks(Random(5), 20, options)[0] for _ in range(2))
    assert one == other
    for task in one:
        for example in task.examples:
            assert LISTS.run(task.program, example.input) == example.output
            assert LISTS.from_arrow(LISTS.to_arrow(example.input)) == example.input
