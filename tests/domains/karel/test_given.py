"""Examples of worlds in all forms: which texts are recognised, what is read, and what messages name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth.domains import get_domain, recognised, suspected
from lasynth.domains.karel import drawing
from lasynth.domains.karel.given import read_given
from lasynth.domains.karel.simplification import simpler_worlds
from lasynth.domains.karel.solving import reachable
from lasynth.domains.karel.world import WALL, World
from lasynth.domains.solvable import solvable
from lasynth.solver.examples import read_task
from lasynth.task import Example, InputError
from tests.domains.karel.strategies import worlds

KAREL = get_domain("karel")
BELOW = """\
// a comment
> . .
. # 2
->
. > .
. # 2

. ^3
. .

=>

. ^4
. .
"""
BESIDE = """\
> . .  ->  . > .
. # 2  ->  . # 2

. ^3 -> . ^4
. .  -> . .
"""
LINES = "> . . / . # 2 -> . > . / . # 2\n. ^3 / . . → . ^4 / . .\n"
FORMS = {"below": BELOW, "beside": BESIDE, "one line each": LINES}
PAIRS = [
    (World.build(2, 3, (1, 0, 1), [(0, 1)], [(0, 2, 2)]), World.build(2, 3, (1, 1, 1), [(0, 1)], [(0, 2, 2)])),
    (World.build(2, 2, (1, 1, 0), [], [(1, 1, 3)]), World.build(2, 2, (1, 1, 0), [], [(1, 1, 4)])),
]
EXAMPLES = [Example(*pair) for pair in PAIRS]


def as_json(pairs: Any, names: tuple[str, str] = ("input", "output")) -> list[dict[str, Any]]:
    return [dict(zip(names, (one.to_json(), other.to_json()), strict=True)) for one, other in pairs]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_pictures_in_all_forms(text: str) -> None:
    assert recognised(text) == "karel"
    assert read_task(text, KAREL, "worlds") == (EXAMPLES, [])


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"examples": as_json(PAIRS)}),
        json.dumps({"examples": as_json(PAIRS)}, indent=2),
        json.dumps(as_json(PAIRS)),
        "\n".join(map(json.dumps, as_json(PAIRS))),
        json.dumps({"examples": as_json(PAIRS, ("inpgrid_json", "outgrid_json"))}),
        json.dumps({"task": {"examples": as_json(PAIRS, ("inpgrid_json", "outgrid_json"))}, "program_json": {}}),
    ],
)
def test_public_grid_objects_in_json(text: str) -> None:
    assert recognised(text) == "karel"
    assert read_task(text, KAREL, "worlds") == (EXAMPLES, [])


def test_the_sixth_example_of_a_record_is_the_check() -> None:
    pairs = [(world := World.build(2, 2 + i, (0, 0, 0)), world) for i in range(6)]
    record = {"guid": "1", "examples": as_json(pairs, ("inpgrid_json", "outgrid_json"))}
    examples, checks = read_task(json.dumps(record), KAREL, "record")
    assert examples == [Example(*pair) for pair in pairs[:5]]
    assert checks == [Example(*pairs[5])]


@given(st.lists(worlds(), min_size=1, max_size=4))
def test_drawn_examples_are_read_back(drawn: list[World]) -> None:
    text = "\n\n".join(f"{drawing.draw(world)}\n->\n{drawing.draw(world)}" for world in drawn)
    assert recognised(text) == "karel"
    assert read_given(text, "worlds").examples == [Example(world, world) for world in drawn]


@pytest.mark.parametrize(
    "text",
    [
        "[3, 1, 2] -> [4, 2, 3]  # > . v",
        "3 -> 4\n5 -> 6\n",
        '{"examples": [{"input": [1], "output": [2]}]}',
        "(1, [2]) -> 3",
        "",
        "no worlds . at all",
    ],
)
def test_other_examples_are_not_taken_for_worlds(text: str) -> None:
    assert recognised(text) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('{"examples": [{"input": {"rows": 2, "co', "karel"),
        ('{"guid": "1", "examples": []}', "karel"),
        ('[{"pregrid": {}, "postgrid": {}}]', "karel"),
        ('{"inputs": {"rows": 2, "cols": 3}, "output": [}', None),
        ('{"examples": [{"input": [1], "output": ', None),
        ("[1, 2] -> [3", None),
    ],
)
def test_a_text_that_nothing_reads_is_suspected_by_its_keys(text: str, language: str | None) -> None:
    assert recognised(text) is None
    assert suspected(text) == language


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[3] / "examples").glob("*.txt")), ids=lambda p: p.name)
def test_the_files_of_examples_are_recognised(path: Path) -> None:
    assert (recognised(path.read_text()) == "karel") == path.name.endswith(".karel.txt")


# --- bad input --------------------------------------------------------------------------------------------------------
GRID = PAIRS[0][0].to_json()
GOOD = ". > . / . . . -> . . > / . . .\n"
IN_WALL = "'>#' is a robot that stands in a wall"


def pair(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Two examples in JSON. The second one is made of these parts of a grid."""
    return json.dumps([*as_json(PAIRS[:1]), {"input": GRID | before, "output": GRID | after}])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        # pictures
        (GOOD + ". > . / . . . -> . . > / . @ .", ["example 2 (line 2), output", "line 2 of the world, cell 2", "'@'"]),
        (GOOD + ". > . / . . . -> . . > / . .", ["example 2", "output", "line 2 of the world has 2 cells"]),
        (GOOD + ". . . / . . . -> . . > / . . .", ["example 2", "input", "one robot", "none"]),
        (GOOD + "> . . / . v . -> . . > / . . .", ["example 2", "input", "2: line 1, cell 1; line 2, cell 2"]),
        (GOOD + ". > 11 / . . . -> . . > / . . .", ["example 2", "11 markers at row 1, column 2"]),
        (GOOD + ". > . / . . . -> . . > / . . 102", ["example 2", "line 2 of the world, cell 3", "102 markers"]),
        (GOOD + ". > . / . . . -> . . > / . # .", ["example 2", "1 is a wall only in the output", "line 2, cell 2"]),
        (GOOD + ". > . / . # . -> . . > / . . .", ["example 2", "0, column 1 is a wall only in the input", "cell 2"]),
        (GOOD + ". ># . / . . . -> . > . / . . .", ["example 2 (line 2), input: line 1 of the world, cell 2", IN_WALL]),
        (GOOD + ". > . / . . . -> . > . / . . #v2",
         ["example 2 (line 2), output: line 2 of the world, cell 3: '#v2' is a robot that stands in a wall"]),
        (GOOD + ". > . / . . . -> . > / . .",
         ["example 2", "2 x 3 cells, the output 2 x 2; row 0, column 2 is only in the input", "(line 2, cell 3 of "]),
        (GOOD + ". > / . . -> . . . / . > . / . . .",
         ["example 2", "2 x 2 cells, the output 3 x 3; row 2, column 0 is only in the output", "(line 1, cell 1 of "]),
        (GOOD + "> # . / . # . -> . # > / . # .", ["example 2", "cannot get to row 1, column 2", "line 1, cell 3"]),
        (GOOD + "> # . / . # . -> > # 2 / . # .", ["example 2", "markers at row 1, column 2 change"]),
        (". > .\n. . .\n", ["line 1", "this world has no output"]),
        ("->\n. > .\n. . .\n", ["line 1", "no world before this arrow"]),
        (". > . -> . . >\n. . .    . . .\n", ["line 2", "one arrow"]),
        (GOOD + ". > . / . . . -> . . > / 1 . .", ["example 2", "the same input has a different output", "example 1"]),
        # JSON
        (pair({}, {"blocked": "0:1 1:2"}), ["example 2", "row 1, column 2 is a wall only in the output"]),
        (pair({}, {"cols": 4}), ["example 2", "2 x 3 cells, the output 2 x 4; row 0, column 3 is only in the output"]),
        (pair({"rows": 3, "cols": 4}, {}), ["3 x 4 cells, the output 2 x 3; row 2, column 0 is only in the input"]),
        (pair({}, {"hero": "0:2:east"}), ["example 2", "the same input has a different output", "example 1"]),
        (pair({"blocked": "0:1 1:1 "}, {"blocked": "0:1 1:1", "hero": "1:2:east"}), ["cannot get to row 1, column 2"]),
        (pair({"hero": "0:1:north"}, {}), ["example 2, input", "robot at row 0, column 1 stands on a wall"]),
        (pair({}, {"hero": "0:1:north"}), ["example 2, output", "robot at row 0, column 1 stands on a wall"]),
        (pair({"hero": "7:1:north"}, {}), ["example 2, input", "robot at row 7, column 1 is outside"]),
        (pair({"markers": "0:2:11"}, {}), ["example 2", "11 markers at row 0, column 2"]),
        (pair({}, {"markers": "0:2:102"}), ["example 2, output", "102 markers at row 0, column 2"]),
        (pair({}, {"markers": "0:1:1"}), ["example 2, output", "row 0, column 1 has a wall and markers"]),
        (pair({}, {"crashed": True}), ["example 2, output", "crashed"]),
        (pair({"hero": 5}, {}), ["example 2, input", '"hero"']),
        (pair({"rows": "two"}, {}), ["example 2, input", '"rows" should be a whole number']),
        (json.dumps([{"input": GRID}]), ["example 1", '"inpgrid_json" and "outgrid_json", each a world with "rows"']),
        (json.dumps([{"input": GRID, "output": {"rows": 2, "cols": 3}}]),
         ["example 1, output", 'needs "rows", "cols" and "hero"; this one has no "hero"']),
        (json.dumps([{"input": [1, 2], "output": [2, 3]}]), ["example 1, input", "a world in JSON is an object with"]),
        ('[{"input": {"hero": "0:0:north"', ["line 1, column 32: this is not JSON: the text is cut off"]),
        ('[{"input": {"rows": 2, "cols": 3, "crash\n', ["line 1, column 41: this is not JSON: the text is cut off"]),
        ('[{"input": {"rows": 2,\n  "crashed": fal\n\n', ["line 2, column 17: this is not JSON: the text is cut off"]),
        ('{"hero": nothing}', ["line 1, column 10: this is not JSON: Expecting value"]),
        ('[{"input": }]', ["line 1, column 12: this is not JSON: Expecting value"]),
        ('{"input": 1, "output": 2}\n\n{"input": ', ["line 3, column 10: this is not JSON: the text is cut off"]),
        # records
        (json.dumps({"program_tokens": [], "inputs": []}), ['no list "examples"', "a record of the public data, with"]),
        (json.dumps({"guid": 1, "examples": [{"pregrid": GRID}]}), ["example 1", '"inpgrid_json"', 'with "rows"']),
        (json.dumps({"guid": 1, "examples": [{"hero": 1}]}), ["example 1", '"inpgrid_json" and "outgrid_json"']),
        (json.dumps({"guid": 1, "task": None, "hero": 1}), ['no list "examples"']),
        (json.dumps({"program_json": {}, "examples": []}), ["has no example"]),
        ((json.dumps({"examples": as_json(PAIRS)}) + "\n") * 3, ["3 records", "takes one"]),
    ],
)  # fmt: skip
def test_messages_name_the_example_and_the_cell(text: str, parts: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        read_task(text, KAREL, "worlds.txt")
    for part in ["worlds.txt", *parts]:
        assert part in str(raised.value)
    assert "picture" not in str(raised.value) or text[0] not in "[{", "JSON has no picture"


def test_rows_and_columns_are_those_of_the_grid_and_lines_and_cells_those_of_the_picture() -> None:
    """The same worlds, drawn and in JSON."""
    before, after = PAIRS[0][0], World.build(2, 3, (1, 0, 1), [(0, 1), (1, 2)], [(0, 2, 2)])
    drawn = f"{drawing.draw(before)}\n->\n{drawing.draw(after)}"
    messages = []
    for text in (drawn, json.dumps(as_json([(before, after)]))):
        with pytest.raises(InputError) as raised:
            read_task(text, KAREL, "worlds")
        messages.append(str(raised.value).split("\n")[1])
    assert messages[1] == "row 1, column 2 is a wall only in the output: a program cannot change that"
    assert messages[0] == f"{messages[1]} (line 1, cell 3 of the picture)"


@given(worlds(10))
def test_only_what_the_robot_can_reach_may_change(world: World) -> None:
    reached = reachable(world)
    for index in range(0, len(world.cells), 1 + len(world.cells) // 9):
        if world.cells[index] == WALL:
            assert index not in reached
            continue
        row, col = divmod(index, world.cols)
        moved = World(world.rows, world.cols, row, col, world.direction, world.cells)
        if index in reached:
            solvable(KAREL).check_example(Example(world, moved), Example(world, moved))
            assert reachable(moved) == reached
        else:
            with pytest.raises(InputError, match=f"row {row}, column {col}"):
                solvable(KAREL).check_example(Example(world, moved), Example(world, moved))


@given(worlds())
def test_simpler_worlds_are_smaller_or_emptier(world: World) -> None:
    for simpler in simpler_worlds(world):
        assert len(json.dumps(simpler.to_json())) <= len(json.dumps(world.to_json()))
        assert (simpler.rows * simpler.cols, sum(simpler.cells)) < (world.rows * world.cols, sum(world.cells))
