"""Accuracy of `lasynth solve`: runs each strategy on a test set and checks the first answers on the held-out examples.

    lasynth generate c --out data/fresh --test 1000 --seed 2026
    python experiments/solve_tasks.py data/fresh/test.parquet --out experiments/results/solve_c.json
    lasynth generate karel --out data/karel_fresh --test 1000 --seed 2026
    python experiments/solve_tasks.py data/karel_fresh/test.parquet --out experiments/results/solve_karel.json

Strategies that need weights are skipped if there are none. `--given N` gives the solver N examples instead of the
usual number; the others are held out. `--processor-time` counts the time of the processor, for limits and figures: then
other work on the machine does not matter.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from _results import show
from numpy.typing import NDArray

from lasynth import solve
from lasynth.dataset import read_card, read_tasks
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.hardware import hardware
from lasynth.progress import progress
from lasynth.solver import PRETRAINED
from lasynth.split import load_split
from lasynth.task import InputError, Task

Right = NDArray[np.bool_]


def outcome(
    domain: AnyDomain, task: Task[Any, Any], given: int, strategy: str, arguments: argparse.Namespace
) -> tuple[bool, bool, float, int]:
    """Whether the first answer is right on all examples, whether there is one, seconds, and candidates executed."""
    pairs = [(e.input, e.output) for e in task.examples]
    solution = solve(
        pairs[:given],
        language=domain.name,
        strategy=strategy,  # type: ignore[arg-type]
        timeout=arguments.timeout,
        weights=arguments.weights,
    )
    if not solution.solved:
        return False, False, solution.seconds, solution.candidates
    (outputs,) = domain.run_many([solution.programs[0].program], [x for x, _ in pairs])
    return outputs == [y for _, y in pairs], True, solution.seconds, solution.candidates


def summary(columns: Sequence[NDArray[Any]], groups: dict[str, dict[str, Right]]) -> dict[str, Any]:
    right, answered, seconds, candidates = columns

    def rates(rows: Right) -> dict[str, float]:
        return {"tasks": int(rows.sum()), "right": round(100 * float(right[rows].mean()), 2)}

    return {
        "right": round(100 * float(right.mean()), 2),
        "answered": round(100 * float(answered.mean()), 2),
        "groups": {
            kind: {n: rates(rows) for n, rows in members.items() if rows.any()} for kind, members in groups.items()
        },
        "median seconds": round(float(np.median(seconds)), 4),
        "p95 seconds": round(float(np.percentile(seconds, 95)), 4),
        "longest seconds": round(float(seconds.max()), 4),
        "median candidates": int(np.median(candidates)),
        "tasks right": "".join("1" if r else "0" for r in right),
    }


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of tasks")
    parser.add_argument("--strategies", nargs="+", default=["symbolic", "neural", "portfolio"])
    parser.add_argument("--tasks", type=int, help="number of tasks; default: all")
    parser.add_argument("--given", type=int, help="number of examples that the solver sees; default: the language's")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds per task")
    parser.add_argument("--processor-time", action="store_true", help="for limits and figures; use one thread")
    parser.add_argument("--weights", type=Path, help="a trained run instead of the shipped weights")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    if arguments.processor_time:
        time.perf_counter = time.process_time
    domain = get_domain(str(read_card(arguments.data.parent)["domain"]))
    split = load_split(arguments.data, domain)
    split = split.take(arguments.tasks or len(split))
    tasks = list(islice(read_tasks(arguments.data, domain), len(split)))
    given = arguments.given or domain.given(split.examples)
    if not 1 <= given < split.examples:
        raise InputError(f"--given must be 1 to {split.examples - 1}: the tasks have {split.examples} examples")
    groups = {
        "category": {name: split.category == i for i, name in enumerate(domain.categories)},
        **learnable(domain).groups(split.inputs, split.outputs),
    }
    weights = arguments.weights is not None or (PRETRAINED / domain.name).exists()
    names = [name for name in arguments.strategies if weights or name == "symbolic"]
    facts = {"data": str(arguments.data), "tasks": len(tasks), "given": given, "timeout": arguments.timeout}
    clock = "processor" if arguments.processor_time else "wall"
    results: dict[str, Any] = {**facts, "clock": clock, "hardware": hardware()}
    with progress(dict.fromkeys(names, len(tasks))) as report:
        for name in names:
            rows = []
            for task in tasks:
                rows.append(outcome(domain, task, given, name, arguments))
                report(name, 1)
            results[name] = summary([np.array(column) for column in zip(*rows, strict=True)], groups)
    show(results, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"solve_tasks: {error}")
