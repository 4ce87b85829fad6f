"""Random Karel tasks like those of the public data: a program that obeys its rules, with six worlds on which it runs.

A shape is drawn first and kept while actions, conditions and worlds are tried, so that what is hard to fill is not rare
for that. Everything happens in compiled code; Python only turns the arrays into tasks. Knows nothing of files.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel import grammar, syntax
from lasynth.domains.karel.dice import choose, dice_from, uniform
from lasynth.domains.karel.grammar import ACTION, CONDITION, COUNT, END_REPEAT, REPEAT, VOCAB
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.machine import (
    ACTED,
    AREA,
    CRASH,
    DID,
    HEADING,
    LAST,
    LEFT,
    MOVE,
    OK,
    PICK,
    PLACE,
    PUT,
    REPORT,
    RIGHT,
    SEQUENCE,
    STATUS,
    Worlds,
    compile_program,
    execute,
    unpack,
)
from lasynth.domains.karel.nodes import Program, category
from lasynth.domains.karel.reduce import reduce_tokens
from lasynth.domains.karel.scenery import COLS, ROWS, draw_kind, draw_world, draw_worlds
from lasynth.domains.karel.skeleton import ROOM, draw_shape
from lasynth.domains.karel.weights import TABLES, FillTables, Tables
from lasynth.domains.karel.world import MAX_SIDE, MIN_SIDE, World
from lasynth.jit import compiled
from lasynth.task import Example, Task

EXAMPLES = 6
FILLS, KINDS, WORLDS, PLANTS = 60, 6, 12, 6
"""Fillings tried for a shape, kinds of world for an example, worlds of a kind, markers put where one is wanted."""
CHUNK = 1000
"""Tasks in memory as arrays at once."""
MOST_ACTIONS = 73
"""In a run; the public data has no more."""
ACTED_BINS = np.array((5, 17, 43), dtype=np.int64)
SHAPES, FILLED, NO_WORLD, TILTED, GIVEN_UP = range(5)
"""What is counted on the way."""
_COUNTED = ("shapes drawn", "programs tried", "programs without six worlds", "programs thinned out", "shapes given up")


@dataclass(frozen=True, slots=True)
class KarelOptions:
    """How Karel tasks are made."""

    reduce: bool = False
    """Replace each program by the smallest one found that does the same on its six worlds."""


class TaskArrays(NamedTuple):
    """Room for tasks."""

    tokens: NDArray[np.int64]
    """(N, ROOM)"""
    sizes: NDArray[np.int64]
    """(N,)"""
    kinds: NDArray[np.int64]
    """(N, 6, 4): rows, columns and more of each world."""
    heroes: NDArray[np.int64]
    """(N, 6, 2): the robot's cell and direction before the run."""
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    """(N, 6, 324)"""
    reports: NDArray[np.int64]
    """(N, 6, REPORT)"""


@compiled
def may_follow(previous: int, action: int) -> bool:
    """The public data's rule for two actions side by side."""
    if previous == LEFT:
        return bool(action in (MOVE, LEFT))
    if previous == RIGHT:
        return bool(action == MOVE)
    return not (previous == PICK and action == PUT) and not (previous == PUT and action == PICK)


@compiled
def fill(
    tables: FillTables,
    dice: NDArray[np.uint64],
    shape: NDArray[np.int64],
    depths: NDArray[np.int64],
    tokens: NDArray[np.int64],
) -> bool:
    """A program of this shape into `tokens`; False if it has no move or no marker action."""
    weights = np.empty(5)
    did = 0
    for i in range(shape.size):
        token = shape[i]
        if token == ACTION:
            before = tokens[i - 1] - ACTION if i > 0 and tokens[i - 1] < REPEAT else -1
            twice = before >= 0 and i > 1 and tokens[i - 2] == tokens[i - 1]
            weights[:] = tables.actions[min(depths[i], 2)]
            for action in range(5):
                if before >= 0 and (not may_follow(before, action) or (twice and action == before)):
                    weights[action] = 0
            action = choose(dice, weights)
            did |= 1 << action
            tokens[i] = ACTION + action
        elif token == COUNT:
            tokens[i] = COUNT + 2 + choose(dice, tables.times)
        elif token == CONDITION:
            tokens[i] = CONDITION + choose(dice, tables.tests)
        elif token == CONDITION + 5:
            tokens[i] = CONDITION + 5 + choose(dice, tables.tests[:3])
        else:
            tokens[i] = token
    return did & 1 << MOVE != 0 and did & (1 << PICK | 1 << PUT) != 0


@compiled
def _good(report: NDArray[np.int64], before: NDArray[np.uint8], after: NDArray[np.uint8], place: int, way: int) -> bool:
    """Whether a run is fit to be an example: not too long, it went well, moved, touched a marker, changed the world."""
    did = report[DID]
    if report[STATUS] != OK or report[ACTED] > MOST_ACTIONS:
        return False
    if did & 1 << MOVE == 0 or did & (1 << PICK | 1 << PUT) == 0:
        return False
    if report[PLACE] != place or report[HEADING] != way:
        return True
    return bool(np.any(before != after))


@compiled
def find_world(
    tables: Tables, dice: NDArray[np.uint64], code: NDArray[np.int64], room: TaskArrays, task: int, example: int
) -> bool:
    """A world on which the program runs well, as one example of a task; False if none is found."""
    kind, before, after = room.kinds[task, example], room.before[task, example], room.after[task, example]
    report = room.reports[task, example]
    for _ in range(KINDS):
        draw_kind(tables.world, dice, kind)
        for _ in range(WORLDS):
            place, way = draw_world(tables.world, dice, kind, before)
            for _ in range(PLANTS):
                after[:] = before
                execute(code, after, place, way, TICKS, report)
                if report[STATUS] != CRASH or report[LAST] != PICK or before[report[PLACE]] == 9:
                    break
                before[report[PLACE]] += 1
            if _good(report, before, after, place, way):
                room.heroes[task, example, 0], room.heroes[task, example, 1] = place, way
                return True
    return False


