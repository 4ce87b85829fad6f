"""Mistakes: true programs with one likely wrong lexeme, cut at the end of its statement. A model learns to see them."""

from __future__ import annotations

import pytest
import torch
from torch import Generator, Tensor

from lasynth.models.base import Batch
from lasynth.models.mistakes import Mistakes, draw_mistakes
from lasynth.vocab import EOS, PAD
from tests.models.conftest import DOMAIN, new_model, small

ALIKE = torch.from_numpy(DOMAIN.table.alike)
ENDS = torch.from_numpy(DOMAIN.statement_ends)


def draw(tokens: Tensor, count: int, seed: int = 1) -> Mistakes:
    scores = torch.randn(*tokens.shape, len(DOMAIN.vocab), generator=Generator().manual_seed(0))
    return draw_mistakes(tokens, scores, ALIKE, ENDS, count, Generator().manual_seed(seed))


def test_a_mistake_is_one_lexeme_in_the_last_statement(batch: Batch) -> None:
    made = draw(batch.tokens, 500)
    assert 300 < len(made.rows) <= 500
    for row, tokens, end in zip(made.rows.tolist(), made.tokens, made.ends.tolist(), strict=True):
        true = batch.tokens[row, :end]
        (wrong,) = (tokens[:end] != true).nonzero()
        assert ALIKE[true[wrong], tokens[wrong]].all()
        assert ENDS[tokens[end - 1]], "a statement ends there"
        assert not ENDS[tokens[wrong[0] : end - 1]].any(), "and it is the one with the mistake"
        assert tokens[end] == EOS
        assert (tokens[end + 1 :] == PAD).all()


def test_the_same_seed_draws_the_same_mistakes(batch: Batch) -> None:
    one, same, other = draw(batch.tokens, 40), draw(batch.tokens, 40), draw(batch.tokens, 40, seed=2)
    assert all(torch.equal(mine, theirs) for mine, theirs in zip(one, same, strict=True))
    assert not torch.equal(one.tokens, other.tokens)


def test_lexemes_without_probability_are_not_drawn(batch: Batch) -> None:
    """Only one wrong lexeme in one place has a probability above zero."""
    tokens = batch.tokens[:1]
    place = int(ALIKE[tokens[0]].any(1).int().argmax())
    other = int((ALIKE[tokens[0, place]] & (torch.arange(len(ALIKE)) != tokens[0, place])).int().argmax())
    scores = torch.full((1, tokens.shape[1], len(DOMAIN.vocab)), -torch.inf).scatter(2, tokens.unsqueeze(2), 0.0)
    scores[0, place, other] = -3.0
    made = draw_mistakes(tokens, scores, ALIKE, ENDS, 5, Generator().manual_seed(0))
    assert len(made.rows) == 1
    assert made.tokens[0, place] == other
    scores[0, place, other] = -torch.inf
    assert len(draw_mistakes(tokens, scores, ALIKE, ENDS, 5, Generator().manual_seed(0)).rows) == 0


def test_a_model_learns_that_mistakes_are_dead_ends(batch: Batch) -> None:
    model = new_model(small("Executed"), seed=1)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(60):
        run = model.run(batch)
        loss = model.mistake_loss(run, batch, 16, Generator().manual_seed(3))
        optimiser.zero_grad()
        (model.losses(run, batch).program + loss).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])


def test_a_wrong_lexeme_without_effect_is_not_a_mistake(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    """If no value differs from that of the true program, the loss is zero."""
    model = new_model(small("Executed"), seed=1)
    run = model.run(batch)
    assert model.mistake_loss(run, batch, 16, Generator().manual_seed(3)).item() > 0
    monkeypatch.setattr(model.real, "states", lambda tokens, values: torch.zeros(len(tokens), 99, 1, 1))
    assert model.mistake_loss(run, batch, 16, Generator().manual_seed(3)).item() == 0
