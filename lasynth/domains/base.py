"""What a domain is: a language, its values, an interpreter and a task sampler. The rest of the project uses only this.

A domain is one folder and one line in `DOMAINS`. Nothing here imports torch or pyarrow; a domain does so inside the
methods that need them, so that `lasynth run` starts at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lasynth.task import Example, ExecutionError, P, Task, V
from lasynth.vocab import Vocab

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType

O = TypeVar("O", contravariant=True)  # noqa: E741
"""A domain's generator options: a frozen dataclass whose fields become command-line options."""


@dataclass(frozen=True, slots=True)
class Step(Generic[V]):
    """One action of a running program, and the value after it."""

    label: str
    value: V
    scalars: tuple[tuple[str, int], ...] = ()
    """Names and values of the program's variables besides the value itself."""


@dataclass(frozen=True, slots=True)
class Trace(Generic[V]):
    """A whole run: its input, each step, and how it ended."""

    input: V
    steps: tuple[Step[V], ...]
    output: V | None
    """None if the run failed."""
    error: ExecutionError | None = None


class Explained(NamedTuple, Generic[P]):
    """A program proposed for examples. It need not fit them."""

    program: P
    length: float
    """Description length of the program, in nats."""
    after_all: bool = False
    """Whether the search for programs that fit all examples was complete, in time, before this one was proposed."""


class Given(NamedTuple, Generic[V]):
    """The examples of a task, as a person or a data set gives them."""

    examples: list[Example[V]]
    places: list[str]
    """Where each example and each check stands, for messages."""
    checks: list[Example[V]]
    """Examples that the search does not see. The answer is tested on them."""
    drawn: bool = False
    """Whether the values are given as pictures, so that messages say where a picture has the fault."""


class Reduction(NamedTuple, Generic[P]):
    """A smaller program, and on what grounds it is said to do the same."""

    program: P
    compared: int
    """Number of inputs on which outcomes were compared."""
    failed: int
    """Inputs among them on which both programs fail."""
    proved: bool = False
    """Whether a proof shows that the outcomes are the same on every input of the size in question."""
    unreached: bool = False
    """Whether nothing was cut because no input was found that reaches some of the code."""


