"""Random Karel worlds, packed as the machine takes them. Knows nothing of programs.

Size, density of walls and density of markers are drawn first, so that a caller who needs another world can ask for one
of the same kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.dice import below, choose, uniform
from lasynth.domains.karel.machine import FRAME
from lasynth.domains.karel.world import MIN_SIDE, WALL
from lasynth.jit import compiled

WALL_RATIOS = np.array(((0.0, 0.0), (0.02, 0.05), (0.05, 0.2), (0.2, 0.46)))
MARKER_RATIOS = np.array(((0.0, 0.0), (0.03, 0.07), (0.07, 0.14), (0.14, 0.3)))
"""Shares of all cells, from and to, for each class of density."""
ROWS, COLS, WALLS, MARKERS = 0, 1, 2, 3


class WorldTables(NamedTuple):
    """Weights for drawing a world."""

    rows: NDArray[np.float64]
    cols: NDArray[np.float64]
    """2, 3, ..., 16"""
    walls: NDArray[np.float64]
    markers: NDArray[np.float64]
    """Classes of density."""
    counts: NDArray[np.float64]
    """Markers in a cell that has some: 1, 2, ..., 9."""


@compiled
def draw_kind(tables: WorldTables, dice: NDArray[np.uint64], kind: NDArray[np.int64]) -> None:
    """Rows, columns, number of walls and of cells with markers."""
    kind[ROWS] = MIN_SIDE + choose(dice, tables.rows)
    kind[COLS] = MIN_SIDE + choose(dice, tables.cols)
    cells = kind[ROWS] * kind[COLS]
    for place, ratios, weights in ((WALLS, WALL_RATIOS, tables.walls), (MARKERS, MARKER_RATIOS, tables.markers)):
        low, high = ratios[choose(dice, weights)]
        number = (low + (high - low) * uniform(dice)) * cells
        kind[place] = min(int(number + uniform(dice)), cells // 2)


@compiled
def _free_cell(dice: NDArray[np.uint64], kind: NDArray[np.int64], grid: NDArray[np.uint8]) -> int:
    """A random cell with neither wall nor marker; there is one, since at most half the cells are given to each."""
    place = FRAME + 1
    for _ in range(400):
        place = (1 + below(dice, kind[ROWS])) * FRAME + 1 + below(dice, kind[COLS])
        if grid[place] == 0:
            break
    return place


@compiled
def draw_world(
    tables: WorldTables, dice: NDArray[np.uint64], kind: NDArray[np.int64], grid: NDArray[np.uint8]
) -> tuple[int, int]:
    """A world of the kind into `grid`; gives the robot's cell and direction."""
    grid[:] = WALL
    for row in range(1, kind[ROWS] + 1):
        grid[row * FRAME + 1 : row * FRAME + 1 + kind[COLS]] = 0
    for _ in range(kind[WALLS]):
        grid[_free_cell(dice, kind, grid)] = WALL
    place = _free_cell(dice, kind, grid)
    for _ in range(kind[MARKERS]):
        cell = _free_cell(dice, kind, grid)
        if grid[cell] == 0:
            grid[cell] = 1 + choose(dice, tables.counts)
    return place, below(dice, 4)


@compiled
def draw_worlds(
    tables: WorldTables,
    dice: NDArray[np.uint64],
    kinds: NDArray[np.int64],
    grids: NDArray[np.uint8],
    heroes: NDArray[np.int64],
) -> None:
    """Many worlds, each of its own kind."""
    for n in range(grids.shape[0]):
        draw_kind(tables, dice, kinds[n])
        heroes[n, 0], heroes[n, 1] = draw_world(tables, dice, kinds[n], grids[n])
