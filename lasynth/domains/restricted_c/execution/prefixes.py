"""Runs of unfinished programs: the list after each statement, and which runs reach the end of the prefix.

The value at a lexeme that ends a statement is the result of the prefix up to there: its open blocks are closed, and it
runs as a program. So inside a loop, the value is the list after the whole loop, with the body written so far. A latent
executor can be trained on these values, or they can replace it.

This module does not know models or batches. All of it is compiled, because every training batch and every step of a
search needs it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.bytecode import Translation, translate, workspace
from lasynth.domains.restricted_c.execution.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.execution.machine import OK, OUT_OF_BOUNDS, run_one
from lasynth.domains.restricted_c.language.grammar import (
    CLOSE,
    ELSE,
    END,
    FOR,
    FOR_INT,
    PRE_INC,
    STATE_SIZE,
    THEN,
    check,
)
from lasynth.domains.restricted_c.language.nodes import MAX_DEPTH
from lasynth.domains.restricted_c.language.vocabulary import PADDING, STATEMENT_ENDS
from lasynth.jit import compiled

ENDS = np.isin(np.arange(256), STATEMENT_ENDS)
"""(256,) whether a lexeme of this kind ends a statement."""


class PrefixValues(NamedTuple):
    """Values of B programs with at most S statement ends, on K lists of L elements each."""

    values: NDArray[np.int32]
    """(B, S, K, L); zeros where there is no value."""
    valid: NDArray[np.bool_]
    """(B, S, K) whether the statement exists and the run up to it has no fault."""


def prefix_values(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int = MAX_STEPS
) -> PrefixValues:
    """Values at every statement end of whole programs. (B, T), (B, T), (B, K, L)

    A row is a program and END; what follows END is ignored. A row that is not a program has no values.
    """
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
    state = np.empty(STATE_SIZE, np.int64)
    for p in range(programs):
        point, depth = 0, 0
        for t in range(kinds.shape[1]):
            kind = kinds[p, t]
            if kind == END:
                break
            own_kinds[t], own_arguments[t] = kind, arguments[p, t]
            depth += opened(kinds[p], t)
            if ends[kind]:
                size = close_prefix(own_kinds, t + 1, depth) if 0 <= depth <= MAX_DEPTH else 0
                if size and translated(room, own_kinds[:size], own_arguments[:size], state):
                    for k in range(examples):
                        valid[p, point, k] = run_one(room, inputs[p, k], values[p, point, k], max_steps) == OK
                point += 1
                own_kinds[t] = kind
    return values, valid


@compiled
def translated(
    room: Translation, kinds: NDArray[np.uint8], arguments: NDArray[np.int32], state: NDArray[np.int64]
) -> bool:
    """Translate a program. False, without translating, if the grammar refuses it: running it would not be safe."""
    if check(kinds, arguments, state) >= 0:
        return False
    translate(room, kinds, arguments)
    return True


@compiled
def opened(kinds: NDArray[np.uint8], t: int) -> int:
    """How many blocks the lexeme at `t` opens; -1 if it closes one. A loop's block opens with the limit in its head."""
    if kinds[t] == THEN or (t >= 3 and (kinds[t - 3] == FOR or kinds[t - 3] == FOR_INT)):
        return 1
    return -1 if kinds[t] == CLOSE else 0


@compiled
def close_prefix(kinds: NDArray[np.uint8], size: int, depth: int) -> int:
    """Turn the first `size` lexemes, with `depth` blocks open, into a program, and return the size of that.

    `} else {` at the end becomes `}`, because the second block has no statement yet.
    """
    if kinds[size - 1] == ELSE:
        kinds[size - 1] = CLOSE
        depth -= 1
    kinds[size : size + depth] = CLOSE
    kinds[size + depth] = END
    return size + depth + 1


