"""Distributions over named classes and the distance between two of them."""

from __future__ import annotations

from collections.abc import Mapping


def normalise(counts: Mapping[str, float]) -> dict[str, float]:
    """The share of each class, in the given order; empty if the counts sum to 0."""
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()} if total else {}


def total_variation(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Half the sum of absolute differences between the shares: 0 for equal distributions, 1 for disjoint ones.

    Both sides are normalised here, so counts and shares may be mixed. An empty distribution has distance 1 from any
    other one, and 0 from another empty one.
    """
    left, right = normalise(a), normalise(b)
    if not left or not right:
        return float(bool(left) != bool(right))
    return sum(abs(left.get(name, 0.0) - right.get(name, 0.0)) for name in {**left, **right}) / 2
