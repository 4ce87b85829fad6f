"""Compares two rows of a results table on the same tasks: differences, and an exact test.

A row may have several seeds. Then a task's difference is in how many trainings of one row solve it more than of the
other. The test asks how likely so large a sum of differences is if each task's could as well have the other sign. With
one seed it is the sign test on the tasks that only one row solves. The p-value speaks of the choice of tasks; what
another training would change is seen in the differences seed by seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import mean

from _results import Record


def percent(group: Record, rule: str) -> float:
    """How many tasks of a group are solved, in percent. Results hold this figure with two decimals only."""
    tasks = int(group["tasks"])
    return 100 * round(float(group[rule]) * tasks / 100) / tasks


def sign_flip_test(differences: Sequence[int]) -> float:
    """Two-sided p-value of a sum of differences, if each is equally likely to have the other sign. Exact."""
    sizes = [abs(difference) for difference in differences if difference]
    ways = Counter({0: 1})  # sum -> how many choices of signs give it
    for size in sizes:
        more: Counter[int] = Counter()
        for total, count in ways.items():
            more[total + size] += count
            more[total - size] += count
        ways = more
    extreme = abs(sum(differences))
    return sum(count for total, count in ways.items() if abs(total) >= extreme) / (1 << len(sizes))


def only(one: str, other: str) -> int:
    """Tasks that only the first of two results solves; each mark is 1 or 0."""
    return sum(a == "1" and b != "1" for a, b in zip(one, other, strict=True))


def compare(ones: Sequence[Record], others: Sequence[Record]) -> Record:
    """Two rows on the same test tasks. Results at the same place in both sequences have the same seed."""
    pairs = list(zip(ones, others, strict=True))
    solved = [(one["test"]["solved"], other["test"]["solved"]) for one, other in pairs]
    rates = [tuple(percent(side["test"]["overall"], "first_consistent") for side in pair) for pair in pairs]
    tasks = zip(*(mark for pair in solved for mark in pair), strict=True)  # the marks of each task, in all results
    return {
        "points": [one - other for one, other in rates],
        "only the first": sum(only(one, other) for one, other in solved),
        "only the second": sum(only(other, one) for one, other in solved),
        "p": sign_flip_test([marks[::2].count("1") - marks[1::2].count("1") for marks in tasks]),
        "gap by category": gaps(pairs, "category"),
        "gap by length": gaps(pairs, "length"),
    }


def gaps(pairs: Sequence[tuple[Record, Record]], kind: str) -> dict[str, float]:
    """How much more one row solves, in points, for each group of tasks; the mean over seeds."""

    def rate(result: Record, name: str) -> float:
        return percent(result["test"]["groups"][kind][name], "first_consistent")

    names = pairs[0][0]["test"]["groups"][kind]
    return {name: mean(rate(one, name) - rate(other, name) for one, other in pairs) for name in names}
