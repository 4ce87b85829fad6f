"""Text, C text and lexemes of programs: round trips, the grammar's mask, and messages for what is wrong."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lasynth.domains.base import Domain
from lasynth.domains.lists.data.inputs import ListsOptions
from lasynth.domains.lists.data.programs import random_program
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.language.nodes import Input, Program, Type
from lasynth.domains.lists.values import Value
from lasynth.domains.solvable import Solvable
from lasynth.task import ParseError
from lasynth.vocab import EOS, SPECIAL

LISTS = Lists()
AS_DOMAIN: Domain[Program, Value, ListsOptions] = LISTS
AS_SOLVABLE: Solvable[Program, Value] = LISTS
OPTIONS = ListsOptions(max_operations=5)


def test_texts_and_lexemes_round_trip(rng: Random) -> None:
    for _ in range(300):
        program = random_program(rng, OPTIONS.max_operations)
        assert LISTS.parse_text(LISTS.text(program)) == program
        assert LISTS.parse_text(LISTS.pretty(program)) == program
        assert LISTS.parse(LISTS.unparse(program)) == program
        assert LISTS.canonical(program) == program


def test_the_mask_allows_what_the_parser_takes(rng: Random) -> None:
    """Of every prefix, and of every lexeme after it: where the mask allows EOS, the lexemes are a program, and nowhere
    else; and a lexeme that the mask forbids cannot stand there."""
    ended = 0
    for _ in range(25):
        lexemes = LISTS.unparse(random_program(rng, OPTIONS.max_operations))
        states = LISTS.syntax.start(1)
        for length in range(len(lexemes) + 1):
            allowed = LISTS.syntax.allowed(states)[0]
            assert allowed[EOS] == parses(lexemes[:length])
            ended += int(allowed[EOS])
            for token in rng.sample(range(len(SPECIAL), len(LISTS.vocab)), 40):
                assert allowed[token] == stands(lexemes[:length], LISTS.vocab.lexemes[token])
            if length < len(lexemes):
                states = LISTS.syntax.advance(states, np.array(LISTS.vocab.encode(lexemes[length : length + 1])[:1]))
    assert ended > 50


def parses(lexemes: list[str]) -> bool:
    try:
        LISTS.parse(lexemes)
    except ParseError:
        return False
    return True


def stands(lexemes: list[str], lexeme: str) -> bool:
    """Whether the parser takes the lexeme after the others: it complains about the end only, if at all."""
    try:
        LISTS.parse([*lexemes, lexeme])
    except ParseError as error:
        return "do not end" in error.reason
    return True


def test_every_prefix_can_be_ended(rng: Random) -> None:
    """After a random walk through the mask, operations that shorten the stack, or else change the type of its top, end
    the program."""
    turn = ["to_number(bool)", "single(int)", "odd(list)", "any(mask)"]
    join = ["and(bool,bool)", "add(int,int)", "concat(list,list)", "and(mask,mask)"]
    for _ in range(100):
        states, tokens = LISTS.syntax.start(1), list[int]()
        for step in range(100):
            allowed = LISTS.syntax.allowed(states)[0]
            if step > 25 and allowed[EOS]:
                break
            free = [int(t) for t in np.flatnonzero(allowed) if t != EOS]
            ways = [t for t in LISTS.vocab.encode([*join, *turn])[:-1] if allowed[t]]
            tokens.append(rng.choice(free) if step <= 25 else ways[0])
            states = LISTS.syntax.advance(states, np.array(tokens[-1:]))
        LISTS.parse(LISTS.vocab.decode(tokens))


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
    "lexemes", [[], ["in0"], ["(list)"], ["(list)", "in1"], ["(list)", "in0", "in0"], ["(list)", "(list)"], ["x"]]
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
