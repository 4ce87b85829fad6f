"""Values that are right wherever they are defined: a guard gives the output for the empty list.

`maximum(a)` has no value for the empty list. If an example says what is wanted there, the program is
`if(eq(length(a), 0), 0, maximum(a))`. The search over conditions finds it, too, but at the price of all its parts, and
people add such an example as a matter of course.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import Call, Constant, Expression, Input, Type
from lasynth.domains.lists.language.operations import NUMBERS
from lasynth.domains.lists.symbolic.bank import Bank

GUARD = 4
"""Cost of a guard, with the number that it gives."""
IF, EQ = NUMBERS["if", (Type.BOOL, Type.INT, Type.INT)], NUMBERS["eq", (Type.INT, Type.INT)]
LENGTH = NUMBERS["length", (Type.LIST,)]


class Guards:
    """Entries of the bank that fit with a guard."""

    def __init__(self, inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic], types: Sequence[Type]) -> None:
        self.every = (1 << len(outputs)) - 1
        self.empty: dict[int, tuple[int, int]] = {}
        """Bits of the examples in which a list is empty -> its place, and the output of them all."""
        self.entries: list[int] = []
        for place, type_ in enumerate(types):
            here = [e for e, row in enumerate(inputs) if type_ == Type.LIST and row[place] == []]
            wanted = {output for e in here if isinstance(output := outputs[e], int)}
            if len(wanted) == 1:
                self.empty.setdefault(sum(1 << e for e in here), (place, wanted.pop()))

    def extend(self, bank: Bank, begin: int, end: int) -> None:
        """Look through new entries."""
        gaps, right = bank.gaps[begin:end], bank.right[begin:end]
        for bits in self.empty:
            fits = (gaps == bits) & ((right | gaps) == self.every)
            self.entries += (begin + np.flatnonzero(fits)).tolist()

    def guarded(self, expression: Expression, gaps: int) -> Expression:
        """The expression, with the wanted output where it has no value."""
        place, wanted = self.empty[gaps]
        is_empty = Call(EQ, (Call(LENGTH, (Input(place, Type.LIST),), Type.INT), Constant(0)), Type.BOOL)
        return Call(IF, (is_empty, Constant(wanted), expression), Type.INT)
