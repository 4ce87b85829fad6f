"""Shrinks a program while its outcomes stay the same: a greedy search over small cuts, in the manner of C-Reduce.

It ends when no cut keeps every outcome. The result is in the settled form (see `settle`). Faults count as outcomes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.language.canonical import canonical, inline_constants, localise_loops
from lasynth.domains.restricted_c.language.lexemes import Kind, Lexeme, from_lexemes, to_code
from lasynth.domains.restricted_c.language.nodes import For, Program, statements
from lasynth.domains.restricted_c.reduction.cuts import sweep, sweep_pairs
from lasynth.domains.restricted_c.reduction.draft import Draft, make_judge
from lasynth.domains.restricted_c.reduction.settle import settle
from lasynth.jit import compiled

ROUNDS = 8
"""Most times that a program is renamed and reduced again: with new names, `settle` may find other changes."""
CHANGES = 64
"""Most rounds of changes with the same names. The limit stops changes that undo each other."""


def reduce_program(
    program: Program,
    inputs: NDArray[np.int32],
    max_steps: int = MAX_STEPS,
    lengths: NDArray[np.int64] | None = None,
) -> Program:
    """The smallest canonical program that greedy cuts find with the same outcome on each of `inputs`. (K, L)

    `lengths` (K,) says how many elements each list has, if they differ; lists of one length follow each other.
    """
    program, inputs = with_fewer_variables(program), np.ascontiguousarray(inputs, np.int32)
    lengths = np.full(len(inputs), inputs.shape[1], np.int64) if lengths is None else lengths
    for _ in range(ROUNDS):
        before, code = program, to_code(program)
        kinds, arguments = reduce_code(code.kinds, code.arguments, inputs, lengths, max_steps)
        pairs = zip(kinds.tolist(), arguments.tolist(), strict=True)
        program = with_fewer_variables(from_lexemes([Lexeme(Kind(kind), argument) for kind, argument in pairs]))
        if program == before:
            break
    return program


def with_fewer_variables(program: Program) -> Program:
    """The same program with fewer variables, as far as that needs no run.

    Variables that never change become numbers, and loops declare their own variables. The latter must not lead to a
    name after p_1 that no loop had before, because a model's vocabulary has few of them.
    """
    program = canonical(inline_constants(program))
    local = canonical(localise_loops(program))
    return local if last_loop_name(local) <= max("p_1", last_loop_name(program)) else program


def last_loop_name(program: Program) -> str:
    return max((s.variable for s in statements(program.body) if isinstance(s, For)), default="")


@compiled
def reduce_code(
    kinds: NDArray[np.uint8],
    arguments: NDArray[np.int32],
    inputs: NDArray[np.int32],
    lengths: NDArray[np.int64],
    max_steps: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Cut and settle a program until nothing changes. (N,), (N,), (K, L), (K,) -> (M,), (M,) with M <= N"""
    draft = Draft(np.empty((2, kinds.size), np.uint8), np.empty((2, kinds.size), np.int32), np.zeros(2, np.int64))
    draft.kinds[0] = kinds
    draft.arguments[0] = arguments
    draft.sizes[0] = kinds.size
    judge = make_judge(kinds, arguments, inputs, lengths, max_steps)
    for _ in range(CHANGES):
        if not (sweep(judge, draft) or sweep_pairs(judge, draft) or settle(judge, draft)):
            break
    size = draft.sizes[0]
    return draft.kinds[0, :size].copy(), draft.arguments[0, :size].copy()
