"""Beam search with real models and latent values: beam 1 is greedy, a wide beam is brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from lasynth.config import ModelConfig
from lasynth.layers import few_sizes
from lasynth.models.base import IO, Batch
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.search import beam_search
from lasynth.settings import SearchConfig
from lasynth.vocab import BOS, EOS, PAD
from tests.models.conftest import CONFIGS, DOMAIN, ROWS, new_model

SEARCHED = {name: config for name, config in ROWS.items() if name.endswith("cpu")}
SEARCHED |= {name: CONFIGS[name] for name in ("LaSynth, paper", "LaSynth, beside", "LaSynth+, fed")}
every_search = pytest.mark.parametrize("config", SEARCHED.values(), ids=SEARCHED)


def certain_model(config: ModelConfig) -> EncoderDecoder:
    """A model with clear preferences. New weights give nearly equal scores, and ties would hide faults."""
    model = new_model(config, seed=4).eval()
    with torch.no_grad():
        for parameter in model.decoder.parameters():
            parameter.mul_(3)
    return model


@every_search
@pytest.mark.parametrize("constrained", [True, False])
def test_beam_one_is_greedy(config: ModelConfig, constrained: bool, batch: Batch) -> None:
    model, steps = certain_model(config), 12
    search = SearchConfig(beam=1, max_length=steps, constrained=constrained)
    found = beam_search(model, batch.io, DOMAIN.syntax, search)
    state, last = model.start(batch.io), torch.full((len(batch.tokens),), BOS)
    syntax, written, total = DOMAIN.syntax.start(len(last)), [], torch.zeros(len(last))
    for _ in range(steps):
        with torch.no_grad():
            scores, state = model.step(state, last)
        scores[:, [PAD, BOS]] = -torch.inf
        if constrained:
            scores[~torch.from_numpy(DOMAIN.syntax.allowed(syntax))] = -torch.inf
        alive = last != EOS
        best = scores.max(-1)
        total += torch.where(alive, best.values, 0)
        written.append(torch.where(alive, best.indices, PAD))
        last = torch.where(alive, best.indices, EOS)
        if constrained:
            going = (last != EOS).numpy()  # a grammar has no state after EOS
            syntax[going] = DOMAIN.syntax.advance(syntax[going], last.numpy()[going])
    programs = torch.stack(written, 1).numpy()
    ended = (programs == EOS).any(1)
    assert (np.isfinite(found.scores[:, 0]) == ended).all()
    width = found.tokens.shape[2]
    assert (found.tokens[ended, 0] == programs[ended, :width]).all()
    assert found.scores[ended, 0] == pytest.approx(total.numpy()[ended], abs=1e-4)


@pytest.mark.parametrize("row", ["LaSynth", "LaSynth+"])
def test_only_hypotheses_at_an_execution_point_are_executed(
    row: str, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executor runs for each hypothesis that ends a statement, and again for a few of them, to keep to few shapes.

    The same search gives the same result.
    """
    model, search = certain_model(ROWS[f"{row}, cpu"]), SearchConfig(beam=5, max_length=9)
    executor: Any = model.networks.executor
    assert isinstance(executor, torch.nn.Module)
    executed, ends = [0], [0]
    executor.register_forward_hook(lambda module, inputs, output: executed.__setitem__(0, executed[0] + len(inputs[0])))
    real = model.step

    def counted(state: Any, tokens: torch.Tensor) -> Any:
        depth = state.depth + model.nesting[tokens]
        ended = model.statement_ends[tokens] & ((depth == 0) if model.config.execute_at == "outer" else True)
        ends[0] += len(few_sizes(int(ended.sum()))) if ended.any() else 0
        return real(state, tokens)

    monkeypatch.setattr(model, "step", counted)
    found = beam_search(model, batch.io, DOMAIN.syntax, search)
    assert 0 < executed[0] == ends[0]
    again = beam_search(model, batch.io, DOMAIN.syntax, search)
    assert (found.tokens == again.tokens).all()
    assert (found.scores == again.scores).all()


class FewLexemes:
    """A grammar that allows these lexemes in any order. They are few enough to list all programs."""

    def __init__(self, *lexemes: str) -> None:
        self.words = DOMAIN.vocab.encode(lexemes)[:-1]
        self.row = np.isin(np.arange(len(DOMAIN.vocab)), [*self.words, EOS])

    def start(self, count: int) -> np.ndarray:
        return np.zeros((count, 1), np.int64)

    def allowed(self, states: np.ndarray) -> np.ndarray:
        return np.tile(self.row, (len(states), 1))

    def advance(self, states: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        return states

    def programs(self, longest: int) -> list[tuple[int, ...]]:
        return [
            (*words, EOS, *[PAD] * (longest - 1 - size))
            for size in range(longest)
            for words in product(self.words, repeat=size)
        ]


@every_search
def test_a_wide_beam_is_brute_force(config: ModelConfig, batch: Batch) -> None:
    """All programs of at most three lexemes, some with an execution point, against their scores in training."""
    model, syntax, longest = certain_model(config), FewLexemes("++a[0]", "a[1] =", "3", ";", "if"), 4
    programs = syntax.programs(longest)
    beam = sum(len(syntax.words) ** size for size in range(longest + 1))
    io = IO(*(part[:2] for part in batch.io))
    found = beam_search(model, io, syntax, SearchConfig(beam, longest))
    for task in range(2):
        same = IO(*(part[task].expand(len(programs), *part.shape[1:]) for part in io))
        with torch.no_grad():
            scores = model.log_probs(Batch(same, torch.tensor(programs)))
        expected = dict(zip(programs, scores.tolist(), strict=True))
        there = np.isfinite(found.scores[task])
        got = dict(zip(map(tuple, found.tokens[task, there].tolist()), found.scores[task, there].tolist(), strict=True))
        assert got == pytest.approx(expected, abs=1e-3)
