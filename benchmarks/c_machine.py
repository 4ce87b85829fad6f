"""Restricted C: speed of the compiled machine, the interpreter and gcc on programs of a data set, on one core."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from _measuring import best_time, parser, report

from lasynth.domains.restricted_c.data import generator
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.execution import interpreter
from lasynth.domains.restricted_c.execution.machine import Codes, pack, run_codes
from lasynth.domains.restricted_c.language.lexemes import to_code
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.reduction.reduce import reduce_program

LISTS = (10, 64)


def measure(count: int, reduced: bool, compiled_by_gcc: int) -> dict[str, Any]:
    tasks, _ = generator.sample_tasks(Random(1), count, COptions(reduce=reduced))
    programs = [task.program for task in tasks]
    codes = pack([to_code(program) for program in programs])
    figures: dict[str, Any] = {"programs": count, "mean lexemes": codes.kinds.size / count}
    for lists in LISTS:
        inputs = np.random.default_rng(0).integers(-4, 5, (lists, 5)).astype(np.int32)
        figures[f"machine, runs/s, {lists} lists a program, translation included"] = runs_per_second(codes, inputs)
    inputs = np.random.default_rng(0).integers(-4, 5, (10, 5)).astype(np.int32)
    some = programs[: count // 20]
    seconds = best_time(lambda: interpret(some, inputs.tolist()), 3)
    figures["interpreter, runs/s"] = len(some) * 10 / seconds
    machine = figures["machine, runs/s, 10 lists a program, translation included"]
    figures["machine : interpreter, 10 lists a program"] = machine / figures["interpreter, runs/s"]
    figures["trees to lexemes, microseconds a program"] = (
        best_time(lambda: [to_code(p) for p in some]) / len(some) * 1e6
    )
    checks = np.random.default_rng(1).integers(-4, 5, (74, 5)).astype(np.int32)
    reducing = best_time(lambda: [reduce_program(p, checks) for p in some], 3)
    figures["reduction on 74 lists, milliseconds a program"] = reducing / len(some) * 1e3
    if compiled_by_gcc and shutil.which("gcc"):
        seconds = gcc_seconds(programs[:compiled_by_gcc], inputs.tolist())
        figures["gcc, compile and run ten lists, milliseconds a program"] = seconds * 1e3
        figures["machine : gcc, ten lists"] = seconds * machine / 10
    return figures


def runs_per_second(codes: Codes, inputs: np.ndarray) -> float:
    run_codes(codes, inputs)
    return (codes.offsets.size - 1) * len(inputs) / best_time(lambda: run_codes(codes, inputs))


def interpret(programs: list[Program], inputs: list[list[int]]) -> None:
    for program in programs:
        for values in inputs:
            interpreter.run(program, values)


def gcc_seconds(programs: list[Program], inputs: list[list[int]]) -> float:
    """Mean seconds to compile one program with gcc and run it on the lists: the alternative to the machine."""
    rows = ", ".join("{" + ", ".join(map(str, values)) + "}" for values in inputs)
    main = f"""#include <stdio.h>
    static int inputs[][5] = {{ {rows} }};
    int main(void) {{
        for (int k = 0; k < {len(inputs)}; k++) {{
            func_1(inputs[k]);
            for (int i = 0; i < 5; i++) printf("%d ", inputs[k][i]);
        }}
        return 0;
    }}
    """

    def compile_and_run() -> None:
        for program in programs:
            (folder / "p.c").write_text(print_program(program) + main)
            subprocess.run(["gcc", "-O0", "-w", "-o", str(folder / "p"), str(folder / "p.c")], check=True)
            subprocess.run([str(folder / "p")], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return best_time(compile_and_run, 2) / len(programs)


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--programs", type=int, default=5000)
    options = arguments.parse_args()
    kinds = {"random programs": False, "reduced programs": True}
    report(
        {name: measure(options.programs, reduced, 0 if reduced else 20) for name, reduced in kinds.items()}, options.out
    )
