"""`lasynth solve` in restricted C: standard output and error, exit codes, messages, emitted files that gcc compiles."""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from lasynth.cli import main as run_command
from lasynth.commands.terminal import print_code
from lasynth.domains import get_domain
from lasynth.solver import solve
from lasynth.solver.examples import read_examples
from tests.timing import PATIENCE

ROOT = Path(__file__).parents[1]
LOOP = "[3,1,4] -> [4,2,5]\n[0,7,7] -> [1,8,8]\n[9,-2,5] -> [10,-1,6]\n"
BRANCH = """\
[0,5,6] -> [0,6,5]
[2,5,6] -> [2,5,6]
[-1,4,3] -> [-1,4,3]
[0,1,9] -> [0,9,1]
[0,-2,-2147483648] -> [0,-2147483648,-2]
"""
NOISE = "\n".join(f"[{i},{i * i % 7}] -> [{i * i * i % 11},{(i * 5) % 3}]" for i in range(9))


def main(words: list[str]) -> int:
    """Run a command; `solve` in restricted C."""
    return run_command([*words, "--language", "c"] if words[0] == "solve" else words)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "examples.txt"
    path.write_text(LOOP)
    return path


def test_code_goes_to_standard_output_other_text_to_standard_error(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", str(file)]) == 0
    out, err = capsys.readouterr()
    c = get_domain("c")
    assert c.run(c.parse_text(out), [1, 2, 3]) == [2, 3, 4]
    for words in ("confidence ", "checked on 3 examples", "symbolic", " s,", "candidates executed"):
        assert words in err


def test_standard_input_and_examples_in_arguments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(LOOP))
    assert main(["solve", "-"]) == 0
    piped = capsys.readouterr().out
    words = [word for line in LOOP.splitlines() for word in ("--example", line)]
    assert main(["solve", *words]) == 0
    assert capsys.readouterr().out == piped


def test_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(file), "--json", "--top", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["solved"] is True
    assert result["reason"] is None
    assert {"seconds", "candidates"} <= result.keys()
    names = {"code", "found", "source", "confidence", "log_prob", "length", "tokens"}
    assert set(result["programs"][0]) == names
    solution = solve([(e.input, e.output) for e in read_examples(LOOP, get_domain("c"), "LOOP")], language="c", top=3)
    assert result["programs"] == solution.json()["programs"]
    assert all(hasattr(solution, name) for name in result), "JSON has no field that Python has not"
    assert all(hasattr(solution.best, name) for name in names)


