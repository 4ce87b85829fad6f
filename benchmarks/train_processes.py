"""The speed of plain `lasynth train` against the best number of processes and threads set by hand.

    python benchmarks/train_processes.py [--out FILE]

It measures on quiet cores and beside one busy process. Each case trains for the same time with the command itself, on
programs of all lengths, as a training does most of its time. Its speed is taken from the log of the second half of the
steps, because the first half compiles kernels. The cases take turns in several rounds, and the best round of each
counts. All ratios come from one run of this benchmark. Run it on cores that are otherwise idle.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from _measuring import parser, report

from lasynth.workers import usable_cores

PLAIN = "plain command"
THREADS = "OMP_NUM_THREADS"


def cases(cores: int) -> dict[str, tuple[list[str], dict[str, str]]]:
    """Options and environment of each case: the plain command and each split of the cores in processes and threads."""
    by_hand = {
        f"{cores // threads} processes, {threads} threads": (
            ["--processes", str(cores // threads)],
            {THREADS: str(threads)},
        )
        for threads in range(1, cores + 1)
        if cores % threads == 0
    }
    one = {"1 processes, 1 threads": (["--processes", "1"], {THREADS: "1"})}
    return {PLAIN: ([], {}), **by_hand, **one}


def programs_per_second(data: Path, options: list[str], environment: dict[str, str], seconds: float) -> float:
    """The speed in the second half of a training that is stopped after so many seconds of steps."""
    clean = {name: value for name, value in os.environ.items() if name != THREADS}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "lasynth.cli", "train", str(data), "--out", str(run)]
        more = ["--hours", str(seconds / 3600), "--log-every", "1", "--validation-tasks", "1", *options]
        subprocess.run([*command, *more], env={**clean, **environment}, check=True, capture_output=True)
        records = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    steps = [record for record in records if record["kind"] == "train"]
    first, last = steps[len(steps) // 2 - 1], steps[-1]
    return float(last["programs"] - first["programs"]) / float(last["seconds"] - first["seconds"])


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run so many other processes that never pause."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(data: Path, options: list[str], seconds: float, rounds: int) -> dict[str, Any]:
    best: dict[str, dict[str, float]] = {}
    for beside in ("quiet", "beside one busy process"):
        rates = best.setdefault(beside, {})
        for _ in range(rounds):
            for name, (extra, environment) in cases(usable_cores()).items():
                with busy(int(beside != "quiet")):
                    rate = programs_per_second(data, [*options, *extra], environment, seconds)
                rates[name] = max(rates.get(name, 0.0), rate)
    ratios = {}
    for beside, rates in best.items():
        hand = max(rate for name, rate in rates.items() if name != PLAIN)
        ratios[f"{beside}: plain command : best by hand"] = round(rates[PLAIN] / hand, 3)
    quiet, loaded = (rates[PLAIN] for rates in best.values())
    return {
        "programs per second": best,
        **ratios,
        "plain command: beside one busy process : quiet": round(loaded / quiet, 3),
    }


def make_data(folder: Path, tasks: int) -> Path:
    sizes = ["--train", str(tasks), "--val", "10", "--reduce", "--seed", "3"]
    command = [sys.executable, "-m", "lasynth.cli", "generate", "c", "--out", str(folder / "data"), *sizes]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "data"


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--model", default="LaSynth")
    arguments.add_argument("--batch", type=int, default=64)
    arguments.add_argument("--tasks", type=int, default=20_000)
    arguments.add_argument("--seconds", type=float, default=60.0, help="of each training")
    arguments.add_argument("--rounds", type=int, default=2)
    chosen = arguments.parse_args()
    options = ["--model", chosen.model, "--batch", str(chosen.batch), "--curriculum", "0"]
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(make_data(Path(folder), chosen.tasks), options, chosen.seconds, chosen.rounds)
    settings = {"model": chosen.model, "batch": chosen.batch, "seconds": chosen.seconds, "rounds": chosen.rounds}
    facts = {"benchmark": "train_processes", **settings, "usable cores": usable_cores(), "torch": torch.__version__}
    report({**facts, **figures}, chosen.out)


if __name__ == "__main__":
    main()
