"""Accuracy on the tasks that are new: no program of the training set has their text, or their behaviour.

    lasynth evaluate RUN data/karel/test.parquet --json evaluation.json
    python experiments/novel.py evaluation.json data/karel/test.parquet data/karel*/train.parquet [--out FILE]

Several training sets count as one. The evaluation must be of all tasks of the Parquet file. Figures are percent of the
tasks that the first program of the beam that fits solves.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from _results import show

from lasynth.dataset import occurring
from lasynth.task import InputError


def share(solved: str, kept: Sequence[bool]) -> dict[str, Any]:
    """The number of the tasks that are kept, and the share of them that is solved."""
    right = [mark == "1" for mark, keep in zip(solved, kept, strict=True) if keep]
    return {"tasks": len(right), "first_consistent": round(100 * sum(right) / max(1, len(right)), 2)}


def measured(result: dict[str, Any], tests: Path, train: Sequence[Path]) -> dict[str, Any]:
    """The shares of one model."""
    table = pq.read_table(tests, columns=["program", "behaviour"])
    found = {"all": share(result["solved"], [True] * table.num_rows)}
    for column in ("program", "behaviour"):
        values = table[column].to_pylist()
        known = set().union(*(occurring(file, column, set(values)) for file in train))
        found[f"new {column}"] = share(result["solved"], [value not in known for value in values])
    return found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluation", type=Path, help="JSON file of `lasynth evaluate`")
    parser.add_argument("tests", type=Path, help="Parquet file of its tasks")
    parser.add_argument("train", type=Path, nargs="+", help="Parquet files of the training sets")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    results = json.loads(arguments.evaluation.read_text())
    rows = {result["model"]: measured(result, arguments.tests, arguments.train) for result in results}
    show(rows, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"novel: {error}")
