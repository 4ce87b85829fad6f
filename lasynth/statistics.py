"""Comparing distributions over named classes. Knows neither programs nor languages: only class names and weights."""

from __future__ import annotations

from collections.abc import Mapping


def normalise(counts: Mapping[str, float]) -> dict[str, float]:
    """The share of each class, in the order given; empty where nothing was counted."""
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()} if total else {}


def total_variation(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Half the sum of absolute differences between the shares: 0 for equal distributions, 1 for disjoint ones.

    Counts and shares may be mixed: both sides are normalised here. Nothing at all is as far as can be from something.
    """
    left, right = normalise(a), normalise(b)
    if not left or not right:
        return float(bool(left) != bool(right))
    return sum(abs(left.get(name, 0.0) - right.get(name, 0.0)) for name in {**left, **right}) / 2
