"""Chooses the input to ask the user about: the one whose output tells most about which answer is right.

Answers with a short description count more. The command `lasynth solve --ask` does the asking.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log2
from random import Random
from typing import Any, Protocol

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.solver.answers import PROBES
from lasynth.solver.strategies import Examples

INPUTS = 500
"""Number of random inputs among which the question is chosen."""
SHARPNESS = 0.5
"""A description that is longer by x nats makes an answer count exp(-SHARPNESS * x) in the choice of a question."""
IMPROBABLE = 0.02
"""Answers are improbable if together they have this share of the first one's probability. Here x nats count exp(-x)."""
UNKNOWN = 1.0
"""An answer without a description counts as the longest one plus these nats."""


class HasProgram(Protocol):
    """An answer or a candidate."""

    @property
    def program(self) -> Any: ...


@dataclass(frozen=True)
class Question:
    """An input, and the outputs of the answers for it."""

    input: Any
    outputs: tuple[tuple[Any, tuple[int, ...]], ...]
    """Each distinct output (None: the program fails), with the indices of the answers that give it."""


def question(domain: AnyDomain, answers: Sequence[HasProgram], examples: Examples) -> Question | None:
    """The input that separates the answers best; None if all answers agree.

    Ties go to an input within the range of the examples, which every strategy can take, and then to a short one.
    """
    inputs = _inputs(domain, examples)
    results = domain.run_many([answer.program for answer in answers], inputs)  # answers x inputs
    alike = solvable(domain).alike(inputs, examples)
    weights = [exp(-SHARPNESS * x) for x in _longer(answers)]
    best: tuple[float, bool, int] | None = None
    for i, value in enumerate(inputs):
        sizes = [sum(weights[member] for member in members) for _, members in _groups(domain, results, i)]
        if len(sizes) > 1:
            rank = _information(sizes), alike[i], -len(json.dumps(domain.value_json(value)))
            if best is None or rank > best:
                best, chosen = rank, i
    if best is None:
        return None
    return Question(inputs[chosen], tuple(_groups(domain, results, chosen)))


def check(
    domain: AnyDomain, answers: Sequence[HasProgram], found: Sequence[HasProgram], examples: Examples
) -> Question | None:
    """An input on which to check answers that agree: programs that were found and refuted would disagree on it most.

    None if there is no answer.
    """
    if not answers:
        return None
    telling = question(domain, found, examples)
    value = _inputs(domain, examples)[0] if telling is None else telling.input
    results = domain.run_many([answer.program for answer in answers], [value])
    return Question(value, tuple(_groups(domain, results, 0)))


def is_settled(answers: Sequence[HasProgram]) -> bool:
    """Whether all answers but the first are improbable: their descriptions are far longer."""
    return sum(exp(-x) for x in _longer(answers)[1:]) <= IMPROBABLE


def _inputs(domain: AnyDomain, examples: Examples) -> list[Any]:
    """Inputs to ask about. Any two answers differ on one of them at least."""
    inputs = solvable(domain).probes(Random(1), INPUTS, examples) + solvable(domain).probes(Random(0), PROBES, examples)
    given = [example.input for example in examples]
    return [value for value in inputs if value not in given]


def _longer(answers: Sequence[HasProgram]) -> list[float]:
    """By how many nats the description of each answer is longer than the shortest one."""
    lengths: list[float | None] = [getattr(answer, "length", None) for answer in answers]
    unknown = max((length for length in lengths if length is not None), default=0.0) + UNKNOWN
    counted = [unknown if length is None else length for length in lengths]
    return [length - min(counted) for length in counted]


def count_behaviours(domain: AnyDomain, found: Sequence[HasProgram], examples: Examples) -> int:
    """The number of programs that differ in behaviour on the probes and on the examples."""
    inputs = [*solvable(domain).probes(Random(0), PROBES, examples), *(example.input for example in examples)]
    results = domain.run_many([item.program for item in found], inputs) if found else []
    return len({json.dumps([None if o is None else domain.value_json(o) for o in row]) for row in results})


def _groups(domain: AnyDomain, results: Sequence[Sequence[Any]], i: int) -> list[tuple[Any, tuple[int, ...]]]:
    """The distinct outputs for the i-th input, with the indices of the answers that give them."""
    groups: dict[str, tuple[Any, list[int]]] = {}
    for number, row in enumerate(results):
        key = "" if row[i] is None else json.dumps(domain.value_json(row[i]))
        groups.setdefault(key, (row[i], []))[1].append(number)
    return [(output, tuple(members)) for output, members in groups.values()]


def _information(sizes: Sequence[float]) -> float:
    """Expected information of the reply, in bits. Sizes are sorted, so that rounding does not depend on their order."""
    total = sum(sizes)
    return sum(-size / total * log2(size / total) for size in sorted(sizes))
