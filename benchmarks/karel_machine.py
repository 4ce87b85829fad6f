"""Karel: speed of the compiled machine, the interpreter and the reduction on generated tasks, on one core."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from _measuring import best_time, parser, report

from lasynth.domains.karel import generator, interpreter, machine
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.reduce import reduce_tokens
from lasynth.domains.karel.world import World
from lasynth.task import Task


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


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--tasks", type=int, default=20_000)
    arguments.add_argument("--interpreted", type=int, default=1_000, help="tasks for the slow interpreter")
    options = arguments.parse_args()
    report(measure(options.tasks, options.interpreted), options.out)
