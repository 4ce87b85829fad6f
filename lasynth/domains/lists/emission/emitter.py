"""Writes the body of a C function for a program: loops over lists, fused where no list in between is needed.

A list is either indexed (`pull`: its length, and an expression for element i) or produced (`push`: loops that hand each
element to what comes next). Maps, reversals and slices are indexed and need no memory; filters, joins and scans are
produced. Where a produced list must be indexed, it is stored in a buffer first.
"""

from __future__ import annotations

from collections.abc import Sequence

from lasynth.domains.lists.emission.c_text import (
    C,
    Length,
    literal,
    plus,
)
from lasynth.domains.lists.emission.produced import Produced
from lasynth.domains.lists.emission.writer import ZERO, Pull, op_of
from lasynth.domains.lists.language.nodes import Call, Expression, Type
from lasynth.domains.lists.language.operations import Op


class Emitter(Produced):
    """Writes the whole body. Lists that must be indexed are stored in buffers."""

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
        """An upper bound on the length of a produced list, as an expression."""
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
