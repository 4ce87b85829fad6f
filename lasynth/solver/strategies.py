"""The interface of a strategy, which is a way to find programs, and the strategy that needs no learning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.task import Example

Examples = Sequence[Example[Any]]


class Candidate(NamedTuple):
    """A program that a strategy proposes. The solver checks it."""

    program: Any
    source: str
    """Name of the strategy."""
    length: float | None = None
    """Length of its description in nats, if the strategy gives one."""
    log_prob: float | None = None
    """Log-probability, if the strategy has a model."""
    tried: int = 0
    """Number of other programs that the strategy executed and rejected before it proposed this one."""
    after_all: bool = False
    """Whether the strategy has finished its search for all examples, and now proposes programs for some of them."""
    language: str | None = None
    """Language of the program, if it comes from an earlier search."""


class Strategy(Protocol):
    """A way to find programs."""

    name: str

    def refusal(self, examples: Examples) -> str | None:
        """Why the strategy cannot work with these examples; None if it can."""

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        """Yield candidates until the deadline, a time of `time.perf_counter`. It may pass between two candidates."""


@runtime_checkable
class Judging(Protocol):
    """A strategy that can also score programs of other strategies."""

    def log_probs(self, programs: Sequence[Any], examples: Examples) -> list[float | None]:
        """The log-probability of each program; None if the strategy cannot score it."""


@dataclass(frozen=True)
class Symbolic:
    """The strategy of the language itself: simplest explanations first; see `Solvable.explained`."""

    domain: AnyDomain
    name = "symbolic"

    def refusal(self, examples: Examples) -> str | None:
        return None

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        for program, length, after_all in solvable(self.domain).explained(examples, deadline):
            yield Candidate(program, self.name, length=length, after_all=after_all)
