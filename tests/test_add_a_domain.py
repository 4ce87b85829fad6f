"""The language of docs/add_a_domain.md works as the page says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from lasynth import domains
from lasynth.cli import main
from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.domains.base import Columnar, Domain
from lasynth.domains.learnable import Learnable
from lasynth.domains.solvable import Comparing, Drawing, Parted, Reading, Simplifying, Solvable

PAGE = (Path(__file__).parents[1] / "docs" / "add_a_domain.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in BLOCK.finditer(PAGE)]


@pytest.fixture(autouse=True)
def _counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's code as a module, the language in the registry, and an empty working folder."""
    code = "\n\n".join(text for kind, text in BLOCKS if kind == "python")
    (tmp_path / "counter_of_the_page.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(domains.DOMAINS, "counter", "counter_of_the_page:Counting")
    monkeypatch.chdir(tmp_path)
    yield
    domains._made.pop("counter", None)


def commands() -> list[tuple[list[str], str]]:
    """The words of each command on the page, and what it prints."""
    (shown,) = (text for kind, text in BLOCKS if kind == "console")
    parts = re.split(r"^\$ (.*)\n", shown, flags=re.MULTILINE)[1:]
    return [(shlex.split(command), output) for command, output in zip(parts[::2], parts[1::2], strict=True)]


def test_the_commands_of_the_page_print_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert [words[:2] for words, _ in commands()] == [
        ["cat", "twice.counter"],
        ["lasynth", "run"],
        ["lasynth", "run"],
        ["lasynth", "generate"],
    ]
    for (program, *words), output in commands():
        if program == "cat":
            Path(words[0]).write_text(output)
        else:
            assert main(words) == 0
            assert capsys.readouterr().out == output
    assert main(["stats", "data"]) == 0
    assert "halve" in capsys.readouterr().out
    counter = get_domain("counter")
    tasks = list(read_tasks(Path("data/train.parquet"), counter))
    assert len(tasks) == 100
    assert all(counter.run(task.program, e.input) == e.output for task in tasks for e in task.examples)
    assert max(len(task.program) for task in tasks) == 2


def test_faults_and_bad_input_get_the_usual_messages(capsys: pytest.CaptureFixture[str]) -> None:
    for text, value, code, message in (
        ("halve", "3", 1, "OddNumber: 3 is odd"),
        ("add ad", "3", 2, "line 1, column 5: `ad` is not an action"),
        ("add", "x", 2, "`x` is not a number"),
    ):
        Path("other.counter").write_text(text)
        assert main(["run", "other.counter", "--input", value]) == code
        assert message in capsys.readouterr().err


def test_a_language_without_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "counter", "--out", "data", "--train", "20", "--processes", "1"]) == 0
    for words in (
        ["train", "data", "--out", "run", "--steps", "1"],
        ["evaluate", "data/train.parquet"],
        ["evaluate", "data/train.parquet", "--model", "ClosedForm"],
    ):
        assert main(words) == 2
        assert "there are no models of the language `counter` yet" in capsys.readouterr().err
    assert not Path("run").exists()


def test_the_page_accounts_for_every_method() -> None:
    """Each method of the example is one of `Domain`. Those that it lacks are named in the text."""
    wanted = {name for name in (*vars(Domain), *Domain.__annotations__) if not name.startswith("_")}
    counter = get_domain("counter")
    have = {name for name in dir(counter) if not name.startswith("_")}
    assert have <= wanted
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert wanted - have - named == set()
    for protocol in (Learnable, Solvable, Simplifying, Comparing, Reading, Drawing, Parted, Columnar):
        assert {name for name in vars(protocol) if not name.startswith("_")} <= named, protocol
        assert protocol.__name__ in named