def last_values(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int = MAX_STEPS
) -> NDArray[np.int32]:
    """Values at the last lexeme of unfinished programs. (B, T), (B, T), (B, K, L) -> (B, K, L)

    The last lexeme must end a statement. Where a run faults, and where a row is not a program, the values are zeros.
    """
    return _run_closed(kinds, arguments, np.ascontiguousarray(inputs, np.int32), max_steps)


@compiled
def _run_closed(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int
) -> NDArray[np.int32]:
    programs, examples, length = inputs.shape
    lexemes = kinds.shape[1]
    values = np.zeros((programs, examples, length), np.int32)
    room = workspace(lexemes + MAX_DEPTH + 1, length)
    own_kinds = np.empty(lexemes + MAX_DEPTH + 1, np.uint8)
    own_arguments = np.zeros(own_kinds.size, np.int32)
    state = np.empty(STATE_SIZE, np.int64)
    for p in range(programs):
        depth = 0
        for t in range(lexemes):
            depth += opened(kinds[p], t)
        if not 0 <= depth <= MAX_DEPTH:
            continue
        own_kinds[:lexemes], own_arguments[:lexemes] = kinds[p], arguments[p]
        size = close_prefix(own_kinds, lexemes, depth)
        if translated(room, own_kinds[:size], own_arguments[:size], state):
            for k in range(examples):
                run_one(room, inputs[p, k], values[p, k], max_steps)
    return values


def reaching(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], begin: int = 0
) -> NDArray[np.bool_]:
    """Which lists reach the statement being written after each lexeme, from lexeme `begin` on.

    Inside a branch these are the lists that take the branch; after a conditional `break`, those that get past it.
    Rows may be unfinished programs. END, and what follows it, counts as reached by all lists.
    (B, T), (B, T), (B, K, L) -> (B, K, T - begin)
    """
    return _run_to_ends(kinds, arguments, np.ascontiguousarray(inputs, np.int32), ENDS, begin, REACHING_STEPS)


REACHING_STEPS = 1000
"""Most loop tests in a run of `reaching`."""


@compiled
def _run_to_ends(
    kinds: NDArray[np.uint8],
    arguments: NDArray[np.int32],
    inputs: NDArray[np.int32],
    ends: NDArray[np.bool_],
    begin: int,
    max_steps: int,
) -> NDArray[np.bool_]:
    programs, examples, length = inputs.shape
    lexemes = kinds.shape[1]
    reached = np.ones((programs, examples, lexemes - begin), np.bool_)
    room = workspace(lexemes + MAX_DEPTH + 2, length)
    own_kinds = np.empty(lexemes + MAX_DEPTH + 2, np.uint8)
    own_arguments = np.zeros(own_kinds.size, np.int32)
    state = np.empty(STATE_SIZE, np.int64)
    current, ignored = np.ones(examples, np.bool_), np.empty(length, np.int32)
    for p in range(programs):
        depth = begun = 0
        known = True  # whether `current` holds for the statement being written
        current[:] = True
        for t in range(lexemes):
            kind = kinds[p, t]
            if kind == END or kind == PADDING:
                break
            change = opened(kinds[p], t)
            depth += change
            if change or ends[kind]:
                begun, known = t + 1, False
            if t < begin:
                continue
            if not known:
                current[:] = True
            if not known and 0 < depth <= MAX_DEPTH:
                size = begun + depth + 2
                own_kinds[:begun], own_arguments[:begun] = kinds[p, :begun], arguments[p, :begun]
                # a probe in place of the statement: `++a[length]` is out of bounds, so it faults if it is reached
                own_kinds[begun], own_arguments[begun] = PRE_INC, -1 - length
                own_kinds[begun + 1 : size - 1] = CLOSE
                own_kinds[size - 1] = END
                if translated(room, own_kinds[:size], own_arguments[:size], state):
                    for k in range(examples):
                        current[k] = run_one(room, inputs[p, k], ignored, max_steps) == OUT_OF_BOUNDS
            known = True
            reached[p, :, t - begin] = current
    return reached
