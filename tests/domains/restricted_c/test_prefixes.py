"""Values at statement ends, and which lists reach the end of a prefix.

The readable interpreter gives the expected values, on prefixes whose blocks the tests close themselves.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lasynth.domains import get_domain
from lasynth.domains.learnable import learnable
from lasynth.domains.restricted_c.data.generator import COptions, sample_tasks
from lasynth.domains.restricted_c.execution import interpreter
from lasynth.domains.restricted_c.execution.prefixes import PrefixValues, last_values, prefix_values, reaching
from lasynth.task import ExecutionError
from lasynth.vocab import PAD

DOMAIN = get_domain("c")
OPENING = {"{", *(f"{word}{name}" for word in ("for ", "for int ") for name in ("p_0", "p_1", "l_1", "l_2", "l_3"))}


def code(programs: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    width = max(map(len, programs)) + 1
    tokens = np.full((len(programs), width), PAD)
    for row, lexemes in zip(tokens, programs, strict=True):
        row[: len(lexemes) + 1] = DOMAIN.vocab.encode(lexemes)
    table = DOMAIN.table  # type: ignore[attr-defined]
    return table.kinds[tokens], table.arguments[tokens]


def values(programs: list[list[str]], inputs: list[list[list[int]]]) -> PrefixValues:
    return prefix_values(*code(programs), np.array(inputs, np.int32))


def closed(lexemes: list[str]) -> list[str]:
    """The prefix as a program: its open blocks are closed."""
    lexemes = [*lexemes[:-1], "}"] if lexemes[-1] == "} else {" else lexemes
    depth = sum(lexeme in OPENING for lexeme in lexemes) - lexemes.count("}")
    return [*lexemes, *["}"] * depth]


def expected(lexemes: list[str], value: list[int]) -> list[int] | None:
    try:
        return interpreter.run(DOMAIN.parse(closed(lexemes)), value)
    except ExecutionError:
        return None


@pytest.mark.parametrize("reduce", [False, True])
def test_values_are_those_of_closed_prefixes(rng: Random, reduce: bool) -> None:
    tasks, _ = sample_tasks(rng, 60, COptions(reduce=reduce))
    programs = [DOMAIN.unparse(task.program) for task in tasks]
    inputs = [[example.input for example in task.examples[:3]] for task in tasks]
    got = values(programs, inputs)
    for p, lexemes in enumerate(programs):
        numbers = DOMAIN.vocab.encode(lexemes)
        ends = [t for t, number in enumerate(numbers) if DOMAIN.statement_ends[number]]
        assert not got.valid[p, len(ends) :].any()
        for s, t in enumerate(ends):
            for k, value in enumerate(inputs[p]):
                wanted = expected(lexemes[: t + 1], value)
                assert got.valid[p, s, k] == (wanted is not None)
                assert got.values[p, s, k].tolist() == (wanted or [0] * 5)


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("++a[p_0]", [[2, 2]]),
        ("a[p_0] =|a[p_0]|+|3|;|--a[p_0]", [[4, 2], [3, 2]]),
        # inside a loop: the result of the whole loop with the body so far
        ("for p_0|0|<= ++|1|++a[p_0]|a[p_0]++|}", [[2, 3], [3, 4], [3, 4]]),
        # `} else {` ends the first block; the second is still empty
        ("if|a[p_0]|{|++a[p_0]|} else {|--a[p_0]|}", [[2, 2], [2, 2], [2, 2], [2, 2]]),
        ("for p_0|0|<= ++|1|if|1|{|break|}|++a[p_0]|}", [[1, 2]] * 4),
        # the last statement is out of bounds: it has no value
        ("++p_0|++a[p_0]|++p_0|++a[p_0]", [[1, 2], [1, 3], [1, 3], None]),
    ],
)
def test_values_worked_out_by_hand(program: str, wanted: list[list[int] | None]) -> None:
    got = values([["int p_0 =", "0", *program.split("|")]], [[[1, 2]]])
    assert got.values.shape == (1, len(wanted), 1, 2)
    assert [v.tolist() if ok else None for v, ok in zip(got.values[0, :, 0], got.valid[0, :, 0], strict=True)] == wanted


def test_a_program_without_statements_has_no_values() -> None:
    assert values([["int p_0 =", "0"]], [[[1, 2]]]).values.shape == (1, 0, 1, 2)


def test_the_last_value_is_that_of_the_prefix(rng: Random) -> None:
    tasks, _ = sample_tasks(rng, 40, COptions(reduce=True))
    for task in tasks:
        lexemes = DOMAIN.unparse(task.program)
        inputs = [[example.input for example in task.examples[:3]]]
        wanted = values([lexemes], inputs)
        ends = [t for t, number in enumerate(DOMAIN.vocab.encode(lexemes)) if DOMAIN.statement_ends[number]]
        for s, t in enumerate(ends):
            kinds, arguments = code([lexemes[: t + 1]])
            last = last_values(kinds[:, :-1], arguments[:, :-1], np.array(inputs, np.int32))  # without END
            assert last[0].tolist() == wanted.values[0, s].tolist()


def test_which_lists_reach_the_end_of_a_prefix_without_loops(rng: Random) -> None:
    tasks, _ = sample_tasks(rng, 200, COptions(reduce=True, branch_share=1, loop_share=0))
    not_reached = 0
    for task in tasks:
        lexemes = DOMAIN.unparse(task.program)
        if any(lexeme.startswith("for") for lexeme in lexemes):
            continue
        lists = [example.input for example in task.examples]
        got = reaching(*code([lexemes]), np.array([lists], np.int32))[0]  # (K, T)
        begun = 0
        for t, lexeme in enumerate(lexemes):
            if lexeme == "{" or DOMAIN.statement_ends[DOMAIN.vocab.encode([lexeme])[0]]:
                begun = t + 1
            # `++a[4]` changes the result exactly if it is reached; `a[0] = a[0];` never does
            marked, idle = (
                DOMAIN.parse(closed([*lexemes[:begun], *more])) for more in (["++a[4]"], ["a[0] =", "a[0]", ";"])
            )
            for k, value in enumerate(lists):
                wanted, without = interpreter.run(marked, value), interpreter.run(idle, value)
                assert got[k, t] == (wanted != without)
                not_reached += not got[k, t]
    assert not_reached > 100


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        ("if|a[0]|{|++a[1]|} else {|--a[1]|}|++a[0]", ["111", "111", "101", "101", "010", "010", "111", "111"]),
        ("for int p_0|0|<= ++|1|if|a[p_0]|{|break|}|++a[p_0]|}", [*["111"] * 6, "101", "000", "010", "010", "111"]),
        ("if|a[0]|>|a[1]|{|if|a[1]|{|a[1] =|0|;|}|}", [*["111"] * 4, *["101"] * 3, *["001"] * 4, "101", "111"]),
    ],
    ids=["else", "break", "nested"],
)
def test_which_lists_reach_the_end_worked_out_by_hand(program: str, wanted: list[str]) -> None:
    lexemes = program.split("|")
    kinds, arguments = code([lexemes])
    lists = np.array([[[2, 0], [0, 0], [3, 1]]], np.int32)
    got = reaching(kinds, arguments, lists)
    assert ["".join("1" if here else "0" for here in column) for column in got[0].T] == [*wanted, "111"]
    for t in range(kinds.shape[1]):
        assert (reaching(kinds[:, : t + 1], arguments[:, : t + 1], lists, t)[..., 0] == got[..., t]).all()


@pytest.mark.parametrize(
    "lexemes", [["}", "{", "++a[0]"], ["if", "{", "++a[0]"], ["for p_1", "0", "<= ++", "1", "++a[p_0]"]]
)
def test_invalid_prefixes_are_not_run(lexemes: list[str]) -> None:
    kinds, arguments = code([lexemes])
    lists = np.ones((1, 2, 5), np.int32)
    assert reaching(kinds, arguments, lists).all()
    assert not last_values(kinds[:, :-1], arguments[:, :-1], lists).any()


def test_prefixes_fail_only_outside_of_blocks_and_only_for_good(rng: Random) -> None:
    machine = learnable(DOMAIN).machine()
    tasks, _ = sample_tasks(rng, 40, COptions())
    for task in tasks:
        numbers = np.array([DOMAIN.vocab.encode(DOMAIN.unparse(task.program))[:-1]])
        inputs = np.array([[example.input for example in task.examples]])
        assert not any(machine.failed(numbers[:, :end], inputs)[0] for end in range(1, numbers.shape[1] + 1))
    faulty = ["int p_0 =", "0", "if", "a[0]", ">", "0", "{", "--p_0", "++a[p_0]", "}", "++a[0]"]
    numbers = np.array([DOMAIN.vocab.encode(faulty)[:-1]])
    told = [machine.failed(numbers[:, :end], np.array([[[1, 0, 0, 0, 0]]]))[0] for end in range(1, len(faulty) + 1)]
    assert [bool(failed) for failed in told] == [False] * 9 + [True, True]
