"""Lists that are indexed without memory of their own: maps, reversals, slices, choices."""

from __future__ import annotations

from collections.abc import Sequence

from lasynth.domains.lists.emission import scalars
from lasynth.domains.lists.emission.c_text import (
    EQUAL,
    LESS,
    PRODUCT,
    UNARY,
    C,
    Length,
    binary,
    choice,
    literal,
    minus,
    plus,
)
from lasynth.domains.lists.emission.numbers import Numbers
from lasynth.domains.lists.emission.writer import ONE, ZERO, Body, Pull, op_of
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Type
from lasynth.domains.lists.language.operations import OPERATIONS, Op


class Indexed(Numbers):
    """Writes lists of which each element can be computed from its index."""

    def is_indexed(self, expression: Expression) -> bool:
        """Whether the list can be indexed without a buffer."""
        if isinstance(expression, (Input, Empty)) or expression in self.stored:
            return True
        op = op_of(expression)
        assert isinstance(expression, Call)
        if op is None or (op >= Op.SUM and not hasattr(self, f"_pull_{op.name.lower()}")):
            return False
        return all(self.is_indexed(part) for part in expression.arguments if part.type >= Type.LIST)

    def pull(self, expression: Expression) -> Pull:
        """The list as an indexed one; numbers and buffers that it needs are written before."""
        if expression in self.stored:
            return self.stored[expression]
        if isinstance(expression, Input):
            name, length = self.inputs[expression.place]
            assert length is not None
            return Pull(length, lambda i: C(f"{name.text}[{i.text}]"))
        if isinstance(expression, Empty):
            return Pull(Length(ZERO), lambda i: ZERO)
        assert isinstance(expression, Call)
        op = OPERATIONS[expression.operation].op
        if op < Op.SUM:
            return self._pull_elementwise(op, expression.arguments)
        method = getattr(self, f"_pull_{op.name.lower()}", None)
        if method is None:
            return self.store(expression)
        pulled: Pull = method(*expression.arguments)
        return pulled

    def _value(self, expression: Expression) -> Pull:
        """A list, or a number as a list without an end."""
        if expression.type >= Type.LIST:
            return self.pull(expression)
        value = self.number(expression)
        return Pull(Length(C("")), lambda i: value)

    def _pull_elementwise(self, op: Op, arguments: Sequence[Expression]) -> Pull:
        parts = [self._value(argument) for argument in arguments]
        length = self._common([part.length for part in parts])
        return Pull(length, lambda i: scalars.expression(op, self._hide_zero(op, [p.at(i) for p in parts]), self.bind))

    def _pull_where(self, m: Expression, x: Expression, y: Expression) -> Pull:
        parts = [self.pull(m), self._value(x), self._value(y)]
        length = self._common([part.length for part in parts])
        return Pull(length, lambda i: choice(*(part.at(i) for part in parts)))

    def _pull_reverse(self, x: Expression) -> Pull:
        length, at = self.pull(x)
        last = minus(length.base, literal(length.less + 1))
        return Pull(length, lambda i: at(minus(last, i)))

    def _pull_tail(self, x: Expression) -> Pull:
        length, at = self.pull(x)
        return Pull(length.shorter(1), lambda i: at(plus(i, ONE)))

    def _pull_init(self, x: Expression) -> Pull:
        length, at = self.pull(x)
        return Pull(length.shorter(1), at)

    def _pull_indices(self, x: Expression) -> Pull:
        return Pull(self.pull(x).length, lambda i: i)

    def _pull_single(self, k: Expression) -> Pull:
        value = self.number(k)
        return Pull(Length(ONE), lambda i: value)

    def _pull_range(self, k: Expression) -> Pull:
        return Pull(Length(self.bind(self.number(k)), 0, True), lambda i: i)

    def _pull_between(self, low: Expression, high: Expression) -> Pull:
        begin, end = self.bind(self.number(low)), self.bind(self.number(high))
        size = choice(binary(begin, "<=", end, LESS), plus(minus(end, begin), ONE), ZERO)
        return Pull(Length(self.out.variable("size", size)), lambda i: plus(begin, i))

    def _pull_fill(self, value: Expression, count: Expression) -> Pull:
        number, size = self.number(value), self.bind(self.number(count))
        return Pull(Length(size, 0, True), lambda i: number)

    def _cut(self, k: Expression, length: Length) -> C:
        """A number of elements, at most those that are there; it may be negative."""
        wanted, there = self.bind(self.number(k)), self.bind(length.bound)
        return self.out.variable("size", choice(binary(wanted, "<", there, LESS), wanted, there))

    def _from_zero(self, k: Expression) -> C:
        """A number, or 0 if it is negative."""
        wanted = self.number(k)
        if isinstance(k, Constant) and k.value >= 0:
            return wanted
        wanted = self.bind(wanted)
        return self.out.variable("start", choice(binary(wanted, ">", ZERO, LESS), wanted, ZERO))

    def _pull_take(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        return Pull(Length(self._cut(k, length), 0, True), at)

    def _pull_drop(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        if isinstance(k, Constant) and 0 <= k.value < 1000:
            start = literal(k.value)
            return Pull(length.shorter(k.value), lambda i: at(plus(i, start)))
        start = self._from_zero(k)
        bound = self.out.variable("size", minus(length.value, start))
        return Pull(Length(bound, 0, True), lambda i: at(plus(i, start)))

    def _pull_take_last(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        size = self._cut(k, length)
        start = self.out.variable("start", minus(length.bound, size))
        return Pull(Length(size, 0, True), lambda i: at(plus(i, start)))

    def _pull_drop_last(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        if isinstance(k, Constant) and 0 <= k.value < 1000:
            return Pull(length.shorter(k.value), at)
        bound = self.out.variable("size", minus(length.value, self._from_zero(k)))
        return Pull(Length(bound, 0, True), at)

    def _pull_slice(self, x: Expression, i: Expression, j: Expression) -> Pull:
        length, at = self.pull(x)
        start, stop = self._from_zero(i), self._cut(j, length)
        size = self.out.variable("size", choice(binary(stop, ">", start, LESS), minus(stop, start), ZERO))
        return Pull(Length(size), lambda i: at(plus(i, start)))

    def _pull_rotate(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        by = self.number(k)
        size = self._divisor(self.bind(length.value))
        turned = binary(by, "%", size, PRODUCT)
        if not (isinstance(k, Constant) and k.value >= 0):
            turned = binary(plus(turned, size), "%", size, PRODUCT)
        start = self.out.variable("start", choice(binary(size, ">", ZERO, LESS), turned, ZERO))
        rest = self.bind(minus(size, start))

        def turned_back(i: C) -> C:
            return choice(binary(i, "<", rest, LESS), plus(i, start), minus(i, rest))

        return Pull(Length(size), lambda i: at(turned_back(i)))

    def _pull_repeat(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        size = self._divisor(self.bind(length.value))
        total = self.out.variable("total", binary(size, "*", self._from_zero(k), PRODUCT))
        return Pull(Length(total), lambda i: at(binary(i, "%", size, PRODUCT)))

    def _push_replicate(self, body: Body, x: Expression, counts: Expression) -> None:
        values, times = self.pull(x), self.pull(counts)
        with self._loop(self._common([values.length, times.length])) as i:
            value, count = self.bind(values.at(i)), self.bind(times.at(i))
            with self._loop(Length(count)) as _:
                body(value)

    def _pull_stretch(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        times = self._divisor(self._from_zero(k))
        total = self.out.variable("total", binary(length.value, "*", times, PRODUCT))
        return Pull(Length(total), lambda i: at(binary(i, "/", times, PRODUCT)))

    def _pull_every(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        size, step = self.bind(length.value), self._divisor(self.bind(self.number(k)))
        count = plus(binary(minus(size, ONE), "/", step, PRODUCT), ONE)
        total = self.out.variable("total", choice(binary(size, ">", ZERO, LESS), count, ZERO))
        return Pull(Length(total), lambda i: at(binary(i, "*", step, PRODUCT)))

    def _pull_ordinals(self, x: Expression) -> Pull:
        return Pull(self.pull(x).length, lambda i: plus(i, ONE))

    def _pull_delete(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        place = self.bind(self.number(k))
        return Pull(length.shorter(1), lambda i: at(choice(binary(i, "<", place, LESS), i, plus(i, ONE))))

    def _pull_gather(self, x: Expression, places: Expression) -> Pull:
        source, chosen = self.pull(x), self.pull(places)
        return Pull(chosen.length, lambda i: source.at(chosen.at(i)))

    def _pull_replace(self, x: Expression, k: Expression, v: Expression) -> Pull:
        length, at = self.pull(x)
        place, value = self.bind(self.number(k)), self.number(v)
        return Pull(length, lambda i: choice(binary(i, "==", place, EQUAL), value, at(i)))

    def _pull_swap(self, x: Expression, k: Expression, l: Expression) -> Pull:  # noqa: E741
        length, at = self.pull(x)
        one, two = self.bind(self.number(k)), self.bind(self.number(l))

        def partner(i: C) -> C:
            other = choice(binary(i, "==", two, EQUAL), one, i)
            return self.out.variable("from", choice(binary(i, "==", one, EQUAL), two, other))

        return Pull(length, lambda i: at(partner(i)))

    def _pull_occurrences(self, x: Expression) -> Pull:
        pulled = self.pull(x)
        return Pull(pulled.length, lambda i: self._occurrences_of(pulled, self.bind(pulled.at(i))))

    def _pull_member(self, x: Expression, y: Expression) -> Pull:
        one, other = self.pull(x), self.pull(y)
        return Pull(one.length, lambda i: self._found(other, other.length, self.bind(one.at(i))))

    def _pull_is_first(self, x: Expression) -> Pull:
        pulled = self.pull(x)

        def at(i: C) -> C:
            return C(f"!{self._found(pulled, Length(i), self.bind(pulled.at(i))).text}", UNARY)

        return Pull(pulled.length, at)
