"""Cuts: edits that make a program shorter. A cut is kept if every outcome stays the same.

A cut drops one or two statements, an `else`, one or two operands, one side of a comparison, or a test. Or it replaces a
loop or branch by its body, an assignment by ++ or --, or a sum by a number.
"""

from __future__ import annotations

from lasynth.domains.restricted_c.language.grammar import (
    AND,
    ASSIGN,
    BREAK,
    CONST,
    ELSE,
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
    PRE_DEC,
    PRE_INC,
    SEMICOLON,
    THEN,
)
from lasynth.domains.restricted_c.reduction.draft import (
    HEAD,
    Draft,
    Judge,
    accept,
    append,
    block_end,
    copy,
    find,
    same_outcomes,
    simple_end,
    without,
)
from lasynth.jit import compiled

SMALLEST, LARGEST = -4, 4
"""The numbers that are tried in place of a sum."""
VARIANTS = 3 + LARGEST - SMALLEST + 1
"""Most cuts that can begin at one lexeme."""


@compiled
def sweep(judge: Judge, draft: Draft) -> bool:
    """Try every cut once, outer statements first. Return whether a cut was kept."""
    shrunk = False
    at = 0
    while at < draft.sizes[0]:
        variant = 0
        while variant < VARIANTS and at < draft.sizes[0]:  # after a cut, the program may end before `at`
            if cut(draft, at, variant) and same_outcomes(judge, draft):
                accept(draft)
                shrunk = True
                variant = 0  # there is another lexeme here now
            else:
                variant += 1
        at += 1
    return shrunk


@compiled
def sweep_pairs(judge: Judge, draft: Draft) -> bool:
    """Drop two simple statements that undo each other (`p_0++; p_0--;`). Return whether a pair was dropped."""
    for first in range(draft.sizes[0]):
        end = simple_end(draft, first)
        if end == first:
            continue
        for second in range(end, draft.sizes[0]):
            end2 = simple_end(draft, second)
            if end2 > second and without(draft, first, end, second, end2) and same_outcomes(judge, draft):
                accept(draft)
                return True
    return False


@compiled
def cut(draft: Draft, at: int, variant: int) -> bool:
    """Make a candidate by cut number `variant` at `at`. False if there is no such cut."""
    kind = draft.kinds[0, at]
    if kind == FOR or kind == FOR_INT:
        return cut_loop(draft, at, variant)
    if kind == IF:
        return cut_branch(draft, at, variant)
    if PLUS <= kind <= OR:
        return cut_operator(draft, at, variant)
    end = simple_end(draft, at)
    if kind == ASSIGN and variant > 0:
        return cut_value(draft, at, end, variant)
    return variant == 0 and end > at and without(draft, at, end, draft.sizes[0], draft.sizes[0])


@compiled
def cut_value(draft: Draft, at: int, end: int, variant: int) -> bool:
    """Replace the assignment at..end by ++ (variant 1) or -- (2), or the sum in it by a number (3 and more)."""
    if variant > 2 and end - at == 3:
        return False  # the value is not a sum
    draft.sizes[1] = 0
    copy(draft, 0, at)
    if variant <= 2:
        append(draft, PRE_INC if variant == 1 else PRE_DEC, draft.arguments[0, at])
    else:
        copy(draft, at, at + 1)
        append(draft, CONST, SMALLEST + variant - 3)
        append(draft, SEMICOLON, 0)
    copy(draft, end, draft.sizes[0])
    return True


@compiled
def cut_loop(draft: Draft, at: int, variant: int) -> bool:
    """Drop the loop (variant 0), or replace it by its body (1), or by its body without a final `break` (2)."""
    close = block_end(draft, at + HEAD)
    if variant == 0:
        return without(draft, at, close + 1, draft.sizes[0], draft.sizes[0])
    if variant > 2 or (variant == 2 and draft.kinds[0, close - 1] != BREAK):
        return False
    end = close - 1 if variant == 2 else close
    without(draft, at, at + HEAD, end, close + 1)
    if draft.kinds[0, at] == FOR_INT:
        return close_gap(draft, at, end - HEAD, draft.arguments[0, at], draft.arguments[0, at + 1])
    return True