@compiled
def _kept(tables: FillTables, dice: NDArray[np.uint64], tokens: NDArray[np.int64], reports: NDArray[np.int64]) -> bool:
    """Thins out kinds of program of which the steps before give too many."""
    conditional = False
    for token in tokens:
        conditional |= CONDITION <= token < END_REPEAT
    alike, acted = True, 0
    for example in range(EXAMPLES):
        alike &= reports[example, SEQUENCE] == reports[0, SEQUENCE]
        acted += reports[example, ACTED]
    chance = tables.acted[np.searchsorted(ACTED_BINS, acted // EXAMPLES)]
    if conditional:
        chance *= tables.alike[1 if alike else 0]
    return bool(uniform(dice) < chance)


@compiled
def _fill_shape(
    tables: Tables,
    dice: NDArray[np.uint64],
    shape: NDArray[np.int64],
    depths: NDArray[np.int64],
    room: TaskArrays,
    task: int,
    counts: NDArray[np.int64],
) -> bool:
    """A whole task of this shape; False if too many tries fail."""
    tokens = room.tokens[task, : shape.size]
    code = np.empty((2 * shape.size + 2, 3), dtype=np.int64)
    for _ in range(FILLS):
        if not fill(tables.fill, dice, shape, depths, tokens):
            continue
        counts[FILLED] += 1
        compile_program(tokens, code)
        found = 0
        while found < EXAMPLES and find_world(tables, dice, code, room, task, found):
            found += 1
        if found < EXAMPLES:
            counts[NO_WORLD] += 1
        elif _kept(tables.fill, dice, tokens, room.reports[task]):
            room.sizes[task] = shape.size
            return True
        else:
            counts[TILTED] += 1
    counts[GIVEN_UP] += 1
    return False


@compiled
def draw_tasks(tables: Tables, dice: NDArray[np.uint64], room: TaskArrays, counts: NDArray[np.int64]) -> None:
    """Fill the room with tasks."""
    shape, depths = np.empty(ROOM, dtype=np.int64), np.empty(ROOM, dtype=np.int64)
    for task in range(room.sizes.size):
        while True:
            size = 0
            while size == 0:
                counts[SHAPES] += 1
                size = draw_shape(tables.shape, dice, shape, depths)
            if _fill_shape(tables, dice, shape[:size], depths, room, task, counts):
                break


def make_room(count: int) -> TaskArrays:
    """Empty arrays for so many tasks."""
    return TaskArrays(
        tokens=np.zeros((count, ROOM), dtype=np.int64),
        sizes=np.zeros(count, dtype=np.int64),
        kinds=np.zeros((count, EXAMPLES, 4), dtype=np.int64),
        heroes=np.zeros((count, EXAMPLES, 2), dtype=np.int64),
        before=np.zeros((count, EXAMPLES, AREA), dtype=np.uint8),
        after=np.zeros((count, EXAMPLES, AREA), dtype=np.uint8),
        reports=np.zeros((count, EXAMPLES, REPORT), dtype=np.int64),
    )


def sample_worlds(rng: Random, count: int, size: tuple[int, int] | None = None) -> Worlds:
    """Random worlds, whether or not a program could run on them; of so many rows and columns, if these are given."""
    tables = TABLES.world
    if size is not None:
        rows, cols = (np.eye(MAX_SIDE - MIN_SIDE + 1)[side - MIN_SIDE] for side in size)
        tables = tables._replace(rows=rows, cols=cols)
    kinds, heroes = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 2), dtype=np.int64)
    grids = np.zeros((count, AREA), dtype=np.uint8)
    draw_worlds(tables, dice_from(rng), kinds, grids, heroes)
    return Worlds(grids, heroes, kinds[:, : COLS + 1])


def sample_tasks(rng: Random, count: int, options: KarelOptions) -> tuple[list[Task[Program, World]], Counter[str]]:
    """Exactly `count` tasks, and how often each thing happened on the way."""
    return sample_with(TABLES, rng, count, options)


def sample_with(
    tables: Tables, rng: Random, count: int, options: KarelOptions
) -> tuple[list[Task[Program, World]], Counter[str]]:
    """The same with other tables."""
    dice, tasks = dice_from(rng), []
    counts = np.zeros(len(_COUNTED), dtype=np.int64)
    for start in range(0, count, CHUNK):
        room = make_room(min(CHUNK, count - start))
        draw_tasks(tables, dice, room, counts)
        tasks += [_task(room, i, options) for i in range(room.sizes.size)]
    return tasks, Counter({name: int(number) for name, number in zip(_COUNTED, counts, strict=True) if number})


def _task(room: TaskArrays, task: int, options: KarelOptions) -> Task[Program, World]:
    tokens = room.tokens[task, : room.sizes[task]]
    if options.reduce:
        tokens = reduce_tokens(tokens, room.before[task], room.heroes[task], TICKS)
    program = grammar.parse(VOCAB.decode(tokens.tolist()))
    examples = tuple(_example(room, task, example) for example in range(EXAMPLES))
    return Task(program, examples, category(program), syntax.length(program), "native")


def _example(room: TaskArrays, task: int, example: int) -> Example[World]:
    rows, cols = int(room.kinds[task, example, ROWS]), int(room.kinds[task, example, COLS])
    place, way = room.heroes[task, example].tolist()
    report = room.reports[task, example]
    before = unpack(room.before[task, example], place, way, rows, cols)
    return Example(before, unpack(room.after[task, example], int(report[PLACE]), int(report[HEADING]), rows, cols))
