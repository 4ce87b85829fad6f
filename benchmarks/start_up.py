"""Seconds until the first answer of `lasynth solve`: a whole process, from its start to its end.

`python benchmarks/start_up.py --out benchmarks/results/start_up.json`. Each task has a sure symbolic answer. Process
seconds are those in which the process had a core; they hold beside other work on the machine, seconds of the wall do
not. Importing numpy and numba, which every answer needs, is measured in the same run. A first process for each task
may compile, and is not counted.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from _measuring import parser, report

EXAMPLES = Path(__file__).parents[1] / "examples"
SORT = ["[3,1,2] -> [1,2,3]", "[9,4,5] -> [4,5,9]", "[1,2,0] -> [0,1,2]"]
MINUS = ["[3,1,3,-2,-4] -> [3,1,2,-2,-4]", "[0,1,2,3,4] -> [0,1,1,3,4]", "[4,4,-3,0,1] -> [4,4,-4,0,1]"]
SUM = ["[3,1,2] -> 6", "[9,4] -> 13", "[] -> 0"]


def solving(lines: list[str], *options: str) -> list[str]:
    return ["-m", "lasynth.cli", "solve", *(word for line in lines for word in ("--example", line)), *options]


TASKS = {
    "`import numpy`": ["-c", "import numpy"],
    "`import numba`": ["-c", "import numba"],
    "subtract one, `--language c`": solving(MINUS, "--language", "c"),
    "subtract one, `--language c --strategy symbolic`": solving(MINUS, "--language", "c", "--strategy", "symbolic"),
    "the sum of a list": solving(SUM),
    "sort three numbers: both languages": solving(SORT),
    "`examples/swap.txt`: both languages": ["-m", "lasynth.cli", "solve", str(EXAMPLES / "swap.txt")],
    "`examples/to_the_wall.karel.txt`": ["-m", "lasynth.cli", "solve", str(EXAMPLES / "to_the_wall.karel.txt")],
}
"""Words after the name of the interpreter."""


class Run(NamedTuple):
    process: float
    wall: float


def once(words: list[str]) -> Run:
    """Seconds of one process. It may write bytecode, as after a usual installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True, env=environment)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall)


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--repeats", type=int, default=7, help="processes per task")
    arguments = accepted.parse_args()
    for words in TASKS.values():
        once(words)
    runs: dict[str, list[Run]] = {name: [] for name in TASKS}
    for _ in range(arguments.repeats):
        for name, words in TASKS.items():
            runs[name].append(once(words))
    result: dict[str, Any] = {
        name: {
            "median process seconds": round(statistics.median(run.process for run in done), 2),
            "median seconds of the wall": round(statistics.median(run.wall for run in done), 2),
            "process seconds": [round(run.process, 3) for run in done],
        }
        for name, done in runs.items()
    }
    report({**result, "load": round(os.getloadavg()[0], 1)}, arguments.out)


if __name__ == "__main__":
    main()
