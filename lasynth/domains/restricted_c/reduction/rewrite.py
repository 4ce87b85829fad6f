"""Writes a program anew from what it does to some lists, if that is shorter: a loop that runs twice becomes two statements,
a chain of assignments one sum, a branch that leaves nothing to do its opposite. Programs that do the same become alike.
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

SPOKEN = frozenset(Dialect().lexemes())
"""Lexemes that a model has: sums may lead to larger numbers."""


def rewrite_program(program: Program, inputs: NDArray[np.int32], max_steps: int = MAX_STEPS) -> Program:
    """The shortest, in C tokens, of the program and of what is written for its paths and reduced. (K, L)

    Each has the same outcome on each of `inputs`. Of several that are as short what is written anew comes first.
    """
    program = canonical(program)
    candidates = [*_written(program, inputs, max_steps), program]
    return min(candidates, key=lambda candidate: count_tokens(print_program(candidate)))


def _written(program: Program, inputs: NDArray[np.int32], max_steps: int) -> Iterator[Program]:
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
            if SPOKEN.issuperset(to_lexemes(short)):
                yield short
