"""Karel compiled and run in machine code: many programs on many worlds in one call, with the interpreter's results.

A program is an array of lexeme numbers, compiled to rows of (operation, argument, target). A world is packed into an
18 x 18 frame of bytes. Cells outside the world are walls, so a step is one addition and a test reads one cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel import grammar
from lasynth.domains.karel.grammar import ACTION, CONDITION, COUNT, ELSE, END_REPEAT, END_WHILE, REPEAT
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.nodes import MAX_NESTING, Program
from lasynth.domains.karel.world import MAX_MARKERS, WALL, World
from lasynth.jit import compiled

OK, CRASH, STEP_LIMIT = 0, 1, 2
FRAME = 18
AREA = FRAME * FRAME
MOVE, LEFT, RIGHT, PICK, PUT, TEST, JUMP, LOAD, LOOP, HALT = range(10)
STEPS = np.array((FRAME, 1, -FRAME, -1), dtype=np.int64)
"""What to add to a cell's index to get its neighbour in each direction."""

STATUS, TOOK, PLACE, HEADING, ACTED, SEQUENCE, DID, LAST = range(8)
"""Columns of a run's report: status, ticks, cell and direction of the robot, number of actions, digest of their
sequence, one bit for each kind of action done, and the operation that ended the run."""
REPORT = 8


@compiled
def compile_program(tokens: NDArray[np.int64], code: NDArray[np.int64]) -> int:
    """Write the bytecode of a well-formed program into `code`, (lexemes + 1, 3) or longer; gives its length."""
    length, depth = 0, 0
    open_at = np.empty(MAX_NESTING + 1, dtype=np.int64)
    i = 0
    while i < tokens.size:
        token = tokens[i]
        i += 1
        if token < REPEAT:
            code[length, 0] = token - ACTION
        elif token == REPEAT:
            code[length, 0], code[length, 1], code[length, 2] = LOAD, tokens[i] - COUNT, depth
            length += 1
            code[length, 0], code[length, 1] = LOOP, depth
            open_at[depth] = length
            depth, i = depth + 1, i + 1
        elif token < COUNT:
            code[length, 0], code[length, 1] = TEST, tokens[i] - CONDITION
            open_at[depth] = length
            depth, i = depth + 1, i + 1
        elif token == ELSE:
            code[length, 0] = JUMP
            code[open_at[depth - 1], 2] = length + 1
            open_at[depth - 1] = length
        else:
            depth -= 1
            if token in (END_REPEAT, END_WHILE):
                code[length, 0], code[length, 2] = JUMP, open_at[depth]
                length += 1
            code[open_at[depth], 2] = length
            continue
        length += 1
    code[length, 0] = HALT
    return length + 1


