"""Compares two rows of a results table on the same tasks: differences, and exact sign tests.

The sign test looks at the tasks that only one of the rows solves. The p-value says how likely so uneven a split is if
the rows are equally good. It speaks of the choice of tasks, not of other training seeds.
"""

from __future__ import annotations

from math import comb

from _results import Record


def percent(group: Record, rule: str) -> float:
    """How many tasks of a group are solved, in percent. Results hold this figure with two decimals only."""
    tasks = int(group["tasks"])
    return 100 * round(float(group[rule]) * tasks / 100) / tasks


def sign_test(one: int, other: int) -> float:
    """Two-sided p-value of a split of `one + other` tasks, if both rows are equally likely to win each."""
    total, fewer = one + other, min(one, other)
    if not total:
        return 1.0
    return float(min(1.0, 2 * sum(comb(total, k) for k in range(fewer + 1)) / 2**total))


def only(one: str, other: str) -> int:
    """Tasks that only the first of two rows solves; each mark is 1 or 0."""
    return sum(a == "1" and b != "1" for a, b in zip(one, other, strict=True))


def compare(one: Record, other: Record) -> Record:
    """Two rows with the same seed and the same test tasks."""
    wins, losses = (only(a["test"]["solved"], b["test"]["solved"]) for a, b in ((one, other), (other, one)))
    rates = [percent(result["test"]["overall"], "first_consistent") for result in (one, other)]
    return {
        "seed": one["training"]["seed"],
        "difference": rates[0] - rates[1],
        "only the first": wins,
        "only the second": losses,
        "p": sign_test(wins, losses),
        "gap by category": gaps(one, other, "category"),
        "gap by length": gaps(one, other, "length"),
    }


def gaps(one: Record, other: Record, kind: str) -> dict[str, float]:
    """How much more one row solves, in points, for each group of tasks."""
    groups = [result["test"]["groups"][kind] for result in (one, other)]
    return {
        name: percent(groups[0][name], "first_consistent") - percent(groups[1][name], "first_consistent")
        for name in groups[0]
    }
