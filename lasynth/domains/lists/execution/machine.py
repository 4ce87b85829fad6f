"""The fast interpreter: a program on many inputs at once by the compiled kernels of the search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution import interpreter
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.kernels import begin_of, evaluate, room_for
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Program, Type
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.task import ExecutionError

TOGETHER = 32
"""Inputs that run at once."""
FIRST_LONGEST = 256
"""Lists are first allowed this length; inputs that make longer ones are run by the interpreter."""


def run_many(program: Program, inputs: Sequence[Sequence[Basic]]) -> list[Basic | None]:
    """The output for each row of inputs; None where the run faults."""
    found: list[Basic | None] = []
    for begin in range(0, len(inputs), TOGETHER):
        rows = inputs[begin : begin + TOGETHER]
        longest = max([FIRST_LONGEST, *(4 * len(v) for row in rows for v in row if isinstance(v, list))])
        together = Run(rows, longest).outputs(program)
        if together is None:  # some list is long
            found += [_run_alone(program, row) for row in rows]
        else:
            found += together
    return found


def _run_alone(program: Program, row: Sequence[Basic]) -> Basic | None:
    """By the interpreter, which has no arena to fill."""
    try:
        return interpreter.run(program, row)
    except ExecutionError:
        return None


class Run:
    """Values of one program's expressions for some rows of inputs, in one arena."""

    def __init__(self, rows: Sequence[Sequence[Basic]], longest: int) -> None:
        self.rows, self.longest = rows, longest
        self.arena = np.zeros(1 << 12, np.int32)
        self.end = 0
        self.known: dict[Expression, tuple[int, int]] = {}

    def outputs(self, program: Program) -> list[Basic | None] | None:
        """None if a list is longer than allowed."""
        found = self.value(program.body)
        if found is None:
            return None
        place, gaps = found
        values = read_values(self.arena, place, len(self.rows), program.body.type)
        return [None if (gaps >> e) & 1 else value for e, value in enumerate(values)]

    def value(self, expression: Expression) -> tuple[int, int] | None:
        """Where the value is, and in which rows it is undefined."""
        if expression not in self.known:
            if isinstance(expression, Call):
                found = self._call(expression)
                if found is None:
                    return None
                self.known[expression] = found
            else:
                self.known[expression] = self._leaf(expression), 0
        return self.known[expression]

    def _leaf(self, expression: Expression) -> int:
        values: list[Basic]
        if isinstance(expression, Input):
            values = [row[expression.place] for row in self.rows]
        elif isinstance(expression, Constant):
            values = [expression.value for _ in self.rows]
        else:
            assert isinstance(expression, Empty)
            values = [[] for _ in self.rows]
        place = self.end
        self._reserve(sum(1 + (len(v) if isinstance(v, list) else 0) for v in values))
        self.end = write_value(self.arena, place, values)
        return place

    def _call(self, call: Call) -> tuple[int, int] | None:
        parts = []
        for argument in call.arguments:
            part = self.value(argument)
            if part is None:
                return None
            parts.append(part)
        missing = 3 - len(parts)
        types = np.array([call.type, *(argument.type for argument in call.arguments), *[-1] * missing], np.int64)
        places = np.array([*(place for place, _ in parts), *[0] * missing], np.int64)
        gaps = np.array([*(gap for _, gap in parts), *[0] * missing], np.int64)
        self._reserve(room_for(len(self.rows), self.longest))
        everywhere = (1 << len(self.rows)) - 1
        op = int(OPERATIONS[call.operation].op)
        place = self.end
        end, undefined = evaluate(op, types, places, gaps, everywhere, self.arena, place, len(self.rows), self.longest)
        if end < 0:
            return None
        self.end = end
        return place, undefined

    def _reserve(self, cells: int) -> None:
        if self.end + cells > len(self.arena):
            longer = np.zeros(max(2 * len(self.arena), self.end + cells), np.int32)
            longer[: self.end] = self.arena[: self.end]
            self.arena = longer


def write_value(arena: NDArray[np.int32], place: int, values: Sequence[Basic]) -> int:
    """Lay out the values of all examples at a place of the arena; where they end."""
    end = place + len(values)
    for e, value in enumerate(values):
        if isinstance(value, int):
            arena[place + e] = value
        else:
            arena[end : end + len(value)] = value
            end += len(value)
            arena[place + e] = end - place - len(values)
    return end


def read_values(arena: NDArray[np.int32], place: int, examples: int, type_: Type) -> list[Basic]:
    """The values of all examples at a place of the arena."""
    if type_ < Type.LIST:
        return [int(value) for value in arena[place : place + examples]]
    found: list[Basic] = []
    for e in range(examples):
        begin, end = begin_of(arena, place, examples, e), place + examples + int(arena[place + e])
        found.append(arena[begin:end].tolist())
    return found
