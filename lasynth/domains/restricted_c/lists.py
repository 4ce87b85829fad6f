"""The values of restricted C: lists as people type them, as Python has them, and as arrays."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.nodes import INT_MAX
from lasynth.lenient import loads
from lasynth.task import InputError

MAX_LIST = 10_000
"""Longest list that is taken as an input."""


NUMBER = re.compile(r"[-+]?\d+(\.0*)?", re.ASCII)
LEADING_ZERO = re.compile(r"[-+]?0\d+", re.ASCII)
WORD = re.compile(r"[^\s,[\]]+")


def read_list(text: str) -> list[int]:
    """A list as a person types it: `[1, 2, 3]`, `[1 2 3]`, `[1.0, 2.0,]`. InputError says what is wrong with it."""
    try:
        value = loads(text)
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise _refused(text, _reason(text.strip())) from error
    return check_list(value, text)


def check_list(value: object, text: str | None = None) -> list[int]:
    """Check a list, tuple or array of whole numbers from Python. Messages show it as `text`. InputError."""
    shown = value if text is None else text
    numbers = value.tolist() if hasattr(value, "tolist") else value  # numpy and torch
    if not isinstance(numbers, (list, tuple)):
        raise _refused(shown)
    if not numbers:
        raise InputError("the list is empty; it needs at least one element")
    if len(numbers) > MAX_LIST:
        raise InputError(f"the list has {len(numbers):,} elements; at most {MAX_LIST:,} are taken")
    checked = [number if type(number) is int else _integer(number, shown) for number in numbers]
    for number in (min(checked), max(checked)):
        if not -INT_MAX - 1 <= number <= INT_MAX:
            raise InputError(f"{number} in `{_shown(shown)}` does not fit into 32 bits")
    return checked


def _integer(number: Any, shown: object) -> int:
    """The integer that an element of a list is: 3, 3.0, a number of numpy. InputError."""
    if isinstance(number, (list, tuple)):
        raise _refused(shown, "a list cannot be an element of a list")
    if isinstance(number, (bool, str)) or number is None:
        raise _refused(shown, f"{_shown(json.dumps(number))} is not a number")
    if hasattr(number, "__index__"):
        return index(number)
    if not hasattr(number, "is_integer"):
        raise _refused(shown)
    if not number.is_integer():  # also infinite, or not a number
        raise _refused(shown, f"{number} is not an integer")
    return int(number)


def _reason(text: str) -> str:
    """Why a text is not JSON, if it looks like a list."""
    if not text.startswith("["):
        return ""
    if not text.endswith("]"):
        return "the closing bracket is missing"
    if "[" in text[1:]:
        return "a list cannot be an element of a list"
    for word in WORD.findall(text):
        if LEADING_ZERO.fullmatch(word):
            return f"`{_shown(word)}` begins with a zero"
        if not NUMBER.fullmatch(word):
            return f"`{_shown(word)}` is not an integer"
        if len(word) > len(str(-INT_MAX)) + 2:
            return f"{_shown(word)} does not fit into 32 bits"
    return "separate the numbers by single commas, or by spaces only"


def _refused(shown: object, reason: str = "") -> InputError:
    return InputError(f"`{_shown(shown)}` is not a list of integers such as [1, 2, 3]{reason and f': {reason}'}")


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def pack_lists(values: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Lists of one length as rows (n, L). InputError if they differ in length."""
    if len({len(value) for value in values}) > 1:
        raise InputError("the lists differ in length")
    return np.array(values, np.int32).reshape(len(values), -1)
