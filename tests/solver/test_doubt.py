"""How certain an answer is: where programs disagree, memorising, confidence, and how a solution is shown."""

from __future__ import annotations

import json
from functools import partial
from math import inf, log
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasynth.solver
from lasynth.domains import get_domain
from lasynth.domains.solvable import calibration, solvable
from lasynth.solver.confidence import Evidence, features, shares
from lasynth.solver.confidence import confidence as confidence_by
from lasynth.solver.doubt import changes, difference, information, memorises
from lasynth.task import Example, InputError

C = get_domain("c")
solve = partial(lasynth.solver.solve, language="c")
CALIBRATION = calibration(type(C))
assert CALIBRATION is not None
confidence = partial(confidence_by, weights=CALIBRATION.weights)
RESULT = Path(__file__).parents[2] / "experiments" / "results" / "confidence.json"
SORTED_PAIRS = [([3, 1], [1, 3]), ([1, 4], [1, 4])]


def program(body: str) -> Any:
    return C.parse_text(f"int * f(int a[]) {{ {body} return a; }}")


def probes(examples: list[Example[list[int]]]) -> list[list[int]]:
    return solvable(C).probes(Random(0), 128, examples)


def test_the_search_knows_the_branch_where_a_formula_fits() -> None:
    solution = solve(SORTED_PAIRS)
    lists = [[a, b] for a in range(-4, 5) for b in range(-4, 5)]
    results = C.run_many([found.program for found in solution.behaviours], lists)
    assert [sorted(x) for x in lists] in results
    assert solution.others == len(solution.behaviours) - 1 > 0


def test_one_example_of_reversal_knows_reversal() -> None:
    solution = solve([([1, 2, 3, 4], [4, 3, 2, 1])])
    assert [[8, 7, 6, 5]] in C.run_many([found.program for found in solution.behaviours], [[5, 6, 7, 8]])


def test_the_difference_is_simple_and_within_the_range_of_the_examples() -> None:
    examples = [Example([7, 9, 12], [7, 9, 12]), Example([12, 8, 7], [12, 8, 7])]
    pair = [program(""), program("if (a[0] > 8) a[1] = 0;")]
    found = difference(C, pair, examples, probes(examples))
    assert found is not None
    assert found.input == [9, 7, 7], "the smallest values of the range, but for the element that decides"
    assert (found.first, found.second) == ([9, 7, 7], [9, 0, 7])
    assert difference(C, [pair[0], pair[0]], examples, probes(examples)) is None


@given(st.integers(0, 2**31))
@settings(max_examples=8)
def test_the_best_two_behaviours_disagree_on_the_difference(seed: int) -> None:
    rng = Random(seed)
    lists = [[rng.randint(0, 6) for _ in range(3)] for _ in range(2)]
    solution = solve([(x, sorted(x)) for x in lists])
    assert (solution.difference is None) == (solution.others == 0)
    if solution.difference is not None:
        value = solution.difference.input
        outputs = C.run_many([found.program for found in solution.behaviours[:2]], [value])
        assert [[solution.difference.first], [solution.difference.second]] == outputs
        assert outputs[0] != outputs[1]


def test_a_failure_is_a_difference() -> None:
    examples = [Example([1, 1], [1, 1])]
    found = difference(C, [program(""), program("int i = 0; i = a[0]; a[i] = a[i];")], examples, probes(examples))
    assert found is not None
    assert (found.first, found.second) == (found.input, None)
    assert found.json("c")["second"] is None


def test_values_that_change_are_counted() -> None:
    assert changes(C, [Example([1, 2, 3], [1, 5, 6]), Example([0, 0, 0], [0, 0, 1])]) == 3


def test_short_programs_and_loops_do_not_memorise() -> None:
    assert not memorises(tokens=75, changed=0)
    assert not memorises(tokens=400, changed=200)
    assert memorises(tokens=700, changed=60)


def evidence(**facts: Any) -> Evidence:
    usual = Evidence(
        others=3, margin=4.0, examples=5, tokens=30, length=5.0, size=5, changed=10, asked=False, agreed=False
    )
    return usual._replace(**facts)


def test_confidence_grows_with_examples_and_margin_and_falls_with_other_behaviours() -> None:
    assert confidence(evidence(examples=10, changed=20)) > confidence(evidence(examples=1, changed=2))
    assert confidence(evidence(margin=9.0)) > confidence(evidence(margin=0.1))
    assert confidence(evidence(others=0, margin=inf)) > confidence(evidence(others=60, margin=0.1))
    assert confidence(evidence(asked=True, agreed=True)) > confidence(evidence(asked=True))


