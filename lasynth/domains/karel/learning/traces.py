"""Action traces: what a program makes the robot do, and what the robot senses before each action. Without torch.

A trace is a row of lexemes: the actions in order, EOS, then PAD. A longer trace is cut off without EOS.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.grammar import ACTION, REPEAT, STATE, VOCAB, accepts
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.learning.programs import act_on, allowed_size, holds_in
from lasynth.domains.karel.learning.values import BYTES
from lasynth.domains.karel.machine import HALT, LOOP, TEST, compile_program, next_timed
from lasynth.domains.karel.nodes import MAX_NESTING
from lasynth.jit import compiled
from lasynth.vocab import EOS, PAD

SENSES = 17
"""What the robot senses: the four conditions together, or (the last number) that the trace has ended."""


@compiled
def _log(code: NDArray[np.int64], world: NDArray[np.uint8], trace: NDArray[np.int64]) -> None:
    """Run bytecode in a packed world, in place, and write its actions. (BYTES,), (A,)"""
    rounds = np.empty(MAX_NESTING + 1, np.int64)
    ticks, acted = 0, 0
    pc = next_timed(code, 0, rounds)
    while code[pc, 0] != HALT and ticks < TICKS and acted < trace.size:
        ticks += 1
        operation, argument = code[pc, 0], code[pc, 1]
        if operation == TEST and not holds_in(world, argument):
            pc = next_timed(code, code[pc, 2], rounds)
            continue
        if operation == LOOP:
            rounds[argument] -= 1
        elif operation < TEST:
            if not act_on(world, operation):
                break
            trace[acted] = ACTION + operation
            acted += 1
        pc = next_timed(code, pc + 1, rounds)
    if acted < trace.size:
        trace[acted] = EOS


@compiled
def _trace_all(tokens: NDArray[np.int64], inputs: NDArray[np.uint8], most: int) -> NDArray[np.int64]:
    programs, lexemes = tokens.shape
    examples = inputs.shape[1]
    traces = np.full((programs, examples, most), PAD, np.int64)
    code, world = np.empty((2 * lexemes + 2, 3), np.int64), np.empty(BYTES, np.uint8)
    state = np.zeros(STATE, np.int64)
    for p in range(programs):
        size = allowed_size(tokens[p], state)
        if not accepts(state, EOS):
            traces[p, :, 0] = EOS
            continue
        compile_program(tokens[p, :size], code)
        for k in range(examples):
            world[:] = inputs[p, k]
            _log(code, world, traces[p, k])
    return traces


@compiled
def _sense_all(traces: NDArray[np.int64], inputs: NDArray[np.uint8]) -> NDArray[np.int64]:
    programs, examples, most = traces.shape
    senses = np.full((programs, examples, most), SENSES - 1, np.int64)
    world = np.empty(BYTES, np.uint8)
    for p in range(programs):
        for k in range(examples):
            world[:] = inputs[p, k]
            for a in range(most):
                senses[p, k, a] = 0
                for test in range(4):
                    senses[p, k, a] += holds_in(world, test) << test
                action = traces[p, k, a]
                if not ACTION <= action < REPEAT or not act_on(world, action - ACTION):
                    break
    return senses


@compiled
def _worlds_all(traces: NDArray[np.int64], inputs: NDArray[np.uint8]) -> NDArray[np.uint8]:
    programs, examples, most = traces.shape
    worlds = np.empty((programs, examples, most, BYTES), np.uint8)
    world = np.empty(BYTES, np.uint8)
    for p in range(programs):
        for k in range(examples):
            world[:] = inputs[p, k]
            going = True
            for a in range(most):
                worlds[p, k, a] = world
                action = traces[p, k, a]
                going = going and ACTION <= action < REPEAT and act_on(world, action - ACTION)
    return worlds


class ActionTraces:
    """Karel's `lasynth.models.world_traces.WorldTracing`."""

    senses = SENSES
    lexemes = np.array([ACTION <= lexeme < REPEAT or lexeme == EOS for lexeme in range(len(VOCAB))])

    def traces(self, tokens: NDArray[Any], inputs: NDArray[Any], most: int) -> NDArray[np.int64]:
        """(B, T), (B, K, BYTES) -> (B, K, A)"""
        traces: NDArray[np.int64] = _trace_all(tokens.astype(np.int64), np.ascontiguousarray(inputs), most)
        used = int((traces != PAD).any(axis=(0, 1)).sum())
        return traces[:, :, : max(1, used)]

    def sensed(self, traces: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.int64]:
        """(B, K, A), (B, K, BYTES) -> (B, K, A)"""
        senses: NDArray[np.int64] = _sense_all(np.ascontiguousarray(traces, np.int64), np.ascontiguousarray(inputs))
        return senses

    def before(self, traces: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.uint8]:
        """(B, K, A), (B, K, BYTES) -> (B, K, A, BYTES)"""
        worlds: NDArray[np.uint8] = _worlds_all(np.ascontiguousarray(traces, np.int64), np.ascontiguousarray(inputs))
        return worlds
