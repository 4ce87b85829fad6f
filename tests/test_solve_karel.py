"""`lasynth solve` for worlds: the forms of input, what is printed, questions with pictures, records, bad input."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from lasynth.cli import main
from lasynth.commands.pictures import drawn
from lasynth.domains import get_domain
from lasynth.domains.karel import drawing
from lasynth.domains.karel.generator import KarelOptions
from lasynth.domains.karel.picture import examples_svg
from lasynth.domains.karel.world import World
from lasynth.solver import PRETRAINED, solve
from lasynth.solver.examples import read_task
from lasynth.solver.solution import Solution
from lasynth.task import Example, InputError

ROOT = Path(__file__).parents[1]
KAREL = get_domain("karel")
FILES = sorted((ROOT / "examples").glob("*.karel.txt"))
WALK = ROOT / "examples" / "to_the_wall.karel.txt"


def right(code: str, file: Path) -> bool:
    program = KAREL.parse_text(code)
    examples, _ = read_task(file.read_text(), KAREL, "examples")
    return all(KAREL.run(program, e.input) == e.output for e in examples)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_the_files_of_examples_are_solved(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(file), "--strategy", "symbolic"]) == 0
    out, err = capsys.readouterr()
    assert right(out, file)
    assert "checked on" in err
    assert "symbolic" in err


def test_there_are_three_or_four_files() -> None:
    assert 3 <= len(FILES) <= 4


def test_what_is_open_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "--strategy", "symbolic", "--example", "> . . / . . . -> . . > / . . ."]
    assert main(words) == 0
    _, err = capsys.readouterr()
    assert "other programs fit too" in err
    assert '"hero"' not in err
    captions, *lines = err.split("(--ask to settle)\n\n")[1].split("\n")
    assert captions.split("  ")[1].strip() == "for this world"
    assert re.search(r"[\^>v<]", lines[0] + lines[1])


def test_json_trace_and_top(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", str(WALK), "--strategy", "symbolic"]
    assert main([*words, "--json", "--top", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["language"] == "karel"
    assert 1 <= len(result["programs"]) <= 3
    assert all(right(program["code"], WALK) for program in result["programs"])
    assert {"input", "first", "second"} == set(result["difference"])
    assert main([*words, "--trace"]) == 0
    out = capsys.readouterr().out
    assert "example 4" in out
    assert "putMarker" in out.split("example 4")[1]


def test_a_partial_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No program can tell the two worlds apart: they look the same to the robot."""
    file = tmp_path / "noise.txt"
    file.write_text("> . . / . . . -> . > . / . . .\n> . . . / . . . . / . . . . -> . . . . / . . . . / . . . <\n")
    assert main(["solve", str(file), "--strategy", "symbolic", "--timeout", "0.5"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "no program satisfies all examples" in err
    assert main(["solve", str(file), "--strategy", "symbolic", "--timeout", "0.5", "--partial"]) == 1
    out, _ = capsys.readouterr()
    assert re.match(r"# this program fails 1 of 2 examples\n", out)
    assert KAREL.parse_text(out)


def test_a_picture_of_all_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "worlds.svg"
    assert main(["solve", str(WALK), "--strategy", "symbolic", "--picture", str(file)]) == 0
    text = file.read_text()
    ElementTree.fromstring(text)
    assert [f"example {n}<" in text for n in range(1, 6)] == [True] * 4 + [False]
    arrows = text.count('fill="#2f6fb0"')
    assert arrows == 8, "a robot in each world"


def test_wide_pictures_have_several_rows() -> None:
    world = World.build(3, 16, (0, 0, 0))
    one, ten = (examples_svg([Example(world, world)] * count) for count in (1, 10))
    sizes = [[int(n) for n in re.findall(r'(?:width|height)="(\d+)"', text)[:2]] for text in (one, ten)]
    assert sizes[1][0] < 1600
    assert sizes[1][1] > 3 * sizes[0][1]


# --- records ----------------------------------------------------------------------------------------------------------
def record(check_is_right: bool) -> str:
    """A record with six worlds for `putMarker move`, as the public data has them."""
    program = KAREL.parse(["putMarker", "move"])
    worlds = [World.build(2, 3 + i, (0, i % 2, 1), [(1, 0)]) for i in range(6)]
    outputs = [KAREL.run(program, world) for world in worlds]
    if not check_is_right:
        outputs[5] = worlds[5]
    examples = [
        {"inpgrid_json": one.to_json(), "outgrid_json": other.to_json(), "actions": ["putMarker", "move"]}
        for one, other in zip(worlds, outputs, strict=True)
    ]
    return json.dumps({"guid": "x", "program_tokens": "DEF run m( putMarker move m)".split(), "examples": examples})


@pytest.mark.parametrize(
    ("check_is_right", "verdict"), [(True, "passes the check (1 of 1"), (False, "fails the check")]
)
def test_the_sixth_example_of_a_record_checks_the_answer(
    check_is_right: bool, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "record.json"
    file.write_text(record(check_is_right))
    assert main(["solve", str(file), "--strategy", "symbolic"]) == 0
    out, err = capsys.readouterr()
    assert KAREL.parse_text(out) == KAREL.parse(["putMarker", "move"])
    assert "checked on 5 examples" in err
    assert verdict in err
    assert main(["solve", str(file), "--strategy", "symbolic", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["check"] == {"examples": 1, "passed": int(check_is_right)}


def test_the_public_record_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    file = ROOT.parent / "shared" / "data" / "karel" / "msr_train_first_record_pavelshapka.jsonl"
    if not file.exists():
        pytest.skip("the folder of independent Karel cases is not beside this repository")
    examples, checks = read_task(file.read_text(), KAREL, file.name)
    assert (len(examples), len(checks)) == (5, 1)
    code = main(["solve", str(file), "--strategy", "symbolic", "--timeout", "2"])
    err = capsys.readouterr().err
    assert "the check" in err if code == 0 else "no program" in err


# --- questions --------------------------------------------------------------------------------------------------------
class Person(io.StringIO):
    """Someone who wants the robot to walk to the wall, and answers in a given way."""

    wanted = KAREL.parse(["WHILE", "frontIsClear", "move", "w)"])

    def __init__(self, capsys: pytest.CaptureFixture[str], way: str, folder: Path) -> None:
        super().__init__()
        self.capsys, self.way, self.folder = capsys, way, folder
        self.asked = 0

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        question = self.capsys.readouterr().err.split("for this world:\n")[1]
        picture, _, options = question.lstrip("\n").partition("\n\n")
        output = drawing.draw(KAREL.run(self.wanted, drawing.read(picture)))
        self.asked += 1
        if self.way == "number":
            return self._number(options, output)
        if self.way == "picture":
            return output.replace("\n", " / ") + "\n"
        (self.folder / "output.txt").write_text(output)
        return f"{self.folder / 'output.txt'}\n"

    def _number(self, options: str, output: str) -> str:
        """The number of the output that is drawn like the wanted one."""
        lines = options.split("What should")[0].split("\n")
        for match in re.finditer(r"(\d): \d+ programs?", lines[0]):
            cells = [line[match.start() :][: max(map(len, output.split("\n")))].rstrip() for line in lines[1:]]
            if "\n".join(cells).strip() == output.strip():
                return f"{match[1]}\n"
        raise AssertionError(options)


@pytest.mark.parametrize("way", ["number", "picture", "file"])
def test_questions_are_worlds_and_lead_to_the_wanted_program(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(capsys, way, tmp_path)
    monkeypatch.setattr(sys, "stdin", person)
    monkeypatch.setenv("COLUMNS", "1000")
    words = ["solve", "--ask", "--strategy", "symbolic", "--example", "> . . / . . . -> . . > / . . ."]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert person.asked >= 1
    assert "settled among" in err
    worlds = KAREL.random_values(Random(5), 60)
    assert KAREL.run_many([KAREL.parse_text(out)], worlds) == KAREL.run_many([Person.wanted], worlds)


def test_pictures_stand_side_by_side_as_far_as_the_terminal_is_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [World.build(2, 4, (0, 0, 1))] * 3
    heights = []
    for columns in ("20", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        text = drawn(KAREL, ["one", "two", "three"], [*worlds[:2], None])  # type: ignore[arg-type]
        assert max(map(len, text.split("\n"))) <= max(int(columns), 24)
        heights.append(text.count("\n"))
    assert heights[0] > heights[1] == 2


# --- time and bad input -----------------------------------------------------------------------------------------------
def test_both_interpreters_and_the_time_limit() -> None:
    """Hard tasks end in time; every answer fits by the machine and by the readable interpreter."""
    tasks, _ = KAREL.sample_tasks(Random(8), 8, KarelOptions())
    pairs = [[(e.input, e.output) for e in task.examples[:5]] for task in tasks]
    solve(pairs[0], language="karel", strategy="symbolic", timeout=0.1)
    late = []
    for given in pairs:
        begin = time.process_time()
        solution = solve(given, language="karel", strategy="symbolic", timeout=0.5)
        late.append(time.process_time() - begin > 0.55)
        assert fits(solution, given)
    assert sum(late) <= 1


def fits(solution: Solution, given: list[tuple[World, World]]) -> bool:
    programs = [answer.program for answer in solution.programs]
    by_machine = KAREL.run_many(programs, [world for world, _ in given])
    wanted = [output for _, output in given]
    return all(outputs == wanted for outputs in by_machine) and all(
        [KAREL.run(program, world) for world, _ in given] == wanted for program in programs
    )


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["--example", "> . / . . -> > . / . #"], ["example 1", "row 0, column 1", "only in the output"]),
        (["--example", "> . / . . -> > . . / . . ."], ["example 1", "2 x 2 cells, the output 2 x 3"]),
        (["--example", "> 11 / . . -> > 11 / . ."], ["example 1", "11 markers at row 1, column 1"]),
        (["--example", '{"input": {"hero": }}'], ["--example", "line 1", "not JSON"]),
        ([str(WALK), "--picture", "worlds.png"], ["must end in .svg", "worlds.png"]),
        ([str(WALK), "--emit", "c"], ["--emit", "karel"]),
        (["--example", "[1] -> [2]", "--picture", "x.svg"], ["--picture", "`c`"]),
        ([str(WALK), "--language", "logo"], ["logo", "karel"]),
        (["--language", "karel", "--example", "[1] -> [2]"], ["--example"]),
        ([str(WALK), "--weights", str(PRETRAINED / "c"), "--strategy", "neural"], ["model of `c`", "`karel`"]),
    ],
)  # fmt: skip
def test_bad_input_is_exit_2_and_a_message(
    words: list[str], messages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", *words]) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    for message in messages:
        assert message in err


NOT_TEXT = "x.json is not text\n"
CUT = "x.json, line 1, column 46: this is not JSON: the text is cut off\n"
NEEDS = (
    'x.json, example 1: an example needs "input" and "output" or "inpgrid_json" and "outgrid_json", each a world with '
    '"rows", "cols" and "hero"\n'
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(range(256)), NOT_TEXT),
        (bytes(range(128)), NOT_TEXT),
        (b'[{"input": {"hero": "\x00"}}]', NOT_TEXT),
        (b'{"examples": [{"input": {"rows": 2, "cols": 3,', CUT.replace("46", "47")),
        (b'{"examples": [{"input": {"rows": 2, "cols": 3\n', CUT),
        (b'{"guid": "1", "examples": [{"before": {"rows": 2}, "after": {"rows": 2}}]}', NEEDS),
        (b'{"guid": "1", "examples": [{"inpgrid": "0:0", "outgrid": "0:1"}]}', NEEDS),
    ],
)  # fmt: skip
@pytest.mark.parametrize("options", [[], ["--language", "karel"]], ids=["auto", "karel"])
def test_bad_files_have_one_message_with_and_without_the_language(
    content: bytes,
    message: str,
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_bytes(content)
    assert main(["solve", "x.json", *options]) == 2
    assert capsys.readouterr() == ("", f"lasynth: {message}")


def test_inputs_of_functions_may_have_names_of_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    """Such names only say whose message is shown if nothing can read the examples."""
    lines = [f'{{"inputs": {{"rows": {n}, "cols": {n + 3}}}, "output": {n * (n + 3)}}}' for n in range(4)]
    assert main(["solve", "--strategy", "symbolic", *(word for line in lines for word in ("--example", line))]) == 0
    assert "in lists" in capsys.readouterr().err


SMALL = World.build(2, 2, (0, 0, 1))
WALLED = World.build(2, 2, (0, 0, 1), [(1, 1)])
GRID = SMALL.to_json()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (SMALL, WALLED, "example 2\nrow 1, column 1 is a wall only in the output: a program cannot change that"),
        (GRID, WALLED.to_json(),
         "example 2\nrow 1, column 1 is a wall only in the output: a program cannot change that"),
        (SMALL, World.build(2, 3, (0, 0, 1)), "example 2\nthe input has 2 x 2 cells, the output 2 x 3; "
         "row 0, column 2 is only in the output: a program cannot change that"),
        (SMALL, World.build(2, 2, (0, 1, 1)), "example 2\nthe same input has a different output in\nexample 1"),
        (GRID | {"markers": "1:1:11"}, GRID,
         "example 2\n11 markers at row 1, column 1; an input has at most 10 in a cell"),
        (GRID | {"blocked": "0:0"}, GRID, "example 2, input: the robot at row 0, column 0 stands on a wall"),
        (GRID, GRID | {"hero": "5:1:east"}, "example 2, output: the robot at row 5, column 1 is outside the world"),
        (GRID, {"rows": 2, "cols": 2},
         'example 2, output: a world in JSON needs "rows", "cols" and "hero"; this one has no "hero"'),
        (5, GRID, "example 2, input: a world in JSON is an object with rows, cols, hero, blocked, markers"),
    ],
)  # fmt: skip
def test_messages_of_the_python_call_name_example_and_cell_only(before: object, after: object, message: str) -> None:
    with pytest.raises(InputError) as raised:
        solve([(SMALL, SMALL), (before, after)], language="karel")
    assert str(raised.value) == message
