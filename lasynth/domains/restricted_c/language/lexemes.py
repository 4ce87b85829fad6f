"""Programs as flat sequences of lexemes for models, and as two arrays of numbers for the machine.

A lexeme is a kind and an argument. C tokens that always occur together form one lexeme. The last lexeme of a statement
completes it, so a reader knows where a statement ends without looking ahead:

    declaration := `int v =` constant
    assignment  := `place =` operand (`+` operand | `-` operand)* `;`
    increment   := `++place` | `--place` | `place++` | `place--`
    for         := `for v` constant `<= ++` constant statement+ `}`        `for int v` if the loop declares v
    if          := `if` condition `{` statement+ (`}` | `} else {` statement+ `}`)

Only canonical programs have lexemes: their variables are p_0, p_1, .. and l_1, l_2, .. A lexeme may hold any constant;
the vocabulary of a model (see `vocabulary`) is a finite subset of all lexemes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.nodes import (
    Assign,
    Block,
    Break,
    Condition,
    Const,
    Continue,
    Declaration,
    Element,
    Expr,
    For,
    If,
    Increment,
    LoopRelation,
    Operand,
    Program,
    Relation,
    Sign,
    Statement,
    StepOperator,
    Target,
    Test,
    Var,
)
from lasynth.task import InputError


class Kind(IntEnum):
    """What a lexeme is. Its argument is a variable's slot, a place (see `place_number`), a number, or 0 if unused."""

    END = 0
    DECLARE = 1  # slot; a constant follows
    DECLARE_RAW = 2  # slot; no initial value
    ASSIGN = 3  # place
    PRE_INC = 4  # place
    PRE_DEC = 5
    POST_INC = 6
    POST_DEC = 7
    SEMICOLON = 8
    CONST = 9  # value
    PLACE = 10  # place
    PLUS = 11
    MINUS = 12
    LT = 13
    GT = 14
    LE = 15
    GE = 16
    EQ = 17
    NE = 18
    AND = 19
    OR = 20
    IF = 21
    THEN = 22
    ELSE = 23
    CLOSE = 24
    FOR = 25  # slot; start, range and limit follow
    FOR_INT = 26  # slot
    RANGE = 27  # index into RANGES
    BREAK = 28
    CONTINUE = 29


RANGES: tuple[tuple[LoopRelation, StepOperator], ...] = (("<=", "++"), (">=", "--"), ("<=", "--"), (">=", "++"))
"""Test and step of a loop. The bytecode relies on the order: even indices test with <=, odd ones with >=."""
RELATION_KINDS: dict[Relation, Kind] = {
    "<": Kind.LT, ">": Kind.GT, "<=": Kind.LE, ">=": Kind.GE, "==": Kind.EQ, "!=": Kind.NE,
}  # fmt: skip
INCREMENT_KINDS: dict[tuple[StepOperator, bool], Kind] = {
    ("++", True): Kind.PRE_INC, ("--", True): Kind.PRE_DEC, ("++", False): Kind.POST_INC, ("--", False): Kind.POST_DEC,
}  # fmt: skip
SPELLING = {
    Kind.SEMICOLON: ";", Kind.PLUS: "+", Kind.MINUS: "-", Kind.AND: "&&", Kind.OR: "||", Kind.IF: "if", Kind.THEN: "{",
    Kind.ELSE: "} else {", Kind.CLOSE: "}", Kind.BREAK: "break", Kind.CONTINUE: "continue",
    **{kind: relation for relation, kind in RELATION_KINDS.items()},
}  # fmt: skip
"""The text of each kind that has no argument."""
MAX_SLOTS = 62
"""Most variables of a program: the state of the grammar has one bit for each, in a 64-bit number."""


class Lexeme(NamedTuple):
    kind: Kind
    argument: int = 0


class Code(NamedTuple):
    """The lexemes of a program, with END at the end, as two arrays of the same length."""

    kinds: NDArray[np.uint8]
    arguments: NDArray[np.int32]


