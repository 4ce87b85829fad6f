"""The statistics of `experiments/claims.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from lasynth.task import InputError

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    return runpy.run_path(str(EXPERIMENTS / "claims.py"), run_name="not main")


def a_result(row: str, solved: str, seed: int) -> dict[str, Any]:
    rate = 100 * solved.count("1") / len(solved)
    rates = {"first_consistent": rate, "most_likely": rate}
    groups = {kind: {"all": rates} for kind in ("category", "length")}
    return {
        "model": row,
        "tasks": len(solved),
        "test data": {},
        "training": {"seed": seed},
        "test": {"overall": rates, "groups": groups, "solved": solved},
    }


def test_the_sign_test_is_exact(claims: dict[str, Any]) -> None:
    sign_test = claims["sign_test"]
    assert sign_test(0, 0) == sign_test(4, 4) == sign_test(4, 3) == 1.0
    assert sign_test(0, 5) == sign_test(5, 0) == 2 / 32
    assert sign_test(1, 7) == pytest.approx(2 * (1 + 8) / 256)


def test_rows_are_compared_seed_by_seed(claims: dict[str, Any]) -> None:
    results = [
        a_result("LaSynth", "11110", 0),
        a_result("LaSynth", "11100", 1),
        a_result("NoExecutor", "10001", 0),
        a_result("RobustFill", "00000", 2),
    ]
    found = claims["claims"](results)
    assert found["rows"]["LaSynth"]["first_consistent"] == {"mean": 70.0, "values": [80.0, 60.0], "deviation": 14.14}
    (claim,) = found["claims"]
    assert (claim["one"], claim["other"], claim["difference"]) == ("LaSynth", "NoExecutor", 40.0)
    (pair,) = claim["seeds"]
    assert (pair["seed"], pair["only the first"], pair["only the second"]) == (0, 3, 1)
    assert pair["gap by length"] == {"all": 40.0}


def test_results_that_do_not_compare_are_refused(claims: dict[str, Any]) -> None:
    one = a_result("LaSynth", "110", 0)
    for others, message in (([one, one], "two results"), ([one, a_result("RobustFill", "1", 0)], "another `tasks`")):
        with pytest.raises(InputError, match=message):
            claims["claims"](others)
