"""Shrinks a program while its outcomes stay the same: a greedy search over small cuts, in the manner of C-Reduce.

It ends when no cut is left that keeps every outcome, and with the program in its settled form. Faults count as outcomes.
Nothing is learned here.
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
"""Most times that a program is renamed and tried again: new names may settle differently."""
CHANGES = 64
"""Most rounds of changes under one naming, lest two that undo each other go on for ever."""


def reduce_program(program: Program, inputs: NDArray[np.int32], max_steps: int = MAX_STEPS) -> Program:
    """The smallest program that greedy cutting finds with the same outcome on each of `inputs` (K, L), in canonical form."""
    program, inputs = plain(program), np.ascontiguousarray(inputs, np.int32)
    for _ in range(ROUNDS):
        before, code = program, to_code(program)
        kinds, arguments = reduce_code(code.kinds, code.arguments, inputs, max_steps)
        pairs = zip(kinds.tolist(), arguments.tolist(), strict=True)
        program = plain(from_lexemes([Lexeme(Kind(kind), argument) for kind, argument in pairs]))
        if program == before:
            break
    return program


def plain(program: Program) -> Program:
    """The same program with as few variables as can be told without running it: numbers as subscripts, loops with their own.

    A loop's own variable must not take a name that no loop had, because models know few.
    """
    program = canonical(inline_constants(program))
    local = canonical(localise_loops(program))
    return local if last_loop_name(local) <= max("p_1", last_loop_name(program)) else program


def last_loop_name(program: Program) -> str:
    return max((s.variable for s in statements(program.body) if isinstance(s, For)), default="")


@compiled
def reduce_code(
    kinds: NDArray[np.uint8], arguments: NDArray[np.int32], inputs: NDArray[np.int32], max_steps: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """`kinds` and `arguments` of a program, cut until nothing more goes, and settled."""
    draft = Draft(np.empty((2, kinds.size), np.uint8), np.empty((2, kinds.size), np.int32), np.zeros(2, np.int64))
    draft.kinds[0] = kinds
    draft.arguments[0] = arguments
    draft.sizes[0] = kinds.size
    judge = make_judge(kinds, arguments, inputs, max_steps)
    for _ in range(CHANGES):
        if not (sweep(judge, draft) or sweep_pairs(judge, draft) or settle(judge, draft)):
            break
    size = draft.sizes[0]
    return draft.kinds[0, :size].copy(), draft.arguments[0, :size].copy()
