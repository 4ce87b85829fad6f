"""Properties of beam search on table models: beam 1 is greedy, a wide beam is brute force, ties have a fixed order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from lasynth.domains import get_domain
from lasynth.search import DROP, END, KEEP, SETTLE, Finished, beam_search, top
from lasynth.settings import SearchConfig
from lasynth.task import Diverged, InputError
from lasynth.vocab import BOS, EOS, PAD
from tests.fakes import TableModel, TinyModel, any_io

VOCABULARY, LENGTH = 6, 5
FREE = tuple(range(EOS + 1, VOCABULARY))  # lexemes that are not special


def brute_force(model: TableModel, task: int) -> dict[tuple[int, ...], float]:
    """Every program of at most LENGTH lexemes, EOS included, with its log-probability."""
    scores = {}
    for size in range(LENGTH):
        for words in product(FREE, repeat=size):
            written = (PAD, BOS, *words, EOS)
            steps = range(2, len(written))
            scores[(*words, EOS)] = sum(
                float(model.table[task, i - 2, written[i - 2], written[i - 1], written[i]]) for i in steps
            )
    return scores


def programs(tokens: np.ndarray, scores: np.ndarray) -> list[tuple[int, ...]]:
    return [
        tuple(int(t) for t in row if t != PAD) for row, score in zip(tokens, scores, strict=True) if score > -np.inf
    ]


def greedy(model: TableModel, task: int) -> list[tuple[int, ...]]:
    written = [PAD, BOS]
    while len(written) < LENGTH + 2:
        row = model.table[task, len(written) - 2, written[-2], written[-1]].clone()
        row[[PAD, BOS]] = -torch.inf
        written.append(int(row.argmax()))
        if written[-1] == EOS:
            return [tuple(written[2:])]
    return []


def test_a_wide_beam_is_brute_force() -> None:
    model = TableModel(VOCABULARY)
    beam = sum(len(FREE) ** size for size in range(LENGTH + 1))
    found = beam_search(model, any_io(4), None, SearchConfig(beam, LENGTH, tasks=3))
    for task in range(4):
        expected = brute_force(model, task)
        got = programs(found.tokens[task], found.scores[task])
        assert len(got) == len(expected)
        assert got == sorted(expected, key=lambda words: -expected[words])
        assert found.scores[task, : len(got)] == pytest.approx([expected[words] for words in got], abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_beam_one_is_greedy(seed: int) -> None:
    model = TableModel(VOCABULARY, seed)
    found = beam_search(model, any_io(4), None, SearchConfig(1, LENGTH))
    assert [programs(*row) for row in zip(found.tokens, found.scores, strict=True)] == [
        greedy(model, b) for b in range(4)
    ]


def test_the_grouping_of_tasks_does_not_matter() -> None:
    model = TableModel(VOCABULARY, 3)
    one, all_ = (beam_search(model, any_io(4), None, SearchConfig(8, LENGTH, tasks=n)) for n in (1, 4))
    assert (one.tokens == all_.tokens).all()
    assert (one.scores == all_.scores).all()


def test_ties_go_to_the_hypothesis_then_the_lexeme_that_comes_first() -> None:
    model = TableModel(VOCABULARY)
    model.table = torch.full_like(model.table, -1.0)  # everything is equally likely
    found = beam_search(model, any_io(1), None, SearchConfig(5, 2))
    assert programs(found.tokens[0], found.scores[0]) == [(EOS,), (3, EOS)]


def test_top_takes_the_first_of_equal_values() -> None:
    rng = torch.Generator().manual_seed(0)
    values = torch.randint(0, 6, (50, 40), generator=rng).float()
    values[values == 5] = -torch.inf
    got, places = top(values, 7)
    stable = values.sort(dim=1, descending=True, stable=True)
    assert torch.equal(got, stable.values[:, :7])
    assert torch.equal(places, stable.indices[:, :7])


def test_finished_hypotheses_and_tasks_are_not_extended() -> None:
    model = TableModel(VOCABULARY, tasks=2)
    model.table[0] = -50.0
    model.table[0, ..., EOS] = -0.1  # the first task ends after one lexeme; all others are unlikely
    model.table[1, ..., EOS] = -50.0
    beam_search(model, any_io(2), None, SearchConfig(1, LENGTH))
    assert model.calls == [2, 1, 1, 1, 1]


def test_no_program_if_none_ends_in_time() -> None:
    model = TableModel(VOCABULARY)
    model.table[..., EOS] = -torch.inf
    found = beam_search(model, any_io(2), None, SearchConfig(4, LENGTH))
    assert (found.scores == -np.inf).all()
    assert (found.tokens == PAD).all()
    assert (found.unfinished > EOS).all(), "unfinished hypotheses are returned"


def test_a_time_limit_keeps_what_is_finished() -> None:
    model = TableModel(VOCABULARY)
    found = beam_search(model, any_io(1), None, SearchConfig(64, LENGTH, seconds=1e-9))
    assert programs(found.tokens[0], found.scores[0]) == [(EOS,)]
    begun = found.unfinished[0]
    assert sorted(begun[begun[:, 0] != PAD, 0].tolist()) == sorted(FREE)
    assert (begun[:, 1:] == PAD).all()


@pytest.mark.parametrize(("seconds", "steps"), [(0.5, 1), (1.9, 1), (2.0, 2), (3.5, 3), (100.0, LENGTH)])
def test_a_step_that_would_end_too_late_is_not_started(
    seconds: float, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TableModel(VOCABULARY)  # each step takes one second of the fake clock
    monkeypatch.setattr("lasynth.search.time.perf_counter", lambda: float(len(model.calls)))
    beam_search(model, any_io(1), None, SearchConfig(8, LENGTH, seconds=seconds))
    assert len(model.calls) == steps


def test_on_finished_is_called_for_every_program() -> None:
    """`on_finished` gets every found program once, with its score, the short ones first."""
    model, calls = TableModel(VOCABULARY), []

    def listen(new: Finished) -> np.ndarray:
        calls.append(new)
        return np.full(len(new.task), KEEP)

    config = SearchConfig(8, LENGTH, tasks=3)
    found = beam_search(model, any_io(4), None, config, on_finished=listen)
    silent = beam_search(model, any_io(4), None, config)
    assert (found.tokens == silent.tokens).all()
    assert all((new.tokens[:, -1] == EOS).all() for new in calls)
    assert all((np.diff(new.task) >= 0).all() for new in calls)
    scores = {
        (task, *words): score
        for new in calls
        for task, words, score in zip(new.task, new.tokens.tolist(), new.scores, strict=True)
    }
    assert len(scores) == sum(len(new.task) for new in calls)
    for task in range(4):
        lengths = [new.tokens.shape[1] for new in calls if task in new.task]
        assert lengths == sorted(set(lengths))
        for words, score in zip(programs(found.tokens[task], found.scores[task]), found.scores[task], strict=False):
            assert scores[task, *words] == score


def test_the_caller_can_end_the_search_for_a_task() -> None:
    model, asked = TableModel(VOCABULARY), []

    def enough(new: Finished) -> np.ndarray:
        asked.extend(new.task.tolist())
        return np.where(new.task % 2 == 1, END, KEEP)

    config = SearchConfig(8, LENGTH)
    found, whole = (beam_search(model, any_io(4), None, config, on_finished=ask) for ask in (enough, None))
    for task in range(4):
        got, all_ = (programs(result.tokens[task], result.scores[task]) for result in (found, whole))
        if task % 2:
            assert {len(words) for words in got} == {min(map(len, all_))}, "only the programs that finished first"
            assert asked.count(task) == len(got)
        else:
            assert got == all_


@pytest.mark.parametrize("seed", range(5))
def test_a_settled_search_ends_early_with_the_likeliest_good_program(seed: int) -> None:
    """Good programs here have an even number of lexemes."""
    config, length = SearchConfig(6, 8), 8
    early, whole = TableModel(VOCABULARY, seed, length=length), TableModel(VOCABULARY, seed, length=length)

    def settle(new: Finished) -> np.ndarray:
        return np.full(len(new.task), KEEP if new.tokens.shape[1] % 2 else SETTLE)

    found, usual = (
        beam_search(early, any_io(4), None, config, on_finished=settle),
        beam_search(whole, any_io(4), None, config),
    )
    for task in range(4):
        got, all_ = (
            [words for words in programs(result.tokens[task], result.scores[task]) if len(words) % 2 == 0]
            for result in (found, usual)
        )
        assert got[:1] == all_[:1]
    assert sum(early.calls) < sum(whole.calls)


def test_dropped_programs_make_room_for_others() -> None:
    """If programs of even length are dropped, the beam still has all odd ones that it found before, and more."""
    model, config, more = TableModel(VOCABULARY), SearchConfig(8, LENGTH), 0

    def odd(new: Finished) -> np.ndarray:
        return np.full(len(new.task), KEEP if new.tokens.shape[1] % 2 else DROP)

    found, usual = (beam_search(model, any_io(4), None, config, on_finished=ask) for ask in (odd, None))
    for task in range(4):
        got, before = (set(programs(result.tokens[task], result.scores[task])) for result in (found, usual))
        assert all(len(words) % 2 for words in got)
        assert got >= {words for words in before if len(words) % 2}
        more += len(got) > sum(len(words) % 2 for words in before)
    assert more


def test_only_constrained_search_always_gives_programs() -> None:
    domain = get_domain("c")
    torch.manual_seed(0)
    model = TinyModel(len(domain.vocab), 9).eval()
    model.read(torch.zeros(1, 6 * 24))
    parsed = {}
    for constrained in (True, False):
        config = SearchConfig(200, 3, constrained)
        found = beam_search(model, any_io(3), domain.syntax, config)
        again = beam_search(model, any_io(3), domain.syntax, config)
        assert (found.tokens == again.tokens).all()
        whole = [words for row in zip(found.tokens, found.scores, strict=True) for words in programs(*row)]
        parsed[constrained] = [parses(words) for words in whole]
    assert len(parsed[True]) >= 15
    assert all(parsed[True])
    assert not all(parsed[False])


def parses(words: tuple[int, ...]) -> bool:
    domain = get_domain("c")
    state = domain.syntax.start(1)
    for word in words:
        if not domain.syntax.allowed(state)[0, word]:
            return False
        state = domain.syntax.advance(state, np.array([word]))
    return True


def test_a_diverged_model_gives_a_clear_error() -> None:
    model = TableModel(VOCABULARY)
    model.table[:] = torch.nan
    with pytest.raises(Diverged, match="diverged"):
        beam_search(model, any_io(1), None, SearchConfig(2, LENGTH))


@pytest.mark.parametrize("wrong", [{"beam": 0}, {"max_length": 0}, {"tasks": 0}, {"seconds": 0.0}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        SearchConfig(**wrong)  # type: ignore[arg-type]
