"""What a model proposes as leaves of the search: the values of parts of its programs, cheaper than they would be."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import FIRST_LONGEST, Run, read_values
from lasynth.domains.lists.language.nodes import Call, Expression, walk
from lasynth.domains.lists.symbolic.costs import Leaf

MOST = 40
"""Parts that become leaves."""
COSTS = ((8, 3), (20, 4), (MOST, 5))
"""The first 8 cost 3, those up to the 20th cost 4, and so on."""


def hinted(hints: Sequence[tuple[Expression, float]], inputs: Sequence[Sequence[Basic]]) -> list[Leaf]:
    """Parts of expressions as leaves, those of the largest weights first. Hints come with logarithms of weights."""
    heaviest = max((weight for _, weight in hints), default=0.0)
    weights: dict[Expression, float] = {}
    for body, weight in hints:
        for call in {part for part in walk(body) if isinstance(part, Call)}:
            weights[call] = weights.get(call, 0.0) + exp(weight - heaviest)
    run, found = Run(inputs, FIRST_LONGEST), list[Leaf]()
    for part in sorted(weights, key=lambda call: (-weights[call], repr(call))):
        value = run.value(part)
        if value is not None and not value[1]:
            cost = next(cost for last, cost in COSTS if len(found) < last)
            found.append(Leaf(part, read_values(run.arena, value[0], len(inputs), part.type), cost))
        if len(found) == MOST:
            break
    return found
