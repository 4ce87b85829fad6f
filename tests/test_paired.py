"""The statistics of `experiments/_paired.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


@pytest.fixture
def paired(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return runpy.run_path(str(EXPERIMENTS / "_paired.py"), run_name="not main")


def a_result(solved: str, seed: int) -> dict[str, Any]:
    rate = round(100 * solved.count("1") / len(solved), 2)
    rates = {"first_consistent": rate, "most_likely": rate, "tasks": len(solved)}
    groups = {kind: {"all": rates} for kind in ("category", "length")}
    return {"training": {"seed": seed}, "test": {"overall": rates, "groups": groups, "solved": solved}}


def test_the_sign_test_is_exact(paired: dict[str, Any]) -> None:
    sign_test = paired["sign_test"]
    assert sign_test(0, 0) == sign_test(4, 4) == sign_test(4, 3) == 1.0
    assert sign_test(0, 5) == sign_test(5, 0) == 2 / 32
    assert sign_test(1, 7) == pytest.approx(2 * (1 + 8) / 256)


def test_rows_are_compared_task_by_task(paired: dict[str, Any]) -> None:
    pair = paired["compare"](a_result("11110", 3), a_result("10001", 3))
    assert (pair["seed"], pair["only the first"], pair["only the second"]) == (3, 3, 1)
    assert pair["gap by length"] == {"all": pytest.approx(40.0)}
    assert pair["p"] == paired["sign_test"](3, 1)


@pytest.mark.parametrize("tasks", [22, 84, 345, 1000])
def test_percent_is_exact(paired: dict[str, Any], tasks: int) -> None:
    for solved in range(tasks + 1):
        group = {"tasks": tasks, "most_likely": round(100 * solved / tasks, 2)}
        assert paired["percent"](group, "most_likely") == 100 * solved / tasks
