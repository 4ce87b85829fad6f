"""Lexemes and their grammar: trees are recovered exactly, and the mask allows programs and nothing else."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.grammar import STATE_SIZE, check
from lasynth.domains.restricted_c.language.lexemes import from_lexemes, name_of, slot_of, to_code, to_lexemes
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.language.vocabulary import Dialect
from lasynth.task import ParseError
from lasynth.vocab import BOS, EOS, PAD
from tests.domains.restricted_c.strategies import programs

C = RestrictedC()


def is_program(program: Program) -> bool:
    code = to_code(program)
    return check(code.kinds, code.arguments, np.empty(STATE_SIZE, np.int64)) == -1


@given(programs())
def test_lexemes_recover_the_tree_and_the_grammar_accepts_them(program: Program) -> None:
    program = canonical(program)
    assert from_lexemes(to_lexemes(program)) == program
    assert is_program(program)


def test_the_vocabulary_covers_sampled_programs(rng: Random) -> None:
    for _ in range(500):
        program = sample_program(rng)
        lexemes = C.unparse(program)
        assert C.vocab.decode(C.vocab.encode(lexemes)) == lexemes
        recovered = C.parse(lexemes)
        assert recovered == program
        assert print_program(recovered) == print_program(program)


def test_every_sampled_program_is_allowed_step_by_step(rng: Random) -> None:
    for _ in range(200):
        states = C.syntax.start(1)
        for token in C.vocab.encode(C.unparse(sample_program(rng))):
            assert C.syntax.allowed(states)[0, token]
            states = C.syntax.advance(states, np.array([token]))
        assert np.flatnonzero(C.syntax.allowed(states)[0]).tolist() == [PAD]


def sample_under_mask(count: int, steps: int, seed: int) -> list[list[int]]:
    """Draw sequences uniformly from the allowed lexemes. Return those that end within `steps`."""
    numbers = np.random.default_rng(seed)
    states = C.syntax.start(count)
    sequences: list[list[int]] = [[] for _ in range(count)]
    live = np.arange(count)
    for _ in range(steps):
        allowed = C.syntax.allowed(states)
        assert allowed.any(axis=1).all(), "a prefix has no allowed next lexeme"
        tokens = (allowed * numbers.random(allowed.shape)).argmax(axis=1)
        states = C.syntax.advance(states, tokens)
        for row, token in zip(live, tokens, strict=True):
            sequences[row].append(int(token))
        states, live = states[tokens != EOS], live[tokens != EOS]
    return [sequence for sequence in sequences if sequence[-1] == EOS]


def test_sequences_sampled_under_the_mask_are_programs() -> None:
    sequences = sample_under_mask(2000, 120, seed=1)
    assert len(sequences) > 500
    for sequence in sequences:
        program = C.parse(C.vocab.decode(sequence))
        assert parse(print_program(program)) == program
        assert C.vocab.encode(C.unparse(program)) == sequence


@given(st.data())
def test_the_mask_and_the_parser_accept_the_same_language(data: st.DataObject) -> None:
    """One lexeme of a program is changed at random. The mask accepts the result if and only if it is a program."""
    rng = Random(data.draw(st.integers(0, 10**9)))
    lexemes = C.unparse(sample_program(rng))
    lexemes[rng.randrange(len(lexemes))] = rng.choice(C.vocab.lexemes[3:])
    states, accepted = C.syntax.start(1), True
    for token in C.vocab.encode(lexemes):
        if not C.syntax.allowed(states)[0, token]:
            accepted = False
            break
        states = C.syntax.advance(states, np.array([token]))
    try:
        program = C.parse(lexemes)
    except ParseError:
        assert not accepted
    else:
        assert accepted
        assert parse(print_program(program)) == program


def test_equal_states_in_any_order_allow_the_same(rng: Random) -> None:
    programs = [C.vocab.encode(C.unparse(sample_program(rng))) for _ in range(20)]
    states = [C.syntax.start(1)]
    for program in programs:
        state = C.syntax.start(1)
        for token in program[:-1]:
            state = C.syntax.advance(state, np.array([token]))
            states.append(state)
    rng.shuffle(states)
    together = C.syntax.allowed(np.concatenate([*states, *states[:50]]))
    each = [C.syntax.allowed(state)[0] for state in states]
    assert np.array_equal(together, [*each, *each[:50]])


def test_special_lexemes_are_never_allowed() -> None:
    allowed = C.syntax.allowed(C.syntax.start(1))[0]
    assert not allowed[[PAD, BOS]].any()
    assert allowed[EOS]  # the empty program is a program


def test_a_lexeme_that_is_not_allowed_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot come next"):
        C.syntax.advance(C.syntax.start(1), np.array([C.vocab.encode(["break"])[0]]))


@pytest.mark.parametrize(
    "lexemes",
    [
        ["a[p_0] =", "1", ";"],  # not declared
        ["int p_0 =", "1", "a[p_0] =", "1"],  # no `;` at the end
        ["int l_1 =", "1"],  # p_0 comes first
        ["break"],
        ["int p_0 =", "1", "for p_0", "0", "<= ++", "2", "}"],  # empty block
        ["int p_0 =", "1", "p_0 =", "1", "+", "1", "+", "1", "+", "1", ";"],
        ["int p_0 =", "1", "if", "p_0", "<", "1", "<", "2", "{", "++p_0", "}"],
        ["nonsense"],
    ],
)
def test_sequences_that_are_not_programs(lexemes: list[str]) -> None:
    with pytest.raises(ParseError):
        C.parse(lexemes)


def test_slots_and_names() -> None:
    assert [slot_of(name) for name in ("p_0", "l_1", "p_1", "l_2")] == [0, 1, 2, 3]
    assert all(slot_of(name_of(slot)) == slot for slot in range(62))
    for name in ("x", "l_0", "p_01", "p_40", "l_-1"):
        with pytest.raises(ValueError, match="canonical"):
            slot_of(name)


def test_a_larger_dialect_has_more_lexemes() -> None:
    larger = RestrictedC(Dialect(local_variables=5, loop_depth=3, largest_constant=9))
    assert set(C.vocab.lexemes) < set(larger.vocab.lexemes)
    assert "a[l_5] =" in larger.vocab
    assert "for int p_2" in larger.vocab
