"""Idioms: compositions that have a name of their own in English, such as the median or whether a list is sorted.

People mean them as often as single operations. So they cost as much as one operation, or two for a question that 1 or 0
answers. A shorter program that fits a few examples by chance (the last element, where the median is meant) then has at
least a rival of about the same cost, which lowers its confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from lasynth.domains.lists.language.nodes import Call, Expression, Input, Type
from lasynth.domains.lists.language.text import parse_program

NAMED = 3
"""Cost of an idiom: as much as a usual operation on an input."""
YES_OR_NO = 6
"""Cost of a question that is answered by 1 or 0."""
TABLE = {
    "(a: list) => nth(sort(a), div(length(a), 2))": NAMED,  # the median
    "(a: list) => div(sum(a), length(a))": NAMED,  # the average
    "(a: list) => sub(maximum(a), minimum(a))": NAMED,  # the range
    "(a: list) => to_number(all(le(a, tail(a))))": YES_OR_NO,  # is it sorted?
    "(a: list) => to_number(all(eq(a, reverse(a))))": YES_OR_NO,  # does it read the same backwards?
    "(a: list) => to_number(lt(length(unique(a)), length(a)))": YES_OR_NO,  # does a number occur twice?
    "(k: int, a: list) => to_number(any(eq(a, k)))": YES_OR_NO,  # does k occur?
    # have both the same numbers, in any order?
    "(a: list, b: list) => to_number(and(eq(length(a), length(b)), all(eq(sort(a), sort(b)))))": YES_OR_NO,
}
IDIOMS = [(parse_program(text), cost) for text, cost in TABLE.items()]


def idioms(types: Sequence[Type]) -> Iterator[tuple[Expression, int]]:
    """All idioms over inputs of these types, with their costs."""
    for program, cost in IDIOMS:
        places = [[n for n, type_ in enumerate(types) if type_ == wanted.type] for wanted in program.parameters]
        for chosen in product(*places):
            if len(set(chosen)) == len(chosen):
                yield _over(program.body, chosen), cost


def _over(expression: Expression, places: Sequence[int]) -> Expression:
    """The expression over other inputs."""
    if isinstance(expression, Input):
        return Input(places[expression.place], expression.type)
    if isinstance(expression, Call):
        return Call(expression.operation, tuple(_over(part, places) for part in expression.arguments), expression.type)
    return expression
