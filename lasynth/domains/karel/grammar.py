"""The lexemes with which a model writes Karel, and which of them may come next.

Public tokens that always appear together are one lexeme or none: `WHILE c( not c( frontIsClear c) c) w( move w)` is
`WHILE`, `not frontIsClear`, `move`, `w)`. Each closing lexeme names the block that it closes, and `i) ELSE e(` is one
lexeme, so a statement is complete as soon as its last lexeme is written. EOS ends the program. A compiled automaton
decides which lexeme may follow which. The parser does not use the automaton; tests check that the two agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel import syntax
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
from lasynth.jit import compiled
from lasynth.task import ParseError
from lasynth.vocab import EOS, PAD, SPECIAL, Vocab

KEYWORDS = ("REPEAT", "WHILE", "IF", "IFELSE")
CONDITIONS = (*TESTS, *(f"not {test}" for test in TESTS))
CLOSINGS = ("r)", "w)", "i)", "i) ELSE e(", "e)")
VOCAB = Vocab((*ACTIONS, *KEYWORDS, *syntax.COUNTS, *CONDITIONS, *CLOSINGS))

ACTION = len(SPECIAL)
"""Number of the first action; the other actions follow in the order above. COUNT and CONDITION work the same way."""
REPEAT, WHILE, IF, IFELSE = range(ACTION + len(ACTIONS), ACTION + len(ACTIONS) + len(KEYWORDS))
COUNT = IFELSE + 1
CONDITION = COUNT + MAX_TIMES + 1
END_REPEAT, END_WHILE, END_IF, ELSE, END_ELSE = range(CONDITION + len(CONDITIONS), len(VOCAB))
SIZE = len(VOCAB)
STATEMENT_ENDS: NDArray[np.bool_] = np.isin(VOCAB.lexemes, (*ACTIONS, *CLOSINGS))
"""(vocabulary,) whether a statement, inside a block or not, is complete with this lexeme."""
NESTING: NDArray[np.int64] = np.isin(VOCAB.lexemes, KEYWORDS).astype(np.int64)
"""(vocabulary,) how many blocks this lexeme opens; -1 where it closes one."""
NESTING[[END_REPEAT, END_WHILE, END_IF, END_ELSE]] = -1

# A state: the phase, the depth, whether the innermost block has a statement, the closing lexeme of each open block.
PHASE, DEPTH, FILLED, STACK = 0, 1, 2, 3
STATE = STACK + MAX_NESTING
IN_BLOCK, WANTS_COUNT, WANTS_CONDITION, OVER = 0, 1, 2, 3


@compiled
def accepts(state: NDArray[np.int64], token: int) -> bool:
    """Whether the lexeme may come next."""
    if state[PHASE] == OVER:
        return bool(token == PAD)
    if state[PHASE] == WANTS_COUNT:
        return bool(COUNT <= token < CONDITION)
    if state[PHASE] == WANTS_CONDITION:
        return bool(CONDITION <= token < END_REPEAT)
    if ACTION <= token < REPEAT:
        return True
    if REPEAT <= token <= IFELSE:
        return bool(state[DEPTH] < MAX_NESTING)
    if state[FILLED] == 0:
        return False
    if token == EOS:
        return bool(state[DEPTH] == 0)
    return bool(state[DEPTH] > 0 and token == state[STACK + state[DEPTH] - 1])


@compiled
def follow(state: NDArray[np.int64], token: int) -> None:
    """Update the state for a lexeme that `accepts` allows."""
    if state[PHASE] == OVER:
        return
    if state[PHASE] != IN_BLOCK:
        state[PHASE] = IN_BLOCK
    elif ACTION <= token < REPEAT:
        state[FILLED] = 1
    elif token == EOS:
        state[PHASE] = OVER
    elif token == ELSE:
        state[STACK + state[DEPTH] - 1] = END_ELSE
        state[FILLED] = 0
    elif token >= END_REPEAT:
        state[DEPTH] -= 1
        state[STACK + state[DEPTH]] = 0
        state[FILLED] = 1
    else:
        state[STACK + state[DEPTH]] = END_REPEAT + token - REPEAT  # closings are in the order of the keywords
        state[DEPTH] += 1
        state[FILLED] = 0
        state[PHASE] = WANTS_COUNT if token == REPEAT else WANTS_CONDITION


@compiled
def _masks(states: NDArray[np.int64]) -> NDArray[np.bool_]:
    masks = np.zeros((states.shape[0], SIZE), dtype=np.bool_)
    for n in range(states.shape[0]):
        for token in range(SIZE):
            masks[n, token] = accepts(states[n], token)
    return masks


@compiled
def _follow_all(states: NDArray[np.int64], tokens: NDArray[np.int64]) -> int:
    """Advance each state in place; gives the row of the first lexeme that is not allowed, or -1."""
    for n in range(states.shape[0]):
        if not accepts(states[n], tokens[n]):
            return n
        follow(states[n], tokens[n])
    return -1


@compiled
def is_program(tokens: NDArray[np.int64]) -> bool:
    """Whether lexemes (without EOS) are a whole program. Compiled code relies on it."""
    state = np.zeros(STATE, dtype=np.int64)
    for token in tokens:
        if not accepts(state, token):
            return False
        follow(state, token)
    return accepts(state, EOS)


class KarelSyntax:
    """Masks of the lexemes that may come next, for many unfinished programs at once; after EOS only PAD may come."""

    def start(self, count: int) -> NDArray[np.int64]:
        return np.zeros((count, STATE), dtype=np.int64)

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        masks: NDArray[np.bool_] = _masks(states)
        return masks

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        after = np.array(states, dtype=np.int64)  # a contiguous copy, for the compiled code
        wrong = _follow_all(after, np.asarray(tokens, dtype=np.int64))
        if wrong >= 0:
            token = int(tokens[wrong])
            name = VOCAB.lexemes[token] if 0 <= token < SIZE else token
            raise ValueError(f"lexeme {name!r} may not come next in program {wrong}")
        return after


def lexemes(program: Program) -> list[str]:
    """The model's lexemes of a program, double negations resolved, without EOS."""
    return list(_block_lexemes(program.body))


