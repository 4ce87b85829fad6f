"""Pieces of C text: expressions that know how tightly they bind, lengths, and lines with indentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN

ATOM, UNARY, PRODUCT, SUM, LESS, EQUAL, AND, OR, CHOICE = 100, 90, 80, 70, 60, 50, 40, 30, 20
"""How tightly operators bind."""
OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SIMPLE = re.compile(r"\w+(\[\w+\])?$|-?\d+$")


class C(NamedTuple):
    """An expression of C."""

    text: str
    binds: int = ATOM
    opposite: str = ""
    """Of a comparison, the text of the opposite one."""

    def inside(self, binds: int) -> str:
        """The text as an operand of an operator that binds this tightly, in brackets if it needs them."""
        return self.text if self.binds >= binds else f"({self.text})"

    @property
    def is_simple(self) -> bool:
        """Whether it is short enough to be written twice."""
        return SIMPLE.match(self.text) is not None


def literal(value: int) -> C:
    """A number in C. There is no literal for the smallest one: C reads it as minus a number that does not fit."""
    if value == INT_MIN:
        return C(f"-{INT_MAX} - 1", SUM)
    return C(str(value), ATOM if value >= 0 else UNARY)


def binary(left: C, operator: str, right: C, binds: int) -> C:
    """`left operator right`; comparisons and mixed logic get parentheses where gcc asks for them."""
    tight = AND + 1 if binds in (AND, OR) else (SUM if binds in (LESS, EQUAL) else binds)
    closer = tight if binds in (LESS, EQUAL) else tight + 1
    one, other = left.inside(tight), right.inside(closer)
    if operator in OPPOSITES and one == other:  # gcc warns of such comparisons
        return C(str(int("=" in operator and operator != "!=")))
    opposite = f"{one} {OPPOSITES[operator]} {other}" if operator in OPPOSITES else ""
    return C(f"{one} {operator} {other}", binds, opposite)


def negated(flag: C) -> C:
    if flag.opposite:
        return C(flag.opposite, flag.binds, flag.text)
    return C(f"!{flag.inside(UNARY)}", UNARY)


def plus(left: C, right: C) -> C:
    if left.text == "0":
        return right
    if right.text == "0":
        return left
    if re.fullmatch(r"-\d+", right.text):
        return minus(left, C(right.text[1:]))
    if re.fullmatch(r"\d+", left.text) and re.fullmatch(r"\d+", right.text):
        return literal(min(INT_MAX, int(left.text) + int(right.text)))
    return binary(left, "+", right, SUM)


def minus(left: C, right: C) -> C:
    if right.text == "0":
        return left
    if re.fullmatch(r"-\d+", right.text):
        return binary(left, "+", C(right.text[1:]), SUM)
    return binary(left, "-", right, SUM)


def choice(condition: C, one: C, other: C) -> C:
    if condition.text in ("0", "1") or one.text == other.text:
        return other if condition.text == "0" else one
    return C(f"{condition.inside(CHOICE + 1)} ? {one.inside(CHOICE + 1)} : {other.inside(CHOICE)}", CHOICE)


class Length(NamedTuple):
    """The length of a list: `base - less`, or 0 if that is negative. A loop up to a negative bound does nothing."""

    base: C
    less: int = 0
    may_be_negative: bool = False

    @property
    def bound(self) -> C:
        return minus(self.base, literal(self.less))

    @property
    def value(self) -> C:
        """The length as an expression that is never negative."""
        if not self.less and not self.may_be_negative:
            return self.base
        return choice(binary(self.base, ">", literal(self.less), LESS), self.bound, C("0"))

    def shorter(self, by: int) -> Length:
        return self._replace(less=self.less + by)


class Lines:
    """C text that grows: statements, blocks, and names that are not taken yet."""

    def __init__(self, taken: set[str]) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.taken = taken

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Statements in braces below a head."""
        taken = set(self.taken)
        self.add(head)
        self.add("{")
        self.depth += 1
        yield
        self.depth -= 1
        self.add("}")
        self.taken = taken

    def name(self, *wishes: str) -> str:
        """The first of some names that is free, else one with a number."""
        number = 2
        while True:
            for wish in wishes:
                if wish not in self.taken:
                    self.taken.add(wish)
                    return wish
            wishes = (f"{wishes[0].rstrip('0123456789')}{number}",)
            number += 1

    def variable(self, wish: str, value: C) -> C:
        name = self.name(wish)
        self.add(f"int {name} = {value.text};")
        return C(name)
