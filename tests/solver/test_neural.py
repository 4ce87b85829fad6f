"""The neural strategy over an untrained model: what it proposes are programs with their probabilities, in the given time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import torch

from lasynth import checkpoint
from lasynth.domains import get_domain
from lasynth.models.lasynth import build_model
from lasynth.solver import solve
from lasynth.solver.neural import Neural, load
from lasynth.task import Example, InputError
from tests.fakes import tiny_config

C = get_domain("c")
PAIRS = [([1, 2, 3, 4, 0], [1, 2, 3, 4, 1]), ([0, 0, 2, 4, 3], [0, 0, 2, 4, 4]), ([4, 1, 1, -4, -4], [4, 1, 1, -4, -3])]
EXAMPLES = [Example(x, y) for x, y in PAIRS]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose model knows nothing."""
    run = tmp_path_factory.mktemp("run")
    config = tiny_config("NoExecutor")
    torch.manual_seed(0)
    model = build_model(config, C)
    card = {**checkpoint.describe("NoExecutor", config, C), "step": 0, "programs": 0, "metrics": {}}
    checkpoint.save(run, "step-0", model.state_dict(), card, {}, True)
    return run


def test_candidates_are_programs_the_likeliest_first(weights: Path) -> None:
    found = list(Neural(weights, "c").candidates(EXAMPLES, time.perf_counter() + 3))
    assert found
    scores = [candidate.log_prob for candidate in found]
    assert all(score is not None and score < 0 for score in scores)
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    for candidate in found:
        assert C.parse(C.unparse(candidate.program)) == candidate.program


def test_programs_of_others_are_judged_as_its_own(weights: Path) -> None:
    """What the search says of a program is what the model says of it when asked; other lexemes it does not know."""
    neural = Neural(weights, "c")
    found = list(neural.candidates(EXAMPLES, time.perf_counter() + 3))[:20]
    strange = C.parse_text("int * f(int a[]) { a[0] = 17; return a; }")
    judged = neural.log_probs([strange, *(candidate.program for candidate in found)], EXAMPLES)
    assert judged[0] is None
    assert judged[1:] == pytest.approx([candidate.log_prob for candidate in found], abs=1e-3)
    assert neural.log_probs([strange], EXAMPLES) == [None]


def test_no_time_no_candidates(weights: Path) -> None:
    assert not list(Neural(weights, "c").candidates(EXAMPLES, time.perf_counter() - 1))


def test_portfolio_with_a_model(weights: Path) -> None:
    solution = solve(PAIRS, weights=weights, timeout=2)
    assert solution.solved
    assert not solution.notes
    assert C.run(solution.programs[0].program, [3, 3, 3, 3, 2]) == [3, 3, 3, 3, 3]


def test_a_model_is_loaded_once(weights: Path) -> None:
    assert load(weights) is Neural(weights, "c").loaded


@pytest.mark.parametrize("pair", [([1, 2], [1, 2]), ([1, 2, 3, 4, 99], [1, 2, 3, 4, 98])])
def test_what_the_model_cannot_take_is_left_to_others(weights: Path, pair: tuple[list[int], list[int]]) -> None:
    solution = solve([pair], weights=weights)
    assert solution.solved
    assert "the model takes" in solution.notes[0]
    with pytest.raises(InputError, match="the model takes"):
        solve([pair], weights=weights, strategy="neural")
    with pytest.raises(InputError, match="a model of"):
        Neural(weights, "karel")