# --- variables and places as numbers ----------------------------------------------------------------------------------
@lru_cache(1024)
def slot_of(name: str) -> int:
    """The slot of a canonical name: p_0, l_1, p_1, l_2, p_2, .. have slots 0, 1, 2, 3, 4, .."""
    match = re.fullmatch(r"([pl])_(0|[1-9]\d*)", name)
    slot = -1 if match is None else 2 * int(match[2]) - (match[1] == "l")
    if not 0 <= slot < MAX_SLOTS:
        raise InputError(f"`{name}` is not a canonical variable name: a program may use p_0 to p_30 and l_1 to l_31")
    return slot


def name_of(slot: int) -> str:
    return f"l_{(slot + 1) // 2}" if slot % 2 else f"p_{slot // 2}"


def place_number(place: Target) -> int:
    """The number of a place: 2s for the variable v in slot s, 2s + 1 for a[v], -1 - i for a[i] with a constant i."""
    match place:
        case Var(name=name):
            return 2 * slot_of(name)
        case Element(index=Var(name=name)):
            return 2 * slot_of(name) + 1
        case Element(index=Const(value=value)):
            return -1 - value
    raise TypeError(place)


def place_of(number: int) -> Target:
    if number < 0:
        return Element(Const(-1 - number))
    variable = Var(name_of(number // 2))
    return Element(variable) if number % 2 else variable


# --- trees to lexemes -------------------------------------------------------------------------------------------------
def to_lexemes(program: Program) -> list[Lexeme]:
    """The lexemes of a canonical program, without END. InputError if a variable's name is not canonical."""
    lexemes: list[Lexeme] = []
    for declaration in program.declarations:
        slot = slot_of(declaration.name)
        if declaration.value is None:
            lexemes.append(Lexeme(Kind.DECLARE_RAW, slot))
        else:
            lexemes += (Lexeme(Kind.DECLARE, slot), Lexeme(Kind.CONST, declaration.value))
    lexemes.extend(_block(program.body))
    return lexemes


def to_code(program: Program) -> Code:
    """The lexemes of a canonical program as arrays."""
    pairs = np.array([*to_lexemes(program), Lexeme(Kind.END)], dtype=np.int64)
    return Code(pairs[:, 0].astype(np.uint8), pairs[:, 1].astype(np.int32))


def _block(block: Block) -> Iterator[Lexeme]:
    for statement in block:
        match statement:
            case Assign(target=target, value=value):
                yield Lexeme(Kind.ASSIGN, place_number(target))
                yield from _expr(value)
                yield Lexeme(Kind.SEMICOLON)
            case Increment(target=target, operator=operator, prefix=prefix):
                yield Lexeme(INCREMENT_KINDS[operator, prefix], place_number(target))
            case For(relation=relation, operator=operator):
                yield Lexeme(Kind.FOR_INT if statement.declares else Kind.FOR, slot_of(statement.variable))
                yield Lexeme(Kind.CONST, statement.start)
                yield Lexeme(Kind.RANGE, RANGES.index((relation, operator)))
                yield Lexeme(Kind.CONST, statement.limit)
                yield from _block(statement.body)
                yield Lexeme(Kind.CLOSE)
            case If(condition=condition, then=then, orelse=orelse):
                yield Lexeme(Kind.IF)
                yield from _condition(condition)
                yield Lexeme(Kind.THEN)
                yield from _block(then)
                if orelse:
                    yield Lexeme(Kind.ELSE)
                    yield from _block(orelse)
                yield Lexeme(Kind.CLOSE)
            case Break():
                yield Lexeme(Kind.BREAK)
            case Continue():
                yield Lexeme(Kind.CONTINUE)


def _condition(condition: Condition) -> Iterator[Lexeme]:
    for i, conjunction in enumerate(condition):
        if i:
            yield Lexeme(Kind.OR)
        for j, test in enumerate(conjunction):
            if j:
                yield Lexeme(Kind.AND)
            yield from _expr(test.left)
            if test.relation is not None and test.right is not None:
                yield Lexeme(RELATION_KINDS[test.relation])
                yield from _expr(test.right)


def _expr(expr: Expr) -> Iterator[Lexeme]:
    yield _operand(expr.first)
    for sign, operand in expr.rest:
        yield Lexeme(Kind.PLUS if sign == "+" else Kind.MINUS)
        yield _operand(operand)


def _operand(operand: Operand) -> Lexeme:
    if isinstance(operand, Const):
        return Lexeme(Kind.CONST, operand.value)
    return Lexeme(Kind.PLACE, place_number(operand))


# --- lexemes to trees -------------------------------------------------------------------------------------------------
def from_lexemes(lexemes: Sequence[Lexeme]) -> Program:
    """The tree of a sequence that the grammar accepts: call `grammar.check` first."""
    return _Builder(lexemes).program()


class _Builder:
    """Builds a tree from lexemes that the grammar has checked."""

    def __init__(self, lexemes: Sequence[Lexeme]) -> None:
        self.lexemes = lexemes
        self.position = 0

    def at(self, *kinds: Kind) -> bool:
        return self.position < len(self.lexemes) and self.lexemes[self.position].kind in kinds

    def take(self) -> Lexeme:
        self.position += 1
        return self.lexemes[self.position - 1]

    def program(self) -> Program:
        declarations = []
        while self.at(Kind.DECLARE, Kind.DECLARE_RAW):
            kind, slot = self.take()
            value = self.take().argument if kind == Kind.DECLARE else None
            declarations.append(Declaration(name_of(slot), value))
        return Program(tuple(declarations), self.block())

    def block(self) -> Block:
        body = []
        while self.position < len(self.lexemes) and not self.at(Kind.CLOSE, Kind.ELSE, Kind.END):
            body.append(self.statement())
        return tuple(body)

    def statement(self) -> Statement:
        kind, argument = self.take()
        if kind == Kind.ASSIGN:
            value = self.expr()
            self.take()
            return Assign(place_of(argument), value)
        if kind in (Kind.FOR, Kind.FOR_INT):
            start, index, limit = (self.take().argument for _ in range(3))
            relation, operator = RANGES[index]
            body = self.block()
            self.take()
            return For(name_of(argument), kind == Kind.FOR_INT, start, relation, limit, operator, body)
        if kind == Kind.IF:
            return self.branch()
        if kind == Kind.BREAK:
            return Break()
        if kind == Kind.CONTINUE:
            return Continue()
        operator, prefix = next(form for form, k in INCREMENT_KINDS.items() if k == kind)
        return Increment(place_of(argument), operator, prefix)

    def branch(self) -> If:
        condition = [[self.test()]]
        while not self.at(Kind.THEN):
            if self.take().kind == Kind.OR:
                condition.append([])
            condition[-1].append(self.test())
        self.take()
        then = self.block()
        orelse = self.block() if self.take().kind == Kind.ELSE else None
        if orelse is not None:
            self.take()
        return If(tuple(tuple(tests) for tests in condition), then, orelse or ())

    def test(self) -> Test:
        left = self.expr()
        if self.at(*RELATION_KINDS.values()):
            return Test(left, cast(Relation, SPELLING[self.take().kind]), self.expr())
        return Test(left)

    def expr(self) -> Expr:
        first = self.operand()
        rest = []
        while self.at(Kind.PLUS, Kind.MINUS):
            sign = cast(Sign, SPELLING[self.take().kind])
            rest.append((sign, self.operand()))
        return Expr(first, tuple(rest))

    def operand(self) -> Operand:
        kind, argument = self.take()
        return Const(argument) if kind == Kind.CONST else place_of(argument)
