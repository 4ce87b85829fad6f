"""Settings: numbers with which nothing can be computed are refused, by the name of their option."""

from __future__ import annotations

from dataclasses import fields
from math import inf, nan
from typing import Any

import pytest

from lasynth import solve
from lasynth.domains import get_domain
from lasynth.settings import SearchConfig, TrainConfig
from lasynth.task import InputError

NUMBERS = [field.name for field in fields(TrainConfig) if isinstance(field.default, float)]


@pytest.mark.parametrize("value", [nan, inf, -inf])
@pytest.mark.parametrize("name", NUMBERS)
def test_training_needs_finite_numbers(name: str, value: float) -> None:
    option = name.replace("_", "-")
    with pytest.raises(InputError, match=f"^{option} must be a finite number, not {value}$"):
        TrainConfig(**{name: value})  # type: ignore[arg-type]


def test_all_numbers_of_a_training_are_tried() -> None:
    assert {"hours", "learning_rate", "beta2", "clip", "mistakes", "checkpoint_minutes"} <= set(NUMBERS)


@pytest.mark.parametrize("value", [nan, inf])
def test_a_search_needs_a_finite_time(value: float) -> None:
    with pytest.raises(InputError, match=r"^seconds must be a finite number"):
        SearchConfig(seconds=value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "seed must be 0 to 2^64 - 1"),
        ({"seed": 2**64}, "seed must be 0 to 2^64 - 1"),
        ({"batch": 0}, "batch must be 1 to 16,384"),
        ({"batch": 1_000_000_000}, "batch must be 1 to 16,384"),
        ({"curriculum": 10**13}, "curriculum must be 0 to 100,000,000"),
    ],
)
def test_limits_of_whole_numbers(settings: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        TrainConfig(**settings)  # type: ignore[arg-type]
    assert str(error.value) == message
    assert TrainConfig(seed=2**64 - 1, batch=16_384).seed == 2**64 - 1


@pytest.mark.parametrize("timeout", [None, nan, inf, 0, -1, "5"])
def test_solving_needs_a_time(timeout: Any) -> None:
    with pytest.raises(InputError, match="the timeout must be a positive number of seconds, not "):
        solve([([1], [2])], timeout=timeout)


@pytest.mark.parametrize("name", ["x", "", None, ["c"]])
def test_languages_that_are_not_there(name: Any) -> None:
    with pytest.raises(InputError, match=r"there is no language .*; known languages: c, karel"):
        get_domain(name)
