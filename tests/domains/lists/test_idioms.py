"""Idioms and ignored inputs: what people mean comes before what fits by chance."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lasynth import solve
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.execution.interpreter import run
from lasynth.domains.lists.language.nodes import Input, Type, walk
from lasynth.domains.lists.symbolic.costs import IGNORED, NATS, ignored, leaves
from lasynth.domains.lists.symbolic.idioms import IDIOMS, TABLE, idioms
from lasynth.task import Example

LISTS = Lists()
MEANT: list[Any] = [
    lambda x: sorted(x)[len(x) // 2],
    lambda x: int(sum(x) / len(x)),
    lambda x: max(x) - min(x),
    lambda x: int(x == sorted(x)),
    lambda x: int(x == x[::-1]),
    lambda x: int(len(set(x)) < len(x)),
    lambda k, x: int(k in x),
    lambda x, y: int(sorted(x) == sorted(y)),
]
"""What the idioms mean, in the order of the table."""


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_idioms_mean_what_their_comments_say(number: int) -> None:
    rng, (program, _) = Random(number), IDIOMS[number]
    for _ in range(200):
        row = [
            rng.randint(-3, 3) if parameter.type == Type.INT else [rng.randint(-1, 2) for _ in range(rng.randint(1, 4))]
            for parameter in program.parameters
        ]
        assert run(program, row) == MEANT[number](*row), row


def test_idioms_are_made_for_all_inputs_of_the_right_types() -> None:
    one, two = list(idioms([Type.LIST])), list(idioms([Type.LIST, Type.INT, Type.LIST]))
    assert len(one) == sum(len(program.parameters) == 1 for program, _ in IDIOMS)
    assert len(two) == 2 * len(one) + 2 + 2
    assert {part.place for body, _ in two for part in walk(body) if isinstance(part, Input)} == {0, 1, 2}
    assert not list(idioms([Type.INT]))


def test_an_idiom_may_lack_a_value_for_a_short_list() -> None:
    """As operations may: then a condition is found for the list without a value."""
    found = {leaf.expression: leaf.gaps for leaf in leaves([[[]], [[2]]], [1, 2], [Type.LIST])}
    average, backwards = (
        LISTS.parse_text(f"(a: list) => {body}").body
        for body in ("div(sum(a), length(a))", "to_number(all(eq(a, reverse(a))))")
    )
    assert (found[average], found[backwards]) == (0b01, 0)
    examples: list[Any] = [([3, 2, 1], 2), ([9, 4, 7, 5, 1], 5), ([8], 8), ([2, 4, 9], 4), ([], 0)]
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20)
    assert LISTS.run_many([solution.programs[0].program], [[7, 1, 5], [], [4, 4, 0, 9, 5]]) == [[5, 0, 4]]


@pytest.mark.parametrize(
    ("examples", "value", "wanted"),
    [
        ([([3, 1, 2], 0), ([1, 2, 5], 1), ([9, 4, 4, 6], 0), ([2, 2, 3], 1), ([], 1)], [5, 6, 5], 0),
        ([([3, 1, 2], 0), ([1, 2, 1], 1), ([9, 4, 4, 6], 0), ([5, 5], 1), ([4, 1, 3, 4], 0)], [2, 7, 2], 1),
        ([((8, [2, 8, -3, 8]), 1), ((4, [9, 4, 4, 6]), 1), ((5, [3, 1, 2]), 0), ((6, [3, 1, 2]), 0)], (7, [1, 7]), 1),
    ],
    ids=["sorted", "the same backwards", "the number occurs"],
)
def test_questions_that_people_ask(examples: list[Any], value: Any, wanted: int) -> None:
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20)
    assert solution.solved, solution.reason
    assert LISTS.run(solution.programs[0].program, value) == wanted


def test_a_rival_with_a_name_makes_the_answer_unsure() -> None:
    """The median happens to be the last element: both fit, and the answer says so."""
    examples = [([3, 1, 2], 2), ([5, -2, 7, 0, 4], 4), ([7], 7), ([9, 1, 8, 2, 7], 7)]
    solution = solve(examples, language="lists", strategy="symbolic", timeout=20, top=3)
    found = [LISTS.run(answer.program, [5, 9, 1]) for answer in solution.programs]
    assert {1, 5} <= set(found)
    other = solve([*examples, ([4, 9, 6, 1, 3], 3)], language="lists", strategy="symbolic", timeout=20)
    assert solution.best is not None
    assert other.best is not None
    assert solution.best.confidence is not None
    assert other.best.confidence is not None
    assert solution.best.confidence < 0.5, "the median is exactly as short, and there are other rivals"
    assert solution.best.confidence < other.best.confidence - 0.2, "one more example tells them apart"


def test_programs_that_use_all_inputs_come_first() -> None:
    """`mod(1, minimum(a))` fits, too, and is shorter, but it does not use k."""
    uses, does_not = (LISTS.parse_text(f"(k: int, a: list) => {body}") for body in ("take(a, k)", "sum(a)"))
    assert (ignored(uses.body, 2), ignored(does_not.body, 2)) == (0, 1)
    examples: list[Any] = [Example((2, [5, 6]), [5, 6]), Example((1, [5, 6]), [5])]
    one, all_ = (LISTS.parse_text(f"(k: int, a: list) => take(a, {count})") for count in ("1", "k"))
    lengths = [LISTS.described(program, examples).length for program in (one, all_)]
    assert lengths[0] - lengths[1] > 0.99 * NATS * IGNORED
