"""What a solver answers: programs that were executed on every example, or the reason why there is none. Knows no strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """A program that satisfies every example (a partial answer: some of them)."""

    program: Any
    """Its syntax tree, reduced."""
    code: str
    """As it was found."""
    concise: str
    """Reduced and laid out for a person; does the same."""
    source: str
    """Which strategies found it: neural, symbolic, or `neural, symbolic`."""
    log_prob: float | None
    """What the model thinks of all programs that behave so, whoever found them; None if no model could say."""
    tokens: int
    """Length of `concise`, in tokens of the language."""
    length: float | None = None
    """Of its description, in nats; None if no strategy described it."""

    def json(self) -> dict[str, Any]:
        names = ("code", "concise", "source", "log_prob", "tokens")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Solution:
    """The answers for some examples, best first; they differ in behaviour."""

    programs: tuple[Answer, ...]
    seconds: float
    """From the first candidate to the last check; loading a model or compiled code is not counted."""
    candidates: int
    """Programs that were executed."""
    reason: str | None
    """Why there is no answer; None if there is one."""
    partial: Answer | None = None
    """If there is no answer, the program that satisfies most examples."""
    satisfied: int = 0
    """How many examples the first (or the partial) answer satisfies."""
    notes: tuple[str, ...] = ()
    """What a user should know of the strategies that could not take part."""

    @property
    def solved(self) -> bool:
        return bool(self.programs)

    def json(self) -> dict[str, Any]:
        """The solution for machines; see docs/formats.md."""
        return {
            "solved": self.solved,
            "programs": [answer.json() for answer in self.programs],
            "seconds": round(self.seconds, 4),
            "candidates": self.candidates,
            "reason": self.reason,
            "partial": None if self.partial is None else {**self.partial.json(), "satisfied": self.satisfied},
            "notes": list(self.notes),
        }
