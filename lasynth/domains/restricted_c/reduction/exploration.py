"""Exploration: finds inputs that lead programs along all their paths, and inputs at the boundaries between paths.

The language only adds and subtracts. So along one path, every value is a linear sum of the elements of the input, and
every decision is a linear inequality: the outcome of a test, whether a result fits into 32 bits, and what a subscript
is. To find another path, the exploration reverses one decision and solves the inequalities. It can run two programs
side by side. If they give the same sums on a joint path, they agree on all inputs of that path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from lasynth.domains.restricted_c.execution.interpreter import RELATIONS, Execution, OutOfBounds
from lasynth.domains.restricted_c.language.nodes import (
    Condition,
    Const,
    Element,
    Expr,
    For,
    If,
    Program,
    Relation,
    Statement,
    Test,
    Var,
)
from lasynth.domains.restricted_c.reduction.inequalities import (
    HIGHEST,
    LOWEST,
    Answer,
    Coefficients,
    extremes,
    solution,
)
from lasynth.task import ExecutionError, StepLimit

MAX_DECISIONS = 300
"""Decisions of one run that can be reversed. A run with more of them is explored in part."""
MAX_STEPS = 500
"""Loop tests in one run. A run with more of them is not explored."""


class Affine(int):
    """A value of a run that depends on the input, together with the sum that it is: coefficients, then a constant."""

    sum: tuple[int, ...]

    def __add__(self, other: int) -> int:
        return _affine(int(self) + int(other), [a + b for a, b in zip(self.sum, _sum(other, self), strict=True)])

    def __sub__(self, other: int) -> int:
        return _affine(int(self) - int(other), [a - b for a, b in zip(self.sum, _sum(other, self), strict=True)])

    def __radd__(self, other: int) -> int:
        return self + other

    def __rsub__(self, other: int) -> int:
        return _affine(int(other) - int(self), [b - a for a, b in zip(self.sum, _sum(other, self), strict=True)])


def _affine(value: int, total: Sequence[int]) -> int:
    """A value with its sum; a plain integer if it does not depend on the input."""
    if not any(total[:-1]):
        return value
    number = Affine(value)
    number.sum = tuple(total)
    return number


def _sum(number: int, like: Affine) -> tuple[int, ...]:
    """The sum of a number, with as many terms as `like` has."""
    return number.sum if isinstance(number, Affine) else (0,) * (len(like.sum) - 1) + (int(number),)


Range: TypeAlias = tuple[int, int]
"""Lowest and highest value of a sum."""


class Decision(NamedTuple):
    """A sum of input elements, the range in which it was in a run, and the ranges with other decisions."""

    coefficients: Coefficients
    range: Range
    others: tuple[Range, ...]

    def within(self, low: int, high: int) -> dict[Coefficients, int]:
        """The inequalities that say that the sum is in a range."""
        return {self.coefficients: high, tuple(-c for c in self.coefficients): -low}


class Coverage:
    """What runs have executed: statements, and outcomes of tests. Objects of the syntax tree stand for themselves."""

    def __init__(self) -> None:
        self.seen: set[tuple[int, object]] = set()

    def complete(self, program: Program) -> bool:
        """Whether every statement was executed, and every test was true once and false once."""
        return _wanted(program.body) <= self.seen


def _wanted(block: Sequence[Statement]) -> set[tuple[int, object]]:
    """What complete runs of a block execute. Code that a test of constants excludes is left out."""
    wanted: set[tuple[int, object]] = set()
    for statement in block:
        wanted.add((id(statement), None))
        match statement:
            case For(body=body):
                runs = RELATIONS[statement.relation](statement.start, statement.limit)
                wanted |= {(id(statement), False)} | (_wanted(body) if runs else set())
            case If(then=then, orelse=orelse):
                tests, result = _wanted_tests(statement.condition)
                wanted |= tests
                wanted |= set() if result is False else _wanted(then)
                wanted |= set() if result is True else _wanted(orelse)
    return wanted


def _wanted_tests(condition: Condition) -> tuple[set[tuple[int, object]], bool | None]:
    """Outcomes of the tests of a condition, and its own outcome if constants determine it."""
    wanted: set[tuple[int, object]] = set()
    result: bool | None = False
    for conjunction in condition:
        part: bool | None = True
        for test in conjunction:
            known = _constant(test)
            wanted |= {(id(test), held) for held in (False, True) if known in (None, held)}
            part = None if part is None or known is None else known
            if known is False:
                part = False
                break
        if part is True:
            return wanted, True
        result = None if part is None else result
    return wanted, result


def _constant(test: Test) -> bool | None:
    """The outcome of a test of numbers. None if it has variables or elements, or if a sum overflows."""
    totals = []
    for side in (test.left, test.right or Expr(Const(0))):
        total = 0
        for sign, operand in (("+", side.first), *side.rest):
            if not isinstance(operand, Const):
                return None
            total += operand.value if sign == "+" else -operand.value
            if not LOWEST <= total <= HIGHEST:
                return None
        totals.append(total)
    return RELATIONS[test.relation or "!="](*totals)


class _Run(Execution):
    """A run that records its decisions and what it covers."""

    def __init__(
        self,
        program: Program,
        values: Sequence[int],
        decisions: list[Decision],
        coverage: Coverage,
        result: Exploration,
    ) -> None:
        units = [[int(i == j) for j in range(len(values))] + [0] for i in range(len(values))]
        super().__init__(program, [_affine(v, unit) for v, unit in zip(values, units, strict=True)], MAX_STEPS)
        self.decisions, self.covered, self.result = decisions, coverage.seen, result

    def outcome(self) -> tuple[object, ...]:
        """The sums of the output, or the kind of the fault."""
        size = len(self.list)
        try:
            zeros = (0,) * size
            return tuple(v.sum if isinstance(v, Affine) else (*zeros, int(v)) for v in self.run())
        except ExecutionError as error:
            return (type(error),)

    def statement(self, statement: Statement) -> None:
        self.covered.add((id(statement), None))
        super().statement(statement)

    def test(self, test: Test) -> bool:
        left = self.value(test.left)
        right = 0 if test.right is None else self.value(test.right)
        held = self.decide(left, test.relation or "!=", right)
        self.covered.add((id(test), held))
        return held

    def loop_test(self, loop: For) -> bool:
        held = self.decide(self.read(Var(loop.variable)), loop.relation, loop.limit) if self.steps_left else False
        super().loop_test(loop)  # counts the step
        self.covered.add((id(loop), held))
        return held

    def fit(self, value: int) -> int:
        self.decide(value, "<=", HIGHEST)
        self.decide(value, ">=", LOWEST)
        return super().fit(value)

    def subscript(self, element: Element) -> int:
        index = self.read(element.index)
        if not isinstance(index, Affine):
            self.result.reach = max(self.result.reach, index)
        else:
            self.result.indexed = True
            last = len(self.list) - 1
            if self.decide(index, ">=", 0) and self.decide(index, "<=", last):
                self.decide(index, "==", int(index))
            else:
                raise OutOfBounds
        return int(super().subscript(element))

    def decide(self, left: int, relation: Relation, right: int) -> bool:
        """Compare, and record the decision if it depends on the input."""
        held = RELATIONS[relation](int(left), int(right))
        difference = left - right
        if isinstance(difference, Affine):
            decision = _decision(difference, relation)
            if decision.others:
                self.decisions.append(decision)
        return held


def _decision(difference: Affine, relation: Relation) -> Decision:
    """How `difference relation 0` was decided, and how it could be decided for other 32-bit integers."""
    *coefficients, constant = difference.sum
    lowest, highest = extremes(coefficients)
    at = -constant
    if relation in ("==", "!="):
        ranges = [(lowest, at - 1), (at, at), (at + 1, highest)]
    else:
        at -= relation in ("<", ">=")
        ranges = [(lowest, at), (at + 1, highest)]
    value = int(difference) - constant
    own = next(range for range in ranges if range[0] <= value <= range[1])
    others = [(low, high) for low, high in ranges if (low, high) != own and max(low, lowest) <= min(high, highest)]
    return Decision(tuple(coefficients), own, tuple(others))


@dataclass
class Exploration:
    """What was found about one program, or about two programs side by side, on lists of one length."""

    inputs: list[list[int]] = field(default_factory=list)
    """Inputs on all paths that were found, and at their boundaries."""
    different: list[list[int]] = field(default_factory=list)
    """Inputs on which the two programs may have different outcomes."""
    complete: bool = True
    """Whether there are no other paths. Then two programs without a difference are proved equal for this length."""
    indexed: bool = False
    """Whether a subscript depends on the input. Then longer lists may lead to other code."""
    reach: int = 0
    """The largest subscript that does not depend on the input."""


class _Found(NamedTuple):
    """An input, and the number of first decisions of its run that are not to be reversed again."""

    values: list[int]
    fixed: int


def explore(programs: Sequence[Program], seeds: Sequence[Sequence[int]], coverage: Coverage, paths: int) -> Exploration:
    """Explore at most `paths` paths that begin with those of the seeds, which are lists of one length.

    One program is explored alone. Two programs run side by side, and are compared.
    """
    result = Exploration()
    waiting = [_Found(list(seed), 0) for seed in reversed(seeds)]
    known: set[tuple[tuple[Coefficients, Range], ...]] = set()
    while waiting:
        if len(known) >= paths:
            result.complete = False
            break
        found = waiting.pop()
        decisions: list[Decision] = []
        outcomes = [_Run(program, found.values, decisions, coverage, result).outcome() for program in programs]
        path = tuple(decision[:2] for decision in decisions)
        result.inputs.append(found.values)
        if path in known:
            continue
        known.add(path)
        if (StepLimit,) in outcomes or len(decisions) > MAX_DECISIONS:
            result.complete = False
        _compare(outcomes, found.values, decisions, result)
        waiting += _reversed(decisions[:MAX_DECISIONS], found, result)
    return result


def _reversed(decisions: Sequence[Decision], found: _Found, result: Exploration) -> list[_Found]:
    """Inputs for paths that decide otherwise at one place. Inputs at the boundaries of this path go into the result."""
    others: list[_Found] = []
    system: dict[Coefficients, int] = {}
    for number, decision in enumerate(decisions):
        if number >= found.fixed:
            for low, high in decision.others:
                values = solution(_and(system, decision.within(low, high)), found.values)
                if isinstance(values, list):
                    others.append(_Found(values, number + 1))
                    edge = decision.range[high > decision.range[1]]
                    own = solution(_and(system, decision.within(edge, edge)), found.values)
                    if isinstance(own, list):
                        result.inputs.append(own)
                elif values is Answer.UNKNOWN:
                    result.complete = False
        system = _and(system, decision.within(*decision.range))
    return others


def _and(system: dict[Coefficients, int], more: dict[Coefficients, int]) -> dict[Coefficients, int]:
    """The inequalities of both systems together."""
    both = dict(system)
    for coefficients, bound in more.items():
        both[coefficients] = min(bound, both.get(coefficients, bound))
    return both


def _compare(
    outcomes: Sequence[tuple[object, ...]], values: list[int], decisions: Sequence[Decision], result: Exploration
) -> None:
    """Look for an input of this path on which the outcomes differ."""
    if len(outcomes) < 2 or outcomes[0] == outcomes[1] or (StepLimit,) in outcomes:
        return
    one, other = outcomes
    if isinstance(one[0], type) or isinstance(other[0], type):
        result.different.append(values)
        return
    system: dict[Coefficients, int] = {}
    for decision in decisions:
        system = _and(system, decision.within(*decision.range))
    for left, right in zip(one, other, strict=True):
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        *coefficients, constant = (a - b for a, b in zip(left, right, strict=True))
        if not any(coefficients):
            if constant:
                result.different.append(values)
                return
            continue
        lowest, highest = extremes(coefficients)
        difference = Decision(tuple(coefficients), (0, 0), ())
        for low, high in ((1 - constant, highest), (lowest, -1 - constant)):
            found = solution(_and(system, difference.within(low, high)), values)
            if isinstance(found, list):
                result.different.append(found)
                return
            if found is Answer.UNKNOWN:
                result.complete = False
