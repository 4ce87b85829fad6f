"""Translates lexemes into bytecode for the machine. All of it is compiled, so programs need not pass through Python.

Memory is one array of cells: first the list, then the variables by slot, two temporaries, and the constants. An operand
is the number of a cell. A negative operand `~cell` is the list element whose subscript is in that cell; the machine
checks the subscript at run time. An instruction is five numbers: the operation, the target, two operands, and a jump
goal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.grammar import (
    AND,
    ASSIGN,
    BREAK,
    CLOSE,
    CONST,
    CONTINUE,
    DECLARE,
    DECLARE_RAW,
    ELSE,
    END,
    FOR,
    FOR_INT,
    IF,
    LT,
    MINUS,
    NE,
    OR,
    PLACE,
    PLUS,
    POST_DEC,
    POST_INC,
    PRE_INC,
    SEMICOLON,
    THEN,
)
from lasynth.domains.restricted_c.language.lexemes import MAX_SLOTS
from lasynth.domains.restricted_c.language.nodes import MAX_DEPTH
from lasynth.jit import compiled

# Operations. JUMP_x jumps if `left x right` holds; these are in the order of the kinds of relations.
HALT, MOVE, ADD, SUB, STEP, JUMP = range(6)
JUMP_LT, JUMP_GT, JUMP_LE, JUMP_GE, JUMP_EQ, JUMP_NE = range(6, 12)
# Begin a loop: set its variable and count the first test. Go on if it holds (RIGHT is 1), else jump past the loop.
ENTER = 12
# End of a loop's body, in the order of `lexemes.RANGES`: step the variable, count the test, jump back if it holds.
LOOP_LE_UP, LOOP_GE_DOWN, LOOP_LE_DOWN, LOOP_GE_UP = range(13, 17)
SET, UNSET_CELL = 17, 18  # a declaration with an initial value, and one without

WIDTH = 5
OPERATION, TO, LEFT, RIGHT, GOAL = range(WIDTH)

UNSET = -(2**62)
"""Marks a variable that has no value yet. No 32-bit result is equal to it."""
FIRST_TEMPORARY = MAX_SLOTS
ZERO = MAX_SLOTS + 2
FIRST_CONSTANT = MAX_SLOTS + 3
"""Cells after the list: the variables, two temporaries (for the sides of a test), the constant 0, other constants."""

# Fields of an open block. Of a loop: the cell of its variable, its LOOP_x operation, its limit, the first instruction
# of its body, and the chains of jumps (see `land`) to its end and its next test. A branch has only IS_LOOP and EXITS.
IS_LOOP, CELL, BACK, LIMIT, TOP, EXITS, CONTINUES = range(7)
# Registers of the translation: the next instruction, the next free cell and the number of open blocks.
# Of the expression being read: its value so far, the sign before the next operand, and the target of the assignment.
# Of the test being read: its left side and its relation.
# Of the condition being read: the chains of jumps that are taken if it is false and if it is true.
HERE, FREE, DEPTH, VALUE, SIGN, TARGET, SIDE, RELATION, IF_FALSE, IF_TRUE = range(10)


class Translation(NamedTuple):
    """The arrays that a translation works on. `workspace` allocates them; they serve for many programs."""

    length: int
    """Number of elements of the list."""
    code: NDArray[np.int32]  # (instructions, WIDTH)
    memory: NDArray[np.int64]
    registers: NDArray[np.int64]
    blocks: NDArray[np.int64]  # (MAX_DEPTH, 7)
    fixed: NDArray[np.int64]
    """(MAX_SLOTS,) the value of a variable that never changes and is a valid subscript, else -1."""


@compiled
def workspace(lexemes: int, length: int) -> Translation:
    """Allocate arrays that are large enough for any program of at most `lexemes` and lists of `length`."""
    return Translation(
        length,
        np.zeros((2 * lexemes, WIDTH), np.int32),
        np.zeros(length + FIRST_CONSTANT + lexemes, np.int64),
        np.zeros(10, np.int64),
        np.zeros((MAX_DEPTH, 7), np.int64),
        np.zeros(MAX_SLOTS, np.int64),
    )


@compiled
def emit(t: Translation, operation: int, to: int, left: int, right: int, goal: int) -> int:
    """Write one instruction and return its number."""
    here = t.registers[HERE]
    t.code[here, OPERATION] = operation
    t.code[here, TO] = to
    t.code[here, LEFT] = left
    t.code[here, RIGHT] = right
    t.code[here, GOAL] = goal
    t.registers[HERE] = here + 1
    return here


@compiled
def land(t: Translation, chain: int) -> None:
    """Let all jumps of a chain lead to the next instruction.

    Jumps whose goal is not known yet form a linked list: each holds the number of the next in its goal field, the last
    one -1. `chain` is the number of the first.
    """
    while chain >= 0:
        following = t.code[chain, GOAL]
        t.code[chain, GOAL] = t.registers[HERE]
        chain = following


@compiled
def constant(t: Translation, value: int) -> int:
    """Store `value` in a new cell and return the cell."""
    cell = t.registers[FREE]
    t.memory[cell] = value
    t.registers[FREE] = cell + 1
    return cell


@compiled
def operand_of(t: Translation, place: int) -> int:
    """The operand for a place. A subscript that is known and inside the list needs no check at run time."""
    if place < 0:
        subscript = -1 - place
        return subscript if subscript < t.length else ~constant(t, subscript)
    slot = place >> 1
    if place & 1 == 0:
        return t.length + slot
    return t.fixed[slot] if t.fixed[slot] >= 0 else ~(t.length + slot)


@compiled
def find_fixed_subscripts(t: Translation, kinds: NDArray[np.uint8], arguments: NDArray[np.int32]) -> None:
    """Fill `t.fixed`: a declared variable is fixed if no statement and no loop writes to it."""
    t.fixed[:] = -1
    for i in range(kinds.size):
        kind, argument = kinds[i], arguments[i]
        if kind == DECLARE and 0 <= arguments[i + 1] < t.length:
            t.fixed[argument] = arguments[i + 1]
        elif kind == FOR or kind == FOR_INT:
            t.fixed[argument] = -1
        elif ASSIGN <= kind <= POST_DEC and argument >= 0 and argument & 1 == 0:
            t.fixed[argument >> 1] = -1


@compiled
def take_operand(t: Translation, operand: int, last: bool) -> None:
    """Add an operand to the expression being read. `last` says that it ends an assignment: write to the target."""
    r = t.registers
    if r[SIGN] == 0:
        r[VALUE] = operand
        if last:
            emit(t, MOVE, r[TARGET], operand, 0, 0)
        return
    to = r[TARGET] if last else t.length + FIRST_TEMPORARY + (r[RELATION] != 0)
    emit(t, ADD if r[SIGN] == PLUS else SUB, to, r[VALUE], operand, 0)
    r[VALUE] = to
    r[SIGN] = 0


@compiled
def begin_right_side(t: Translation, relation: int, is_sum: bool) -> None:
    """Keep the left side of a test and its relation.

    If the right side is a sum, read a place on the left first, so that its fault comes first, as in the interpreter.
    """
    r = t.registers
    temporary = t.length + FIRST_TEMPORARY
    if is_sum and r[VALUE] != temporary:
        emit(t, MOVE, temporary, r[VALUE], 0, 0)
        r[VALUE] = temporary
    r[SIDE], r[RELATION] = r[VALUE], relation


@compiled
def end_test(t: Translation, kind: int) -> None:
    """Emit the jump for a test that is read. `kind` is the lexeme after it: AND, OR, or THEN, which opens the block."""
    r = t.registers
    if r[RELATION] == 0:
        jump, left, right = JUMP_NE, r[VALUE], t.length + ZERO
    else:
        jump, left, right = JUMP_LT + r[RELATION] - LT, r[SIDE], r[VALUE]
    if kind == OR:
        r[IF_TRUE] = emit(t, jump, 0, left, right, r[IF_TRUE])
        land(t, r[IF_FALSE])
        r[IF_FALSE] = -1
    else:
        r[IF_FALSE] = emit(t, opposite(jump), 0, left, right, r[IF_FALSE])
    r[RELATION] = 0
    if kind == THEN:
        land(t, r[IF_TRUE])
        t.blocks[r[DEPTH], IS_LOOP] = 0
        t.blocks[r[DEPTH], EXITS] = r[IF_FALSE]
        r[DEPTH] += 1


@compiled
def opposite(jump: int) -> int:
    """The jump that is taken when `jump` is not."""
    if jump == JUMP_LT:
        return JUMP_GE
    if jump == JUMP_GE:
        return JUMP_LT
    if jump == JUMP_GT:
        return JUMP_LE
    if jump == JUMP_LE:
        return JUMP_GT
    return JUMP_NE if jump == JUMP_EQ else JUMP_EQ


@compiled
def begin_loop(t: Translation, slot: int, start: int, range_index: int, limit: int) -> None:
    """Emit the head of a loop. Start and limit are constants, so it is known here whether the body runs at all."""
    runs = start <= limit if range_index % 2 == 0 else start >= limit
    entry = emit(t, ENTER, t.length + slot, start, runs, -1)
    block = t.blocks[t.registers[DEPTH]]
    block[IS_LOOP] = 1
    block[CELL] = t.length + slot
    block[BACK] = LOOP_LE_UP + range_index
    block[LIMIT] = limit
    block[TOP] = t.registers[HERE]
    block[EXITS] = -1 if runs else entry
    block[CONTINUES] = -1
    t.registers[DEPTH] += 1


@compiled
def leave_loop(t: Translation, chain: int) -> None:
    """Emit the jump of `break` (chain EXITS) or `continue` (chain CONTINUES) and add it to the innermost loop."""
    loop = t.registers[DEPTH] - 1
    while t.blocks[loop, IS_LOOP] == 0:
        loop -= 1
    t.blocks[loop, chain] = emit(t, JUMP, 0, 0, 0, t.blocks[loop, chain])


@compiled
def begin_else(t: Translation) -> None:
    block = t.blocks[t.registers[DEPTH] - 1]
    if_false = block[EXITS]
    block[EXITS] = emit(t, JUMP, 0, 0, 0, -1)
    land(t, if_false)


@compiled
def end_block(t: Translation) -> None:
    t.registers[DEPTH] -= 1
    block = t.blocks[t.registers[DEPTH]]
    if block[IS_LOOP] == 1:
        land(t, block[CONTINUES])
        emit(t, block[BACK], block[CELL], block[LIMIT], 0, block[TOP])
    land(t, block[EXITS])


@compiled
def translate(t: Translation, kinds: NDArray[np.uint8], arguments: NDArray[np.int32]) -> None:
    """Write bytecode to `t.code` and constants to `t.memory`. The grammar must accept the lexemes."""
    r = t.registers
    r[:] = 0
    r[FREE] = t.length + FIRST_CONSTANT
    t.memory[t.length + ZERO] = 0
    find_fixed_subscripts(t, kinds, arguments)
    for i in range(kinds.size):
        kind, argument = kinds[i], arguments[i]
        if kind == PLACE:
            take_operand(t, operand_of(t, argument), kinds[i + 1] == SEMICOLON)
        elif kind == CONST:
            take_operand(t, constant(t, argument), kinds[i + 1] == SEMICOLON)
        elif kind == PLUS or kind == MINUS:
            r[SIGN] = kind
        elif kind == ASSIGN:
            r[TARGET] = operand_of(t, argument)
        elif PRE_INC <= kind <= POST_DEC:
            emit(t, STEP, operand_of(t, argument), 1 if kind == PRE_INC or kind == POST_INC else -1, 0, 0)
        elif kind == IF:
            r[IF_FALSE], r[IF_TRUE] = -1, -1
        elif LT <= kind <= NE:
            begin_right_side(t, kind, kinds[i + 2] == PLUS or kinds[i + 2] == MINUS)
        elif kind == AND or kind == OR or kind == THEN:
            end_test(t, kind)
        elif kind == ELSE:
            begin_else(t)
        elif kind == FOR or kind == FOR_INT:
            begin_loop(t, argument, arguments[i + 1], arguments[i + 2], arguments[i + 3])
        elif kind == BREAK:
            leave_loop(t, EXITS)
        elif kind == CONTINUE:
            leave_loop(t, CONTINUES)
        elif kind == CLOSE:
            end_block(t)
        elif kind == DECLARE:
            emit(t, SET, t.length + argument, arguments[i + 1], 0, 0)
        elif kind == DECLARE_RAW:
            emit(t, UNSET_CELL, t.length + argument, 0, 0, 0)
        elif kind == END:
            emit(t, HALT, 0, 0, 0, 0)
