"""Which input to ask a person about: the one on which the answers that fit the examples disagree most evenly.

Knows no terminal; the command asks.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from random import Random
from typing import Any

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.solver.answers import PROBES
from lasynth.solver.solution import Answer
from lasynth.solver.strategies import Examples

INPUTS = 500
"""Inputs among which the question is chosen."""


@dataclass(frozen=True)
class Question:
    """An input, and what the answers give for it."""

    input: Any
    outputs: tuple[tuple[Any, tuple[int, ...]], ...]
    """Each different output (None: the program fails) with the numbers of the answers that give it, from 0."""


def question(domain: AnyDomain, answers: Sequence[Answer], examples: Examples) -> Question | None:
    """The input that tells most of the answers apart; None if all agree.

    Of equal ones, it is like those of the examples, so that whoever could take these can take it too, and short to write.
    """
    inputs = solvable(domain).probes(Random(1), INPUTS, examples)
    inputs += solvable(domain).probes(Random(0), PROBES, examples)  # on these, at least, any two answers differ
    given = [example.input for example in examples]
    inputs = [value for value in inputs if value not in given]
    results = domain.run_many([answer.program for answer in answers], inputs)  # answers x inputs
    alike = solvable(domain).alike(inputs, examples)
    best: tuple[float, bool, int] | None = None
    for i, value in enumerate(inputs):
        sizes = [len(members) for _, members in _groups(domain, results, i)]
        if len(sizes) > 1:
            rank = _information(sizes), alike[i], -len(json.dumps(domain.value_json(value)))
            if best is None or rank > best:
                best, chosen = rank, i
    if best is None:
        return None
    return Question(inputs[chosen], tuple(_groups(domain, results, chosen)))


def _groups(domain: AnyDomain, results: Sequence[Sequence[Any]], i: int) -> list[tuple[Any, tuple[int, ...]]]:
    """Outputs for the i-th input with who gives them, in the order of the answers."""
    groups: dict[str, tuple[Any, list[int]]] = {}
    for number, row in enumerate(results):
        key = "" if row[i] is None else json.dumps(domain.value_json(row[i]))
        groups.setdefault(key, (row[i], []))[1].append(number)
    return [(output, tuple(members)) for output, members in groups.values()]


def _information(sizes: Sequence[int]) -> float:
    """Bits that the answer to a question is worth; in whichever order the sizes come, the same to the last digit."""
    total = sum(sizes)
    return sum(-size / total * log2(size / total) for size in sorted(sizes))
