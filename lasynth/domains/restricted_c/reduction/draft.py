"""The state of a reduction: the program as it is now, a candidate to replace it, and the judge of candidates.

Candidates are edits of the lexemes. The grammar checks them first, then they are run. All of it is compiled. The edits
themselves are in `cuts` and `settle`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.bytecode import Translation, translate, workspace
from lasynth.domains.restricted_c.execution.machine import OK, run_one
from lasynth.domains.restricted_c.language.grammar import (
    ASSIGN,
    BREAK,
    CLOSE,
    CONTINUE,
    ELSE,
    FOR,
    FOR_INT,
    IF,
    POST_DEC,
    PRE_INC,
    SEMICOLON,
    STATE_SIZE,
    THEN,
    check,
)
from lasynth.jit import compiled

HEAD = 4
"""Number of lexemes in the head of a loop."""


class Draft(NamedTuple):
    """The program as it is now (row 0) and a candidate to replace it (row 1). `sizes` counts their lexemes."""

    kinds: NDArray[np.uint8]  # (2, N)
    arguments: NDArray[np.int32]  # (2, N)
    sizes: NDArray[np.int64]  # (2,)


class Judge(NamedTuple):
    """The outcomes that a candidate must have, and working memory to run it."""

    inputs: NDArray[np.int32]  # (K, L)
    lengths: NDArray[np.int64]
    """(K,) how many of the L elements each list has; lists of one length follow each other."""
    outputs: NDArray[np.int32]  # (K, L)
    status: NDArray[np.int64]  # (K,)
    room: Translation
    state: NDArray[np.int64]  # (STATE_SIZE,)
    output: NDArray[np.int32]  # (L,)
    max_steps: int
    hardest: NDArray[np.int64]
    """(1,) the input on which the last candidate failed. The next one is likely to fail on it too, so it runs first."""


@compiled
def make_judge(
    kinds: NDArray[np.uint8],
    arguments: NDArray[np.int32],
    inputs: NDArray[np.int32],
    lengths: NDArray[np.int64],
    max_steps: int,
) -> Judge:
    """A judge whose outcomes are those of a program on `inputs`. (N,), (N,), (K, L), (K,)"""
    examples, longest = inputs.shape
    outputs = np.zeros((examples, longest), np.int32)
    status = np.zeros(examples, np.int64)
    room = workspace(kinds.size, longest)
    state, output, hardest = np.zeros(STATE_SIZE, np.int64), np.zeros(longest, np.int32), np.zeros(1, np.int64)
    length = -1
    for k in range(examples):
        if lengths[k] != length:
            length = lengths[k]
            room = for_length(room, length)
            translate(room, kinds, arguments)
        status[k] = run_one(room, inputs[k, :length], outputs[k], max_steps)
    return Judge(inputs, lengths, outputs, status, room, state, output, max_steps, hardest)


@compiled
def for_length(room: Translation, length: int) -> Translation:
    """The same working memory for lists of another length, which must not exceed that for which it was made."""
    return Translation(length, room.code, room.memory, room.registers, room.blocks, room.fixed)


@compiled
def same_outcomes(judge: Judge, draft: Draft) -> bool:
    """Whether the candidate is a program and has the outcome of the original on every input."""
    size = draft.sizes[1]
    kinds, arguments = draft.kinds[1, :size], draft.arguments[1, :size]
    if check(kinds, arguments, judge.state) >= 0:
        return False
    examples = judge.status.size
    first = judge.hardest[0]
    room, length = judge.room, -1
    for i in range(examples):
        k = (first + i) % examples
        if judge.lengths[k] != length:
            length = judge.lengths[k]
            room = for_length(room, length)
            translate(room, kinds, arguments)
        status = run_one(room, judge.inputs[k, :length], judge.output, judge.max_steps)
        if status != judge.status[k] or (
            status == OK and not np.array_equal(judge.output[:length], judge.outputs[k, :length])
        ):
            judge.hardest[0] = k
            return False
    return True


@compiled
def accept(draft: Draft) -> None:
    """Make the candidate the program."""
    size = draft.sizes[1]
    draft.kinds[0, :size] = draft.kinds[1, :size]
    draft.arguments[0, :size] = draft.arguments[1, :size]
    draft.sizes[0] = size


@compiled
def copy(draft: Draft, begin: int, end: int) -> None:
    """Append lexemes begin..end of the program to the candidate."""
    size = draft.sizes[1]
    for i in range(begin, end):
        draft.kinds[1, size] = draft.kinds[0, i]
        draft.arguments[1, size] = draft.arguments[0, i]
        size += 1
    draft.sizes[1] = size


@compiled
def append(draft: Draft, kind: int, argument: int) -> None:
    """Append one lexeme to the candidate."""
    size = draft.sizes[1]
    draft.kinds[1, size] = kind
    draft.arguments[1, size] = argument
    draft.sizes[1] = size + 1


@compiled
def without(draft: Draft, begin: int, end: int, begin2: int, end2: int) -> bool:
    """Make the candidate: the program without begin..end and begin2..end2 (which may be empty). Always True."""
    draft.sizes[1] = 0
    copy(draft, 0, begin)
    copy(draft, end, begin2)
    copy(draft, end2, draft.sizes[0])
    return True


@compiled
def find(draft: Draft, at: int, kind: int) -> int:
    """The position of the next lexeme of this kind, from `at` on."""
    while draft.kinds[0, at] != kind:
        at += 1
    return at


@compiled
def block_end(draft: Draft, at: int) -> int:
    """The position of the `}` or `} else {` that ends the block whose first statement is at `at`."""
    depth = 0
    while True:
        kind = draft.kinds[0, at]
        if depth == 0 and (kind == CLOSE or kind == ELSE):
            return at
        if kind == FOR or kind == FOR_INT or kind == THEN:
            depth += 1
        elif kind == CLOSE:
            depth -= 1
        at += 1


@compiled
def statement_end(draft: Draft, at: int) -> int:
    """The position after the statement that begins at `at`; `at` itself if none begins there."""
    kind = draft.kinds[0, at]
    if kind == FOR or kind == FOR_INT:
        return block_end(draft, at + HEAD) + 1
    if kind == IF:
        end = block_end(draft, find(draft, at, THEN) + 1)
        return block_end(draft, end + 1) + 1 if draft.kinds[0, end] == ELSE else end + 1
    return simple_end(draft, at)


@compiled
def simple_end(draft: Draft, at: int) -> int:
    """The position after the simple statement that begins at `at`; `at` itself if none begins there."""
    kind = draft.kinds[0, at]
    if kind == ASSIGN:
        return find(draft, at, SEMICOLON) + 1
    return at + 1 if PRE_INC <= kind <= POST_DEC or kind == BREAK or kind == CONTINUE else at
