"""Decoding for relabelling: tasks per second and core at beam 8, by group size, longest program and rule of choice.

Searches that end as soon as the choice is certain are compared with whole searches. Rates are per second of processor
time, so that other work on the machine disturbs them less; rates by the clock are given, too. The floor is 35 tasks/s
per core: 500,000 tasks in two hours on two cores.

`python benchmarks/relabel.py DATA --run RUN --out benchmarks/results/relabel.json`
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _measuring import parser, report

from lasynth.decoding import Choice, Decoding
from lasynth.search import KEEP, Finished
from lasynth.settings import RelabelConfig, SearchConfig
from lasynth.solver import PRETRAINED

FLOOR = 35


class WholeSearch(Choice):
    """Chooses the same programs, but never ends a search early."""

    def __call__(self, finished: Finished) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.full_like(super().__call__(finished), KEEP)


def measure(decoding: Decoding, tasks: int, config: RelabelConfig, choice: type[Choice] = Choice) -> dict[str, Any]:
    """Decode the first tasks."""
    decoding.config, size = config, config.search.tasks
    used, begin, found = time.process_time(), time.perf_counter(), 0
    for first in range(0, tasks, size):
        found += len(decoding.decode(first, min(first + size, tasks), choice))
    used, took = time.process_time() - used, time.perf_counter() - begin
    return {
        "tasks/s of processor time": round(tasks / used, 1),
        "tasks/s by the clock": round(tasks / took, 1),
        "tasks with a program that fits, %": round(100 * found / tasks, 1),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("data", type=Path, help="folder of a data set with at least --tasks training tasks")
    accepted.add_argument("--run", type=Path, default=PRETRAINED / "c", help="trained run; default: shipped weights")
    accepted.add_argument("--tasks", type=int, default=1024, help="tasks of each measurement")
    arguments = accepted.parse_args()
    torch.set_num_threads(1)
    usual = RelabelConfig()
    decoding = Decoding(arguments.run, arguments.data / "train.parquet", usual)
    card = decoding.card
    decoding.decode(0, 4)  # compiles the machine
    tasks = min(arguments.tasks, len(decoding.split))
    beam, longest, group = usual.search.beam, usual.search.max_length, usual.search.tasks
    result: dict[str, Any] = {
        "benchmark": "relabel",
        "weights": f"{card['name']} after {card['programs']:,} programs",
        "tasks": tasks,
        "threads": 1,
        "torch": torch.__version__,
        "beam": beam,
        "floor, tasks/s per core": FLOOR,
        "default": measure(decoding, tasks, usual),
        "default, whole searches": measure(decoding, tasks, usual, WholeSearch),
        "shortest": measure(decoding, tasks, RelabelConfig(choice="shortest")),
    }
    for size in (16, 64, 256):
        config = RelabelConfig(SearchConfig(beam, longest, tasks=size))
        result[f"{size} tasks together"] = measure(decoding, tasks, config)
    for most in (64, 130):
        config = RelabelConfig(SearchConfig(beam, most, tasks=group))
        result[f"programs of at most {most} lexemes"] = measure(decoding, tasks, config)
    report(result, arguments.out)


if __name__ == "__main__":
    main()
