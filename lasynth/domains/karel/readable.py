"""Karel programs as in the paper's figures: `def run():`, one statement per line, blocks by indentation.

The parser accepts brackets after a name, `move()`; `write` does not print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lasynth.domains.karel.nodes import (
    ACTIONS,
    MAX_NESTING,
    MAX_TIMES,
    TESTS,
    Action,
    Block,
    Condition,
    If,
    IfElse,
    Program,
    Repeat,
    Statement,
    While,
)
from lasynth.task import ParseError

INDENT = "  "
_HEAD = re.compile(r"(repeat|while|ifelse|if|else)\s*(?:\((.*)\))?\s*:$")
_ACTION = re.compile(r"(\w+)\s*(?:\(\s*\))?\s*;?$")


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str
    offset: int
    """Position in the whole text of the first character that is not white space."""


def parse(text: str) -> Program:
    """The program in readable text."""
    return _Parser(text).program()


@dataclass
class _Parser:
    """Recursive descent over lines; a block is the lines that are indented further than its head."""

    text: str
    position: int = 0
    lines: list[_Line] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = list(_lines(self.text))

    def fail(self, message: str, line: _Line, shift: int = 0) -> ParseError:
        return ParseError(message, self.text, line.offset + shift)

    def program(self) -> Program:
        # prog := def run(): S+
        head = self.lines[0]
        if not re.fullmatch(r"def\s+run\s*\(\s*\)\s*:", head.text):
            raise self.fail("expected 'def run():'", head)
        self.position = 1
        body = self.block(head, 0)
        if self.position < len(self.lines):
            raise self.fail("this line is outside 'def run():'", self.lines[self.position])
        return Program(body)

    def block(self, head: _Line, depth: int) -> Block:
        if depth > MAX_NESTING:
            raise self.fail(f"blocks are nested more than {MAX_NESTING} deep", head)
        if self.position == len(self.lines) or self.lines[self.position].indent <= head.indent:
            raise self.fail("a block cannot be empty", head)
        indent = self.lines[self.position].indent
        statements: list[Statement] = []
        while self.position < len(self.lines) and self.lines[self.position].indent > head.indent:
            line = self.lines[self.position]
            if line.indent != indent:
                raise self.fail(f"indented by {line.indent}, but the block is indented by {indent}", line)
            statements.append(self.statement(line, depth))
        return tuple(statements)

    def statement(self, line: _Line, depth: int) -> Statement:
        # S := action | repeat (k): S+ | while (C): S+ | if (C): S+ | ifelse (C): S+ else: S+
        self.position += 1
        head = _HEAD.match(line.text)
        if head is None:
            return self.action(line)
        kind, inside = head[1], head[2]
        shift = head.start(2) if inside is not None else 0
        if kind == "else":
            raise self.fail("'else:' without an 'ifelse' before it", line)
        if inside is None:
            raise self.fail(f"expected brackets after '{kind}'", line)
        if kind == "repeat":
            return Repeat(self.count(inside, line, shift), self.block(line, depth + 1))
        condition = self.condition(inside, line, shift)
        body = self.block(line, depth + 1)
        if kind == "while":
            return While(condition, body)
        if kind == "if":
            return If(condition, body)
        return IfElse(condition, body, self.otherwise(line, depth))

    def otherwise(self, head: _Line, depth: int) -> Block:
        line = self.lines[self.position] if self.position < len(self.lines) else None
        if line is None or line.indent != head.indent or not re.fullmatch(r"else\s*:", line.text):
            raise self.fail("this 'ifelse' has no 'else:'", head)
        self.position += 1
        return self.block(line, depth + 1)

    def action(self, line: _Line) -> Action:
        match = _ACTION.match(line.text)
        if match is None or match[1] not in ACTIONS:
            raise self.fail(f"unknown statement '{line.text[:40]}'", line)
        return Action(match[1])

    def count(self, inside: str, line: _Line, shift: int) -> int:
        digits = inside.strip()
        if not re.fullmatch(r"[0-9]{1,2}", digits) or int(digits) > MAX_TIMES:
            raise self.fail(f"expected a repeat count from 0 to {MAX_TIMES}", line, shift)
        return int(digits)

    def condition(self, inside: str, line: _Line, shift: int) -> Condition:
        # C := test | not C
        words = re.sub(r"\(\s*\)", "", inside).split()
        if {"and", "or"} & set(words):
            raise self.fail("'and' and 'or' are not supported; expected a single test", line, shift)
        if not words or words[-1] not in TESTS or set(words[:-1]) - {"not"} or len(words) > MAX_NESTING + 1:
            raise self.fail(f"expected one of {', '.join(TESTS)}, with or without 'not'", line, shift)
        return Condition(words[-1], len(words) - 1)


def _lines(text: str) -> Iterator[_Line]:
    offset = 0
    for raw in text.split("\n"):
        content = raw.strip()
        if content:
            before = raw[: len(raw) - len(raw.lstrip())]
            yield _Line(len(before.expandtabs(4)), content, offset + len(before))
        offset += len(raw) + 1


def write(program: Program) -> str:
    """The program as readable text, without a final line break: `parse(write(p)) == p`."""
    return "\n".join(["def run():", *_block_lines(program.body, 1)])


def _block_lines(block: Block, depth: int) -> Iterator[str]:
    for statement in block:
        yield from _statement_lines(statement, depth)


def _statement_lines(statement: Statement, depth: int) -> Iterator[str]:
    margin = INDENT * depth
    match statement:
        case Action(name):
            yield f"{margin}{name}"
        case Repeat(times, body):
            yield f"{margin}repeat ({times}):"
            yield from _block_lines(body, depth + 1)
        case While(condition, body):
            yield f"{margin}while ({_condition_text(condition)}):"
            yield from _block_lines(body, depth + 1)
        case If(condition, body):
            yield f"{margin}if ({_condition_text(condition)}):"
            yield from _block_lines(body, depth + 1)
        case IfElse(condition, then, otherwise):
            yield f"{margin}ifelse ({_condition_text(condition)}):"
            yield from _block_lines(then, depth + 1)
            yield f"{margin}else:"
            yield from _block_lines(otherwise, depth + 1)


def _condition_text(condition: Condition) -> str:
    return "not " * condition.negations + condition.test
