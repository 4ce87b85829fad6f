"""Shrinks a program while its outcomes stay the same: a greedy search over small cuts, in the manner of C-Reduce.

A cut drops a statement or two, replaces a loop or branch by what is inside, drops an `else`, or drops an operand, a side of a
comparison or a test. Cuts are made in the lexemes, judged by the grammar and then by running the result, all compiled;
it ends when no cut is left that keeps every outcome. Faults count as outcomes. Nothing is learned here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.bytecode import Translation, translate, workspace
from lasynth.domains.restricted_c.canonical import canonical, drop_unused
from lasynth.domains.restricted_c.grammar import (
    AND,
    ASSIGN,
    BREAK,
    CLOSE,
    CONTINUE,
    ELSE,
    FOR,
    FOR_INT,
    IF,
    LT,
    MINUS,
    NE,
    OR,
    PLACE,
    PLUS,
    POST_DEC,
    PRE_INC,
    SEMICOLON,
    STATE_SIZE,
    THEN,
    check,
)
from lasynth.domains.restricted_c.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.lexemes import Kind, Lexeme, from_lexemes, to_code
from lasynth.domains.restricted_c.machine import OK, run_one
from lasynth.domains.restricted_c.nodes import Program
from lasynth.jit import compiled

VARIANTS = 4
"""How many different cuts can begin at one lexeme."""
HEAD = 4
"""Lexemes in the head of a loop."""


def reduce_program(program: Program, inputs: NDArray[np.int32], max_steps: int = MAX_STEPS) -> Program:
    """The smallest program that greedy cutting finds with the same outcome on each of `inputs` (K, L), in canonical form."""
    code = to_code(canonical(program))
    kinds, arguments = reduce_code(code.kinds, code.arguments, np.ascontiguousarray(inputs, np.int32), max_steps)
    lexemes = [Lexeme(Kind(kind), argument) for kind, argument in zip(kinds.tolist(), arguments.tolist(), strict=True)]
    return canonical(drop_unused(from_lexemes(lexemes)))


class Draft(NamedTuple):
    """The program as it is now and a candidate for the next, each with its number of lexemes in `sizes`."""

    kinds: NDArray[np.uint8]  # (2, N)
    arguments: NDArray[np.int32]  # (2, N)
    sizes: NDArray[np.int64]  # (2,)


class Judge(NamedTuple):
    """What a candidate must do."""

    inputs: NDArray[np.int32]  # (K, L)
    outputs: NDArray[np.int32]  # (K, L)
    status: NDArray[np.int64]  # (K,)
    room: Translation
    state: NDArray[np.int64]
    output: NDArray[np.int32]  # (L,)
    max_steps: int
    hardest: NDArray[np.int64]
    """(1,) the input that refuted the last candidate: it is likely to refute the next one, so it goes first."""


@compiled
def reduce_code(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """`kinds` and `arguments` of a program, cut until nothing more goes."""
    draft = Draft(np.empty((2, kinds.size), np.uint8), np.empty((2, kinds.size), np.int32), np.zeros(2, np.int64))
    draft.kinds[0] = kinds
    draft.arguments[0] = arguments
    draft.sizes[0] = kinds.size
    judge = make_judge(kinds, arguments, inputs, max_steps)
    while sweep(judge, draft) or sweep_pairs(judge, draft):
        pass
    size = draft.sizes[0]
    return draft.kinds[0, :size].copy(), draft.arguments[0, :size].copy()


@compiled
def sweep(judge: Judge, draft: Draft) -> bool:
    """Try every cut once, from the outside in; whether one was made."""
    shrunk = False
    at = 0
    while at < draft.sizes[0]:
        variant = 0
        while variant < VARIANTS:
            if cut(draft, at, variant) and same_outcomes(judge, draft):
                accept(draft)
                shrunk = True
                variant = 0  # another lexeme stands here now
            else:
                variant += 1
        at += 1
    return shrunk


@compiled
def sweep_pairs(judge: Judge, draft: Draft) -> bool:
    """Drop two simple statements at once, which may undo each other (`p_0++; p_0--;`); whether a pair went."""
    for first in range(draft.sizes[0]):
        end = simple_end(draft, first)
        if end == first:
            continue
        for second in range(end, draft.sizes[0]):
            end2 = simple_end(draft, second)
            if end2 > second and without(draft, first, end, second, end2) and same_outcomes(judge, draft):
                accept(draft)
                return True
    return False


@compiled
def make_judge(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int
) -> Judge:
    examples, length = inputs.shape
    outputs = np.zeros((examples, length), np.int32)
    status = np.zeros(examples, np.int64)
    room = workspace(kinds.size, length)
    translate(room, kinds, arguments)
    for k in range(examples):
        status[k] = run_one(room, inputs[k], outputs[k], max_steps)
    state, output, hardest = np.zeros(STATE_SIZE, np.int64), np.zeros(length, np.int32), np.zeros(1, np.int64)
    return Judge(inputs, outputs, status, room, state, output, max_steps, hardest)


@compiled
def same_outcomes(judge: Judge, draft: Draft) -> bool:
    """Whether the candidate is a program and does what the original did, on every input."""
    size = draft.sizes[1]
    kinds, arguments = draft.kinds[1, :size], draft.arguments[1, :size]
    if check(kinds, arguments, judge.state) >= 0:
        return False
    translate(judge.room, kinds, arguments)
    examples = judge.status.size
    first = judge.hardest[0]
    for i in range(examples):
        k = (first + i) % examples
        status = run_one(judge.room, judge.inputs[k], judge.output, judge.max_steps)
        if status != judge.status[k] or (status == OK and not np.array_equal(judge.output, judge.outputs[k])):
            judge.hardest[0] = k
            return False
    return True


@compiled
def accept(draft: Draft) -> None:
    """The candidate becomes the program."""
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
def without(draft: Draft, begin: int, end: int, begin2: int, end2: int) -> bool:
    """The candidate is the program without two stretches of lexemes (the second may be empty)."""
    draft.sizes[1] = 0
    copy(draft, 0, begin)
    copy(draft, end, begin2)
    copy(draft, end2, draft.sizes[0])
    return True


@compiled
def find(draft: Draft, at: int, kind: int) -> int:
    """The next lexeme of that kind, from `at` on."""
    while draft.kinds[0, at] != kind:
        at += 1
    return at


@compiled
def block_end(draft: Draft, at: int) -> int:
    """The `}` or `} else {` that ends the block whose first statement is at `at`."""
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
def cut(draft: Draft, at: int, variant: int) -> bool:
    """Make a candidate by the variant-th cut at `at`; False if there is no such cut."""
    kind = draft.kinds[0, at]
    if kind == FOR or kind == FOR_INT:
        return cut_loop(draft, at, variant)
    if kind == IF:
        return cut_branch(draft, at, variant)
    if PLUS <= kind <= OR:
        return cut_operator(draft, at, variant)
    end = simple_end(draft, at)
    return variant == 0 and end > at and without(draft, at, end, draft.sizes[0], draft.sizes[0])


@compiled
def simple_end(draft: Draft, at: int) -> int:
    """Where the simple statement that begins at `at` ends; `at` itself if none begins there."""
    kind = draft.kinds[0, at]
    if kind == ASSIGN:
        return find(draft, at, SEMICOLON) + 1
    return at + 1 if PRE_INC <= kind <= POST_DEC or kind == BREAK or kind == CONTINUE else at


@compiled
def cut_loop(draft: Draft, at: int, variant: int) -> bool:
    """Drop the loop, or replace it by its body."""
    close = block_end(draft, at + HEAD)
    if variant == 0:
        return without(draft, at, close + 1, draft.sizes[0], draft.sizes[0])
    if variant > 1:
        return False
    without(draft, at, at + HEAD, close, close + 1)
    if draft.kinds[0, at] == FOR_INT:
        return close_gap(draft, at, close - HEAD, draft.arguments[0, at])
    return True


@compiled
def close_gap(draft: Draft, begin: int, end: int, gone: int) -> bool:
    """The loop variable in slot `gone` is no more: the inner loops' variables take the names before theirs.

    False if the variable itself is still used.
    """
    for i in range(begin, end):
        kind, argument = draft.kinds[1, i], draft.arguments[1, i]
        if kind == FOR or kind == FOR_INT:
            slot, scale = argument, 1
        elif (ASSIGN <= kind <= POST_DEC or kind == PLACE) and argument >= 0:
            slot, scale = argument >> 1, 2
        else:
            continue
        if slot == gone:
            return False
        if slot > gone and slot % 2 == 0:
            draft.arguments[1, i] -= 2 * scale
    return True


@compiled
def cut_branch(draft: Draft, at: int, variant: int) -> bool:
    """Drop the branch, replace it by its first or second block, or drop the second block."""
    then = find(draft, at, THEN)
    middle = block_end(draft, then + 1)
    has_else = draft.kinds[0, middle] == ELSE
    close = block_end(draft, middle + 1) if has_else else middle
    if variant == 0:
        return without(draft, at, close + 1, draft.sizes[0], draft.sizes[0])
    if variant == 1:
        return without(draft, at, then + 1, middle, close + 1)
    if not has_else:
        return False
    if variant == 2:
        return without(draft, at, middle + 1, close, close + 1)
    return without(draft, middle, close, close, close)


@compiled
def cut_operator(draft: Draft, at: int, variant: int) -> bool:
    """Drop what stands right of an operator together with it, or what stands left of it.

    For + and - that is an operand, for a relation one side of the test, for && and || a test.
    """
    kind = draft.kinds[0, at]
    if variant > 1:
        return False
    begin, end = at - 1, at + 2
    if kind != PLUS and kind != MINUS:
        while not ends_side(draft.kinds[0, end], kind):
            end += 1
        while not ends_side(draft.kinds[0, begin - 1], kind):
            begin -= 1
    if variant == 0:
        return without(draft, at, end, draft.sizes[0], draft.sizes[0])
    return without(draft, begin, at + 1, draft.sizes[0], draft.sizes[0])


@compiled
def ends_side(kind: int, operator: int) -> bool:
    """Whether a lexeme bounds what belongs to the operator: a test is more than a side of it."""
    if LT <= kind <= NE:
        return LT <= operator <= NE
    return kind == AND or kind == OR or kind == THEN or kind == IF
