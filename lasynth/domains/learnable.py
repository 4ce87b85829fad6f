"""What a domain adds if its language has neural models: values and programs as arrays, and networks.

The letters of shapes are those of `lasynth.models.base`. `*` stands for the trailing axes of one value. They belong to
the language: (L,) for lists, other axes for grids. No code outside the domain looks at them.
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
"""Says which hypotheses cannot become a right program. Takes their tasks and lexemes. (N,), (N, t) -> (N,)"""


class Values(Protocol):
    """A language's values as arrays."""

    def read(self, column: Any) -> Array:
        """Convert an Arrow column of inputs or outputs. InputError if the values do not fit in one array. (N, K, *)"""

    def pack(self, values: Sequence[Any]) -> Array:
        """Convert Python values of one task. (n, *)"""

    def same(self, one: Array, other: Array) -> Flags:
        """Which values are equal, over all trailing axes. (..., *), (..., *) -> (...)"""

    def refusal(self, config: ValueConfig, values: Array) -> str | None:
        """The reason why a model with this config cannot take these values; None if it can. (..., *)"""

    def inside(self, config: ValueConfig, values: Array) -> Flags:
        """Which values a model with this config can represent exactly. (..., *) -> (...)"""

    def sample(self, config: ValueConfig) -> Array:
        """Any value that a model with this config can take. (*)"""


class Runs(NamedTuple):
    """P programs, each run on the K inputs of a task."""

    outputs: Array
    """(P, K, *); undefined where a run has no output."""
    fine: Flags
    """(P, K): the run ended without a fault."""
    programs: Flags
    """(P,): the lexemes are a program of the language."""


class States(NamedTuple):
    """Values at the statement ends of B programs; S is the largest number of them."""

    values: Array
    """(B, S, K, *); undefined where there is no value."""
    valid: Flags
    """(B, S, K): the statement exists, and the run up to it has no fault."""


class Flow(NamedTuple):
    """How lexemes direct a run, for models that imagine runs. All but `deepest` are (V,)."""

    acts: Flags
    """Completes a statement that may change the value: an action, or the end of a loop."""
    opens: Flags
    """Opens a block."""
    tests: Flags
    """Says which inputs enter the block that was just opened."""
    switches: Flags
    """Begins the other branch of the innermost block."""
    closes: Flags
    """Closes the innermost block."""
    deepest: int
    """Largest number of open blocks."""


class Machine(Protocol):
    """A language's programs as rows of lexeme numbers, and the compiled machine that runs them."""

    alike: Flags
    """(V, V): which lexemes can replace which, to make mistakes."""

    def run(self, tokens: Array, inputs: Array, group: NDArray[np.int64]) -> Runs:
        """Run program p on inputs[group[p]]. A program ends at its EOS. (P, T), (G, K, *), (P,)"""

    def states(self, tokens: Array, inputs: Array) -> States:
        """Run programs up to each of their statement ends, with open blocks closed there. (B, T), (B, K, *)"""

    def last_state(self, tokens: Array, inputs: Array) -> Array:
        """The value after prefixes that end with a statement. (B, T), (B, K, *) -> (B, K, *)"""

    def reaching(self, tokens: Array, inputs: Array, begin: int) -> Flags:
        """Which inputs reach the place of the next lexeme, after each lexeme of a prefix from `begin` on.

        Inside a branch, these are the inputs that take it. (B, T), (B, K, *) -> (B, K, T - begin)
        """

    can_fail: bool
    """Whether a prefix can fail in a way that no continuation can avoid."""

    def failed(self, tokens: Array, inputs: Array) -> Flags:
        """Which prefixes fail on one of their inputs, whatever follows. A search can drop them.

        (B, T), (B, K, *) -> (B,)
        """


class Baseline(Protocol):
    """A solver without learning. It predicts outputs and writes no program."""

    def __call__(self, inputs: Array, outputs: Array, new_inputs: Array) -> tuple[Array, Flags]:
        """Predict outputs for new inputs, and say which tasks have an answer.

        (B, K, *), (B, K, *), (B, Q, *) -> (B, Q, *), (B,)
        """


@runtime_checkable
class Learnable(Protocol):
    """A language with models."""

    def values(self) -> Values: ...

    def machine(self) -> Machine: ...

    def rows(self, preset: str) -> Mapping[str, ModelConfig]:
        """The models that can be trained, by row, in the size of a preset (`lasynth.config.PRESETS`)."""

    def value_config(self, options: Mapping[str, Any]) -> ValueConfig:
        """The part of a model's config that a data set with these options decides. InputError.

        Options that are missing have the usual value of the language.
        """

    def networks(self, config: ModelConfig) -> Any:
        """New networks, e.g. `lasynth.models.networks.Networks`. Draws from torch's global random numbers."""

    def baselines(self) -> Mapping[str, Baseline]:
        """Baselines by the names of their rows in a table."""

    def groups(self, inputs: Array, outputs: Array) -> dict[str, dict[str, Flags]]:
        """The language's own ways to group tasks: kind of groups -> name of the group -> its tasks.

        (B, K, *), (B, K, *) -> (B,) for each group
        """


def learnable(domain: AnyDomain) -> Learnable:
    """The domain as one with models. InputError for a language without models."""
    if not isinstance(domain, Learnable):
        raise InputError(f"there are no models of the language `{domain.name}` yet")
    return domain
