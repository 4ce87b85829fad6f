"""Programs as lexemes for models: the types of the parameters, then the body with operations after their arguments.

`(a: list, k: int) => take(a, k)` is `(list,int)`, `in0`, `in1`, `take(list,int)`. Each lexeme of the body acts on a
stack of values: a leaf puts one on it, an operation takes its arguments from it and puts its result there. So every
lexeme is a statement with a visible effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

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
DEEPEST = 8
"""Values on the stack that the grammar of models allows; the parser takes more."""
SIGNATURES = tuple(
    types for count in range(1, MOST_INPUTS + 1) for types in product((Type.LIST, Type.INT), repeat=count)
)
"""Types of the parameters."""


def _signature_lexeme(types: Sequence[Type]) -> str:
    return f"({','.join(TYPE_NAMES[t] for t in types)})"


def _operation_lexeme(number: int) -> str:
    operation = OPERATIONS[number]
    return operation.name + _signature_lexeme(operation.arguments)


BY_SIGNATURE = {_signature_lexeme(types): types for types in SIGNATURES}
BY_LEXEME = {_operation_lexeme(number): number for number in range(len(OPERATIONS))}
VOCAB = Vocab((*BY_SIGNATURE, *(f"in{i}" for i in range(MOST_INPUTS)), "[]", *map(str, CONSTANTS), *BY_LEXEME))
SIGNATURE = len(SPECIAL)
"""Number of the first lexeme of its kind; the same below."""
INPUT = SIGNATURE + len(SIGNATURES)
EMPTY = INPUT + MOST_INPUTS
CONSTANT = EMPTY + 1
OPERATION = CONSTANT + len(CONSTANTS)


def usual_parameters(types: Sequence[Type]) -> tuple[Parameter, ...]:
    lists, numbers = iter(LIST_NAMES), iter(NUMBER_NAMES)
    return tuple(Parameter(next(lists if t == Type.LIST else numbers), t) for t in types)


def to_lexemes(program: Program) -> list[str]:
    head = _signature_lexeme([p.type for p in program.parameters])
    return [head, *(_lexeme(expression) for expression in walk(program.body))]


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
    types, stack = unfinished(lexemes)
    if len(stack) != 1 or stack[0].type not in (Type.INT, Type.LIST):
        text = " ".join(lexemes)
        raise ParseError("the lexemes do not end with one number or list", text, len(text))
    return Program(usual_parameters(types), stack[0])


def unfinished(lexemes: Sequence[str]) -> tuple[tuple[Type, ...], list[Expression]]:
    """The types of the inputs, and the expressions on the stack after the lexemes of an unfinished program.
    ParseError."""
    text = " ".join(lexemes)
    head, *body = lexemes or [""]
    if head not in BY_SIGNATURE:
        raise ParseError("a program begins with the types of its inputs", text, 0)
    types = BY_SIGNATURE[head]
    stack: list[Expression] = []
    offset = len(head) + 1
    for lexeme in body:
        if not _push(stack, types, lexeme):
            raise ParseError("this lexeme cannot stand here", text, offset)
        offset += len(lexeme) + 1
    return types, stack


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


PLACES = 3
"""Types on top of the stack that decide which operations may come next."""


class StackSyntax:
    """Which lexemes may come next. A state is a row: the lexeme of the signature (0 before it), the depth of the stack,
    and the types on it plus 1, those on top first.

    Every prefix is the beginning of a program: what is on top of the stack can become a value of any type by operations
    on one value (`to_number`, `single`, `odd`, `any`), and two values of one type become one by `add`, `concat` or
    `and`.
    """

    def __init__(self) -> None:
        kinds = len(Type) + 1
        self.operations = np.zeros((kinds,) * PLACES + (len(VOCAB),), np.bool_)
        """[types plus 1, the top first; lexeme]: the operations that take what is on top of the stack."""
        self.results = np.zeros(len(VOCAB), np.int64)
        """Types plus 1 of operations and constants."""
        self.results[EMPTY], self.results[CONSTANT:OPERATION] = 1 + Type.LIST, 1 + Type.INT
        self.taken = np.zeros(len(VOCAB), np.int64)
        """Numbers of arguments."""
        for number, operation in enumerate(OPERATIONS):
            top = tuple(1 + int(type_) for type_ in reversed(operation.arguments))
            self.operations[top][..., OPERATION + number] = True
            self.results[OPERATION + number] = 1 + operation.result
            self.taken[OPERATION + number] = len(top)
        self.inputs = np.zeros((INPUT, MOST_INPUTS), np.int64)
        """[lexeme of a signature, place]: types of the inputs plus 1; 0 where there is none."""
        for number, types in enumerate(SIGNATURES):
            self.inputs[SIGNATURE + number, : len(types)] = [1 + type_ for type_ in types]

    def start(self, count: int) -> NDArray[np.int64]:
        return np.zeros((count, 2 + DEEPEST), np.int64)

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        signature, depth, *top = states.T[: 2 + PLACES]
        mask: NDArray[np.bool_] = self.operations[tuple(top)].copy()  # (N, V)
        begun, room = signature > 0, depth < DEEPEST
        mask[:, SIGNATURE:INPUT] = ~begun[:, None]
        mask[:, INPUT:EMPTY] = (self.inputs[signature] > 0) & room[:, None]
        mask[:, EMPTY:OPERATION] = (begun & room)[:, None]
        mask[:, EOS] = (depth == 1) & np.isin(top[0], (1 + Type.INT, 1 + Type.LIST))
        return mask

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = np.arange(len(tokens))
        if not self.allowed(states)[rows, tokens].all():
            raise ValueError("a lexeme is not allowed here")
        states = states.copy()
        heads = (tokens >= SIGNATURE) & (tokens < INPUT)
        states[heads, 0] = tokens[heads]
        acting = tokens >= INPUT
        inputs = (tokens >= INPUT) & (tokens < EMPTY)
        results = self.results[tokens]
        results[inputs] = self.inputs[states[inputs, 0], tokens[inputs] - INPUT]
        for taken in range(PLACES + 1):
            here = acting & (self.taken[tokens] == taken)
            below = states[here, 2 + taken :]
            states[here, 2:] = 0
            states[here, 2] = results[here]
            states[here, 3 : 3 + min(below.shape[1], DEEPEST - 1)] = below[:, : DEEPEST - 1]
            states[here, 1] += 1 - taken
        return states
