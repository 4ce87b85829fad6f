"""Draws the figures of docs/results.md from the raw results, in the style of the paper's figures.

    python experiments/figures.py [--out experiments/figures]

Bars of accuracy by type and by length of programs for every results table, with the spread where a row has several
seeds; for retraining, curves of accuracy, and the types and lengths of the training programs after each iteration for
the smallest data set. What has no results is left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from _results import Record
from _stored import PAPERS_NETWORKS, by_row, is_plain, retrainings, rows_of_c, rows_of_karel, size_of

from lasynth.figures import curves, distributions, plot_results
from lasynth.measurement import Measurement
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
        if results:
            yield from plot_results([measured(result) for result in best_first(results)], out / name)
    for language, row in RETRAINED:
        if found := list(filter(is_plain, retrainings(language, row))):
            yield from draw_retraining(found, out / "retraining" / f"{language}_{row.replace('+', '_plus')}")


def best_first(results: list[Record]) -> list[Record]:
    """The results of each row together, the best row first."""
    return [result for seeds in by_row(results).values() for result in seeds]


def measured(result: Record) -> Measurement:
    """The test of a row, under the row's name for all seeds."""
    return replace(Measurement.from_json(result["test"]), model=result["model"])


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
