"""Draws the figures of docs/results.md from the raw results, in the style of the paper's figures.

    python experiments/figures.py [--out experiments/figures]

Bars of accuracy by type and by length of programs for every results table; for retraining, curves of accuracy, and the
types and lengths of the training programs after each iteration for the smallest data set. What has no results is left
out. Only first seeds are drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from _results import Record
from _stored import PAPERS_NETWORKS, is_plain, retrainings, rows_of_c, rows_of_karel, seed_of, size_of
from _table import measurements

from lasynth.figures import curves, distributions, plot_results
from lasynth.task import InputError

FOLDER = Path(__file__).parent / "figures"
RETRAINED = (("c", "LaSynth+"), ("karel", "LaSynth"), ("karel", "Exec"))
LENGTHS = ("C tokens", "length")
"""The distribution of lengths, by the names that the languages give it."""


def draw(out: Path) -> Iterator[Path]:
    """Draw everything that has results."""
    for name, results in (
        ("table_c/random", rows_of_c()),
        (f"table_c/random_{PAPERS_NETWORKS}", rows_of_c(PAPERS_NETWORKS)),
        ("table_karel/generated", rows_of_karel()),
    ):
        rows = [result for result in results if seed_of(result) == 0]
        rows.sort(key=lambda result: -result["test"]["overall"]["first_consistent"])
        if rows:
            yield from plot_results(measurements(rows), out / name)
    for language, row in RETRAINED:
        if found := list(filter(is_plain, retrainings(language, row))):
            yield from draw_retraining(found, out / "retraining" / f"{language}_{row.replace('+', '_plus')}")


def draw_retraining(results: list[Record], folder: Path) -> Iterator[Path]:
    """Draw the retrainings of one row with data sets of several sizes, the smallest first."""
    accuracy = {
        f"{size_of(result):,} tasks": [
            (entry["iteration"] + 1, entry["test"]["overall"]["first_consistent"]) for entry in result["iterations"]
        ]
        for result in results
    }
    yield curves(accuracy, "training", "solved, %", folder / "accuracy.png")
    entries, share = results[0]["iterations"], "training programs, %"
    types = {_times(entry): entry["programs"]["category"] for entry in entries}
    yield distributions(types, "type of the program", share, folder / "types.png")
    lengths = {
        _times(entry): shares for entry in entries for name, shares in entry["programs"].items() if name in LENGTHS
    }
    yield distributions(lengths, "length of the program, tokens", share, folder / "lengths.png")


def _times(entry: Record) -> str:
    times = entry["iteration"]
    return f"relabelled {times} time{'s' * (times != 1)}" if times else "random programs"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FOLDER)
    for file in draw(parser.parse_args(words).out):
        print(file)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"figures: {error}")
