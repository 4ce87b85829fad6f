"""Lists that are produced element by element: filters, joins, scans."""

from __future__ import annotations

from collections.abc import Callable

from lasynth.domains.lists.emission.c_text import (
    EQUAL,
    LESS,
    SUM,
    C,
    Length,
    binary,
    choice,
    minus,
    negated,
)
from lasynth.domains.lists.emission.indexed import Indexed
from lasynth.domains.lists.emission.writer import ONE, ZERO, Body, op_of
from lasynth.domains.lists.language.nodes import Call, Empty, Expression


class Produced(Indexed):
    """Writes lists that hand each element on to what comes next."""

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
