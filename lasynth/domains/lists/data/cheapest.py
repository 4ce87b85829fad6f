"""The cheapest program with the same outputs on given inputs: looked up among all programs up to some cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import FIRST_LONGEST, Run
from lasynth.domains.lists.language.lexemes import CONSTANTS
from lasynth.domains.lists.language.nodes import Call, Constant, Expression, Input, Type, walk
from lasynth.domains.lists.symbolic.bank import digest, find
from lasynth.domains.lists.symbolic.search import Search

UNREACHED = 2_000_000_011
"""An output that no cheap program gives."""


class Cheapest:
    """All values that cheap programs give on some rows of inputs, at most 24."""

    def __init__(self, rows: Sequence[Sequence[Basic]], types: Sequence[Type], most_cost: int) -> None:
        self.rows = rows
        self.search = Search(rows, [UNREACHED - i for i in range(len(rows))], types, inf, most_cost + 1)
        self.search.run()

    def simplified(self, expression: Expression) -> Expression | None:
        """The expression with each part replaced by the cheapest one with the same values.

        None for a fault, for a list that is too long, and for a part that depends on no input, unless it is a constant.
        """
        return self._simplified(expression, Run(self.rows, FIRST_LONGEST))

    def _simplified(self, expression: Expression, run: Run) -> Expression | None:
        if isinstance(expression, Call):
            parts = [self._simplified(part, run) for part in expression.arguments]
            known = tuple(part for part in parts if part is not None)
            if len(known) < len(parts):
                return None
            expression = Call(expression.operation, known, expression.type)
        found = run.value(expression)
        if found is None or found[1]:
            return None
        place, count = found[0], len(self.rows)
        if isinstance(expression, Call) and not any(isinstance(part, Input) for part in walk(expression)):
            return self._constant(expression, int(run.arena[place]))
        end = place + count + (int(run.arena[place + count - 1]) if expression.type >= Type.LIST else 0)
        one, other = digest(run.arena, place, end, int(expression.type), 0)
        bank = self.search.bank
        slot = find(bank.keys, np.uint64(one), np.uint64(other))
        if bank.keys[slot, 0] == one and bank.keys[slot, 1] == other:
            return self.search.entry(int(bank.slots[slot]))
        return expression

    def _constant(self, expression: Expression, value: int) -> Expression | None:
        """A part without inputs as a leaf; a list of constants as it is."""
        if expression.type == Type.LIST:
            return expression
        return Constant(value) if expression.type == Type.INT and value in CONSTANTS else None
