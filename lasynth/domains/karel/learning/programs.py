"""Programs as rows of lexeme numbers: the machine runs whole programs, and prefixes up to the cursor.

The cursor is the place of the next lexeme. A run reaches it by these rules. A block that is still open is entered
once, if its condition holds. A closed block runs as usual, loops included. So the state at the end of a program is its
output. An example whose run does not enter an open block does not reach the cursor. Does not import torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.grammar import (
    ACTION,
    CONDITION,
    COUNT,
    ELSE,
    END_REPEAT,
    END_WHILE,
    IFELSE,
    REPEAT,
    STATE,
    STATEMENT_ENDS,
    VOCAB,
    WHILE,
    accepts,
    follow,
)
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.learning.values import BYTES, COL, GRID, ROW, WAY
from lasynth.domains.karel.machine import (
    CRASH,
    FRAME,
    HEADING,
    OK,
    PLACE,
    REPORT,
    STEP_LIMIT,
    TOOK,
    act,
    compile_program,
    execute,
    holds,
)
from lasynth.domains.karel.nodes import MAX_NESTING
from lasynth.domains.learnable import Runs, States
from lasynth.jit import compiled
from lasynth.vocab import EOS, SPECIAL

ENDS: NDArray[np.bool_] = STATEMENT_ENDS
LAST_END = END_REPEAT + 4
"""The highest lexeme number that closes a block."""


@compiled
def place_of(world: NDArray[np.uint8]) -> int:
    """The robot's cell in the frame of a packed world."""
    row: Any = np.int64(world[ROW])
    place: int = row * FRAME + world[COL]
    return place


@compiled
def holds_in(world: NDArray[np.uint8], condition: int) -> bool:
    """Whether a condition holds for the robot of a packed world."""
    way: Any = np.int64(world[WAY])
    return holds(world[GRID:], place_of(world), way, condition)


@compiled
def act_on(world: NDArray[np.uint8], action: int) -> bool:
    """Do an action in a packed world, in place. Returns False for a crash."""
    before: Any = np.int64(world[WAY])
    place, way, fine = act(world[GRID:], place_of(world), before, action)
    if fine:
        world[ROW], world[COL], world[WAY] = place // FRAME, place % FRAME, way
    return fine


@compiled
def run_on(world: NDArray[np.uint8], code: NDArray[np.int64], limit: int, report: NDArray[np.int64]) -> int:
    """Run bytecode in a packed world, in place. Returns the status."""
    way: Any = np.int64(world[WAY])
    status = execute(code, world[GRID:], place_of(world), way, limit, report)
    world[ROW], world[COL], world[WAY] = report[PLACE] // FRAME, report[PLACE] % FRAME, report[HEADING]
    return status


@compiled
def walk(
    tokens: NDArray[np.int64],
    size: int,
    given: NDArray[np.uint8],
    states: NDArray[np.uint8],
    reached: NDArray[np.bool_],
    room: NDArray[np.uint8],
    code: NDArray[np.int64],
) -> int:
    """Run a prefix of `size` lexemes, which the grammar allows, on one world.

    Fills states[s] with the world after statement end s, and reached[t] with whether the run reaches the cursor after
    lexeme t. Returns the status: whether the run crashes or takes too long, up to the cursor or in a closed block.
    (T,), (BYTES,), (S, BYTES), (T,); `room` is scratch space, (2 nesting + 1, BYTES); `code` is room for bytecode.
    """
    world = room[0]
    world[:] = given
    starts, ticks_at = np.empty(MAX_NESTING + 1, np.int64), np.empty(MAX_NESTING + 1, np.int64)
    reach_at, taken = np.empty(MAX_NESTING + 1, np.bool_), np.empty(MAX_NESTING + 1, np.bool_)
    report = np.empty(REPORT, np.int64)
    reach, depth, ticks, status, end, t = True, 0, 0, OK, 0, 0
    while t < size:
        token = tokens[t]
        if token < REPEAT:
            if reach and status == OK:
                ticks += 1
                if ticks > TICKS:
                    status = STEP_LIMIT
                elif not act_on(world, token - ACTION):
                    status = CRASH
        elif token <= IFELSE:
            starts[depth], ticks_at[depth], reach_at[depth] = t, ticks, reach
            room[1 + 2 * depth] = world  # as it was before the block
            depth += 1
        elif token < END_REPEAT:  # a number of rounds, or a condition
            enters = token > COUNT if token < CONDITION else holds_in(world, token - CONDITION)
            taken[depth - 1] = enters
            ticks += 1
            if reach and status == OK and ticks > TICKS:
                status = STEP_LIMIT
            reach = reach and enters
        elif token == ELSE:
            room[2 + 2 * (depth - 1)] = world  # after the first branch
            if reach_at[depth - 1] and not taken[depth - 1]:
                world[:] = room[1 + 2 * (depth - 1)]
                ticks = ticks_at[depth - 1] + 1
            reach = reach_at[depth - 1] and not taken[depth - 1]
        else:
            depth -= 1
            reach = reach_at[depth]
            if token <= END_WHILE:
                if reach and status == OK:
                    world[:] = room[1 + 2 * depth]
                    compile_program(tokens[starts[depth] : t + 1], code)
                    status = run_on(world, code, TICKS - ticks_at[depth], report)
                    ticks = ticks_at[depth] + report[TOOK]
            elif not taken[depth] and token != LAST_END:
                world[:] = room[1 + 2 * depth]
                ticks = ticks_at[depth] + 1
            elif taken[depth] and token == LAST_END:
                world[:] = room[2 + 2 * depth]
        reached[t] = reach
        if ENDS[token]:
            states[end] = world
            end += 1
        t += 1
    return status


