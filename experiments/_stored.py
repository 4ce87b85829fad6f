"""Stored results that docs/results.md shows: rows of the results tables, and retrainings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

from _paired import percent
from _results import Record

FIRST, LIKELIEST = "first_consistent", "most_likely"
"""The two rules, as results name them."""
RESULTS = Path(__file__).parent / "results"
PAPERS_NETWORKS = "encoder_lists_overview_0"
"""Settings that rows of C were also trained with, as their files name them: the paper's encoder instead of ours, and no
overview of the examples."""
NAME = re.compile(
    r"(?P<table>table_(?:c_random|c_reduced|karel_generated))_(?:LaSynth_plus|[A-Za-z]+)"
    r"(?:_(?P<settings>.+?))??(?:_seed_\d+)?"
)
"""Of a row's file: the table, the row, settings or a time that differ from the usual ones, a seed other than 0."""


def read(files: Iterable[Path]) -> list[Record]:
    return [json.loads(file.read_text()) for file in sorted(files)]


def rows_of(table: str, folder: Path, settings: str = "") -> list[Record]:
    """All rows and seeds of a results table: those with the usual settings, or with these."""
    names = [(file, NAME.fullmatch(file.stem)) for file in folder.glob("*.json")]
    return read(
        file for file, name in names if name and name["table"] == table and (name["settings"] or "") == settings
    )


def rows_of_c(settings: str = "") -> list[Record]:
    """Rows of the table of restricted C."""
    return rows_of("table_c_random", RESULTS / "table_c", settings)


def reduced_rows_of_c() -> list[Record]:
    """Rows of the table of restricted C with reduced programs."""
    return rows_of("table_c_reduced", RESULTS)


def rows_of_karel() -> list[Record]:
    """Rows of Karel's table with equal numbers of programs."""
    return rows_of("table_karel_generated", RESULTS)


def seed_of(result: Record) -> int:
    """The seed of a row; 0 for one without training."""
    return int(result["training"]["seed"]) if "training" in result else 0


def rate(result: Record, rule: str = FIRST) -> float:
    """How many test tasks a row solves by a rule, in percent."""
    return percent(result["test"]["overall"], rule)


def by_row(results: Iterable[Record]) -> dict[str, list[Record]]:
    """The results of each row, seed by seed; the best row comes first."""
    found: dict[str, list[Record]] = {}
    for result in sorted(results, key=seed_of):
        found.setdefault(result["model"], []).append(result)
    return dict(sorted(found.items(), key=lambda item: -mean(rate(result) for result in item[1])))


def retrainings(language: str, row: str) -> list[Record]:
    """All retrainings of a row, the smallest data set first."""
    found = read((RESULTS / "retraining").glob(f"{language}_*_{row.replace('+', '_plus')}*.json"))
    return sorted((result for result in found if result["model"] == row), key=size_of)


def size_of(retraining: Record) -> int:
    """Training tasks of a retraining."""
    return int(retraining["data"]["sizes"]["train"])


def rule_of(retraining: Record) -> str:
    """Which program a retraining takes if several fit."""
    return str(retraining["relabelling"]["choice"])


def is_plain(retraining: Record) -> bool:
    """Whether a retraining is the paper's: random programs, the likeliest that fits, the first seed."""
    reduced = retraining["data"]["options"].get("reduce")
    return not reduced and rule_of(retraining) == "likeliest" and seed_of(retraining) == 0
