"""Programs as rows of lexeme numbers: the compiled machine runs whole programs, and prefixes lexeme by lexeme.

A prefix leaves values on a stack; the state after it shows the top ones. A value may be undefined because of a fault:
the branch of an `if` that is not taken may fault. Does not import torch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.learnable import Runs, States
from lasynth.domains.lists.execution.kernels import evaluate, room_for
from lasynth.domains.lists.language.lexemes import (
    CONSTANT,
    CONSTANTS,
    DEEPEST,
    EMPTY,
    INPUT,
    MOST_INPUTS,
    OPERATION,
    SIGNATURE,
    SIGNATURES,
    VOCAB,
)
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.learning.values import (
    CELLS,
    DEPTH,
    HEAD,
    INPUTS,
    LARGEST,
    LONGEST,
    PARTS,
    SHOWN,
    UNDEFINED,
    Rows,
    pack_one,
)
from lasynth.jit import compiled
from lasynth.vocab import EOS

MOST_ELEMENTS = 256
"""Elements of a list while a prefix runs; a longer one counts as a fault."""
ROOM = room_for(1, MOST_ELEMENTS)
NONE = -1
"""Type of an argument or input that does not exist."""
TYPES = np.array([(o.result, *o.arguments, *[NONE] * (3 - len(o.arguments))) for o in OPERATIONS], np.int64)
"""(operations, 4): types of the result and of the arguments, as `evaluate` takes them."""
OPS = np.array([o.op for o in OPERATIONS], np.int64)
TAKEN = np.array([len(o.arguments) for o in OPERATIONS], np.int64)
INPUT_TYPES = np.array([(*types, *[NONE] * (MOST_INPUTS - len(types))) for types in SIGNATURES], np.int64)
"""(signatures, MOST_INPUTS)"""
FIRST_CONSTANT = CONSTANTS[0]
FINE, FAULT, MISFIT = range(3)
"""How a run stands: all values on the stack are defined, one is undefined, or the inputs are not of these types."""


class Stack(NamedTuple):
    """A stack of values of one example."""

    arena: NDArray[np.int32]
    place: NDArray[np.int64]
    """(DEEPEST,) where each value is in the arena."""
    type: NDArray[np.int64]
    gap: NDArray[np.int64]
    """1 for a value that is undefined."""


@compiled
def lay_out(row: Rows, arena: NDArray[np.int32], places: NDArray[np.int64], types: NDArray[np.int64]) -> int:
    """Write the inputs of a row into the arena; where they end."""
    types[:] = NONE
    at, end = PARTS, 0
    for place in range(row[INPUTS]):
        count: Any = np.int64(row[at + 1])
        types[place], places[place] = row[at], end
        if row[at] == Type.LIST:
            arena[end] = count
            end += 1
        for i in range(count):
            arena[end + i] = row[at + HEAD + i]
        at, end = at + HEAD + count, end + count
    return end


@compiled
def show(stack: Stack, depth: int, row: Rows, out: Rows) -> None:
    """Write the state: what is on top of the stack, and the inputs of a row behind it."""
    out[DEPTH], out[INPUTS] = depth, row[INPUTS]
    to = PARTS
    for number in range(min(depth, SHOWN)):
        at = depth - 1 - number
        place, type_ = stack.place[at], stack.type[at]
        begin = place
        count: Any = 1
        if type_ >= Type.LIST:
            begin, count = place + 1, np.int64(stack.arena[place])
        if stack.gap[at]:
            type_, count = UNDEFINED, 0
        out[to], out[to + 1] = type_, min(count, LARGEST)
        stored = min(count, LONGEST)
        for i in range(stored):
            cell: Any = np.int64(stack.arena[begin + i])
            out[to + HEAD + i] = max(-LARGEST, min(LARGEST, cell))
        to += HEAD + stored
    size = min(CELLS - to, CELLS - PARTS - SHOWN * (HEAD + LONGEST))
    out[to : to + size] = row[PARTS : PARTS + size]
    out[to + size :] = 0


@compiled
def act(
    stack: Stack, depth: int, end: int, token: int, places: NDArray[np.int64], types: NDArray[np.int64]
) -> tuple[int, int]:
    """Let a lexeme of the body act on the stack: the new depth and the new end of the arena; depth -1 if the grammar
    does not allow it."""
    if token < OPERATION:
        if depth == DEEPEST or token < INPUT:
            return -1, end
        stack.gap[depth] = 0
        if token < EMPTY:
            if types[token - INPUT] == NONE:
                return -1, end
            stack.place[depth], stack.type[depth] = places[token - INPUT], types[token - INPUT]
            return depth + 1, end
        stack.place[depth], stack.type[depth] = end, Type.LIST if token == EMPTY else Type.INT
        stack.arena[end] = 0 if token == EMPTY else token - CONSTANT + FIRST_CONSTANT
        return depth + 1, end + 1
    number = token - OPERATION
    taken, wanted = TAKEN[number], TYPES[number]
    first = depth - taken
    if first < 0:
        return -1, end
    values, gaps = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for i in range(taken):
        if stack.type[first + i] != wanted[1 + i]:
            return -1, end
        values[i], gaps[i] = stack.place[first + i], stack.gap[first + i]
    after, undefined = evaluate(OPS[number], wanted, values, gaps, 1, stack.arena, end, 1, MOST_ELEMENTS)
    stack.place[first], stack.type[first] = end, wanted[0]
    stack.gap[first] = 1 if after < 0 else undefined
    if after < 0:  # the list is too long
        stack.arena[end] = 0
        after = end + 1
    return first + 1, after


@compiled
def walk(
    tokens: NDArray[np.int64], row: Rows, states: Rows, stack: Stack, statuses: NDArray[np.int8]
) -> tuple[int, int]:
    """Run a prefix on one row of inputs: how many lexemes the grammar allows, and the depth of the stack after them.

    Fills states[t] and statuses[t] for each lexeme. (T,), (CELLS,), (T, CELLS), (T,)
    """
    places, types = np.zeros(MOST_INPUTS, np.int64), np.full(MOST_INPUTS, NONE)
    end, depth, fits = lay_out(row, stack.arena, places, types), 0, row[INPUTS] > 0
    for t in range(len(tokens)):
        if t == 0:
            if not SIGNATURE <= tokens[0] < INPUT:
                return 0, 0
            for place in range(MOST_INPUTS):
                fits = fits and INPUT_TYPES[tokens[0] - SIGNATURE, place] == types[place]
                types[place] = INPUT_TYPES[tokens[0] - SIGNATURE, place]
        else:
            after, end = act(stack, depth, end, tokens[t], places, types)
            if after < 0:
                return t, depth
            depth = after
        status = FINE if fits else MISFIT
        for at in range(depth):
            if fits and stack.gap[at]:
                status = FAULT
        statuses[t] = status
        if fits:
            show(stack, depth, row, states[t])
        else:
            states[t] = row
    return len(tokens), depth


@compiled
def new_stack(lexemes: int) -> Stack:
    """An empty stack, with room for so many lexemes."""
    cells = (lexemes + 1) * (MOST_ELEMENTS + 1) + CELLS + ROOM
    return Stack(
        np.zeros(cells, np.int32), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64)
    )


@compiled
def _walk_all(tokens: NDArray[np.int64], inputs: Rows, points: int) -> tuple[Rows, NDArray[np.bool_]]:
    """States (B, S, K, CELLS), and which of them have only defined values (B, S, K)."""
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    states = np.zeros((programs, points, examples, CELLS), np.int16)
    valid = np.zeros((programs, points, examples), np.bool_)
    own, statuses, stack = np.zeros((lexemes, CELLS), np.int16), np.zeros(lexemes, np.int8), new_stack(lexemes)
    for b in range(programs):
        for k in range(examples):
            size, _ = walk(tokens[b], inputs[b, k], own, stack, statuses)
            for s in range(min(size, points)):
                states[b, s, k] = own[s]
                valid[b, s, k] = statuses[s] == FINE
    return states, valid


@compiled
def short(row: Rows) -> bool:
    """Whether an input is a list of at most one element."""
    at = PARTS
    for _ in range(row[INPUTS]):
        count: Any = np.int64(row[at + 1])
        if row[at] == Type.LIST and count <= 1:
            return True
        at += HEAD + count
    return False


@compiled
def _last_all(tokens: NDArray[np.int64], inputs: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The last states of prefixes (B, K, CELLS), and which prefixes fail (B,)."""
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    last, failed = inputs.copy(), np.zeros(programs, np.bool_)
    own, statuses, stack = np.zeros((lexemes, CELLS), np.int16), np.zeros(lexemes, np.int8), new_stack(lexemes)
    for b in range(programs):
        for k in range(examples):
            size, _ = walk(tokens[b], inputs[b, k], own, stack, statuses)
            if size:
                last[b, k] = own[size - 1]
                status = statuses[size - 1]
                failed[b] = failed[b] or status == MISFIT or (status == FAULT and not short(inputs[b, k]))
    return last, failed


