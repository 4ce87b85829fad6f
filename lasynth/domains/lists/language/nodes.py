"""Programs as trees: parameters, constants and calls of operations. Knows no operation by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Union

INT_MAX = 2**31 - 1
INT_MIN = -INT_MAX - 1


class Type(IntEnum):
    """What a value is. Flags are 0 or 1; a mask is a list of flags."""

    INT = 0
    BOOL = 1
    LIST = 2
    MASK = 3


TYPE_NAMES = {Type.INT: "int", Type.BOOL: "bool", Type.LIST: "list", Type.MASK: "mask"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named input of a program: a number or a list."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Input:
    """The value of a parameter, by its place."""

    place: int
    type: Type


@dataclass(frozen=True, slots=True)
class Constant:
    value: int
    type: Type = Type.INT


@dataclass(frozen=True, slots=True)
class Empty:
    """The empty list."""

    type: Type = Type.LIST


@dataclass(frozen=True, slots=True)
class Call:
    """An operation, by its number in `OPERATIONS`, applied to values."""

    operation: int
    arguments: tuple[Expression, ...]
    type: Type


Expression = Union[Input, Constant, Empty, Call]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class Program:
    """A function: its parameters and the expression that it returns, a number or a list."""

    parameters: tuple[Parameter, ...]
    body: Expression


def walk(expression: Expression) -> Iterator[Expression]:
    """All expressions in this one, arguments before the calls that use them."""
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from walk(argument)
    yield expression


def size(expression: Expression) -> int:
    return sum(1 for _ in walk(expression))
