"""Statistics of a set of Karel tasks, and the figures of the public data in the same classes.

The public figures for programs come from the 2,500 test programs, those for worlds from a sample of 54 inputs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from lasynth.domains.karel import machine, nodes, syntax
from lasynth.domains.karel.nodes import ACTIONS, Action, If, IfElse, Program, Repeat, Statement, While
from lasynth.domains.karel.world import WALL, World
from lasynth.task import Task

LENGTHS = (7, 10, 16, 24, 33, 52)
"""The largest length of each class but the last: percentiles 10, 25, 50, 75, 90 and 99 of the public programs."""
RUN_LENGTHS = (5, 17, 43)
"""The largest number of actions in an example of each class but the last: percentiles 50, 90 and 99."""
CHUNK = 1000
"""Tasks that the machine runs at a time."""
DENSITIES = {"wall density": (0.05, 0.2), "marker density": (0.07, 0.14)}
"""Bounds of the middle class of the share of cells. There are no public figures: worlds are "mostly" in that class."""
_CONTROLS = {Repeat: "REPEAT", While: "WHILE", If: "IF", IfElse: "IFELSE"}

Lines = dict[str, Counter[str]]
"""Name of a line of the statistics -> how often each of its classes occurs."""


def statistics(tasks: Iterable[Task[Program, World]]) -> Lines:
    """Count the classes of each line, in the order of the public figures."""
    lines: Lines = {name: Counter(dict.fromkeys(line, 0)) for name, line in published().items()}
    lines |= {name: Counter(dict.fromkeys(_density_classes(name), 0)) for name in DENSITIES}
    pending = iter(tasks)
    while chunk := list(islice(pending, CHUNK)):
        for task in chunk:
            _count_program(task.program, lines)
            for example in task.examples:
                _count_world(example.input, lines)
        _count_runs(chunk, lines)
    return lines


def _count_program(program: Program, lines: Lines) -> None:
    lines["length"][_class(syntax.length(program), LENGTHS, 6)] += 1
    lines["nesting"][str(nodes.nesting(program))] += 1
    lines["category"][nodes.category(program)] += 1
    controls = 0
    for depth, statement in nodes.walk(program.body):
        name = statement.name if isinstance(statement, Action) else _CONTROLS[type(statement)]
        if depth < 2:
            lines["statements outside blocks" if depth == 0 else "statements at depth 1"][name] += 1
        if not isinstance(statement, Action):
            controls += 1
            _count_control(statement, name, lines)
    lines["control statements"][str(controls)] += 1


def _count_control(statement: Statement, name: str, lines: Lines) -> None:
    body = nodes.blocks(statement)[0]
    lines[f"block length, {name}"][str(len(body)) if len(body) < 5 else "5-"] += 1
    match statement:
        case Repeat(times, _):
            lines["repeat count"][str(times)] += 1
        case While(condition, _) | If(condition, _) | IfElse(condition, _, _) if condition.test.endswith("IsClear"):
            lines["not before an IsClear test"]["with" if condition.negations else "without"] += 1


def _count_world(world: World, lines: Lines) -> None:
    lines["world rows"][str(world.rows)] += 1
    lines["world columns"][str(world.cols)] += 1
    lines["walls in a world"]["some" if WALL in world.cells else "none"] += 1
    counts = [count for count in world.cells if 0 < count < WALL]
    lines["markers in a world"]["some" if counts else "none"] += 1
    for name, number in (("wall density", world.cells.count(WALL)), ("marker density", len(counts))):
        place = bisect_left(DENSITIES[name], number / len(world.cells)) + 1 if number else 0
        lines[name][_density_classes(name)[place]] += 1
    for count in counts:
        lines["markers in a cell with some"][_class(count, (1, 5), 1)] += 1


def _density_classes(name: str) -> tuple[str, ...]:
    low, high = DENSITIES[name]
    return "none", f"to {low}", f"{low} to {high}", f"over {high}"


def _count_runs(tasks: Sequence[Task[Program, World]], lines: Lines) -> None:
    """Count the actions, and whether they are the same on all examples; failed runs are left out."""
    for task, reports in _runs(tasks):
        fine = reports[reports[:, machine.STATUS] == machine.OK]
        for acted in fine[:, machine.ACTED].tolist():
            lines["actions in an example"][_class(acted, RUN_LENGTHS, 2)] += 1
        if len(fine):
            same = "same" if len(np.unique(fine[:, machine.SEQUENCE])) == 1 else "different"
            lines["actions on all examples"][same] += 1
            if task.category != "Seq-only":
                lines["actions on all examples, with control flow"][same] += 1


def _runs(tasks: Sequence[Task[Program, World]]) -> Iterator[tuple[Task[Program, World], np.ndarray]]:
    """Each task with the machine's reports of the runs on its inputs."""
    for count in sorted({len(task.examples) for task in tasks}):
        group = [task for task in tasks if len(task.examples) == count]
        worlds = machine.pack([example.input for task in group for example in task.examples])
        programs = machine.pack_programs([task.program for task in group])
        first = np.arange(len(group), dtype=np.int64) * count
        reports, _ = machine.run(programs, worlds, first=first, count=count)
        yield from zip(group, reports, strict=True)


