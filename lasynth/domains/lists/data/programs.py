"""Random programs: expressions grown by type. Cheap operations are likelier, and so are small constants."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from random import Random

from lasynth.domains.lists.language.lexemes import CONSTANTS, usual_parameters
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Program, Type
from lasynth.domains.lists.language.operations import OPERATIONS

L, I = Type.LIST, Type.INT  # noqa: E741
SIGNATURES: dict[tuple[Type, ...], float] = {
    (L,): 60, (L, I): 12, (I, L): 8, (L, L): 8, (I,): 3, (I, I): 3, (L, I, I): 2, (I, I, L): 2, (L, L, I): 1,
    (L, L, L): 1,
}  # fmt: skip
"""Types of the inputs, and how often they are drawn."""
NATS = 0.35
"""An operation that costs one more is drawn less often by this."""
BY_RESULT = {type_: [n for n, o in enumerate(OPERATIONS) if o.result == type_] for type_ in Type}
WEIGHTS = {type_: [exp(-NATS * OPERATIONS[n].cost) for n in numbers] for type_, numbers in BY_RESULT.items()}
FROM_NUMBERS = [n for n in BY_RESULT[L] if set(OPERATIONS[n].arguments) == {I}]
USUAL = {0: 4, 1: 6, 2: 6, 3: 5, 4: 2, 5: 3, 6: 1, 7: 1, 8: 1, 9: 1, 10: 3, -1: 2}
"""Constants, and how often they are drawn."""
UNUSUAL = 0.08
"""Chance of any other constant."""
EMPTY = 0.03
"""Chance that a list is the empty one."""
TO_LIST = 0.68
"""Chance that a program returns a list."""


def random_program(rng: Random, most_operations: int, types: Sequence[Type] | None = None) -> Program:
    """A program with about 1 to `most_operations` operations; it may ignore inputs, and it may fault."""
    if types is None:
        types = rng.choices(list(SIGNATURES), list(SIGNATURES.values()))[0]
    wanted = L if rng.random() < TO_LIST else I
    return Program(usual_parameters(types), _grow(rng, types, wanted, rng.randint(1, most_operations)))


def _grow(rng: Random, types: Sequence[Type], wanted: Type, operations: int) -> Expression:
    if operations <= 0 and (leaf := _leaf(rng, types, wanted)) is not None:
        return leaf
    if operations <= 0 and wanted == L:  # there is no list among the inputs
        number = rng.choice(FROM_NUMBERS)
    else:
        number = rng.choices(BY_RESULT[wanted], WEIGHTS[wanted])[0]
    operation = OPERATIONS[number]
    left = operations - 1
    heavy = rng.randrange(len(operation.arguments))
    parts = tuple(
        _grow(rng, types, type_, left if i == heavy else rng.randint(0, max(0, left)) // 2)
        for i, type_ in enumerate(operation.arguments)
    )
    return Call(number, parts, operation.result)


def _leaf(rng: Random, types: Sequence[Type], wanted: Type) -> Expression | None:
    """An input or a constant; None if there is none of this type."""
    places = [place for place, type_ in enumerate(types) if type_ == wanted]
    if wanted == L and rng.random() < EMPTY:
        return Empty()
    if places and (wanted == L or rng.random() < 0.6):
        return Input(rng.choice(places), wanted)
    if wanted == I:
        return Constant(rng.choice(CONSTANTS) if rng.random() < UNUSUAL else rng.choices(*_USUAL)[0])
    return None


_USUAL = list(USUAL), list(USUAL.values())
