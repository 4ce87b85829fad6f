"""The tables of the generator, which fit.py fits to the public figures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.fitted import FITTED
from lasynth.domains.karel.scenery import WorldTables
from lasynth.domains.karel.skeleton import ShapeTables


class FillTables(NamedTuple):
    """Weights for filling a shape with actions, counts and conditions, and chances to keep the program."""

    actions: NDArray[np.float64]
    """Actions, in the order of nodes.ACTIONS, at depth 0, 1, and 2 or more. (3, 5)"""
    times: NDArray[np.float64]
    """Repeat counts 2, 3, ..., 10. (9,)"""
    tests: NDArray[np.float64]
    """Tests, in the order of nodes.TESTS; with `not`, only the first three. (5,)"""
    alike: NDArray[np.float64]
    """Chance to keep a program with a condition: if its actions differ between worlds, and if they do not. (2,)"""
    acted: NDArray[np.float64]
    """Chance to keep a program by the class of its mean number of actions. (4,)"""


class Tables(NamedTuple):
    shape: ShapeTables
    fill: FillTables
    world: WorldTables


def tables_from(stored: dict[str, Any]) -> Tables:
    """Tables from the lists in fitted.py."""
    parts: dict[str, Any] = {"shape": ShapeTables, "fill": FillTables, "world": WorldTables}
    arrays = {
        part: kind(**{name: np.array(stored[part][name], dtype=np.float64) for name in kind._fields})
        for part, kind in parts.items()
    }
    return Tables(**arrays)


TABLES = tables_from(FITTED)
