"""Programs as lexemes for models: the types of the parameters, then the body with operations after their arguments.

`(a: list, k: int) => take(a, k)` is `list int => in0 in1 take(list,int)`. Each lexeme of the body acts on a stack of
values: a leaf puts one on it, an operation takes its arguments from it and puts its result there. So every operation is
a statement with a visible effect.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.language.nodes import (
    TYPE_NAMES,
    Call,
    Constant,
    Empty,
    Expression,
    Input,
    Parameter,
    Program,
    Type,
    walk,
)
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.values import LIST_NAMES, NUMBER_NAMES
from lasynth.task import ParseError
from lasynth.vocab import EOS, SPECIAL, Vocab

MOST_INPUTS = 4
CONSTANTS = range(-10, 100)
DEEPEST = 12
"""Values on the stack."""
ARROW = "=>"
TYPES = {"list": Type.LIST, "int": Type.INT}


def _operation_lexeme(number: int) -> str:
    operation = OPERATIONS[number]
    return f"{operation.name}({','.join(TYPE_NAMES[t] for t in operation.arguments)})"


LEXEMES = (
    *TYPES,
    ARROW,
    *(f"in{i}" for i in range(MOST_INPUTS)),
    "[]",
    *(str(c) for c in CONSTANTS),
    *(_operation_lexeme(number) for number in range(len(OPERATIONS))),
)
BY_LEXEME = {_operation_lexeme(number): number for number in range(len(OPERATIONS))}


def usual_parameters(types: Sequence[Type]) -> tuple[Parameter, ...]:
    lists, numbers = iter(LIST_NAMES), iter(NUMBER_NAMES)
    return tuple(Parameter(next(lists if t == Type.LIST else numbers), t) for t in types)


def to_lexemes(program: Program) -> list[str]:
    head = [TYPE_NAMES[p.type] for p in program.parameters]
    return [*head, ARROW, *(_lexeme(expression) for expression in walk(program.body))]


def _lexeme(expression: Expression) -> str:
    if isinstance(expression, Input):
        return f"in{expression.place}"
    if isinstance(expression, Constant):
        return str(expression.value)
    if isinstance(expression, Empty):
        return "[]"
    return _operation_lexeme(expression.operation)


def from_lexemes(lexemes: Sequence[str]) -> Program:
    """The program that lexemes spell. ParseError."""
    text = " ".join(lexemes)
    types: list[Type] = []
    stack: list[Expression] = []
    in_body = False
    offset = 0
    for lexeme in lexemes:
        if not in_body and lexeme in TYPES:
            types.append(TYPES[lexeme])
        elif not in_body and lexeme == ARROW and types:
            in_body = True
        elif not in_body or not _push(stack, types, lexeme):
            raise ParseError("this lexeme cannot stand here", text, offset)
        offset += len(lexeme) + 1
    if len(stack) != 1 or stack[0].type not in TYPES.values():
        raise ParseError("the lexemes do not end with one number or list", text, len(text))
    return Program(usual_parameters(types), stack[0])


def _push(stack: list[Expression], types: Sequence[Type], lexeme: str) -> bool:
    """Let a lexeme of the body act on the stack; whether it can."""
    if lexeme in BY_LEXEME:
        operation = OPERATIONS[BY_LEXEME[lexeme]]
        count = len(operation.arguments)
        arguments = tuple(stack[-count:])
        if tuple(argument.type for argument in arguments) != operation.arguments:
            return False
        stack[-count:] = [Call(BY_LEXEME[lexeme], arguments, operation.result)]
    elif lexeme.startswith("in") and lexeme[2:].isdigit() and int(lexeme[2:]) < len(types):
        stack.append(Input(int(lexeme[2:]), types[int(lexeme[2:])]))
    elif lexeme == "[]":
        stack.append(Empty())
    elif lexeme.lstrip("-").isdigit():
        stack.append(Constant(int(lexeme)))
    else:
        return False
    return True


class StackSyntax:
    """Which lexemes may come next. A state is a row: whether the body has begun, the number of parameters, their types,
    the depth of the stack, the types on it.

    Operations and parameters stand for at most `DEEPEST` values; whatever is on the stack can be combined to one
    number: a
    flag or a mask becomes a number or list, and numbers and lists are joined by `append`, `cons`, `add` and `concat`.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self.columns = 2 + MOST_INPUTS + 1 + DEEPEST + 2
        ids = {lexeme: i for i, lexeme in enumerate(vocab.lexemes)}
        self.header = {ids[name]: int(type_) for name, type_ in TYPES.items()}
        self.arrow = ids[ARROW]
        self.inputs = [ids[f"in{i}"] for i in range(MOST_INPUTS)]
        self.leaves = {ids["[]"]: int(Type.LIST), **{ids[str(c)]: int(Type.INT) for c in CONSTANTS}}
        self.operations = {ids[_operation_lexeme(n)]: OPERATIONS[n] for n in range(len(OPERATIONS))}

    def start(self, count: int) -> NDArray[np.int64]:
        return np.zeros((count, self.columns), np.int64)

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        mask = np.zeros((len(states), len(self.vocab)), np.bool_)
        for row, state in zip(mask, states, strict=True):
            self._allow(row, state)
        return mask

    def _allow(self, row: NDArray[np.bool_], state: NDArray[np.int64]) -> None:
        begun, inputs, depth = state[0], int(state[1]), int(state[2 + MOST_INPUTS])
        if not begun:
            row[list(self.header)] = inputs < MOST_INPUTS
            row[self.arrow] = inputs > 0
            return
        stack = tuple(state[3 + MOST_INPUTS : 3 + MOST_INPUTS + depth].tolist())
        if depth < DEEPEST:
            row[list(self.leaves)] = True
            row[self.inputs[:inputs]] = True
        for token, operation in self.operations.items():
            row[token] = stack[-len(operation.arguments) :] == operation.arguments
        if depth >= DEEPEST - 2:  # leave room to combine what is there
            row[list(self.leaves)] = depth < DEEPEST
        row[EOS] = depth == 1 and stack[0] in TYPES.values()

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        allowed = self.allowed(states)
        if not allowed[np.arange(len(tokens)), tokens].all():
            raise ValueError("a lexeme is not allowed here")
        states = states.copy()
        for state, token in zip(states, tokens.tolist(), strict=True):
            self._advance(state, token)
        return states

    def _advance(self, state: NDArray[np.int64], token: int) -> None:
        base = 3 + MOST_INPUTS
        depth = int(state[2 + MOST_INPUTS])
        if token in self.header:
            state[2 + state[1]] = self.header[token]
            state[1] += 1
            return
        if token == self.arrow:
            state[0] = 1
            return
        if token < len(SPECIAL):
            return
        if token in self.operations:
            operation = self.operations[token]
            depth -= len(operation.arguments)
            state[base + depth : base + DEEPEST] = 0
            type_ = int(operation.result)
        else:
            type_ = self.leaves[token] if token in self.leaves else int(state[2 + self.inputs.index(token)])
        state[base + depth] = type_
        state[2 + MOST_INPUTS] = depth + 1
