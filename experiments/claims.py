"""Compares the rows of a results table: means and spreads over seeds, and paired tests over tasks.

    python experiments/claims.py experiments/results/table_c/*_random_*.json --out experiments/results/claims_c.json

Two rows are compared on the same tasks by the exact sign test on the tasks that only one of them solves, seed by seed.
The p-value says how likely so uneven a split is if the rows are equally good. Seeds share the test tasks, so their
p-values are not independent. The gap between two rows is also given by category and by length.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from math import comb
from pathlib import Path
from statistics import mean, stdev

from _results import Record, show

from lasynth.task import InputError

CLAIMS = (
    ("latent execution beats none", "LaSynth", "NoExecutor"),
    ("latent execution beats none, our row", "LaSynth+", "NoExecutor"),
    ("partial execution beats execution at the end", "LaSynth", "NoPartialExecutor"),
    ("the operation predictor helps", "LaSynth", "NoOpPredictor"),
    ("attention to the decoded lexemes helps", "LaSynth", "NoAttentionInDecoding"),
    ("RobustFill is far behind", "LaSynth", "RobustFill"),
    ("property signatures are far behind", "LaSynth", "PropertySignatures"),
    ("RobustFill is far behind our row", "LaSynth+", "RobustFill"),
    ("LaSynth beats Bunel", "LaSynth", "Bunel"),
    ("LaSynth beats Shin", "LaSynth", "Shin"),
    ("LaSynth comes near Exec", "Exec", "LaSynth"),
    ("real execution beats latent execution, our rows", "Executed", "LaSynth+"),
)
RULES = ("first_consistent", "most_likely")


def sign_test(one: int, other: int) -> float:
    """Two-sided p-value of a split of `one + other` tasks, if both rows are equally likely to win each."""
    total, fewer = one + other, min(one, other)
    if not total:
        return 1.0
    return float(min(1.0, 2 * sum(comb(total, k) for k in range(fewer + 1)) / 2**total))


def only(one: str, other: str) -> int:
    """Tasks that only the first of two rows solves; each mark is 1 or 0."""
    return sum(a == "1" and b != "1" for a, b in zip(one, other, strict=True))


def over_seeds(results: Sequence[Record]) -> Record:
    """Mean and standard deviation of a row's accuracies."""
    found: Record = {"seeds": sorted(result["training"]["seed"] for result in results if "training" in result)}
    for rule in RULES:
        values = [result["test"]["overall"][rule] for result in results]
        found[rule] = {"mean": round(mean(values), 2), "values": values}
        if len(values) > 1:
            found[rule]["deviation"] = round(stdev(values), 2)
    return found


def compare(one: Record, other: Record) -> Record:
    """Two rows with the same seed."""
    wins, losses = (only(a["test"]["solved"], b["test"]["solved"]) for a, b in ((one, other), (other, one)))
    rates = [result["test"]["overall"]["first_consistent"] for result in (one, other)]
    return {
        "seed": one["training"]["seed"],
        "difference": round(rates[0] - rates[1], 2),
        "only the first": wins,
        "only the second": losses,
        "p": float(f"{sign_test(wins, losses):.2g}"),
        "gap by category": gaps(one, other, "category"),
        "gap by length": gaps(one, other, "length"),
    }


def gaps(one: Record, other: Record, kind: str) -> dict[str, float]:
    """How much more one row solves, in points, for each group of tasks."""
    groups = [result["test"]["groups"][kind] for result in (one, other)]
    return {
        name: round(groups[0][name]["first_consistent"] - groups[1][name]["first_consistent"], 2) for name in groups[0]
    }


def claims(results: Sequence[Record]) -> Record:
    """All rows, and all claims whose two rows are there."""
    by_row: dict[str, dict[int, Record]] = defaultdict(dict)
    for result in results:
        row, seed = result["model"], result.get("training", {}).get("seed", 0)
        if seed in by_row[row]:
            raise InputError(f"two results of {row} with seed {seed}: give those of one budget")
        for name in ("tasks", "test data"):
            if result[name] != results[0][name]:
                raise InputError(f"{row} and {results[0]['model']} were measured with another `{name}`")
        by_row[row][seed] = result
    found: Record = {"rows": {row: over_seeds(list(runs.values())) for row, runs in by_row.items()}, "claims": []}
    for claim, one, other in CLAIMS:
        seeds = sorted(set(by_row.get(one, {})) & set(by_row.get(other, {})))
        pairs = [compare(by_row[one][seed], by_row[other][seed]) for seed in seeds]
        if pairs:
            difference = round(mean(pair["difference"] for pair in pairs), 2)
            found["claims"].append(
                {"claim": claim, "one": one, "other": other, "difference": difference, "seeds": pairs}
            )
    return found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help="JSON files of rows, of one or several seeds")
    parser.add_argument("--out", type=Path, help="file for the figures")
    arguments = parser.parse_args(words)
    show(claims([json.loads(file.read_text()) for file in arguments.results]), arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"claims: {error}")
