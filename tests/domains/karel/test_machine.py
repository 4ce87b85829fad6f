"""The machine agrees with the readable interpreter on status, ticks, actions and result."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth.domains.karel import generator, grammar, interpreter, machine
from lasynth.domains.karel.nodes import MAX_NESTING, Action, Block, Program, Repeat
from lasynth.domains.karel.world import World
from lasynth.task import StepLimit, Task

from .strategies import programs, worlds
from .test_grammar import sample


def agree(programs: list[Program], worlds: list[World], limit: int = interpreter.TICKS) -> Counter[int]:
    """Check every program on every world; gives how often each status occurred."""
    reports, grids = machine.run(machine.pack_programs(programs), machine.pack(worlds), limit=limit)
    statuses: Counter[int] = Counter()
    for program, program_reports, program_grids in zip(programs, reports.tolist(), grids, strict=True):
        for world, report, grid in zip(worlds, program_reports, program_grids, strict=True):
            trace, ticks = interpreter.trace(program, world, limit)
            status = machine.OK
            if trace.error is not None:
                status = machine.STEP_LIMIT if isinstance(trace.error, StepLimit) else machine.CRASH
            assert report[:2] == [status, ticks], program
            assert report[machine.ACTED] == len(trace.steps)
            last = trace.steps[-1].value if trace.steps else world
            place = report[machine.PLACE], report[machine.HEADING]
            assert machine.unpack(grid, *place, world.rows, world.cols) == last
            statuses[status] += 1
    return statuses


@given(programs(), st.lists(worlds(), min_size=1, max_size=3), st.integers(0, 250))
def test_agrees_with_the_interpreter(program: Program, worlds: list[World], limit: int) -> None:
    agree([program], worlds, limit)


def test_agrees_on_programs_drawn_under_the_mask() -> None:
    rng = Random(3)
    drawn = [lexemes for _ in range(400) if (lexemes := sample(rng)) is not None]
    packed = generator.sample_worlds(rng, 6)
    statuses = agree([grammar.parse(lexemes) for lexemes in drawn], machine.unpack_all(packed))
    assert min(statuses[status] for status in (machine.OK, machine.CRASH, machine.STEP_LIMIT)) > 20


def check_tasks(tasks: list[Task[Program, World]]) -> None:
    """Check each example's output by the interpreter, and the machine's reports on the inputs of another task."""
    for task in tasks:
        for example in task.examples:
            assert interpreter.run(task.program, example.input) == example.output
    inputs = [example.input for task in tasks for example in task.examples]
    packed = machine.pack_programs([task.program for task in tasks])
    first = (np.arange(len(tasks), dtype=np.int64)[::-1] * 6).copy()  # each program runs on the inputs of another task
    reports, _ = machine.run(packed, machine.pack(inputs), first=first, count=6)
    for task, start, program_reports in zip(tasks, first.tolist(), reports.tolist(), strict=True):
        for world, report in zip(inputs[start : start + 6], program_reports, strict=True):
            trace, ticks = interpreter.trace(task.program, world)
            status = 0 if trace.error is None else 2 if isinstance(trace.error, StepLimit) else 1
            assert report[:2] == [status, ticks]
            if trace.output is not None:
                hero = (trace.output.row + 1) * machine.FRAME + trace.output.col + 1, trace.output.direction
                assert (report[machine.PLACE], report[machine.HEADING]) == hero


def test_agrees_on_generated_tasks(tasks: list[Task[Program, World]]) -> None:
    check_tasks(tasks[:1000])


@pytest.mark.slow
def test_agrees_on_200_000_generated_programs() -> None:
    for seed in range(200):
        check_tasks(generator.sample_tasks(Random(seed), 1000, generator.KarelOptions())[0])


def test_trees_that_no_parser_builds_are_refused() -> None:
    deep: Block = (Action("move"),)
    for _ in range(MAX_NESTING + 1):
        deep = (Repeat(2, deep),)
    for body in ((), (Repeat(2, ()),), deep):
        with pytest.raises(ValueError, match="empty block or is nested too deep"):
            machine.pack_programs([Program(body)])


def test_no_programs_and_no_worlds() -> None:
    reports, grids = machine.run(machine.pack_programs([]), machine.pack([]))
    assert reports.shape == (0, 0, machine.REPORT)
    assert grids.shape == (0, 0, machine.AREA)
