"""The statistics of `experiments/_paired.py`."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path
from typing import Any

import pytest

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


@pytest.fixture
def paired(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return runpy.run_path(str(EXPERIMENTS / "_paired.py"), run_name="not main")


def a_result(solved: str) -> dict[str, Any]:
    rate = round(100 * solved.count("1") / len(solved), 2)
    rates = {"first_consistent": rate, "most_likely": rate, "tasks": len(solved)}
    groups = {kind: {"all": rates} for kind in ("category", "length")}
    return {"test": {"overall": rates, "groups": groups, "solved": solved}}


def test_with_equal_sizes_the_test_is_the_sign_test(paired: dict[str, Any]) -> None:
    def p(one: int, other: int) -> float:
        return float(paired["sign_flip_test"]([0, 0] + [1] * one + [-1] * other))

    assert p(0, 0) == p(4, 4) == p(4, 3) == 1.0
    assert p(0, 5) == p(5, 0) == 2 / 32
    assert p(1, 7) == pytest.approx(2 * (1 + 8) / 256)


@pytest.mark.parametrize("differences", [[3, 1, -1], [2, 2, -1, 1], [-3, 2, 2, 1, 1], [1, 3, 0, 3, -2]])
def test_the_test_counts_all_choices_of_signs(paired: dict[str, Any], differences: list[int]) -> None:
    choices = list(product((-1, 1), repeat=len(differences)))
    sums = [sum(sign * size for sign, size in zip(signs, differences, strict=True)) for signs in choices]
    as_extreme = sum(abs(total) >= abs(sum(differences)) for total in sums)
    assert paired["sign_flip_test"](differences) == pytest.approx(as_extreme / len(choices))


def test_rows_are_compared_task_by_task(paired: dict[str, Any]) -> None:
    pair = paired["compare"]([a_result("11110")], [a_result("10001")])
    assert (pair["points"], pair["only the first"], pair["only the second"]) == ([pytest.approx(40.0)], 3, 1)
    assert pair["gap by length"] == {"all": pytest.approx(40.0)}
    assert pair["p"] == paired["sign_flip_test"]([1, 1, 1, -1])


def test_seeds_are_summed_for_each_task(paired: dict[str, Any]) -> None:
    pair = paired["compare"]([a_result("11110"), a_result("11010")], [a_result("10001"), a_result("10000")])
    assert pair["points"] == [pytest.approx(40.0), pytest.approx(40.0)]
    assert (pair["only the first"], pair["only the second"]) == (5, 1)
    assert pair["p"] == paired["sign_flip_test"]([0, 2, 1, 2, -1])
    assert pair["gap by category"] == {"all": pytest.approx(40.0)}


@pytest.mark.parametrize("tasks", [22, 84, 345, 1000])
def test_percent_is_exact(paired: dict[str, Any], tasks: int) -> None:
    for solved in range(tasks + 1):
        group = {"tasks": tasks, "most_likely": round(100 * solved / tasks, 2)}
        assert paired["percent"](group, "most_likely") == 100 * solved / tasks
