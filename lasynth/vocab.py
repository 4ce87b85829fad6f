"""Lexemes, which are the tokens of a model, and their numbers. Independent of any language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

PAD, BOS, EOS = 0, 1, 2
SPECIAL = ("<pad>", "<bos>", "<eos>")


class Vocab:
    """A fixed list of lexemes. The three special ones come first, so that padding is 0 in every domain."""

    def __init__(self, lexemes: Iterable[str]) -> None:
        self.lexemes: tuple[str, ...] = (*SPECIAL, *lexemes)
        self._ids = {lexeme: i for i, lexeme in enumerate(self.lexemes)}
        if len(self._ids) != len(self.lexemes):
            raise ValueError("a lexeme occurs twice in the vocabulary")

    def __len__(self) -> int:
        return len(self.lexemes)

    def __contains__(self, lexeme: str) -> bool:
        return lexeme in self._ids

    def encode(self, lexemes: Sequence[str]) -> list[int]:
        """The numbers of `lexemes`, then EOS. KeyError for an unknown lexeme."""
        return [*(self._ids[lexeme] for lexeme in lexemes), EOS]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The lexemes before the first EOS, without BOS and PAD."""
        lexemes = []
        for i in ids:
            if i == EOS:
                break
            if i not in (PAD, BOS):
                lexemes.append(self.lexemes[i])
        return lexemes
