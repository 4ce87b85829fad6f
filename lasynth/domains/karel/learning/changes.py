"""What a statement changes in a world, as seen by the robot before it: how far it goes, how it turns, which markers.

A model predicts such changes, and they lead from one packed world to the next. The robot's frame is that of `view`: it
stands in the centre and looks up. Changes of markers outside the window are not represented. Does not import torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.learning.values import BYTES, COL, GRID, ROW, WAY, Bytes
from lasynth.domains.karel.learning.view import FAR, REACH, SIDE
from lasynth.domains.karel.machine import FRAME
from lasynth.domains.karel.world import MAX_MARKERS, WALL
from lasynth.jit import compiled

STEPS = 2 * FAR - 1
"""Steps to the right, and steps ahead: -15 to 15."""
TURNS = 4
MOST = 10
"""Changes of a cell's markers are limited to this."""
LEVELS = 2 * MOST + 1
CELLS = SIDE * SIDE
POSE = 3
"""Numbers that say where the robot is afterwards: steps to the right, steps ahead, quarter turns to the right."""


@compiled
def _axes(way: int) -> tuple[int, int, int, int]:
    """Rows and columns of one step ahead, and of one step to the right."""
    right = (way + 1) & 3
    return (1, 0, -1, 0)[way], (0, 1, 0, -1)[way], (1, 0, -1, 0)[right], (0, 1, 0, -1)[right]


@compiled
def _compare_all(before: Bytes, after: Bytes, poses: NDArray[np.int64], markers: NDArray[np.int64]) -> None:
    for n in range(before.shape[0]):
        old, new = before[n], after[n]
        row: Any = np.int64(old[ROW])
        col: Any = np.int64(old[COL])
        way: Any = np.int64(old[WAY])
        ahead_r, ahead_c, right_r, right_c = _axes(way)
        rows, cols = np.int64(new[ROW]) - row, np.int64(new[COL]) - col
        poses[n, 0] = rows * right_r + cols * right_c + FAR - 1
        poses[n, 1] = rows * ahead_r + cols * ahead_c + FAR - 1
        poses[n, 2] = (np.int64(new[WAY]) - way) & 3
        for y in range(-REACH, REACH + 1):
            for x in range(-REACH, REACH + 1):
                r, c = row + y * ahead_r + x * right_r, col + y * ahead_c + x * right_c
                level = MOST
                if 0 <= r < FRAME and 0 <= c < FRAME:
                    cell = GRID + r * FRAME + c
                    if old[cell] != WALL:
                        change: Any = np.int64(new[cell]) - np.int64(old[cell])
                        level = max(-MOST, min(MOST, change)) + MOST
                markers[n, (y + REACH) * SIDE + x + REACH] = level


@compiled
def _apply_all(worlds: Bytes, poses: NDArray[np.int64], markers: NDArray[np.int64]) -> None:
    for n in range(worlds.shape[0]):
        world = worlds[n]
        row: Any = np.int64(world[ROW])
        col: Any = np.int64(world[COL])
        way: Any = np.int64(world[WAY])
        ahead_r, ahead_c, right_r, right_c = _axes(way)
        for place in range(CELLS):
            change = markers[n, place] - MOST
            if change == 0:
                continue
            y, x = place // SIDE - REACH, place % SIDE - REACH
            r, c = row + y * ahead_r + x * right_r, col + y * ahead_c + x * right_c
            if 0 <= r < FRAME and 0 <= c < FRAME:
                cell = GRID + r * FRAME + c
                if world[cell] != WALL:
                    world[cell] = max(0, min(MAX_MARKERS, np.int64(world[cell]) + change))
        right, ahead = poses[n, 0] - (FAR - 1), poses[n, 1] - (FAR - 1)
        r, c = row + ahead * ahead_r + right * right_r, col + ahead * ahead_c + right * right_c
        if 0 <= r < FRAME and 0 <= c < FRAME and world[GRID + r * FRAME + c] != WALL:
            world[ROW], world[COL] = r, c
        world[WAY] = (way + poses[n, 2]) & 3


def compare(before: Bytes, after: Bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What changes: the robot's pose, and by how much each cell of the window, both counted from 0.

    (R, BYTES) twice -> (R, POSE), (R, CELLS)
    """
    poses, markers = np.empty((len(before), POSE), np.int64), np.empty((len(before), CELLS), np.int64)
    _compare_all(np.ascontiguousarray(before), np.ascontiguousarray(after), poses, markers)
    return poses, markers


def apply(before: Bytes, poses: NDArray[np.int64], markers: NDArray[np.int64]) -> Bytes:
    """The worlds after these changes. A robot does not enter a wall, and walls stay.

    The inverse of `compare`, up to markers outside the window and changes above MOST.
    """
    worlds = np.array(before, np.uint8).reshape(-1, BYTES)
    _apply_all(worlds, poses, markers)
    return worlds
