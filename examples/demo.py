"""What works so far, on one screen: run a random-looking program step by step, then find the short one inside it."""

from __future__ import annotations

import sys
from pathlib import Path

from lasynth.cli import main

PROGRAM = str(Path(__file__).with_name("shift.c"))
STEPS = (
    ("a program in restricted C, run step by step", ["run", PROGRAM, "--input", "[1,2,3,4,0]", "--trace"]),
    ("the smallest program that does the same", ["reduce", PROGRAM]),
)

for title, arguments in STEPS:
    print(f"\n# {title}:  lasynth {' '.join(arguments).replace(PROGRAM, 'examples/shift.c')}\n", flush=True)
    code = main(arguments)
    if code:
        sys.exit(code)
