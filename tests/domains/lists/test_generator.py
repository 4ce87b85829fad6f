"""Random tasks of lists: programs that are as cheap as can be, use their inputs, and differ."""

from __future__ import annotations

from random import Random

import pytest

from lasynth.domains.lists.data.cheapest import Cheapest
from lasynth.domains.lists.data.generator import LARGEST, MOST_ELEMENTS
from lasynth.domains.lists.data.inputs import ListsOptions, Scene
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.nodes import Call, Constant, Input, Program, Type, walk
from lasynth.task import InputError

LISTS = Lists()
OPTIONS = ListsOptions(examples=6, known_cost=7)
TASKS = LISTS.sample_tasks(Random(1), 300, OPTIONS)[0]


def test_tasks_hold_and_are_not_trivial() -> None:
    for task in TASKS:
        outputs = [example.output for example in task.examples]
        assert LISTS.run_many([task.program], [example.input for example in task.examples]) == [outputs]
        assert any(output != outputs[0] for output in outputs)
        used = {part.place for part in walk(task.program.body) if isinstance(part, Input)}
        assert len(used) == len(task.program.parameters)
        assert 1 <= sum(isinstance(part, Call) for part in walk(task.program.body)) <= OPTIONS.max_operations
        for output in outputs:
            numbers = output if isinstance(output, list) else [output]
            assert len(numbers) <= MOST_ELEMENTS
            assert all(isinstance(number, int) and abs(number) <= LARGEST for number in numbers)
        assert set(LISTS.unparse(task.program)) <= set(LISTS.vocab.lexemes)


def test_no_two_tasks_with_the_same_inputs_have_the_same_outputs() -> None:
    assert len({repr(task.examples) for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize(
    ("roundabout", "short"),
    [
        ("reverse(reverse(a))", "a"),
        ("sort_down(sort(a))", "sort_down(a)"),
        ("concat(reverse(a), drop(a, 99))", "reverse(a)"),
        ("add(a, sub(3, 1))", "add(a, 2)"),
        ("filter(running_sum(a), not(odd(running_sum(a))))", "filter(running_sum(a), even(running_sum(a)))"),
    ],
)
def test_parts_are_replaced_by_the_cheapest_with_the_same_values(roundabout: str, short: str) -> None:
    rng = Random(2)
    rows = [Scene.draw(rng, (Type.LIST,), ListsOptions()).row(rng) for _ in range(10)]
    cheapest = Cheapest(rows, (Type.LIST,), 7)
    program = LISTS.parse_text(f"(a: list) => {roundabout}")
    body = cheapest.simplified(program.body)
    assert body == LISTS.parse_text(f"(a: list) => {short}").body
    assert body is not None
    assert run_many(Program(program.parameters, body), rows) == run_many(program, rows)


def test_what_faults_has_no_cheaper_form() -> None:
    cheapest = Cheapest([[[1, 2]], [[3, 0, 5]]], (Type.LIST,), 5)
    assert cheapest.simplified(LISTS.parse_text("(a: list) => nth(a, 7)").body) is None
    assert cheapest.simplified(LISTS.parse_text("(a: list) => add(a, mul(99, 99))").body) is None, "a large constant"
    assert cheapest.simplified(Constant(4)) == Constant(4)


def test_options_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="max-length must be 1 to 100"):
        ListsOptions(max_length=0)
    with pytest.raises(InputError, match="examples must be 1 to 64"):
        ListsOptions(examples=0)
    with pytest.raises(InputError, match=r"smallest-value \(5\) must not be above largest-value \(4\)"):
        ListsOptions(smallest_value=5, largest_value=4)
