"""The command line: outputs, exit codes, and error messages instead of tracebacks."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasynth
from lasynth.cli import main
from lasynth.commands.dialogue import ask
from lasynth.commands.terminal import print_code
from lasynth.domains import get_domain
from lasynth.solver.asking import Question
from lasynth.task import Example, OutOfMemory

ROOT = Path(__file__).parents[1]
SHIFT = ROOT / "examples" / "shift.c"
WALK = ROOT / "examples" / "walk.karel"
LOOPING = "int * f(int a[]) { int i = 0; for (i = 0; i >= 0; i++) a[0] = i; return a; }"


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Run a command in this process: exit code, standard output, standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:  # raised by the argument parser
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return code, captured.out, captured.err

    return run


def test_run_prints_the_output_list(call) -> None:  # type: ignore[no-untyped-def]
    assert call("run", SHIFT, "--input", "[1,2,3,4,0]") == (0, "[2, 3, 4, 0, 0]\n", "")
    code, out, _ = call("run", SHIFT, "--input", "[1,2,3,4,0]", "--input", "[4, 3, 2, 1, 0]")
    assert (code, out) == (0, "[2, 3, 4, 0, 0]\n[3, 2, 1, 0, 0]\n")


def test_inputs_as_people_type_them(call) -> None:  # type: ignore[no-untyped-def]
    for value in ("[1 2 3 4 0]", "[1, 2, 3, 4, 0,]", "[1.0,2,3,4,0]", "[1. 2. 3. 4. 0.]"):
        assert call("run", SHIFT, "--input", value) == (0, "[2, 3, 4, 0, 0]\n", "")


def test_run_and_reduce_read_what_emit_writes(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pairs = [([1, -5, 3], [3, 0, 1]), ([0, 7, 9], [9, 7, 0]), ([-2, -1, 4], [4, 0, 0])]
    words = [word for value, wanted in pairs for word in ("--example", f"{value} => {wanted}")]
    words += ["--language", "c", "--strategy", "symbolic"]
    answer = call("solve", *words)[1]
    code, source, _ = call("solve", *words, "--emit", "c")
    assert code == 0
    assert answer in source
    assert source != answer
    (tmp_path / "answer.c").write_text(answer)
    (tmp_path / "file.c").write_text(source)
    inputs = [word for value, _ in pairs for word in ("--input", json.dumps(value))]
    assert call("run", tmp_path / "file.c", *inputs) == (0, "".join(f"{wanted}\n" for _, wanted in pairs), "")
    assert call("reduce", tmp_path / "file.c", *inputs) == call("reduce", tmp_path / "answer.c", *inputs)
    line = source[: source.index("return a;")].count("\n") + 1
    (tmp_path / "file.c").write_text(source.replace("return a;", "return b;", 1))
    code, _, err = call("run", tmp_path / "file.c", *inputs)
    assert (code, f"line {line}, column 12: expected `a`" in err) == (2, True)


@pytest.mark.parametrize("reply", ["[1 2]", "[1, 2,]", "[1.0, 2.0]", "[1, 2],"])
def test_replies_as_people_type_them(reply: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{reply}\n"))
    assert ask(get_domain("c"), Question([3, 4], (([3, 4], (0,)), ([4, 3], (1,))))) == Example([3, 4], [1, 2])


def test_version(call) -> None:  # type: ignore[no-untyped-def]
    assert call("--version") == (0, f"lasynth {lasynth.__version__}\n", "")
    assert "--version" in call("--help")[1]


MEMORY_TEXT = "there is not enough memory for this"


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes"), OutOfMemory(MEMORY_TEXT)],
)
def test_too_little_memory(call, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    def fail(words: list[str]) -> int:
        raise error

    monkeypatch.setattr("lasynth.commands.run.main", fail)
    assert call("run", SHIFT) == (1, "", f"lasynth: {MEMORY_TEXT}\n")


def test_devices_without_an_end_are_not_read_to_the_end(call) -> None:  # type: ignore[no-untyped-def]
    code, _, err = call("solve", "/dev/zero")
    assert (code, "more than" in err) == (2, True)


def test_names_that_are_not_text(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "\udcff.c").write_text(SHIFT.read_text())
    assert call("run", tmp_path / "\udcff.c", "--input", "[1,2,3,4,0]")[0] == 0
    code, _, err = call("generate", "karel", "--out", tmp_path / "\udcff", "--train", 1, "--processes", 1)
    assert (code, "is not text" in err) == (2, True)


def test_run_json(call) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = call("run", SHIFT, "--input", "[1,2,3,4,0]", "--json")
    assert (code, json.loads(out)) == (0, [2, 3, 4, 0, 0])
    code, out, _ = call("run", SHIFT, "--input", "[1,2,3,4,0]", "--json", "--trace")
    assert json.loads(out)["output"] == [2, 3, 4, 0, 0]
    assert json.loads(out)["trace"][0] == {"label": "int p_0 = 4;", "value": [1, 2, 3, 4, 0], "variables": {"p_0": 4}}
    code, out, _ = call("run", SHIFT, "--input", "[1]", "--json")
    assert (code, json.loads(out)["error"]) == (1, "OutOfBounds")


def test_run_trace_is_a_table(call) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = call("run", SHIFT, "--input", "[1,2,3,4,0]", "--trace")
    assert code == 0
    assert re.search(r"a\[p_0\] = a\[l_1\];\s+│ \[2, 2, 3, 4, 0\]", out)
    assert out.rstrip().endswith("output: [2, 3, 4, 0, 0]")


def test_run_karel(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    world = '{"rows": 2, "cols": 4, "crashed": false, "hero": "0:0:east", "blocked": "", "markers": "0:1:1"}'
    code, out, _ = call("run", WALK, "--input", world, "--json")
    grid = json.loads(out)
    assert code == 0
    assert (grid["hero"], grid["markers"]) == ("0:3:east", "0:0:1 0:2:1")
    code, out, _ = call("run", WALK, "--input", "> 1 . # / . . . .", "--picture", tmp_path / "run.svg")
    assert code == 0
    assert "#" in out
    assert (tmp_path / "run.svg").read_text().startswith("<svg")


def test_a_world_may_be_in_a_file(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    picture = "> 1 . #\n. . . .\n"
    world = '{"rows": 2, "cols": 4, "hero": "1:0:east", "blocked": "1:3", "markers": "1:1:1"}'
    monkeypatch.chdir(tmp_path)
    Path("world.txt").write_text(picture)
    Path("world of Karel.json").write_text(world)
    wanted = call("run", WALK, "--input", picture, "--json")
    assert wanted[0] == 0
    assert call("run", WALK, "--input", "world.txt", "--json") == wanted
    assert call("run", WALK, "--input", tmp_path / "world of Karel.json", "--json") == wanted
    reduced = call("reduce", WALK, "--input", picture, "--random", 0)
    assert reduced[0] == 0
    assert call("reduce", WALK, "--input", "world.txt", "--random", 0) == reduced


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "nowhere.txt", "nowhere.txt: no such file"),
        (b"", "nowhere", "nowhere: no such file"),
        (b"", ".", ".: no such file"),
        (b". .\n. .", "world.txt", "world.txt: a world has one robot"),
        (b"{}", "world.txt", 'world.txt: a world in JSON needs "rows"'),
        (b"\xff\x00", "world.txt", "world.txt is not text"),
        (b"", "x" * 500, "x" * 500 + ": "),
    ],
)
def test_bad_files_of_worlds_are_named(  # type: ignore[no-untyped-def]
    call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, name: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world.txt").write_bytes(content)
    for command in ("run", "reduce"):
        code, out, err = call(command, WALK, "--input", name)
        assert (code, out) == (2, "")
        assert message in err


def test_lists_are_not_read_from_files(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    Path("list.txt").write_text("[1,2,3,4,0]")
    code, _, err = call("run", SHIFT, "--input", "list.txt")
    assert code == 2
    assert "list.txt" in err
    assert "no such file" not in err


def test_reduce(call) -> None:  # type: ignore[no-untyped-def]
    code, out, err = call("reduce", SHIFT)
    assert code == 0
    assert out.startswith("int * func_1(int a[])\n{\n")
    before, after = map(int, re.match(r"(\d+) -> (\d+) lexemes", err).groups())  # type: ignore[union-attr]
    assert after < before
    assert call("reduce", WALK, "--random", 50)[0] == 0


CLAMP = "int * f(int a[]) { if (a[0] > 100) a[0] = 100; a[1] = 5; a[1] = a[0]; return a; }"


@pytest.mark.parametrize("arguments", [(), ("--input", "[1,2,3]"), ("--random", 5000)])
def test_reduce_keeps_what_random_numbers_do_not_show(call, tmp_path: Path, arguments: tuple[object, ...]) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "clamp.c").write_text(CLAMP)
    code, out, err = call("reduce", tmp_path / "clamp.c", *arguments)
    assert code == 0
    assert "a[0] > 100" in out
    assert "= 5" not in out
    compared = re.search(r"same outcomes on ([\d,]+) inputs", err)
    assert compared is not None
    assert int(compared[1].replace(",", "")) > (5000 if "--random" in arguments else 100)
    assert "equality is proved" in err


def test_reduce_on_given_inputs_alone(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "clamp.c").write_text(CLAMP)
    code, out, err = call("reduce", tmp_path / "clamp.c", "--input", "[1,2,3]", "--random", 0)
    assert (code, "a[0] > 100" in out) == (0, False)
    assert "same outcomes on 1 inputs" in err


def test_reduce_says_that_it_cannot_reach_all_code(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "far.c").write_text("int * f(int a[]) { a[5000] = 1; a[0] = 2; a[0] = 3; return a; }")
    code, out, err = call("reduce", tmp_path / "far.c")
    assert (code, "a[0] = 2" in out) == (0, True)
    assert "nothing was cut: no input was found that reaches all of the code" in err


def test_reduce_takes_no_more_random_inputs_than_it_can(call) -> None:  # type: ignore[no-untyped-def]
    code, out, err = call("reduce", SHIFT, "--random", 100_000_000_000)
    assert (code, out) == (2, "")
    assert "--random is at most 1,000,000" in err


def test_a_reduced_program_can_be_reduced_again(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "once.c").write_text(call("reduce", SHIFT)[1])
    assert call("reduce", tmp_path / "once.c")[1] == (tmp_path / "once.c").read_text()


def test_generate_stats_and_overwrite(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / "data"
    arguments = ("generate", "c", "--out", out, "--train", 60, "--test", 10, "--processes", 1, "--reduce")
    code, text, _ = call(*arguments)
    assert code == 0
    assert "60 tasks" in text
    code, _, err = call(*arguments)
    assert (code, "is not empty; --overwrite replaces a data set" in err) == (2, True)
    assert call(*arguments, "--overwrite")[0] == 0
    figures = tmp_path / "figures.json"
    code, text, _ = call("stats", out, out, "--json", figures)
    assert code == 0
    assert "total variation distance 0.000" in text
    assert "…" not in text  # names of data sets are long, and differ at their ends
    assert json.loads(figures.read_text())["lines"]["category"]["distance"] == 0
    assert call("stats", out, "--limit", 2**64)[0] == 0


def test_import(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from tests.domains.restricted_c.test_authors import write

    source = tmp_path / "files"
    source.mkdir()
    write(source, 1)
    code, out, _ = call("import", "c", source, "--out", tmp_path / "data", "--split", "test")
    assert code == 0
    assert "test.parquet: 1 tasks" in out
    write(source, 2, results="1")
    code, _, err = call("import", "c", source, "--out", tmp_path / "other")
    assert (code, "code_2.c" in err) == (2, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the text ends here"),
        ("int x;", "expected `*`"),
        ("int * f(int a[]) { while (1) {} return a; }", "`while` loops are not supported"),
        ("(" * 10_000_000, "10,000,000 bytes"),
        ("int * f(int a[]) {" + "if (a[0]) {" * 10_000, "nested deeper"),
        (b"\x7fELF\x00\xff\xfe\x80", "is not text"),
    ],
)
def test_bad_programs(call, tmp_path: Path, content: str | bytes, message: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "bad.c"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for command in (("run", file, "--input", "[1,2]"), ("reduce", file)):
        code, out, err = call(*command)
        assert (code, out) == (2, "")
        assert message in err


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("[1,2", "not a list of integers such as [1, 2, 3]: the closing bracket is missing"),
        ("hello", "not a list of integers"),
        ("[1, x]", "not a list of integers such as [1, 2, 3]: `x` is not an integer"),
        ("[1.5]", "not a list of integers such as [1, 2, 3]: 1.5 is not an integer"),
        ("[true]", "not a list of integers"),
        ("[[1]]", "not a list of integers such as [1, 2, 3]: a list cannot be"),
        ("{}", "not a list of integers"),
        ("[]", "the list is empty"),
        (f"[{'9' * 5000}]", "not a list of integers"),
        ("[4294967296]", "does not fit into 32 bits"),
        ("[" * 100_000, "not a list of integers"),
        ("[" + "1," * 20_000 + "1]", "at most 10,000"),
    ],
)
def test_bad_lists(call, value: str, message: str) -> None:  # type: ignore[no-untyped-def]
    code, _, err = call("run", SHIFT, "--input", value)
    assert code == 2
    assert message in err


def test_lists_of_different_lengths(call) -> None:  # type: ignore[no-untyped-def]
    assert call("run", SHIFT, "--input", "[1,2,3,4,5]", "--input", "[1,2,3,4,5,6]")[0] == 0
    code, _, err = call("reduce", SHIFT, "--input", "[1,2,3,4,5]", "--input", "[1,2,3,4,5,6]")
    assert (code, "differ in length" in err) == (2, True)


def test_a_program_that_never_ends(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "loop.c").write_text(LOOPING)
    code, _, err = call("run", tmp_path / "loop.c", "--input", "[1,2]")
    assert (code, "StepLimit" in err) == (1, True)
    assert call("reduce", tmp_path / "loop.c")[0] == 0
    code, out, _ = call("run", tmp_path / "loop.c", "--input", "[1,2]", "--trace")
    assert (code, "steps left out" in out) == (1, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("DEF run m( fly m)", "fly"),
        ("DEF run m( move", "m)"),
        ("DEF run m( REPEAT R=3 r( r) m)", ""),
        ("DEF run m( " + "REPEAT R=2 r( " * 10_000, ""),
        ("def run():\n  move\n    move\n", ""),
        ("", ""),
    ],
)
def test_bad_karel_programs(call, tmp_path: Path, content: str, message: str) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "bad.karel"
    file.write_text(content)
    code, _, err = call("run", file, "--input", "> . / . .")
    assert code == 2
    assert message in err
    assert err.startswith("lasynth: ")


@pytest.mark.parametrize(
    "world",
    [
        ". . / . .",
        '{"rows": 2, "cols": 2, "crashed": false, "hero": "0:0:east", "blocked": "0:0", "markers": ""}',
        '{"rows": 17, "cols": 2, "crashed": false, "hero": "0:0:east", "blocked": "", "markers": ""}',
        '{"rows": 2, "cols": 2, "crashed": false, "hero": "0:0:east", "blocked": "", "markers": "0:1:11"}',
        '{"rows": 2, "cols"',
        f'{{"rows": {"9" * 5000}}}',
        f"> {'9' * 5000} / . .",
        "no/such/file.json",
        "",
    ],
    ids=[
        "no hero",
        "hero on a wall",
        "17 rows",
        "11 markers",
        "cut",
        "long number",
        "many markers",
        "no file",
        "empty",
    ],
)
def test_bad_worlds(call, world: str) -> None:  # type: ignore[no-untyped-def]
    code, _, err = call("run", WALK, "--input", world)
    assert code == 2
    assert err.startswith("lasynth: ")


def test_an_incomplete_public_file(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "train.json").write_text('{"guid": "1", "program_tokens": ["DEF", "run"')
    code, _, err = call("import", "karel", tmp_path / "train.json", "--out", tmp_path / "out")
    assert code == 2
    assert "train.json" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("language", ["c", "karel", "lists"])
@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_data_sets_too_large_to_exist_are_refused(call, language: str, split: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = call("generate", language, "--out", tmp_path / "o", f"--{split}", "9" * 30)
    assert code == 2
    assert f"{split} must be 0 to 1" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "option", ["--examples", "--max-operations", "--max-length", "--smallest-value", "--largest-value"]
)
def test_options_of_lists_have_limits(call, option: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for number in ("9" * 30, "-" + "9" * 30):
        code, _, err = call("generate", "lists", "--out", tmp_path / "o", "--train", "3", option, number)
        assert code == 2
        assert f"{option[2:]} must be" in err


def test_bad_arguments_get_a_message(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "folder.c"
    folder.mkdir()
    for words, message in (
        (("run", folder, "--input", "[1]"), "directory"),
        (("run", tmp_path / "none.c", "--input", "[1]"), "No such file"),
        (("run", tmp_path / "x.py", "--input", "[1]"), "ending"),
        (("run", SHIFT), "at least one --input"),
        (("run", SHIFT, "--input", "[1,2,3,4,5]", "--picture", tmp_path / "x.svg"), "--picture does not support"),
        (("reduce", SHIFT, "--random", "0"), "--random"),
        (("run", WALK, "--input", "none", "--picture", tmp_path / "x.png"), "must end in .svg, not `x.png`"),
        (("stats", tmp_path), "not a data set"),
        (("import", "cobol", tmp_path, "--out", tmp_path / "o"), "no language"),
        (("import", "c", tmp_path / "none", "--out", tmp_path / "o"), "no such file"),
        (("generate", "c", "--out", tmp_path / "o"), "nothing to make"),
        (("generate", "c", "--out", tmp_path / "o", "--train", "-1"), "train must be 0 to 1,000,000,000"),
        (("generate", "c", "--out", tmp_path / "o", "--train", "1", "--processes", "0"), "number of processes"),
        (("generate", "c", "--out", tmp_path / "o", "--train", "1", "--loop-share", "3"), "loop-share"),
        (("generate", "c", "--out", tmp_path / "o", "--train", "1", "--list-length", "1"), "different lists"),
        (
            ("generate", "c", "--out", tmp_path / "o", "--train", "1", "--loop-share", "nan"),
            "loop-share must be 0 to 1",
        ),
        (
            ("generate", "c", "--out", tmp_path / "o", "--train", "1", "--smallest-value", "5", "--largest-value", "4"),
            "smallest-value (5) must be below largest-value (4)",
        ),
        (("generate", "c", "--out", tmp_path / "o", "--train", "1", "--smallest-value", "-1001"), "be -1000 to 1000"),
        (("generate", "c", "--out", SHIFT, "--train", "1"), "not a folder"),
        (("generate", "c", "--out", SHIFT / "below", "--train", "1"), "cannot be written"),
        (("generate", "c", "--out", "/proc/nowhere", "--train", "1"), "cannot be written"),
    ):
        code, _, err = call(*words)
        assert (code, message in " ".join(err.split())) == (2, True), (words, err)


def test_nothing_to_import(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "train.json").write_text("\n")
    code, _, err = call("import", "karel", tmp_path / "train.json", "--out", tmp_path / "out")
    assert (code, "train.json has no tasks with examples" in err) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ({"domain": "c"}, "it has no column program, inputs, outputs"),
        ({"domain": "cobol"}, "card.json names the language `cobol`; known languages: c, karel"),
        ({"domain": ["c"]}, "card.json does not name a language"),
        ({"domain": None}, "card.json does not name a language"),
        ({"domain": "c", "options": 3}, "`options` must be an object"),
    ],
)
def test_foreign_data(call, card: object, message: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "card.json").write_text(json.dumps(card))
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "train.parquet")
    code, _, err = call("stats", tmp_path)
    assert (code, message in err) == (2, True), err
    for words in (
        ("evaluate", tmp_path / "train.parquet", "--model", "ClosedForm", "--processes", 1),
        ("train", tmp_path, "--out", tmp_path / "run", "--steps", 1, "--processes", 1),
    ):
        assert call(*words)[0] == 2
    assert not (tmp_path / "run").exists()


def test_data_sets_of_two_languages_are_not_compared(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("c", "karel"):
        assert call("generate", name, "--out", tmp_path / name, "--train", 5, "--processes", 1)[0] == 0
    code, _, err = call("stats", tmp_path / "c", tmp_path / "karel")
    assert (code, "only data sets of the same language can be compared" in err) == (2, True)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed_code(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", terminal := Terminal())
        print_code(get_domain("c"), SHIFT.read_text())
    return terminal.getvalue()


def test_colours_are_the_terminals_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    codes = {
        int(code) for codes in re.findall(r"\x1b\[([\d;]+)m", printed_code(monkeypatch)) for code in codes.split(";")
    }
    assert {35, 36} <= codes
    assert not codes & {37, 38, 48, 97}, "white, or a colour that the terminal does not choose"


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = printed_code(monkeypatch)
    assert not re.search(r"\x1b\[[\d;]*[34]\d", text)
    assert re.sub(r"\x1b\[[\d;]*m", "", text) == SHIFT.read_text()


def test_a_source_that_is_not_installed(call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = call("generate", "c", "--out", tmp_path / "o", "--train", 5, "--source", "csmith", "--processes", 1)
    assert (code, "csmith" in err) == (2, True)
    assert not (tmp_path / "o").exists()


def test_more_variables_than_fit(call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    lines = "".join(f"int v{i} = {i}; " for i in range(40)) + "".join(f"v{i}++; " for i in range(40))
    (tmp_path / "many.c").write_text(f"int * f(int a[]) {{ {lines} return a; }}")
    assert call("run", tmp_path / "many.c", "--input", "[1]")[0] == 0
    code, _, err = call("reduce", tmp_path / "many.c")
    assert (code, "a program may use p_0 to p_30 and l_1 to l_31" in err) == (2, True)


@pytest.mark.parametrize(
    "words", [["fly"], ["run"], ["generate"], ["generate", "c"], ["generate", "c", "--train", "x"]]
)
def test_bad_arguments(call, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert call(*words)[0] == 2


@pytest.mark.parametrize(
    "words",
    [[], ["run"], ["reduce"], ["generate"], ["generate", "karel"], ["stats"], ["import"], ["train"], ["evaluate"]],
)
def test_help(call, words: list[str]) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = call(*words, "--help")
    assert code == 0
    assert "usage: lasynth" in out


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m lasynth.cli run {SHIFT} --input [1,2,3,4,0] --trace | head -1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr
