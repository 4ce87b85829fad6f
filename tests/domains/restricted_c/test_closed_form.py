"""Closed forms: every form is found, the simplest one is chosen, and tasks without a closed form are recognised."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from lasynth.domains.restricted_c.symbolic import closed_form
from lasynth.domains.restricted_c.symbolic.closed_form import fit, forms, has_closed_form, predict


def lists(count: int, seed: int = 0, length: int = 5) -> NDArray[np.int32]:
    return np.random.default_rng(seed).integers(-4, 5, (1, count, length)).astype(np.int32)


def made(x: NDArray[np.int32], *positions: object) -> NDArray[np.int32]:
    return np.stack([np.broadcast_to(np.asarray(p), x.shape[:2]) for p in positions], axis=2).astype(np.int32)


def test_every_form_is_found_and_carries_over() -> None:
    x, new = lists(10), lists(40, seed=1)

    def outputs(x: NDArray[np.int32]) -> NDArray[np.int32]:
        a = np.moveaxis(x, 2, 0)
        return made(x, 3, a[1] + 2, -a[0] - 1, a[3] + a[4] - 2, a[2] - a[0] + 3)

    predicted, found = predict(x, outputs(x), new)
    assert found.all()
    assert (predicted == outputs(new)).all()
    assert has_closed_form(x, outputs(x)).all()


def test_twice_an_element_is_a_sum() -> None:
    x = lists(8)
    assert has_closed_form(x, 2 * x).all()


@pytest.mark.parametrize(
    "wrong", [lambda x: np.maximum(x, 0), lambda x: 3 * x, lambda x: x + x[:, :, ::-1] + x[:, :, [1, 2, 3, 4, 0]]]
)
def test_what_no_form_explains(wrong: object) -> None:
    x = lists(10)
    assert not has_closed_form(x, wrong(x)).any()  # type: ignore[operator]
    assert not predict(x, wrong(x), x)[1].any()  # type: ignore[operator]


def test_simple_comes_before_complicated() -> None:
    """With one example, or with two equal elements, several expressions fit: the simplest one is chosen."""
    x = np.array([[[1, 2, 3, 4, 0]]])
    assert (fit(x, x).form == 0).all(), "a constant explains a single example"
    x = np.array([[[1, 1, 2, 3, 4], [0, 0, 3, 4, 2]]])
    weights = forms(5).weights.T[fit(x, x).form[0]]
    assert (weights == np.eye(5)).all(), "an element explains itself; its equal neighbour or a sum does not"
    x = np.array([[[1, 3, 0, 0, 0], [2, 4, 0, 0, 0]]])
    chosen = fit(x, np.array([[[3, 0, 0, 0, 0], [4, 0, 0, 0, 0]]]))
    assert (forms(5).weights.T[chosen.form[0, 0]] == [0, 1, 0, 0, 0]).all(), "x_1 is simpler than x_0 + 2"
    assert chosen.constant[0, 0] == 0


def test_costs_are_all_different() -> None:
    for length in (1, 2, 5):
        weights, cost = forms(length)
        assert weights.shape == cost.shape
        assert len({tuple(column) for column in weights.T}) == weights.shape[1]
        assert all(len(set(row)) == len(row) for row in cost.tolist())


def test_many_tasks_are_like_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(-4, 5, (30, 10, 5))
    y = np.where(rng.random((30, 1, 5)) < 0.9, x + x[:, :, [1, 1, 0, 4, 2]], np.maximum(x, 0))
    whole = fit(x, y)
    assert 0 < has_closed_form(x, y).sum() < 30
    monkeypatch.setattr(closed_form, "BYTES", 1)
    for mine, theirs in zip(whole, fit(x, y), strict=True):
        assert np.array_equal(mine, theirs)


def test_no_tasks() -> None:
    none = np.zeros((0, 5, 5), np.int8)
    assert predict(none, none, none)[1].shape == (0,)
