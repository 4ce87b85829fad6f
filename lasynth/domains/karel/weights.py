"""The generator's tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.scenery import WorldTables
from lasynth.domains.karel.skeleton import ShapeTables


class FillTables(NamedTuple):
    """Weights for what a shape's statements do."""

    actions: NDArray[np.float64]
    """At depth 0, 1, 2 and more: move, turnLeft, turnRight, pickMarker, putMarker. (3, 5)"""
    times: NDArray[np.float64]
    """Repeat counts 2, 3, ..., 10."""
    tests: NDArray[np.float64]
    """Tests without `not`, in the order of nodes.TESTS."""
    alike: NDArray[np.float64]
    """Chance to keep a program whose actions differ between worlds, or do not though it has a condition. (2,)"""
    acted: NDArray[np.float64]
    """Chance to keep a program by the class of its mean number of actions."""


class Tables(NamedTuple):
    shape: ShapeTables
    fill: FillTables
    world: WorldTables


def _array(*values: object) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


TABLES = Tables(
    shape=ShapeTables(
        top=_array(0.05, 0.14, 0.22, 0.2, 0.15, 0.1, 0.06, 0.04, 0.02, 0.01, 0.006, 0.004),
        statements=_array(
            [0.753, 0.082, 0.073, 0.043, 0.049], [0.79, 0.052, 0.046, 0.05, 0.06], [0.85, 0.04, 0.04, 0.04, 0.03]
        ),
        blocks=_array(
            [590, 303, 139, 56, 12, 4, 2],
            [415, 323, 133, 61, 15, 4, 1],
            [510, 128, 61, 23, 10, 4, 1],
            [655, 133, 44, 11, 4, 1, 1],
            [655, 133, 44, 11, 4, 1, 1],
        ),
        negated=_array(0.126),
        nesting=np.ones(6),
        controls=np.ones(8),
        category=np.ones(5),
        length=np.ones(7),
    ),
    fill=FillTables(
        actions=_array(
            [0.278, 0.102, 0.081, 0.136, 0.155], [0.284, 0.117, 0.105, 0.084, 0.2], [0.284, 0.117, 0.105, 0.084, 0.2]
        ),
        times=_array(200, 172, 194, 232, 94, 93, 54, 47, 20),
        tests=_array(0.79, 0.79, 0.79, 1, 1),
        alike=_array(1, 1),
        acted=np.ones(4),
    ),
    world=WorldTables(
        rows=np.ones(15),
        cols=np.ones(15),
        walls=_array(0.33, 0.05, 0.55, 0.07),
        markers=_array(0.07, 0.1, 0.73, 0.1),
        counts=_array(63, 9, 8, 7, 5, 3.5, 3, 2.3, 2),
    ),
)