def _class(value: int, ends: tuple[int, ...], least: int) -> str:
    """The name of the value's class: `8-10`, or `53-` for the last. `least` is the smallest value of the first."""
    place = bisect_left(ends, value)
    low = ends[place - 1] + 1 if place else least
    if place == len(ends):
        return f"{low}-"
    return str(low) if low == ends[place] else f"{low}-{ends[place]}"


def published() -> dict[str, dict[str, float]]:
    """The public figures as shares.

    Only percentiles are known for lengths and for actions in an example, so each class ends at a percentile. Blocks of
    five and more statements were not counted: their number is the number of statements of that kind minus the counted
    blocks. For while and if only the sum of the two is known. Marker counts are known as 63% for 1, 5 to 9% for each of
    2 to 5, and 2 to 3.5% for each of 6 to 9; rows and columns as "roughly uniform".
    """
    names = (*ACTIONS, *_CONTROLS.values())
    sides = {str(side): 1.0 for side in range(2, 17)}
    more = 35 / 1689  # the share of while and if blocks with five and more statements
    lines: dict[str, dict[str, float]] = {
        "length": _bins(LENGTHS, 6, (0.10, 0.15, 0.25, 0.25, 0.15, 0.09, 0.01)),
        "nesting": _numbered(0, (659, 978, 601, 214, 40, 8)),
        "control statements": _numbered(0, (659, 803, 558, 289, 117, 56, 16, 2)),
        "category": dict(zip(nodes.CATEGORIES, (659, 389, 304, 315, 833), strict=True)),
        "statements outside blocks": _named(names, (0.278, 0.102, 0.081, 0.136, 0.155, 0.082, 0.073, 0.043, 0.049)),
        "statements at depth 1": _named(names, (0.284, 0.117, 0.105, 0.084, 0.2, 0.052, 0.046, 0.05, 0.06)),
        "repeat count": _numbered(2, (200, 172, 194, 232, 94, 93, 54, 47, 20)),
        "block length, REPEAT": _numbered(1, (590, 303, 139, 56)) | {"5-": 18},
        "block length, WHILE": _numbered(1, (415, 323, 133, 61)) | {"5-": 932 * more / (1 - more)},
        "block length, IF": _numbered(1, (510, 128, 61, 23)) | {"5-": 722 * more / (1 - more)},
        "block length, IFELSE": _numbered(1, (655, 133, 44, 11)) | {"5-": 6},
        "not before an IsClear test": {"with": 0.21, "without": 0.79},
        "actions in an example": _bins(RUN_LENGTHS, 2, (0.50, 0.40, 0.09, 0.01)),
        "actions on all examples": {"same": 1262, "different": 1238},
        "actions on all examples, with control flow": {"same": 603, "different": 1238},
        "world rows": sides,
        "world columns": sides,
        "walls in a world": {"none": 18, "some": 36},
        "markers in a world": {"none": 4, "some": 50},
        "markers in a cell with some": {"1": 0.63, "2-5": 0.27, "6-": 0.10},
    }
    return {name: _shares(line) for name, line in lines.items()}


def _numbered(first: int, figures: Sequence[float]) -> dict[str, float]:
    return {str(first + i): float(figure) for i, figure in enumerate(figures)}


def _named(names: Sequence[str], figures: Sequence[float]) -> dict[str, float]:
    return dict(zip(names, figures, strict=True))


def _bins(ends: tuple[int, ...], least: int, shares: Sequence[float]) -> dict[str, float]:
    values = (*ends, ends[-1] + 1)
    return {_class(value, ends, least): share for value, share in zip(values, shares, strict=True)}


def _shares(line: dict[str, float]) -> dict[str, float]:
    total = sum(line.values())
    return {name: figure / total for name, figure in line.items()}
