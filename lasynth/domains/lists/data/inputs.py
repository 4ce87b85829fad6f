"""Random inputs: lists and numbers like those that people type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.values import Value
from lasynth.task import InputError

RANGES = {
    "examples": (1, 64),
    "max_operations": (1, 20),
    "max_length": (1, 100),
    "smallest_value": (-1_000_000, 1_000_000),
    "largest_value": (-1_000_000, 1_000_000),
    "known_cost": (0, 14),
}
"""Smallest and largest value of each option."""


@dataclass(frozen=True)
class ListsOptions:
    """Options of the generator."""

    examples: int = 10
    """Examples of a task."""
    max_operations: int = 4
    """Most operations of a program."""
    max_length: int = 8
    """Longest list of an input."""
    smallest_value: int = -9
    largest_value: int = 20
    known_cost: int = 10
    """A program is replaced by the cheapest one with the same outputs if that costs at most this; 0 for never."""

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name.replace('_', '-')} must be {low:,} to {high:,}")
        if self.smallest_value > self.largest_value:
            low, high = self.smallest_value, self.largest_value
            raise InputError(f"smallest-value ({low}) must not be above largest-value ({high})")


def random_input(rng: Random, types: Sequence[Type], options: ListsOptions) -> list[Basic]:
    """A row of inputs; numbers are small where there is a list beside them, because they often count elements."""
    low, high = options.smallest_value, options.largest_value
    row: list[Basic] = []
    for type_ in types:
        if type_ == Type.LIST:
            row.append([rng.randint(low, high) for _ in range(rng.randint(0, options.max_length))])
        else:
            row.append(rng.randint(0, min(high, options.max_length)))
    return row


def as_value(row: Sequence[Basic]) -> Value:
    return row[0] if len(row) == 1 else tuple(row)


FEWEST = (0, 0, 1, 1, 2, 3, 4)
"""Lengths of the shortest list; with the empty list, programs that need an element fault."""
FEW = 5
"""Numbers of a list in which some are equal."""


@dataclass(frozen=True)
class Scene:
    """What the inputs of some tasks have in common."""

    types: tuple[Type, ...]
    low: int
    high: int
    shortest: int
    longest: int
    few: float
    """Chance that the numbers of a list are among a few."""
    ordered: float
    """Chance that a list is sorted."""
    counts: bool
    """Whether numbers beside lists count elements."""

    @staticmethod
    def draw(rng: Random, types: tuple[Type, ...], options: ListsOptions) -> Scene:
        low, high = options.smallest_value, options.largest_value
        if rng.random() < 0.6:  # a part of the range: no negative numbers, or digits
            low = min(max(low, 0), high)
        if rng.random() < 0.4:
            high = max(low, min(high, 9))
        longest = rng.randint(min(4, options.max_length), options.max_length)
        shortest = min(rng.choice(FEWEST), longest)
        counts = Type.LIST in types and rng.random() < 0.7
        return Scene(types, low, high, shortest, longest, rng.choice((0, 0.3, 1)), rng.choice((0, 0.2)), counts)

    def row(self, rng: Random) -> list[Basic]:
        return [self._list(rng) if type_ == Type.LIST else self._number(rng) for type_ in self.types]

    def _number(self, rng: Random) -> int:
        if self.counts:
            return rng.randint(min(self.high, max(self.low, 0)), max(self.low, min(self.high, self.longest)))
        return rng.randint(self.low, self.high)

    def _list(self, rng: Random) -> list[int]:
        low, high = self.low, self.high
        if rng.random() < self.few:
            low = rng.randint(low, max(low, high - FEW + 1))
            high = min(high, low + FEW - 1)
        numbers = [rng.randint(low, high) for _ in range(rng.randint(self.shortest, self.longest))]
        return sorted(numbers) if rng.random() < self.ordered else numbers
