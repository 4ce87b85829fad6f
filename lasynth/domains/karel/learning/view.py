"""What the robot sees of its world and of the wanted world: a fixed set of yes-or-no features.

The world is turned and shifted so that the robot is in the centre and looks up. Few features hold at once, so a view is
the list of their numbers. Does not import torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.learning.values import COL, GRID, ROW, WAY
from lasynth.domains.karel.machine import AREA, FRAME, STEPS, holds
from lasynth.domains.karel.world import WALL
from lasynth.jit import compiled

REACH = 5
"""How many cells the window shows in each direction."""
SIDE = 2 * REACH + 1
PLANES = 10
"""Wall; at least 1, 2, 3 markers; at least 1, 2, 3 to put; at least 1, 2, 3 to pick."""
FAR = 16
"""Distances are counted up to this."""
NEAR = 3
"""A goal is near if it is at most so many cells away in each direction."""
MOST = 10
"""Numbers of markers per cell are counted up to this; totals up to twice as many."""

WINDOW = 0
GOAL_RIGHT = WINDOW + SIDE * SIDE * PLANES  # how far to the right the goal is, -15 to 15; then how far ahead
GOAL_AHEAD = GOAL_RIGHT + 2 * FAR - 1
GOAL_NEAR = GOAL_AHEAD + 2 * FAR - 1  # both numbers together, if the goal is near
TURN = GOAL_NEAR + (2 * NEAR + 1) ** 2 + 1  # from the robot's direction to the goal's
CONDITIONS = TURN + 4  # all four conditions together
DONE = CONDITIONS + 16  # which of place, direction and markers are right
DISTANCES = DONE + 8  # in four directions: to the wall, to the first marker, to the first difference
CELLS = DISTANCES + 4 * 3 * (FAR + 1)  # what is to put or pick here, ahead, and at the goal
TOTALS = CELLS + 3 * (2 * MOST + 1)  # to put and to pick: cells, markers, most in a cell
OUTSIDE = TOTALS + 2 * (3 * (2 * MOST + 1))  # differences outside the window: in which quarter, to put or to pick
FEATURES = OUTSIDE + 8
ROOM = SIDE * SIDE * 7 + 80
"""Upper limit of the number of features that hold at once."""


@compiled
def _clip(value: int, most: int) -> int:
    return max(-most, min(most, value))


@compiled
def _see(world: NDArray[np.uint8], wanted: NDArray[np.uint8], out: NDArray[np.int32]) -> int:
    """Write the features that hold into `out`. Returns how many there are. (BYTES,), (BYTES,), (ROOM,)"""
    n = 0
    grid, goal = world[GRID:], wanted[GRID:]
    row: Any = np.int64(world[ROW])  # signed numbers, because bytes would wrap around
    col: Any = np.int64(world[COL])
    way: Any = np.int64(world[WAY])
    place = row * FRAME + col
    ahead_r, ahead_c = (1, 0, -1, 0)[way], (0, 1, 0, -1)[way]
    right_r, right_c = (1, 0, -1, 0)[(way + 1) & 3], (0, 1, 0, -1)[(way + 1) & 3]
    # the window
    for y in range(-REACH, REACH + 1):
        for x in range(-REACH, REACH + 1):
            r, c = row + y * ahead_r + x * right_r, col + y * ahead_c + x * right_c
            base = WINDOW + ((y + REACH) * SIDE + x + REACH) * PLANES
            if not (0 <= r < FRAME and 0 <= c < FRAME) or grid[r * FRAME + c] == WALL:
                out[n] = base
                n += 1
                continue
            here: Any = np.int64(grid[r * FRAME + c])
            there: Any = np.int64(goal[r * FRAME + c])
            shown: int = min(here, 3)
            for level in range(shown):
                out[n] = base + 1 + level
                n += 1
            if there != here and there != WALL:
                plane = 4 if there > here else 7
                shown = min(abs(there - here), 3)
                for level in range(shown):
                    out[n] = base + plane + level
                    n += 1
    # the goal's place and direction
    goal_r: Any = np.int64(wanted[ROW]) - row
    goal_c: Any = np.int64(wanted[COL]) - col
    right, ahead = goal_r * right_r + goal_c * right_c, goal_r * ahead_r + goal_c * ahead_c
    out[n] = GOAL_RIGHT + _clip(right, FAR - 1) + FAR - 1
    out[n + 1] = GOAL_AHEAD + _clip(ahead, FAR - 1) + FAR - 1
    near = abs(right) <= NEAR and abs(ahead) <= NEAR
    out[n + 2] = GOAL_NEAR + ((ahead + NEAR) * (2 * NEAR + 1) + right + NEAR if near else (2 * NEAR + 1) ** 2)
    turn = (np.int64(wanted[WAY]) - way) & 3
    out[n + 3] = TURN + turn
    conditions = 0
    for test in range(4):
        conditions += holds(grid, place, way, test) << test
    out[n + 4] = CONDITIONS + conditions
    n += 5
    # what is left to put and to pick
    cells, markers, most, outside = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64), 0
    for cell in range(AREA):
        if grid[cell] == goal[cell] or grid[cell] == WALL or goal[cell] == WALL:
            continue
        change: Any = np.int64(goal[cell]) - np.int64(grid[cell])
        side = 0 if change > 0 else 1
        cells[side] += 1
        markers[side] += abs(change)
        most[side] = max(most[side], abs(change))
        r, c = cell // FRAME - row, cell % FRAME - col
        x, y = r * right_r + c * right_c, r * ahead_r + c * ahead_c
        if abs(x) > REACH or abs(y) > REACH:
            quarter = (0 if y > 0 else 1) if abs(y) >= abs(x) else (2 if x > 0 else 3)
            outside |= 1 << (2 * quarter + side)
    for side in range(2):
        base = TOTALS + side * 3 * (2 * MOST + 1)
        out[n] = base + min(cells[side], 2 * MOST)
        out[n + 1] = base + 2 * MOST + 1 + min(markers[side], 2 * MOST)
        out[n + 2] = base + 2 * (2 * MOST + 1) + min(most[side], 2 * MOST)
        n += 3
    for bit in range(8):
        if outside >> bit & 1:
            out[n] = OUTSIDE + bit
            n += 1
    done = (right == 0 and ahead == 0) + 2 * (turn == 0) + 4 * (cells[0] + cells[1] == 0)
    out[n] = DONE + done
    n += 1
    # distances in four directions: ahead, right, behind, left
    for side in range(4):
        step = STEPS[(way + side) & 3]
        marker, difference, distance, cell = FAR, FAR, 0, place
        while grid[cell + step] != WALL:
            cell += step
            distance += 1
            if grid[cell] > 0 and marker == FAR:
                marker = min(distance, FAR - 1)
            if grid[cell] != goal[cell] and difference == FAR:
                difference = min(distance, FAR - 1)
        base = DISTANCES + side * 3 * (FAR + 1)
        out[n] = base + min(distance, FAR)
        out[n + 1] = base + FAR + 1 + marker
        out[n + 2] = base + 2 * (FAR + 1) + difference
        n += 3
    # what is to put or pick here, ahead, and at the goal
    goal_place = np.int64(wanted[ROW]) * FRAME + wanted[COL]
    for number, cell in enumerate((place, place + STEPS[way], goal_place)):
        change = 0 if grid[cell] == WALL or goal[cell] == WALL else np.int64(goal[cell]) - np.int64(grid[cell])
        out[n] = CELLS + number * (2 * MOST + 1) + _clip(change, MOST) + MOST
        n += 1
    return n


@compiled
def _see_all(
    worlds: NDArray[np.uint8], wanted: NDArray[np.uint8], out: NDArray[np.int32], begins: NDArray[np.int32]
) -> int:
    n = 0
    for r in range(worlds.shape[0]):
        begins[r] = n
        n += _see(worlds[r], wanted[r], out[n : n + ROOM])
    return n


_scratch = np.empty(0, np.int32)  # kept between calls, because allocating it takes longer than finding the features


def see(worlds: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The features of R worlds, one after the other, and where those of each begin. (R, BYTES) twice -> (N,), (R,)"""
    global _scratch
    if len(_scratch) < len(worlds) * ROOM:
        _scratch = np.empty(len(worlds) * ROOM, np.int32)
    begins = np.empty(len(worlds), np.int32)
    count = _see_all(np.ascontiguousarray(worlds), np.ascontiguousarray(wanted), _scratch, begins)
    return _scratch[:count].copy(), begins
