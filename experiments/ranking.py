"""Does the model's probability help to rank behaviours that fit? Compares values of `PRIOR` and `UNKNOWN` of
solver/answers.py. With the chosen `PRIOR` of 0 the shortest description decides.

    lasynth generate c --out data/ranking --test 600 --seed 31
    python experiments/ranking.py data/ranking/test.parquet --tasks 400 --out experiments/results/ranking.json

For every task it gathers all behaviours that fit the given examples, with their description length, their
log-probability, and whether they are right on the held-out examples. Then it counts for each pair of constants how
often the behaviour ranked first is right.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from _results import show

from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.hardware import hardware
from lasynth.progress import progress
from lasynth.solver import answers
from lasynth.solver.answers import Answers, rank
from lasynth.solver.portfolio import choose_team, gather
from lasynth.task import InputError, Task

C = get_domain("c")
PRIORS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
UNKNOWNS = (0.0, 1.0, 2.0, 4.0, 8.0)


class Fit(NamedTuple):
    """A behaviour that fits the given examples."""

    length: float | None
    log_prob: float | None
    order: int
    right: bool


def fits(task: Task[Any, Any], arguments: argparse.Namespace) -> list[Fit]:
    """All behaviours that the portfolio finds for the given examples of a task."""
    given = C.given(len(task.examples))
    shown, hidden = list(task.examples[:given]), task.examples[given:]
    team, _ = choose_team(C, "portfolio", arguments.weights, shown)
    found = gather(team, Answers(C, shown), time.perf_counter(), arguments.timeout)
    behaviours = found.ranked()
    outputs = C.run_many([b.program for b in behaviours], [e.input for e in hidden]) if behaviours else []
    wanted = [e.output for e in hidden]
    return [Fit(b.length, b.log_prob, b.order, o == wanted) for b, o in zip(behaviours, outputs, strict=True)]


def share_right(tasks: list[list[Fit]], prior: float, unknown: float) -> float:
    """Percentage of tasks whose first behaviour is right, with these constants."""
    first = [rank(found, prior, unknown)[0] for found in tasks if found]
    return round(100 * sum(fit.right for fit in first) / len(tasks), 2)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of tasks that are used for no other measurement")
    parser.add_argument("--tasks", type=int, default=600)
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds per task")
    parser.add_argument("--weights", type=Path, help="a trained run instead of the shipped weights")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    tasks = list(islice(read_tasks(arguments.data, C), arguments.tasks))
    found: list[list[Fit]] = []
    with progress({"portfolio": len(tasks)}) as report:
        for task in tasks:
            found.append(fits(task, arguments))
            report("portfolio", 1)
    grid = {f"{p}, {u}": share_right(found, p, u) for p in PRIORS for u in UNKNOWNS}
    best = max(grid, key=lambda key: grid[key])
    results = {
        "data": str(arguments.data),
        "tasks": len(tasks),
        "some answer is right": round(100 * sum(any(f.right for f in fit) for fit in found) / len(tasks), 2),
        "right, by prior and unknown": grid,
        "best": best,
        "as set": share_right(found, answers.PRIOR, answers.UNKNOWN),
        "hardware": hardware(),
    }
    show(results, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"ranking: {error}")
