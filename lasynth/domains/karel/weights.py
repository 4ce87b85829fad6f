"""The generator's tables, as fit.py fitted them to the public figures. Knows not how they are used."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.fitted import FITTED
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


def tables_from(stored: dict[str, Any]) -> Tables:
    """Tables from plain lists."""
    parts: dict[str, Any] = {"shape": ShapeTables, "fill": FillTables, "world": WorldTables}
    arrays = {
        part: kind(**{name: np.array(stored[part][name], dtype=np.float64) for name in kind._fields})
        for part, kind in parts.items()
    }
    return Tables(**arrays)


TABLES = tables_from(FITTED)
