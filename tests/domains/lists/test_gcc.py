"""The C text and the interpreter agree, by gcc with warnings as errors and its sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from lasynth.domains.lists.data.inputs import ListsOptions, random_input
from lasynth.domains.lists.data.programs import random_program
from lasynth.domains.lists.emission.standalone import standalone
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.nodes import Program
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.language.text import parse_program
from lasynth.task import Example
from tests.domains.lists import gcc
from tests.domains.lists.programs import one_of_each

pytestmark = pytest.mark.skipif(not gcc.AVAILABLE, reason="gcc is not installed")
OPTIONS = ListsOptions(max_operations=5, max_length=9)


def runs_of(rng: Random, program: Program, count: int) -> list[tuple[list[Basic], Basic]]:
    """Inputs of all lengths on which the program does not fault, with what the machine gives."""
    types = [p.type for p in program.parameters]
    rows = [random_input(rng, types, OPTIONS) for _ in range(count)]
    rows.append([[] if t == 2 else 0 for t in types])
    outputs = run_many(program, rows)
    return [(row, output) for row, output in zip(rows, outputs, strict=True) if output is not None]


def judge(programs: list[Program], rng: Random, folder: Path) -> int:
    cases = [(program, runs_of(rng, program, 12)) for program in programs]
    cases = [(program, runs) for program, runs in cases if runs]
    results = gcc.run_with_gcc(cases, folder)
    for (program, runs), found in zip(cases, results, strict=True):
        assert found == [wanted for _, wanted in runs], program
    return sum(len(runs) for _, runs in cases)


def test_every_operation_agrees_with_gcc(rng: Random, tmp_path: Path) -> None:
    programs = one_of_each()
    assert len(programs) == len(OPERATIONS)
    assert judge(programs, rng, tmp_path) > 5 * len(OPERATIONS)


def test_random_programs_agree_with_gcc(rng: Random, tmp_path: Path) -> None:
    programs = [random_program(rng, OPTIONS.max_operations) for _ in range(150)]
    assert judge(programs, rng, tmp_path) > 500


@pytest.mark.slow
def test_many_random_programs_agree_with_gcc(rng: Random, tmp_path: Path) -> None:
    for _ in range(10):
        assert judge([random_program(rng, OPTIONS.max_operations) for _ in range(300)], rng, tmp_path) > 1000


def test_a_standalone_file_tests_itself(tmp_path: Path) -> None:
    program = parse_program("(a: list, k: int) => sort(filter(a, gt(a, k)))")
    examples = [Example(([3, 1, 2], 1), [2, 3]), Example(([], 0), [])]
    source, binary = tmp_path / "file.c", tmp_path / "file"
    source.write_text(standalone(program, examples))  # type: ignore[arg-type]
    subprocess.run(["gcc", *gcc.FLAGS, str(source), "-o", str(binary)], check=True)
    assert subprocess.run([binary], check=True, capture_output=True, text=True).stdout == "2 examples passed\n"
    source.write_text(standalone(program, [Example(([3, 1, 2], 1), [3, 2])]))
    subprocess.run(["gcc", *gcc.FLAGS, str(source), "-o", str(binary)], check=True)
    assert subprocess.run([binary], capture_output=True, check=False).returncode != 0
