"""The compiled machine: runs many programs on many lists. Data generation, search and verification use it.

It agrees with `interpreter` on every result and every fault; tests compare the two. It takes programs as lexemes, so a
search can run what it wrote without building trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.bytecode import (
    ADD,
    ENTER,
    GOAL,
    HALT,
    JUMP,
    JUMP_EQ,
    JUMP_GE,
    JUMP_GT,
    JUMP_LE,
    JUMP_LT,
    JUMP_NE,
    LEFT,
    LOOP_GE_DOWN,
    LOOP_GE_UP,
    LOOP_LE_UP,
    MOVE,
    OPERATION,
    RIGHT,
    SET,
    STEP,
    TO,
    UNSET,
    Translation,
    translate,
    workspace,
)
from lasynth.domains.restricted_c.execution.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.language.grammar import STATE_SIZE, check
from lasynth.domains.restricted_c.language.lexemes import Code
from lasynth.jit import compiled


class Status(IntEnum):
    """How a run ended."""

    OK = 0
    OUT_OF_BOUNDS = 1
    UNINITIALISED = 2
    OVERFLOW = 3
    STEP_LIMIT = 4
    SYNTAX = 5
    """The lexemes are not a program; nothing was run."""


OK, OUT_OF_BOUNDS, UNINITIALISED, OVERFLOW, STEP_LIMIT, SYNTAX = (int(s) for s in Status)


class Codes(NamedTuple):
    """The lexemes of P programs, one after the other."""

    kinds: NDArray[np.uint8]
    arguments: NDArray[np.int32]
    offsets: NDArray[np.int64]
    """(P + 1,) program p is offsets[p] to offsets[p + 1]."""


class Results(NamedTuple):
    """Runs of P programs on K lists of L elements each."""

    outputs: NDArray[np.int32]
    """(P, K, L) the list after each run; zeros where it failed."""
    status: NDArray[np.uint8]
    """(P, K) a `Status` for each run."""


def pack(codes: Sequence[Code]) -> Codes:
    """Concatenate the lexemes of several programs."""
    offsets = np.zeros(len(codes) + 1, np.int64)
    np.cumsum([code.kinds.size for code in codes], out=offsets[1:])
    if not codes:
        return Codes(np.zeros(0, np.uint8), np.zeros(0, np.int32), offsets)
    return Codes(np.concatenate([c.kinds for c in codes]), np.concatenate([c.arguments for c in codes]), offsets)


def run_codes(
    codes: Codes,
    inputs: NDArray[np.int32],
    group: NDArray[np.int64] | None = None,
    max_steps: int = MAX_STEPS,
) -> Results:
    """Run every program on its lists.

    `inputs` are either (K, L), the same lists for every program, or (G, K, L) with `group` (P,): then program p runs on
    inputs[group[p]].
    """
    inputs = np.ascontiguousarray(inputs, np.int32)
    if inputs.ndim == 2:
        inputs = inputs[None]
    if group is None:
        group = np.zeros(codes.offsets.size - 1, np.int64)
    return Results(*run_all(codes.kinds, codes.arguments, codes.offsets, inputs, group, max_steps))


@compiled
def run_all(
    kinds: NDArray[np.uint8],
    arguments: NDArray[np.int32],
    offsets: NDArray[np.int64],
    inputs: NDArray[np.int32],
    group: NDArray[np.int64],
    max_steps: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    programs, examples, length = offsets.size - 1, inputs.shape[1], inputs.shape[2]
    outputs = np.zeros((programs, examples, length), np.int32)
    status = np.empty((programs, examples), np.uint8)
    state = np.empty(STATE_SIZE, np.int64)
    longest = 0
    for p in range(programs):
        longest = max(longest, offsets[p + 1] - offsets[p])
    room = workspace(longest, length)
    for p in range(programs):
        begin, end = offsets[p], offsets[p + 1]
        if check(kinds[begin:end], arguments[begin:end], state) >= 0:
            status[p] = SYNTAX
            continue
        translate(room, kinds[begin:end], arguments[begin:end])
        for k in range(examples):
            status[p, k] = run_one(room, inputs[group[p], k], outputs[p, k], max_steps)
    return outputs, status


@compiled
def run_one(program: Translation, values: NDArray[np.int32], output: NDArray[np.int32], max_steps: int) -> int:
    """Run a translated program on one list and return its status. `output` is written only if that is OK."""
    for i in range(values.size):
        program.memory[i] = values[i]
    status = execute(program.code, program.memory, values.size, max_steps)
    if status == OK:
        for i in range(values.size):
            output[i] = program.memory[i]
    return status


@compiled
def address(memory: NDArray[np.int64], operand: int, length: int) -> int:
    """The cell of an operand; -1 if it is an element whose subscript is outside the list or unset."""
    if operand >= 0:
        return operand
    subscript = memory[~operand]
    return subscript if 0 <= subscript < length else -1


@compiled
def bad_subscript(memory: NDArray[np.int64], operand: int) -> int:
    """The fault of an operand that has no `address`."""
    return UNINITIALISED if memory[~operand] == UNSET else OUT_OF_BOUNDS


@compiled
def fits(value: int) -> bool:
    return -(2**31) <= value < 2**31


@compiled
def execute(code: NDArray[np.int32], memory: NDArray[np.int64], length: int, max_steps: int) -> int:
    """Run until HALT or a fault. Faults are checked in the interpreter's order: left, right, result, target."""
    at = 0
    steps = 0
    while True:
        operation = code[at, OPERATION]
        if operation == HALT:
            return OK
        if operation == JUMP:
            at = code[at, GOAL]
            continue
        if operation >= ENTER:
            to = code[at, TO]
            if operation >= SET:
                memory[to] = code[at, LEFT] if operation == SET else UNSET
                at += 1
                continue
            if operation == ENTER:
                memory[to] = code[at, LEFT]
                again = code[at, RIGHT] == 1
            else:
                value = memory[to] + (1 if operation == LOOP_LE_UP or operation == LOOP_GE_UP else -1)
                if not fits(value):
                    return OVERFLOW
                memory[to] = value
                limit = code[at, LEFT]
                again = value >= limit if operation == LOOP_GE_DOWN or operation == LOOP_GE_UP else value <= limit
            if steps == max_steps:
                return STEP_LIMIT
            steps += 1
            if again == (operation == ENTER):
                at += 1
            else:
                at = code[at, GOAL]
            continue
        if operation == STEP:
            to = address(memory, code[at, TO], length)
            if to < 0:
                return bad_subscript(memory, code[at, TO])
            if memory[to] == UNSET:
                return UNINITIALISED
            value = memory[to] + code[at, LEFT]
            if not fits(value):
                return OVERFLOW
            memory[to] = value
            at += 1
            continue
        cell = address(memory, code[at, LEFT], length)
        if cell < 0:
            return bad_subscript(memory, code[at, LEFT])
        left = memory[cell]
        if left == UNSET:
            return UNINITIALISED
        if operation == MOVE:
            value = left
        else:
            cell = address(memory, code[at, RIGHT], length)
            if cell < 0:
                return bad_subscript(memory, code[at, RIGHT])
            right = memory[cell]
            if right == UNSET:
                return UNINITIALISED
            if operation >= JUMP_LT:
                at = code[at, GOAL] if holds(operation, left, right) else at + 1
                continue
            value = left + right if operation == ADD else left - right
            if not fits(value):
                return OVERFLOW
        to = address(memory, code[at, TO], length)
        if to < 0:
            return bad_subscript(memory, code[at, TO])
        memory[to] = value
        at += 1


@compiled
def holds(jump: int, left: int, right: int) -> bool:
    if jump == JUMP_LT:
        return left < right
    if jump == JUMP_GT:
        return left > right
    if jump == JUMP_LE:
        return left <= right
    if jump == JUMP_GE:
        return left >= right
    if jump == JUMP_EQ:
        return left == right
    return jump == JUMP_NE and left != right
