"""Operations on numbers as C expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lasynth.domains.lists.emission.c_text import (
    AND,
    EQUAL,
    LESS,
    OR,
    PRODUCT,
    UNARY,
    C,
    binary,
    choice,
    minus,
    negated,
    plus,
)
from lasynth.domains.lists.language.operations import Op

OPERATORS = {
    Op.MUL: ("*", PRODUCT), Op.DIV: ("/", PRODUCT), Op.MOD: ("%", PRODUCT), Op.EQ: ("==", EQUAL), Op.NE: ("!=", EQUAL),
    Op.LT: ("<", LESS), Op.LE: ("<=", LESS), Op.GT: (">", LESS), Op.GE: (">=", LESS), Op.AND: ("&&", AND),
    Op.OR: ("||", OR),
}  # fmt: skip
ZERO, TWO = C("0"), C("2")


def expression(op: Op, parts: Sequence[C], bind: Callable[[C], C]) -> C:
    """The operation in C. `bind` puts a value into a variable if it is too long to be written twice."""
    x = parts[0]
    if op == Op.ADD:
        return plus(x, parts[1])
    if op == Op.SUB:
        return minus(x, parts[1])
    if op in OPERATORS:
        return binary(x, OPERATORS[op][0], parts[1], OPERATORS[op][1])
    if op in (Op.MIN, Op.MAX):
        x, y = bind(x), bind(parts[1])
        return choice(binary(x, "<" if op == Op.MIN else ">", y, LESS), x, y)
    if op == Op.SQUARE:
        x = bind(x)
        return binary(x, "*", x, PRODUCT)
    if op == Op.NEG:
        return C(f"-{x.inside(UNARY + 1)}", UNARY)
    if op == Op.ABS:
        return C(f"abs({x.text})")
    if op in (Op.ODD, Op.EVEN):
        half = binary(x, "%", TWO, PRODUCT)
        return binary(half, "!=" if op == Op.ODD else "==", ZERO, EQUAL)
    if op == Op.NOT:
        return negated(x)
    return x