@compiled
def close_gap(draft: Draft, begin: int, end: int, gone: int, start: int) -> bool:
    """Remove the variable in slot `gone` from the body begin..end of a dropped loop.

    Its start value takes its place, and the variables of inner loops move up by one name. False if the body writes to
    the variable, or if its value is negative and it is a subscript.
    """
    for i in range(begin, end):
        kind, argument = draft.kinds[1, i], draft.arguments[1, i]
        if kind == FOR or kind == FOR_INT:
            slot, scale = argument, 1
        elif (ASSIGN <= kind <= POST_DEC or kind == PLACE) and argument >= 0:
            slot, scale = argument >> 1, 2
        else:
            continue
        if slot == gone:
            if argument & 1 and scale == 2 and start >= 0:
                draft.arguments[1, i] = -1 - start
            elif kind == PLACE and argument & 1 == 0:
                draft.kinds[1, i], draft.arguments[1, i] = CONST, start
            else:
                return False
        elif slot > gone and slot % 2 == 0:
            draft.arguments[1, i] -= 2 * scale
    return True


@compiled
def cut_branch(draft: Draft, at: int, variant: int) -> bool:
    """Drop the branch (variant 0), replace it by its first (1) or second block (2), or drop its second block (3)."""
    then = find(draft, at, THEN)
    middle = block_end(draft, then + 1)
    has_else = draft.kinds[0, middle] == ELSE
    close = block_end(draft, middle + 1) if has_else else middle
    if variant == 0:
        return without(draft, at, close + 1, draft.sizes[0], draft.sizes[0])
    if variant == 1:
        return without(draft, at, then + 1, middle, close + 1)
    if not has_else:
        return False
    if variant == 2:
        return without(draft, at, middle + 1, close, close + 1)
    return without(draft, middle, close, close, close)


@compiled
def cut_operator(draft: Draft, at: int, variant: int) -> bool:
    """Drop an operator with what is right of it (variant 0) or left of it (1).

    For + and - that is an operand, for a relation one side of the test, for && and || a test. Higher variants drop two
    operations in a row at once, because one may undo the other (`a[p_0] - a[p_0] + 4`).
    """
    kind = draft.kinds[0, at]
    if variant > 1:
        return cut_two_operations(draft, at, variant - 2)
    begin, end = at - 1, at + 2
    if kind != PLUS and kind != MINUS:
        while not ends_side(draft.kinds[0, end], kind):
            end += 1
        while not ends_side(draft.kinds[0, begin - 1], kind):
            begin -= 1
    if variant == 0:
        return without(draft, at, end, draft.sizes[0], draft.sizes[0])
    return without(draft, begin, at + 1, draft.sizes[0], draft.sizes[0])


@compiled
def cut_two_operations(draft: Draft, at: int, variant: int) -> bool:
    """Reduce a sum of three operands to operand 0, 1 or 2 (the variant), or add up its two numbers (variant 3).

    `at` is the first operator. False if the sum does not have three operands or, for variant 3, two numbers.
    """
    first, second = draft.kinds[0, at], draft.kinds[0, at + 2]
    if variant > 3 or first > MINUS or second < PLUS or second > MINUS:
        return False
    begin, end = at - 1, at + 4
    if variant == 3:
        return add_up(draft, begin, end)
    return without(draft, begin, begin + 2 * variant, begin + 2 * variant + 1, end)


@compiled
def add_up(draft: Draft, begin: int, end: int) -> bool:
    """Write the sum begin..end with one number. False unless it has exactly one place and a small result."""
    number, place, negative, places, largest = 0, 0, False, 0, LARGEST
    for i in range(begin, end, 2):
        minus = i > begin and draft.kinds[0, i - 1] == MINUS
        value = draft.arguments[0, i]
        if draft.kinds[0, i] == PLACE:
            place, negative = value, minus
            places += 1
        else:
            number += -value if minus else value
            largest = max(largest, abs(value))
    if places != 1 or abs(number) > largest:
        return False
    draft.sizes[1] = 0
    copy(draft, 0, begin)
    if negative:
        append(draft, CONST, number)
        append(draft, MINUS, 0)
        append(draft, PLACE, place)
    else:
        append(draft, PLACE, place)
        append(draft, PLUS if number >= 0 else MINUS, 0)
        append(draft, CONST, abs(number))
    copy(draft, end, draft.sizes[0])
    return True


@compiled
def ends_side(kind: int, operator: int) -> bool:
    """Whether a lexeme of this kind bounds the sides of the operator. A relation bounds only sides of a relation."""
    if LT <= kind <= NE:
        return LT <= operator <= NE
    return kind == AND or kind == OR or kind == THEN or kind == IF
