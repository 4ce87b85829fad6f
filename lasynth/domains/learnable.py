"""What a domain offers besides if there are neural models of its language: values and programs as arrays, and networks.

Letters for shapes are those of `lasynth.models.base`. `*` stands for the trailing axes of one value, which are the language's
own: (L,) for lists, something else for grids. Nobody outside of the language looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ModelConfig, ValueConfig
from lasynth.domains.base import AnyDomain
from lasynth.task import InputError

Array = NDArray[Any]
Flags = NDArray[np.bool_]
Hopeless = Callable[[NDArray[np.int64], NDArray[np.int16]], NDArray[np.bool_]]
"""Returns which hypotheses no program can begin with that is right: their tasks and lexemes. (N,), (N, t) -> (N,)"""


class Values(Protocol):
    """A language's values as arrays."""

    def read(self, column: Any) -> Array:
        """An Arrow column of the examples' inputs or outputs. InputError if its values do not fit into one array.
        (N, K, *)"""

    def pack(self, values: Sequence[Any]) -> Array:
        """Python values of one task. (n, *)"""

    def same(self, one: Array, other: Array) -> Flags:
        """Which values are equal, over all trailing axes. (..., *), (..., *) -> (...)"""

    def refusal(self, config: ValueConfig, values: Array) -> str | None:
        """In words, why a model with this config cannot take these values; None if it can. (..., *)"""

    def inside(self, config: ValueConfig, values: Array) -> Flags:
        """Which values a model with this config can represent exactly. (..., *) -> (...)"""

    def sample(self, config: ValueConfig) -> Array:
        """Some value that a model with this config takes. (*)"""


class Runs(NamedTuple):
    """P programs, each run on the K inputs of a task."""

    outputs: Array
    """(P, K, *); anything where a run has no output."""
    fine: Flags
    """(P, K): the run ended without a fault."""
    programs: Flags
    """(P,): the lexemes are a program of the language."""


class States(NamedTuple):
    """Values at the statement ends of B programs; S is the largest number of them."""

    values: Array
    """(B, S, K, *); anything where there is no value."""
    valid: Flags
    """(B, S, K): the statement exists, and the run up to it is without a fault."""


class Machine(Protocol):
    """A language's programs as rows of lexeme numbers, and the compiled machine that runs them."""

    alike: Flags
    """(V, V): which lexemes can stand in for which, for mistakes."""

    def run(self, tokens: Array, inputs: Array, group: NDArray[np.int64]) -> Runs:
        """Run program p on inputs[group[p]]. A program ends at its EOS. (P, T), (G, K, *), (P,)"""

    def states(self, tokens: Array, inputs: Array) -> States:
        """Run programs up to each of their statement ends, with open blocks closed there. (B, T), (B, K, *)"""

    def last_state(self, tokens: Array, inputs: Array) -> Array:
        """The value at the last lexeme of prefixes that end with a statement. (B, T), (B, K, *) -> (B, K, *)"""

    def reaching(self, tokens: Array, inputs: Array, begin: int) -> Flags:
        """Which inputs come to the place that is being written after each lexeme of a prefix, from lexeme `begin` on: inside a
        branch, those that take it. (B, T), (B, K, *) -> (B, K, T - begin)"""

    can_fail: bool
    """Whether a prefix can fail for good, whatever follows."""

    def failed(self, tokens: Array, inputs: Array) -> Flags:
        """Which prefixes fail for good on one of their inputs; a search can drop them. (B, T), (B, K, *) -> (B,)"""


class Baseline(Protocol):
    """A solver without learning. It answers with outputs, not with a program."""

    def __call__(self, inputs: Array, outputs: Array, new_inputs: Array) -> tuple[Array, Flags]:
        """Outputs for new inputs, and the tasks for which it has an answer.

        (B, K, *), (B, K, *), (B, Q, *) -> (B, Q, *), (B,)
        """


@runtime_checkable
class Learnable(Protocol):
    """A language with models."""

    def values(self) -> Values: ...

    def machine(self) -> Machine: ...

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        """The models that can be trained, by the names of their rows, at the size of a preset (`lasynth.config.PRESETS`)."""

    def value_config(self, options: Mapping[str, Any]) -> ValueConfig:
        """What a data set that was made with these options decides of a model. Options that are missing have the language's
        usual value. InputError."""

    def networks(self, config: ModelConfig) -> Any:
        """New networks, `lasynth.models.networks.Networks`. Draws from torch's random numbers."""

    def baselines(self) -> Mapping[str, Baseline]:
        """By the name of their row in a table."""

    def groups(self, inputs: Array, outputs: Array) -> dict[str, dict[str, Flags]]:
        """The language's own ways to split tasks: name of the split -> name of the group -> its tasks.

        (B, K, *), (B, K, *) -> (B,) for each group
        """


def learnable(domain: AnyDomain) -> Learnable:
    """The domain with all that models need of it. InputError for a language without models."""
    if not isinstance(domain, Learnable):
        raise InputError(f"there are no models of the language `{domain.name}` yet")
    return domain
