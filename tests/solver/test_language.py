"""The language is chosen from the examples: what fits, which answer is taken, and that one time limit is shared."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lasynth import solve
from lasynth.cli import main
from lasynth.domains import get_domain
from lasynth.solver.examples import check_examples, read_examples
from lasynth.solver.language import better, read_in
from lasynth.task import Example, InputError
from tests.timing import keeps_within

SORT = ["[3,1,2] -> [1,2,3]", "[9,4] -> [4,9]", "[] -> []"]
TAKE = [
    '{"inputs": {"k": 2, "b": [5, 6, 7]}, "output": [5, 6]}',
    '{"inputs": {"k": 1, "b": [9, 4, 3]}, "output": [9]}',
    '{"inputs": {"b": [9, 4, 2, 1], "k": 3}, "output": [9, 4, 2]}',
]
POSITIVE = ["[3,-1,4] -> [3,0,4]", "[0,2,-4] -> [0,2,0]", "[-1,-2,3] -> [0,0,3]"]


def words(examples: list[str]) -> list[str]:
    return [word for example in examples for word in ("--example", example)]


def reading(pairs: list[tuple[Any, Any]]) -> list[str]:
    readings = read_in(None, lambda domain: check_examples(domain, [Example(*pair) for pair in pairs]))
    return list(readings.by_language)


@pytest.mark.parametrize(
    ("pairs", "languages"),
    [
        ([([1, 2], [2, 1]), ([3, 4], [4, 3])], ["c", "lists"]),
        ([([1, 2], [2, 1]), ([3], [3])], ["lists"]),
        ([([1, 2], [2]), ([3, 4], [4])], ["lists"]),
        ([([1, 2], 3)], ["lists"]),
        ([((1, [2]), [2])], ["lists"]),
        ([((1, 2), 3)], ["lists"]),
        ([({"k": 1, "x": [2, 5]}, [2])], ["lists"]),
        ([((1, 2), (2, 1))], ["c"]),
        ([((1, 2), [2, 1])], ["c"]),
        ([([], [])], ["lists"]),
    ],
)
def test_the_examples_say_which_languages_fit(pairs: list[Any], languages: list[str]) -> None:
    assert reading(pairs) == languages


def test_worlds_are_karel() -> None:
    karel = get_domain("karel")
    (world,) = karel.random_values(Random(0), 1)
    assert reading([(world, world)]) == ["karel"]


@pytest.mark.parametrize("pairs", [[([1.5], [1])], [("text", 1)], [([1], [2]), ([1], [3])]])
def test_examples_that_fit_no_language(pairs: list[Any]) -> None:
    with pytest.raises(InputError, match="example"):
        reading(pairs)


def test_a_sort_is_right_for_every_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *words(SORT)]) == 0
    out, err = capsys.readouterr()
    lists = get_domain("lists")
    program = lists.parse_text(out)
    rng = Random(1)
    for length in range(12):
        value = [rng.randint(-50, 50) for _ in range(length)]
        assert lists.run(program, value) == sorted(value)
    assert "in lists" in err


def test_an_answer_for_any_length_is_taken_if_both_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *words(POSITIVE), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["language"] == "lists"
    assert any("any length" in note for note in result["notes"])
    solution = solve([(e.input, e.output) for e in read_examples("\n".join(POSITIVE), get_domain("c"), "")])
    assert solution.best is not None
    assert solution.best([5, -5, 0, -1, 7, 8]) == [5, 0, 0, 0, 7, 8]


def test_restricted_c_is_taken_where_lists_have_no_answer() -> None:
    """The third element changes where the second is 3: no program of `lists` that is found says so."""
    inputs = [[1, 3, 5, 2], [7, 3, 1, 0], [4, 2, 6, 1], [3, 0, 3, 3], [5, 3, 9, 8], [8, 1, 2, 5], [0, 4, 7, 3]]
    pairs = [(x, [x[0] - 4, x[1], x[2] if x[1] != 3 else x[2] + x[3] - 7, x[3]]) for x in inputs]
    solution = solve(pairs, strategy="symbolic", timeout=2)
    assert solution.language == "c"
    assert solution.best is not None
    assert solution.best([1, 3, 2, 1]) == [-3, 3, -4, 1]


def test_the_language_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("c", "lists"):
        assert main(["solve", *words(POSITIVE), "--language", language, "--json", "--strategy", "symbolic"]) == 0
        assert json.loads(capsys.readouterr().out)["language"] == language
    assert main(["solve", *words(SORT), "--language", "c"]) == 2
    assert "the list is empty" in capsys.readouterr().err
    assert main(["solve", *words(SORT), "--language", "basic"]) == 2
    assert "basic" in capsys.readouterr().err


def test_the_surer_answer_is_taken_if_they_disagree() -> None:
    pairs = [([1, 2], [2, 3]), ([4, 0], [5, 1])]
    fixed, free = (solve(pairs, language=name, strategy="symbolic", timeout=20) for name in ("c", "lists"))
    other = solve([([1, 2], [2, 1])], language="lists", strategy="symbolic", timeout=20)
    examples = [Example(*pair) for pair in pairs]
    sure, unsure = (_with_confidence(fixed, p) for p in (0.9, 0.1))
    assert better(sure, _with_confidence(free, 0.1), examples).language == "lists", "they agree"
    assert better(sure, _with_confidence(other, 0.5), examples).language == "c"
    assert better(unsure, _with_confidence(other, 0.5), examples).language == "lists"
    assert better(replace(fixed, programs=()), free, examples).language == "lists"
    assert better(fixed, replace(free, programs=()), examples).language == "c"


def _with_confidence(solution: Any, confidence: float) -> Any:
    first, *others = solution.programs
    return replace(solution, programs=(replace(first, confidence=confidence), *others))


def test_both_languages_share_the_time() -> None:
    rng = Random(3)
    noise = [([rng.randint(0, 99) for _ in range(6)], [rng.randint(0, 99) for _ in range(6)]) for _ in range(6)]
    solve([([1, 2], [2, 3])], timeout=20)  # load compiled code

    def work() -> None:
        solution = solve(noise, timeout=1)
        assert not solution.solved
        assert solution.partial is None or solution.satisfied

    assert keeps_within(1.1, work)


def test_known_answers_keep_the_language() -> None:
    pairs = [([1, 2], [2, 1]), ([3, 4], [4, 3])]
    first = solve(pairs, language="c", strategy="symbolic")
    again = solve([*pairs, ([7, 0], [0, 7])], strategy="symbolic", known=first.behaviours)
    assert again.language == "c"
    assert again.solved


# --- every option in the language of lists ----------------------------------------------------------------------------
def test_named_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("\n".join(TAKE), f"[{', '.join(TAKE)}]", f'{{"examples": [{", ".join(TAKE)}]}}'):
        (tmp_path / "take.json").write_text(text)
        assert main(["solve", str(tmp_path / "take.json")]) == 0
        assert "int func_1(int k, const int b[], int n, int out[])" in capsys.readouterr().out
    (tmp_path / "take.json").write_text('{"inputs": [3, 5], "output": 8}\n{"inputs": [2, 2], "output": 4}')
    assert main(["solve", str(tmp_path / "take.json")]) == 0
    assert "int func_1(int k, int l)" in capsys.readouterr().out
    (tmp_path / "take.json").write_text('{"inputs": {"k": 3}, "input": 3, "output": 8}')
    assert main(["solve", str(tmp_path / "take.json")]) == 2
    assert "either" in capsys.readouterr().err


def test_traces(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *words(["[3,1] -> 4", "[2,2,5] -> 9", "[] -> 0"]), "--trace"]) == 0
    out = capsys.readouterr().out
    assert "example 3" in out
    assert "sum(a)" in out


def test_several_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *words(["[3,1,2] -> 6", "[9,4] -> 13"]), "--top", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.count("int func_1(") == 3
    assert "answer 3:" in err


@pytest.mark.parametrize("command", ["run", "reduce"])
@pytest.mark.parametrize("emit", [True, False])
def test_answers_run_and_are_reduced(
    command: str, emit: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", *words(SORT), *(["--emit", "c"] if emit else [])]) == 0
    file = tmp_path / "sort.c"
    file.write_text(capsys.readouterr().out)
    assert main([command, str(file), "--input", "[5,4,9,1]"]) == 0
    assert ("[1, 4, 5, 9]" if command == "run" else "=> sort(a)") in capsys.readouterr().out


def test_programs_with_several_inputs_are_reduced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.lists"
    file.write_text("(k: int, a: list) => take(reverse(reverse(a)), k)")
    assert main(["reduce", str(file)]) == 0
    assert "(k: int, a: list) => take(a, k)" in capsys.readouterr().out
    assert main(["run", str(file), "--input", "2, [5, 6, 7]", "--trace"]) == 0
    assert "output: [5, 6]" in capsys.readouterr().out


def test_wrong_c_is_explained_in_its_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.c"
    file.write_text("/* (a: list) => sort(a */\nint func_1(void) { return 0; }\n")
    assert main(["run", str(file), "--input", "[1]"]) == 2
    assert "sort(a" in capsys.readouterr().err


def test_partial_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    noise = ["[1,2] -> 3", "[7] -> 7", "[4,4,4] -> 12", "[5,1] -> -981", "[8,2] -> 77777", "[1,1,1] -> 3"]
    assert main(["solve", *words(noise), "--timeout", "1", "--partial"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("// this program fails ")
    assert "no program satisfies all examples" in err
    (tmp_path / "partial.c").write_text(out)
    assert main(["run", str(tmp_path / "partial.c"), "--input", "[1, 2]"]) == 0


def test_asking(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The user wants the sum of two numbers and types it whenever there is a question."""
    asked: list[str] = []

    def reply(self: Any = None) -> str:
        lines = capsys.readouterr().err.splitlines()
        value = json.loads(next(line for line in reversed(lines) if "the output for" in line).split(" for ")[1][:-1])
        asked.append(value)
        return f"{sum(value)}\n"

    monkeypatch.setattr("sys.stdin", type("Typed", (), {"readline": partial(reply), "isatty": lambda: False})())
    assert main(["solve", *words(["3, 4 -> 7", "2, 2 -> 4"]), "--ask", "--timeout", "1"]) == 0
    out, err = capsys.readouterr()
    assert "settled" in err
    assert get_domain("lists").run(get_domain("lists").parse_text(out), (40, 2)) == 42
    assert asked
