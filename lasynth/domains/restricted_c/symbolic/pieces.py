"""Piecewise linear functions of one element: clamps, signs, absolute values.

The function is fitted to the elements of all positions and examples together, so a few examples are enough.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.explanations import Choice, Tree
from lasynth.domains.restricted_c.symbolic.sums import Ints, Sum

MOST_PIECES = 3
FEWEST_VALUES = 2
"""Different input values required per piece. With fewer, pieces would fit nearly any examples."""
SLOPES = (1, 0, -1, 2)
"""The first one wins where a piece has one element only, which fits every slope."""
FLAT_FIRST = (0, 1, -1, 2)


class Piece(NamedTuple):
    """`slope * x + constant` for the elements from `first` to `last`."""

    first: int
    last: int
    slope: int
    constant: int

    @property
    def total(self) -> Sum:
        return Sum(((0, self.slope),) if self.slope else (), self.constant)


def in_pieces(inputs: Ints, expected: Ints, slopes: tuple[int, ...] = SLOPES) -> Tree | None:
    """A choice by element 0 alone that maps each of these elements to the expected one, if there is one. (N, P) each"""
    elements, first = np.unique(inputs, return_index=True)
    wanted = expected.ravel()[first]
    if (wanted[np.searchsorted(elements, inputs)] != expected).any():
        return None
    pieces = _pieces(elements, wanted, slopes)
    if pieces is None or len(pieces) < 2 or len(elements) < FEWEST_VALUES * len(pieces):
        return None
    tree: Tree = pieces[-1].total
    for before, after in reversed(list(pairwise(pieces))):
        tree = Choice(Comparison(Sum(((0, 1),), -_limit(before, after)), "<="), before.total, tree)
    return tree


def _pieces(elements: Ints, wanted: Ints, slopes: tuple[int, ...]) -> list[Piece] | None:
    """The pieces from left to right, each as long as possible; None if there are more than MOST_PIECES."""
    pieces: list[Piece] = []
    begin = 0
    while begin < len(elements):
        if len(pieces) == MOST_PIECES:
            return None
        rests = [wanted[begin:] - slope * elements[begin:] for slope in slopes]
        sizes = [int(np.argmax(np.append(rest != rest[0], True))) for rest in rests]
        best = int(np.argmax(sizes))
        end = begin + sizes[best]
        pieces.append(Piece(int(elements[begin]), int(elements[end - 1]), slopes[best], int(rests[best][0])))
        begin = end
    return pieces


def _limit(before: Piece, after: Piece) -> int:
    """Largest value of the first of two pieces: where the lines meet, or else as near to 0 as possible."""
    if before.slope != after.slope:
        meeting, rest = divmod(after.constant - before.constant, before.slope - after.slope)
        if rest == 0 and before.last <= meeting < after.first:
            return meeting
    return max(before.last, min(after.first - 1, 0 if after.first > 0 else -1))
