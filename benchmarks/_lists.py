"""Shared by the benchmarks of the language of lists."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def read_tasks(file: Path) -> list[dict[str, Any]]:
    """The tasks of a JSON Lines file. Without the file, the benchmark ends and says so."""
    if not file.exists():
        print(f"skipped: {file.name} is not there", file=sys.stderr)
        sys.exit(0)
    return [json.loads(line) for line in file.read_text().splitlines()]


def attempt_all(tasks: Sequence[T], attempt: Callable[[T], dict[str, Any]], goal: str) -> list[dict[str, Any]]:
    """Attempt every task of the language of lists. Shows how many rows have reached the `goal` so far."""
    rows: list[dict[str, Any]] = []
    for task in tasks:
        rows.append(attempt(task))
        print(f"{len(rows)}/{len(tasks)}, {goal}: {sum(row[goal] for row in rows)}", end="\r", file=sys.stderr)
    return rows


def middle(seconds: Sequence[float]) -> float | None:
    """The median of times; None if there are none."""
    return round(statistics.median(seconds), 3) if seconds else None