@compiled
def allowed_size(tokens: NDArray[np.int64], state: NDArray[np.int64]) -> int:
    """Length of the longest prefix that the grammar allows, without EOS."""
    state[:] = 0
    for t in range(tokens.size):
        if tokens[t] <= EOS or not accepts(state, tokens[t]):
            return t
        follow(state, tokens[t])
    return tokens.size


@compiled
def _walk_all(
    tokens: NDArray[np.int64], inputs: NDArray[np.uint8], points: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
    """States (B, S, K, BYTES), whether each exists (B, S), the cursor reached (B, K, T), and statuses (B, K)."""
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    states = np.zeros((programs, points, examples, BYTES), np.uint8)
    exists = np.zeros((programs, points), np.bool_)
    reached = np.ones((programs, examples, lexemes), np.bool_)
    statuses = np.zeros((programs, examples), np.int64)
    room = np.empty((2 * MAX_NESTING + 3, BYTES), np.uint8)
    code = np.empty((2 * lexemes + 2, 3), np.int64)
    own = np.empty((points + 1, BYTES), np.uint8)
    state = np.zeros(STATE, np.int64)
    for b in range(programs):
        size = allowed_size(tokens[b], state)
        ends = 0
        for t in range(size):
            ends += ENDS[tokens[b, t]]
        exists[b, :ends] = True
        for k in range(examples):
            statuses[b, k] = walk(tokens[b], size, inputs[b, k], own, reached[b, k], room, code)
            for s in range(ends):
                states[b, s, k] = own[s]
    return states, exists, reached, statuses


@compiled
def _last_all(
    tokens: NDArray[np.int64], inputs: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int64]]:
    """The last state (B, K, BYTES), whether the cursor is reached (B, K), and statuses (B, K), of prefixes."""
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    last = np.empty((programs, examples, BYTES), np.uint8)
    reached = np.ones((programs, examples), np.bool_)
    statuses = np.zeros((programs, examples), np.int64)
    room = np.empty((2 * MAX_NESTING + 3, BYTES), np.uint8)
    code = np.empty((2 * lexemes + 2, 3), np.int64)
    own, own_reached = np.empty((lexemes + 1, BYTES), np.uint8), np.empty(lexemes, np.bool_)
    state = np.zeros(STATE, np.int64)
    for b in range(programs):
        size = allowed_size(tokens[b], state)
        for k in range(examples):
            statuses[b, k] = walk(tokens[b], size, inputs[b, k], own, own_reached, room, code)
            last[b, k] = room[0]
            if size:
                reached[b, k] = own_reached[size - 1]
    return last, reached, statuses


@compiled
def _run_all(
    tokens: NDArray[np.int64], inputs: NDArray[np.uint8], group: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]:
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    outputs = np.zeros((programs, examples, BYTES), np.uint8)
    fine, parsed = np.zeros((programs, examples), np.bool_), np.zeros(programs, np.bool_)
    code, report = np.empty((2 * lexemes + 2, 3), np.int64), np.empty(REPORT, np.int64)
    state = np.zeros(STATE, np.int64)
    for p in range(programs):
        size = allowed_size(tokens[p], state)
        parsed[p] = size < lexemes and tokens[p, size] == EOS and accepts(state, EOS)
        if not parsed[p]:
            continue
        compile_program(tokens[p, :size], code)
        for k in range(examples):
            outputs[p, k] = inputs[group[p], k]
            fine[p, k] = run_on(outputs[p, k], code, TICKS, report) == OK
    return outputs, fine, parsed


class LexemeMachine:
    """Karel's `lasynth.domains.learnable.Machine`."""

    def __init__(self) -> None:
        self.can_fail = True
        lexemes = np.arange(len(VOCAB))
        kinds = np.searchsorted((len(SPECIAL), REPEAT, WHILE, COUNT, CONDITION), lexemes, side="right")
        written = (lexemes >= len(SPECIAL)) & (lexemes < END_REPEAT)  # a block has one closing lexeme only
        self.alike = (kinds[:, None] == kinds) & written & written[:, None]

    def run(self, tokens: NDArray[Any], inputs: NDArray[Any], group: NDArray[np.int64]) -> Runs:
        """(P, T), (G, K, BYTES), (P,)"""
        return Runs(*_run_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), group))

    def states(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> States:
        """(B, T), (B, K, BYTES)"""
        points = int(ENDS[tokens].sum(axis=1).max(initial=0))
        states, exists, _, statuses = _walk_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), points)
        return States(states, exists[:, :, None] & (statuses == OK)[:, None, :])

    def last_state(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.uint8]:
        """(B, T), (B, K, BYTES) -> (B, K, BYTES)"""
        last: NDArray[np.uint8] = _last_all(tokens.astype(np.int64), np.ascontiguousarray(inputs))[0]
        return last

    def reaching(self, tokens: NDArray[Any], inputs: NDArray[Any], begin: int) -> NDArray[np.bool_]:
        """(B, T), (B, K, BYTES) -> (B, K, T - begin)"""
        if begin == tokens.shape[1] - 1:  # a search asks for the last place only
            last: NDArray[np.bool_] = _last_all(tokens.astype(np.int64), np.ascontiguousarray(inputs))[1]
            return last[:, :, None]
        points = int(ENDS[tokens].sum(axis=1).max(initial=0))
        reached: NDArray[np.bool_] = _walk_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), points)[2]
        return reached[:, :, begin:]

    def failed(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.bool_]:
        """Which prefixes crash, or take too long, on one of their inputs. (B, T), (B, K, BYTES) -> (B,)"""
        statuses = _last_all(tokens.astype(np.int64), np.ascontiguousarray(inputs))[2]
        crashed: NDArray[np.bool_] = (statuses != OK).any(axis=1)
        return crashed
