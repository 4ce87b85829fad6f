"""Linear inequalities over 32-bit integers: finds a solution, or shows that there is none.

The method is Fourier-Motzkin elimination. It removes one variable after the other: from an upper and a lower bound of a
variable follows an inequality without it. Then the values are chosen in the opposite order. If the remaining
inequalities have no solution in rational numbers, there is none in integers either. The converse does not hold, so the
answer may also be "unknown".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from math import gcd
from typing import TypeAlias

from lasynth.domains.restricted_c.language.nodes import INT_MAX

LOWEST, HIGHEST = -INT_MAX - 1, INT_MAX
MOST = 256
"""Most inequalities at one time. With more of them, the answer is `UNKNOWN`."""

Coefficients: TypeAlias = tuple[int, ...]
System: TypeAlias = Mapping[Coefficients, int]
"""Inequalities: `coefficients * values <= bound`. Every value is also a 32-bit integer."""


class Answer(Enum):
    """The answer if there is no solution to show."""

    IMPOSSIBLE = "no integers satisfy the inequalities"
    UNKNOWN = "no solution was found, but there may be one"


class _Impossible(Exception):
    pass


def solution(system: System, near: Sequence[int]) -> list[int] | Answer:
    """Integers that satisfy the inequalities. Each stays at its value in `near` if it can, else it moves little."""
    try:
        rows = _tightest(system.items())
        steps: list[tuple[int, dict[Coefficients, int]]] = []
        while rows:
            variable = _easiest(rows)
            steps.append((variable, {c: bound for c, bound in rows.items() if c[variable]}))
            rows = _tightest(_without(rows, variable))
            if len(rows) > MOST:
                return Answer.UNKNOWN
    except _Impossible:
        return Answer.IMPOSSIBLE
    return _chosen(steps, list(near))


def extremes(coefficients: Sequence[int]) -> tuple[int, int]:
    """The smallest and the largest value of a sum of 32-bit integers."""
    least = most = 0
    for c in coefficients:
        if c > 0:
            least, most = least + c * LOWEST, most + c * HIGHEST
        elif c < 0:
            least, most = least + c * HIGHEST, most + c * LOWEST
    return least, most


def _tightest(rows: Iterable[tuple[Coefficients, int]]) -> dict[Coefficients, int]:
    """Inequalities that do not follow from the range of 32 bits, in lowest terms. _Impossible if one contradicts it."""
    kept: dict[Coefficients, int] = {}
    for coefficients, bound in rows:
        divisor = gcd(*coefficients)
        if divisor > 1:
            coefficients, bound = tuple(c // divisor for c in coefficients), bound // divisor
        least, most = extremes(coefficients)
        if least > bound:
            raise _Impossible
        if most > bound and bound < kept.get(coefficients, bound + 1):
            kept[coefficients] = bound
            opposite = kept.get(tuple(-c for c in coefficients))
            if opposite is not None and -opposite > bound:
                raise _Impossible
    return kept


def _easiest(rows: System) -> int:
    """The variable to remove next: one that an equation determines, or else one that few pairs of bounds have."""

    def cost(variable: int) -> tuple[bool, int]:
        above = sum(c[variable] > 0 for c in rows)
        below = sum(c[variable] < 0 for c in rows)
        return _equation(rows, variable) is None, (above + 1) * (below + 1)

    used = {i for coefficients in rows for i, c in enumerate(coefficients) if c}
    return min(sorted(used), key=cost)


def _equation(rows: System, variable: int) -> Coefficients | None:
    """An equation in which the variable has the coefficient 1: an inequality whose opposite holds, too."""
    for coefficients, bound in rows.items():
        if coefficients[variable] == 1 and rows.get(tuple(-c for c in coefficients)) == -bound:
            return coefficients
    return None


def _without(rows: System, variable: int) -> Iterable[tuple[Coefficients, int]]:
    """What the inequalities say about the other variables."""
    unit = tuple(int(i == variable) for i in range(len(next(iter(rows)))))
    box = {unit: HIGHEST, tuple(-u for u in unit): -LOWEST}
    above = {c: b for c, b in (*box.items(), *rows.items()) if c[variable] > 0}
    below = {c: b for c, b in (*box.items(), *rows.items()) if c[variable] < 0}
    yield from ((c, b) for c, b in rows.items() if c[variable] == 0)
    equation = _equation(rows, variable)
    opposite = None if equation is None else tuple(-c for c in equation)
    for upper, high in above.items():
        for lower, low in below.items():
            if equation is None or upper == equation or lower == opposite:
                p, q = -lower[variable], upper[variable]
                row = tuple(p * u + q * v for u, v in zip(upper, lower, strict=True))
                if any(row):
                    yield row, p * high + q * low
                elif p * high + q * low < 0:
                    raise _Impossible


def _chosen(steps: Sequence[tuple[int, System]], values: list[int]) -> list[int] | Answer:
    """Values for the removed variables, the last one first: then all others in its bounds are known."""
    for variable, rows in reversed(steps):
        low, high = LOWEST, HIGHEST
        for coefficients, bound in rows.items():
            own = coefficients[variable]
            room = bound - sum(c * v for c, v in zip(coefficients, values, strict=True)) + own * values[variable]
            if own > 0:
                high = min(high, room // own)
            else:
                low = max(low, -(room // -own))
        if low > high:
            return Answer.UNKNOWN
        values[variable] = min(max(values[variable], low), high)
    return values
