"""Start-up time of `lasynth solve`: the seconds of a whole process minus the seconds of the solving in it.

`python benchmarks/start_up.py --out benchmarks/results/start_up.json`. The first process may still compile, so the
median is reported.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from typing import Any

from _measuring import parser, report

EXAMPLES = ["[3,1,3,-2,-4] -> [3,1,2,-2,-4]", "[0,1,2,3,4] -> [0,1,1,3,4]", "[4,4,-3,0,1] -> [4,4,-4,0,1]"]


def once(strategy: str) -> tuple[float, float]:
    """Seconds of one process, and seconds of the solving in it."""
    words = [word for example in EXAMPLES for word in ("--example", example)]
    command = [sys.executable, "-m", "lasynth.cli", "solve", *words, "--language", "c"]
    command += ["--strategy", strategy, "--json"]
    begin = time.perf_counter()
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return time.perf_counter() - begin, json.loads(answer)["seconds"]


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--repeats", type=int, default=7, help="processes per strategy")
    accepted.add_argument("--strategies", nargs="+", default=["symbolic", "portfolio"])
    arguments = accepted.parse_args()
    result: dict[str, Any] = {}
    for strategy in arguments.strategies:
        runs = [once(strategy) for _ in range(arguments.repeats)]
        result[strategy] = {
            "median seconds before solving": round(statistics.median(whole - solved for whole, solved in runs), 2),
            "median seconds of solving": round(statistics.median(solved for _, solved in runs), 3),
            "seconds of each process": [round(whole, 2) for whole, _ in runs],
        }
    report(result, arguments.out)


if __name__ == "__main__":
    main()
