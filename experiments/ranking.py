"""Does the model's probability help to rank behaviours that fit? Compares weights for it, by language.

    lasynth generate c --out data/ranking --test 600 --seed 31
    python experiments/ranking.py data/ranking/test.parquet --tasks 400 --out experiments/results/ranking.json
    lasynth generate karel --out data/ranking_karel --test 600 --seed 31
    python experiments/ranking.py data/ranking_karel/test.parquet --out experiments/results/ranking_karel.json

The two constants are the `prior` in a language's `confidence.json` and `UNKNOWN` of solver/answers.py.
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

from lasynth.dataset import read_card, read_tasks
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import calibration
from lasynth.hardware import hardware
from lasynth.progress import progress
from lasynth.solver import answers
from lasynth.solver.answers import Answers, rank
from lasynth.solver.portfolio import choose_team, gather, warm_up
from lasynth.task import InputError, Task

PRIORS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0)
UNKNOWNS = (0.0, 1.0, 2.0, 4.0, 8.0)


class Fit(NamedTuple):
    """A behaviour that fits the given examples."""

    length: float | None
    log_prob: float | None
    order: int
    right: bool


def fits(domain: AnyDomain, task: Task[Any, Any], arguments: argparse.Namespace) -> list[Fit]:
    """All behaviours that the strategies find for the given examples of a task."""
    given = domain.given(len(task.examples))
    shown, hidden = list(task.examples[:given]), task.examples[given:]
    team, _ = choose_team(domain, "portfolio", arguments.weights, shown, arguments.top)
    found = gather(team, Answers(domain, shown), time.perf_counter(), arguments.timeout, wide=True)
    behaviours = found.ranked()
    outputs = domain.run_many([b.program for b in behaviours], [e.input for e in hidden]) if behaviours else []
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
    parser.add_argument("--top", type=int, default=1, help="answers that the model looks for")
    arguments = parser.parse_args(words)
    domain = get_domain(str(read_card(arguments.data.parent)["domain"]))
    tasks = list(islice(read_tasks(arguments.data, domain), arguments.tasks))
    warm_up(domain.name)
    found: list[list[Fit]] = []
    with progress({"portfolio": len(tasks)}) as report:
        for task in tasks:
            found.append(fits(domain, task, arguments))
            report("portfolio", 1)
    grid = {f"{p}, {u}": share_right(found, p, u) for p in PRIORS for u in UNKNOWNS}
    best = max(grid, key=lambda key: grid[key])
    results = {
        "data": str(arguments.data),
        "tasks": len(tasks),
        "some answer is right": round(100 * sum(any(f.right for f in fit) for fit in found) / len(tasks), 2),
        "right, by prior and unknown": grid,
        "best": best,
        "as set": share_right(found, calibration(type(domain)).prior, answers.UNKNOWN),
        "hardware": hardware(),
    }
    show(results, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"ranking: {error}")
