"""What every part of the project speaks about: examples, tasks, and the ways in which a program can be wrong.

Knows no language, no file format and no network.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")
"""A program's syntax tree."""
V = TypeVar("V")
"""One input or output value: a list of integers, a Karel world."""


@dataclass(frozen=True, slots=True)
class Example(Generic[V]):
    """One input and the output that the wanted program gives for it."""

    input: V
    output: V


@dataclass(frozen=True, slots=True)
class Task(Generic[P, V]):
    """A program with examples of what it does. The first ones are given to a synthesizer, the rest is held out."""

    program: P
    examples: tuple[Example[V], ...]
    category: str
    """Which control flow the program uses, in the words of the paper's figures: Seq-only, Mixture, ..."""
    tokens: int
    """Length of the program's text in tokens of its own language (not in the model's lexemes)."""
    source: str
    """Where the program comes from: native, csmith, authors, public."""


class ParseError(ValueError):
    """Text that is not a program of the language; its message shows the line with a caret under the culprit."""

    def __init__(self, message: str, text: str = "", offset: int | None = None) -> None:
        self.reason = message
        self.line = self.column = None
        if offset is not None:
            self.line = text.count("\n", 0, offset) + 1
            start = text.rfind("\n", 0, offset) + 1
            self.column = offset - start + 1
            message = f"line {self.line}, column {self.column}: {message}\n{_excerpt(text, start, offset)}"
        super().__init__(message)


def _excerpt(text: str, start: int, offset: int, width: int = 100) -> str:
    """The line that holds `offset`, cut to `width` characters around it, with a caret below."""
    left = max(start, offset - width // 2)
    end = text.find("\n", offset)
    line = text[left : min(left + width, len(text) if end < 0 else end)]
    shown = "".join(c if c.isprintable() else " " for c in line)
    return f"    {shown}\n    {' ' * (offset - left)}^"


class InputError(ValueError):
    """An input value that cannot be read or that no program of the language could take."""


class ExecutionError(RuntimeError):
    """A run that has no result: the program did something the language does not define."""


class StepLimit(ExecutionError):
    """A run that was stopped because it took too many steps."""
