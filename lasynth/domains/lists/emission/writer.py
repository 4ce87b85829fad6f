"""What all parts of the writer of C functions share: statements, variables, loops, and lists that are indexed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lasynth.domains.lists.emission.c_text import (
    EQUAL,
    LESS,
    C,
    Length,
    Lines,
    binary,
    choice,
)
from lasynth.domains.lists.language.nodes import Call, Expression
from lasynth.domains.lists.language.operations import OPERATIONS, Op

Body = Callable[[C], None]
ZERO, ONE = C("0"), C("1")
INDEX_NAMES = ("i", "j", "h", "g")


class Pull(NamedTuple):
    """A list that is indexed."""

    length: Length
    at: Callable[[C], C]
    """The element at an index below the length; may add statements where it is used."""


def op_of(expression: Expression) -> Op | None:
    return OPERATIONS[expression.operation].op if isinstance(expression, Call) else None


class Writer(ABC):
    """The statements of one function."""

    def __init__(self, inputs: Sequence[tuple[C, Length | None]], taken: set[str]) -> None:
        self.inputs = inputs
        """Name and, for lists, length of each parameter."""
        self.out = Lines(taken)
        self.buffers: list[str] = []
        """Names of what must be freed."""
        self.stored: dict[Expression, Pull] = {}
        self.numbers: dict[Expression, C] = {}

    # --- what the other parts write ----------------------------------------------------------------------------
    @abstractmethod
    def number(self, expression: Expression) -> C:
        """An expression for a number or flag; loops that it needs are written before."""

    @abstractmethod
    def is_indexed(self, expression: Expression) -> bool:
        """Whether the list can be indexed without a buffer."""

    @abstractmethod
    def pull(self, expression: Expression) -> Pull:
        """The list as an indexed one; numbers and buffers that it needs are written before."""

    @abstractmethod
    def push(self, expression: Expression, body: Body) -> None:
        """Loops that hand each element of a list to the body."""

    @abstractmethod
    def store(self, expression: Expression) -> Pull:
        """Put a produced list into a buffer of its own, so that it can be indexed."""

    # --- what they share ---------------------------------------------------------------------------------------
    def bind(self, value: C) -> C:
        return value if value.is_simple else self.out.variable("x", value)

    def _hide_zero(self, op: Op, parts: list[C]) -> list[C]:
        """Hide a divisor 0 from gcc, which would warn. The division never runs: the program faults there."""
        return [parts[0], self._divisor(parts[1])] if op in (Op.DIV, Op.MOD) else parts

    def _divisor(self, value: C) -> C:
        """A number to divide by; in a variable if gcc might see that it is 0, and warn."""
        return value if value.is_simple and value.text != "0" else self.out.variable("divisor", value)

    def _common(self, lengths: Sequence[Length]) -> Length:
        """The shortest of some lengths. That of a number is an empty text, and does not count."""
        real = [length for length in lengths if length.base.text]
        shortest = real[0]
        for other in real[1:]:
            if other.base.text == shortest.base.text:
                negative = other.may_be_negative or shortest.may_be_negative
                shortest = Length(shortest.base, max(shortest.less, other.less), negative)
            else:
                one, two = self.bind(shortest.bound), self.bind(other.bound)
                base = self.out.variable("shorter", choice(binary(one, "<", two, LESS), one, two))
                shortest = Length(base, 0, True)
        return shortest

    def _occurrences_of(self, pulled: Pull, value: C) -> C:
        count = self.out.variable("times", ZERO)
        with self._loop(pulled.length) as j:
            self.out.add(f"if ({binary(pulled.at(j), '==', value, EQUAL).text}) {count.text}++;")
        return count

    def _found(self, pulled: Pull, length: Length, value: C) -> C:
        found = self.out.variable("found", ZERO)
        with self._loop(length) as j:
            self.out.add(f"if ({binary(pulled.at(j), '==', value, EQUAL).text}) {found.text} = 1;")
        return found

    def _loop(self, length: Length, start: str = "0") -> Loop:
        return Loop(self, length, start)

    def _branch(self, head: str) -> Branch:
        return Branch(self, head)


class Loop:
    """A loop over the indices of a list."""

    def __init__(self, emitter: Writer, length: Length, start: str) -> None:
        self.emitter, self.length, self.start = emitter, length, start

    def __enter__(self) -> C:
        lines = self.emitter.out
        self.taken = set(lines.taken)
        i = lines.name(*INDEX_NAMES)
        self.block = lines.block(f"for (int {i} = {self.start}; {i} < {self.length.bound.inside(LESS)}; {i}++)")
        self.block.__enter__()
        return C(i)

    def __exit__(self, *error: object) -> None:
        self.block.__exit__(None, None, None)
        self.emitter.out.taken = self.taken


class Branch:
    """A block that may not run. Its buffers are freed at its end, and what it stores is not known after it."""

    def __init__(self, emitter: Writer, head: str) -> None:
        self.emitter = emitter
        self.block = emitter.out.block(head)

    def __enter__(self) -> None:
        emitter = self.emitter
        self.stored, self.numbers, self.buffers = dict(emitter.stored), dict(emitter.numbers), list(emitter.buffers)
        self.block.__enter__()

    def __exit__(self, *error: object) -> None:
        emitter = self.emitter
        for name in emitter.buffers[len(self.buffers) :]:
            emitter.out.add(f"free({name});")
        emitter.stored, emitter.numbers, emitter.buffers = self.stored, self.numbers, self.buffers
        self.block.__exit__(None, None, None)
