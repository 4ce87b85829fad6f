"""Counts what programs look like, in order to compare two sources of programs.

A line is one distribution, for example the kinds of statements. Every line has all its classes from the start, in the
order in which they are shown, so the lines of two sources match.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import (
    CATEGORIES,
    Assign,
    Block,
    Break,
    Const,
    Continue,
    Element,
    Expr,
    For,
    If,
    Increment,
    Operand,
    Program,
    Statement,
    Test,
    Var,
    category,
    operands,
)
from lasynth.domains.restricted_c.language.parser import RELATIONS
from lasynth.domains.restricted_c.language.printer import print_program

TOKEN_BINS: Final = (0, 20, 40, 60, 80, 100, 128, 160, 200, 257)
"""First value of each bin. Programs in the last bin are too long for a data set with the default limit."""
STATEMENT_BINS: Final = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30)


def _bins(starts: tuple[int, ...]) -> tuple[str, ...]:
    """Names of bins that sort like their numbers: 000-019, 020-039, .., 257+."""
    width = len(str(starts[-1]))
    names = []
    for start, following in pairwise(starts):
        last = following - 1
        names.append(f"{start:0{width}}" if start == last else f"{start:0{width}}-{last:0{width}}")
    return (*names, f"{starts[-1]}+")


LINES: Final[dict[str, tuple[str, ...]]] = {
    "category": CATEGORIES,
    "statement kind": (
        "assign constant", "assign variable", "assign expression", "update", "increment",
        "if", "if-else", "if-break", "if-continue", "for", "jump elsewhere",
    ),
    "C tokens": _bins(TOKEN_BINS),
    "statements": _bins(STATEMENT_BINS),
    "nesting depth": ("0", "1", "2", "3", "4+"),
    "loops per program": ("0", "1", "2", "3", "4+"),
    "loop iterations": ("0", "1", "2", "3", "4", "5", "6+", "endless"),
    "declarations": ("0", "1", "2", "3", "4", "5+"),
    "operators per expression": ("0", "1", "2"),
    "operand kind": ("constant", "scalar", "a[loop variable]", "a[other variable]", "a[constant]"),
    "constant": ("-5 and below", "-4", "-3", "-2", "-1", "0", "1", "2", "3", "4", "5 and above"),
    "relation": ("none", *RELATIONS),
    "condition tests": ("1", "2", "3", "4+"),
}  # fmt: skip
"""The classes of each line. An update is `v = v ± ..`; an expression is any other sum."""


def program_statistics(programs: Iterable[Program]) -> dict[str, Counter[str]]:
    """How often each class of each line occurs in the programs."""
    counting = _Counting()
    for program in programs:
        counting.program(program)
    return counting.lines


def statement_kind(statement: Statement) -> str:
    """The statement's class on the line `statement kind`."""
    match statement:
        case Assign(target=target, value=Expr(first=first, rest=rest)):
            if rest:
                return "update" if first == target else "assign expression"
            return "assign constant" if isinstance(first, Const) else "assign variable"
        case Increment():
            return "increment"
        case If(then=(Break(),), orelse=()):
            return "if-break"
        case If(then=(Continue(),), orelse=()):
            return "if-continue"
        case If(orelse=orelse):
            return "if-else" if orelse else "if"
        case For():
            return "for"
    return "jump elsewhere"


def iterations(loop: For) -> int | None:
    """Number of values of the loop variable if the body does not interfere; None if the loop never ends."""
    upwards = loop.relation == "<="
    count = (loop.limit - loop.start if upwards else loop.start - loop.limit) + 1
    return max(count, 0) if count <= 0 or upwards == (loop.operator == "++") else None


class _Counting:
    def __init__(self) -> None:
        self.lines = {line: Counter(dict.fromkeys(classes, 0)) for line, classes in LINES.items()}

    def count(self, line: str, number: int) -> None:
        """Count a small number in its class; the last class holds all larger numbers."""
        classes = LINES[line]
        self.lines[line][classes[min(number, len(classes) - 1)]] += 1

    def program(self, program: Program) -> None:
        lines = self.lines
        lines["category"][category(program)] += 1
        tokens = bisect(TOKEN_BINS, count_tokens(print_program(program))) - 1
        self.count("C tokens", tokens)
        self.count("declarations", len(program.declarations))
        loops_before = lines["statement kind"]["for"]
        before = lines["statement kind"].total()
        self.count("nesting depth", self.block(program.body, frozenset()))
        self.count("loops per program", lines["statement kind"]["for"] - loops_before)
        self.count("statements", bisect(STATEMENT_BINS, lines["statement kind"].total() - before) - 1)

    def block(self, block: Block, loop_variables: frozenset[str]) -> int:
        """Count what the block contains, and return how deep blocks nest in it. `if (..) break;` has no block."""
        depth = 0
        for statement in block:
            kind = statement_kind(statement)
            self.lines["statement kind"][kind] += 1
            if not isinstance(statement, For):
                for operand in operands(statement):
                    self.operand(operand, loop_variables)
            match statement:
                case Assign(value=value):
                    self.expression(value)
                case For(variable=variable, body=body):
                    self.loop(statement)
                    depth = max(depth, 1 + self.block(body, loop_variables | {variable}))
                case If(condition=condition, then=then, orelse=orelse):
                    self.count("condition tests", sum(map(len, condition)) - 1)
                    for test in (test for conjunction in condition for test in conjunction):
                        self.test(test)
                    if kind in ("if", "if-else"):
                        deepest = max(self.block(then, loop_variables), self.block(orelse, loop_variables))
                        depth = max(depth, 1 + deepest)
        return depth

    def loop(self, loop: For) -> None:
        count = iterations(loop)
        self.lines["loop iterations"]["endless" if count is None else "6+" if count > 5 else str(count)] += 1

    def test(self, test: Test) -> None:
        self.lines["relation"][test.relation or "none"] += 1
        for side in test.sides:
            self.expression(side)

    def expression(self, expr: Expr) -> None:
        self.count("operators per expression", len(expr.rest))

    def operand(self, operand: Operand, loop_variables: frozenset[str]) -> None:
        match operand:
            case Const(value=value):
                kind = "constant"
                low, *_, high = LINES["constant"]
                self.lines["constant"][low if value < -4 else high if value > 4 else str(value)] += 1
            case Var():
                kind = "scalar"
            case Element(index=Var(name=name)):
                kind = "a[loop variable]" if name in loop_variables else "a[other variable]"
            case Element():
                kind = "a[constant]"
        self.lines["operand kind"][kind] += 1
