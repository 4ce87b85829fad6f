"""Operations that give a number or a flag, as C: folds over lists."""

from __future__ import annotations

from collections.abc import Callable

from lasynth.domains.lists.emission import scalars
from lasynth.domains.lists.emission.c_text import (
    LESS,
    SUM,
    C,
    binary,
    literal,
    minus,
    negated,
)
from lasynth.domains.lists.emission.writer import ONE, ZERO, Writer
from lasynth.domains.lists.language.nodes import Call, Constant, Expression, Input
from lasynth.domains.lists.language.operations import OPERATIONS, Op


class Numbers(Writer):
    """Writes numbers."""

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
