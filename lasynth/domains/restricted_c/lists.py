"""The values of restricted C: lists as people type them, as Python has them, and as arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.nodes import INT_MAX
from lasynth.task import InputError

MAX_LIST = 10_000
"""Longest list that is taken as an input."""


def read_list(text: str) -> list[int]:
    """A list as a person types it: `[1, 2, 3]`. InputError that says what is wrong with it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:  # also a number of more digits than Python reads
        raise InputError(f"`{_shown(text)}` is not a list of integers such as [1, 2, 3]") from error
    return check_list(value, text)


def check_list(value: object, text: str | None = None) -> list[int]:
    """Check a list, tuple or array of integers from Python. Messages show it as `text`. InputError."""
    shown = _shown(str(value) if text is None else text)
    numbers = value.tolist() if hasattr(value, "tolist") else value  # numpy and torch
    if not isinstance(numbers, (list, tuple)):
        raise InputError(f"`{shown}` is not a list of integers such as [1, 2, 3]")
    if not numbers:
        raise InputError("the list is empty; it needs at least one element")
    if len(numbers) > MAX_LIST:
        raise InputError(f"the list has {len(numbers):,} elements; at most {MAX_LIST:,} are taken")
    if any(isinstance(number, bool) or not hasattr(number, "__index__") for number in numbers):
        raise InputError(f"`{shown}` is not a list of integers such as [1, 2, 3]")
    checked = [index(number) for number in numbers]
    for number in (min(checked), max(checked)):
        if not -INT_MAX - 1 <= number <= INT_MAX:
            raise InputError(f"{number} in `{shown}` does not fit into 32 bits")
    return checked


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def pack_lists(values: Sequence[Sequence[int]]) -> NDArray[np.int32]:
    """Lists of one length as rows (n, L). InputError if they differ in length."""
    if len({len(value) for value in values}) > 1:
        raise InputError("the lists differ in length")
    return np.array(values, np.int32).reshape(len(values), -1)
