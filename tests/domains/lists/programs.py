"""Programs for the tests of lists."""

from __future__ import annotations

from random import Random

from lasynth.domains.lists.data.generator import _grow
from lasynth.domains.lists.language.lexemes import usual_parameters
from lasynth.domains.lists.language.nodes import Call, Expression, Input, Program, Type
from lasynth.domains.lists.language.operations import NUMBERS, OPERATIONS

TYPES = (Type.LIST, Type.LIST, Type.INT, Type.INT)
CONVERSIONS = {Type.BOOL: ("to_number", Type.INT), Type.MASK: ("to_number", Type.LIST)}


def leaf(rng: Random, type_: Type, place: int) -> Expression:
    """An input, or one operation for flags and masks; small numbers, so that few runs fault."""
    places = [i for i, t in enumerate(TYPES) if t == type_]
    if places:
        return Input(places[place % len(places)], type_)
    return _grow(rng, TYPES, type_, 1)


def one_of_each(rng: Random) -> list[Program]:
    """A program for each operation, which applies it to inputs."""
    programs = []
    for number, operation in enumerate(OPERATIONS):
        parts, counts = [], dict.fromkeys(Type, 0)
        for type_ in operation.arguments:
            parts.append(leaf(rng, type_, counts[type_]))
            counts[type_] += 1
        body: Expression = Call(number, tuple(parts), operation.result)
        if operation.result in CONVERSIONS:
            name, result = CONVERSIONS[operation.result]
            body = Call(NUMBERS[name, (operation.result,)], (body,), result)
        programs.append(Program(usual_parameters(TYPES), body))
    return programs
