"""Shared by the benchmarks: timing, common arguments, and the report of figures and hardware."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

from lasynth.hardware import hardware
from lasynth.solver import Solution, StrategyName, solve

REPEATS = 5
Solving = Callable[..., Solution]


def best_time(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the arguments that every benchmark takes."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--out", type=Path, help="write the figures to this file, e.g. benchmarks/results/NAME.json")
    return arguments


def add_clock(accepted: argparse.ArgumentParser) -> None:
    """An option for machines that do other work besides."""
    accepted.add_argument(
        "--process-clock",
        action="store_true",
        help="count the seconds that the process had a core, for time limits, too; default: those of the wall",
    )


def choose_clock(arguments: argparse.Namespace) -> dict[str, Any]:
    """Switch to the clock that is wanted; what to say about it in the report."""
    if arguments.process_clock:
        time.perf_counter = time.process_time
    return {"clock": "process" if arguments.process_clock else "wall", "load": round(os.getloadavg()[0], 1)}


def add_strategy(accepted: argparse.ArgumentParser) -> None:
    """Which strategy solves, and with which model."""
    accepted.add_argument(
        "--strategy",
        choices=get_args(StrategyName),
        default="portfolio",
        help="symbolic: enumeration alone; neural: the model alone; default: both",
    )
    accepted.add_argument("--weights", type=Path, help="a trained run instead of the shipped weights")


def choose_strategy(arguments: argparse.Namespace) -> Solving:
    """A function that solves as the arguments say. Code and model are loaded before it is used."""
    solving = partial(solve, language="lists", strategy=arguments.strategy, weights=arguments.weights)
    solving([([1], [1])])
    if arguments.strategy != "symbolic":
        solve([([1], [1])], language="lists", strategy="neural", weights=arguments.weights)
    return solving


def report(figures: dict[str, Any], out: Path | None) -> None:
    """Print the figures with the hardware, and write them to a file if one is given."""
    text = json.dumps({**figures, "hardware": hardware()}, indent=2)
    print(text)
    if out:
        out.write_text(text + "\n")
