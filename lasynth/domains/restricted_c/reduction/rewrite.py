"""Writes a new program from what a program does to some lists, and takes it if it is shorter.

A loop that runs twice becomes two statements, and a chain of assignments becomes one sum. A branch whose first block
does nothing becomes the opposite branch. So programs with the same behaviour get similar texts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.interpreter import MAX_STEPS
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import to_code, to_lexemes
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.language.vocabulary import Dialect
from lasynth.domains.restricted_c.reduction.paths import Inexplicable, explain_runs
from lasynth.domains.restricted_c.reduction.reduce import reduce_program
from lasynth.domains.restricted_c.symbolic.writing import Unwritable, write
from lasynth.task import ExecutionError

DIALECT_LEXEMES = frozenset(Dialect().lexemes())
"""The lexemes of the default dialect. A rewritten program must not need others, such as larger numbers."""


def rewrite_program(program: Program, inputs: NDArray[np.int32], max_steps: int = MAX_STEPS) -> Program:
    """The shortest, in C tokens, of the program and its rewritten versions. (K, L)

    All of them have the same outcome on each of `inputs`. If lengths are equal, a rewritten version wins.
    """
    program = canonical(program)
    candidates = [*_rewritten(program, inputs, max_steps), program]
    return min(candidates, key=lambda candidate: count_tokens(print_program(candidate)))


def _rewritten(program: Program, inputs: NDArray[np.int32], max_steps: int) -> Iterator[Program]:
    """Programs written from the explanation of the program's runs, and reduced. None if there is no explanation."""
    try:
        explanation = explain_runs(program, inputs.tolist(), max_steps)
        drafts = dict.fromkeys(write(explanation, loops=loops) for loops in (False, True))
    except (ExecutionError, Inexplicable, Unwritable):
        return
    wanted = run_codes(pack([to_code(program)]), inputs, max_steps=max_steps)
    for draft in drafts:
        made = run_codes(pack([to_code(draft)]), inputs, max_steps=max_steps)
        if (made.status == Status.OK).all() and (made.outputs == wanted.outputs).all():
            short = reduce_program(draft, inputs, max_steps)
            if DIALECT_LEXEMES.issuperset(to_lexemes(short)):
                yield short
