"""Fit the Karel generator's tables to the public figures and write them to fitted.py. No other module imports this one.

Each round samples tasks, compares each line of their statistics with the public figures, and multiplies each weight by
(wanted / found) ** rate: raking by simulation. `python -m lasynth.domains.karel.fit --rounds 20 --tasks 10000`
"""

from __future__ import annotations

import argparse
import pprint
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel import generator, statistics, weights
from lasynth.domains.karel.grammar import KEYWORDS
from lasynth.domains.karel.nodes import ACTIONS, CATEGORIES
from lasynth.statistics import total_variation

FITTED = Path(__file__).with_name("fitted.py")
HEADER = '''"""Weights that fit.py wrote; weights.py, skeleton.py and scenery.py explain them."""

from typing import Any

FITTED: dict[str, Any] = '''
SHARED = 0.35
"""Factor on the rate for lines that depend on each other, because all of them measure the amount of control flow."""
TARGETS = statistics.published()
PlainTables = dict[str, dict[str, NDArray[np.float64]]]


def ratios(lines: statistics.Lines, name: str, classes: tuple[str, ...], rate: float) -> NDArray[np.float64]:
    """(wanted / found) ** rate for each class of a line."""
    found, wanted = lines[name], TARGETS[name]
    total = max(found.total(), 1)
    return np.array([((wanted[c] + 1e-4) / (found[c] / total + 1e-4)) ** rate for c in classes])


def classes(name: str) -> tuple[str, ...]:
    return tuple(TARGETS[name])


def update_shape(tables: dict[str, Any], lines: statistics.Lines, rate: float) -> None:
    for field, name in (("nesting", "nesting"), ("controls", "control statements"), ("length", "length")):
        tables[field] *= ratios(lines, name, classes(name), rate * SHARED)
    tables["category"] *= ratios(lines, "category", CATEGORIES, rate * SHARED)
    for depth, name in enumerate(("statements outside blocks", "statements at depth 1")):
        controls = ratios(lines, name, KEYWORDS, rate * SHARED)
        tables["statements"][depth, 1:] *= controls
        if depth == 1:
            tables["statements"][2, 1:] *= controls
    for row, kind in enumerate((*KEYWORDS, "IFELSE")):
        name = f"block length, {kind}"
        change = ratios(lines, name, classes(name), rate)
        tables["blocks"][row] *= np.concatenate([change, change[-1:].repeat(tables["blocks"].shape[1] - 5)])
    tables["negated"] *= ratios(lines, "not before an IsClear test", ("with",), rate)
    for field in ("nesting", "controls", "category", "length"):
        tables[field] /= tables[field].max()


def update_fill(tables: dict[str, Any], lines: statistics.Lines, rate: float) -> None:
    for depth, name in enumerate(("statements outside blocks", "statements at depth 1")):
        tables["actions"][depth] *= ratios(lines, name, ACTIONS, rate)
    tables["actions"][2] = tables["actions"][1]
    tables["times"] *= ratios(lines, "repeat count", classes("repeat count"), rate)
    tables["alike"] *= ratios(lines, "actions on all examples, with control flow", ("different", "same"), rate)
    tables["acted"] *= ratios(lines, "actions in an example", classes("actions in an example"), rate / 2)
    for field in ("alike", "acted"):
        tables[field] /= tables[field].max()


def update_world(tables: dict[str, Any], lines: statistics.Lines, rate: float) -> None:
    tables["rows"] *= ratios(lines, "world rows", classes("world rows"), rate)
    tables["cols"] *= ratios(lines, "world columns", classes("world columns"), rate)
    tables["walls"][0] *= ratios(lines, "walls in a world", ("none",), rate)[0]
    tables["markers"][0] *= ratios(lines, "markers in a world", ("none",), rate)[0]
    change = ratios(lines, "markers in a cell with some", ("1", "2-5", "6-"), rate)
    tables["counts"] *= change[[0, 1, 1, 1, 1, 2, 2, 2, 2]]


def plain(tables: PlainTables) -> dict[str, Any]:
    """The tables as lists of rounded numbers; except for the chance `negated`, the largest number of a row is 1."""
    return {
        part: {
            name: np.round(a if name == "negated" else a / a.max(axis=-1, keepdims=True), 4).tolist()
            for name, a in fields.items()
        }
        for part, fields in tables.items()
    }


def sample(tables: PlainTables, seed: int, count: int) -> tuple[statistics.Lines, Counter[str]]:
    weights_now = weights.tables_from(tables)
    tasks, counts = generator.sample_with(weights_now, random.Random(seed), count, generator.KarelOptions())
    return statistics.statistics(tasks), counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=10000)
    parser.add_argument("--rate", type=float, default=0.8, help="of the first half of the rounds; then half of it")
    arguments = parser.parse_args()
    stored = weights.TABLES._asdict()
    tables = {part: {k: v.copy() for k, v in fields._asdict().items()} for part, fields in stored.items()}
    for number in range(arguments.rounds):
        lines, counts = sample(tables, number, arguments.tasks)
        distances = {name: total_variation(lines[name], TARGETS[name]) for name in TARGETS}
        worst = sorted(distances.items(), key=lambda item: -item[1])[:5]
        print(number, "; ".join(f"{name} {value:.3f}" for name, value in worst), dict(counts), flush=True)
        rate = arguments.rate if number < arguments.rounds / 2 else arguments.rate / 2
        update_shape(tables["shape"], lines, rate)
        update_fill(tables["fill"], lines, rate)
        update_world(tables["world"], lines, rate)
        FITTED.write_text(HEADER + pprint.pformat(plain(tables), width=110, sort_dicts=False, compact=True) + "\n")


if __name__ == "__main__":
    main()
