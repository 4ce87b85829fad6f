"""Random numbers for compiled code: SplitMix64, whose state is one number. Every machine draws the same numbers.

Numba's own generator is global to a thread; here the caller passes the state. This module knows nothing about Karel.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.jit import compiled


def dice_from(rng: Random) -> NDArray[np.uint64]:
    """A random state for the functions below, drawn from `rng`. (1,)"""
    return np.array([rng.getrandbits(64)], dtype=np.uint64)


@compiled
def bits(dice: NDArray[np.uint64]) -> Any:
    """Draw 64 random bits, as an unsigned integer of numpy."""
    dice[0] += np.uint64(0x9E3779B97F4A7C15)
    z = dice[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def uniform(dice: NDArray[np.uint64]) -> float:
    """Draw a number from 0 (included) to 1 (excluded)."""
    return float(bits(dice) >> np.uint64(11)) * 2.0**-53


@compiled
def below(dice: NDArray[np.uint64], limit: int) -> int:
    """Draw an integer from 0 to limit - 1."""
    return int(uniform(dice) * limit)


@compiled
def choose(dice: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    """Draw an index with a probability proportional to its weight."""
    left = uniform(dice) * weights.sum()
    for index in range(weights.size):
        left -= weights[index]
        if left < 0:
            return index
    return int(np.argmax(weights))
