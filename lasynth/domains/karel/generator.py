"""Random Karel tasks like those of the public data: a program that follows its rules, and six worlds on which it runs.

The shape of a program is drawn first and stays the same while actions, conditions and worlds are tried. So shapes that
are hard to fill do not become rare. Compiled code does the work; Python only turns the arrays into tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel import grammar, syntax
from lasynth.domains.karel.dice import choose, dice_from, uniform
from lasynth.domains.karel.grammar import ACTION, CONDITION, COUNT, END_REPEAT, REPEAT, VOCAB
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.learning.values import BYTES, to_bytes
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
from lasynth.domains.karel.statistics import RUN_LENGTHS
from lasynth.domains.karel.weights import TABLES, FillTables, Tables
from lasynth.domains.karel.world import MAX_SIDE, MIN_SIDE, World
from lasynth.jit import compiled
from lasynth.task import Example, Task

EXAMPLES = 6
SOURCE = "native"
"""The source of generated tasks in data sets."""
FILLS, KINDS, WORLDS, PLANTS = 60, 6, 12, 6
"""Limits on tries: fillings of a shape, kinds of world for an example, worlds of a kind, runs on a world (a marker is
added before the next run where the program wanted to pick one)."""
CHUNK = 1000
"""Tasks that are drawn in one call of the compiled code."""
MOST_ACTIONS = 73
"""The most actions in a run; no run of the public data has more."""
ACTED_BINS = np.array(RUN_LENGTHS, dtype=np.int64)
SHAPES, FILLED, NO_WORLD, TILTED, GIVEN_UP = range(5)
"""Places in the array of counts; _COUNTED has their names."""
_COUNTED = ("shapes drawn", "programs tried", "programs without six worlds", "programs thinned out", "shapes given up")


@dataclass(frozen=True, slots=True)
class KarelOptions:
    """Options of the generator of Karel tasks."""

    reduce: bool = False
    """Replace each program by the smallest one found that does the same on its six worlds."""


class DrawnTasks(NamedTuple):
    """N tasks as arrays, filled while they are drawn."""

    tokens: NDArray[np.int64]
    """(N, ROOM): the lexemes of each program."""
    sizes: NDArray[np.int64]
    """(N,): the number of its lexemes."""
    kinds: NDArray[np.int64]
    """(N, 6, 4): the kind of each world, see scenery.draw_kind."""
    heroes: NDArray[np.int64]
    """(N, 6, 2): the robot's cell and direction before the run."""
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    """(N, 6, 324): the packed worlds before and after the run."""
    reports: NDArray[np.int64]
    """(N, 6, REPORT): the machine's report of each run."""


@compiled
def may_follow(previous: int, action: int) -> bool:
    """Whether `action` may come right after `previous`, as in the public data."""
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
    """Write a random program of this shape into `tokens`; False if it has no move or no marker action."""
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
    """Whether a run can be an example: no error, not too long, a move, a marker action, and a changed world."""
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
    tables: Tables, dice: NDArray[np.uint64], code: NDArray[np.int64], drawn: DrawnTasks, task: int, example: int
) -> bool:
    """Draw a world on which the program runs well, as one example of the task; False if none is found."""
    kind, before, after = drawn.kinds[task, example], drawn.before[task, example], drawn.after[task, example]
    report = drawn.reports[task, example]
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
                drawn.heroes[task, example, 0], drawn.heroes[task, example, 1] = place, way
                return True
    return False


@compiled
def _kept(tables: FillTables, dice: NDArray[np.uint64], tokens: NDArray[np.int64], reports: NDArray[np.int64]) -> bool:
    """Decide at random whether to keep a program: the steps before make too many programs of some classes."""
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
    drawn: DrawnTasks,
    task: int,
    counts: NDArray[np.int64],
) -> bool:
    """Make a whole task of this shape; False if too many tries fail."""
    tokens = drawn.tokens[task, : shape.size]
    code = np.empty((2 * shape.size + 2, 3), dtype=np.int64)
    for _ in range(FILLS):
        if not fill(tables.fill, dice, shape, depths, tokens):
            continue
        counts[FILLED] += 1
        compile_program(tokens, code)
        found = 0
        while found < EXAMPLES and find_world(tables, dice, code, drawn, task, found):
            found += 1
        if found < EXAMPLES:
            counts[NO_WORLD] += 1
        elif _kept(tables.fill, dice, tokens, drawn.reports[task]):
            drawn.sizes[task] = shape.size
            return True
        else:
            counts[TILTED] += 1
    counts[GIVEN_UP] += 1
    return False


@compiled
def draw_tasks(tables: Tables, dice: NDArray[np.uint64], drawn: DrawnTasks, counts: NDArray[np.int64]) -> None:
    """Fill the arrays with tasks."""
    shape, depths = np.empty(ROOM, dtype=np.int64), np.empty(ROOM, dtype=np.int64)
    for task in range(drawn.sizes.size):
        while True:
            size = 0
            while size == 0:
                counts[SHAPES] += 1
                size = draw_shape(tables.shape, dice, shape, depths)
            if _fill_shape(tables, dice, shape[:size], depths, drawn, task, counts):
                break


