"""The symbolic strategy: it finds every kind of explanation, the simple ones first, and keeps deadlines."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lasynth.domains.restricted_c.solving import explained
from lasynth.domains.restricted_c.symbolic.conditions import Comparison, bits, separations
from lasynth.domains.restricted_c.symbolic.explanations import FEATURES, description, outputs
from lasynth.domains.restricted_c.symbolic.prices import COSTS, _priced_forms
from lasynth.domains.restricted_c.symbolic.search import explain
from lasynth.domains.restricted_c.symbolic.sums import Sum, constant_features, form_costs, forms
from lasynth.domains.restricted_c.symbolic.weights import WEIGHTS
from lasynth.task import Example
from tests.timing import keeps_within

Lists = NDArray[np.int64]


def lists(count: int, length: int = 5, seed: int = 0, largest: int = 4) -> Lists:
    return np.random.default_rng(seed).integers(-largest, largest + 1, (count, length))


def columns(*values: Lists | int) -> Lists:
    size = max(np.size(v) for v in values)
    return np.stack([np.broadcast_to(v, size) for v in values], axis=1).astype(np.int64)


def swapped(x: Lists) -> Lists:
    first, second = x[:, 0], x[:, 1]
    return columns(np.minimum(first, second), np.maximum(first, second), x[:, 2], x[:, 3], x[:, 4])


KINDS: dict[str, Callable[[Lists], Lists]] = {
    "copy and constants": lambda x: columns(3, x[:, 1], x[:, 0], -2, x[:, 4]),
    "sums": lambda x: columns(x[:, 0] + x[:, 1] - 1, -x[:, 2], x[:, 2] - x[:, 4], 2 * x[:, 3] + 1, x[:, 4]),
    "long sums": lambda x: columns(x.sum(axis=1), x[:, 1], 3 * x[:, 2] - x[:, 0], x[:, 3], x[:, 4] + 4 * x[:, 0]),
    "one shared condition": lambda x: np.where(x[:, :1] == 0, columns(x[:, 1], 0, x[:, 2], x[:, 3], 4), x),
    "order of two elements": swapped,
    "a condition that moves": lambda x: np.maximum(x, 0),
    "absolute values": np.abs,
    "clamped": lambda x: np.clip(x, -2, 2),
    "signs": np.sign,
    "clamped but for the first": lambda x: np.concatenate([x[:, :1], np.clip(x[:, 1:], -1, 3)], axis=1),
    "nested conditions": lambda x: np.where(
        (x[:, 1:2] != 0) & (x[:, 3:4] == 2), columns(1, x[:, 1], 3, x[:, 3], x[:, 4]), x
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_found_and_carries_over(kind: str) -> None:
    given, new = lists(40), lists(60, seed=1)
    found = explain(given, KINDS[kind](given))
    assert (outputs(found[0].explanation, new) == KINDS[kind](new)).all()


@given(st.integers(0, 2**31), st.integers(1, 6), st.integers(1, 4))
@settings(max_examples=40)
def test_whatever_is_found_fits_and_shorter_descriptions_come_first(seed: int, count: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(-3, 4, (2, count, length))
    _, first = np.unique(x, axis=0, return_index=True)
    found = explain(x[first], y[first])
    assert all((outputs(f.explanation, x[first]) == y[first]).all() for f in found)
    assert [f.length for f in found] == sorted(f.length for f in found)
    assert len({f.explanation for f in found}) == len(found)


@pytest.mark.parametrize("length", [5, 10])
@pytest.mark.parametrize("limit", [1, 3])
def test_a_few_examples_show_a_clamp(length: int, limit: int) -> None:
    given, new = lists(6, length, largest=9), lists(60, length, seed=1, largest=9)
    found = explain(given, np.clip(given, -limit, limit))
    assert (outputs(found[0].explanation, new) == np.clip(new, -limit, limit)).all()


def test_simple_comes_before_complicated() -> None:
    x = np.array([[1, 1, 2], [0, 0, 3]])
    assert explain(x, x)[0].explanation == (Sum(((0, 1),)), Sum(((1, 1),)), Sum(((2, 1),))), "each is kept"


def test_thousands_of_examples_are_explained_by_a_few() -> None:
    x = lists(5000)
    y = np.where(x[:, :1] == 3, x + 1, x)  # the first examples hardly show it
    found = explain(x, y)
    assert found
    assert (outputs(found[0].explanation, x) == y).all()


@pytest.mark.parametrize("length", [1, 2, 30, 150, 400])
def test_any_length_and_large_values(length: int) -> None:
    x = lists(6, length, largest=1_000_000_000)
    begin = time.process_time()
    found = explain(x, np.abs(x))
    assert time.process_time() - begin < 20
    assert (outputs(found[0].explanation, x) == np.abs(x)).all()
    new = lists(9, length, seed=5, largest=1_000_000_000)
    if length > 2:  # with fewer positions other explanations fit as well
        assert (outputs(found[0].explanation, new) == np.abs(new)).all()


def test_a_deadline_that_has_passed_leaves_what_needs_no_search() -> None:
    x = lists(8, 20)
    assert explain(x, x + 1, deadline=0.0)
    assert explain(x, np.abs(x), deadline=0.0)
    assert not explain(x, np.where(x[:, :1] > 0, x, 7), deadline=0.0)


@pytest.mark.usefixtures("_compiled")
def test_sums_of_neighbours_in_long_lists() -> None:
    def sums_of_neighbours(x: Lists) -> Lists:
        return x + np.append(x[:, 1:], 0 * x[:, :1], axis=1)

    given, new = lists(6, 700, largest=99), lists(9, 700, seed=1, largest=99)
    found = explain(given, sums_of_neighbours(given), deadline=time.perf_counter() + 5)
    assert (outputs(found[0].explanation, new) == sums_of_neighbours(new)).all()


# --- time -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def _compiled() -> None:
    """Compile code before a deadline starts."""
    explain(lists(3), lists(3, seed=1))


def as_examples(x: Lists, y: Lists) -> list[Example[list[int]]]:
    return [Example(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]


@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize(("count", "length"), [(1, 190), (1, 1000), (5, 1000), (300, 1000), (10_000, 5), (10_000, 40)])
def test_the_deadline_is_kept_whatever_the_size(count: int, length: int) -> None:
    noise = as_examples(lists(count, length, largest=99), lists(count, length, seed=1, largest=99))

    def work() -> None:
        forms.cache_clear()  # the time includes tables that are made once per length
        _priced_forms.cache_clear()
        assert list(explained(noise, time.perf_counter() + 1)), "some program explains at least one example"

    assert keeps_within(1.1, work)


@pytest.mark.usefixtures("_compiled")
@pytest.mark.parametrize("kind", ["noise", "mirrored", "both neighbours", "one condition"])
def test_after_the_deadline_one_program_is_written(kind: str) -> None:
    x = lists(3, 1000, largest=99)
    y = {
        "noise": lists(3, 1000, seed=1, largest=99),
        "mirrored": x + x[:, ::-1],
        "both neighbours": np.roll(x, 1, axis=1) + np.roll(x, -1, axis=1),
        "one condition": np.where(x[:, :1] > 0, x, 7),
    }[kind]

    def work() -> None:
        assert len(list(explained(as_examples(x, y), 0.0))) == 1

    assert keeps_within(0.5, work)


def test_examples_beyond_the_first_refute_while_there_is_time() -> None:
    x = lists(200)
    y = x + 1
    y[150] = 0
    assert not any(f.explanation == explain(x[:9], y[:9])[0].explanation for f in explain(x, y))
    assert explain(x, y, deadline=0.0), "after the deadline nothing is refuted"


# --- parts ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("length", [1, 2, 5, 40, 130, 1000])
def test_forms_are_different_sums_with_their_features(length: int) -> None:
    made = forms(length)
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, len(made.codes), 20).tolist()
    x = lists(7, length)
    values, costs = made.values(x), form_costs(made.codes, COSTS.of_sums)
    assert len({tuple(row) for row in made.codes.tolist()}) == len(made.codes)
    for m in numbers:
        total, position = made.sum_at(m, 3), int(rng.integers(length))
        assert (total.at(x) == values[:, m] + 3).all()
        copies = [Sum(((p, 1),)) for p in range(length)]
        alone = description((*copies[:position], total, *copies[position + 1 :])) - description(tuple(copies))
        price = costs.price(m, position) + constant_features(np.array([3]))[0] @ COSTS.of_constants
        price -= costs.price(1 + 2 * position, position)
        assert (alone @ COSTS.weights) == pytest.approx(price), "both computations of the cost of a sum agree"


@pytest.mark.parametrize("length", [99, 100, 534, 633, 700, 1000])
def test_neighbours_and_mirrored_elements_are_added_in_lists_of_any_length(length: int) -> None:
    made = {tuple(sorted(code for code in row if code >= 0)) for row in forms(length).codes.tolist()}
    for first in range(length):
        for second in (first + 1, first + 2, length - 1 - first):
            if first < second < length:
                assert made >= {(2 * first + sign, 2 * second + other) for sign in (0, 1) for other in (0, 1)}
    assert len(made) <= max(20_000, 14 * length + 1)


def test_separations_hold_where_they_say() -> None:
    x = lists(6)
    everything = (1 << 6) - 1
    ways = separations(x, COSTS.of_conditions)
    assert len({way.mask for way in ways}) == len(ways)
    for way in ways:
        assert way.mask & 1
        assert 0 < way.mask < everything
        for _, condition in way.conditions:
            assert bits(condition.holds(x)) in (way.mask, everything ^ way.mask)
        prices = [price for price, _ in way.conditions]
        assert prices == sorted(prices)


def test_weights_are_those_of_the_features() -> None:
    assert list(WEIGHTS) == list(FEATURES)


def test_a_loop_is_described_once() -> None:
    length = [float(description(tuple(Sum(((p, 1),), 1) for p in range(n))) @ COSTS.weights) for n in (1, 30)]
    assert length[1] - length[0] < 29 * length[0] / 2


def test_elements_of_a_condition() -> None:
    condition = Comparison(Sum(((0, 1),)), "==")
    assert condition.elements == (0,)
