"""Karel's compiled machine against the readable interpreter, and reduction, on generated tasks: one core, one run.

`python benchmarks/karel_machine.py --out benchmarks/results/karel_machine.json`
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from lasynth.domains.karel import generator, interpreter, machine
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.reduce import reduce_tokens
from lasynth.domains.karel.world import World
from lasynth.task import Task

REPEATS = 5


def best_time(work: Callable[[], Any]) -> float:
    """Seconds of the quickest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def hardware() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def interpret(tasks: list[Task[Program, World]]) -> None:
    for task in tasks:
        for example in task.examples:
            interpreter.run(task.program, example.input)


def measure(count: int, interpreted: int) -> dict[str, Any]:
    tasks, _ = generator.sample_tasks(Random(1), count, generator.KarelOptions())
    programs = machine.pack_programs([task.program for task in tasks])
    worlds = machine.pack([example.input for task in tasks for example in task.examples])
    first = np.arange(count, dtype=np.int64) * generator.EXAMPLES
    reports, grids = machine.run(programs, worlds, first=first, count=generator.EXAMPLES)

    def by_machine() -> None:
        machine.run_batch(
            programs.tokens, programs.bounds, worlds.grids, worlds.heroes, first, interpreter.TICKS, reports, grids
        )

    def packing() -> None:
        machine.pack_programs([task.program for task in tasks[:interpreted]])
        machine.pack([example.input for task in tasks[:interpreted] for example in task.examples])

    def reducing() -> None:
        for i in range(interpreted):
            tokens = programs.tokens[programs.bounds[i] : programs.bounds[i + 1]]
            rows = slice(6 * i, 6 * i + 6)
            reduce_tokens(tokens, worlds.grids[rows], worlds.heroes[rows], interpreter.TICKS)

    reducing()
    machine_run = best_time(by_machine) / (count * generator.EXAMPLES)
    interpreter_run = best_time(lambda: interpret(tasks[:interpreted])) / (interpreted * generator.EXAMPLES)
    return {
        "runs": count * generator.EXAMPLES,
        "mean ticks of a run": round(float(reports[:, :, machine.TOOK].mean()), 2),
        "machine, runs per second on one core, compilation of lexemes to bytecode included": round(1 / machine_run),
        "interpreter, runs per second on one core": round(1 / interpreter_run),
        "machine : interpreter": round(interpreter_run / machine_run, 1),
        "packing trees and worlds into arrays, microseconds a run (not in the above)": round(
            best_time(packing) / (interpreted * generator.EXAMPLES) * 1e6, 2
        ),
        "reduction on six worlds, microseconds a program": round(best_time(reducing) / interpreted * 1e6, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--interpreted", type=int, default=1_000, help="tasks for the slow interpreter")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    result = {"benchmark": "karel_machine", "hardware": hardware()} | measure(arguments.tasks, arguments.interpreted)
    text = json.dumps(result, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
