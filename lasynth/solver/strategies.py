"""The small interface behind which all ways to find programs stand, and the strategy that needs no learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.task import Example

Examples = Sequence[Example[Any]]


class Candidate(NamedTuple):
    """A program that a strategy proposes. Whether it fits is not known yet."""

    program: Any
    source: str
    """Name of the strategy."""
    length: float | None = None
    """Of its description, in nats, if the strategy describes."""
    log_prob: float | None = None
    """If the strategy has learned."""
    tried: int = 0
    """Other programs that the strategy executed, and found wanting, before it proposed this one."""
    after_all: bool = False
    """Whether the strategy has ended its search for what satisfies all examples, and proposes what may satisfy some."""


class Strategy(Protocol):
    """A way to find programs."""

    name: str

    def refusal(self, examples: Examples) -> str | None:
        """Why it can do nothing for these examples; None if it can."""

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        """Proposals as they are found, until the deadline (of `time.perf_counter`), which may pass between two of them."""


@runtime_checkable
class Judging(Protocol):
    """What a strategy offers besides if it can tell how likely the programs of others are."""

    def log_probs(self, programs: Sequence[Any], examples: Examples) -> list[float | None]:
        """None for a program that it cannot judge."""


@dataclass(frozen=True)
class Symbolic:
    """Simplest explanations first; see the language's own module."""

    domain: AnyDomain
    name = "symbolic"

    def refusal(self, examples: Examples) -> str | None:
        return None

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        for program, length, after_all in solvable(self.domain).explained(examples, deadline):
            yield Candidate(program, self.name, length=length, after_all=after_all)
