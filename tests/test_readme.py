"""What the documentation shows is what happens, and its figures are those of the committed results."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from lasynth.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
RESULTS = ROOT / "benchmarks" / "results"


def test_python_in_the_readme() -> None:
    failures, attempts = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert attempts >= 4
    assert failures == 0


def test_commands_in_the_readme(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `$ lasynth ...` whose output is shown prints exactly that."""
    monkeypatch.chdir(ROOT)
    shown = re.search(r"```console\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    parts = re.split(r"^\$ lasynth (.*)\n", shown[1], flags=re.MULTILINE)[1:]
    assert len(parts) == 4
    for command, output in zip(parts[::2], parts[1::2], strict=True):
        assert main([word.strip('"') for word in command.split()]) == 0
        assert capsys.readouterr().out == output


def result(name: str) -> dict:  # type: ignore[type-arg]
    return json.loads((RESULTS / f"{name}.json").read_text())  # type: ignore[no-any-return]


def test_figures_are_the_measured_ones() -> None:
    c = result("c_machine")["random programs"]
    reduced = result("c_machine")["reduced programs"]
    guide = (ROOT / "docs" / "restricted_c.md").read_text()
    machine = "machine, runs/s, {} lists a program, translation included"
    for text in (
        f"| machine, million runs/s, 64 lists a program | {c[machine.format(64)] / 1e6:.1f} | {reduced[machine.format(64)] / 1e6:.1f} |",
        f"| machine, million runs/s, 10 lists a program | {c[machine.format(10)] / 1e6:.1f} | {reduced[machine.format(10)] / 1e6:.1f} |",
        f"| interpreter, runs/s | {c['interpreter, runs/s']:,.0f} | {reduced['interpreter, runs/s']:,.0f} |",
        f"| gcc, compile and run ten lists, ms a program | {c['gcc, compile and run ten lists, milliseconds a program']:.1f} | |",
        f"| machine : gcc, ten lists | {c['machine : gcc, ten lists']:,.0f} | |",
    ):
        assert text in guide
    for text in (
        f"| {c[machine.format(64)] / 1e6:.1f} million |",
        f"| {c['machine : interpreter, 10 lists a program']:.0f}x |",
        f"| {c['machine : gcc, ten lists']:,.0f}x |",
    ):
        assert text in README
    run = result("c_generator")["runs"][-1]
    assert run["training tasks"] == 500_000
    assert f"| {run['seconds'] / 60:.1f} minutes, largest process {run['largest process, MB']:.0f} MB |" in README
    karel, tasks = result("karel_machine"), result("karel_generator")
    speed = karel["machine, runs per second on one core, compilation of lexemes to bytecode included"]
    assert f"| {speed / 1e6:.1f} million |" in README
    assert f"| {karel['machine : interpreter']:.0f}x |" in README
    assert f"| {tasks['seconds']:.0f} s |" in README
    assert f"| {tasks['largest distance']:.3f} |" in README
