"""Runs many programs with gcc and its sanitizers, in one compilation, as a reference for our own execution.

The list is in the middle of a large region of poisoned memory, so the address sanitizer catches every subscript outside
it. Runs that should succeed share a process. A run that should fail gets its own process, which the right sanitizer
must stop. Variables are volatile, because gcc may otherwise simplify `x - x` to 0 before a sanitizer sees it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.printer import print_program

AVAILABLE = shutil.which("gcc") is not None
FLAGS = ["-O0", "-w", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
OVERFLOW, BOUNDS, SURVIVED = "overflow", "bounds", "survived"

HARNESS = """
#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = %(length)d, ROOM = 1 << 18 };
static int room[2 * ROOM + LENGTH] __attribute__((aligned(64)));
static int (*const list) = room + ROOM;

static void load(const int *values)
{
    ASAN_UNPOISON_MEMORY_REGION(room, sizeof room);
    memcpy(list, values, sizeof(int) * LENGTH);
    ASAN_POISON_MEMORY_REGION(room, sizeof(int) * ROOM);
    ASAN_POISON_MEMORY_REGION(list + LENGTH, sizeof(int) * ROOM);
}

static void run_well(volatile int *(*function)(volatile int *), const int *values)
{
    load(values);
    function(list);
    for (int i = 0; i < LENGTH; i++) printf("%%d ", list[i]);
    puts("");
}

static void run_badly(volatile int *(*function)(volatile int *), const int *values)
{
    int ends[2];
    static char report[4096];
    size_t size = 0;
    ssize_t got;
    fflush(stdout);
    if (pipe(ends)) return;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        load(values);
        function(list);
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], report + size, sizeof report - 1 - size)) > 0)
        size += (size_t)got < sizeof report - 1 - size ? (size_t)got : 0;
    report[sizeof report - 1] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
    puts(strstr(report, "signed integer overflow") ? "overflow"
         : strstr(report, "AddressSanitizer") ? "bounds" : "survived");
    memset(report, 0, sizeof report);
}
"""


def run_with_gcc(
    programs: Sequence[Program], inputs: Sequence[Sequence[int]], fine: Sequence[Sequence[bool]], folder: Path
) -> list[list[list[int] | str]]:
    """For each program and input, the list or the fault that a sanitizer reports. `fine`: which runs should succeed."""
    length = len(inputs[0])
    rows = ", ".join("{" + ", ".join(c_literal(value) for value in values) + "}" for values in inputs)
    parts = [HARNESS % {"length": length}, f"static const int inputs[][{length}] = {{ {rows} }};"]
    parts += ["#define int volatile int"]
    parts += [print_program(program, name=f"func_{p}") for p, program in enumerate(programs)]
    parts += ["#undef int"]
    calls = [
        f"    {'run_well' if fine[p][k] else 'run_badly'}(func_{p}, inputs[{k}]);"
        for p in range(len(programs))
        for k in range(len(inputs))
    ]
    parts += ["int main(void)", "{", *calls, "    return 0;", "}", ""]
    source, binary = folder / "programs.c", folder / "programs"
    source.write_text("\n".join(parts))
    subprocess.run(["gcc", *FLAGS, str(source), "-o", str(binary)], check=True, timeout=600)
    output = subprocess.run([str(binary)], capture_output=True, text=True, timeout=600, check=True).stdout.splitlines()
    results: list[list[int] | str] = [
        line if line in (OVERFLOW, BOUNDS, SURVIVED) else [int(number) for number in line.split()] for line in output
    ]
    assert len(results) == len(calls)
    return [results[i : i + len(inputs)] for i in range(0, len(results), len(inputs))]


def c_literal(value: int) -> str:
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)
