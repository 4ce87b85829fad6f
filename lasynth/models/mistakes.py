"""Mistakes that a model would make: true programs with one lexeme replaced by a wrong one that the model finds likely.

Without them, training shows a model only prefixes of true programs. But in a search the model also extends prefixes
that contain its own mistakes, as if they were right. So training also shows it some mistakes, each up to the end of its
statement, and teaches it that nothing follows: they are dead ends.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from lasynth.vocab import EOS, PAD


class Mistakes(NamedTuple):
    """R prefixes of programs with a mistake in the last statement."""

    rows: Tensor
    """(R,) index of the program in the batch."""
    tokens: Tensor
    """(R, T): lexemes up to the statement's end, EOS, then PAD."""
    ends: Tensor
    """(R,) position of EOS."""

    def at(self, index: Tensor) -> Mistakes:
        return Mistakes(self.rows[index], self.tokens[index], self.ends[index])


def draw_mistakes(
    tokens: Tensor, scores: Tensor, alike: Tensor, statement_ends: Tensor, count: int, rng: Generator
) -> Mistakes:
    """Draw up to `count` mistakes, with the probabilities that the model gives them.

    `scores` are the model's for each lexeme of the programs. `alike` says which lexemes can replace which.
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
    complete = closes.any(1) & (ends < length)  # a lexeme follows, so that the batch has this moment
    made = torch.where(moments < ends.unsqueeze(1), made, torch.where(moments == ends.unsqueeze(1), EOS, PAD))
    return Mistakes(rows, made, ends).at(complete.nonzero().squeeze(1))
