"""The tables that `experiments/report.py` writes into the documentation."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from lasynth.task import InputError

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "results.md").read_text()


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    return runpy.run_path(str(ROOT / "experiments" / "report.py"), run_name="not main")


def a_result(row: str, seed: int, rate: float, solved: str) -> dict[str, Any]:
    rates = {"first_consistent": rate, "most_likely": rate - 10, "exact": 1.0, "tasks": 1000}
    groups = {"category": {"all": rates}, "length": {"all": rates}, "closed form": {"without": rates}}
    return {
        "model": row,
        "training": {"seed": seed},
        "novel": {"first_consistent": 5.0, "tasks": 1000},
        "curve": [{"seconds": 120.0}],
        "test": {"overall": rates, "groups": groups, "solved": solved},
    }


def test_the_page_shows_the_raw_results(report: dict[str, Any]) -> None:
    assert report["filled"](PAGE) == PAGE, "run: python experiments/report.py"


def test_all_tables_have_lines_of_equal_length(report: dict[str, Any]) -> None:
    named = re.findall(r"<!-- table: (.+?) -->", PAGE)
    assert set(named) <= set(report["TABLES"])
    assert len(named) == len(set(named))
    for name in named:
        head, *lines = report["TABLES"][name]()
        assert lines, name
        assert {len(line) for line in lines} == {len(head)}, name


def test_an_unknown_table_is_refused(report: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no table: weather"):
        report["filled"]("<!-- table: weather -->\n<!-- end -->")


def test_a_table_is_written_anew(report: dict[str, Any]) -> None:
    name = next(iter(report["TABLES"]))
    report["TABLES"][name] = lambda: [("a", "b"), ("1", "2")]
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    expected = f"before\n<!-- table: {name} -->\n\n{table}\n\n<!-- end -->\nafter"
    page = f"before\n<!-- table: {name} -->\n\n| old |\n\n<!-- end -->\nafter"
    assert report["filled"](page) == report["filled"](expected) == expected


def test_rows_have_means_and_deviations_over_seeds(report: dict[str, Any]) -> None:
    results = [a_result("LaSynth", 1, 60.0, "11"), a_result("NoExecutor", 0, 60.0, "11")]
    results.append(a_result("LaSynth", 0, 80.0, "11"))
    _, first, second = report["rows"](results, "C", {})
    assert first[:4] == ("C: `LaSynth`", "2", "70.0 ± 14.1", "60.0 ± 14.1")
    assert second[:4] == ("C: `NoExecutor`", "1", "60.0", "50.0")


def test_pairs_of_rows_are_compared_over_the_seeds_that_both_have(report: dict[str, Any]) -> None:
    results = [a_result("LaSynth", 0, 80.0, "11110"), a_result("NoExecutor", 0, 40.0, "10001")]
    results += [a_result("LaSynth", 1, 60.0, "11100"), a_result("NoExecutor", 2, 60.0, "11100")]
    _, line = report["versus"](results, [("LaSynth", "NoExecutor")], {"LaSynth": 55.2, "NoExecutor": 38.6}, "C")
    assert line == ("C: `LaSynth` - `NoExecutor`", "80.0", "40.0", "+40.0", "3 : 1", "0.62", "16.6")
    _, gap = report["gaps"](results, [("LaSynth", "NoExecutor")], "length", ["all"], "gap")
    assert gap == ("gap: `LaSynth` - `NoExecutor`", "+40.0")
    results.append(a_result("NoExecutor", 1, 40.0, "10001"))
    _, line = report["versus"](results, [("LaSynth", "NoExecutor")], {}, "C")
    assert line == ("C: `LaSynth` - `NoExecutor`", "70.0 ± 14.1", "40.0 ± 0.0", "+40.0, +20.0", "5 : 2", "0.62")


def test_pairs_without_a_common_seed_have_no_line(report: dict[str, Any]) -> None:
    results = [a_result("LaSynth", 1, 60.0, "11100"), a_result("NoExecutor", 2, 60.0, "11100")]
    assert len(list(report["versus"](results, [("LaSynth", "NoExecutor"), ("LaSynth", "Exec")], {}, "C"))) == 1


def a_retraining(choice: str, *solved: str) -> dict[str, Any]:
    """A retraining of 100 tasks, with the marks of each training's test."""
    entries = [
        {
            **a_result("LaSynth+", 0, 100 * marks.count("1") / len(marks), marks),
            **{"iteration": number, "fitting": 50, "replaced": 40, "shorter": 30, "longer": 2},
            "mean tokens after": 81.25,
        }
        for number, marks in enumerate(solved)
    ]
    data = {"sizes": {"train": 100}, "options": {"reduce": False}}
    return {"data": data, "training": {"seed": 0}, "relabelling": {"choice": choice}, "iterations": entries}


def test_rules_of_choice_are_compared_training_by_training(report: dict[str, Any]) -> None:
    results = [a_retraining("likeliest", "1100", "1110", "1111"), a_retraining("shortest", "1100", "1011")]
    _, *lines = report["rules"](results, "C")
    assert lines == [
        ("C: likeliest, 2", "75.0", "65.0", "40", "30", "2", "81.2", "", ""),
        ("C: shortest, 2", "75.0", "65.0", "40", "30", "2", "81.2", "1 : 1", "1"),
    ]