@compiled
def _run_all(
    tokens: NDArray[np.int64], inputs: Rows, group: NDArray[np.int64]
) -> tuple[Rows, NDArray[np.bool_], NDArray[np.bool_]]:
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    outputs = np.zeros((programs, examples, CELLS), np.int16)
    fine, parsed = np.zeros((programs, examples), np.bool_), np.zeros(programs, np.bool_)
    own, statuses, stack = np.zeros((lexemes, CELLS), np.int16), np.zeros(lexemes, np.int8), new_stack(lexemes)
    is_list, ends = np.zeros(1, np.bool_), np.zeros(1, np.int64)
    for p in range(programs):
        for k in range(examples):
            size, depth = walk(tokens[p], inputs[group[p], k], own, stack, statuses)
            type_ = stack.type[0]
            parsed[p] = size < lexemes and tokens[p, size] == EOS and depth == 1 and type_ % 2 == 0
            if not parsed[p]:
                break
            fine[p, k] = statuses[size - 1] == FINE
            if fine[p, k]:
                begin = stack.place[0] + (type_ == Type.LIST)
                is_list[0] = type_ == Type.LIST
                ends[0] = begin + (np.int64(stack.arena[begin - 1]) if is_list[0] else 1)
                pack_one(is_list, ends, begin, stack.arena, outputs[p, k])
    return outputs, fine, parsed


