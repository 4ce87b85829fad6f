"""Draws the figures of docs/results.md from the raw results, in the style of the paper's figures.

    python experiments/figures.py [--out experiments/figures]

Bars of accuracy by type and by length of programs for every results table, curves of retraining, and the types of the
training programs after each iteration for the smallest data set. What has no results is left out. Other seeds and
choices than the first are not drawn.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from _results import Record
from _table import measurements

from lasynth.figures import curves, plot_results
from lasynth.task import InputError

HERE = Path(__file__).parent
RESULTS = HERE / "results"
TABLES = {"table_c/random": "table_c/table_c_random_*.json", "table_karel/generated": "table_karel_generated_*.json"}
"""Folder of the figures -> files of the rows."""


def read(files: Iterable[Path]) -> list[Record]:
    return [json.loads(file.read_text()) for file in sorted(files)]


def rows_of(pattern: str) -> list[Record]:
    """The rows of a table: those of the first seed, without a limit of time. The best row comes first."""
    found = [result for result in read(RESULTS.glob(pattern)) if _is_plain(result)]
    return sorted(found, key=lambda result: -result["test"]["overall"]["first_consistent"])


def _is_plain(result: Record) -> bool:
    training = result.get("training")
    return training is None or (training["seed"] == 0 and not training["hours"])


def retrainings() -> dict[str, list[Record]]:
    """All retrainings of a language and row, the smallest data set first."""
    found: dict[str, list[Record]] = defaultdict(list)
    for result in read((RESULTS / "retraining").glob("*.json")):
        first = result["training"]["seed"] == 0 and result["relabelling"]["choice"] == "likeliest"
        if first and not result["data"]["options"].get("reduce"):
            found[f"{result['data']['domain']}_{result['model'].replace('+', '_plus')}"].append(result)
    return {name: sorted(some, key=lambda result: result["data"]["sizes"]["train"]) for name, some in found.items()}


def draw(out: Path) -> Iterator[Path]:
    """Draw everything that has results."""
    for name, pattern in TABLES.items():
        if rows := rows_of(pattern):
            yield from plot_results(measurements(rows), out / name)
    for name, results in retrainings().items():
        accuracy = {
            f"{result['data']['sizes']['train']:,} tasks": [
                (entry["iteration"], entry["test"]["overall"]["first_consistent"]) for entry in result["iterations"]
            ]
            for result in results
        }
        folder = out / "retraining" / name
        yield curves(accuracy, "iteration (0: before any relabelling)", "solved, %", folder / "accuracy.png")
        yield curves(types_of(results[0]), "iteration", "share of training programs, %", folder / "types.png")


def types_of(result: Record) -> dict[str, list[tuple[float, float]]]:
    """How many training programs have each type, by iteration, in percent."""
    kinds = sorted({kind for entry in result["iterations"] for kind in entry["programs"]["category"]})
    return {
        kind: [
            (entry["iteration"], 100 * entry["programs"]["category"].get(kind, 0.0)) for entry in result["iterations"]
        ]
        for kind in kinds
    }


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE / "figures")
    for file in draw(parser.parse_args(words).out):
        print(file)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"figures: {error}")
