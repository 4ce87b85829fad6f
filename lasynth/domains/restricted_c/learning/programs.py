"""Run programs and prefixes, given as rows of lexeme numbers, with the compiled machine.

Arguments and results are numpy arrays; torch is not imported.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.learnable import Runs, States
from lasynth.domains.restricted_c.execution.machine import Codes, Status, run_codes
from lasynth.domains.restricted_c.execution.prefixes import last_values, prefix_values, reaching
from lasynth.domains.restricted_c.language.lexemes import Kind
from lasynth.domains.restricted_c.language.vocabulary import LexemeTable
from lasynth.vocab import EOS


class LexemeMachine:
    """`lasynth.domains.learnable.Machine` of a dialect. L is the number of elements of a list."""

    def __init__(self, table: LexemeTable) -> None:
        self.table = table
        self.alike = table.alike
        self.can_fail = False  # they could be dropped, but that brings nothing: docs/log.md

    def run(self, tokens: NDArray[Any], inputs: NDArray[Any], group: NDArray[np.int64]) -> Runs:
        """(P, T), (G, K, L), (P,). A row without EOS is not a program."""
        kinds = self.table.kinds[tokens]  # (P, T)
        ended = np.cumsum(kinds == Kind.END, axis=1)
        mine = (ended == 0) | ((ended == 1) & (kinds == Kind.END))
        offsets = np.zeros(len(tokens) + 1, np.int64)
        np.cumsum(mine.sum(axis=1), out=offsets[1:])
        codes = Codes(kinds[mine], self.table.arguments[tokens[mine]], offsets)
        outputs, status = run_codes(codes, inputs.astype(np.int32), group)
        return Runs(outputs, status == Status.OK, (status != Status.SYNTAX).all(axis=1))

    def states(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> States:
        """(B, T), (B, K, L)"""
        return States(*prefix_values(*self._code(tokens), inputs.astype(np.int32)))

    def last_state(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.int32]:
        """(B, T), (B, K, L) -> (B, K, L)"""
        return last_values(*self._code(tokens), inputs.astype(np.int32))

    def reaching(self, tokens: NDArray[Any], inputs: NDArray[Any], begin: int) -> NDArray[np.bool_]:
        """(B, T), (B, K, L) -> (B, K, T - begin)"""
        return reaching(*self._code(tokens), inputs.astype(np.int32), begin)

    def failed(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> NDArray[np.bool_]:
        """Which prefixes fault on one of their inputs, of those that have just ended a statement outside of blocks.
        Inside a block, what follows may still avoid the fault. (B, T), (B, K, L) -> (B,)"""
        failed = np.zeros(len(tokens), np.bool_)
        outside = self.table.nesting[tokens].sum(axis=1) == 0
        rows = (outside & self.table.statement_ends[tokens[:, -1]]).nonzero()[0]
        if len(rows):
            programs = np.pad(tokens[rows], [(0, 0), (0, 1)], constant_values=EOS)
            failed[rows] = ~self.run(programs, inputs, rows).fine.all(axis=1)
        return failed

    def _code(self, tokens: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        return self.table.kinds[tokens], self.table.arguments[tokens]
