"""Runs C functions of programs with gcc and its sanitizers."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lasynth.domains.lists.emission.written import written
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import Program, Type

AVAILABLE = shutil.which("gcc") is not None
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-maybe-uninitialized", "-c", "-o", "/dev/null"]
"""Without sanitizers, which hide some warnings. A list that is always empty looks uninitialized to gcc."""
FLAGS = [
    "-std=c99",
    "-O1",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-maybe-uninitialized",
    "-fsanitize=undefined,address",
    "-fno-sanitize-recover=all",
]
HELPERS = """
#include <stdio.h>
#include <stdlib.h>
static int next(void)
{
    int value = 0;
    if (scanf("%d", &value) != 1) abort();
    return value;
}
static int *next_list(int n)
{
    int *list = malloc((size_t)n * sizeof *list);
    for (int i = 0; i < n; i++) list[i] = next();
    return list;
}
static void show_list(const int *values, int n)
{
    printf("[");
    for (int i = 0; i < n; i++) printf(i ? ", %d" : "%d", values[i]);
    printf("]\\n");
}
"""


def run_with_gcc(
    cases: Sequence[tuple[Program, Sequence[tuple[Sequence[Basic], Basic]]]], folder: Path
) -> list[list[Basic]]:
    """What each program's function gives for each row of inputs, for which the interpreter gave an output.

    Lists are on the heap with exactly their length, `out` with exactly the room that the output takes, so that the
    address sanitizer sees each access outside.
    """
    parts, numbers = [HELPERS], []
    for number, (program, runs) in enumerate(cases):
        parts.append(written(program).replace("func_1", f"func_{number}"))
        parts.append(_driver(number, program))
        for inputs, wanted in runs:
            numbers.append(len(wanted) if isinstance(wanted, list) else 0)
            for value in inputs:
                numbers += [len(value), *value] if isinstance(value, list) else [value]
    calls = [f"    for (int i = 0; i < {len(runs)}; i++) call_{n}();" for n, (_, runs) in enumerate(cases)]
    parts.append("int main(void)\n{\n" + "\n".join(calls) + "\n    return 0;\n}\n")
    source = folder / "cases.c"
    source.write_text("\n".join(parts))
    subprocess.run(["gcc", *STRICT, str(source)], check=True)
    subprocess.run(["gcc", *FLAGS, str(source), "-o", str(folder / "cases")], check=True)
    run = subprocess.run(
        [folder / "cases"], input=" ".join(map(str, numbers)), check=True, stdout=subprocess.PIPE, text=True
    )
    lines = iter(run.stdout.splitlines())
    return [[json.loads(next(lines)) for _ in runs] for _, runs in cases]


def _driver(number: int, program: Program) -> str:
    """A C function that reads one row of inputs, calls the program's function and prints what it gives."""
    lines, arguments, made = ["int room = next();"], [], []
    for place, parameter in enumerate(program.parameters):
        if parameter.type == Type.LIST:
            lines.append(f"int n{place} = next();")
            lines.append(f"int *p{place} = next_list(n{place});")
            arguments += [f"p{place}", f"n{place}"]
            made.append(f"p{place}")
        else:
            lines.append(f"int p{place} = next();")
            arguments.append(f"p{place}")
    if program.body.type == Type.LIST:
        lines.append("int *out = calloc((size_t)room, sizeof *out);")
        lines.append(f"show_list(out, func_{number}({', '.join([*arguments, 'out'])}));")
        made.append("out")
    else:
        lines.append("(void)room;")
        lines.append(f'printf("%d\\n", func_{number}({", ".join(arguments)}));')
    lines += [f"free({name});" for name in made]
    return "\n".join([f"static void call_{number}(void)", "{", *(f"    {line}" for line in lines), "}", ""])
