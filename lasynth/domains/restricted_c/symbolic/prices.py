"""Costs of sums and conditions, and a table of the cheapest sums for any subset of a task's examples."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from lasynth.domains.restricted_c.symbolic import sums
from lasynth.domains.restricted_c.symbolic.explanations import FEATURES, OF_CONDITIONS, OF_SUMS
from lasynth.domains.restricted_c.symbolic.sums import (
    Best,
    Floats,
    FormCosts,
    Forms,
    Ints,
    Questions,
    Sum,
    cheapest,
    form_costs,
    forms,
)
from lasynth.domains.restricted_c.symbolic.weights import WEIGHTS

Mask: TypeAlias = int
"""A subset of the examples, as bits."""
CHUNK = 2_000_000
"""Comparisons of a form with an example between two checks of the deadline. They take a few milliseconds."""


@dataclass(frozen=True)
class Costs:
    """The weights of FEATURES, grouped by what they apply to."""

    weights: Floats

    @property
    def of_sums(self) -> Floats:
        return self.weights[OF_SUMS]

    @property
    def of_constants(self) -> Floats:
        return self.of_sums[-sums.OF_CONSTANT :]

    @property
    def of_conditions(self) -> Floats:
        return self.weights[OF_CONDITIONS]

    def of(self, feature: str) -> float:
        return float(self.weights[FEATURES.index(feature)])


def costs_of(weights: Mapping[str, float]) -> Costs:
    return Costs(np.array([weights[name] for name in FEATURES]))


COSTS = costs_of(WEIGHTS)


@lru_cache(maxsize=8)
def _priced_forms(length: int, weights: bytes) -> tuple[Forms, FormCosts]:
    made = forms(length)
    return made, form_costs(made.codes, np.frombuffer(weights))


class Late(Exception):
    """The deadline has passed."""


def has_passed(deadline: float) -> bool:
    return time.perf_counter() > deadline


def look_at_clock(deadline: float) -> None:
    """Raise Late if the deadline has passed."""
    if has_passed(deadline):
        raise Late


class PriceTable:
    """The cheapest sums for pairs of a subset of the examples and a position, computed for many pairs at a time."""

    def __init__(self, inputs: Ints, expected: Ints, deadline: float, costs: Costs) -> None:
        self.deadline = deadline
        self.forms, self.form_costs = _priced_forms(inputs.shape[1], costs.of_sums.tobytes())
        self.values, self.expected, self.costs = self.forms.values(inputs), expected, costs
        self.rows: dict[tuple[Mask, int], tuple[Best, int]] = {}

    def fill(self, wanted: list[tuple[Mask, int]]) -> None:
        """Compute the wanted rows that are missing. Raises Late if there is no time for all of them."""
        new = [key for key in dict.fromkeys(wanted) if key not in self.rows]
        size = max(1, CHUNK // self.values.shape[1])
        for begin in range(0, len(new), size):
            look_at_clock(self.deadline)
            self.compute(new[begin : begin + size])

    def compute(self, new: list[tuple[Mask, int]]) -> None:
        """Compute rows without a look at the deadline."""
        masks = list(dict.fromkeys(mask for mask, _ in new))
        examples = (np.array(masks, object)[:, None] >> np.arange(len(self.expected)) & 1).astype(np.bool_)
        number = {mask: i for i, mask in enumerate(masks)}
        asked = Questions(examples, np.array([number[m] for m, _ in new]), np.array([p for _, p in new]))
        best = cheapest(self.values, self.expected, asked, self.form_costs, self.costs.of_constants)
        self.rows.update({key: (best, q) for q, key in enumerate(new)})

    def price(self, mask: Mask, position: int, rank: int = 0) -> float:
        """Cost of the sum with this rank: NONE if no sum fits, 0 if the mask is empty."""
        if not mask:
            return 0.0
        best, q = self.rows[mask, position]
        return float(best.cost[q, rank])

    def prices(self, mask: Mask, positions: list[int]) -> Floats:
        return np.array([self.price(mask, p) for p in positions])

    def sum_at(self, mask: Mask, position: int, rank: int = 0) -> Sum:
        best, q = self.rows[mask, position]
        return self.forms.sum_at(int(best.form[q, rank]), int(best.constant[q, rank]))
