"""Text, C text and lexemes of programs: round trips, the grammar's mask, and messages for what is wrong."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lasynth.domains.base import Domain
from lasynth.domains.lists.data.generator import ListsOptions, random_program
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.language.nodes import Input, Program, Type
from lasynth.domains.lists.values import Value
from lasynth.domains.solvable import Solvable
from lasynth.task import ParseError

LISTS = Lists()
AS_DOMAIN: Domain[Program, Value, ListsOptions] = LISTS
AS_SOLVABLE: Solvable[Program, Value] = LISTS
OPTIONS = ListsOptions(max_operations=5)


def test_texts_and_lexemes_round_trip(rng: Random) -> None:
    for _ in range(300):
        program = random_program(rng, OPTIONS)
        assert LISTS.parse_text(LISTS.text(program)) == program
        assert LISTS.parse_text(LISTS.pretty(program)) == program
        assert LISTS.parse(LISTS.unparse(program)) == program
        assert LISTS.canonical(program) == program


def test_the_mask_allows_every_program(rng: Random) -> None:
    for _ in range(60):
        tokens = LISTS.vocab.encode(LISTS.unparse(random_program(rng, OPTIONS)))
        states = LISTS.syntax.start(1)
        for token in tokens:
            assert LISTS.syntax.allowed(states)[0, token]
            states = LISTS.syntax.advance(states, np.array([token]))


def test_what_the_mask_allows_is_a_program(rng: Random) -> None:
    """Random walks through the mask end with programs that the parser accepts; some reach the end by chance."""
    ended = 0
    for _ in range(60):
        states = LISTS.syntax.start(1)
        tokens: list[int] = []
        for _ in range(40):
            allowed = np.flatnonzero(LISTS.syntax.allowed(states)[0])
            assert len(allowed)
            operations = [t for t in allowed if LISTS.statement_ends[t]]
            token = 2 if 2 in allowed and tokens[-1:] else int(rng.choice(operations or list(allowed)))
            if token == 2:
                ended += 1
                LISTS.parse(LISTS.vocab.decode(tokens))
                break
            tokens.append(token)
            states = LISTS.syntax.advance(states, np.array([token]))
    assert ended > 20


def test_a_lexeme_that_is_not_allowed_is_an_error() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        LISTS.syntax.advance(LISTS.syntax.start(1), np.array([2]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a: list) => sort(k)", "no such parameter"),
        ("(a: list) => sort(a, a)", "does not take"),
        ("(a: list) => gt(a, 1)", "flags"),
        ("(a: list, a: int) => a", "already"),
        ("(a: list) => a a", "has ended"),
        ("(a: list) => add(a, 99999999999)", "32 bits"),
        ("(a: float) => a", "a list or an int"),
        ("a => a", "expected"),
        ("", "expected"),
        ("(a: list) => " + "tail(" * 300 + "a" + ")" * 300, "inside of each other"),
    ],
)
def test_messages(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        LISTS.parse_text(text)


def test_c_that_was_changed_is_not_read() -> None:
    text = LISTS.pretty(LISTS.parse_text("(a: list) => add(a, 1)"))
    assert LISTS.parse_text(text.replace("\n", "\n\n")) == LISTS.parse_text("(a: list) => add(a, 1)")
    with pytest.raises(ParseError, match="not that of the program"):
        LISTS.parse_text(text.replace("+ 1", "+ 2"))


@pytest.mark.parametrize(
    "lexemes", [["=>"], ["list", "=>"], ["list", "=>", "in1"], ["list", "=>", "in0", "in0"], ["x"]]
)
def test_wrong_lexemes(lexemes: list[str]) -> None:
    with pytest.raises(ParseError):
        LISTS.parse(lexemes)


def test_reduction_keeps_what_only_large_numbers_show() -> None:
    """A bound that the generator's numbers never reach is not cut away."""
    program = LISTS.parse_text("(a: list) => min(a, 1000)")
    values = LISTS.random_values(Random(1), 20, like=[1, 2, 3])
    assert LISTS.reduce_for_all(program, values).program == program
    assert LISTS.reduce_for_all(LISTS.parse_text("(a: list) => reverse(reverse(a))"), values).program.body == Input(
        0, Type.LIST
    )
