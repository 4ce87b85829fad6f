"""Random shapes of Karel programs: where the control statements are and how long the blocks, but not yet what is done.

A shape is drawn statement by statement and kept as often as the tables say for its nesting, number of control
statements, category and length. What the tables hold is fitted to the public data; see weights.py. Knows no worlds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.dice import choose, uniform
from lasynth.domains.karel.grammar import ACTION, CONDITION, COUNT, ELSE, END_ELSE, END_REPEAT, IFELSE, REPEAT
from lasynth.jit import compiled

DEEPEST, MOST_CONTROLS, MOST_STATEMENTS, LONGEST = 5, 7, 22, 65
LENGTH_BINS = np.array((7, 10, 16, 24, 33, 52, LONGEST), dtype=np.int64)
"""The longest program of each class of lengths."""
ROOM = 4 * MOST_STATEMENTS + 2
"""Lexemes that a shape may take while it is drawn: an ifelse has four of its own."""


class ShapeTables(NamedTuple):
    """Weights for drawing a shape, and the chance with which a drawn one is kept."""

    top: NDArray[np.float64]
    """Statements outside all blocks: 1, 2, ..."""
    statements: NDArray[np.float64]
    """At depth 0, 1, 2 and more: action, repeat, while, if, ifelse. (3, 5)"""
    blocks: NDArray[np.float64]
    """Statements in the block of a repeat, while, if, then, else: 1, 2, ... (5, 7)"""
    negated: NDArray[np.float64]
    """Chance of `not` before a condition. (1,)"""
    nesting: NDArray[np.float64]
    controls: NDArray[np.float64]
    category: NDArray[np.float64]
    """Seq-only, If-only, Repeat-only, While-only, Mixture."""
    length: NDArray[np.float64]


@compiled
def _category(kinds: int) -> int:
    """From bits for repeat, while, if, ifelse to a place in nodes.CATEGORIES."""
    if kinds == 0:
        return 0
    if kinds & 3 == 0:
        return 1
    if kinds == 1:
        return 2
    return 3 if kinds == 2 else 4


@compiled
def _kept(tables: ShapeTables, dice: NDArray[np.uint64], shape: NDArray[np.int64], depths: NDArray[np.int64]) -> bool:
    """Whether a drawn shape is kept, by its nesting, number of control statements, category and length."""
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
    """A shape into `tokens`, the depth of each lexeme into `depths`; gives its size, or 0 if it is not kept.

    Its actions, counts and conditions are the first of their kind, or the first negated one.
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
