"""Karel as a Domain: the methods that the rest of the project calls."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from rich.console import Console

from lasynth.domains.base import Domain
from lasynth.domains.karel import drawing, picture
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.generator import KarelOptions
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import World
from lasynth.task import InputError, Task

from .strategies import programs, worlds

KAREL = Karel()
AS_DOMAIN: Domain[Program, World, KarelOptions] = KAREL
PROGRAM = KAREL.parse_text("DEF run m( putMarker move turnLeft m)")
WORLD = drawing.read("# . 2 / > . .")


@given(programs(most_negations=3))
def test_texts_and_lexemes_round_trip(program: Program) -> None:
    canonical = KAREL.canonical(program)
    assert KAREL.parse_text(KAREL.text(program)) == program == KAREL.parse_text(KAREL.pretty(program))
    assert KAREL.parse(KAREL.unparse(canonical)) == canonical


@given(programs(), worlds())
def test_run_trace_and_run_many_agree(program: Program, world: World) -> None:
    trace = KAREL.trace(program, world)
    assert KAREL.run_many([program], [world]) == [[trace.output]]


@given(worlds())
def test_storage_round_trips(world: World) -> None:
    stored = pa.array([KAREL.to_arrow(world)], KAREL.arrow_type())
    assert KAREL.from_arrow(stored[0].as_py()) == world


def test_a_task_takes_less_than_a_kilobyte_on_disk(tasks: list[Task[Program, World]], tmp_path: Path) -> None:
    table = pa.table(
        {
            "program": [KAREL.text(task.program) for task in tasks],
            "inputs": pa.array([[KAREL.to_arrow(e.input) for e in task.examples] for task in tasks],
                               pa.list_(KAREL.arrow_type())),
            "outputs": pa.array([[KAREL.to_arrow(e.output) for e in task.examples] for task in tasks],
                                pa.list_(KAREL.arrow_type())),
        }
    )  # fmt: skip
    pq.write_table(table, tmp_path / "small.parquet", compression="zstd")
    assert (tmp_path / "small.parquet").stat().st_size < 1000 * len(tasks)


def test_values_are_read_from_pictures_and_json() -> None:
    for text in (drawing.draw(WORLD), "# . 2 / > . .", json.dumps(KAREL.value_json(WORLD))):
        assert KAREL.read_value(text) == WORLD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (". . / . .", "one robot"),
        ('{"rows": 2, "cols": 2, "hero": "0:0:north", "blocked": "0:0"}', "stands on a wall"),
        ('{"rows": 17, "cols": 2, "hero": "0:0:north"}', "2 to 16 rows"),
        ('{"rows": 2, "cols": 2, "hero": "0:0:north", "markers": "0:1:11"}', "11 markers at row 0, column 1"),
        ("> 11 / . .", "11 markers"),
        ("nowhere.json", "the picture of a world has 2 to 16 rows"),
        ("nowhere", "not 1 x 1"),
        ("\0", "not 1 x 1"),
        ("", "not 0 x 0"),
    ],
)
def test_bad_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KAREL.read_value(text)


def test_a_value_is_never_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only commands open files, although this one holds a world."""
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text(drawing.draw(WORLD))
    for text in ("README.md", str(tmp_path / "README.md")):
        with pytest.raises(InputError, match="the picture of a world has 2 to 16 rows and columns"):
            KAREL.read_value(text)


def rendered(program: Program, world: World, *, steps: bool) -> str:
    text = StringIO()
    console = Console(width=100, file=text)
    console.print(KAREL.show(KAREL.trace(program, world), steps=steps))
    return text.getvalue()


def test_worlds_before_and_after_a_run_are_shown_side_by_side() -> None:
    shown = rendered(PROGRAM, WORLD, steps=False)
    assert "before" in shown
    assert "│ > . .    │  │ 1 ^ .   │" in shown
    assert "turnLeft" not in shown


def test_each_action_is_shown() -> None:
    shown = rendered(PROGRAM, WORLD, steps=True)
    assert [action for action in ("1  putMarker", "2  move", "3  turnLeft") if action not in shown] == []


def test_a_failed_run_is_shown_with_its_last_world() -> None:
    shown = rendered(KAREL.parse_text("DEF run m( turnLeft move m)"), WORLD, steps=False)
    assert "when it failed" in shown
    assert "│ ^ . .    │  │" not in shown
    assert "│ ^ . .            │" in shown


def test_behaviours_differ_only_if_programs_act_differently() -> None:
    texts = ["move", "move turnLeft turnRight", "turnLeft", "pickMarker", "REPEAT R=2 r( move r)", "move move"]
    digests = KAREL.behaviours([KAREL.parse_text(f"DEF run m( {text} m)") for text in texts])
    assert [len(digest) for digest in digests] == [8] * 6
    assert digests[0] == digests[1]
    assert digests[4] == digests[5]
    assert len(set(digests)) == 4


def test_random_values_depend_on_seed_and_size() -> None:
    assert KAREL.random_values(Random(1), 5) == KAREL.random_values(Random(1), 5)
    assert {(w.rows, w.cols) for w in KAREL.random_values(Random(1), 5, like=WORLD)} == {(2, 3)}


@given(worlds())
def test_pictures_are_well_formed(world: World) -> None:
    root = ElementTree.fromstring(picture.world_svg(world))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_strip_shows_each_action_and_the_error() -> None:
    svg = KAREL.picture(KAREL.trace(KAREL.parse_text("DEF run m( move move move m)"), WORLD))
    text = [element.text for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert [t for t in text if t and not t.isdigit()] == [
        "start",
        "1. move",
        "2. move",
        "the way is blocked at row 0, column 2",
    ]


def test_the_middle_of_a_long_run_is_left_out() -> None:
    svg = KAREL.picture(KAREL.trace(KAREL.parse_text("DEF run m( REPEAT R=19 r( putMarker putMarker r) m)"), WORLD))
    captions = [e.text or "" for e in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    captions = [caption for caption in captions if not caption.isdigit()]
    assert len(captions) == 24
    assert captions[12] == "… 27. putMarker"
