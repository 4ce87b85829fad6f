"""A Karel world as the 16 x 18 x 18 tensor that networks read, dense or as the public data's string of indices.

Cell (0, 0) of the world is at (1, 1), inside a ring of boundary cells; everything outside the ring is zero. Channels:
the robot looking north, east, south, west; wall; boundary; 1 to 10 markers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.world import MAX_INPUT_MARKERS, MAX_SIDE, WALL, World
from lasynth.task import InputError

CHANNELS, SIDE = 16, MAX_SIDE + 2
SHAPE = (CHANNELS, SIDE, SIDE)
_WALLS, _BOUNDARY, _MARKERS = 4, 5, 6


def indices(world: World) -> list[int]:
    """The indices at which the tensor is 1, in the order of the public strings: robot, markers, walls, boundary."""
    found = [_index(world.direction, world.row, world.col)]
    for row, col, count in world.markers():
        if count > MAX_INPUT_MARKERS:
            raise InputError(f"{count} markers in a cell; the tensor has channels for 1 to {MAX_INPUT_MARKERS}")
        found.append(_index(_MARKERS + count - 1, row, col))
    found += [_index(_WALLS, row, col) for row, col in world.walls()]
    found += [_index(_BOUNDARY, row, col) for row in (-1, world.rows) for col in range(-1, world.cols + 1)]
    found += [_index(_BOUNDARY, row, col) for col in (-1, world.cols) for row in range(world.rows)]
    return found


def _index(channel: int, row: int, col: int) -> int:
    return (channel * SIDE + row + 1) * SIDE + col + 1


def to_sparse(world: World) -> str:
    """The string of the public data: `index:1.0` for each index, separated by spaces."""
    return " ".join(f"{index}:1.0" for index in indices(world))


def from_sparse(text: str) -> World:
    """The world in a string of the public data. InputError."""
    dense = np.zeros(CHANNELS * SIDE * SIDE, dtype=np.float32)
    for item in text.split():
        index, _, value = item.partition(":")
        if not (index.isascii() and index.isdigit() and int(index) < dense.size and value == "1.0"):
            raise InputError(f"{item[:20]!r} is not an index of the tensor followed by :1.0")
        dense[int(index)] = 1
    return from_dense(dense.reshape(SHAPE))


def to_dense(world: World) -> NDArray[np.float32]:
    """The tensor of a world. (16, 18, 18)"""
    dense = np.zeros(CHANNELS * SIDE * SIDE, dtype=np.float32)
    dense[indices(world)] = 1
    return dense.reshape(SHAPE)


def from_dense(dense: NDArray[np.float32]) -> World:
    """The world in a (16, 18, 18) tensor. InputError."""
    if dense.shape != SHAPE:
        raise InputError(f"a world's tensor has the shape {SHAPE}, not {dense.shape}")
    ring = np.argwhere(dense[_BOUNDARY])
    heroes = np.argwhere(dense[:4])
    if len(ring) == 0:
        raise InputError("the tensor has no boundary")
    if len(heroes) != 1:
        raise InputError(f"a world has one robot; the tensor has {len(heroes)}")
    rows, cols = (int(extent) - 1 for extent in ring.max(axis=0))
    inner = dense[:, 1 : rows + 1, 1 : cols + 1]
    counts = np.arange(1, MAX_INPUT_MARKERS + 1).reshape(-1, 1, 1)
    cells = (inner[_MARKERS:] * counts).sum(axis=0) + WALL * inner[_WALLS]
    if cells.max(initial=0) > WALL:
        raise InputError("a cell of the tensor has both a wall and markers")
    direction, row, col = (int(value) for value in heroes[0])
    world = World(rows, cols, row - 1, col - 1, direction, cells.astype(np.uint8).tobytes())
    if not np.array_equal(to_dense(world), dense):
        raise InputError("the tensor does not describe a world")
    return world
