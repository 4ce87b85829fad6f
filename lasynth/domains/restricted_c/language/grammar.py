"""The grammar of lexeme sequences: the automaton that decides which sequences are programs.

It has three users. Decoding asks it which lexemes may come next (`LexemeGrammar`, one state per unfinished program).
The machine checks a sequence before it translates it. The reducer checks its edits, which may break a program. All of
it is compiled.

A state is a row of integers. It says what may come next, which variables are in scope (one bit each), and which blocks
are open (two bits each).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.lexemes import Kind
from lasynth.domains.restricted_c.language.nodes import MAX_DEPTH, MAX_OPERATORS
from lasynth.domains.restricted_c.language.vocabulary import PADDING, LexemeTable
from lasynth.jit import compiled

# Kinds as plain integers: numba compiles module constants, but not enumerations.
END, DECLARE, DECLARE_RAW, ASSIGN = (int(k) for k in (Kind.END, Kind.DECLARE, Kind.DECLARE_RAW, Kind.ASSIGN))
PRE_INC, PRE_DEC, POST_INC, POST_DEC = (int(k) for k in (Kind.PRE_INC, Kind.PRE_DEC, Kind.POST_INC, Kind.POST_DEC))
SEMICOLON, CONST, PLACE, PLUS, MINUS = (int(k) for k in (Kind.SEMICOLON, Kind.CONST, Kind.PLACE, Kind.PLUS, Kind.MINUS))
LT, GT, LE, GE, NE = (int(k) for k in (Kind.LT, Kind.GT, Kind.LE, Kind.GE, Kind.NE))
AND, OR, IF, THEN, ELSE, CLOSE = (int(k) for k in (Kind.AND, Kind.OR, Kind.IF, Kind.THEN, Kind.ELSE, Kind.CLOSE))
FOR, FOR_INT, RANGE, BREAK, CONTINUE = (int(k) for k in (Kind.FOR, Kind.FOR_INT, Kind.RANGE, Kind.BREAK, Kind.CONTINUE))

# Fields of a state. DEPTH counts the open blocks, LOOPS the open loops. OPERATORS counts the + and - of the expression
# being read; in the head of a loop it holds the kind of the block to open. COMPARED is 1 if the test has its relation.
MODE, SCOPE, BLOCKS, DEPTH, LOOPS, OPERATORS, COMPARED = range(7)
STATE_SIZE = 7

# Values of MODE: what may come next. `advance` relies on the order: the mode after an operand is the next number.
DECLARATIONS = 0  # a declaration, a statement, or the end
INITIAL_VALUE = 1
FIRST = 2  # the first statement of a block
NEXT = 3  # another statement, or the end of the block or program
VALUE = 4  # an operand of an assignment
AFTER_VALUE = 5
SIDE = 6  # an operand of a test
AFTER_SIDE = 7
LOOP_START = 8
LOOP_RANGE = 9
LOOP_LIMIT = 10
DONE = 11

# Kinds of open blocks, two bits each in BLOCKS. An OWN_LOOP_BLOCK belongs to a loop that declares its variable.
LOOP_BLOCK, OWN_LOOP_BLOCK, THEN_BLOCK, ELSE_BLOCK = range(4)


@compiled
def in_scope(scope: int, place: int) -> bool:
    """Whether the variable in a place is in scope. True for a constant subscript, which has no variable."""
    return place < 0 or (scope >> (place >> 1)) & 1 == 1


@compiled
def next_declared(scope: int) -> int:
    """The slot of the variable that the next declaration must declare: p_0, then l_1, l_2, .."""
    if scope & 1 == 0:
        return 0
    slot = 1
    while (scope >> slot) & 1:
        slot += 2
    return slot


@compiled
def next_loop_slot(scope: int) -> int:
    """The slot of the variable that the next `for int` must declare: the first p_k that is free."""
    slot = 0
    while (scope >> slot) & 1:
        slot += 2
    return slot


@compiled
def accepts_statement(state: NDArray[np.int64], kind: int, argument: int) -> bool:
    """Whether a statement may begin here with this lexeme."""
    if ASSIGN <= kind <= POST_DEC:
        return in_scope(state[SCOPE], argument)
    if kind == IF:
        return state[DEPTH] < MAX_DEPTH
    if kind == FOR:
        return state[DEPTH] < MAX_DEPTH and in_scope(state[SCOPE], 2 * argument)
    if kind == FOR_INT:
        return state[DEPTH] < MAX_DEPTH and argument == next_loop_slot(state[SCOPE])
    return (kind == BREAK or kind == CONTINUE) and state[LOOPS] > 0


@compiled
def accepts(state: NDArray[np.int64], kind: int, argument: int) -> bool:
    """Whether the lexeme may come next."""
    mode = state[MODE]
    if mode == DECLARATIONS:
        if kind == DECLARE or kind == DECLARE_RAW:
            return argument == next_declared(state[SCOPE])
        return kind == END or accepts_statement(state, kind, argument)
    if mode == FIRST:
        return accepts_statement(state, kind, argument)
    if mode == NEXT:
        if state[DEPTH] == 0:
            return kind == END or accepts_statement(state, kind, argument)
        if kind == ELSE:
            return state[BLOCKS] & 3 == THEN_BLOCK
        return kind == CLOSE or accepts_statement(state, kind, argument)
    if mode == VALUE or mode == SIDE:
        return kind == CONST or (kind == PLACE and in_scope(state[SCOPE], argument))
    if mode == AFTER_VALUE or mode == AFTER_SIDE:
        if kind == PLUS or kind == MINUS:
            return state[OPERATORS] < MAX_OPERATORS
        if mode == AFTER_VALUE:
            return kind == SEMICOLON
        if LT <= kind <= NE:
            return state[COMPARED] == 0
        return kind == AND or kind == OR or kind == THEN
    if mode == INITIAL_VALUE or mode == LOOP_START or mode == LOOP_LIMIT:
        return kind == CONST
    if mode == DONE:
        return kind == PADDING
    return kind == RANGE


@compiled
def open_block(state: NDArray[np.int64], block: int) -> None:
    state[BLOCKS] = state[BLOCKS] << 2 | block
    state[DEPTH] += 1
    state[LOOPS] += block <= OWN_LOOP_BLOCK
    state[MODE] = FIRST


@compiled
def close_block(state: NDArray[np.int64]) -> None:
    block = state[BLOCKS] & 3
    if block == OWN_LOOP_BLOCK:  # its variable is the last p_k in scope
        state[SCOPE] &= ~(1 << (next_loop_slot(state[SCOPE]) - 2))
    state[BLOCKS] >>= 2
    state[DEPTH] -= 1
    state[LOOPS] -= block <= OWN_LOOP_BLOCK
    state[MODE] = NEXT


@compiled
def advance(state: NDArray[np.int64], kind: int, argument: int) -> None:
    """Update the state with a lexeme that `accepts` allows."""
    mode = state[MODE]
    if kind == DECLARE or kind == DECLARE_RAW:
        state[SCOPE] |= 1 << argument
        state[MODE] = INITIAL_VALUE if kind == DECLARE else DECLARATIONS
    elif kind == CONST or kind == PLACE:
        if mode == LOOP_LIMIT:
            open_block(state, state[OPERATORS])
        else:
            state[MODE] = DECLARATIONS if mode == INITIAL_VALUE else mode + 1
    elif kind == PLUS or kind == MINUS:
        state[OPERATORS] += 1
        state[MODE] = mode - 1
    elif LT <= kind <= NE:
        state[COMPARED] = 1
        state[OPERATORS] = 0
        state[MODE] = SIDE
    elif kind == IF or kind == AND or kind == OR:
        state[COMPARED] = 0
        state[OPERATORS] = 0
        state[MODE] = SIDE
    elif kind == ASSIGN:
        state[OPERATORS] = 0
        state[MODE] = VALUE
    elif kind == FOR or kind == FOR_INT:
        if kind == FOR_INT:
            state[SCOPE] |= 1 << argument
        state[OPERATORS] = LOOP_BLOCK if kind == FOR else OWN_LOOP_BLOCK  # kept here until the head is complete
        state[MODE] = LOOP_START
    elif kind == RANGE:
        state[MODE] = LOOP_LIMIT
    elif kind == THEN:
        open_block(state, THEN_BLOCK)
    elif kind == ELSE:
        close_block(state)
        open_block(state, ELSE_BLOCK)
    elif kind == CLOSE:
        close_block(state)
    elif kind != PADDING:
        state[MODE] = DONE if kind == END else NEXT


@compiled
def check(kinds: NDArray[np.uint8], arguments: NDArray[np.int32], state: NDArray[np.int64]) -> int:
    """Position of the first lexeme that is not allowed, or -1 if the sequence is a program with END at its end.

    An unfinished program gives the number of its lexemes. `state` is working memory of STATE_SIZE numbers: callers in a
    loop allocate it once.
    """
    state[:] = 0
    for i in range(kinds.size):
        if not accepts(state, kinds[i], arguments[i]):
            return i
        advance(state, kinds[i], arguments[i])
    return -1 if state[MODE] == DONE else kinds.size


@compiled
def same_state(states: NDArray[np.int64], one: int, other: int) -> bool:
    """Whether two rows are equal."""
    field = 0
    while field < STATE_SIZE and states[one, field] == states[other, field]:
        field += 1
    return field == STATE_SIZE


@compiled
def place_of(states: NDArray[np.int64], row: int, known: NDArray[np.int64]) -> int:
    """The place in a hash table of rows that holds the number of an equal row; it holds -1 if there is none."""
    place = 0
    for field in range(STATE_SIZE):
        place = (place * 31 + states[row, field]) & 0xFFFFFF
    place %= known.size
    while known[place] >= 0 and not same_state(states, known[place], row):
        place = (place + 1) % known.size
    return place


@compiled
def allowed_rows(
    states: NDArray[np.int64], kinds: NDArray[np.uint8], arguments: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Which of V lexemes may come next in each of R states. (R, STATE_SIZE), (V,), (V,) -> (R, V)

    The hypotheses of a search have few distinct states. Each distinct state is looked at once.
    """
    allowed = np.empty((states.shape[0], kinds.size), np.bool_)
    known = np.full(2 * states.shape[0] + 1, -1, np.int64)
    for row in range(states.shape[0]):
        place = place_of(states, row, known)
        if known[place] >= 0:
            allowed[row] = allowed[known[place]]
            continue
        known[place] = row
        for lexeme in range(kinds.size):
            allowed[row, lexeme] = accepts(states[row], kinds[lexeme], arguments[lexeme])
    return allowed


@compiled
def advance_rows(
    states: NDArray[np.int64], tokens: NDArray[np.int64], kinds: NDArray[np.uint8], arguments: NDArray[np.int32]
) -> int:
    """Advance each state in place. Stop at the first row whose lexeme is not allowed and return it; else return -1."""
    for row in range(states.shape[0]):
        kind, argument = kinds[tokens[row]], arguments[tokens[row]]
        if not accepts(states[row], kind, argument):
            return row
        advance(states[row], kind, argument)
    return -1


class LexemeGrammar:
    """Says which lexemes of a dialect may come next: the `Syntax` of the domain."""

    def __init__(self, table: LexemeTable) -> None:
        self.table = table

    def start(self, count: int) -> NDArray[np.int64]:
        return np.zeros((count, STATE_SIZE), np.int64)

    def allowed(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        return allowed_rows(states, self.table.kinds, self.table.arguments)

    def advance(self, states: NDArray[np.int64], tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        states = states.copy()
        wrong = advance_rows(states, np.asarray(tokens, np.int64), self.table.kinds, self.table.arguments)
        if wrong >= 0:
            raise ValueError(f"`{self.table.vocab.lexemes[tokens[wrong]]}` cannot come next in row {wrong}")
        return states