def test_nothing_found_is_exit_1_and_a_partial_answer_only_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "noise.txt"
    path.write_text(NOISE)
    assert main(["solve", str(path), "--timeout", "2"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "no program satisfies all examples" in err
    assert "--partial" in err
    assert main(["solve", str(path), "--timeout", "2", "--partial"]) == 1
    out, err = capsys.readouterr()
    comment, _, code = out.partition("\n")
    stated = re.fullmatch(r"// this program fails (\d) of 9 examples", comment)
    assert stated is not None
    c = get_domain("c")
    given = read_examples(NOISE, c, "NOISE")
    assert int(stated[1]) == sum(c.run(c.parse_text(code), e.input) != e.output for e in given) > 0
    assert main(["solve", str(path), "--json", "--timeout", "2"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["solved"] is False
    assert result["programs"] == []
    assert result["partial"]["satisfied"] > 0
    assert result["reason"]


def test_traces(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(file)]) == 0
    code = capsys.readouterr().out
    assert main(["solve", str(file), "--trace"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(code)
    assert "example 3" in out
    assert "[10, -1, 6]" in out


def test_a_narrow_terminal_shows_all_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    code = "int * func_1(int a[])\n{\n    a[0] = a[1] + a[2] + a[3] + a[4];\n    return a;\n}\n"
    terminal = Terminal()
    for name, value in (("COLUMNS", "20"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", terminal)
    print_code(get_domain("c"), code)
    assert "\x1b[" in terminal.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()) == code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["solve"], "either a file"),
        (["solve", "/nowhere/x.txt"], "No such file"),
        (["solve", "--example", "[1,2] -> [1]"], "[1,2] -> [1]"),
        (["solve", "--example", "[1] -> [1]", "--timeout", "-1"], "timeout"),
        (["solve", "--example", "[1] -> [1]", "--top", "0"], "top"),
        (["solve", "--example", "[1] -> [1]", "--weights", "/nowhere"], "/nowhere"),
        (["solve", "--example", "[1] -> [1]", "--ask", "--json"], "--ask"),
        (["solve", "--example", "[1] -> [1]", "--ask", "--top", "0"], "top"),
        (["solve", "--example", "[1] -> [1]", "--emit", "c", "--json"], "either --json or --emit"),
        (["solve", "--example", "[1] -> [1]", "--json", "--trace"], "--trace"),
        (["solve", "--example", "[1] -> [1]", "--emit", "c", "--trace"], "--trace"),
        (["solve", "--example", "[1] -> [1]", "--emit", "c", "--top", "3"], "--top"),
        (["solve", "--example", "[1] -> [1]", "--emit", "c", "--partial"], "--partial"),
        (["solve", "--example", "[1] -> [1]", "--json", "--partial"], "--partial"),
        (["solve", "--example", "[1] -> [1]", "--min-confidence", "1.5"], "--min-confidence must be 0 to 1"),
        (["solve", "--example", "[1] -> [1]", "--min-confidence", "nan"], "--min-confidence must be 0 to 1"),
        (["solve", "--example", "[1] -> [1]", "[2] -> [2]"], "once for each example"),
        (["solve", "--example", "[1] -> [1]", "-"], "- is standard input"),
        (["solve", "/dev/null"], "/dev/null has no example"),
    ],
)
def test_bad_input_is_exit_2_and_a_message(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


def test_encodings(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"[1] -> \xff")
    assert main(["solve", str(tmp_path / "x")]) == 2
    assert "x is not text" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[1] -> \xff"), encoding="utf-8"))
    assert main(["solve", "-"]) == 2
    assert "standard input is not text" in capsys.readouterr().err
    for text in (
        b"\xef\xbb\xbf[1] -> [1]",
        "[1] -> [1]\r\n".encode("utf-16"),
        b"\xfe\xff" + "[1] -> [1]".encode("utf-16-be"),
    ):
        (tmp_path / "x").write_bytes(text)
        assert main(["solve", str(tmp_path / "x")]) == 0
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))
        assert main(["solve", "-"]) == 0
    (tmp_path / "x").write_bytes(b"\xff\xfe[")
    assert main(["solve", str(tmp_path / "x")]) == 2


def test_interrupted_by_the_user() -> None:
    words = ["solve", "--ask", "--example", "[3,-2] -> [3,0]", "--example", "[-1,4] -> [0,4]"]
    command = [sys.executable, "-m", "lasynth.cli", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "What should it be?" in line:
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said


def test_interrupted_in_compiled_code(tmp_path: Path) -> None:
    """Long random lists keep the compiled code busy. The message is the same whenever the interruption comes."""
    rng = Random(3)
    lines = [
        f"{[rng.randint(-99, 99) for _ in range(60)]} -> {[rng.randint(-99, 99) for _ in range(60)]}" for _ in range(12)
    ]
    (tmp_path / "noise.txt").write_text("\n".join(lines))
    code = "import sys; from lasynth.cli import main; print(flush=True); sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "solve", str(tmp_path / "noise.txt"), "--timeout", "60"]
    pipes = subprocess.PIPE
    processes = [subprocess.Popen(command, stdout=pipes, stderr=pipes, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()  # Python itself has started
    time.sleep(2.5)  # enough to be searching; on a slow machine the interruption comes while loading
    for process in processes:
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    for process in processes:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, said
        assert said == "lasynth: interrupted; nothing was left behind\n"


def test_interrupted_while_it_is_loading(tmp_path: Path) -> None:
    """A fake argparse, which every command imports, raises the interruption."""
    (tmp_path / "argparse.py").write_text("raise KeyboardInterrupt")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", "import sys; from lasynth.cli import main; sys.exit(main(sys.argv[1:]))"]
    for words in ([], ["solve", "--example", "[1] -> [1]"]):
        ended = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 130
        assert ended.stderr == "lasynth: interrupted; nothing was left behind\n"


def test_none_is_not_an_allowed_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--example", "[1] -> [1]", "--emit", "None"]) == 2
    assert main(["solve", "--example", "[1] -> [1]", "--weights", "None"]) == 2
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["solve", "--help"])
    assert "None" not in capsys.readouterr().out


def test_the_demonstration_shows_a_loop_and_a_branch(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "demo.py"))
    loop, branch = capsys.readouterr().out.split("# a branch:")
    assert "for (" in loop
    assert "if (" in branch


def test_no_file_is_emitted_without_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "noise.txt"
    path.write_text(NOISE)
    assert main(["solve", str(path), "--emit", "c", "--timeout", "1"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "int * func_1" not in err
    assert re.search(r"the best satisfies \d of 9 examples", err)


def test_python_examples_in_the_documentation() -> None:
    failures, attempts = doctest.testfile(str(Path(__file__).parents[1] / "docs" / "solve.md"), module_relative=False)
    assert attempts == 4
    assert failures == 0


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("text", [LOOP, BRANCH])
def test_emitted_files_compile_without_warnings_and_pass(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, source, binary = tmp_path / "e.txt", tmp_path / "e.c", tmp_path / "e"
    path.write_text(text)
    assert main(["solve", str(path), "--emit", "c"]) == 0
    out, err = capsys.readouterr()
    assert "found by" in err
    source.write_text(out)
    made = subprocess.run(
        ["gcc", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", source, "-o", binary],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "examples passed" in subprocess.run([binary], capture_output=True, text=True, check=True).stdout


def answered(
    lines: str, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    assert main(["solve", "--ask", *words]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        (lambda x: [max(0, value) for value in x], ["[3,-2] -> [3,0]", "[-1,4] -> [0,4]"]),
        (sorted, ["[3,1] -> [1,3]", "[1,4] -> [1,4]"]),
    ],
)
def test_truthful_replies_lead_to_the_wanted_program(
    wanted: Callable[[list[int]], list[int]],
    given: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plain formula fits the examples of sorting, and is the first answer. Questions find the branch."""

    class Person(io.StringIO):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            asked = capsys.readouterr().err.split("the output for ")[1].split(":")[0]
            return json.dumps(wanted(json.loads(asked))) + "\n"

    monkeypatch.setattr(sys, "stdin", Person())
    assert main(["solve", "--ask", *(word for line in given for word in ("--example", line))]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"settled among \d+ behaviours that were found", err)
    assert "other programs fit" not in err
    c = get_domain("c")
    lists = [[a, b] for a in range(-6, 7) for b in range(-6, 7)]
    assert c.run_many([c.parse_text(out)], lists) == [[wanted(x) for x in lists]]


@pytest.mark.parametrize(
    ("wanted", "given", "language", "most"),
    [
        (sorted, ["[3,1] -> [1,3]", "[1,4] -> [1,4]"], "c", 8),
        (sorted, ["[3,1,2] -> [1,2,3]", "[9,4] -> [4,9]"], "lists", 4),
        (lambda x: [max(0, value) for value in x], ["[3,-2] -> [3,0]", "[-1,4] -> [0,4]"], "c", 4),
        (lambda x: [min(9, max(0, v)) for v in x], ["[3,-2,12] -> [3,0,9]", "[-1,4,5] -> [0,4,5]"], "c", 8),
        (lambda x: [x[1], x[0], *x[2:]], ["[3,1,2] -> [1,3,2]"], "c", 5),
        (lambda x: [x[0], x[1], -x[2] if x[0] == 0 else x[2]], ["[0,1,2] -> [0,1,-2]", "[3,1,1] -> [3,1,1]"], "c", 8),
    ],
)
def test_a_truthful_person_needs_few_questions(
    wanted: Callable[[list[int]], list[int]],
    given: list[str],
    language: str,
    most: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The person takes the answer as soon as only far longer programs are left beside it."""
    questions = []

    class Person(io.StringIO):
        def readline(self, size: int = -1) -> str:  # type: ignore[override]
            said = capsys.readouterr().err
            if "Press Enter to take the answer" in said:
                return "\n"
            questions.append(json.loads(said.split("the output for ")[1].split(":")[0]))
            return json.dumps(wanted(questions[-1])) + "\n"

    monkeypatch.setattr(sys, "stdin", Person())
    words = [word for line in given for word in ("--example", line)]
    assert run_command(["solve", "--ask", "--language", language, *words]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"settled among \d+ behaviours that were found", err)
    assert len(questions) <= most
    domain, rng, size = get_domain(language), Random(1), len(json.loads(given[0].split("->")[0]))
    lists = [[rng.randint(-15, 15) for _ in range(size)] for _ in range(300)]
    assert domain.run_many([domain.parse_text(out)], lists) == [[wanted(x) for x in lists]]


def test_an_answer_that_is_not_certain_says_what_is_open(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "--example", "[3,1] -> [1,3]", "--example", "[1,4] -> [1,4]"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    line = re.search(r"other programs fit too.*: for (.*) this one gives (.*), the next (.*) \(--ask to settle\)", err)
    assert line is not None
    value, mine, other = (json.loads(part) for part in line.groups())
    assert get_domain("c").run(get_domain("c").parse_text(out), value) == mine != other
    assert main([*words, "--min-confidence", "0.99"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"what is the output for {json.dumps(value)}?" in err
    assert main([*words, "--min-confidence", "0.99", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["difference"] == {"input": value, "first": mine, "second": other}
    assert result["programs"][0]["confidence"] < 0.99


def test_a_program_that_memorises_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = Random(3)
    lines = [
        f"{[rng.randint(-99, 99) for _ in range(20)]} -> {[rng.randint(-99, 99) for _ in range(20)]}" for _ in "123"
    ]
    path = tmp_path / "random.txt"
    path.write_text("\n".join(lines))
    assert main(["solve", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(r"only memorises the examples: it has \d+ tokens for \d+ values", err)
    assert main(["solve", str(path), "--partial"]) == 1
    assert capsys.readouterr().out.startswith("// this program fails 0 of 3 examples, but only memorises them\nint *")


def test_an_empty_reply_stops_and_a_bad_reply_is_asked_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--example", "[3,-2] -> [3,0]", "--example", "[-1,4] -> [0,4]"]
    out, err = answered("\n", words, capsys, monkeypatch)
    assert out.startswith("int *")
    out, err = answered("nonsense\n[1]\n1\n\n", words, capsys, monkeypatch)
    assert "not a list" in err
    assert "elements" in err
    assert len(re.findall(r"; choose 1-\d, or type a list", err)) == 2


def test_a_reply_without_a_program_is_ignored_and_asked_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model cannot write 99."""
    words = ["--strategy", "neural", "--timeout", "2", "--example", "[2,-1,2,-4,4] -> [2,-1,2,4,2]"]
    out, err = answered("[99,99,99,99,99]\n\n", words, capsys, monkeypatch)
    first, again = (part.split(":")[0] for part in err.split("the output for ")[1:])
    assert first == again
    assert "no program was found for this" in err
    assert "checked on 1 example;" in err
    c = get_domain("c")
    assert c.run(c.parse_text(out), [2, -1, 2, -4, 4]) == [2, -1, 2, 4, 2]


def test_questions_work_with_emit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--example", "[3,-2] -> [3,0]", "--example", "[-1,4] -> [0,4]", "--emit", "c"]
    out, err = answered("1\n\n", words, capsys, monkeypatch)
    assert out.startswith("#include")
    assert "EXAMPLES = 3" in out
    assert "What should it be?" in err


def test_questions_stay_within_the_range_of_the_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--strategy", "neural", "--timeout", "2", "--example", "[2,-1,2,-4,4] -> [2,-1,2,4,2]"]
    out, err = answered("1\n1\n1\n", words, capsys, monkeypatch)
    assert out.startswith("int *")
    assert "What should it be?" in err
    assert "no program was found" not in err
