"""Random numbers inside compiled code: SplitMix64 on a state of one number, the same on every machine.

Numba's own generator is global to a thread; this one is passed around. Knows nothing of Karel.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.jit import compiled


def dice_from(rng: Random) -> NDArray[np.uint64]:
    """A state for the functions below, drawn from `rng`."""
    return np.array([rng.getrandbits(64)], dtype=np.uint64)


@compiled
def bits(dice: NDArray[np.uint64]) -> Any:
    """The next 64 random bits, as numpy's unsigned integer."""
    dice[0] += np.uint64(0x9E3779B97F4A7C15)
    z = dice[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def uniform(dice: NDArray[np.uint64]) -> float:
    """From 0 up to but not including 1."""
    return float(bits(dice) >> np.uint64(11)) * 2.0**-53


@compiled
def below(dice: NDArray[np.uint64], limit: int) -> int:
    """From 0 to limit - 1."""
    return int(uniform(dice) * limit)


@compiled
def choose(dice: NDArray[np.uint64], weights: NDArray[np.float64]) -> int:
    """An index, as often as its weight says."""
    left = uniform(dice) * weights.sum()
    for index in range(weights.size):
        left -= weights[index]
        if left < 0:
            return index
    return int(np.argmax(weights))