@compiled
def bytecode(tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bytecode of a well-formed program. (lexemes + 1, 3)"""
    code = np.empty((tokens.size + 1, 3), dtype=np.int64)
    compile_program(tokens, code)
    return code


@compiled
def holds(grid: NDArray[np.uint8], place: int, heading: int, condition: int) -> bool:
    """Whether a condition holds, by its place among the condition lexemes: the second five are negated."""
    test = condition % 5
    if test == 3:
        result = grid[place] > 0
    elif test == 4:
        result = grid[place] == 0
    else:
        way = (heading + (0, 3, 1)[test]) & 3
        result = grid[place + STEPS[way]] != WALL
    return bool(result != (condition >= 5))


@compiled
def act(grid: NDArray[np.uint8], place: int, heading: int, action: int) -> tuple[int, int, bool]:
    """Do an action; gives the robot's cell and direction after it, and whether it was possible."""
    if action == MOVE:
        ahead = place + STEPS[heading]
        return (place, heading, False) if grid[ahead] == WALL else (ahead, heading, True)
    if action == LEFT:
        return place, (heading + 3) & 3, True
    if action == RIGHT:
        return place, (heading + 1) & 3, True
    if grid[place] == (0 if action == PICK else MAX_MARKERS):
        return place, heading, False
    grid[place] += np.uint8(1) if action == PUT else np.uint8(255)  # bytes wrap around: adding 255 subtracts 1
    return place, heading, True


@compiled
def next_timed(code: NDArray[np.int64], pc: int, rounds: NDArray[np.int64]) -> int:
    """Go from `pc` to the next operation that takes a tick, or to the end.

    Jumps and the start and end of a repeat take no tick.
    """
    while True:
        operation = code[pc, 0]
        if operation == JUMP:
            pc = code[pc, 2]
        elif operation == LOAD:
            rounds[code[pc, 2]] = code[pc, 1]
            pc += 1
        elif operation == LOOP and rounds[code[pc, 1]] == 0:
            pc = code[pc, 2]
        else:
            return pc


@compiled
def execute(
    code: NDArray[np.int64],
    grid: NDArray[np.uint8],
    start: int,
    direction: int,
    limit: int,
    report: NDArray[np.int64],
) -> int:
    """Run bytecode on `grid`, in place, and fill the report; gives the status."""
    rounds = np.empty(MAX_NESTING + 1, dtype=np.int64)
    place, heading, ticks, acted, sequence, did = start, direction, 0, 0, np.uint64(0), 0
    status, fine = OK, True
    pc = next_timed(code, 0, rounds)
    while code[pc, 0] != HALT:
        if ticks >= limit:  # a limit may be negative: then nothing that takes a tick runs
            status = STEP_LIMIT
            break
        ticks += 1
        operation, argument = code[pc, 0], code[pc, 1]
        if operation == TEST and not holds(grid, place, heading, argument):
            pc = next_timed(code, code[pc, 2], rounds)
            continue
        if operation == LOOP:
            rounds[argument] -= 1
        elif operation < TEST:
            place, heading, fine = act(grid, place, heading, operation)
            if not fine:
                status = CRASH
                break
            acted, did = acted + 1, did | 1 << operation
            sequence = sequence * np.uint64(6364136223846793005) + np.uint64(operation + 1)
        pc = next_timed(code, pc + 1, rounds)
    report[STATUS], report[TOOK], report[PLACE], report[HEADING] = status, ticks, place, heading
    report[ACTED], report[SEQUENCE], report[DID], report[LAST] = acted, np.int64(sequence), did, code[pc, 0]
    return status


@compiled
def run_worlds(
    code: NDArray[np.int64],
    grids: NDArray[np.uint8],
    heroes: NDArray[np.int64],
    limit: int,
    reports: NDArray[np.int64],
    outputs: NDArray[np.uint8],
) -> None:
    """Run bytecode on each of W worlds; fills reports (W, REPORT) and outputs (W, 324)."""
    for w in range(grids.shape[0]):
        outputs[w] = grids[w]
        execute(code, outputs[w], heroes[w, 0], heroes[w, 1], limit, reports[w])


@compiled
def run_batch(
    tokens: NDArray[np.int64],
    bounds: NDArray[np.int64],
    grids: NDArray[np.uint8],
    heroes: NDArray[np.int64],
    first: NDArray[np.int64],
    limit: int,
    reports: NDArray[np.int64],
    outputs: NDArray[np.uint8],
) -> None:
    """Run each program p, lexemes bounds[p] to bounds[p + 1], on W worlds from first[p] on.

    Fills reports (P, W, REPORT) and outputs (P, W, 324).
    """
    code = np.empty((np.max(np.diff(bounds)) + 1, 3), dtype=np.int64)
    for p in range(bounds.size - 1):
        compile_program(tokens[bounds[p] : bounds[p + 1]], code)
        start, end = first[p], first[p] + reports.shape[1]
        run_worlds(code, grids[start:end], heroes[start:end], limit, reports[p], outputs[p])


@dataclass(frozen=True, slots=True)
class Worlds:
    """Many worlds as arrays."""

    grids: NDArray[np.uint8]
    """(W, 324): walls and markers."""
    heroes: NDArray[np.int64]
    """(W, 2): the robot's cell and direction."""
    sizes: NDArray[np.int64]
    """(W, 2): rows and columns."""


@dataclass(frozen=True, slots=True)
class Programs:
    """P programs in one array of lexemes; program p is tokens[bounds[p] : bounds[p + 1]]."""

    tokens: NDArray[np.int64]
    bounds: NDArray[np.int64]


def pack(worlds: Sequence[World]) -> Worlds:
    """Pack worlds into arrays."""
    grids = np.full((len(worlds), FRAME, FRAME), WALL, dtype=np.uint8)
    for grid, world in zip(grids, worlds, strict=True):
        cells = np.frombuffer(world.cells, dtype=np.uint8).reshape(world.rows, world.cols)
        grid[1 : world.rows + 1, 1 : world.cols + 1] = cells
    heroes = [((w.row + 1) * FRAME + w.col + 1, w.direction) for w in worlds]
    sizes = [(w.rows, w.cols) for w in worlds]
    return Worlds(
        grids.reshape(-1, AREA),
        np.array(heroes, dtype=np.int64).reshape(-1, 2),
        np.array(sizes, dtype=np.int64).reshape(-1, 2),
    )


def unpack(grid: NDArray[np.uint8], place: int, heading: int, rows: int, cols: int) -> World:
    """Turn a packed world back into a World."""
    row, col = divmod(place, FRAME)
    cells = grid.reshape(FRAME, FRAME)[1 : rows + 1, 1 : cols + 1]
    return World(rows, cols, row - 1, col - 1, heading, cells.tobytes())


def unpack_all(worlds: Worlds) -> list[World]:
    """The inverse of `pack`."""
    rows = zip(worlds.grids, worlds.heroes.tolist(), worlds.sizes.tolist(), strict=True)
    return [unpack(grid, *hero, *size) for grid, hero, size in rows]


def pack_programs(programs: Sequence[Program]) -> Programs:
    """Pack programs into arrays."""
    arrays = [grammar.ids(program) for program in programs]
    bounds = np.zeros(len(arrays) + 1, dtype=np.int64)
    np.cumsum([array.size for array in arrays], out=bounds[1:])
    return Programs(np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64), bounds)


def run(
    programs: Programs,
    worlds: Worlds,
    *,
    first: NDArray[np.int64] | None = None,
    count: int | None = None,
    limit: int = TICKS,
) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Run all programs on all worlds, or on `count` from first[p] on: reports (P, W, REPORT), grids (P, W, 324)."""
    size = programs.bounds.size - 1
    width = len(worlds.grids) if count is None else count
    starts = np.zeros(size, dtype=np.int64) if first is None else first
    reports = np.zeros((size, width, REPORT), dtype=np.int64)
    outputs = np.empty((size, width, AREA), dtype=np.uint8)
    if size and width:
        run_batch(programs.tokens, programs.bounds, worlds.grids, worlds.heroes, starts, limit, reports, outputs)
    return reports, outputs
