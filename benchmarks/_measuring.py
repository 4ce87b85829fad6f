"""What the benchmarks share: the quickest of several runs, the hardware, and where results go."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lasynth.hardware import hardware

REPEATS = 5


def best_time(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Seconds of the quickest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def parser(description: str | None) -> argparse.ArgumentParser:
    """Arguments that every benchmark takes."""
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--out", type=Path, help="keep the figures in this file, e.g. benchmarks/results/NAME.json")
    return arguments


def report(figures: dict[str, Any], out: Path | None) -> None:
    """Print the figures with the hardware; keep them if asked to."""
    text = json.dumps({**figures, "hardware": hardware()}, indent=2)
    print(text)
    if out:
        out.write_text(text + "\n")
