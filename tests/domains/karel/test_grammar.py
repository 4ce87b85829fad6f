"""Lexemes round-trip, and the masks allow exactly the lexemes that the parser accepts."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasynth.domains.karel import grammar, machine
from lasynth.domains.karel.grammar import VOCAB, KarelSyntax
from lasynth.domains.karel.nodes import MAX_NESTING, Program
from lasynth.domains.karel.world import World
from lasynth.task import ParseError, Task
from lasynth.vocab import EOS, PAD, SPECIAL

from .strategies import programs

SYNTAX = KarelSyntax()


def sample(rng: Random, closing: float = 0.5, limit: int = 200) -> list[str] | None:
    """Random lexemes that the mask allows, or None if the program does not end within the limit."""
    states = SYNTAX.start(1)
    lexemes: list[str] = []
    while len(lexemes) < limit:
        allowed = np.flatnonzero(SYNTAX.allowed(states)[0]).tolist()
        ends = [token for token in allowed if token == EOS or token >= grammar.END_REPEAT]
        token = rng.choice(ends if ends and rng.random() < closing else allowed)
        if token == EOS:
            return lexemes
        lexemes.append(VOCAB.lexemes[token])
        states = SYNTAX.advance(states, np.array([token]))
    return None


@given(programs())
def test_lexemes_round_trip(program: Program) -> None:
    lexemes = grammar.lexemes(program)
    assert grammar.parse(lexemes) == program
    assert VOCAB.decode(VOCAB.encode(lexemes)) == lexemes
    assert [VOCAB.lexemes[i] for i in grammar.ids(program)] == lexemes


@given(programs())
def test_every_program_is_allowed(program: Program) -> None:
    states = SYNTAX.start(1)
    for token in VOCAB.encode(grammar.lexemes(program)):
        states = SYNTAX.advance(states, np.array([token]))
    assert np.flatnonzero(SYNTAX.allowed(states)[0]).tolist() == [PAD]


def test_lexemes_drawn_under_the_mask_parse() -> None:
    rng = Random(0)
    drawn = [sample(rng) for _ in range(300)]
    for lexemes in drawn:
        if lexemes is not None:
            assert grammar.lexemes(grammar.parse(lexemes)) == lexemes


def complete(lexemes: list[str]) -> bool:
    """Whether the parser accepts the prefix with a shortest possible end, found without the automaton."""
    for filler in ([], ["move"], ["R=2", "move"], ["frontIsClear", "move"]):
        stack, attempt = [], [*lexemes, *filler]
        ends = {"REPEAT": "r)", "WHILE": "w)", "IF": "i)", "IFELSE": "i) ELSE e("}
        for lexeme in attempt:
            if lexeme in ends:
                stack.append(ends[lexeme])
            elif stack and lexeme == stack[-1]:
                stack.pop()
                if lexeme == "i) ELSE e(":
                    stack.append("e)")
        for end in reversed(stack):
            attempt += [end, "move", "e)"] if end == "i) ELSE e(" else [end]
        try:
            grammar.parse(attempt)
        except ParseError:
            continue
        return True
    return False


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_the_mask_allows_exactly_the_prefixes_that_can_be_completed(rng: Random) -> None:
    states = SYNTAX.start(1)
    lexemes: list[str] = []
    for _ in range(rng.randrange(12)):
        token = rng.choice([t for t in np.flatnonzero(SYNTAX.allowed(states)[0]).tolist() if t != EOS] or [EOS])
        states, lexemes = SYNTAX.advance(states, np.array([token])), [*lexemes, VOCAB.lexemes[token]]
    mask = SYNTAX.allowed(states)[0]
    for token in range(len(SPECIAL), len(VOCAB)):
        assert mask[token] == complete([*lexemes, VOCAB.lexemes[token]]), [*lexemes, VOCAB.lexemes[token]]


def test_the_mask_refuses_blocks_at_the_nesting_limit() -> None:
    states = SYNTAX.start(1)
    for _ in range(MAX_NESTING):
        states = SYNTAX.advance(states, np.array([grammar.REPEAT]))
        states = SYNTAX.advance(states, np.array([grammar.COUNT + 2]))
    assert not SYNTAX.allowed(states)[0, grammar.REPEAT : grammar.COUNT].any()
    with pytest.raises(ValueError, match="'REPEAT' may not come next in program 0"):
        SYNTAX.advance(states, np.array([grammar.REPEAT]))


def test_rows_are_independent_and_not_changed_in_place() -> None:
    states = SYNTAX.start(3)
    after = SYNTAX.advance(states, np.array([grammar.ACTION, grammar.REPEAT, grammar.WHILE]))
    assert not states.any()
    swapped = after[[2, 0, 1]]
    assert (SYNTAX.allowed(swapped) == SYNTAX.allowed(after)[[2, 0, 1]]).all()


@pytest.mark.parametrize("lexemes", [[], ["r)"], ["WHILE", "R=2", "move", "w)"], ["jump"], ["<eos>"], ["IF", "move"]])
def test_wrong_lexemes_are_refused(lexemes: list[str]) -> None:
    with pytest.raises(ParseError):
        grammar.parse(lexemes)


def test_generated_programs_are_allowed_and_have_fewer_lexemes_than_tokens(tasks: list[Task[Program, World]]) -> None:
    packed = machine.pack_programs([task.program for task in tasks])
    states = SYNTAX.start(len(tasks))
    sizes = np.diff(packed.bounds)
    for step in range(sizes.max() + 1):
        tokens = np.where(
            step < sizes, packed.tokens[np.minimum(packed.bounds[:-1] + step, packed.tokens.size - 1)], PAD
        )
        states = SYNTAX.advance(states, np.where(step == sizes, EOS, tokens))
    assert sizes.mean() < 0.7 * np.mean([task.tokens for task in tasks])
