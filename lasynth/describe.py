"""Describes data sets: the distributions of their tasks, side by side with those of a reference."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from rich.table import Table

from lasynth.dataset import read_card, read_tasks
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.statistics import normalise, total_variation
from lasynth.task import InputError

Lines = Mapping[str, Mapping[str, float]]


def describe(path: Path, other: Path | None, split: str, limit: int) -> dict[str, Any]:
    """The distributions of a data set, beside those of another one or, if `other` is None, beside published figures."""
    name, lines, domain = _measure(path, split, limit)
    if other is None:
        return {"data": name, "reference": "published", "lines": compare(lines, domain.published())}
    other_name, reference, other_domain = _measure(other, split, limit)
    if other_domain is not domain:
        raise InputError(
            f"{name} has tasks of `{domain.name}`, {other_name} has tasks of `{other_domain.name}`; "
            "only data sets of the same language can be compared"
        )
    return {"data": name, "reference": other_name, "lines": compare(lines, reference)}


def _measure(path: Path, split: str, limit: int) -> tuple[str, Lines, AnyDomain]:
    """The file, distributions and domain of a data set; `path` is its folder or one of its files. InputError."""
    file = path if path.suffix == ".parquet" else path / f"{split}.parquet"
    domain = get_domain(read_card(file.parent)["domain"])
    if not file.exists():
        raise InputError(f"{file}: no such file")
    if limit < 1:
        raise InputError("the limit must be at least 1")
    return str(file), domain.statistics(islice(read_tasks(file, domain), min(limit, sys.maxsize))), domain


def compare(lines: Lines, reference: Lines) -> dict[str, dict[str, Any]]:
    """For each distribution its shares and, if the reference has it too, those of the reference and their distance."""
    report: dict[str, dict[str, Any]] = {}
    for line, counts in lines.items():
        report[line] = {"shares": normalise(counts)}
        if line in reference:
            report[line] |= {
                "reference": normalise(reference[line]),
                "distance": total_variation(counts, reference[line]),
            }
    return report


def tables(report: Mapping[str, Any]) -> Iterator[Table]:
    """A table for each distribution of a description."""
    name, reference_name = report["data"], report["reference"]
    for line, entry in report["lines"].items():
        distance = f"   (total variation distance {entry['distance']:.3f})" if "distance" in entry else ""
        table = Table(line, title=f"{line}{distance}", title_justify="left", show_edge=False)
        table.add_column(name, overflow="fold")  # not cut off: the ends of the names tell the data sets apart
        reference = entry.get("reference")
        if reference is not None:
            table.add_column(reference_name, overflow="fold")
        for label in {**entry["shares"], **(reference or {})}:
            row = [
                f"{100 * shares.get(label, 0):.1f}%" for shares in (entry["shares"], reference) if shares is not None
            ]
            table.add_row(label, *row)
        yield table
