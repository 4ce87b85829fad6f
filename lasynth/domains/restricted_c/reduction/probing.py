"""Probes: inputs on which a shorter program must do the same, drawn from the program itself.

Random small numbers never reach `if (a[0] > 100)`. So probes lie around the constants of the program, at the limits of
32 bits, on both sides of the boundaries of its conditions (see `exploration`), and they have several lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from lasynth.domains.restricted_c.language.nodes import (
    Const,
    Element,
    For,
    Program,
    operands,
    statements,
)
from lasynth.domains.restricted_c.lists import MAX_LIST
from lasynth.domains.restricted_c.reduction.inequalities import HIGHEST, LOWEST

LENGTHS = range(1, 11)
"""Lengths that are always probed if the length is not given."""
SMALL = range(-4, 5)
NUMBERS = 100_000
"""Most numbers in the probes of one length. So there are fewer probes if the lists are long."""
EXTREMES = (LOWEST, LOWEST + 1, LOWEST + 2, HIGHEST - 2, HIGHEST - 1, HIGHEST)


def constants(program: Program) -> set[int]:
    """Every number in the program."""
    found = {declaration.value for declaration in program.declarations if declaration.value is not None}
    for statement in statements(program.body):
        for operand in operands(statement):
            match operand:
                case Const(value=value) | Element(index=Const(value=value)):
                    found.add(value)
        if isinstance(statement, For):
            found |= {statement.start, statement.limit}
    return found


def critical_numbers(program: Program) -> list[int]:
    """Numbers near the constants of the program, near their sums and differences, and near the limits of 32 bits."""
    own = sorted(constants(program))[:64]
    near = {c + d for c in own for d in (-1, 0, 1)} | {-c for c in own}
    near |= {sign * a - b for a in own[:24] for b in own[:24] for sign in (-1, 1)}
    return sorted({number for number in near if LOWEST <= number <= HIGHEST} | set(EXTREMES) | {-1, 0, 1})


def lists_around(program: Program, rng: Random, length: int, count: int) -> Iterator[list[int]]:
    """Lists with the program's critical numbers: at one place, at several places at once, and everywhere."""
    critical = critical_numbers(program)
    for number in range(min(count, max(8, NUMBERS // length))):
        calm = [rng.choice(SMALL) for _ in range(length)] if number % 2 else [rng.choice(critical)] * length
        share = (1 / length, 0.5, 1.0)[number % 3]
        values = [rng.choice(critical) if rng.random() <= share else value for value in calm]
        if number % 7 == 0:
            values[rng.randrange(length)] = rng.randint(LOWEST, HIGHEST)
        yield values


def lengths_around(reach: int) -> Iterable[int]:
    """The usual lengths, and those at which the largest subscript falls into the list."""
    return sorted({*LENGTHS, *(size for size in (reach, reach + 1, reach + 2) if 1 <= size <= MAX_LIST)})
