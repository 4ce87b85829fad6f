"""The additional methods of a domain whose language `solve` supports."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.base import AnyDomain, Explained, Given
from lasynth.task import Example, InputError, P, V


@runtime_checkable
class Solvable(Protocol[P, V]):
    """A domain with a symbolic strategy and values that can be compared."""

    def check_example(self, example: Example[V], first: Example[V]) -> None:
        """InputError if no program can satisfy the example, or if it does not fit together with the first one."""

    def explained(self, examples: Sequence[Example[V]], deadline: float) -> Iterator[Explained[P]]:
        """Programs for the examples, the shortest description first. If there are none, programs for some of them.

        The deadline is a time of `time.perf_counter`.
        """

    def probes(self, rng: Random, count: int, examples: Sequence[Example[V]]) -> list[V]:
        """Random inputs similar to those of the examples, to tell programs apart."""

    def tester(self, examples: Sequence[Example[V]]) -> Callable[[P], NDArray[np.bool_]]:
        """A function that says which examples a program satisfies, (K,). Examples are prepared once."""

    def alike(self, values: Sequence[V], examples: Sequence[Example[V]]) -> list[bool]:
        """Which inputs stay within the range of the inputs of the examples."""

    def standalone(self, program: P, examples: Sequence[Example[V]]) -> str:
        """The text of a complete source file with the program and a test of every example."""


@runtime_checkable
class Simplifying(Protocol[V]):
    """A domain that can make an input easier to read. Optional for `solve`."""

    def simpler(self, value: V, examples: Sequence[Example[V]]) -> Iterator[V]:
        """Inputs that are simpler by one step and within the range of the inputs of the examples."""


@runtime_checkable
class Comparing(Protocol):
    """A domain that compares programs faster than by their outputs. Optional for `solve`."""

    def comparer(self, values: Sequence[Any]) -> Callable[[Any], Hashable]:
        """A function that gives the same for programs with the same outcomes on all values, failures included."""


@runtime_checkable
class Guidable(Protocol[P, V]):
    """A domain whose own search can use what a model proposes. Optional for `solve`."""

    most_lexemes: int
    """Longest programs that a model is asked for."""

    def guided(
        self, examples: Sequence[Example[V]], hints: Sequence[tuple[Sequence[str], float]], deadline: float
    ) -> Iterator[Explained[P]]:
        """As `Solvable.explained`, with hints: lexemes of unfinished programs, with logarithms of their weights."""

    def described(self, program: P, examples: Sequence[Example[V]]) -> Explained[P]:
        """A program of a model as the domain's own search would propose it: its inputs have the names that the examples
        give them."""


@runtime_checkable
class Reading(Protocol[V]):
    """A domain whose examples are not written as lines of text. Optional for `solve`."""

    def read_given(self, text: str, name: str) -> Given[V]:
        """The examples in a text. InputError that begins with the name and the place."""


@runtime_checkable
class Drawing(Protocol[V]):
    """A domain whose values are shown as pictures. Optional for `solve`."""

    def drawn(self, value: V) -> str:
        """A picture of characters, in several lines."""

    def examples_picture(self, examples: Sequence[Example[V]]) -> str:
        """All examples from input to output, as SVG."""


@runtime_checkable
class Parted(Protocol):
    """A domain whose values have other parts than their JSON shows. Optional for `solve`."""

    def parts(self, value: Any) -> list[Any]:
        """The parts of a value, such as the cells of a world. The confidence counts those that change."""


@dataclass(frozen=True)
class Calibration:
    """How sure answers in a language are, and how its strategies work together; see `solver/confidence.py`."""

    weights: dict[str, float]
    """Weights of facts about a search, in nats. Empty if the confidence was not measured."""
    fair_shares: bool = False
    """Whether no answer is likelier than its share among all behaviours that fit: scores are lengths in nats, so a
    behaviour whose score is larger by x weighs exp(-x)."""
    memorising: bool = False
    """Whether long programs were found to be memorising the examples, so that they are no answers."""
    prior: float = 0.0
    """Weight of the model's log-probability beside the length of the description when answers are ranked. With 0, the
    model orders only the behaviours that it alone has found."""
    sure: float = 0.5
    """The model is not asked if the answer of the symbolic strategy has at least this confidence."""
    first_share: float = 0.5
    """Share of the time for the symbolic strategy if the model can be asked after it."""


@cache
def calibration(language: type) -> Calibration:
    """What `confidence.json` beside the module of a domain's class says; the defaults if there is no such file."""
    file = Path(inspect.getfile(language)).with_name("confidence.json")
    return Calibration(**json.loads(file.read_text())) if file.exists() else Calibration({})


def solvable(domain: AnyDomain) -> Solvable[Any, Any]:
    """The domain, typed as Solvable. InputError if `solve` does not support the language yet."""
    if not isinstance(domain, Solvable):
        raise InputError(f"`solve` does not support the language `{domain.name}` yet")
    return domain
