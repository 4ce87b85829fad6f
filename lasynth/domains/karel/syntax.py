"""Karel programs as tokens, `DEF run m( move m)`: the form of the public data, and the exact text of a program.

`parse` also takes the two other written forms: readable text and JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lasynth.domains.karel import program_json, readable
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
    walk,
)
from lasynth.task import ParseError

COUNTS = {f"R={times}": times for times in range(MAX_TIMES + 1)}
KEYWORDS = ("DEF", "run", "REPEAT", "WHILE", "IF", "IFELSE", "ELSE", "not", "and", "or")
BRACKETS = tuple(f"{letter}{side}" for letter in "mcrwie" for side in "()")
_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
TOKENS = frozenset((*KEYWORDS, *BRACKETS, *ACTIONS, *TESTS, *COUNTS))


def parse(text: str) -> Program:
    """The program in `text`, which may be tokens, readable text or the public JSON.

    Lines that begin with # are comments.
    """
    text = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)  # places in messages stay right
    first = re.search(r"\S+", text)
    if first is None:
        raise ParseError("the text holds no program", text, 0)
    if first[0].startswith("{"):
        return program_json.loads(text)
    if first[0] == "def":
        return readable.parse(text)
    return parse_tokens(text)


def parse_tokens(text: str) -> Program:
    """The program in a text of tokens with white space between them."""
    return _Parser(text).program()


@dataclass
class _Parser:
    """Recursive descent over tokens; the nesting limit keeps the recursion shallow."""

    text: str
    position: int = 0
    tokens: list[tuple[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = [(match[0], match.start()) for match in re.finditer(r"\S+", self.text)]

    def peek(self) -> str:
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def fail(self, message: str) -> ParseError:
        at_end = self.position >= len(self.tokens)
        offset = len(self.text.rstrip()) if at_end else self.tokens[self.position][1]
        if not at_end and self.peek() not in TOKENS:
            message = f"unknown token '{self.peek()[:40]}'; {message}"
        elif not at_end:
            message = f"{message}, not '{self.peek()}'"
        else:
            message = f"{message}, but the text ends"
        return ParseError(message, self.text, offset)

    def expect(self, token: str) -> None:
        if self.peek() != token:
            raise self.fail(f"expected '{token}'")
        self.position += 1

    def program(self) -> Program:
        # prog := DEF run m( S+ m)
        self.expect("DEF")
        self.expect("run")
        body = self.block("m", 0)
        if self.position < len(self.tokens):
            raise self.fail("expected the end of the text after 'm)'")
        return Program(body)

    def block(self, letter: str, depth: int) -> Block:
        # S+ between m( m), r( r), w( w), i( i) or e( e)
        opening, closing = f"{letter}(", f"{letter})"
        if self.peek() == opening and depth > MAX_NESTING:
            raise ParseError(
                f"blocks are nested more than {MAX_NESTING} deep", self.text, self.tokens[self.position][1]
            )
        self.expect(opening)
        statements: list[Statement] = []
        while self.peek() != closing:
            statements.append(self.statement(closing, depth))
        if not statements:
            raise ParseError("a block cannot be empty", self.text, self.tokens[self.position][1])
        self.position += 1
        return tuple(statements)

    def statement(self, closing: str, depth: int) -> Statement:
        # S := action | REPEAT R=k r( S+ r) | WHILE c( C c) w( S+ w)
        #    | IF c( C c) i( S+ i) | IFELSE c( C c) i( S+ i) ELSE e( S+ e)
        token = self.peek()
        if token in ACTIONS:
            self.position += 1
            return Action(token)
        if token not in ("REPEAT", "WHILE", "IF", "IFELSE"):
            raise self.fail(f"expected a statement or '{closing}'")
        self.position += 1
        if token == "REPEAT":
            return Repeat(self.count(), self.block("r", depth + 1))
        condition = self.condition()
        if token == "WHILE":
            return While(condition, self.block("w", depth + 1))
        then = self.block("i", depth + 1)
        if token == "IF":
            return If(condition, then)
        self.expect("ELSE")
        return IfElse(condition, then, self.block("e", depth + 1))

    def count(self) -> int:
        if self.peek() not in COUNTS:
            raise self.fail(f"expected a repeat count R=0 to R={MAX_TIMES}")
        self.position += 1
        return COUNTS[self.tokens[self.position - 1][0]]

    def condition(self) -> Condition:
        # c( C c) with C := test | not c( C c)
        self.expect("c(")
        negations = 0
        while self.peek() == "not":
            if negations == MAX_NESTING:
                raise self.fail(f"expected at most {MAX_NESTING} negations")
            self.position += 1
            self.expect("c(")
            negations += 1
        if self.peek() in ("and", "or"):
            raise self.fail("'and' and 'or' are not supported; expected a test")
        if self.peek() not in TESTS:
            raise self.fail("expected a test")
        test = self.peek()
        self.position += 1
        for _ in range(negations + 1):
            if self.peek() in ("and", "or"):
                raise self.fail("'and' and 'or' are not supported; expected 'c)'")
            self.expect("c)")
        return Condition(test, negations)


def tokens(program: Program) -> list[str]:
    """The program as tokens of the public data."""
    return ["DEF", "run", *_block_tokens(program.body, "m")]


def text(program: Program) -> str:
    """The exact text: `parse(text(p)) == p`."""
    return " ".join(tokens(program))


def length(program: Program) -> int:
    """`len(tokens(program))`, without building the tokens."""
    total = 4
    for _, statement in walk(program.body):
        match statement:
            case Action():
                total += 1
            case Repeat():
                total += 4
            case IfElse():
                total += 9 + 3 * statement.condition.negations
            case _:
                total += 6 + 3 * statement.condition.negations
    return total


def _block_tokens(block: Block, letter: str) -> list[str]:
    return [f"{letter}(", *(token for statement in block for token in _statement_tokens(statement)), f"{letter})"]


def _statement_tokens(statement: Statement) -> list[str]:
    match statement:
        case Action(name):
            return [name]
        case Repeat(times, body):
            return ["REPEAT", f"R={times}", *_block_tokens(body, "r")]
        case While(condition, body):
            return ["WHILE", *_condition_tokens(condition), *_block_tokens(body, "w")]
        case If(condition, body):
            return ["IF", *_condition_tokens(condition), *_block_tokens(body, "i")]
        case IfElse(condition, then, otherwise):
            head = ["IFELSE", *_condition_tokens(condition), *_block_tokens(then, "i")]
            return [*head, "ELSE", *_block_tokens(otherwise, "e")]


def _condition_tokens(condition: Condition) -> list[str]:
    negations = ["not", "c("] * condition.negations
    return ["c(", *negations, condition.test, *["c)"] * (condition.negations + 1)]
