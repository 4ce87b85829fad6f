"""Random shapes of Karel programs: the control statements and the lengths of the blocks, without what they do.

A shape is drawn statement by statement. Its nesting, number of control statements, category and length give the chance
to keep it. The tables are fitted to the public data; see weights.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.dice import choose, uniform
from lasynth.domains.karel.grammar import ACTION, CONDITION, COUNT, ELSE, END_ELSE, END_REPEAT, IFELSE, REPEAT
from lasynth.domains.karel.statistics import LENGTHS
from lasynth.jit import compiled

DEEPEST, MOST_CONTROLS, MOST_STATEMENTS, LONGEST = 5, 7, 22, 65
"""Limits of the public data: nesting, control statements, statements, tokens."""
LENGTH_BINS = np.array((*LENGTHS, LONGEST), dtype=np.int64)
"""The largest length of each class."""
ROOM = 4 * MOST_STATEMENTS + 2
"""Lexemes that a shape can have while it is drawn: at most four per statement (ifelse)."""


class ShapeTables(NamedTuple):
    """Weights for drawing a shape, and factors of the chance to keep it."""

    top: NDArray[np.float64]
    """Number of statements outside blocks: 1, 2, ..."""
    statements: NDArray[np.float64]
    """Kind of statement (action, repeat, while, if, ifelse) at depth 0, 1, and 2 or more. (3, 5)"""
    blocks: NDArray[np.float64]
    """Number of statements (1, 2, ...) in the block of a repeat, while, if, then and else. (5, 7)"""
    negated: NDArray[np.float64]
    """Chance of `not` before a condition. (1,)"""
    nesting: NDArray[np.float64]
    """Chance to keep a shape by its nesting: 0, 1, ..."""
    controls: NDArray[np.float64]
    """By its number of control statements: 0, 1, ..."""
    category: NDArray[np.float64]
    """By its category, in the order of nodes.CATEGORIES."""
    length: NDArray[np.float64]
    """By its class of lengths, see LENGTH_BINS."""


@compiled
def _category(kinds: int) -> int:
    """Index in nodes.CATEGORIES; `kinds` has one bit each for repeat, while, if and ifelse."""
    if kinds == 0:
        return 0
    if kinds & 3 == 0:
        return 1
    if kinds == 1:
        return 2
    return 3 if kinds == 2 else 4


@compiled
def _kept(tables: ShapeTables, dice: NDArray[np.uint64], shape: NDArray[np.int64], depths: NDArray[np.int64]) -> bool:
    """Decide at random whether to keep a shape, by its nesting, number of control statements, category and length."""
    controls, kinds, length = 0, 0, 4
    for token in shape:
        if token == ACTION:
            length += 1
        elif token == CONDITION + 5:
            length += 3
        elif REPEAT <= token <= IFELSE:
            controls, kinds = controls + 1, kinds | 1 << (token - REPEAT)
            length += 4 if token == REPEAT else 9 if token == IFELSE else 6
    if controls > MOST_CONTROLS or length > LONGEST:
        return False
    bin_ = np.searchsorted(LENGTH_BINS, length)
    chance = tables.nesting[depths.max()] * tables.controls[controls] * tables.category[_category(kinds)]
    return bool(uniform(dice) < chance * tables.length[bin_])


@compiled
def draw_shape(
    tables: ShapeTables, dice: NDArray[np.uint64], tokens: NDArray[np.int64], depths: NDArray[np.int64]
) -> int:
    """Draw a shape into `tokens` and the depth of each lexeme into `depths`; gives its size, or 0 if it is not kept.

    Actions, counts and conditions are placeholders: the first lexeme of their kind or, for a condition with `not`, the
    first negated one.
    """
    left, closing = np.empty(DEEPEST + 1, dtype=np.int64), np.empty(DEEPEST + 1, dtype=np.int64)
    size, depth, statements = 0, 0, 0
    left[0] = choose(dice, tables.top) + 1
    while depth > 0 or left[0] > 0:
        depths[size : size + 2] = depth
        if left[depth] == 0:
            tokens[size] = closing[depth]
            if closing[depth] == ELSE:
                left[depth], closing[depth] = choose(dice, tables.blocks[4]) + 1, END_ELSE
            else:
                depth -= 1
            size += 1
            continue
        left[depth], statements = left[depth] - 1, statements + 1
        if statements > MOST_STATEMENTS:
            return 0
        kind = choose(dice, tables.statements[min(depth, 2)])
        if kind > 0 and depth == DEEPEST:
            return 0
        tokens[size] = ACTION if kind == 0 else REPEAT + kind - 1
        size += 1
        if kind > 0:
            negated = kind > 1 and uniform(dice) < tables.negated[0]
            tokens[size] = COUNT if kind == 1 else CONDITION + 5 if negated else CONDITION
            size, depth = size + 1, depth + 1
            left[depth], closing[depth] = choose(dice, tables.blocks[kind - 1]) + 1, END_REPEAT + kind - 1
    return size if _kept(tables, dice, tokens[:size], depths[:size]) else 0
