"""The semantics, one case per line, for both the readable interpreter and the machine."""

from __future__ import annotations

import pytest

from lasynth.domains.karel import drawing, interpreter, machine, syntax
from lasynth.domains.karel.interpreter import Crash
from lasynth.task import StepLimit

R19 = "REPEAT R=19 r( {} r)"


@pytest.mark.parametrize(
    ("body", "before", "after", "ticks"),
    [
        ("move", ". . / > .", ". . / . >", 1),
        ("move", ". . / ^ .", "^ . / . .", 1),
        ("move", ". v / . .", ". . / . v", 1),
        ("move", ". . / . <", ". . / < .", 1),
        ("turnLeft", ". . / > .", ". . / ^ .", 1),
        ("turnLeft", ". . / ^ .", ". . / < .", 1),
        ("turnRight", ". . / > .", ". . / v .", 1),
        ("turnRight", ". . / < .", ". . / ^ .", 1),
        ("putMarker", ". . / > .", ". . / >1 .", 1),
        ("putMarker", ". . / >100 .", ". . / >101 .", 1),
        ("pickMarker", ". . / >2 .", ". . / >1 .", 1),
        ("REPEAT R=3 r( putMarker r)", ". . / > .", ". . / >3 .", 6),
        ("REPEAT R=0 r( move move move r)", ". . / > .", ". . / > .", 0),
        ("REPEAT R=2 r( REPEAT R=3 r( putMarker r) r)", ". . / > .", ". . / >6 .", 14),
        ("WHILE c( frontIsClear c) w( move w)", ". . . / > . .", ". . . / . . >", 5),
        ("WHILE c( not c( frontIsClear c) c) w( turnLeft w)", ". . / . >", ". . / . ^", 3),
        ("WHILE c( markersPresent c) w( pickMarker w)", ". . / >2 .", ". . / > .", 5),
        ("IF c( frontIsClear c) i( move i)", ". # / . ^", ". # / . ^", 1),
        ("IF c( leftIsClear c) i( putMarker i)", ". . / > .", ". . / >1 .", 2),
        ("IF c( leftIsClear c) i( putMarker i)", "# . / > .", "# . / > .", 1),
        ("IF c( rightIsClear c) i( putMarker i)", ". . / > .", ". . / > .", 1),
        ("IF c( rightIsClear c) i( putMarker i)", "> . / . .", ">1 . / . .", 2),
        ("IF c( noMarkersPresent c) i( putMarker i)", ". . / >1 .", ". . / >1 .", 1),
        ("IF c( not c( not c( noMarkersPresent c) c) c) i( putMarker i)", ". . / > .", ". . / >1 .", 2),
        ("IFELSE c( markersPresent c) i( move i) ELSE e( turnLeft e)", ". . / >1 .", ". . / 1 >", 2),
        ("IFELSE c( markersPresent c) i( move i) ELSE e( turnLeft e)", ". . / > .", ". . / ^ .", 2),
        (f"{R19.format('turnLeft ' * 9)} {'turnLeft ' * 10}", ". . / > .", ". . / ^ .", 200),
    ],
)
def test_runs(body: str, before: str, after: str, ticks: int) -> None:
    program, world = syntax.parse(f"DEF run m( {body} m)"), drawing.read(before)
    trace, took = interpreter.trace(program, world)
    assert (trace.output, took) == (drawing.read(after), ticks)
    reports, grids = machine.run(machine.pack_programs([program]), machine.pack([world]))
    report = reports[0, 0].tolist()
    assert report[:2] == [machine.OK, ticks]
    place = report[machine.PLACE], report[machine.HEADING]
    assert machine.unpack(grids[0, 0], *place, world.rows, world.cols) == trace.output


@pytest.mark.parametrize(
    ("body", "before", "error", "message", "ticks"),
    [
        ("move", ". . / . >", Crash, "the way is blocked at row 0, column 1", 1),
        ("move", ". # / . ^", Crash, "the way is blocked", 1),
        ("turnLeft move", "> . / . .", Crash, "the way is blocked", 2),
        ("pickMarker", ". . / > 1", Crash, "no marker to pick", 1),
        ("putMarker", ". . / >101 .", Crash, "more than 101 markers", 1),
        (
            "WHILE c( frontIsClear c) w( turnLeft turnLeft turnLeft turnLeft w)",
            ". . / > .",
            StepLimit,
            "200 ticks",
            200,
        ),
        (f"{R19.format('turnLeft ' * 9)} {'turnLeft ' * 11}", ". . / > .", StepLimit, "200 ticks", 200),
        ("REPEAT R=19 r( REPEAT R=19 r( turnLeft r) r)", ". . / > .", StepLimit, "200 ticks", 200),
    ],
)
def test_failures(body: str, before: str, error: type[Exception], message: str, ticks: int) -> None:
    program, world = syntax.parse(f"DEF run m( {body} m)"), drawing.read(before)
    with pytest.raises(error, match=message):
        interpreter.run(program, world)
    trace, took = interpreter.trace(program, world)
    assert trace.output is None
    assert isinstance(trace.error, error)
    assert took == ticks
    status = machine.CRASH if error is Crash else machine.STEP_LIMIT
    reports, _ = machine.run(machine.pack_programs([program]), machine.pack([world]))
    assert reports[0, 0, :2].tolist() == [status, ticks]


def test_crash_and_step_limit_are_different_errors() -> None:
    assert not issubclass(Crash, StepLimit)
    assert not issubclass(StepLimit, Crash)


def test_the_limit_is_a_parameter() -> None:
    program, world = (
        syntax.parse("DEF run m( REPEAT R=19 r( REPEAT R=19 r( turnLeft r) r) m)"),
        drawing.read("> . / . ."),
    )
    assert interpreter.trace(program, world, limit=741)[1] == 741
    with pytest.raises(StepLimit, match="more than 740 ticks"):
        interpreter.run(program, world, limit=740)


def test_a_trace_has_each_action_and_the_world_after_it() -> None:
    trace, _ = interpreter.trace(syntax.parse("DEF run m( putMarker move m)"), drawing.read(". . / > ."))
    assert [step.label for step in trace.steps] == ["putMarker", "move"]
    assert [drawing.draw(step.value) for step in trace.steps] == [".  .\n>1 .", ". .\n1 >"]
