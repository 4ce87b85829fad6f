"""The values of the language as people type them and as Python has them.

A value is a number, a list of numbers, or several inputs: a tuple of such, or a dict from names to such.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Union

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Parameter, Type
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.lenient import loads
from lasynth.task import InputError

Value = Union[int, list[int], tuple[Basic, ...], dict[str, Basic]]  # noqa: UP007
MAX_LIST = 10_000
"""Longest list that is taken as an input."""
MAX_INPUTS = 8
LIST_NAMES, NUMBER_NAMES = "abcdefgh", "klpqrstu"
NAME = re.compile(r"[A-Za-z]\w{0,30}", re.ASCII)
RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main out "
    "func_1 malloc free abs abort NULL INT_MAX INT_MIN size_t list mask bool".split()
)
"""Names that no input may have, because the C text uses them."""
FORM = "a value is a number such as 3, a list such as [1, 2, 3], or several of them such as 2, [5, 6]"


def read_value(text: str) -> Value:
    """A value as a person types it: `[1, 2]`, `[1 2]`, `6`, `2, [5, 6]` or `{"k": 2, "b": [5, 6]}`. InputError."""
    try:
        parts = loads(f"[{text}]")
    except (ValueError, RecursionError) as error:
        raise InputError(f"`{_shown(text)}` cannot be read; {FORM}") from error
    if not parts:
        raise InputError(f"a value is missing; {FORM}")
    return check_value(parts[0] if len(parts) == 1 else tuple(parts))


def check_value(value: object) -> Value:
    """A value from Python or JSON. InputError.

    A tuple is several inputs; so is a list that contains a list. A list of numbers is one list.
    """
    value = value.tolist() if hasattr(value, "tolist") else value  # numpy and torch
    if isinstance(value, Mapping):
        return {_check_name(name): _check_basic(part) for name, part in _checked_size(value).items()}
    if isinstance(value, tuple) or (isinstance(value, list) and any(_is_list(part) for part in value)):
        parts = tuple(_check_basic(part) for part in _checked_size(value))
        return parts[0] if len(parts) == 1 else parts
    return _check_basic(value)


def _checked_size(parts: Any) -> Any:
    if not 1 <= len(parts) <= MAX_INPUTS:
        raise InputError(f"there are {len(parts)} inputs; a function takes 1 to {MAX_INPUTS}")
    return parts


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0))


def _check_name(name: object) -> str:
    if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED or name in OPERATION_NAMES:
        raise InputError(f"`{_shown(str(name))}` cannot be the name of an input in C")
    return name


OPERATION_NAMES = frozenset(operation.name for operation in OPERATIONS)


def _check_basic(value: object) -> Basic:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (list, tuple)):
        if len(value) > MAX_LIST:
            raise InputError(f"the list has {len(value):,} elements; at most {MAX_LIST:,} are taken")
        return [_check_number(part) for part in value]
    return _check_number(value)


def _check_number(value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"`{_shown(str(value))}` is not a whole number; {FORM}")
    number = index(value)
    if not INT_MIN <= number <= INT_MAX:
        raise InputError(f"{_shown(str(number))} does not fit into 32 bits")
    return number


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def type_of(value: Basic) -> Type:
    return Type.LIST if isinstance(value, list) else Type.INT


def parts_of(value: Value) -> list[Basic]:
    """The inputs that a value holds, in order."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, tuple) else [value]


def parameters_of(value: Value) -> tuple[Parameter, ...]:
    """Parameters for such inputs: the names that a dict gives, else a, b, .. for lists and k, l, .. for numbers."""
    if isinstance(value, dict):
        return tuple(Parameter(name, type_of(part)) for name, part in value.items())
    lists, numbers = iter(LIST_NAMES), iter(NUMBER_NAMES)
    types = [type_of(part) for part in parts_of(value)]
    return tuple(Parameter(next(lists if t == Type.LIST else numbers), t) for t in types)


def bind(parameters: Sequence[Parameter], value: Value) -> list[Basic]:
    """The inputs in the order of the parameters; by name where names are given. InputError if they do not go
    together."""
    wanted = ", ".join(f"{p.name}: {p.type.name.lower()}" for p in parameters)
    if isinstance(value, dict):
        if set(value) != {p.name for p in parameters}:
            raise InputError(f"the inputs are {', '.join(value)}; the program takes ({wanted})")
        parts = [value[p.name] for p in parameters]
    else:
        parts = parts_of(value)
    if [type_of(part) for part in parts] != [p.type for p in parameters]:
        raise InputError(f"`{_shown(str(value))}` does not fit; the program takes ({wanted})")
    return parts


def value_json(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value
