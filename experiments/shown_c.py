"""Upper bounds for solvers of restricted C: how many tasks show enough of their program in the given examples.

    lasynth generate c --out data/fresh --test 1000 --seed 2026
    python experiments/shown_c.py data/fresh/test.parquet --out experiments/results/shown_c.json

The first figure ("shown") is a bound on every solver that prefers the simpler of two programs that fit. A task is not
shown if there is an `if` in its program that can be replaced by one of its branches such that the new program fits all
given examples and fails on a held-out one. The new program is simpler than the true one, and no given example refutes
it.

The second figure ("right if reduced") is the result of an oracle: it takes each task's true program and reduces it as
far as the given examples allow.
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
from lasynth.domains.learnable import learnable
from lasynth.domains.restricted_c.language.nodes import Block, For, If, Program
from lasynth.split import load_split
from lasynth.task import InputError, Task

C = get_domain("c")
CHECKS = 100
"""Random lists on which a program is reduced first, to remove every `if` that has no effect."""


def decided(block: Block) -> Iterator[Block]:
    """All blocks in which one `if`, at any depth, is replaced by one of its branches."""
    for i, statement in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        match statement:
            case If(then=then, orelse=orelse):
                for branch in (then, orelse):
                    yield before + branch + after
                for inner in decided(then):
                    yield (*before, replace(statement, then=inner), *after)
                for inner in decided(orelse):
                    yield (*before, replace(statement, orelse=inner), *after)
            case For(body=body):
                for inner in decided(body):
                    yield (*before, replace(statement, body=inner), *after)


def is_shown(task: Task[Program, list[int]], given: int) -> bool:
    """Whether no simpler program (see `decided`) fits all given examples and fails on a held-out one."""
    inputs, outputs = [e.input for e in task.examples], [e.output for e in task.examples]
    program = C.reduce(task.program, inputs + C.random_values(Random(0), CHECKS, like=inputs[0]))
    simpler = [replace(program, body=body) for body in decided(program.body)]
    fits = [[got == wanted for got, wanted in zip(o, outputs, strict=True)] for o in C.run_many(simpler, inputs)]
    return not any(all(right[:given]) and not all(right) for right in fits)


def is_right_if_reduced(task: Task[Program, list[int]], given: int) -> bool:
    """Whether the task's program, reduced as far as the given examples allow, is right on the held-out examples."""
    inputs, outputs = [e.input for e in task.examples], [e.output for e in task.examples]
    return bool(C.run_many([C.reduce(task.program, inputs[:given])], inputs) == [outputs])


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of tasks")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    split, tasks = load_split(arguments.data, C), list(read_tasks(arguments.data, C))
    given = C.given(split.examples)
    groups = {"category": {name: split.category == i for i, name in enumerate(C.categories)}}
    groups |= learnable(C).groups(split.inputs, split.outputs)

    def rates(right: NDArray[np.bool_]) -> dict[str, Any]:
        return {
            kind: {name: round(100 * float(right[rows].mean()), 2) for name, rows in members.items() if rows.any()}
            for kind, members in {"all": {"tasks": np.ones(len(tasks), np.bool_)}, **groups}.items()
        }

    result = {
        "data": str(arguments.data),
        "tasks": len(tasks),
        "given": given,
        "shown": rates(np.array([is_shown(task, given) for task in tasks])),
        "right if reduced": rates(np.array([is_right_if_reduced(task, given) for task in tasks])),
    }
    show(result, arguments.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"shown_c: {error}")
