"""The examples in the README run as shown."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from lasynth.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_python_in_the_readme() -> None:
    failures, attempts = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert attempts >= 4
    assert failures == 0


def test_the_readme_names_every_command() -> None:
    table = "\n".join(line for line in README.splitlines() if line.startswith("| `lasynth"))
    assert [name for name in COMMANDS if not re.search(rf"`(lasynth )?{name}\b", table)] == []


def test_commands_in_the_readme(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `$ lasynth ...` prints exactly what is shown, and every `$ cat FILE` shows the file."""
    monkeypatch.chdir(ROOT)
    shown = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    parts = re.split(r"^\$ (.*)\n", shown[1], flags=re.MULTILINE)[1:]
    commands = [shlex.split(command) for command in parts[::2]]
    assert [command[0] for command in commands] == ["lasynth", "lasynth"]
    for (program, *arguments), output in zip(commands, parts[1::2], strict=True):
        if program == "cat":
            assert output == "".join(Path(file).read_text() for file in arguments)
        else:
            assert main(arguments) == 0
            assert capsys.readouterr().out == output