def empty_tasks(count: int) -> DrawnTasks:
    """Empty arrays for `count` tasks."""
    return DrawnTasks(
        tokens=np.zeros((count, ROOM), dtype=np.int64),
        sizes=np.zeros(count, dtype=np.int64),
        kinds=np.zeros((count, EXAMPLES, 4), dtype=np.int64),
        heroes=np.zeros((count, EXAMPLES, 2), dtype=np.int64),
        before=np.zeros((count, EXAMPLES, AREA), dtype=np.uint8),
        after=np.zeros((count, EXAMPLES, AREA), dtype=np.uint8),
        reports=np.zeros((count, EXAMPLES, REPORT), dtype=np.int64),
    )


def sample_worlds(rng: Random, count: int, size: tuple[int, int] | None = None) -> Worlds:
    """Random worlds that belong to no program; with `size`, each has that many rows and columns."""
    tables = TABLES.world
    if size is not None:
        rows, cols = (np.eye(MAX_SIDE - MIN_SIDE + 1)[side - MIN_SIDE] for side in size)
        tables = tables._replace(rows=rows, cols=cols)
    kinds, heroes = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 2), dtype=np.int64)
    grids = np.zeros((count, AREA), dtype=np.uint8)
    draw_worlds(tables, dice_from(rng), kinds, grids, heroes)
    return Worlds(grids, heroes, kinds[:, : COLS + 1])


def sample_tasks(rng: Random, count: int, options: KarelOptions) -> tuple[list[Task[Program, World]], Counter[str]]:
    """Exactly `count` tasks, and counts of shapes and programs that were drawn and dropped."""
    return sample_with(TABLES, rng, count, options)


def sample_with(
    tables: Tables, rng: Random, count: int, options: KarelOptions
) -> tuple[list[Task[Program, World]], Counter[str]]:
    """`sample_tasks` with other tables."""
    tasks, counts = [], np.zeros(len(_COUNTED), dtype=np.int64)
    for drawn in _drawn_in_chunks(tables, rng, count, counts):
        tasks += [_task(drawn, i, options) for i in range(drawn.sizes.size)]
    return tasks, _named(counts)


def sample_packed(
    rng: Random, count: int, options: KarelOptions
) -> tuple[list[Program], NDArray[np.uint8], NDArray[np.uint8], Counter[str]]:
    """The tasks of `sample_tasks` as programs and packed worlds before and after. (N, 6, BYTES) twice"""
    programs: list[Program] = []
    counts = np.zeros(len(_COUNTED), dtype=np.int64)
    before, after = (np.empty((count, EXAMPLES, BYTES), np.uint8) for _ in range(2))
    for drawn in _drawn_in_chunks(TABLES, rng, count, counts):
        rows, sizes = slice(len(programs), len(programs) + drawn.sizes.size), drawn.kinds[..., : COLS + 1]
        before[rows] = to_bytes(Worlds(drawn.before, drawn.heroes, sizes))
        after[rows] = to_bytes(Worlds(drawn.after, drawn.reports[..., PLACE : HEADING + 1], sizes))
        programs += [_program(drawn, i, options) for i in range(drawn.sizes.size)]
    return programs, before, after, _named(counts)


def _drawn_in_chunks(tables: Tables, rng: Random, count: int, counts: NDArray[np.int64]) -> Iterator[DrawnTasks]:
    """Exactly `count` tasks as arrays, at most CHUNK at a time."""
    dice = dice_from(rng)
    for start in range(0, count, CHUNK):
        drawn = empty_tasks(min(CHUNK, count - start))
        draw_tasks(tables, dice, drawn, counts)
        yield drawn


def _named(counts: NDArray[np.int64]) -> Counter[str]:
    return Counter({name: int(number) for name, number in zip(_COUNTED, counts, strict=True) if number})


def sample_examples(rng: Random, program: Program, count: int) -> list[Example[World]]:
    """Worlds on which a program runs well, drawn as for a task, with its outputs; fewer if too many tries fail."""
    tokens, dice, drawn = grammar.ids(program), dice_from(rng), empty_tasks(1)
    code = np.empty((2 * tokens.size + 2, 3), dtype=np.int64)
    compile_program(tokens, code)
    return [_example(drawn, 0, 0) for _ in range(count) if find_world(TABLES, dice, code, drawn, 0, 0)]


def _task(drawn: DrawnTasks, task: int, options: KarelOptions) -> Task[Program, World]:
    program = _program(drawn, task, options)
    examples = tuple(_example(drawn, task, example) for example in range(EXAMPLES))
    return Task(program, examples, category(program), syntax.length(program), SOURCE)


def _program(drawn: DrawnTasks, task: int, options: KarelOptions) -> Program:
    tokens = drawn.tokens[task, : drawn.sizes[task]]
    if options.reduce:
        tokens = reduce_tokens(tokens, drawn.before[task], drawn.heroes[task], TICKS)
    return grammar.parse(VOCAB.decode(tokens.tolist()))


def _example(drawn: DrawnTasks, task: int, example: int) -> Example[World]:
    rows, cols = int(drawn.kinds[task, example, ROWS]), int(drawn.kinds[task, example, COLS])
    place, way = drawn.heroes[task, example].tolist()
    report = drawn.reports[task, example]
    before = unpack(drawn.before[task, example], place, way, rows, cols)
    return Example(before, unpack(drawn.after[task, example], int(report[PLACE]), int(report[HEADING]), rows, cols))
