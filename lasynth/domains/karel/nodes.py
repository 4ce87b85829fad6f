"""Karel's syntax tree, independent of how programs are written and run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

ACTIONS = ("move", "turnLeft", "turnRight", "pickMarker", "putMarker")
TESTS = ("frontIsClear", "leftIsClear", "rightIsClear", "markersPresent", "noMarkersPresent")
MAX_TIMES = 19
"""The largest repeat count of the language; the public data uses 2 to 10."""
MAX_NESTING = 30
"""How deep blocks may be nested; the deepest public program has 5."""
CATEGORIES = ("Seq-only", "If-only", "Repeat-only", "While-only", "Mixture")


@dataclass(frozen=True, slots=True)
class Action:
    """One of ACTIONS."""

    name: str


@dataclass(frozen=True, slots=True)
class Condition:
    """One of TESTS, with `negations` times `not` before it."""

    test: str
    negations: int = 0

    @property
    def negated(self) -> bool:
        return self.negations % 2 == 1


@dataclass(frozen=True, slots=True)
class Repeat:
    times: int
    body: Block


@dataclass(frozen=True, slots=True)
class While:
    condition: Condition
    body: Block


@dataclass(frozen=True, slots=True)
class If:
    condition: Condition
    body: Block


@dataclass(frozen=True, slots=True)
class IfElse:
    condition: Condition
    then: Block
    otherwise: Block


Statement: TypeAlias = Action | Repeat | While | If | IfElse
Block: TypeAlias = tuple[Statement, ...]
"""One statement or more."""


@dataclass(frozen=True, slots=True)
class Program:
    body: Block


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks directly inside `statement`."""
    match statement:
        case Action():
            return ()
        case IfElse():
            return (statement.then, statement.otherwise)
        case _:
            return (statement.body,)


def walk(block: Block, depth: int = 0) -> Iterator[tuple[int, Statement]]:
    """Every statement in the order of the text, with the number of blocks around it."""
    for statement in block:
        yield depth, statement
        for inner in blocks(statement):
            yield from walk(inner, depth + 1)


def category(program: Program) -> str:
    """The kinds of control flow in the program, by the names in the paper's figures."""
    kinds = {type(statement) for _, statement in walk(program.body)} - {Action}
    if not kinds:
        return "Seq-only"
    if kinds <= {If, IfElse}:
        return "If-only"
    if kinds == {Repeat}:
        return "Repeat-only"
    return "While-only" if kinds == {While} else "Mixture"


def nesting(program: Program) -> int:
    """How deep the blocks are nested: 0 for a program of actions only."""
    return max(depth for depth, _ in walk(program.body))


def canonical(program: Program) -> Program:
    """The same program without pairs of `not`."""
    return Program(_canonical_block(program.body))


def _canonical_block(block: Block) -> Block:
    return tuple(_canonical_statement(statement) for statement in block)


def _canonical_statement(statement: Statement) -> Statement:
    match statement:
        case Action():
            return statement
        case Repeat(times, body):
            return Repeat(times, _canonical_block(body))
        case While(condition, body):
            return While(_canonical_condition(condition), _canonical_block(body))
        case If(condition, body):
            return If(_canonical_condition(condition), _canonical_block(body))
        case IfElse(condition, then, otherwise):
            return IfElse(_canonical_condition(condition), _canonical_block(then), _canonical_block(otherwise))


def _canonical_condition(condition: Condition) -> Condition:
    return Condition(condition.test, condition.negations % 2)
