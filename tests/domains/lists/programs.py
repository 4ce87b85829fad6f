"""Programs for the tests of lists."""

from __future__ import annotations

from lasynth.domains.lists.language.lexemes import usual_parameters
from lasynth.domains.lists.language.nodes import Call, Expression, Input, Program, Type
from lasynth.domains.lists.language.operations import NUMBERS, OPERATIONS

TYPES = (Type.LIST, Type.LIST, Type.INT, Type.INT)
CONVERSIONS = {Type.BOOL: ("to_number", Type.INT), Type.MASK: ("to_number", Type.LIST)}


def leaf(type_: Type, place: int) -> Expression:
    """An input, or one operation for flags and masks; small numbers, so that few runs fault."""
    places = [i for i, t in enumerate(TYPES) if t == type_]
    if places:
        return Input(places[place % len(places)], type_)
    numbers = Input(2, Type.INT), Input(3, Type.INT)
    if type_ == Type.BOOL:
        return Call(NUMBERS["lt", (Type.INT, Type.INT)], numbers, Type.BOOL)
    return Call(NUMBERS["gt", (Type.LIST, Type.INT)], (Input(place % 2, Type.LIST), numbers[0]), Type.MASK)


def one_of_each() -> list[Program]:
    """A program for each operation, which applies it to inputs."""
    programs = []
    for number, operation in enumerate(OPERATIONS):
        parts, counts = [], dict.fromkeys(Type, 0)
        for type_ in operation.arguments:
            parts.append(leaf(type_, counts[type_]))
            counts[type_] += 1
        body: Expression = Call(number, tuple(parts), operation.result)
        if operation.result in CONVERSIONS:
            name, result = CONVERSIONS[operation.result]
            body = Call(NUMBERS[name, (operation.result,)], (body,), result)
        programs.append(Program(usual_parameters(TYPES), body))
    return programs
