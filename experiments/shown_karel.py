"""Upper bounds for solvers of Karel: how many tasks show enough of their program in the five given worlds.

    lasynth generate karel --out data/karel_fresh --test 1000 --seed 2026
    python experiments/shown_karel.py data/karel_fresh/test.parquet --runs 100000 \\
        --out experiments/results/shown_karel.json

The first figure ("shown") is a bound on every solver that prefers the simpler of two programs that fit. A task is not
shown if one control statement of its program can be replaced by one of its blocks, or left out, such that the new
program fits all given worlds and fails on the held-out one. The new program is simpler than the true one, and no given
world refutes it.

The second figure ("right if reduced") is the result of an oracle: it takes each task's true program and reduces it as
far as the given worlds allow.

The third one needs no knowledge of the task: the simplest program that an enumeration finds (at most RUNS programs are
run). "found" is the share of tasks with such a program, "right" the share in which it is right on the held-out world,
and "one is right" the share in which one of all programs that were found is right there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from _results import show
from numpy.typing import NDArray

from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.domains.karel.enumeration import enumerate_programs
from lasynth.domains.karel.learning.values import WorldValues
from lasynth.domains.karel.nodes import Action, Block, IfElse, Program, blocks
from lasynth.domains.karel.world import World
from lasynth.progress import progress
from lasynth.split import load_split
from lasynth.task import InputError, Task

KAREL = get_domain("karel")
CHECKS = 100
"""Random worlds on which a program is reduced first, to remove every control statement that has no effect."""
RUNS = 1_000_000
"""Most programs that the enumeration runs, each on all given worlds."""
WorldTask = Task[Program, World]


def decided(block: Block) -> Iterator[Block]:
    """All blocks in which one control statement, at any depth, is replaced by one of its blocks or left out."""
    for i, statement in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        if isinstance(statement, Action):
            continue
        if before or after:
            yield before + after
        for inner in blocks(statement):
            yield before + inner + after
        for name in ("then", "otherwise") if isinstance(statement, IfElse) else ("body",):
            for inner in decided(getattr(statement, name)):
                yield (*before, replace(statement, **{name: inner}), *after)  # type: ignore[arg-type]


def is_shown(task: WorldTask, given: int) -> bool:
    """Whether no simpler program (see `decided`) fits all given worlds and fails on a held-out one."""
    inputs, outputs = [e.input for e in task.examples], [e.output for e in task.examples]
    program = KAREL.reduce(task.program, inputs + KAREL.random_values(Random(0), CHECKS))
    simpler = [Program(body) for body in decided(program.body)]
    fits = [[got == wanted for got, wanted in zip(o, outputs, strict=True)] for o in KAREL.run_many(simpler, inputs)]
    return not any(all(right[:given]) and not all(right) for right in fits)


def is_right_if_reduced(task: WorldTask, given: int) -> bool:
    """Whether the task's program, reduced as far as the given worlds allow, is right on the held-out one."""
    inputs, outputs = [e.input for e in task.examples], [e.output for e in task.examples]
    return bool(KAREL.run_many([KAREL.reduce(task.program, inputs[:given])], inputs) == [outputs])


def enumerated(task: WorldTask, given: int, runs: int) -> list[bool]:
    """Whether each program that the enumeration finds is right on the held-out world, the simplest first."""
    values = WorldValues()
    inputs, outputs = (values.pack([getattr(e, side) for e in task.examples[:given]]) for side in ("input", "output"))
    found = [program.tokens for program in enumerate_programs(inputs, outputs, float("inf"), most_runs=runs)]
    programs = [KAREL.parse(KAREL.vocab.decode(tokens)) for tokens in found]
    held_out = task.examples[given:]
    results = KAREL.run_many(programs, [e.input for e in held_out]) if programs else []
    return [result == [e.output for e in held_out] for result in results]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of tasks")
    parser.add_argument("--tasks", type=int, help="use only the first tasks")
    parser.add_argument("--runs", type=int, default=RUNS, help="most programs that the enumeration runs for a task")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    split, tasks = load_split(arguments.data, KAREL), list(read_tasks(arguments.data, KAREL))[: arguments.tasks]
    given, category = KAREL.given(split.examples), split.category[: len(tasks)]

    def rates(right: list[bool]) -> dict[str, Any]:
        rows: NDArray[np.bool_] = np.array(right)
        groups = {name: category == i for i, name in enumerate(KAREL.categories)}
        shares = {name: round(100 * float(rows[mask].mean()), 2) for name, mask in groups.items() if mask.any()}
        return {"all": {"tasks": round(100 * float(rows.mean()), 2)}, "category": shares}

    found = []
    with progress({"enumerated": len(tasks)}) as report:
        for task in tasks:
            found.append(enumerated(task, given, arguments.runs))
            report("enumerated", 1)
    result = {
        "data": arguments.data.name,
        "tasks": len(tasks),
        "given": given,
        "shown": rates([is_shown(task, given) for task in tasks]),
        "right if reduced": rates([is_right_if_reduced(task, given) for task in tasks]),
        "enumerated, most runs": arguments.runs,
        "enumerated, found": rates([bool(right) for right in found]),
        "enumerated, right": rates([bool(right) and right[0] for right in found]),
        "enumerated, one is right": rates([any(right) for right in found]),
    }
    show(result, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"shown_karel: {error}")
