"""What the documentation shows is what happens, and its figures are those of the committed results."""

from __future__ import annotations

import doctest
import json
import re
import shlex
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
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out == output


def result(name: str) -> dict:  # type: ignore[type-arg]
    return json.loads((RESULTS / f"{name}.json").read_text())  # type: ignore[no-any-return]


def rows(text: str) -> dict[str, list[str]]:
    """Lines of Markdown tables: the first cell -> the others."""
    cells = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return {first: rest for first, *rest in cells}


def test_figures_of_restricted_c_are_the_measured_ones() -> None:
    random, reduced = (result("c_machine")[f"{kind} programs"] for kind in ("random", "reduced"))
    shown = rows((ROOT / "docs" / "restricted_c.md").read_text())
    for label, key, form, scale in (
        ("machine, million runs/s, 64 lists a program", MACHINE.format(64), "{:.1f}", 1e6),
        ("machine, million runs/s, 10 lists a program", MACHINE.format(10), "{:.1f}", 1e6),
        ("interpreter, runs/s", "interpreter, runs/s", "{:,.0f}", 1),
        ("machine : interpreter, 10 lists a program", "machine : interpreter, 10 lists a program", "{:.0f}", 1),
        ("reduction on 74 lists, ms a program", "reduction on 74 lists, milliseconds a program", "{:.2f}", 1),
    ):
        assert shown[label] == [form.format(figures[key] / scale) for figures in (random, reduced)], label
    assert shown["machine : gcc, ten lists"][0] == f"{random['machine : gcc, ten lists']:,.0f}"
    gcc = random["gcc, compile and run ten lists, milliseconds a program"]
    assert shown["gcc, compile and run ten lists, ms a program"][0] == f"{gcc:.1f}"


def test_figures_of_the_readme_are_the_measured_ones() -> None:
    machine = result("c_machine")["random programs"]
    made = result("c_generator")["runs"]
    karel, tasks = result("karel_machine"), result("karel_generator")
    speed = karel["machine, runs per second on one core, compilation of lexemes to bytecode included"]
    assert [run["training tasks"] for run in made] == [50_000, 500_000]
    memory = " and ".join(f"{run['largest process, MB']:.0f}" for run in made)
    expected = {
        "C: compiled machine, runs/s on one core (64 lists a program)": f"{machine[MACHINE.format(64)] / 1e6:.1f} million",
        "C: machine against readable interpreter (10 lists a program)": f"{machine[RATIO]:.0f}x",
        "C: machine against gcc, compile and run, ten lists": f"{machine['machine : gcc, ten lists']:,.0f}x",
        "C: 500,000 reduced tasks on two cores": f"{made[-1]['seconds'] / 60:.1f} minutes",
        "C: largest process for 50,000 and for 500,000 tasks": f"{memory} MB",
        "Karel: compiled machine, runs/s on one core": f"{speed / 1e6:.1f} million",
        "Karel: machine against readable interpreter": f"{karel['machine : interpreter']:.0f}x",
        "Karel: 200,000 tasks on two cores, not written to disk": f"{tasks['seconds']:.0f} s",
        "Karel: largest distance of 20 distributions to the public data": f"{tasks['largest distance']:.3f}",
    }
    shown = rows(README)
    assert {label: shown[label][0] for label in expected} == expected


def test_speeds_of_models_are_the_measured_ones() -> None:
    step, beam, shown = result("train_step"), result("beam"), rows(README)
    paths = {name: figures for name, figures in step.items() if name.startswith("both paths")}
    ratios = [
        [f"{figures[row]['step by step : parallel']:.1f}x" for row in ("LaSynth", "LaSynth+", "NoExecutor")]
        for figures in paths.values()
    ]
    assert shown["C models: all lexemes at once against one after the other, batch 8"][0] == ", ".join(ratios[0])
    assert shown["C models: the same, batch 64"][0] == ", ".join(ratios[1])
    rates = [
        f"{step[f'{kind} programs']['programs per second, bf16']['LaSynth+']:.0f}" for kind in ("random", "reduced")
    ]
    assert shown["C models: programs/s of a training step of `LaSynth+`, random and reduced programs"][
        0
    ] == " and ".join(rates)
    seconds = beam["float32"]["seconds for 1,000 tasks at this rate"]
    assert shown["C models: beam 64 on 1,000 tasks, the shipped weights"][0] == f"{seconds / 60:.1f} minutes"


