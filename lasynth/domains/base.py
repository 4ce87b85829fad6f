"""What a domain is: a language, its values, an interpreter, a task sampler. The rest of the project knows no more than this.

A domain is one folder and one line in `DOMAINS`. Nothing here imports torch or pyarrow; a domain does so inside the
methods that need them, so that `lasynth run` starts at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lasynth.task import ExecutionError, P, Task, V
from lasynth.vocab import Vocab

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

O = TypeVar("O", contravariant=True)  # noqa: E741
"""A domain's generator options: a frozen dataclass whose fields become command-line options."""


@dataclass(frozen=True, slots=True)
class Step(Generic[V]):
    """One thing a running program did, and the value after it."""

    label: str
    value: V
    scalars: tuple[tuple[str, int], ...] = ()
    """Names and values of what the program keeps beside the value itself."""


@dataclass(frozen=True, slots=True)
class Trace(Generic[V]):
    """A whole run: what it started from, each step, and how it ended."""

    input: V
    steps: tuple[Step[V], ...]
    output: V | None
    """None if the run failed."""
    error: ExecutionError | None = None


class Explained(NamedTuple, Generic[P]):
    """A program for examples; it need not fit."""

    program: P
    length: float
    """Of its description, in nats."""
    after_all: bool = False
    """Whether there was time for the whole search for programs that fit all examples, and this one was found after it."""


class Syntax(Protocol):
    """Which lexemes may come next, for many unfinished programs at once: one row of numbers per program.

    Rows are plain arrays, so a search reorders them by indexing and knows nothing else of them.
    """

    def start(self, count: int) -> NDArray[np.int64]:
        """States of `count` empty programs. (N, S)"""

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Lexemes that keep each program extensible to a whole one. (N, vocabulary)"""

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """States after one more lexeme each, (N, S); a lexeme that is not allowed is a ValueError."""


class Domain(Protocol[P, V, O]):
    """A programming language with its values, behind one interface."""

    name: str
    suffix: str
    """Ending of this language's files, with the dot."""
    values_in_files: bool
    """Whether a person may give a command the name of a file instead of the text of a value."""
    options: type[Any]
    """Class of the generator's options."""
    categories: tuple[str, ...]
    vocab: Vocab
    syntax: Syntax
    statement_ends: NDArray[np.bool_]
    """(vocabulary,) whether a statement is complete with this lexeme."""
    nesting: NDArray[np.int64]
    """(vocabulary,) how many blocks this lexeme opens; -1 where it closes one."""

    distinct_splits: bool
    """Whether held-out splits shall by default hold no program of the training set."""

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> P:
        """The program that `text` holds. ParseError with line, column and a caret."""

    def text(self, program: P) -> str:
        """The exact text: `parse_text(text(p)) == p`."""

    def pretty(self, program: P) -> str:
        """The text to show a person: same behaviour, easier to read."""

    def parse(self, lexemes: Sequence[str]) -> P:
        """The program that the model's lexemes spell. ParseError."""

    def unparse(self, program: P) -> list[str]:
        """The model's lexemes of a canonical program: `parse(unparse(p)) == p`."""

    def canonical(self, program: P) -> P:
        """The one program that stands for all that differ from this one in names only."""

    def category(self, program: P) -> str: ...

    def length(self, program: P) -> int:
        """Tokens in the program's text."""

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> V:
        """An input as a person types it. InputError."""

    def random_values(self, rng: Random, count: int, like: V | None = None) -> list[V]:
        """Inputs as the generator draws them; of the size of `like` where that is given."""

    def check_value(self, value: object) -> V:
        """A value that comes from Python or from JSON, as the language has it. InputError."""

    def value_json(self, value: V) -> Any:
        """The value for machines."""

    def run(self, program: P, value: V) -> V:
        """The output. ExecutionError; never hangs."""

    def trace(self, program: P, value: V) -> Trace[V]:
        """The run step by step; an error ends the trace and is kept in it."""

    def show(self, trace: Trace[V], *, steps: bool) -> RenderableType:
        """The run for a person: input and output, or every step."""

    def run_many(self, programs: Sequence[P], values: Sequence[V]) -> list[list[V | None]]:
        """Every program on every value by the compiled machine; None where a run fails."""

    def reduce(self, program: P, values: Sequence[V]) -> P:
        """The smallest program that a greedy search finds with the same outcome on every value."""

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(self, rng: Random, count: int, options: O) -> tuple[list[Task[P, V]], Counter[str]]:
        """Exactly `count` tasks that pass the filters, and how often each thing happened on the way there."""

    def given(self, examples: int) -> int:
        """How many of a task's examples a synthesizer sees; the others are held out."""

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        """The splits that published files at `path` hold, and where; `split` is the one meant if they do not say."""

    def import_tasks(self, path: Path) -> Iterator[Task[P, V]]:
        """Tasks from files in the format that others published. ParseError or InputError with the file's name."""

    def behaviours(self, programs: Sequence[P], like: V) -> list[bytes]:
        """What each canonical program does on a fixed set of probes of the same size as `like`, digested to 8 bytes."""

    def arrow_type(self) -> pa.DataType:
        """How one value is stored in Parquet."""

    def to_arrow(self, value: V) -> Any: ...

    def from_arrow(self, stored: Any) -> V: ...

    def statistics(self, tasks: Iterable[Task[P, V]]) -> dict[str, Counter[str]]:
        """Distributions that describe a data set: name of the line -> how often each of its classes occurs."""

    def published(self) -> dict[str, dict[str, float]]:
        """The same lines as measured on public data, where there are such figures; else empty."""


AnyDomain = Domain[Any, Any, Any]
"""A language of which the caller knows neither programs nor values."""
