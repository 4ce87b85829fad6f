"""The handwritten tasks of LambdaBeam (Shi et al. 2023): for how many a program fits all given examples, and seconds.

    python benchmarks/lambdabeam.py --data lambdabeam_dev.jsonl --seconds 10 --out benchmarks/results/lambdabeam.json

Each line of the data is {"id": .., "given": [{"inputs": {"x": .., ..}, "output": ..}, ..]}. The data are not part of
this repository; without the file nothing is measured. Tasks with values that the language does not have count as not
solved.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from _lists import attempt_all, middle, read_tasks
from _measuring import Solving, add_clock, add_strategy, choose_clock, choose_strategy, parser, report

from lasynth.domains import get_domain
from lasynth.task import InputError

DATA = Path(__file__).parents[2] / "shared" / "data" / "lists" / "lambdabeam_dev.jsonl"


def attempt(task: dict[str, Any], seconds: float, solving: Solving) -> dict[str, Any]:
    given = [(e["inputs"], e["output"]) for e in task["given"]]
    begin = time.perf_counter()
    row: dict[str, Any] = {"id": task["id"]}
    try:
        solution = solving(given, timeout=seconds)
    except InputError as error:
        return {**row, "seconds": 0.0, "fits": False, "program": None, "reason": str(error)}
    first = solution.programs[0].program if solution.programs else None
    return {
        **row,
        "seconds": round(time.perf_counter() - begin, 3),
        "fits": solution.solved,
        "source": solution.best.source if solution.best else None,
        "program": get_domain("lists").text(first).strip() if first is not None else None,
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--data", type=Path, default=DATA)
    accepted.add_argument("--seconds", type=float, default=10.0, help="time limit of each task")
    add_clock(accepted)
    add_strategy(accepted)
    arguments = accepted.parse_args()
    clock = choose_clock(arguments)
    solving = choose_strategy(arguments)
    rows = attempt_all(read_tasks(arguments.data), lambda task: attempt(task, arguments.seconds, solving), "fits")
    times = [row["seconds"] for row in rows if row["fits"]]
    figures = {
        "strategy": arguments.strategy,
        "seconds per task": arguments.seconds,
        **clock,
        "tasks": len(rows),
        "fits all examples": len(times),
        "percent": round(100 * len(times) / len(rows), 1),
        "median seconds of tasks that fit": middle(times),
        "longest seconds": max(row["seconds"] for row in rows),
        "tasks, one by one": rows,
    }
    report(figures, arguments.out)


if __name__ == "__main__":
    main()
