"""Writes the body of a C function for a program: loops over lists, fused where no list in between is needed.

A list is either indexed (`pull`: its length, and an expression for element i) or produced (`push`: loops that hand each
element to what comes next). Maps, reversals and slices are indexed and need no memory; filters, joins and scans are
produced. Where a produced list must be indexed, it is stored in a buffer first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lasynth.domains.lists.emission import scalars
from lasynth.domains.lists.emission.c_text import (
    EQUAL,
    LESS,
    PRODUCT,
    SUM,
    UNARY,
    C,
    Length,
    Lines,
    binary,
    choice,
    literal,
    minus,
    negated,
    plus,
)
from lasynth.domains.lists.language.nodes import Call, Constant, Empty, Expression, Input, Type
from lasynth.domains.lists.language.operations import OPERATIONS, Op

Body = Callable[[C], None]
ZERO, ONE = C("0"), C("1")
INDEX_NAMES = ("i", "j", "h", "g")


class Pull(NamedTuple):
    """A list that is indexed."""

    length: Length
    at: Callable[[C], C]
    """The element at an index below the length; may add statements where it is used."""


def op_of(expression: Expression) -> Op | None:
    return OPERATIONS[expression.operation].op if isinstance(expression, Call) else None


class Emitter:
    """The statements of one function."""

    def __init__(self, inputs: Sequence[tuple[C, Length | None]], taken: set[str]) -> None:
        self.inputs = inputs
        """Name and, for lists, length of each parameter."""
        self.out = Lines(taken)
        self.buffers: list[str] = []
        """Names of what must be freed."""
        self.stored: dict[Expression, Pull] = {}
        self.numbers: dict[Expression, C] = {}

    # --- numbers -----------------------------------------------------------------------------------------------
    def number(self, expression: Expression) -> C:
        """An expression for a number or flag; loops that it needs are written before."""
        if isinstance(expression, Input):
            return self.inputs[expression.place][0]
        if isinstance(expression, Constant):
            return literal(expression.value)
        assert isinstance(expression, Call)
        if expression in self.numbers:
            return self.numbers[expression]
        op = OPERATIONS[expression.operation].op
        if op < Op.SUM:
            parts = [self.number(part) for part in expression.arguments]
            return scalars.expression(op, self._hide_zero(op, parts), self.bind)
        value: C = getattr(self, f"_number_{op.name.lower()}")(*expression.arguments)
        if value.is_simple:
            self.numbers[expression] = value
        return value

    def _hide_zero(self, op: Op, parts: list[C]) -> list[C]:
        """A division by a literal 0, which is never carried out if the program does not fault, in a form that gcc
        accepts."""
        if op in (Op.DIV, Op.MOD) and parts[1].text == "0":
            return [parts[0], self.out.variable("zero", ZERO)]
        return parts

    def bind(self, value: C) -> C:
        return value if value.is_simple else self.out.variable("x", value)

    def _fold(self, source: Expression, name: str, start: str, step: Callable[[str, C], str]) -> C:
        total = self.out.name(name)
        self.out.add(f"int {total} = {start};")
        self.push(source, lambda value: self.out.add(step(total, value)))
        return C(total)

    def _number_sum(self, x: Expression) -> C:
        return self._fold(x, "sum", "0", lambda total, value: f"{total} += {value.text};")

    def _number_product(self, x: Expression) -> C:
        return self._fold(x, "product", "1", lambda total, value: f"{total} *= {value.inside(SUM)};")

    def _number_count(self, m: Expression) -> C:
        return self._fold(m, "count", "0", lambda total, value: f"if ({value.text}) {total}++;")

    def _number_any(self, m: Expression) -> C:
        return self._fold(m, "any", "0", lambda found, value: f"if ({value.text}) {found} = 1;")

    def _number_all(self, m: Expression) -> C:
        return self._fold(m, "all", "1", lambda found, value: f"if ({negated(value).text}) {found} = 0;")

    def _number_length(self, x: Expression) -> C:
        if self.is_indexed(x):
            return self.pull(x).length.value
        return self._fold(x, "length", "0", lambda total, _: f"{total}++;")

    def _number_maximum(self, x: Expression) -> C:
        return self._extreme(x, "max", ">")

    def _number_minimum(self, x: Expression) -> C:
        return self._extreme(x, "min", "<")

    def _extreme(self, x: Expression, name: str, better: str) -> C:
        if not self.is_indexed(x):
            start = "INT_MIN" if better == ">" else "INT_MAX"

            def step(best: str, value: C) -> str:
                value = self.bind(value)
                return f"if ({binary(value, better, C(best), LESS).text}) {best} = {value.text};"

            return self._fold(x, name, start, step)
        pulled = self.pull(x)
        best = self.out.variable(name, pulled.at(ZERO))
        with self._loop(pulled.length, start="1") as i:
            value = self.bind(pulled.at(i))
            self.out.add(f"if ({binary(value, better, best, LESS).text}) {best.text} = {value.text};")
        return best

    def _number_first(self, x: Expression) -> C:
        return self.bind(self.pull(x).at(ZERO))

    def _number_last(self, x: Expression) -> C:
        pulled = self.pull(x)
        return self.bind(pulled.at(minus(pulled.length.bound, ONE)))

    def _number_nth(self, x: Expression, k: Expression) -> C:
        return self.bind(self.pull(x).at(self.number(k)))

    def _number_argmax(self, x: Expression) -> C:
        return self._best_place(x, ">")

    def _number_argmin(self, x: Expression) -> C:
        return self._best_place(x, "<")

    def _best_place(self, x: Expression, better: str) -> C:
        pulled = self.pull(x)
        place = self.out.variable("place", ZERO)
        with self._loop(pulled.length, start="1") as i:
            test = binary(pulled.at(i), better, pulled.at(place), LESS)
            self.out.add(f"if ({test.text}) {place.text} = {i.text};")
        return place

    def _number_common(self, x: Expression) -> C:
        pulled = self.pull(x)
        most, found = self.out.variable("most", ZERO), self.out.variable("common", ZERO)
        with self._loop(pulled.length) as i:
            value = self.bind(pulled.at(i))
            count = self._occurrences_of(pulled, value)
            with self.out.block(f"if ({count.text} > {most.text})"):
                self.out.add(f"{most.text} = {count.text};")
                self.out.add(f"{found.text} = {value.text};")
        return found

    def _number_position(self, m: Expression) -> C:
        pulled = self.pull(m)
        place = self.out.variable("place", ZERO)
        with self.out.block(f"for (; {place.text} < {pulled.length.bound.text}; {place.text}++)"):
            self.out.add(f"if ({pulled.at(place).text}) break;")
        return place

    def _number_last_position(self, m: Expression) -> C:
        pulled = self.pull(m)
        place = self.out.variable("place", minus(pulled.length.bound, ONE))
        with self.out.block(f"for (; {place.text} >= 0; {place.text}--)"):
            self.out.add(f"if ({pulled.at(place).text}) break;")
        return place

    def _number_if(self, b: Expression, x: Expression, y: Expression) -> C:
        condition = self.number(b)
        result = self.out.name("result")
        self.out.add(f"int {result};")
        for head, branch in ((f"if ({condition.text})", x), ("else", y)):
            with self._branch(head):
                self.out.add(f"{result} = {self.number(branch).text};")
        return C(result)

    # --- blocks ------------------------------------------------------------------------------------------------
    def _loop(self, length: Length, start: str = "0") -> _Loop:
        return _Loop(self, length, start)

    def _branch(self, head: str) -> _Branch:
        return _Branch(self, head)

    # --- indexed lists -----------------------------------------------------------------------------------------
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

    def _common(self, lengths: Sequence[Length]) -> Length:
        """The shortest; lengths of numbers are empty texts."""
        real = [length for length in lengths if length.base.text]
        shortest = real[0]
        for other in real[1:]:
            if other.base.text == shortest.base.text:
                negative = other.may_be_negative or shortest.may_be_negative
                shortest = Length(shortest.base, max(shortest.less, other.less), negative)
            else:
                one, two = self.bind(shortest.bound), self.bind(other.bound)
                base = self.out.variable("shorter", choice(binary(one, "<", two, LESS), one, two))
                shortest = Length(base, 0, True)
        return shortest

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
        size = self.bind(length.value)
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
        size = self.bind(length.value)
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
        times = self._from_zero(k)
        total = self.out.variable("total", binary(length.value, "*", times, PRODUCT))
        return Pull(Length(total), lambda i: at(binary(i, "/", times, PRODUCT)))

    def _pull_every(self, x: Expression, k: Expression) -> Pull:
        length, at = self.pull(x)
        size, step = self.bind(length.value), self.bind(self.number(k))
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

    def _occurrences_of(self, pulled: Pull, value: C) -> C:
        count = self.out.variable("times", ZERO)
        with self._loop(pulled.length) as j:
            self.out.add(f"if ({binary(pulled.at(j), '==', value, EQUAL).text}) {count.text}++;")
        return count

    def _pull_member(self, x: Expression, y: Expression) -> Pull:
        one, other = self.pull(x), self.pull(y)
        return Pull(one.length, lambda i: self._found(other, other.length, self.bind(one.at(i))))

    def _found(self, pulled: Pull, length: Length, value: C) -> C:
        found = self.out.variable("found", ZERO)
        with self._loop(length) as j:
            self.out.add(f"if ({binary(pulled.at(j), '==', value, EQUAL).text}) {found.text} = 1;")
        return found

    def _pull_is_first(self, x: Expression) -> Pull:
        pulled = self.pull(x)

        def at(i: C) -> C:
            return C(f"!{self._found(pulled, Length(i), self.bind(pulled.at(i))).text}", UNARY)

        return Pull(pulled.length, at)

    # --- produced lists ----------------------------------------------------------------------------------------
    def push(self, expression: Expression, body: Body) -> None:
        """Loops that hand each element of a list to the body."""
        op = op_of(expression)
        method = None if op is None else getattr(self, f"_push_{op.name.lower()}", None)
        if method is not None and expression not in self.stored:
            assert isinstance(expression, Call)
            method(body, *expression.arguments)
            return
        pulled = self.pull(expression)
        if pulled.length == Length(ONE):
            body(pulled.at(ZERO))
        elif pulled.length != Length(ZERO):
            with self._loop(pulled.length) as i:
                body(pulled.at(i))

    def _push_concat(self, body: Body, x: Expression, y: Expression) -> None:
        self.push(x, body)
        self.push(y, body)

    def _push_cons(self, body: Body, k: Expression, x: Expression) -> None:
        body(self.number(k))
        self.push(x, body)

    def _push_append(self, body: Body, x: Expression, k: Expression) -> None:
        self.push(x, body)
        body(self.number(k))

    def _push_insert(self, body: Body, x: Expression, k: Expression, v: Expression) -> None:
        length, at = self.pull(x)
        place, value = self.bind(self.number(k)), self.number(v)
        with self._loop(Length(place)) as i:
            body(at(i))
        body(value)
        with self._loop(length, start=place.text) as i:
            body(at(i))

    def _push_interleave(self, body: Body, x: Expression, y: Expression) -> None:
        one, other = self.pull(x), self.pull(y)
        lengths = [self.bind(part.length.bound) for part in (one, other)]
        longer = lengths[0]
        if lengths[0].text != lengths[1].text:
            longer = self.out.variable("longer", choice(binary(lengths[0], ">", lengths[1], LESS), *lengths))
        with self._loop(Length(longer)) as i:
            for part, length in ((one, lengths[0]), (other, lengths[1])):
                if length.text == longer.text:
                    body(part.at(i))
                else:
                    with self.out.block(f"if ({i.text} < {length.text})"):
                        body(part.at(i))

    def _push_filter(self, body: Body, x: Expression, m: Expression) -> None:
        self._filtered(body, x, m, lambda flag: flag)

    def _push_reject(self, body: Body, x: Expression, m: Expression) -> None:
        self._filtered(body, x, m, negated)

    def _filtered(self, body: Body, x: Expression, m: Expression, test: Callable[[C], C]) -> None:
        values, mask = self.pull(x), self.pull(m)
        length = self._common([values.length, mask.length])
        with self._loop(length) as i, self.out.block(f"if ({test(mask.at(i)).text})"):
            body(values.at(i))

    def _push_take_while(self, body: Body, x: Expression, m: Expression) -> None:
        values, mask = self.pull(x), self.pull(m)
        with self._loop(self._common([values.length, mask.length])) as i:
            self.out.add(f"if ({negated(mask.at(i)).text}) break;")
            body(values.at(i))

    def _push_drop_while(self, body: Body, x: Expression, m: Expression) -> None:
        values, mask = self.pull(x), self.pull(m)
        length = self._common([values.length, mask.length])
        start = self.out.variable("start", ZERO)
        with self.out.block(f"for (; {start.text} < {length.bound.text}; {start.text}++)"):
            self.out.add(f"if ({negated(mask.at(start)).text}) break;")
        with self._loop(length, start=start.text) as i:
            body(values.at(i))

    def _push_unique(self, body: Body, x: Expression) -> None:
        pulled = self.pull(x)
        with self._loop(pulled.length) as i:
            value = self.bind(pulled.at(i))
            found = self._found(pulled, Length(i), value)
            with self.out.block(f"if (!{found.text})"):
                body(value)

    def _push_squeeze(self, body: Body, x: Expression) -> None:
        pulled = self.pull(x)
        with self._loop(pulled.length) as i:
            value = self.bind(pulled.at(i))
            before = pulled.at(choice(binary(i, ">", ZERO, LESS), minus(i, ONE), ZERO))
            with self.out.block(f"if ({i.text} == 0 || {binary(value, '!=', before, EQUAL).text})"):
                body(value)

    def _push_positions(self, body: Body, m: Expression) -> None:
        mask = self.pull(m)
        with self._loop(mask.length) as i, self.out.block(f"if ({mask.at(i).text})"):
            body(i)

    def _push_running_sum(self, body: Body, x: Expression) -> None:
        self._running(body, x, "sum", "0", lambda total, value: f"{total} += {value.text};")

    def _push_running_product(self, body: Body, x: Expression) -> None:
        self._running(body, x, "product", "1", lambda total, value: f"{total} *= {value.inside(SUM)};")

    def _push_running_max(self, body: Body, x: Expression) -> None:
        self._running_extreme(body, x, "max", "INT_MIN", ">")

    def _push_running_min(self, body: Body, x: Expression) -> None:
        self._running_extreme(body, x, "min", "INT_MAX", "<")

    def _running_extreme(self, body: Body, x: Expression, name: str, start: str, better: str) -> None:
        def step(best: str, value: C) -> str:
            value = self.bind(value)
            return f"if ({binary(value, better, C(best), LESS).text}) {best} = {value.text};"

        self._running(body, x, name, start, step)

    def _running(self, body: Body, x: Expression, name: str, start: str, step: Callable[[str, C], str]) -> None:
        total = self.out.name(name)
        self.out.add(f"int {total} = {start};")

        def each(value: C) -> None:
            self.out.add(step(total, value))
            body(C(total))

        self.push(x, each)

    def _push_digits(self, body: Body, k: Expression) -> None:
        number = self.bind(self.number(k))
        rest, unit = self.out.name("rest"), self.out.name("unit")
        self.out.add(f"unsigned {rest} = {number.text} < 0 ? 0u - (unsigned){number.text} : (unsigned){number.text};")
        self.out.add(f"unsigned {unit} = 1;")
        self.out.add(f"while ({rest} / {unit} >= 10) {unit} *= 10;")
        with self.out.block(f"for (; {unit} > 0; {unit} /= 10)"):
            body(C(f"(int)({rest} / {unit} % 10)"))

    def _push_if(self, body: Body, b: Expression, x: Expression, y: Expression) -> None:
        condition = self.number(b)
        branches = [(f"if ({condition.text})", x), ("else", y)]
        if isinstance(y, Empty):
            branches = branches[:1]
        if isinstance(x, Empty):
            branches = [(f"if ({negated(condition).text})", y)]
        for head, branch in branches:
            with self._branch(head):
                self.push(branch, body)

    # --- buffers -----------------------------------------------------------------------------------------------
    def store(self, expression: Expression) -> Pull:
        """Put a produced list into a buffer of its own, so that it can be indexed."""
        room = self.bind(self.most(expression))
        name = self.out.name("list")
        self.out.add(f"int *{name} = malloc(((size_t){room.text} + 1) * sizeof *{name});")
        self.buffers.append(name)
        size = self.fill(expression, name)
        pulled = Pull(Length(size), lambda i: C(f"{name}[{i.text}]"))
        self.stored[expression] = pulled
        return pulled

    def fill(self, expression: Expression, name: str) -> C:
        """Write a list to an array; its length."""
        op = op_of(expression)
        if op in (Op.SORT, Op.SORT_DOWN, Op.SORT_BY):
            assert isinstance(expression, Call)
            return self._sorted(op, expression.arguments, name)
        if op is not None and op != Op.IF and not hasattr(self, f"_push_{op.name.lower()}"):
            pulled = self.pull(expression)
            with self._loop(pulled.length) as i:
                self.out.add(f"{name}[{i.text}] = {pulled.at(i).text};")
            return pulled.length.value
        count = self.out.name("count")
        self.out.add(f"int {count} = 0;")
        self.push(expression, lambda value: self.out.add(f"{name}[{count}++] = {value.text};"))
        return C(count)

    def _sorted(self, op: Op, arguments: Sequence[Expression], name: str) -> C:
        """Insertion: each element moves to the left over those that belong behind it."""
        keys = name
        values = self.pull(arguments[0]) if op == Op.SORT_BY or self.is_indexed(arguments[0]) else None
        if values is None:
            return self._sorted_in_place(self.fill(arguments[0], name), op, name, keys)
        length = values.length
        if op == Op.SORT_BY:
            of_keys = self.pull(arguments[1])
            length = self._common([values.length, of_keys.length])
            room = self.bind(length.value)
            keys = self.out.name("keys")
            self.out.add(f"int *{keys} = malloc(((size_t){room.text} + 1) * sizeof *{keys});")
            self.buffers.append(keys)
        size = self.bind(length.value)
        with self._loop(Length(size)) as i:
            if keys != name:
                key = self.out.variable("key", of_keys.at(i))
                self._insert(op, i, [(name, self.bind(values.at(i))), (keys, key)], keys)
            else:
                self._insert(op, i, [(name, self.out.variable("x", values.at(i)))], keys)
        return size

    def _sorted_in_place(self, size: C, op: Op, name: str, keys: str) -> C:
        with self._loop(Length(size), start="1") as i:
            self._insert(op, i, [(name, self.out.variable("x", C(f"{name}[{i.text}]")))], keys)
        return size

    def _insert(self, op: Op, i: C, moved: Sequence[tuple[str, C]], keys: str) -> None:
        place, key = self.out.variable("j", i), moved[-1][1].text
        behind = "<" if op == Op.SORT_DOWN else ">"
        with self.out.block(f"while ({place.text} > 0 && {keys}[{place.text} - 1] {behind} {key})"):
            for name, _ in moved:
                self.out.add(f"{name}[{place.text}] = {name}[{place.text} - 1];")
            self.out.add(f"{place.text}--;")
        for name, value in moved:
            self.out.add(f"{name}[{place.text}] = {value.text};")

    def most(self, expression: Expression) -> C:
        """An expression for a length that a produced list does not exceed."""
        op = op_of(expression)
        if op is None or (op >= Op.SUM and hasattr(self, f"_pull_{op.name.lower()}")) or op < Op.SUM:
            return self.pull(expression).length.value
        assert isinstance(expression, Call)
        if op == Op.DIGITS:
            return literal(10)
        if op == Op.REPLICATE:
            return self._replicated(*expression.arguments)
        lists = [part for part in expression.arguments if part.type >= Type.LIST]
        if op in (Op.CONCAT, Op.INTERLEAVE, Op.IF):
            return plus(self.most(lists[0]), self.most(lists[1]))
        extra = 1 if op in (Op.CONS, Op.APPEND, Op.INSERT) else 0
        return plus(self.most(lists[0]), literal(extra))

    def _replicated(self, x: Expression, counts: Expression) -> C:
        """The length of a list whose elements are repeated."""
        values, times = self.pull(x), self.pull(counts)
        total = self.out.variable("total", ZERO)
        with self._loop(self._common([values.length, times.length])) as i:
            count = self.bind(times.at(i))
            self.out.add(f"if ({count.text} > 0) {total.text} += {count.text};")
        return total


class _Loop:
    """A loop over the indices of a list."""

    def __init__(self, emitter: Emitter, length: Length, start: str) -> None:
        self.emitter, self.length, self.start = emitter, length, start

    def __enter__(self) -> C:
        lines = self.emitter.out
        self.taken = set(lines.taken)
        i = lines.name(*INDEX_NAMES)
        self.block = lines.block(f"for (int {i} = {self.start}; {i} < {self.length.bound.inside(LESS)}; {i}++)")
        self.block.__enter__()
        return C(i)

    def __exit__(self, *error: object) -> None:
        self.block.__exit__(None, None, None)
        self.emitter.out.taken = self.taken


class _Branch:
    """A block of which only the function's end is sure: what is stored inside is not known outside."""

    def __init__(self, emitter: Emitter, head: str) -> None:
        self.emitter = emitter
        self.block = emitter.out.block(head)

    def __enter__(self) -> None:
        emitter = self.emitter
        self.stored, self.numbers, self.buffers = dict(emitter.stored), dict(emitter.numbers), list(emitter.buffers)
        self.block.__enter__()

    def __exit__(self, *error: object) -> None:
        emitter = self.emitter
        for name in emitter.buffers[len(self.buffers) :]:
            emitter.out.add(f"free({name});")
        emitter.stored, emitter.numbers, emitter.buffers = self.stored, self.numbers, self.buffers
        self.block.__exit__(None, None, None)