@pytest.mark.parametrize("length", [-20.0, -1.0, -0.79, 0.0, 300.0])
def test_any_length_of_a_description_gives_a_confidence(length: float) -> None:
    """Lengths are costs relative to a usual program, so they may be negative."""
    for facts in ({"margin": inf, "others": 0}, {"margin": 0.0, "shown": 40}):
        assert 0 < confidence(evidence(length=length, **facts)) < 1


@given(st.floats(0, 1), st.lists(st.floats(0, 30), max_size=6))
def test_confidences_of_all_behaviours_are_shares(first: float, scores: list[float]) -> None:
    given_shares = [share for share in shares(sorted(scores), first) if share is not None]
    assert len(given_shares) == len(scores)
    assert shares(scores, None) == [None] * len(scores)
    assert sum(given_shares) <= 1 + 1e-9
    assert given_shares[1:] == sorted(given_shares[1:], reverse=True)
    assert all(share >= 0 for share in given_shares)


def test_the_weights_are_those_of_the_measurement_and_calibrated() -> None:
    measured = json.loads(RESULT.read_text())
    assert CALIBRATION is not None
    assert measured["weights"] == CALIBRATION.weights
    assert set(CALIBRATION.weights) <= set(features(evidence()))
    assert measured["expected calibration error"] <= 0.05
    assert sum(b["answers"] for b in measured["reliability"]) > 400


def test_the_weights_of_lists_are_those_of_the_measurement_and_calibrated() -> None:
    measured = json.loads(RESULT.with_name("confidence_lists.json").read_text())
    lists = calibration(type(get_domain("lists")))
    assert lists is not None
    assert measured["weights"] == lists.weights
    assert measured["expected calibration error"] <= 0.05
    assert sum(b["answers"] for b in measured["reliability"]) > 800


def test_outputs_that_chance_may_give_tell_little() -> None:
    lists = get_domain("lists")
    flags = [Example([1, 2], 1), Example([5, 3, 7], 0), Example([4], 1)]
    sorted_lists = [Example([3, 1, 2], [1, 2, 3]), Example([9, 4], [4, 9])]
    assert information(lists, flags) == pytest.approx(3 * log(2), abs=0.8)
    assert information(lists, sorted_lists) > 2 * information(lists, flags[:2])
    assert information(lists, [Example([1], 1), Example([2], 1)]) == 0


def test_certain_and_uncertain_answers() -> None:
    lists = [[3, 1, 3, -2, -4], [4, -4, -3, 0, 1], [0, 1, 2, 3, 4], [2, 2, 0, -1, -1], [-3, 4, 1, 1, 0]]
    certain = solve([(x, [v + 1 for v in x]) for x in lists]).best
    uncertain = solve(SORTED_PAIRS).best
    assert certain is not None
    assert uncertain is not None
    assert certain.confidence is not None
    assert uncertain.confidence is not None
    assert certain.confidence > 0.95
    assert uncertain.confidence < 0.85


def test_an_answer_is_a_function() -> None:
    best = solve([([1, 2, 3], [3, 2, 1]), ([4, 0, 9], [9, 0, 4]), ([7, 7, 2], [2, 7, 7])]).best
    assert best is not None
    assert best([5, 6, 7]) == [7, 6, 5]
    with pytest.raises(InputError):
        best("text")


def test_a_notebook_shows_code_examples_and_confidence() -> None:
    html = solve([([1, 2], [2, 1])])._repr_html_()
    for part in (
        "<pre><code>int * func_1",
        "confidence ",
        "other programs fit too",
        "<td>[1, 2]</td>",
        "program gives",
    ):
        assert part in html
    unsolved = solve([([1], [2]), ([2], [7]), ([3], [1]), ([4], [9]), ([5], [0]), ([6], [-3])])
    assert unsolved.best is None
    assert "no program satisfies all examples" in unsolved._repr_html_()


def test_behaviours_of_an_earlier_solution_are_kept() -> None:
    first = solve(SORTED_PAIRS)
    again = solve([*SORTED_PAIRS, ([9, 2], [2, 9])], known=first.behaviours)
    assert again.solved
    kept = [c for c in first.behaviours if C.run_many([c.program], [[9, 2]]) == [[[2, 9]]]]
    probe = [[a, b] for a in range(-3, 4) for b in range(-3, 4)]
    results = C.run_many([found.program for found in again.behaviours], probe)
    assert kept
    assert all(row in results for row in C.run_many([c.program for c in kept], probe))
