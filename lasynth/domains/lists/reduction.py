"""Smaller programs that do the same on given inputs: expressions are replaced by their own parts and by leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Program, Type, size, walk


def reduce_program(program: Program, inputs: Sequence[Sequence[Basic]]) -> Program:
    """The smallest program that a greedy search finds with the same outcome, faults included, on every row of
    inputs."""
    wanted = run_many(program, inputs)
    body = program.body
    while True:
        for smaller in _smaller(body, program):
            if run_many(Program(program.parameters, smaller), inputs) == wanted:
                body = smaller
                break
        else:
            return Program(program.parameters, body)


def _smaller(body: Expression, program: Program) -> Iterator[Expression]:
    """The body with one call replaced by something smaller of the same type; large calls come first."""
    calls = sorted({e for e in walk(body) if isinstance(e, Call)}, key=size, reverse=True)
    for call in calls:
        for leaf in _leaves(call.type, program):
            yield replaced(body, call, leaf)
        parts = {part for part in walk(call) if part.type == call.type and part != call and isinstance(part, Call)}
        for part in sorted(parts, key=lambda part: (size(part), repr(part))):
            yield replaced(body, call, part)


def _leaves(type_: Type, program: Program) -> Iterator[Expression]:
    for place, parameter in enumerate(program.parameters):
        if parameter.type == type_:
            yield Input(place, type_)
    if type_ == Type.INT:
        yield from (Constant(0), Constant(1))
    elif type_ == Type.LIST:
        yield Empty()


def replaced(body: Expression, old: Expression, new: Expression) -> Expression:
    """The body with `new` wherever `old` was."""
    if body == old:
        return new
    if isinstance(body, Call):
        return Call(body.operation, tuple(replaced(part, old, new) for part in body.arguments), body.type)
    return body


MOST_AROUND = 16
"""Rows of inputs that are changed for each constant."""


def around_constants(program: Program, rows: Sequence[Sequence[Basic]]) -> list[list[Basic]]:
    """Copies of rows in which half of the numbers are a constant of the program, or one less, or one more."""
    rng, found = Random(0), list[list[Basic]]()
    constants = sorted({part.value for part in walk(program.body) if isinstance(part, Constant)})
    for constant in constants:
        near = [constant + change for change in (-1, 0, 1) if -(2**31) <= constant + change < 2**31]
        found += [[_mixed(rng, value, near) for value in row] for row in rows[:MOST_AROUND]]
    return found


def _mixed(rng: Random, value: Basic, near: Sequence[int]) -> Basic:
    if isinstance(value, int):
        return rng.choice(near)
    return [rng.choice(near) if rng.random() < 0.5 else number for number in value]
