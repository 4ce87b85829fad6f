"""List Functions (Rule 2020): in how many tasks all held-out examples are right, and seconds. 8 examples are given.

    python benchmarks/list_functions.py --data list_functions_dev.jsonl --out benchmarks/results/list_functions.json

Each line of the data is {"id": .., "given": [{"input": [..], "output": [..]}, ..], "held_out": [..]}. The data are
not part of this repository; without the file nothing is measured.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from _lists import attempt_all, middle, read_tasks
from _measuring import Solving, add_clock, add_strategy, choose_clock, choose_strategy, parser, report

from lasynth.domains import get_domain

DATA = Path(__file__).parents[2] / "shared" / "data" / "lists" / "list_functions_dev.jsonl"


def attempt(task: dict[str, Any], seconds: float, solving: Solving) -> dict[str, Any]:
    """Solve one task by its given examples and judge the first answer by the held-out ones."""
    given = [(e["input"], e["output"]) for e in task["given"]]
    begin = time.perf_counter()
    solution = solving(given, timeout=seconds, top=3)
    taken = time.perf_counter() - begin
    row: dict[str, Any] = {"id": task["id"], "seconds": round(taken, 3), "fits": solution.solved}
    wanted = [e["output"] for e in task["held_out"]]
    inputs = [e["input"] for e in task["held_out"]]
    domain = get_domain("lists")
    rights = []
    for answer in solution.programs:
        (outputs,) = domain.run_many([answer.program], inputs)
        rights.append(sum(x == y for x, y in zip(outputs, wanted, strict=True)))
    row["held-out examples right"] = rights[0] if rights else 0
    row["right"] = bool(rights) and rights[0] == len(wanted)
    row["right among three"] = len(wanted) in rights
    row["confidence"] = solution.best.confidence if solution.best else None
    row["source"] = solution.best.source if solution.best else None
    row["program"] = domain.text(solution.programs[0].program).strip() if solution.programs else None
    return row


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    solved = [row["seconds"] for row in rows if row["right"]]
    return {
        "tasks": len(rows),
        "right": len(solved),
        "percent": round(100 * len(solved) / len(rows), 1),
        "right among three answers": sum(row["right among three"] for row in rows),
        "fits the given examples": sum(row["fits"] for row in rows),
        "held-out examples right, percent": round(
            100 * sum(row["held-out examples right"] for row in rows) / (8 * len(rows)), 1
        ),
        "median seconds of tasks that are right": middle(solved),
        "longest seconds": max(row["seconds"] for row in rows),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--data", type=Path, default=DATA)
    accepted.add_argument("--seconds", type=float, default=10.0, help="time limit of each task")
    accepted.add_argument("--tasks", type=int, help="only the first so many tasks")
    add_clock(accepted)
    add_strategy(accepted)
    arguments = accepted.parse_args()
    clock = choose_clock(arguments)
    tasks, solving = read_tasks(arguments.data)[: arguments.tasks], choose_strategy(arguments)
    rows = attempt_all(tasks, lambda task: attempt(task, arguments.seconds, solving), "right")
    facts = {"strategy": arguments.strategy, "seconds per task": arguments.seconds, **clock}
    report({**facts, **summary(rows), "tasks, one by one": rows}, arguments.out)


if __name__ == "__main__":
    main()