def test_figures_of_solving_are_the_measured_ones() -> None:
    solved = json.loads((ROOT / "experiments" / "results" / "solve_c.json").read_text())
    shown, kinds = rows(README), ("Seq-only", "If-only", "For-only", "Mixture")
    for label, name in (("`--strategy symbolic`", "symbolic"), ("`--strategy neural`", "neural"), (BOTH, "portfolio")):
        groups = solved[name]["groups"]
        shares = [solved[name]["right"], *(groups["category"][kind]["right"] for kind in kinds)]
        shares.append(groups["closed form"]["without"]["right"])
        seconds = [solved[name]["median seconds"], solved[name]["p95 seconds"]]
        assert shown[label] == [*(f"{share:.1f}" for share in shares), *(f"{second:.2f}" for second in seconds)], label
    card = json.loads((ROOT / "lasynth" / "pretrained" / "c" / "card.json").read_text())
    for name, (model, _) in card["evaluation"].items():
        assert f"{model['overall']['first_consistent']:.1f}%" in README, name
        assert json.loads((ROOT / f"experiments/results/weights/{name}.json").read_text())[0] == model
    for peer, figures in result("peers").items():
        if isinstance(figures, dict) and "percent" in figures:
            assert f"{figures['percent']:.1f}% in {figures['median seconds']:.2f} s" in README, peer
    for strategy in result("start_up").values():
        if "median seconds before solving" in strategy:
            assert f"{strategy['median seconds before solving']:.1f} s" in README


def test_figures_of_the_papers_rows_are_the_measured_ones() -> None:
    shown = rows(README)
    for row in ("ClosedForm", "LaSynth+", "LaSynth", "NoExecutor", "RobustFill"):
        expected = []
        for kind in ("random", "reduced"):
            file = ROOT / "experiments" / "results" / f"table_c_{kind}_{row.replace('+', '_plus')}.json"
            measured = json.loads(file.read_text())
            overall, groups = measured["test"]["overall"], measured["test"]["groups"]
            shares = [overall["first_consistent"], overall["most_likely"], measured["novel"]["first_consistent"]]
            shares.append(groups["closed form"]["without"]["first_consistent"])
            expected += [f"{share:.1f}" for share in shares]
            expected.append(f"{measured['curve'][-1]['seconds'] / 60:.0f}" if "curve" in measured else "-")
        assert shown[f"`{row}`"] == expected, row


def test_the_bound_is_the_measured_one() -> None:
    measured = json.loads((ROOT / "experiments" / "results" / "shown_c.json").read_text())
    shown, reduced = (measured[key]["all"]["tasks"] for key in ("shown", "right if reduced"))
    assert f"in {100 - shown:.1f}% of the tasks" in README
    assert f"{shown:.1f}% is a bound" in README
    assert f"right in {reduced:.1f}%" in README


def test_figures_at_equal_time_are_the_measured_ones() -> None:
    for kind in ("random", "reduced"):
        one, other = (
            json.loads((ROOT / f"experiments/results/ideas_c/third_{kind}_{row}.json").read_text())
            for row in ("LaSynth_plus", "NoExecutor")
        )
        assert one["curve"][-1]["seconds"] == pytest.approx(other["curve"][-1]["seconds"], rel=0.01)
        for rule in ("first_consistent", "most_likely"):
            shares = [measured["test"]["overall"][rule] for measured in (one, other)]
            assert f"{shares[0]:.1f} against {shares[1]:.1f}%" in README, kind
    one, other = (
        json.loads((ROOT / f"experiments/results/ideas_c/fourth_reduced_{row}.json").read_text())["test"]["overall"]
        for row in ("LaSynth_plus", "RobustFill")
    )
    for rule in ("first_consistent", "most_likely"):
        assert f"{one[rule]:.1f} against {other[rule]:.1f}%" in README
    third = json.loads((ROOT / "experiments/results/ideas_c/third_random_RobustFill.json").read_text())["test"][
        "overall"
    ]
    assert all(f" {third[rule]:.1f}%" in README for rule in ("first_consistent", "most_likely"))


BOTH = "`lasynth solve`, both"
MACHINE = "machine, runs/s, {} lists a program, translation included"
RATIO = "machine : interpreter, 10 lists a program"
