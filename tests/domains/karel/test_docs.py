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
    assert f"| {result['tasks per second of one core']:,} | 3,000 |" in DOCS


def test_the_speed_is_the_measured_one() -> None:
    result = json.loads((RESULTS / "karel_machine.json").read_text())
    speed = result["machine, runs per second on one core, compilation of lexemes to bytecode included"]
    assert f"| {speed:,} | 1,000,000 |" in DOCS
    assert f"| {result['machine : interpreter']} | 30 |" in DOCS
    packing = result["packing trees and worlds into arrays, microseconds a run (not in the above)"]
    assert f"| {packing} microseconds per run |" in DOCS
    assert f"| {result['reduction on six worlds, microseconds a program']} microseconds |" in DOCS
    assert f"takes {result['mean ticks of a run']} ticks on average" in " ".join(DOCS.split())


def test_what_can_be_known_is_the_measured_one() -> None:
    result = json.loads((ROOT / "experiments" / "results" / "shown_karel.json").read_text())
    rows = {
        "bound: no simpler program fits the given worlds": "shown",
        "oracle: the task's program, cut down to the given worlds": "right if reduced",
        "enumeration finds a program that fits": "enumerated, found",
        "the simplest of these is right on the sixth world": "enumerated, right",
        "one of these is right on the sixth world": "enumerated, one is right",
    }
    for label, key in rows.items():
        shares = [result[key]["all"]["tasks"], *result[key]["category"].values()]
        assert f"| {label} | {' | '.join(f'{share:.1f}' for share in shares)} |" in DOCS
    found, first, one = (result[f"enumerated, {key}"]["all"]["tasks"] for key in ("found", "right", "one is right"))
    prose = " ".join(DOCS.split())
    assert f"gain at most {one - first:.1f} percent" in prose
    assert f"the {100 - found:.1f} percent for which it finds nothing" in prose


def test_the_confidence_is_the_measured_one() -> None:
    result = json.loads((ROOT / "experiments" / "results" / "confidence_karel.json").read_text())
    branches, prose = result["by kind"]["If-only"], " ".join(DOCS.split())
    assert f"error is {result['expected calibration error']:.3f} for {result['answers']} answers" in prose
    assert f"one held-out world: {100 * result['right']:.0f}% are" in prose
    assert f"takes {result['median seconds']:.2f} s of processor time" in prose
    assert f"is {branches['expected calibration error']:.2f} on {branches['answers']} answers" in prose


def test_the_speeds_of_training_are_the_measured_ones() -> None:
    rates = json.loads((RESULTS / "karel_training.json").read_text())["programs per second of one core"]
    for row, rate in rates["cpu"].items():
        assert f"| `{row}` | {rate:,.0f} | {rates['paper'][row]:.1f} |" in DOCS
    goals = {"Executed": 900, "Bunel": 300, "LaSynth": 150}
    assert all(2 * rates["cpu"][row] >= goal for row, goal in goals.items())
