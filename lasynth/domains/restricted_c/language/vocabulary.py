"""The finite set of lexemes that a model chooses from, and the text of each. Does not know the grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.language.lexemes import (
    INCREMENT_KINDS,
    RANGES,
    RELATION_KINDS,
    SPELLING,
    Kind,
    Lexeme,
    name_of,
    place_number,
    place_of,
    slot_of,
)
from lasynth.domains.restricted_c.language.nodes import Const, Element, Var
from lasynth.domains.restricted_c.language.printer import print_operand
from lasynth.task import ParseError
from lasynth.vocab import EOS, PAD, SPECIAL, Vocab


@dataclass(frozen=True)
class Dialect:
    """How much of the language a model can write."""

    local_variables: int = 3
    """Declared variables besides p_0."""
    loop_depth: int = 2
    """Most loops inside each other; also the number of p_0, p_1, .."""
    smallest_constant: int = -4
    largest_constant: int = 4

    def lexemes(self) -> Iterator[Lexeme]:
        """All lexemes of the dialect, in the order of the vocabulary."""
        loop_names = [f"p_{k}" for k in range(self.loop_depth)]
        declared = ["p_0", *(f"l_{k}" for k in range(1, self.local_variables + 1))]
        names = list(dict.fromkeys([*loop_names, *declared]))
        subscripts: list[Var | Const] = [*map(Var, names), *map(Const, range(self.largest_constant + 1))]
        places = [*map(place_number, map(Var, names)), *(place_number(Element(index)) for index in subscripts)]
        yield from map(Lexeme, SPELLING)
        yield from (Lexeme(Kind.CONST, c) for c in range(self.smallest_constant, self.largest_constant + 1))
        yield from (Lexeme(Kind.DECLARE, slot_of(name)) for name in declared)
        yield from (Lexeme(Kind.FOR, slot_of(name)) for name in names)
        yield from (Lexeme(Kind.FOR_INT, slot_of(name)) for name in loop_names)
        yield from (Lexeme(Kind.RANGE, i) for i in range(len(RANGES)))
        for kind in (Kind.PLACE, Kind.ASSIGN, *INCREMENT_KINDS.values()):
            yield from (Lexeme(kind, place) for place in places)


class LexemeTable:
    """The vocabulary of a dialect, and arrays over its V lexemes.

    `kinds`, `arguments`, `statement_ends` and `nesting` are (V,): a lexeme's kind and argument, whether it completes a
    statement, and how many blocks it opens (-1 if it closes one). `alike` is (V, V): whether lexeme j may replace
    lexeme i in a mistake that a model learns to recognise.
    """

    def __init__(self, dialect: Dialect) -> None:
        lexemes = list(dialect.lexemes())
        self.vocab = Vocab(lexeme_text(lexeme) for lexeme in lexemes)
        self._by_text = dict(zip(self.vocab.lexemes[len(SPECIAL) :], lexemes, strict=True))
        self.kinds: NDArray[np.uint8] = np.full(len(self.vocab), NO_KIND, np.uint8)
        self.arguments: NDArray[np.int32] = np.zeros(len(self.vocab), np.int32)
        self.kinds[PAD], self.kinds[EOS] = PADDING, Kind.END
        for i, (kind, argument) in enumerate(lexemes, start=len(SPECIAL)):
            self.kinds[i], self.arguments[i] = kind, argument

        self.statement_ends: NDArray[np.bool_] = np.isin(self.kinds, STATEMENT_ENDS)
        opens, closes = np.isin(self.kinds, (Kind.FOR, Kind.FOR_INT, Kind.IF)), self.kinds == Kind.CLOSE
        self.nesting: NDArray[np.int64] = opens.astype(np.int64) - closes
        self.alike: NDArray[np.bool_] = np.equal.outer(self.kinds, self.kinds)
        for originals, replacements in ALIKE:
            self.alike |= np.logical_and.outer(np.isin(self.kinds, originals), np.isin(self.kinds, replacements))
        self.alike[: len(SPECIAL)] = self.alike[:, : len(SPECIAL)] = False

    def lookup(self, texts: Sequence[str]) -> list[Lexeme]:
        """The lexemes with these texts. ParseError if one is not in the vocabulary."""
        try:
            return [self._by_text[text] for text in texts]
        except KeyError as error:
            raise ParseError(f"`{error.args[0]}` is not a lexeme of this dialect") from None


STATEMENT_ENDS = (Kind.SEMICOLON, *INCREMENT_KINDS.values(), Kind.CLOSE, Kind.ELSE, Kind.BREAK, Kind.CONTINUE)
"""Kinds that complete a statement, also one inside a block. A latent executor may run at these lexemes."""
ALIKE = (
    ((Kind.PLACE, Kind.CONST), (Kind.PLACE, Kind.CONST)),
    ((Kind.PLUS, Kind.MINUS), (Kind.PLUS, Kind.MINUS, Kind.SEMICOLON)),
    (tuple(RELATION_KINDS.values()), tuple(RELATION_KINDS.values())),
    (
        (
            Kind.ASSIGN,
            *INCREMENT_KINDS.values(),
            Kind.IF,
            Kind.FOR,
            Kind.FOR_INT,
            Kind.CLOSE,
            Kind.BREAK,
            Kind.CONTINUE,
        ),
        (*INCREMENT_KINDS.values(), Kind.CLOSE, Kind.ELSE, Kind.BREAK, Kind.CONTINUE),
    ),
)
"""Pairs of (kinds, kinds that may replace them in a mistake). Lexemes of the same kind may always replace each other.

A replacement either fits what follows or ends the statement.
"""
PADDING, NO_KIND = 254, 255
"""Kinds of PAD, which may only follow the end, and of BOS, which is in no program."""


def lexeme_text(lexeme: Lexeme) -> str:
    """The text of a lexeme in data sets and vocabularies."""
    kind, argument = lexeme
    if kind in SPELLING:
        return SPELLING[kind]
    match kind:
        case Kind.CONST:
            return str(argument)
        case Kind.RANGE:
            return " ".join(RANGES[argument])
        case Kind.DECLARE | Kind.DECLARE_RAW | Kind.FOR | Kind.FOR_INT:
            return VARIABLE_FORMS[kind].format(name_of(argument))
    return PLACE_FORMS[kind].format(print_operand(place_of(argument)))


VARIABLE_FORMS = {
    Kind.DECLARE: "int {} =", Kind.DECLARE_RAW: "int {}", Kind.FOR: "for {}", Kind.FOR_INT: "for int {}",
}  # fmt: skip
PLACE_FORMS = {
    Kind.PLACE: "{}", Kind.ASSIGN: "{} =", Kind.PRE_INC: "++{}", Kind.PRE_DEC: "--{}", Kind.POST_INC: "{}++",
    Kind.POST_DEC: "{}--",
}  # fmt: skip
