"""Symbolic execution: describes by linear sums what a program does to given lists, along the paths that they take.

The language only adds and subtracts. So on one path, every element of the output is a sum of elements of the input, and
every decision compares such a sum with 0. Paths with the same first decisions are merged. A decision that has the same
result for all lists is dropped. The result is an `Explanation`. The symbolic solver guesses explanations from examples;
here they are computed from the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lasynth.domains.restricted_c.execution.interpreter import RELATIONS, Execution
from lasynth.domains.restricted_c.language.nodes import MAX_OPERATORS, Element, For, Program, Relation, Test, Var
from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.explanations import Choice, Explanation, Tree
from lasynth.domains.restricted_c.symbolic.sums import Sum

DIGIT = 32
"""Number of bits of a coefficient in a packed sum."""


class Inexplicable(ValueError):
    """No explanation can describe the program, for example because a subscript depends on the input."""


class Linear(int):
    """A value of a run, together with the sum of input elements that it is.

    `packed` holds the sum in one integer, so that adding two sums is one addition. The constant is the lowest digit;
    the coefficient of element i is digit i + 1. A digit has DIGIT bits and may be negative.
    """

    packed: int

    def __add__(self, other: int) -> Linear:
        return linear(int(self) + int(other), self.packed + _packed(other))

    def __sub__(self, other: int) -> Linear:
        return linear(int(self) - int(other), self.packed - _packed(other))

    def __radd__(self, other: int) -> Linear:
        return self + other

    def __rsub__(self, other: int) -> Linear:
        return linear(int(other) - int(self), _packed(other) - self.packed)


def linear(value: int, packed: int) -> Linear:
    number = Linear(value)
    number.packed = packed
    return number


def _packed(number: int) -> int:
    """The packed sum of a number. A plain integer is a sum without elements."""
    return number.packed if isinstance(number, Linear) else int(number)


def _depends(number: int) -> bool:
    """Whether the number depends on the input."""
    return _packed(number) != int(number)


def _unpacked(packed: int) -> Sum:
    half, digits = 1 << (DIGIT - 1), []
    while packed:
        digit = (packed + half) % (1 << DIGIT) - half
        digits.append(digit)
        packed = (packed - digit) >> DIGIT
    constant, *coefficients = digits or [0]
    return Sum(tuple((i, c) for i, c in enumerate(coefficients) if c), constant)


class Decision(NamedTuple):
    """A comparison made during a run, and whether it held."""

    comparison: Comparison
    held: bool


class Path(NamedTuple):
    """What one run decided and what it returned."""

    decisions: tuple[Decision, ...]
    output: tuple[Sum, ...]
    """A sum for each element."""


class _Execution(Execution):
    """A run that records its decisions and how its values depend on the input."""

    def __init__(self, program: Program, values: Sequence[int], max_steps: int) -> None:
        super().__init__(program, [linear(v, 1 << DIGIT * (i + 1)) for i, v in enumerate(values)], max_steps)
        self.decisions: list[Decision] = []

    def path(self) -> Path:
        output = tuple(_unpacked(_packed(value)) for value in self.run())
        return Path(tuple(self.decisions), output)

    def test(self, test: Test) -> bool:
        left = self.value(test.left)
        right = 0 if test.right is None else self.value(test.right)
        return self.decide(left, test.relation or "!=", right)

    def loop_test(self, loop: For) -> bool:
        return self.decide(self.read(Var(loop.variable)), loop.relation, loop.limit) and super().loop_test(loop)

    def decide(self, left: int, relation: Relation, right: int) -> bool:
        held = RELATIONS[relation](left, right)
        if _depends(left) or _depends(right):
            difference = _unpacked(_packed(left) - _packed(right))
            if difference.terms:
                self.decisions.append(_decision(difference, relation, held))
        return held

    def subscript(self, element: Element) -> int:
        index = super().subscript(element)
        if _depends(index):
            raise Inexplicable("a subscript depends on the input")
        return index


OPPOSITE: dict[Relation, Relation] = {"!=": "==", ">": "<=", ">=": "<"}


def _decision(difference: Sum, relation: Relation, held: bool) -> Decision:
    """`difference relation 0` as a `Comparison` (== or <=) in which the first element has a positive coefficient."""
    if relation in OPPOSITE:
        relation, held = OPPOSITE[relation], not held
    if relation == "<":  # x < 0 is x + 1 <= 0
        difference = difference._replace(constant=difference.constant + 1)
    if difference.terms[0][1] < 0:
        difference = Sum(tuple((e, -c) for e, c in difference.terms), -difference.constant)
        if relation != "==":  # -x <= 0 is not x + 1 <= 0
            difference, held = difference._replace(constant=difference.constant + 1), not held
    if any(abs(c) > 1 for _, c in difference.terms) or len(difference.terms) > MAX_OPERATORS + 1:
        raise Inexplicable("a condition has too many terms or a coefficient other than 1 and -1")
    return Decision(Comparison(difference, "==" if relation == "==" else "<="), held)


def explain_runs(program: Program, inputs: Sequence[Sequence[int]], max_steps: int) -> Explanation:
    """What the program does to these lists, for each position.

    ExecutionError if it faults on one of them. Inexplicable if an explanation cannot describe it.
    """
    paths = [_Execution(program, values, max_steps).path() for values in inputs]
    return _merge(paths, 0, {})


Known = Mapping[int, int]
"""Values of elements of the input that follow from the decisions of a path."""


def _merge(paths: Sequence[Path], depth: int, known: Known) -> Explanation:
    """Explain paths that have the same first `depth` decisions."""
    while len(paths[0].decisions) > depth:
        comparison = paths[0].decisions[depth].comparison
        held = [path for path in paths if path.decisions[depth].held]
        failed = [path for path in paths if not path.decisions[depth].held]
        depth += 1
        if held and failed:
            value = _implied(comparison)
            then = _merge(held, depth, {**known, **value})
            orelse = _merge(failed, depth, known)
            return tuple(_choice(comparison, value, *both) for both in zip(then, orelse, strict=True))
    return tuple(_simplest(total, position, known) for position, total in enumerate(paths[0].output))


def _implied(comparison: Comparison) -> Known:
    """The value of an element that follows if the comparison holds."""
    if comparison.relation == "==" and len(comparison.left.terms) == 1:
        return {comparison.left.terms[0][0]: -comparison.left.constant}
    return {}


def _choice(comparison: Comparison, value: Known, then: Tree, orelse: Tree) -> Tree:
    """The choice between two trees, or one tree if it is right in both cases."""
    if then == orelse:
        return then
    if (
        value
        and isinstance(then, Sum)
        and isinstance(orelse, Sum)
        and _substitute(then, value) == _substitute(orelse, value)
    ):
        return orelse
    return Choice(comparison, then, orelse)


def _simplest(total: Sum, position: int, known: Known) -> Sum:
    """The sum with known elements replaced by numbers, or the position's own element if that is equal."""
    own = Sum(((position, 1),))
    plain = _substitute(total, known)
    return own if plain == _substitute(own, known) else plain


def _substitute(total: Sum, known: Known) -> Sum:
    """The sum with known elements replaced by their values."""
    constant = total.constant + sum(c * known[e] for e, c in total.terms if e in known)
    return Sum(tuple((e, c) for e, c in total.terms if e not in known), constant)
