"""Examples, tasks and errors: the types that all parts of the project share.

Independent of languages, file formats and networks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")
"""A program's syntax tree."""
V = TypeVar("V")
"""One input or output value: a list of integers, a Karel world."""


@dataclass(frozen=True, slots=True)
class Example(Generic[V]):
    """An input and the output that the program must give for it."""

    input: V
    output: V


@dataclass(frozen=True, slots=True)
class Task(Generic[P, V]):
    """A program with examples of what it does. A synthesizer sees the first ones; the rest are held out."""

    program: P
    examples: tuple[Example[V], ...]
    category: str
    """The control flow of the program, named as in the figures of the paper: Seq-only, Mixture, ..."""
    tokens: int
    """Length of the program's text in tokens of its language (not in lexemes of the model)."""
    source: str
    """The origin of the program: native, csmith, authors, public."""


class ParseError(ValueError):
    """The text is not a program of the language. The message shows the line with a caret under the error."""

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
    """An input, a file or a setting that cannot be used. The message is for the user.

    `drawn` is the message for a user who gave pictures: it also says where they have the fault.
    """

    def __init__(self, message: str = "", in_picture: str = "") -> None:
        super().__init__(message)
        self.drawn = f"{message} ({in_picture} of the picture)" if in_picture else message


class Occupied(InputError):
    """A folder that should be new and already holds something."""


class Diverged(RuntimeError):
    """A training whose loss, or a model whose output, is no longer a number."""


class OutOfMemory(RuntimeError):
    """There is not enough memory for the work. The message says what could be made smaller."""


class WorkerDied(RuntimeError):
    """A process that did part of the work ended too early: killed, out of memory, or by an unexpected error."""


def lacks_memory(error: BaseException) -> bool:
    """Whether an error of Python or torch means that memory ran out. Torch has no type of its own for it on the CPU."""
    return isinstance(error, MemoryError) or any(
        words in str(error) for words in ("can't allocate memory", "out of memory")
    )


@contextmanager
def enough_memory(work: str) -> Iterator[None]:
    """Turn a lack of memory into OutOfMemory. `work` says what the memory is for."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if lacks_memory(error):
            raise OutOfMemory(f"there is not enough memory {work}") from error
        raise


class ExecutionError(RuntimeError):
    """A run without a result: the program did something that the language does not define."""


class StepLimit(ExecutionError):
    """A run that was stopped because it took too many steps."""
