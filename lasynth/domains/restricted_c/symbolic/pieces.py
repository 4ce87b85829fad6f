"""Functions of one element in pieces, each a line: clamps, signs, absolute values.

The elements of all positions and examples are looked at together, so a few examples show much. Knows no positions.
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
"""Different elements that there must be for each piece: any two points are on some line."""
SLOPES = (1, 0, -1, 2)


class Piece(NamedTuple):
    """`slope * x + constant` for the elements from `first` to `last`."""

    first: int
    last: int
    slope: int
    constant: int

    @property
    def total(self) -> Sum:
        return Sum(((0, self.slope),) if self.slope else (), self.constant)


def in_pieces(inputs: Ints, expected: Ints) -> Tree | None:
    """A choice by element 0 alone that makes each of these elements what is expected; None if there is none. (N, P) each"""
    elements, first = np.unique(inputs, return_index=True)
    wanted = expected.ravel()[first]
    if (wanted[np.searchsorted(elements, inputs)] != expected).any():
        return None
    pieces = _pieces(elements, wanted)
    if pieces is None or len(pieces) < 2 or len(elements) < FEWEST_VALUES * len(pieces):
        return None
    tree: Tree = pieces[-1].total
    for before, after in reversed(list(pairwise(pieces))):
        tree = Choice(Comparison(Sum(((0, 1),), -_limit(before, after)), "<="), before.total, tree)
    return tree


def _pieces(elements: Ints, wanted: Ints) -> list[Piece] | None:
    """From left to right, each as long as it can be; None if there are too many."""
    pieces: list[Piece] = []
    begin = 0
    while begin < len(elements):
        if len(pieces) == MOST_PIECES:
            return None
        rests = [wanted[begin:] - slope * elements[begin:] for slope in SLOPES]
        sizes = [int(np.argmax(np.append(rest != rest[0], True))) for rest in rests]
        best = int(np.argmax(sizes))
        end = begin + sizes[best]
        pieces.append(Piece(int(elements[begin]), int(elements[end - 1]), SLOPES[best], int(rests[best][0])))
        begin = end
    return pieces


def _limit(before: Piece, after: Piece) -> int:
    """Up to where the first of two pieces goes: where the lines meet if that is between them, else as near to 0 as it can."""
    if before.slope != after.slope:
        meeting, rest = divmod(after.constant - before.constant, before.slope - after.slope)
        if rest == 0 and before.last <= meeting < after.first:
            return meeting
    return max(before.last, min(after.first - 1, 0 if after.first > 0 else -1))
