"""The readable interpreter. It defines what every operation means; the kernels and the C text must agree with it.

Numbers have 32 bits. Faults: overflow, division by zero, an element that does not exist, a list that grows too long.
`if` computes only the branch that it takes. Operations on two lists go as far as the shorter one. `take`, `drop`,
`slice` and their like cut where the list ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, takewhile, zip_longest
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_, sub
from typing import Any, Union

from lasynth.domains.lists.language.nodes import INT_MAX, INT_MIN, Call, Constant, Empty, Expression, Input, Program
from lasynth.domains.lists.language.operations import OPERATIONS, Op
from lasynth.task import ExecutionError, StepLimit

Basic = Union[int, list[int]]  # noqa: UP007
LONGEST = 1 << 17
"""Elements of the longest list that a run may make."""


class Overflow(ExecutionError):
    """A number that does not fit into 32 bits."""


def divide(x: int, y: int) -> int:
    """The quotient without its fraction, as C has it."""
    if y == 0:
        raise ExecutionError("division by zero")
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def remainder(x: int, y: int) -> int:
    """The remainder of `divide`; it has the sign of x."""
    quotient = divide(x, y)
    if not INT_MIN <= quotient <= INT_MAX:
        raise Overflow("the quotient does not fit into 32 bits")
    return x - y * quotient


SCALAR: dict[Op, Callable[..., int]] = {
    Op.ADD: add, Op.SUB: sub, Op.MUL: mul, Op.DIV: divide, Op.MOD: remainder, Op.MIN: min, Op.MAX: max,
    Op.EQ: eq, Op.NE: ne, Op.LT: lt, Op.LE: le, Op.GT: gt, Op.GE: ge, Op.AND: and_, Op.OR: or_,
    Op.NEG: lambda x: -x, Op.ABS: abs, Op.ODD: lambda x: x % 2, Op.EVEN: lambda x: 1 - x % 2, Op.NOT: lambda x: 1 - x,
    Op.SQUARE: lambda x: x * x, Op.TO_NUMBER: lambda x: x,
}  # fmt: skip


def element(values: Sequence[int], place: int) -> int:
    if not 0 <= place < len(values):
        raise ExecutionError(f"there is no element {place} in a list of {len(values)}")
    return values[place]


def cut(values: Sequence[int], place: int) -> int:
    """The place, moved into the list if it is outside."""
    return min(max(place, 0), len(values))


def product(values: Sequence[int]) -> int:
    return [1, *running(mul, values)][-1]


def total(values: Sequence[int]) -> int:
    return [0, *running(add, values)][-1]


def running(combine: Callable[[int, int], int], values: Sequence[int]) -> list[int]:
    """Each prefix of the list, combined. A partial result that overflows is a fault even if later ones would fit."""
    return list(accumulate(values, lambda x, y: checked(combine(x, y))))


def checked(value: int) -> int:
    if not INT_MIN <= value <= INT_MAX:
        raise Overflow("a number does not fit into 32 bits")
    return int(value)


def extreme(values: Sequence[int], better: Callable[[int, int], bool]) -> int:
    """The index of the best element; of equally good ones, the first."""
    best = 0
    element(values, 0)
    for place, value in enumerate(values):
        if better(value, values[best]):
            best = place
    return best


def common(values: Sequence[int]) -> int:
    """The most frequent element; of equally frequent ones, the first."""
    element(values, 0)
    return Counter(values).most_common(1)[0][0]


def position(mask: Sequence[int], places: Sequence[int]) -> int:
    for place in places:
        if mask[place]:
            return place
    raise ExecutionError("no element has the property")


def unique(values: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(values))


def digits(number: int) -> list[int]:
    """Decimal digits, the highest first, without the sign."""
    return [int(digit) for digit in str(abs(number))]


def between(low: int, high: int) -> list[int]:
    """The numbers from `low` to `high`, both included."""
    _check_length(high - low + 1)
    return list(range(low, high + 1))


def fill(value: int, count: int) -> list[int]:
    _check_length(count)
    return [value] * count


def rotated(values: list[int], by: int) -> list[int]:
    """The list, moved to the left in a circle."""
    place = by % len(values) if values else 0
    return values[place:] + values[:place]


def repeated(values: list[int], times: int) -> list[int]:
    _check_length(len(values) * max(times, 0))
    return values * times


def stretched(values: list[int], times: int) -> list[int]:
    _check_length(len(values) * max(times, 0))
    return [value for value in values for _ in range(times)]


def replicated(values: list[int], counts: list[int]) -> list[int]:
    """Each element as often as the other list says."""
    _check_length(sum(max(count, 0) for _, count in zip(values, counts, strict=False)))
    return [value for value, count in zip(values, counts, strict=False) for _ in range(count)]


def every(values: list[int], step: int) -> list[int]:
    if step <= 0:
        raise ExecutionError("the step is not positive")
    return values[::step]


def deleted(values: list[int], place: int) -> list[int]:
    element(values, place)
    return values[:place] + values[place + 1 :]


def interleaved(one: list[int], other: list[int]) -> list[int]:
    """In turn an element of each; what is left of the longer one follows."""
    return [v for v in chain.from_iterable(zip_longest(one, other)) if v is not None]


def sorted_by(values: list[int], keys: list[int]) -> list[int]:
    """The elements in the order of their keys; equal keys keep their order."""
    return [value for _, value in sorted(zip(keys, values, strict=False), key=lambda pair: pair[0])]


def kept(values: list[int], mask: list[int], wanted: int) -> list[int]:
    return [value for value, flag in zip(values, mask, strict=False) if flag == wanted]


def head(values: list[int], mask: list[int]) -> list[int]:
    """The elements before the first one without the property."""
    pairs = takewhile(lambda pair: pair[1], zip(values, mask, strict=False))
    return [value for value, _ in pairs]


def rest(values: list[int], mask: list[int]) -> list[int]:
    paired = values[: len(mask)]
    return paired[len(head(values, mask)) :]


def inserted(values: list[int], place: int, value: int) -> list[int]:
    """The list with a value before the element at a place; the place may be the end."""
    if not 0 <= place <= len(values):
        raise ExecutionError(f"there is no place {place} in a list of {len(values)}")
    return [*values[:place], value, *values[place:]]


def replaced(values: list[int], place: int, value: int) -> list[int]:
    element(values, place)
    return [*values[:place], value, *values[place + 1 :]]


def swapped(values: list[int], one: int, other: int) -> list[int]:
    return replaced(replaced(values, one, element(values, other)), other, element(values, one))


def first_of(values: list[int]) -> list[int]:
    """Whether no equal element stands before."""
    firsts = {value: place for place, value in reversed(list(enumerate(values)))}
    return [int(firsts[value] == place) for place, value in enumerate(values)]


def occurrences(values: list[int]) -> list[int]:
    """How often each element occurs in the list."""
    times = Counter(values)
    return [times[value] for value in values]


def members(values: list[int], others: list[int]) -> list[int]:
    """Whether each element occurs in the other list."""
    known = set(others)
    return [int(value in known) for value in values]


def squeezed(values: list[int]) -> list[int]:
    return [value for i, value in enumerate(values) if i == 0 or values[i - 1] != value]


def chosen(mask: list[int], one: Basic, other: Basic) -> list[int]:
    """Element by element one or the other; a number stands for a list full of it."""
    ones, others = ([side] * len(mask) if isinstance(side, int) else side for side in (one, other))
    return [x if flag else y for flag, x, y in zip(mask, ones, others, strict=False)]


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise StepLimit(f"a list of {length:,} elements is too long")


MEANING: dict[Op, Callable[..., Any]] = {
    Op.SUM: total,
    Op.PRODUCT: product,
    Op.MAXIMUM: lambda x: x[extreme(x, gt)],
    Op.MINIMUM: lambda x: x[extreme(x, lt)],
    Op.LENGTH: len,
    Op.FIRST: lambda x: element(x, 0),
    Op.LAST: lambda x: element(x, len(x) - 1),
    Op.ARGMAX: lambda x: extreme(x, gt),
    Op.ARGMIN: lambda x: extreme(x, lt),
    Op.COMMON: common,
    Op.COUNT: sum,
    Op.ANY: lambda m: int(any(m)),
    Op.ALL: lambda m: int(all(m)),
    Op.POSITION: lambda m: position(m, range(len(m))),
    Op.LAST_POSITION: lambda m: position(m, range(len(m) - 1, -1, -1)),
    Op.NTH: element,
    Op.REVERSE: lambda x: x[::-1],
    Op.SORT: sorted,
    Op.SORT_DOWN: lambda x: sorted(x, reverse=True),
    Op.UNIQUE: unique,
    Op.TAIL: lambda x: x[1:],
    Op.INIT: lambda x: x[:-1],
    Op.INDICES: lambda x: list(range(len(x))),
    Op.RUNNING_SUM: lambda x: running(add, x),
    Op.RUNNING_MAX: lambda x: running(max, x),
    Op.RUNNING_MIN: lambda x: running(min, x),
    Op.RUNNING_PRODUCT: lambda x: running(mul, x),
    Op.OCCURRENCES: occurrences,
    Op.SQUEEZE: squeezed,
    Op.IS_FIRST: first_of,
    Op.SINGLE: lambda k: [k],
    Op.RANGE: lambda k: between(0, k - 1),
    Op.DIGITS: digits,
    Op.BETWEEN: between,
    Op.FILL: fill,
    Op.TAKE: lambda x, k: x[: cut(x, k)],
    Op.DROP: lambda x, k: x[cut(x, k) :],
    Op.TAKE_LAST: lambda x, k: x[len(x) - cut(x, k) :],
    Op.DROP_LAST: lambda x, k: x[: len(x) - cut(x, k)],
    Op.APPEND: lambda x, k: [*x, k],
    Op.CONS: lambda k, x: [k, *x],
    Op.ROTATE: rotated,
    Op.REPEAT: repeated,
    Op.STRETCH: stretched,
    Op.EVERY: every,
    Op.DELETE: deleted,
    Op.CONCAT: add,
    Op.INTERLEAVE: interleaved,
    Op.GATHER: lambda x, places: [element(x, place) for place in places],
    Op.SORT_BY: sorted_by,
    Op.MEMBER: members,
    Op.FILTER: lambda x, m: kept(x, m, 1),
    Op.REJECT: lambda x, m: kept(x, m, 0),
    Op.TAKE_WHILE: head,
    Op.DROP_WHILE: rest,
    Op.POSITIONS: lambda m: [place for place, flag in enumerate(m) if flag],
    Op.SLICE: lambda x, i, j: x[cut(x, i) : cut(x, j)],
    Op.INSERT: inserted,
    Op.REPLACE: replaced,
    Op.SWAP: swapped,
    Op.WHERE: chosen,
    Op.ORDINALS: lambda x: list(range(1, len(x) + 1)),
    Op.REPLICATE: replicated,
}


def apply(op: Op, arguments: Sequence[Basic]) -> Basic:
    """The value of an operation. ExecutionError."""
    if op in SCALAR:
        return _elementwise(SCALAR[op], arguments)
    value = MEANING[op](*arguments)
    if isinstance(value, list):
        _check_length(len(value))
        return [int(v) for v in value]
    return checked(value)


def _elementwise(function: Callable[..., int], arguments: Sequence[Basic]) -> Basic:
    lengths = [len(argument) for argument in arguments if isinstance(argument, list)]
    if not lengths:
        return checked(function(*arguments))
    columns = [argument if isinstance(argument, list) else [argument] * min(lengths) for argument in arguments]
    return [checked(function(*row)) for row in zip(*columns, strict=False)]


def evaluate(
    expression: Expression, inputs: Sequence[Basic], visit: Callable[[Call, Basic], None] | None = None
) -> Basic:
    """The value of an expression; `visit` is told each call with its value, in the order in which they are computed."""
    if isinstance(expression, Input):
        return inputs[expression.place]
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Empty):
        return []
    assert isinstance(expression, Call)
    op = OPERATIONS[expression.operation].op
    if op == Op.IF:  # only the branch that is taken is computed
        condition, *branches = expression.arguments
        value = evaluate(branches[0] if evaluate(condition, inputs, visit) else branches[1], inputs, visit)
    else:
        value = apply(op, [evaluate(argument, inputs, visit) for argument in expression.arguments])
    if visit is not None:
        visit(expression, value)
    return value


def run(program: Program, inputs: Sequence[Basic]) -> Basic:
    """The output of a program on the values of its parameters. ExecutionError."""
    return evaluate(program.body, inputs)
