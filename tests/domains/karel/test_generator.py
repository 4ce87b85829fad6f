"""Generated tasks follow all rules of the public data, are close to its figures, and depend on the seed alone."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from lasynth.dataset import sampled_table, to_table
from lasynth.domains.karel import generator, interpreter, nodes, statistics, syntax
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.generator import KarelOptions
from lasynth.domains.karel.nodes import ACTIONS, Program
from lasynth.domains.karel.world import World
from lasynth.statistics import total_variation
from lasynth.task import Task

FIRST = "DEF run m( putMarker putMarker turnRight move m)"
"""The first program of seed 0. If the tables or the order of draws change, it changes, and so does every data set."""
MARKERS = {"pickMarker", "putMarker"}
NEVER = {
    *(("turnRight", after) for after in ACTIONS if after != "move"),
    *(("turnLeft", after) for after in ACTIONS if after not in ("move", "turnLeft")),
    ("pickMarker", "putMarker"),
    ("putMarker", "pickMarker"),
}


def test_programs_follow_the_rules(tasks: list[Task[Program, World]]) -> None:
    for task in tasks:
        tokens = syntax.tokens(task.program)
        assert "move" in tokens
        assert MARKERS & set(tokens)
        pairs = list(pairwise(tokens))
        assert not NEVER & set(pairs)
        assert not any(a == b == c and a in ACTIONS for (a, b), (_, c) in pairwise(pairs))
        assert not {"R=0", "R=1", *(f"R={times}" for times in range(11, 20))} & set(tokens)
        assert not any(a == "c(" and b in ("markersPresent", "noMarkersPresent") and tokens[i - 1] == "not"
                       for i, (a, b) in enumerate(pairs))  # fmt: skip
        assert len(tokens) == task.tokens <= 65


def test_programs_are_no_larger_than_public_ones(tasks: list[Task[Program, World]]) -> None:
    for task in tasks:
        statements = [statement for _, statement in nodes.walk(task.program.body)]
        assert len(task.program.body) <= 12
        assert len(statements) <= 22
        assert sum(not isinstance(statement, nodes.Action) for statement in statements) <= 7
        assert nodes.nesting(task.program) <= 5


def test_runs_succeed_and_have_a_move_and_a_marker_action(tasks: list[Task[Program, World]]) -> None:
    for task in tasks:
        assert len(task.examples) == 6
        for example in task.examples:
            trace, _ = interpreter.trace(task.program, example.input)
            actions = {step.label for step in trace.steps}
            assert 2 <= len(trace.steps) <= 73
            assert trace.output == example.output != example.input
            assert "move" in actions
            assert MARKERS & actions
            assert max(count for _, _, count in [(0, 0, 0), *example.input.markers()]) <= 9


def test_the_seed_alone_decides_the_tasks() -> None:
    first, again = (generator.sample_tasks(Random(9), 50, KarelOptions()) for _ in range(2))
    assert first == again
    assert generator.sample_tasks(Random(10), 50, KarelOptions())[0] != first[0]
    assert len(first[0]) == 50


def test_tasks_stay_the_same_from_version_to_version() -> None:
    task = generator.sample_tasks(Random(0), 1, KarelOptions())[0][0]
    assert syntax.text(task.program) == FIRST


def test_reduced_tasks_have_the_same_examples_and_shorter_programs() -> None:
    plain, reduced = (generator.sample_tasks(Random(4), 100, KarelOptions(reduce=flag))[0] for flag in (False, True))
    assert [task.examples for task in plain] == [task.examples for task in reduced]
    assert sum(task.tokens for task in reduced) < sum(task.tokens for task in plain)
    for task in reduced:
        assert all(interpreter.run(task.program, example.input) == example.output for example in task.examples)


@pytest.mark.parametrize("reduce", [False, True])
def test_columns_hold_the_sampled_tasks(reduce: bool) -> None:
    karel, options = Karel(), KarelOptions(reduce=reduce)
    tasks, counts = karel.sample_tasks(Random(6), 60, options)
    sampled = karel.sample_columns(Random(6), 60, options)
    assert sampled_table(karel, sampled) == to_table(karel, tasks)
    assert sampled.counts == counts


def test_no_tasks() -> None:
    assert generator.sample_tasks(Random(0), 0, KarelOptions())[0] == []


@pytest.mark.parametrize("line", statistics.published())
def test_lines_are_near_the_public_figures(line: str, lines: statistics.Lines) -> None:
    slack = 0.03  # 2,000 tasks are few, so their statistics are noisy
    assert total_variation(lines[line], statistics.published()[line]) < 0.05 + slack


@pytest.fixture(scope="module")
def lines(tasks: list[Task[Program, World]]) -> statistics.Lines:
    return statistics.statistics(tasks)


@pytest.mark.slow
def test_every_distance_is_below_the_limit() -> None:
    tasks = generator.sample_tasks(Random(2), 30_000, KarelOptions())[0]
    lines = statistics.statistics(tasks)
    assert all(total_variation(lines[name], line) < 0.05 for name, line in statistics.published().items())
