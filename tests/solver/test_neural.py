"""The neural strategy with an untrained model: it proposes programs with log-probabilities, within the time limit."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
import torch

from lasynth import checkpoint
from lasynth.domains import get_domain
from lasynth.models.build import build_model
from lasynth.search import DROP, END, KEEP, Finished
from lasynth.solver import solve
from lasynth.solver.neural import Neural, Watch, closed, load
from lasynth.task import Example, InputError
from lasynth.vocab import PAD
from tests.fakes import tiny_config

C = get_domain("c")
PAIRS = [([1, 2, 3, 4, 0], [1, 2, 3, 4, 1]), ([0, 0, 2, 4, 3], [0, 0, 2, 4, 4]), ([4, 1, 1, -4, -4], [4, 1, 1, -4, -3])]
EXAMPLES = [Example(x, y) for x, y in PAIRS]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with an untrained model."""
    run = tmp_path_factory.mktemp("run")
    config = tiny_config("NoExecutor")
    torch.manual_seed(0)
    model = build_model(config, C)
    card = {**checkpoint.describe("NoExecutor", config, C), "step": 0, "programs": 0, "metrics": {}}
    checkpoint.save(run, "step-0", model.state_dict(), card, {}, True)
    return run


def test_a_model_without_an_answer_proposes_the_closest_program(weights: Path) -> None:
    found = list(Neural(weights, "c").candidates(EXAMPLES, time.perf_counter() + 3))
    assert len(found) == 1
    assert found[0].log_prob is not None
    assert C.parse(C.unparse(found[0].program)) == found[0].program


def finished(*programs: tuple[str, float]) -> Finished:
    rows = [[*C.vocab.encode(lexemes.split("|"))] for lexemes, _ in programs]
    scores = np.array([score for _, score in programs], np.float32)
    return Finished(np.zeros(len(rows), np.int64), np.array(rows, np.int16), scores)


def test_wrong_programs_are_dropped_and_a_sure_one_ends_the_search(weights: Path) -> None:
    """The task is to add one to the last element."""
    watch = Watch(Neural(weights, "c"), EXAMPLES)
    assert watch(finished(("++a[3]", -0.1), ("--a[4]", -2.0))).tolist() == [DROP, DROP]
    ((score, lexemes),) = watch.best()
    assert score == pytest.approx(-0.1)
    assert lexemes == C.vocab.encode(["++a[3]"])[:-1], "both are wrong; the likelier one is kept"
    assert watch(finished(("++a[4]", -5.0), ("++a[0]", -6.0))).tolist() == [KEEP, DROP]
    assert watch(finished(("a[4] =|a[4]|+|1|;", -0.2))).tolist() == [END]
    assert [score for score, _ in watch.best()] == pytest.approx([-0.2, -5.0])
    assert watch.executed == 5


def test_a_prefix_of_an_unfinished_program_may_be_the_closest(weights: Path) -> None:
    """The prefix with its block closed satisfies the two examples whose first element is not 0."""
    watch = Watch(Neural(weights, "c"), EXAMPLES)
    watch(finished(("++a[3]", -0.1)))
    lines = ["if|a[0]|{|++a[4]|++a[3]|a[2] =", "--a[4]|if|a[1]|{|--a[4]|} else {|a[1] ="]
    rows = [C.vocab.encode(line.split("|"))[:-1] for line in lines]
    tokens = np.full((3, 9), PAD, np.int16)
    for row, begun in zip(tokens, rows, strict=False):
        row[: len(begun)] = begun
    watch.begun(tokens)
    assert watch.closest is not None
    satisfied, log_prob, program = watch.closest
    assert (satisfied, log_prob) == (2, None)
    assert C.vocab.decode(program) == ["if", "a[0]", "{", "++a[4]", "}"]
    assert watch.executed == 1 + 2 + 3
    watch(finished(("++a[0]", -9.0)))
    assert watch.closest[0] == 2


def test_prefixes_without_a_statement_or_a_satisfied_example(weights: Path) -> None:
    watch = Watch(Neural(weights, "c"), EXAMPLES)
    tokens = np.full((2, 4), PAD, np.int16)
    watch.begun(tokens)
    tokens[0, :1] = C.vocab.encode(["a[2] ="])[:1]
    watch.begun(tokens)
    assert watch.best() == []
    tokens[1, :2] = C.vocab.encode(["--a[0]", "if"])[:2]
    watch.begun(tokens)
    assert watch.closest == (0, None, C.vocab.encode(["--a[0]"])[:1]), "the only prefix with a statement"


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("if|a[0]|{|++a[4]", "if|a[0]|{|++a[4]|}"),
        ("++a[4]", "++a[4]"),
        ("for int p_0|0|<= ++|2|if|a[p_0]|{|break", "for int p_0|0|<= ++|2|if|a[p_0]|{|break|}|}"),
        ("if|a[0]|{|++a[4]|} else {", None),
    ],
)
def test_open_blocks_are_closed(begun: str, whole: str | None) -> None:
    tokens = closed(C.vocab.encode(begun.split("|"))[:-1], C)
    assert (None if tokens is None else C.vocab.decode(tokens)) == (None if whole is None else whole.split("|"))


def test_programs_of_other_strategies_get_the_score_of_the_search(weights: Path) -> None:
    """`log_probs` gives the scores of the search, and None for a program with unknown lexemes."""
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
def test_examples_outside_the_range_of_the_model_are_left_to_others(
    weights: Path, pair: tuple[list[int], list[int]]
) -> None:
    solution = solve([pair], weights=weights)
    assert solution.solved
    assert "the model takes" in solution.notes[0]
    with pytest.raises(InputError, match="the model takes"):
        solve([pair], weights=weights, strategy="neural")
    with pytest.raises(InputError, match="a model of"):
        Neural(weights, "karel")


def test_a_sure_program_ends_the_search_for_one_answer_only(weights: Path) -> None:
    watch = Watch(Neural(weights, "c", top=2), EXAMPLES)
    assert watch(finished(("++a[4]", -0.2))).tolist() == [KEEP]
