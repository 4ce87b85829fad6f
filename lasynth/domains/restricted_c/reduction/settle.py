"""Settling: changes that keep a program's length and choose one of several texts with the same behaviour.

Simple statements come first, sorted by the places they change, then loops, then branches. Operands are sorted by place,
with numbers last. Loops count up. `++x` replaces `x++`, `x - 2` replaces `x + -2`, and `x > 2` replaces `2 < x` and
`x >= 3`. An initial value that is never used becomes 0. A change is kept if every outcome stays the same. So a model
that learns from such programs does not have to learn arbitrary choices of style.
"""

from __future__ import annotations

from lasynth.domains.restricted_c.language.grammar import (
    AND,
    ASSIGN,
    CONST,
    DECLARE,
    FOR,
    FOR_INT,
    GE,
    GT,
    IF,
    LE,
    LT,
    MINUS,
    NE,
    OR,
    PLACE,
    PLUS,
    POST_DEC,
    POST_INC,
    PRE_DEC,
    PRE_INC,
    RANGE,
    THEN,
)
from lasynth.domains.restricted_c.reduction.draft import (
    Draft,
    Judge,
    accept,
    copy,
    same_outcomes,
    statement_end,
)
from lasynth.jit import compiled

UP, DOWN = 0, 1
"""Indices into `lexemes.RANGES`."""
LAST = 1_000_000
"""A sort key greater than that of every place."""


@compiled
def settle(judge: Judge, draft: Draft) -> bool:
    """Try every change once. Return whether one was kept."""
    changed = False
    for at in range(draft.sizes[0]):
        if change(draft, at) and same_outcomes(judge, draft):
            accept(draft)
            changed = True
    return changed


@compiled
def change(draft: Draft, at: int) -> bool:
    """Make a candidate by the change for the lexeme at `at`. False if there is none."""
    kind = draft.kinds[0, at]
    if kind == CONST and at > 0 and draft.kinds[0, at - 1] == DECLARE:
        return draft.arguments[0, at] != 0 and put(draft, at, CONST, 0)
    if kind == POST_INC or kind == POST_DEC:
        return put(draft, at, PRE_INC if kind == POST_INC else PRE_DEC, draft.arguments[0, at])
    if kind == RANGE:
        return draft.arguments[0, at] == DOWN and count_up(draft, at)
    if kind == PLUS or kind == MINUS:
        return order_operands(draft, at)
    if LT <= kind <= NE:
        return order_sides(draft, at)
    return order_statements(draft, at)


@compiled
def put(draft: Draft, at: int, kind: int, argument: int) -> bool:
    """Make the candidate: the program with another lexeme at `at`. Always True."""
    draft.sizes[1] = 0
    copy(draft, 0, draft.sizes[0])
    draft.kinds[1, at] = kind
    draft.arguments[1, at] = argument
    return True


@compiled
def count_up(draft: Draft, at: int) -> bool:
    """Make the candidate: the loop whose range is at `at` counts up instead of down. Always True."""
    put(draft, at, RANGE, UP)
    draft.arguments[1, at - 1], draft.arguments[1, at + 1] = draft.arguments[0, at + 1], draft.arguments[0, at - 1]
    return True


@compiled
def exchange(draft: Draft, begin: int, middle: int, between: int, end: int) -> None:
    """Make the candidate: the program with begin..middle and between..end exchanged."""
    draft.sizes[1] = 0
    copy(draft, 0, begin)
    copy(draft, between, end)
    copy(draft, middle, between)
    copy(draft, begin, middle)
    copy(draft, end, draft.sizes[0])


@compiled
def order_operands(draft: Draft, at: int) -> bool:
    """Make the number after the operator at `at` positive, or else sort the operands around the operator."""
    kind, value = draft.kinds[0, at], draft.arguments[0, at + 1]
    if draft.kinds[0, at + 1] == CONST and value < 0:
        put(draft, at, MINUS if kind == PLUS else PLUS, 0)
        draft.arguments[1, at + 1] = -value
        return True
    if operand_key(draft, at + 1) >= operand_key(draft, at - 1):
        return False
    before = draft.kinds[0, at - 2]
    if before == PLUS or before == MINUS:
        exchange(draft, at - 2, at, at, at + 2)
        return True
    if kind == PLUS:
        exchange(draft, at - 1, at, at + 1, at + 2)
        return True
    return False


@compiled
def order_sides(draft: Draft, at: int) -> bool:
    """Exchange the sides of the test whose relation is at `at`, or else replace >= or <= by > or <."""
    kind = draft.kinds[0, at]
    begin, end = at - 1, at + 2
    while not ends_test(draft.kinds[0, begin - 1]):
        begin -= 1
    while not ends_test(draft.kinds[0, end]):
        end += 1
    if operand_key(draft, at + 1) < operand_key(draft, begin):
        exchange(draft, begin, at, at + 1, end)
        draft.kinds[1, begin + end - at - 1] = mirrored(kind)
        return True
    if end == at + 2 and draft.kinds[0, at + 1] == CONST and (kind == GE or kind == LE):
        number = draft.arguments[0, at + 1] + (1 if kind == LE else -1)
        put(draft, at, LT if kind == LE else GT, 0)
        draft.arguments[1, at + 1] = number
        return bool(abs(number) <= max(1, abs(draft.arguments[0, at + 1])))
    return False


@compiled
def ends_test(kind: int) -> bool:
    return kind == AND or kind == OR or kind == THEN or kind == IF


@compiled
def mirrored(relation: int) -> int:
    """The relation between the sides in the other order."""
    if relation == LT or relation == GT:
        return LT + GT - relation
    if relation == LE or relation == GE:
        return LE + GE - relation
    return relation


@compiled
def order_statements(draft: Draft, at: int) -> bool:
    """Exchange the statement at `at` with the next one, if the next one comes first in the order."""
    middle = statement_end(draft, at)
    if middle == at:
        return False
    end = statement_end(draft, middle)
    if end == middle or statement_key(draft, middle) >= statement_key(draft, at):
        return False
    exchange(draft, at, middle, middle, end)
    return True


@compiled
def statement_key(draft: Draft, at: int) -> int:
    """The sort key of a statement: the place of a simple one, then loops, branches, and jumps."""
    kind = draft.kinds[0, at]
    if ASSIGN <= kind <= POST_DEC:
        return place_key(draft, draft.arguments[0, at])
    if kind == FOR or kind == FOR_INT:
        return LAST
    return LAST + 1 if kind == IF else LAST + 2


@compiled
def operand_key(draft: Draft, at: int) -> int:
    """The sort key of an operand: places, then numbers by value."""
    return place_key(draft, draft.arguments[0, at]) if draft.kinds[0, at] == PLACE else LAST + draft.arguments[0, at]


@compiled
def place_key(draft: Draft, place: int) -> int:
    """The sort key of a place: elements first, then variables.

    Each is sorted by its subscript, or by the initial value of its variable (lowest if it has none), then by name.
    """
    if place < 0:
        return 128 * -place
    slot = place >> 1
    start = 0
    for at in range(draft.sizes[0]):
        if draft.kinds[0, at] == DECLARE and draft.arguments[0, at] == slot:
            start = 1 + draft.arguments[0, at + 1]
    return 128 * start + slot + (0 if place & 1 else LAST // 2)
