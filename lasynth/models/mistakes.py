"""Mistakes that a model would make: true programs with one lexeme replaced by a wrong one that it finds likely.

In training a model only ever sees beginnings of true programs; in a search it also stands behind its own mistakes, where it
goes on as if nothing had happened. So it is shown some, up to the end of the statement, and learns that nothing follows.
Knows neither networks nor languages.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from lasynth.vocab import EOS, PAD


class Mistakes(NamedTuple):
    """R beginnings of programs with a mistake in the last statement."""

    rows: Tensor
    """(R,) the programs of the batch from which they are made."""
    tokens: Tensor
    """(R, T): lexemes up to the statement's end, EOS, then PAD."""
    ends: Tensor
    """(R,) where EOS is."""

    def at(self, index: Tensor) -> Mistakes:
        return Mistakes(self.rows[index], self.tokens[index], self.ends[index])


def draw_mistakes(
    tokens: Tensor, scores: Tensor, alike: Tensor, statement_ends: Tensor, count: int, rng: Generator
) -> Mistakes:
    """As many mistakes as told, each as likely as the model finds it.

    `scores` are the model's for each lexeme of the programs, `alike` says which lexemes can take whose place.
    (B, T), (B, T, V), (V, V) of bool, (V,) of bool
    """
    _, length, vocabulary = scores.shape
    wrong = scores.softmax(-1).masked_fill(~alike[tokens], 0.0)  # (B, T, V)
    wrong.scatter_(2, tokens.unsqueeze(2), 0.0)
    flat = wrong.flatten()
    count = min(count, int((flat > 0).sum()))
    if count == 0:
        return Mistakes(*(tokens.new_empty(shape) for shape in ((0,), (0, length), (0,))))
    drawn = torch.multinomial(flat.cpu(), count, generator=rng).to(tokens.device)  # (R,)
    rows, position, lexeme = drawn // (length * vocabulary), drawn // vocabulary % length, drawn % vocabulary
    made = tokens[rows]
    made[torch.arange(count, device=tokens.device), position] = lexeme
    moments = torch.arange(length, device=tokens.device)
    closes = statement_ends[made] & (moments >= position.unsqueeze(1))  # (R, T)
    ends = closes.int().argmax(1) + 1
    complete = closes.any(1) & (ends < length)  # there is a lexeme behind, so that the batch has this moment
    made = torch.where(moments < ends.unsqueeze(1), made, torch.where(moments == ends.unsqueeze(1), EOS, PAD))
    return Mistakes(rows, made, ends).at(complete.nonzero().squeeze(1))
