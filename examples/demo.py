"""Demo: finds a program with a loop and one with a branch from examples, compiles both with gcc, and steers a robot."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lasynth.cli import main

HERE = Path(__file__).parent
TASKS = (("a loop", "positive.txt"), ("a branch", "swap.txt"))
WORLDS = "to_the_wall.karel.txt"
NEW = "# . . . . / > . . . # / . . 1 . ."
"""A world that is not among the examples."""


def compiled(file: Path) -> str:
    """Solve the examples with `--emit c`, compile the file with gcc and run it. Returns the output of the program."""
    if shutil.which("gcc") is None:
        return "gcc is not installed, so the C file was not compiled"
    quiet = contextlib.redirect_stderr(io.StringIO())  # the same text was printed before
    with contextlib.redirect_stdout(io.StringIO()) as source, quiet:
        failed = main(["solve", str(file), "--emit", "c"])
    if failed:
        sys.exit(failed)
    with tempfile.TemporaryDirectory() as folder:
        code, binary = Path(folder, "answer.c"), Path(folder, "answer")
        code.write_text(source.getvalue())
        subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", str(code), "-o", str(binary)], check=True)
        said = subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout
    return f"--emit c, gcc -Wall -Wextra: {said.strip()}"


def steer(file: Path) -> None:
    """Find a program for a robot from pictures of worlds, and run it on a new world, before and after drawn."""
    print(f"\n# a robot:  lasynth solve examples/{file.name}\n\n{file.read_text()}", flush=True)
    with contextlib.redirect_stdout(io.StringIO()) as found:
        failed = main(["solve", str(file)])
    print(found.getvalue(), flush=True)
    if failed:
        sys.exit(failed)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "answer.karel")
        program.write_text(found.getvalue())
        print(f'# a new world:  lasynth run answer.karel --input "{NEW}"\n', flush=True)
        main(["run", str(program), "--input", NEW])


for title, name in TASKS:
    file = HERE / name
    print(f"\n# {title}:  lasynth solve examples/{name}\n\n{file.read_text()}", flush=True)
    code = main(["solve", str(file)])
    if code:
        sys.exit(code)
    print(compiled(file), flush=True)
steer(HERE / WORLDS)
print(
    f"\nGo on: `. {os.path.relpath(sys.prefix)}/bin/activate` puts lasynth on the PATH; "
    "docs/solve.md explains all options."
)
print('Your own examples: lasynth solve --example "[1,2,3] -> [2,3,4]" --example "[5,0,7] -> [6,1,8]"')
