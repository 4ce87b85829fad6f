"""The tables in docs/karel.md show the committed results."""

from __future__ import annotations

import json
from pathlib import Path

from lasynth.domains.karel import statistics

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "karel.md").read_text()
RESULTS = ROOT / "benchmarks" / "results"


def test_the_distances_are_the_measured_ones() -> None:
    result = json.loads((RESULTS / "karel_generator.json").read_text())
    assert statistics.published().keys() <= result["lines"].keys()
    for name, line in result["lines"].items():
        if "distance" in line:
            assert line["distance"] < 0.05
            assert f"| {name} | {line['distance']:.3f} |" in DOCS
    assert f"| {result['seconds']} s | 600 s |" in DOCS


def test_the_speed_is_the_measured_one() -> None:
    result = json.loads((RESULTS / "karel_machine.json").read_text())
    speed = result["machine, runs per second on one core, compilation of lexemes to bytecode included"]
    assert f"| {speed:,} | 1,000,000 |" in DOCS
    assert f"| {result['machine : interpreter']} | 30 |" in DOCS
