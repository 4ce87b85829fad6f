"""Command lines from signatures: which words are understood, the help, and messages about words that are not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from lasynth.cli import COMMANDS, main
from lasynth.commands.parser import arg, call
from lasynth.task import InputError


@dataclass(frozen=True)
class Settings:
    steps: int = 3
    """How many; 100% of them."""
    fast: bool = True
    """Be quick."""
    pair: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if self.steps < 0:
            raise InputError("steps must not be negative")


def parsed(*words: str) -> dict[str, Any]:
    """What the words give for each parameter of an example of a command."""
    result: dict[str, Any] = {}

    def example(
        file: Annotated[Path, arg(metavar="FILE", help="A file.")],
        other: Annotated[Path | None, arg(metavar="OTHER", help="Another.")] = None,
        /,
        *,
        out: Annotated[Path, arg(help="A folder.")],
        values: Annotated[tuple[str, ...], arg(name="value", metavar="V", help="Repeat it.")] = (),
        share: Annotated[float, arg(help="A share.")] = 0.5,
        kind: Annotated[Literal["one", "two"] | None, arg(help="Which.")] = None,
        json: Annotated[bool, arg(help="As JSON.")] = False,
        settings: Settings,
    ) -> int:
        """An example."""
        result.update(file=file, other=other, out=out, values=values, share=share, kind=kind, json=json)
        result.update(steps=settings.steps, fast=settings.fast, pair=settings.pair)
        return 7

    assert call(example, "example", words) == 7
    return result


LEFT_OUT = {"other": None, "values": (), "share": 0.5, "kind": None, "json": False}
DEFAULTS = {**LEFT_OUT, "steps": 3, "fast": True, "pair": None}


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("x --out y", {}),
        ("--out=y x", {}),
        ("x --out y z", {"other": Path("z")}),
        ("x z --out y --json", {"other": Path("z"), "json": True}),
        ("--json x --out y -- z", {"other": Path("z"), "json": True}),
        ("x --out y --value a --value=b --share -1.5", {"values": ("a", "b"), "share": -1.5}),
        ("x --out y --value -1 --kind two", {"values": ("-1",), "kind": "two"}),
        ("x --out y --steps 9 --no-fast --pair 1 2", {"steps": 9, "fast": False, "pair": (1, 2)}),
        ("x --out y --no-fast --fast", {}),
    ],
)
def test_words_that_are_understood(words: str, given: dict[str, Any]) -> None:
    assert parsed(*words.split()) == {**DEFAULTS, "file": Path("x"), "out": Path("y"), **given}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("x", "required: --out"),
        ("--out y", "required: FILE"),
        ("x --out y z w", "unrecognized arguments: w ("),
        ("x --out y --jsn", "unrecognized arguments: --jsn; did you mean --json? ("),
        ("x --out y --js", "unrecognized arguments: --js"),
        ("x --out y --no-json", "unrecognized arguments: --no-json"),
        ("x --out y --share", "--share: expected one argument"),
        ("x --out y --steps 1.5", "--steps: takes a whole number, not `1.5`"),
        ("x --out y --share big", "--share: takes a number, not `big`"),
        ("x --out y --kind three", "--kind: there is no `three`; there are one, two"),
        ("x --out y --pair 1", "--pair: expected 2 arguments"),
        ("x --out y --steps -1", "steps must not be negative"),
    ],
)
def test_words_that_are_not_understood(words: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parsed(*words.split())
    assert message in str(raised.value)


def test_a_message_does_not_repeat_pages_of_what_was_typed() -> None:
    with pytest.raises(InputError) as raised:
        parsed("x", "z", "--out", "y", "w" * 100_000)
    assert len(str(raised.value)) < 500


def test_the_help_says_what_is_required_and_what_is_usual(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        parsed("--help")
    assert stop.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "usage: lasynth example FILE [OTHER] --out PATH [options]" in said
    assert "--out PATH A folder. (required)" in said
    assert "--share X A share. (default: 0.5)" in said
    assert "--steps N How many; 100% of them. (default: 3)" in said
    assert "--fast, --no-fast Be quick. (default: --fast)" in said
    assert "None" not in said


LINES = [[], *([name] for name in COMMANDS), *(["generate", language] for language in ("c", "karel", "lists"))]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_every_help_is_plain_text_of_readable_width(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    try:
        code: Any = main([*words, "--help"])
    except SystemExit as stop:  # the parser's own help ends the process
        code = stop.code
    assert code == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"usage: {' '.join(['lasynth', *words])} ")
    assert err == ""
    assert not re.search(r"[\x00-\x09\x0b-\x1f]|None|tyro", out)
    assert words == [] or max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a command: there are solve, run,"),
        (["slove"], "there is no command `slove`; did you mean solve?"),
        (["fly"], "there is no command `fly`; there are solve, run,"),
        (["--json", "solve"], "give the command first"),
        (["generate"], "give a language: there are c, karel, lists"),
        (["generate", "cobol"], "there is no language `cobol`"),
    ],
)
def test_commands_and_languages_that_are_missing(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err