class Syntax(Protocol):
    """Which lexemes may come next, for many unfinished programs at once: one row of numbers per program.

    Rows are plain arrays. A search only reorders them by indexing.
    """

    def start(self, count: int) -> NDArray[np.int64]:
        """States of `count` empty programs. (N, S)"""

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Lexemes that keep each program extensible to a whole one. (N, vocabulary)"""

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        """States after one more lexeme each, (N, S). ValueError for a lexeme that is not allowed."""


class Domain(Protocol[P, V, O]):
    """A programming language with its values, behind one interface."""

    name: str
    suffix: str
    """Ending of this language's files, with the dot."""
    values_in_files: bool
    """Whether commands accept the name of a file in place of the text of a value."""
    options: type[Any]
    """Class of the generator's options."""
    vocab: Vocab
    statement_ends: NDArray[np.bool_]
    """(vocabulary,) whether this lexeme ends a statement."""
    nesting: NDArray[np.int64]
    """(vocabulary,) how many blocks this lexeme opens; -1 if it closes one."""

    distinct_splits: bool
    """Whether held-out splits by default hold no program of the training set."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the kinds of programs that `category` tells apart, in the order in which tables show them."""

    @property
    def syntax(self) -> Syntax: ...

    # --- text, lexemes and trees -------------------------------------------------------------------------------
    def parse_text(self, text: str) -> P:
        """Parse a program. ParseError with line, column and a caret."""

    def text(self, program: P) -> str:
        """The exact text: `parse_text(text(p)) == p`."""

    def pretty(self, program: P) -> str:
        """The text to show a person: same behaviour, easier to read."""

    def parse(self, lexemes: Sequence[str]) -> P:
        """The program that these lexemes of a model spell. ParseError."""

    def unparse(self, program: P) -> list[str]:
        """The model's lexemes of a canonical program: `parse(unparse(p)) == p`."""

    def canonical(self, program: P) -> P:
        """The normal form, which is the same for all programs that differ only in names."""

    def category(self, program: P) -> str: ...

    def length(self, program: P) -> int:
        """Tokens in the program's text."""

    # --- values and runs ---------------------------------------------------------------------------------------
    def read_value(self, text: str) -> V:
        """Read an input as a person types it. InputError."""

    def random_values(self, rng: Random, count: int, like: V | None = None) -> list[V]:
        """Draw inputs as the generator does, of the same size as `like` if that is given."""

    def check_value(self, value: object) -> V:
        """Convert a value that comes from Python or JSON to the type of the language. InputError."""

    def value_json(self, value: V) -> Any:
        """The value as JSON data."""

    def run(self, program: P, value: V) -> V:
        """The output. ExecutionError; never hangs."""

    def trace(self, program: P, value: V) -> Trace[V]:
        """The run step by step. An error ends the trace and is stored in it."""

    def show(self, trace: Trace[V], *, steps: bool) -> RenderableType:
        """The run as people read it: input and output, or every step."""

    def run_many(self, programs: Sequence[P], values: Sequence[V]) -> list[list[V | None]]:
        """Every program on every value by the compiled machine; None where a run fails."""

    def reduce(self, program: P, values: Sequence[V]) -> P:
        """The smallest program that a greedy search finds that has the same outcome on every value."""

    def reduce_for_all(self, program: P, values: Sequence[V], like: V | None = None) -> Reduction[P]:
        """The smallest program that a greedy search finds with the same outcomes on all inputs, faults included.

        Outcomes are compared on `values` and on inputs that are drawn from the program itself, such as those on both
        sides of its conditions; of the size of `like` where that is given.
        """

    # --- data --------------------------------------------------------------------------------------------------
    def sample_tasks(self, rng: Random, count: int, options: O) -> tuple[list[Task[P, V]], Counter[str]]:
        """Draw exactly `count` tasks that pass the filters. Also count what became of the programs drawn for them."""

    def given(self, examples: int) -> int:
        """How many of a task's examples a synthesizer is given. The others are held out."""

    def import_splits(self, path: Path, split: str) -> dict[str, Path]:
        """The splits in the published files at `path`, and their paths. `split` is the name if the files have none."""

    def import_tasks(self, path: Path) -> Iterator[Task[P, V]]:
        """Read tasks from files in a published format. ParseError or InputError with the file's name."""

    def behaviours(self, programs: Sequence[P], like: V) -> list[bytes]:
        """Digest, in 8 bytes, what each canonical program does on fixed probes of the same size as `like`."""

    def arrow_type(self) -> pa.DataType:
        """How one value is stored in Parquet."""

    def to_arrow(self, value: V) -> Any: ...

    def from_arrow(self, stored: Any) -> V: ...

    def statistics(self, tasks: Iterable[Task[P, V]]) -> dict[str, Counter[str]]:
        """Distributions that describe a data set: name of the distribution -> class -> count."""

    def published(self) -> dict[str, dict[str, float]]:
        """The same distributions as measured on public data; empty if there are no such figures."""


class Sampled(NamedTuple, Generic[P]):
    """Sampled tasks, with their values as Arrow columns."""

    programs: list[P]
    inputs: pa.Array
    outputs: pa.Array
    """Lists of values of the domain's `arrow_type`."""
    source: str
    counts: Counter[str]


@runtime_checkable
class Columnar(Protocol[P, O]):
    """A domain that samples tasks without a Python object for each value. Optional; it makes data sets faster."""

    def sample_columns(self, rng: Random, count: int, options: O) -> Sampled[P]:
        """The tasks of `Domain.sample_tasks`."""


AnyDomain = Domain[Any, Any, Any]
"""A domain whose types of programs and values the caller does not know."""
