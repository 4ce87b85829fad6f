"""Lists and programs as arrays of numbers: what batches are made of, and runs straight from a model's lexeme numbers.

Knows no torch and no model: arrays come in and go out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.execution.machine import Codes, Status, run_codes
from lasynth.domains.restricted_c.execution.prefixes import PrefixValues, prefix_values
from lasynth.domains.restricted_c.language.lexemes import Kind
from lasynth.domains.restricted_c.language.vocabulary import LexemeTable
from lasynth.task import InputError


class ListArrays:
    """The tasks of a dialect (the `TaskArrays` of a domain)."""

    def __init__(self, table: LexemeTable) -> None:
        self.table = table

    def read(self, column: Any) -> NDArray[np.int32]:
        """An Arrow column of lists of K lists of L numbers each as one array (B, K, L). InputError if sizes differ."""
        examples, inner = column.value_lengths().to_numpy(), column.flatten()
        lengths = inner.value_lengths().to_numpy()
        if np.unique(examples).size > 1 or np.unique(lengths).size > 1:
            raise InputError("the tasks differ in their number of examples, or in the length of their lists")
        flat: NDArray[np.int32] = inner.flatten().to_numpy()
        return flat.reshape(len(examples), examples[0] if len(examples) else 0, -1)

    def run(
        self, tokens: NDArray[Any], inputs: NDArray[Any], group: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_]]:
        """Outputs (P, K, L), which runs are without a fault (P, K), and which rows are programs at all (P,).

        Programs are rows of lexeme numbers (P, T), each up to its EOS: a row without one is none. Row p runs on
        inputs[group[p]] of (G, K, L).
        """
        kinds = self.table.kinds[tokens]  # (P, T)
        ended = np.cumsum(kinds == Kind.END, axis=1)
        mine = (ended == 0) | ((ended == 1) & (kinds == Kind.END))
        offsets = np.zeros(len(tokens) + 1, np.int64)
        np.cumsum(mine.sum(axis=1), out=offsets[1:])
        codes = Codes(kinds[mine], self.table.arguments[tokens[mine]], offsets)
        outputs, status = run_codes(codes, inputs.astype(np.int32), group)
        return outputs, status == Status.OK, (status != Status.SYNTAX).all(axis=1)

    def states(self, tokens: NDArray[Any], inputs: NDArray[Any]) -> PrefixValues:
        """The lists at every statement end of whole programs. tokens (B, T), inputs (B, K, L)"""
        return prefix_values(self.table.kinds[tokens], self.table.arguments[tokens], inputs.astype(np.int32))
