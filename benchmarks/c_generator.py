"""Restricted C: time and memory to generate data sets of different sizes (native, redraw, --reduce)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _measuring import parser, report


def generate(tasks: int, workers: int) -> dict[str, Any]:
    """Run the command in a process of its own: seconds, and the memory of the largest of its processes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "data"
        held_out = max(tasks // 500, 10)
        command = [
            sys.executable,
            "-m",
            "lasynth.cli",
            "generate",
            "c",
            "--out",
            str(out),
            "--reduce",
            "--processes",
            str(workers),
        ]
        command += ["--train", str(tasks), "--val", str(held_out), "--test", str(held_out), "--seed", "1"]
        watched = [sys.executable, "-c", WATCH, *command]
        start = time.perf_counter()
        result = subprocess.run(watched, check=True, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        size = (out / "train.parquet").stat().st_size
    return {
        "training tasks": tasks,
        "seconds": seconds,
        "tasks/s": tasks / seconds,
        "largest process, MB": int(result.stdout.splitlines()[-1]) / 1024,
        "bytes a task": size / tasks,
    }


WATCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[50_000, 500_000], help="training tasks per run")
    arguments.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = arguments.parse_args()
    figures = {"workers": options.workers, "runs": [generate(size, options.workers) for size in options.sizes]}
    report(figures, options.out)
