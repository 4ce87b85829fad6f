"""Lists as arrays: how batches store them, how to compare them, and which of them a model can represent.

Torch is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ValueConfig
from lasynth.domains.restricted_c.lists import pack_lists
from lasynth.task import InputError


@dataclass(frozen=True)
class ListConfig(ValueConfig):
    """Which lists a model can represent."""

    list_length: int = 5
    """Number of elements of the longest list."""
    smallest_value: int = -4
    largest_value: int = 4

    def __post_init__(self) -> None:
        if self.list_length < 1:
            raise InputError("list_length must be at least 1")
        if self.smallest_value >= self.largest_value:
            raise InputError("smallest_value must be less than largest_value")

    @property
    def count(self) -> int:
        """C: how many values an element may have."""
        return self.largest_value - self.smallest_value + 1


def list_config(options: Mapping[str, Any]) -> ListConfig:
    """The config for tasks that were generated with these options. InputError."""
    return ListConfig(**{field.name: options[field.name] for field in fields(ListConfig) if field.name in options})


class ListValues:
    """`lasynth.domains.learnable.Values` of lists; the trailing axis is (L,)."""

    def read(self, column: Any) -> NDArray[np.signedinteger[Any]]:
        """(N, K, L), as int8 if all elements fit. InputError if the tasks differ in shape."""
        examples, inner = column.value_lengths().to_numpy(), column.flatten()
        lengths = inner.value_lengths().to_numpy()
        if np.unique(examples).size > 1 or np.unique(lengths).size > 1:
            raise InputError("the tasks differ in their number of examples, or in the length of their lists")
        flat: NDArray[np.int32] = inner.flatten().to_numpy()
        lists = flat.reshape(len(examples), examples[0] if len(examples) else 0, -1)
        small = lists.size == 0 or (lists.min() >= -128 and lists.max() < 128)
        return lists.astype(np.int8) if small else lists

    def pack(self, values: Sequence[Sequence[int]]) -> NDArray[np.int32]:
        """(n, L). InputError if the lists differ in length."""
        return pack_lists(values)

    def same(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        equal: NDArray[np.bool_] = (one == other).all(axis=-1)
        return equal

    def refusal(self, config: ValueConfig, values: NDArray[Any]) -> str | None:
        assert isinstance(config, ListConfig)
        length, low, high = values.shape[-1], config.smallest_value, config.largest_value
        if length != config.list_length:
            return f"the lists have {length} elements, the model takes {config.list_length}"
        if values.size and (values.min() < low or values.max() > high):
            return f"the examples have values from {values.min()} to {values.max()}, the model takes {low} to {high}"
        return None

    def inside(self, config: ValueConfig, values: NDArray[Any]) -> NDArray[np.bool_]:
        assert isinstance(config, ListConfig)
        within = (values >= config.smallest_value) & (values <= config.largest_value)
        all_within: NDArray[np.bool_] = np.logical_and.reduce(within, axis=-1)
        return all_within

    def sample(self, config: ValueConfig) -> NDArray[np.int32]:
        assert isinstance(config, ListConfig)
        return np.full(config.list_length, config.smallest_value, np.int32)
