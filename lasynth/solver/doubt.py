"""What the examples leave open: a simple input on which two programs disagree, and programs that only memorise."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import log
from random import Random
from typing import Any

from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Drawing, Parted, Simplifying, solvable
from lasynth.solver.solution import Difference, Solution
from lasynth.solver.strategies import Examples

INPUTS = 200
"""Number of random inputs that are tried, besides the probes."""
ROUNDS = 30
"""Maximum number of times that an input is made simpler."""
MOST_CHANGES = 5000
MOST_INFORMING = 50
"""Number of examples whose information is counted."""
FREE_TOKENS, TOKENS_PER_VALUE = 75, 5
"""A program memorises if it has more tokens than the first number, plus the second for each value that the examples
change. No longer program of `experiments/confidence.py` is right."""


def difference(domain: AnyDomain, pair: Sequence[Any], examples: Examples, probes: Sequence[Any]) -> Difference | None:
    """A simple input on which two programs disagree; None if they agree on all inputs that were tried.

    An input within the range of the examples is preferred. It is made simpler as long as the programs disagree.
    """
    inputs = [*probes, *solvable(domain).probes(Random(2), INPUTS, examples)]
    differing = list(_differing(domain, pair, inputs))
    if not differing:
        return None
    near = [value for value, ok in zip(differing, solvable(domain).alike(differing, examples), strict=True) if ok]
    value = min(near or differing, key=lambda value: _size(domain, value))
    for _ in range(ROUNDS if isinstance(domain, Simplifying) else 0):
        simpler = list(_differing(domain, pair, list(domain.simpler(value, examples))))  # type: ignore[attr-defined]
        if not simpler:
            break
        value = min(simpler, key=lambda value: _size(domain, value))
    first, second = (row[0] for row in domain.run_many(list(pair), [value]))
    return Difference(value, first, second)


def _differing(domain: AnyDomain, pair: Sequence[Any], inputs: Sequence[Any]) -> Iterator[Any]:
    if not inputs:
        return
    first, second = domain.run_many(list(pair), list(inputs))
    yield from (value for value, one, other in zip(inputs, first, second, strict=True) if one != other)


def _size(domain: AnyDomain, value: Any) -> tuple[int, int]:
    """Small for inputs that are easy to read: few characters, small numbers."""
    numbers = leaves(domain.value_json(value))
    return len(json.dumps(domain.value_json(value))), sum(abs(n) for n in numbers if isinstance(n, int))


def leaves(value: Any) -> list[Any]:
    """The numbers and texts in JSON data."""
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in leaves(member)]
    return [leaf for member in value for leaf in leaves(member)] if isinstance(value, list | tuple) else [value]


def parts(domain: AnyDomain, value: Any) -> list[Any]:
    """The parts of a value: numbers and texts of its JSON, unless the domain says otherwise."""
    return domain.parts(value) if isinstance(domain, Parted) else leaves(domain.value_json(value))


def changes(domain: AnyDomain, examples: Examples) -> int:
    """The number of values that the examples change. The count ends at MOST_CHANGES."""
    total = 0
    for example in examples:
        if total >= MOST_CHANGES:
            return MOST_CHANGES
        before, after = (parts(domain, side) for side in (example.input, example.output))
        same = sum(one == other for one, other in zip(before, after, strict=False))
        total += max(len(before), len(after)) - same
    return min(total, MOST_CHANGES)


def information(domain: AnyDomain, examples: Examples) -> float:
    """How much the outputs of the examples tell, in nats: little, if a function could give them by chance.

    A value from the input counts log(distinct input values), any other log(2 + that number), but at most
    log(distinct output values).
    """
    sides = [[parts(domain, side) for side in (e.input, e.output)] for e in examples[:MOST_INFORMING]]
    most = log(max(1, len({value for _, output in sides for value in output})))
    total = 0.0
    for before, after in sides:
        distinct = set(before)
        known, new = log(max(1, len(distinct))), log(2 + len(distinct))
        total += sum(min(most, known if value in distinct else new) for value in after)
    return total


def memorises(tokens: int, changed: int) -> bool:
    """Whether a program is so long that the examples cannot determine it."""
    return tokens > FREE_TOKENS + TOKENS_PER_VALUE * changed


def doubt(solution: Solution) -> str | None:
    """One line about other programs that fit; None if none was found.

    It has no values if the language shows them as pictures.
    """
    if solution.difference is None or solution.best is None:
        return None
    count = f" ({solution.others:,} found)" if solution.others > 1 else ""
    if isinstance(get_domain(solution.language), Drawing):
        return f"other programs fit too{count}"
    shown = {
        name: "a failure" if value is None else json.dumps(value)
        for name, value in solution.difference.json(solution.language).items()
    }
    return (
        f"other programs fit too{count}: for {shown['input']} this one gives {shown['first']}, "
        f"the next {shown['second']}"
    )
