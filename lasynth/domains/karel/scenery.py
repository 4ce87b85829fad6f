"""Random Karel worlds, packed for the machine.

The kind of a world (its size, number of walls and number of cells with markers) is drawn first, so that a caller who
needs another world can draw one of the same kind.
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
"""For each class of density, the lowest and the highest share of cells."""
ROWS, COLS, WALLS, MARKERS = 0, 1, 2, 3
"""Places in the array of a kind."""


class WorldTables(NamedTuple):
    """Weights for drawing a world."""

    rows: NDArray[np.float64]
    cols: NDArray[np.float64]
    """Sides 2, 3, ..., 16. (15,)"""
    walls: NDArray[np.float64]
    markers: NDArray[np.float64]
    """Classes of density. (4,)"""
    counts: NDArray[np.float64]
    """Markers in a cell that has some: 1, 2, ..., 9. (9,)"""


@compiled
def draw_kind(tables: WorldTables, dice: NDArray[np.uint64], kind: NDArray[np.int64]) -> None:
    """Draw rows, columns, number of walls and number of cells with markers into `kind`."""
    kind[ROWS] = MIN_SIDE + choose(dice, tables.rows)
    kind[COLS] = MIN_SIDE + choose(dice, tables.cols)
    cells = kind[ROWS] * kind[COLS]
    for place, ratios, weights in ((WALLS, WALL_RATIOS, tables.walls), (MARKERS, MARKER_RATIOS, tables.markers)):
        low, high = ratios[choose(dice, weights)]
        number = (low + (high - low) * uniform(dice)) * cells
        kind[place] = min(int(number + uniform(dice)), cells // 2)


@compiled
def _free_cell(dice: NDArray[np.uint64], kind: NDArray[np.int64], grid: NDArray[np.uint8]) -> int:
    """A random cell with neither wall nor markers, or any cell after 400 tries.

    There is a free cell: at most half of the cells become walls, and at most half get markers.
    """
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
    """Draw a world of this kind into `grid`; gives the robot's cell and direction."""
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
    """Fill the arrays with worlds, each of its own kind."""
    for n in range(grids.shape[0]):
        draw_kind(tables, dice, kinds[n])
        heroes[n, 0], heroes[n, 1] = draw_world(tables, dice, kinds[n], grids[n])
