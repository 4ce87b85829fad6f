"""Worlds as arrays: how batches and Parquet files store them, and how to compare them.

A packed world has 329 bytes: rows, columns, the robot's row and column in the machine's frame, its direction, and the
frame itself (18 x 18 cells). Does not import torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ValueConfig
from lasynth.domains.karel.machine import AREA, FRAME, Worlds, pack, unpack
from lasynth.domains.karel.world import WALL, World
from lasynth.task import InputError

ROWS, COLS, ROW, COL, WAY, GRID = range(6)
"""Indices of bytes in a packed world. GRID is where the cells begin."""
BYTES = GRID + AREA
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class GridConfig(ValueConfig):
    """The worlds that a model represents. It represents every world of the language, so there are no settings."""


def to_bytes(worlds: Worlds) -> Bytes:
    """Convert the machine's worlds, which may have more leading axes, to packed ones. (..., BYTES)"""
    packed = np.empty((*worlds.grids.shape[:-1], BYTES), np.uint8)
    packed[..., [ROWS, COLS]] = worlds.sizes
    packed[..., ROW], packed[..., COL] = worlds.heroes[..., 0] // FRAME, worlds.heroes[..., 0] % FRAME
    packed[..., WAY] = worlds.heroes[..., 1]
    packed[..., GRID:] = worlds.grids
    return packed


def world_bytes(world: World) -> bytes:
    """Pack one world."""
    outside = bytes([WALL])
    lines = [world.cells[start : start + world.cols] for start in range(0, len(world.cells), world.cols)]
    inner = b"".join(outside + line + outside * (FRAME - 1 - world.cols) for line in lines)
    head = bytes([world.rows, world.cols, world.row + 1, world.col + 1, world.direction])
    return head + outside * FRAME + inner + outside * (FRAME * (FRAME - 1 - world.rows))


def from_bytes(packed: Bytes) -> World:
    """Unpack one world. (BYTES,)"""
    rows, cols, row, col, way = packed[:GRID].tolist()
    return unpack(packed[GRID:], row * FRAME + col, way, rows, cols)


class WorldValues:
    """Karel's `lasynth.domains.learnable.Values`. The trailing axis is (BYTES,)."""

    def read(self, column: Any) -> Bytes:
        """(N, K, BYTES), without a copy. InputError if the tasks differ in their number of examples."""
        examples, worlds = column.value_lengths().to_numpy(), column.flatten()
        if np.unique(examples).size > 1:
            raise InputError("the tasks differ in their number of examples")
        flat = np.frombuffer(worlds.buffers()[1], np.uint8)
        flat = flat[worlds.offset * BYTES : (worlds.offset + len(worlds)) * BYTES]
        return flat.reshape(len(examples), examples[0] if len(examples) else 0, BYTES)

    def pack(self, values: Sequence[World]) -> Bytes:
        return to_bytes(pack(values))

    def same(self, one: Bytes, other: Bytes) -> NDArray[np.bool_]:
        equal: NDArray[np.bool_] = (one == other).all(axis=-1)
        return equal

    def refusal(self, config: ValueConfig, values: Bytes) -> str | None:
        return None

    def inside(self, config: ValueConfig, values: Bytes) -> NDArray[np.bool_]:
        return np.ones(values.shape[:-1], np.bool_)

    def sample(self, config: ValueConfig) -> Bytes:
        sample: Bytes = self.pack([World.build(2, 2, (0, 0, 0))])[0]
        return sample