class StackMachine:
    """The `lasynth.domains.learnable.Machine` of lists."""

    def __init__(self) -> None:
        self.can_fail = True
        kinds = [0] * SIGNATURE + [1] * (INPUT - SIGNATURE) + [2] * (EMPTY - INPUT) + [3] + [4] * len(CONSTANTS)
        shapes = {shape: 5 + i for i, shape in enumerate(dict.fromkeys((o.arguments, o.result) for o in OPERATIONS))}
        rows = np.array(kinds + [shapes[o.arguments, o.result] for o in OPERATIONS])
        self.alike = (rows[:, None] == rows) & (rows > 0)
        assert len(rows) == len(VOCAB)

    def run(self, tokens: NDArray[Any], inputs: NDArray[Any], group: NDArray[np.int64]) -> Runs:
        """(P, T), (G, K, CELLS), (P,)"""
        return Runs(*_run_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), group))

    def states(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> States:
        """(B, T), (B, K, CELLS)"""
        points = int((tokens > EOS).sum(axis=1).max(initial=0))
        return States(*_walk_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), points))

    def last_state(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> Rows:
        """(B, T), (B, K, CELLS) -> (B, K, CELLS)"""
        last: Rows = _last_all(tokens.astype(np.int64), np.ascontiguousarray(inputs))[0]
        return last

    def reaching(self, tokens: NDArray[Any], inputs: NDArray[Any], begin: int) -> NDArray[np.bool_]:
        """All inputs: the language has no branches that are entered. (B, T), (B, K, CELLS) -> (B, K, T - begin)"""
        return np.ones((*inputs.shape[:2], tokens.shape[1] - begin), np.bool_)

    def failed(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.bool_]:
        """Which prefixes have an undefined value on the stack, or do not take such inputs.

        As in the search without learning, a value may be undefined where an input has at most one element: an `if` can
        still pass it over. (B, T), (B, K, CELLS) -> (B,)
        """
        failed: NDArray[np.bool_] = _last_all(tokens.astype(np.int64), np.ascontiguousarray(inputs))[1]
        return failed
