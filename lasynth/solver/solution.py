"""The result of `solve`: programs that satisfy every example, or the reason why there is none.

The fields have the same names in Python and in JSON; see docs/formats.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lasynth.domains import get_domain
from lasynth.solver.strategies import Candidate
from lasynth.task import Example


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that satisfies every example (or some of them, if it is a partial answer). Call it to run it."""

    program: Any
    """The syntax tree of the reduced program."""
    code: str
    """The text of the reduced program, formatted for reading, as the command prints it."""
    found: str
    """The text of the program as it was found. It has the same behaviour."""
    source: str
    """Which strategies found it: neural, symbolic, or `neural, symbolic`."""
    log_prob: float | None
    """Log-probability of the programs with this behaviour under the model; None if no model scored them."""
    tokens: int
    """Length of `code`, in tokens of the language."""
    length: float | None = None
    """Length of its description in nats; None if no strategy gave one."""
    confidence: float | None = None
    """Estimated probability that the program is right on unseen inputs.

    None for a partial answer, and in languages for which it was not measured.
    """
    language: str = "c"

    def __call__(self, value: Any) -> Any:
        """Run the program. InputError if the value is none of the language, ExecutionError if the program fails."""
        domain = get_domain(self.language)
        return domain.run(self.program, domain.check_value(value))

    def json(self) -> dict[str, Any]:
        names = ("code", "found", "source", "confidence", "log_prob", "length", "tokens")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Difference:
    """An input on which two programs disagree."""

    input: Any
    first: Any
    """Output of the first program; None if it fails."""
    second: Any

    def json(self, language: str) -> dict[str, Any]:
        domain = get_domain(language)
        values = {"input": self.input, "first": self.first, "second": self.second}
        return {name: None if value is None else domain.value_json(value) for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Solution:
    """The answers, the best first. They differ in behaviour."""

    programs: tuple[Answer, ...]
    seconds: float
    """Time of search and checks, without loading models and compiled code."""
    candidates: int
    """Number of programs that were executed."""
    reason: str | None
    """Why there is no answer; None if there is one."""
    partial: Answer | None = None
    """If there is no answer: the program that satisfies the most examples."""
    satisfied: int = 0
    """Number of examples that the first (or the partial) answer satisfies."""
    notes: tuple[str, ...] = ()
    """Why strategies could not take part."""
    others: int = 0
    """Number of other behaviours that were found and satisfy every example."""
    difference: Difference | None = None
    """A simple input on which the best two behaviours disagree; None if only one was found."""
    language: str = "c"
    examples: tuple[Example[Any], ...] = field(default=(), repr=False)
    behaviours: tuple[Candidate, ...] = field(default=(), repr=False)
    """A program for each behaviour that satisfies every example, the best first. Pass them on as `known`."""

    @property
    def solved(self) -> bool:
        return bool(self.programs)

    @property
    def best(self) -> Answer | None:
        """The first answer, if there is one."""
        return self.programs[0] if self.programs else None

    def json(self) -> dict[str, Any]:
        """The solution as JSON data; see docs/formats.md."""
        return {
            "solved": self.solved,
            "programs": [answer.json() for answer in self.programs],
            "others": self.others,
            "difference": None if self.difference is None else self.difference.json(self.language),
            "seconds": round(self.seconds, 4),
            "candidates": self.candidates,
            "reason": self.reason,
            "partial": None if self.partial is None else {**self.partial.json(), "satisfied": self.satisfied},
            "satisfied": self.satisfied,
            "notes": list(self.notes),
            "language": self.language,
        }

    def _repr_html_(self) -> str:
        from lasynth.solver.html import solution_html

        return solution_html(self)
