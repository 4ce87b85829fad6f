"""The result of `solve`: programs that satisfy every example, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that satisfies every example (or some of them, if it is a partial answer)."""

    program: Any
    """The syntax tree of the reduced program."""
    code: str
    """The text of the program as it was found."""
    concise: str
    """The text of the reduced program, formatted for reading. It has the same behaviour."""
    source: str
    """Which strategies found it: neural, symbolic, or `neural, symbolic`."""
    log_prob: float | None
    """Log-probability of the programs with this behaviour under the model; None if no model could score them."""
    tokens: int
    """Length of `concise`, in tokens of the language."""
    length: float | None = None
    """Length of its description in nats; None if no strategy gave one."""

    def json(self) -> dict[str, Any]:
        names = ("code", "concise", "source", "log_prob", "tokens")
        return {name: getattr(self, name) for name in names}


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

    @property
    def solved(self) -> bool:
        return bool(self.programs)

    def json(self) -> dict[str, Any]:
        """The solution as JSON data; see docs/formats.md."""
        return {
            "solved": self.solved,
            "programs": [answer.json() for answer in self.programs],
            "seconds": round(self.seconds, 4),
            "candidates": self.candidates,
            "reason": self.reason,
            "partial": None if self.partial is None else {**self.partial.json(), "satisfied": self.satisfied},
            "notes": list(self.notes),
        }
