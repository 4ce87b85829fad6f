"""Reduction keeps every outcome, changes nothing the second time, and leaves no part that can be removed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasynth.domains.karel import drawing, interpreter, nodes, readable, syntax
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.nodes import TESTS, Action, Block, If, IfElse, Program, Repeat, Statement, While
from lasynth.domains.karel.probing import conditions, critical_worlds
from lasynth.domains.karel.world import World
from lasynth.task import ExecutionError, Task
from tests.conftest import EXAMPLES

from .strategies import programs, worlds

KAREL = Karel()


def outcome(program: Program, world: World) -> World | type[ExecutionError]:
    trace, _ = interpreter.trace(program, world)
    return type(trace.error) if trace.error is not None else trace.input if trace.output is None else trace.output


def smaller(block: Block) -> list[Block]:
    """Every block that is one step smaller: a statement dropped, a statement replaced by its block, an else dropped."""
    found: list[Block] = []
    for i, statement in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        found.append((*before, *after))
        found += [(*before, *inner, *after) for inner in nodes.blocks(statement)]
        changed: list[Statement]
        match statement:
            case Repeat(times, body):
                changed = [Repeat(times, inner) for inner in smaller(body)]
            case While(condition, body) | If(condition, body):
                changed = [type(statement)(condition, inner) for inner in smaller(body)]
            case IfElse(condition, then, otherwise):
                changed = [If(condition, then)]
                changed += [IfElse(condition, inner, otherwise) for inner in smaller(then)]
                changed += [IfElse(condition, then, inner) for inner in smaller(otherwise)]
            case Action():
                changed = []
        found += [(*before, new, *after) for new in changed]
    return [block for block in found if block]


def check(program: Program, inputs: list[World]) -> Program:
    reduced = KAREL.reduce(program, inputs)
    wanted = [outcome(program, world) for world in inputs]
    assert [outcome(reduced, world) for world in inputs] == wanted
    assert KAREL.reduce(reduced, inputs) == reduced
    assert syntax.length(reduced) <= syntax.length(program)
    for body in smaller(reduced.body):
        assert [outcome(Program(body), world) for world in inputs] != wanted, syntax.text(Program(body))
    return reduced


@settings(max_examples=60)
@given(programs(), st.lists(worlds(), min_size=1, max_size=3))
def test_reduction_of_random_programs(program: Program, inputs: list[World]) -> None:
    check(program, inputs)


def test_reduction_of_generated_tasks(tasks: list[Task[Program, World]]) -> None:
    sizes = [
        (task.tokens, syntax.length(check(task.program, [e.input for e in task.examples]))) for task in tasks[:150]
    ]
    assert sum(after for _, after in sizes) < sum(before for before, _ in sizes)


@pytest.mark.parametrize(
    ("body", "world", "expected"),
    [
        ("turnLeft turnLeft turnLeft turnLeft move", "> . / . .", "move"),
        ("putMarker pickMarker move", "> . / . .", "move"),
        ("REPEAT R=1 r( move r) putMarker", "> . / . .", "move putMarker"),
        ("IF c( frontIsClear c) i( move i) putMarker", "> . / . .", "move putMarker"),
        ("IFELSE c( frontIsClear c) i( move i) ELSE e( turnLeft e)", "> . / . .", "move"),
        ("IFELSE c( markersPresent c) i( move i) ELSE e( turnLeft e)", "> . / . .", "turnLeft"),
        ("WHILE c( markersPresent c) w( move w) turnLeft", "> . / . .", "turnLeft"),
        ("turnLeft turnRight", "> . / . .", "turnLeft turnRight"),
        ("move pickMarker move", "> . / . .", "pickMarker"),
    ],
)
def test_single_reductions(body: str, world: str, expected: str) -> None:
    reduced = check(syntax.parse(f"DEF run m( {body} m)"), [drawing.read(world)])
    assert syntax.text(reduced) == f"DEF run m( {expected} m)"


def test_a_branch_is_kept_if_one_world_needs_it() -> None:
    program = syntax.parse(
        "DEF run m( IFELSE c( markersPresent c) i( turnLeft turnLeft turnLeft turnLeft i) ELSE e( move e) m)"
    )
    reduced = check(program, [drawing.read(">1 . / . ."), drawing.read("> . / . .")])
    assert readable.write(reduced) in (
        "def run():\n  if (noMarkersPresent):\n    move",
        "def run():\n  while (noMarkersPresent):\n    move",
    )


def test_without_worlds_a_single_action_remains() -> None:
    assert syntax.length(KAREL.reduce(syntax.parse("DEF run m( move REPEAT R=2 r( move r) m)"), [])) == 5


@pytest.mark.parametrize("size", [None, (2, 3)])
def test_each_condition_is_true_and_false_at_the_start(size: tuple[int, int] | None) -> None:
    for test in TESTS:
        program = syntax.parse(f"DEF run m( IF c( {test} c) i( move i) m)")
        found = critical_worlds(program, Random(1), size)
        assert {interpreter.Run(world).test(test) for world in found} == {False, True}
        assert size is None or {(world.rows, world.cols) for world in found} == {size}
        assert all(world.check_input() == world for world in found)


def test_conditions_behind_actions_get_both_outcomes() -> None:
    body = (
        "move move IF c( markersPresent c) i( turnLeft move IFELSE c( leftIsClear c) i( move i) ELSE e( putMarker e) i)"
    )
    program = syntax.parse(f"DEF run m( {body} m)")
    kept = KAREL.reduce_for_all(program, []).program
    assert len(list(conditions(kept))) == 2


@settings(max_examples=EXAMPLES // 5)
@given(programs(), st.lists(worlds(10), max_size=3))
def test_reduction_for_all_worlds(program: Program, inputs: list[World]) -> None:
    result = KAREL.reduce_for_all(program, inputs)
    probed = [*inputs, *critical_worlds(program, Random(5))]
    assert [outcome(result.program, world) for world in probed] == [outcome(program, world) for world in probed]
    assert result.compared >= len(set(probed))
    assert KAREL.reduce_for_all(result.program, inputs).program == result.program
