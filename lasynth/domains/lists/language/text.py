"""The exact text of programs: parameters with their types, an arrow, one expression.

    (a: list, k: int) => filter(a, gt(a, k))

`parse_program(program_text(p)) == p`. White space does not matter, and what follows a # is passed over.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from lasynth.domains.lists.language.nodes import (
    INT_MAX,
    INT_MIN,
    TYPE_NAMES,
    Call,
    Constant,
    Empty,
    Expression,
    Input,
    Parameter,
    Program,
    Type,
)
from lasynth.domains.lists.language.operations import NUMBERS, OPERATIONS
from lasynth.task import ParseError

TOKEN = re.compile(r"\s*(?:#[^\n]*\s*)*(=>|[A-Za-z_]\w*|-?\d+|[(),:\[\]]|\S)?")
NAME = re.compile(r"[A-Za-z_]\w*$", re.ASCII)
DEEPEST = 200
"""Most calls inside each other."""
INPUT_TYPES = {"list": Type.LIST, "int": Type.INT}
NAMES = frozenset(operation.name for operation in OPERATIONS)


def program_text(program: Program) -> str:
    head = ", ".join(f"{p.name}: {TYPE_NAMES[p.type]}" for p in program.parameters)
    return f"({head}) => {expression_text(program.body, program.parameters)}\n"


def expression_text(expression: Expression, parameters: tuple[Parameter, ...]) -> str:
    if isinstance(expression, Input):
        return parameters[expression.place].name
    if isinstance(expression, Constant):
        return str(expression.value)
    if isinstance(expression, Empty):
        return "[]"
    arguments = ", ".join(expression_text(argument, parameters) for argument in expression.arguments)
    return f"{OPERATIONS[expression.operation].name}({arguments})"


def count_tokens(program: Program) -> int:
    return len(_tokens(program_text(program))) - 1


class _Token(NamedTuple):
    text: str
    offset: int


def _tokens(text: str) -> list[_Token]:
    found = []
    position = 0
    while (match := TOKEN.match(text, position)) and match[1]:
        found.append(_Token(match[1], match.start(1)))
        position = match.end()
    return [*found, _Token("", len(text))]


def parse_program(text: str) -> Program:
    """The program that a text holds. ParseError."""
    return _Parser(text).program()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, _tokens(text), 0
        self.parameters: list[Parameter] = []

    def program(self) -> Program:
        self._expect("(")
        while self._peek() != ")":
            if self.parameters:
                self._expect(",")
            self._parameter()
        self._expect(")")
        self._expect("=>")
        start = self.tokens[self.at]
        body = self._expression(0)
        if body.type not in INPUT_TYPES.values():
            self._wrong("a program returns a number or a list, not flags", start)
        if self._peek():
            self._wrong("the program has ended before this")
        return Program(tuple(self.parameters), body)

    def _parameter(self) -> None:
        name = self._next()
        if not NAME.match(name.text):
            self._wrong("a parameter's name is expected here", name)
        if name.text in {parameter.name for parameter in self.parameters}:
            self._wrong(f"there is a parameter `{name.text}` already", name)
        self._expect(":")
        kind = self._next()
        if kind.text not in INPUT_TYPES:
            self._wrong("a parameter is a list or an int", kind)
        self.parameters.append(Parameter(name.text, INPUT_TYPES[kind.text]))

    def _expression(self, depth: int) -> Expression:
        token = self._next()
        if depth > DEEPEST:
            self._wrong(f"more than {DEEPEST} calls inside of each other", token)
        if token.text == "[":
            self._expect("]")
            return Empty()
        if token.text.lstrip("-").isdigit():
            if len(token.text) > 11 or not INT_MIN <= int(token.text) <= INT_MAX:
                self._wrong("the number does not fit into 32 bits", token)
            return Constant(int(token.text))
        if self._peek() == "(" and token.text in NAMES:
            return self._call(token, depth)
        for place, parameter in enumerate(self.parameters):
            if parameter.name == token.text:
                return Input(place, parameter.type)
        return self._wrong("there is no such parameter or operation", token)

    def _call(self, name: _Token, depth: int) -> Expression:
        self._expect("(")
        arguments: list[Expression] = []
        while self._peek() != ")":
            if arguments:
                self._expect(",")
            arguments.append(self._expression(depth + 1))
        self._expect(")")
        types = tuple(argument.type for argument in arguments)
        if (name.text, types) not in NUMBERS:
            given = ", ".join(TYPE_NAMES[t] for t in types)
            self._wrong(f"`{name.text}` does not take ({given})", name)
        number = NUMBERS[name.text, types]
        return Call(number, tuple(arguments), OPERATIONS[number].result)

    def _peek(self) -> str:
        return self.tokens[self.at].text

    def _next(self) -> _Token:
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def _expect(self, text: str) -> None:
        token = self._next()
        if token.text != text:
            self._wrong(f"`{text}` is expected here", token)

    def _wrong(self, message: str, token: _Token | None = None) -> NoReturn:
        raise ParseError(message, self.text, (token or self.tokens[self.at]).offset)
