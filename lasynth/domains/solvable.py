"""What a domain offers besides if `lasynth solve` works for its language. Knows no strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.base import AnyDomain, Explained
from lasynth.task import Example, InputError, P, V


@runtime_checkable
class Solvable(Protocol[P, V]):
    """A language with a symbolic strategy and with values that can be compared."""

    def check_example(self, example: Example[V], first: Example[V]) -> None:
        """InputError if no program could do that, or if it does not go with the first example."""

    def explained(self, examples: Sequence[Example[V]], deadline: float) -> Iterator[Explained[P]]:
        """Programs for the examples, the shortest description first; then, if none fits, programs for some of the examples.

        The deadline is of `time.perf_counter`.
        """

    def probes(self, rng: Random, count: int, examples: Sequence[Example[V]]) -> list[V]:
        """Inputs that tell programs apart, like those of the examples."""

    def tester(self, examples: Sequence[Example[V]]) -> Callable[[P], NDArray[np.bool_]]:
        """Says of a program which of the examples it satisfies. They are made ready once, for many programs. (K,)"""

    def alike(self, values: Sequence[V], examples: Sequence[Example[V]]) -> list[bool]:
        """Which inputs do not go beyond those of the examples."""

    def standalone(self, program: P, examples: Sequence[Example[V]]) -> str:
        """A file in the language itself with the program and a test of every example."""


def solvable(domain: AnyDomain) -> Solvable[Any, Any]:
    """The domain with all that the solver needs of it. InputError for a language that has none yet."""
    if not isinstance(domain, Solvable):
        raise InputError(f"`lasynth solve` does not know the language `{domain.name}` yet")
    return domain
