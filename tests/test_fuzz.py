"""Mutated command lines and files over all commands: no traceback, no hang, exit codes as documented.

A case that fails is printed with its number, and its folder is kept. To run it again:
`python -m tests.fuzzing --seed S --first N --cases 1 --verbose`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lasynth.workers import usable_cores
from tests.fuzzing.mutation import Case, draw
from tests.fuzzing.runner import Outcome, asks_much, fault

ROOT = Path(__file__).parents[1]
CASES = 10_000
FILES = {"examples.txt": [b"[1] -> [2]\n"], "data/card.json": [b'{"domain": "c"}'], "program.c": [b"int"]}
GOOD = Outcome(0, False, 0.1, "", "")


@pytest.mark.slow
def test_no_command_line_or_file_ends_in_a_traceback_or_hangs(tmp_path: Path) -> None:
    """With n processes, process i runs the cases i, i + n, .."""
    count = usable_cores()
    command = [sys.executable, "-m", "tests.fuzzing", "--seed", "2026", "--keep", str(tmp_path), "--step", str(count)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [*command, "--first", str(first), "--cases", str(CASES - first)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for first in range(count)
    ]  # fmt: skip
    said = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * count, "\n".join(said)


def test_the_same_number_gives_the_same_case() -> None:
    cases = [draw(3, number, FILES, ["--json", "--top"]) for number in range(300)]
    assert cases == [draw(3, number, FILES, ["--json", "--top"]) for number in range(300)]
    assert len({str(case) for case in cases}) > 250
    assert {word for case in cases for word in case.words} >= {"solve", "run", "train", "evaluate", "export", "import"}


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        (GOOD, None),
        (Outcome(2, False, 0.1, "", "lasynth: no such file\n"), None),
        (Outcome(2, False, 0.1, "", ""), "without a message"),
        (Outcome(70, False, 0.1, "", "lasynth: .."), "exit code 70"),
        (Outcome(-11, False, 0.1, "", ""), "exit code -11"),
        (Outcome(None, False, 20.0, "", ""), "no end"),
        (Outcome(1, False, 0.1, "", "Traceback (most recent call last):\n.."), "traceback"),
        (Outcome(0, False, 0.1, "", "x.py:1: UserWarning: lossy\n"), "traceback or a warning"),
        (Outcome(130, False, 0.1, "", "interrupted"), "by nobody"),
        (Outcome(130, True, 6.0, "", "interrupted"), None),
    ],
)
def test_faults_are_seen(outcome: Outcome, found: str | None) -> None:
    said = fault(Case(("solve", "x")), outcome)
    assert said is None if found is None else found in (said or "")


def test_only_work_that_was_asked_to_be_long_is_interrupted() -> None:
    assert asks_much(Case(("train", "data", "--steps", "100000")))
    assert asks_much(Case(("solve", "x", "--timeout=1e9")))
    assert not asks_much(Case(("solve", "x", "--timeout", "5")))
    assert not asks_much(Case(("stats", "data", "--limit", "100000")))
