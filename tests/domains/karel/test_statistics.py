"""The statistics count correctly, in the classes of the public figures."""

from __future__ import annotations

from collections import Counter

import pytest

from lasynth.domains.karel import drawing, interpreter, nodes, statistics, syntax
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import World
from lasynth.task import Example, Task


def task_of(text: str, *pictures: str) -> Task[Program, World]:
    program = syntax.parse(text)
    worlds = [drawing.read(picture) for picture in pictures]
    examples = tuple(Example(world, interpreter.run(program, world)) for world in worlds)
    return Task(program, examples, nodes.category(program), syntax.length(program), "native")


def test_lines_of_one_task() -> None:
    text = "DEF run m( move REPEAT R=3 r( IF c( not c( frontIsClear c) c) i( turnLeft i) putMarker r) m)"
    lines = statistics.statistics([task_of(text, "# . . / > . .", "> . . / . 7 .")])
    found = {name: dict(+line) for name, line in lines.items() if +line}
    assert found == {
        "length": {"17-24": 1},
        "nesting": {"2": 1},
        "control statements": {"2": 1},
        "category": {"Mixture": 1},
        "statements outside blocks": {"move": 1, "REPEAT": 1},
        "statements at depth 1": {"IF": 1, "putMarker": 1},
        "repeat count": {"3": 1},
        "block length, REPEAT": {"2": 1},
        "block length, IF": {"1": 1},
        "not before an IsClear test": {"with": 1},
        "actions in an example": {"2-5": 2},
        "actions on all examples": {"same": 1},
        "actions on all examples, with control flow": {"same": 1},
        "world rows": {"2": 2},
        "world columns": {"3": 2},
        "walls in a world": {"some": 1, "none": 1},
        "markers in a world": {"none": 1, "some": 1},
        "markers in a cell with some": {"6-": 1},
        "wall density": {"0.05 to 0.2": 1, "none": 1},
        "marker density": {"none": 1, "over 0.14": 1},
    }


def test_different_actions_are_counted() -> None:
    lines = statistics.statistics(
        [task_of("DEF run m( WHILE c( frontIsClear c) w( move w) m)", "> . / . .", ". > / . .")]
    )
    assert +lines["actions on all examples"] == Counter(different=1)


def test_published_shares_add_up_to_one() -> None:
    for line in statistics.published().values():
        assert sum(line.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("value", "expected"), [(6, "6-7"), (7, "6-7"), (8, "8-10"), (52, "34-52"), (53, "53-"), (65, "53-")]
)
def test_classes_of_lengths(value: int, expected: str) -> None:
    assert statistics._class(value, statistics.LENGTHS, 6) == expected