def ids(program: Program) -> NDArray[np.int64]:
    """The numbers of `lexemes(program)`, as the compiled code takes them.

    A tree that no parser builds (with an empty block, or nested too deep) is a ValueError.
    """
    numbers = np.array(VOCAB.encode(lexemes(program))[:-1], dtype=np.int64)
    if not is_program(numbers):
        raise ValueError("the tree has an empty block or is nested too deep")
    return numbers


def _block_lexemes(block: Block) -> Iterable[str]:
    for statement in block:
        yield from _statement_lexemes(statement)


def _statement_lexemes(statement: Statement) -> Iterable[str]:
    match statement:
        case Action(name):
            return [name]
        case Repeat(times, body):
            return ["REPEAT", f"R={times}", *_block_lexemes(body), "r)"]
        case While(condition, body):
            return ["WHILE", _condition_lexeme(condition), *_block_lexemes(body), "w)"]
        case If(condition, body):
            return ["IF", _condition_lexeme(condition), *_block_lexemes(body), "i)"]
        case IfElse(condition, then, otherwise):
            head = ["IFELSE", _condition_lexeme(condition), *_block_lexemes(then)]
            return [*head, "i) ELSE e(", *_block_lexemes(otherwise), "e)"]


def _condition_lexeme(condition: Condition) -> str:
    return f"not {condition.test}" if condition.negated else condition.test


def expand(lexemes: Sequence[str]) -> list[str]:
    """The public tokens that the lexemes stand for; they need not form a program."""
    tokens = ["DEF", "run", "m("]
    opening = ""
    for lexeme in lexemes:
        if lexeme not in VOCAB or lexeme in SPECIAL:
            raise ParseError(f"unknown lexeme {lexeme[:40]!r}")
        tokens += _expansion(lexeme, opening)
        opening = {"REPEAT": "r(", "WHILE": "w(", "IF": "i(", "IFELSE": "i("}.get(lexeme, "")
    return [*tokens, "m)"]


def _expansion(lexeme: str, opening: str) -> list[str]:
    if lexeme in syntax.COUNTS:
        return [lexeme, opening]
    if lexeme in TESTS:
        return ["c(", lexeme, "c)", opening]
    if lexeme.startswith("not "):
        return ["c(", "not", "c(", lexeme[4:], "c)", "c)", opening]
    return lexeme.split()


def parse(lexemes: Sequence[str]) -> Program:
    """The program that lexemes spell. A ParseError points into the public tokens that they stand for."""
    return syntax.parse_tokens(" ".join(expand(lexemes)))
