"""What a program has made of its lists after each of its statements: the truth that a latent executor can be held to.

The value at a lexeme that ends a statement is what the program up to there would return: the prefix with its open blocks
closed, run as a program of its own. So inside a loop it is the list after the whole loop with the body written so far.
Knows neither models nor batches; all of it is compiled, since every batch of training needs it anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.bytecode import translate, workspace
from lasynth.domains.restricted_c.grammar import CLOSE, ELSE, END, FOR, FOR_INT, THEN
from lasynth.domains.restricted_c.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.machine import OK, run_one
from lasynth.domains.restricted_c.nodes import MAX_DEPTH
from lasynth.domains.restricted_c.vocabulary import STATEMENT_ENDS
from lasynth.jit import compiled

ENDS = np.isin(np.arange(256), STATEMENT_ENDS)
"""(256,) whether a lexeme of this kind ends a statement."""


class PrefixValues(NamedTuple):
    """B programs, at most S statement ends, K lists each of L elements."""

    values: NDArray[np.int32]
    """(B, S, K, L); zeros where there is no value."""
    valid: NDArray[np.bool_]
    """(B, S, K): the statement exists and the run up to it is without a fault."""


def prefix_values(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int = MAX_STEPS
) -> PrefixValues:
    """Values at every statement end of whole programs, one a row, END and anything behind it. (B, T), (B, K, L)"""
    points = int((ENDS[kinds] & (np.cumsum(kinds == END, axis=1) == 0)).sum(axis=1).max(initial=0))
    return PrefixValues(
        *_run_prefixes(kinds, arguments, np.ascontiguousarray(inputs, np.int32), ENDS, points, max_steps)
    )


@compiled
def _run_prefixes(
    kinds: NDArray[np.uint8],
    arguments: NDArray[np.int32],
    inputs: NDArray[np.int32],
    ends: NDArray[np.bool_],
    points: int,
    max_steps: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    programs, examples, length = inputs.shape
    values = np.zeros((programs, points, examples, length), np.int32)
    valid = np.zeros((programs, points, examples), np.bool_)
    room = workspace(kinds.shape[1] + MAX_DEPTH + 1, length)
    own_kinds = np.empty(kinds.shape[1] + MAX_DEPTH + 1, np.uint8)
    own_arguments = np.zeros(own_kinds.size, np.int32)
    for p in range(programs):
        point, depth = 0, 0
        for t in range(kinds.shape[1]):
            kind = kinds[p, t]
            if kind == END:
                break
            own_kinds[t], own_arguments[t] = kind, arguments[p, t]
            limit = t >= 3 and (kinds[p, t - 3] == FOR or kinds[p, t - 3] == FOR_INT)  # with it the head is complete
            if kind == THEN or limit:
                depth += 1
            elif kind == CLOSE:
                depth -= 1
            if ends[kind]:
                size = close_prefix(own_kinds, t + 1, depth)
                translate(room, own_kinds[:size], own_arguments[:size])
                for k in range(examples):
                    valid[p, point, k] = run_one(room, inputs[p, k], values[p, point, k], max_steps) == OK
                point += 1
                own_kinds[t] = kind
    return values, valid


@compiled
def close_prefix(kinds: NDArray[np.uint8], size: int, depth: int) -> int:
    """Turn the first `size` lexemes, with `depth` blocks open, into a program of their own; its size.

    `} else {` at the end becomes `}`: the second block has no statement yet.
    """
    if kinds[size - 1] == ELSE:
        kinds[size - 1] = CLOSE
        depth -= 1
    kinds[size : size + depth] = CLOSE
    kinds[size + depth] = END
    return size + depth + 1
