"""Values at statement ends: checked against the readable interpreter on prefixes that are closed by hand or by trees."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from lasynth.domains import get_domain
from lasynth.domains.restricted_c import interpreter
from lasynth.domains.restricted_c.generator import COptions, sample_tasks
from lasynth.domains.restricted_c.prefixes import PrefixValues, prefix_values
from lasynth.task import ExecutionError
from lasynth.vocab import PAD

DOMAIN = get_domain("c")
OPENING = {"{", *(f"{word}{name}" for word in ("for ", "for int ") for name in ("p_0", "p_1", "l_1", "l_2", "l_3"))}


def values(programs: list[list[str]], inputs: list[list[list[int]]]) -> PrefixValues:
    width = max(map(len, programs)) + 1
    tokens = np.full((len(programs), width), PAD)
    for row, lexemes in zip(tokens, programs, strict=True):
        row[: len(lexemes) + 1] = DOMAIN.vocab.encode(lexemes)
    table = DOMAIN.table  # type: ignore[attr-defined]
    return prefix_values(table.kinds[tokens], table.arguments[tokens], np.array(inputs, np.int32))


def closed(lexemes: list[str]) -> list[str]:
    """The prefix as a program."""
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
        # inside a loop: what the whole loop would do with the body so far
        ("for p_0|0|<= ++|1|++a[p_0]|a[p_0]++|}", [[2, 3], [3, 4], [3, 4]]),
        # `} else {` ends the first block; the second is empty there
        ("if|a[p_0]|{|++a[p_0]|} else {|--a[p_0]|}", [[2, 2], [2, 2], [2, 2], [2, 2]]),
        ("for p_0|0|<= ++|1|if|1|{|break|}|++a[p_0]|}", [[1, 2]] * 4),
        # out of the list in the second statement: no value from there on
        ("++p_0|++a[p_0]|++p_0|++a[p_0]", [[1, 2], [1, 3], [1, 3], None]),
    ],
)
def test_by_hand(program: str, wanted: list[list[int] | None]) -> None:
    got = values([["int p_0 =", "0", *program.split("|")]], [[[1, 2]]])
    assert got.values.shape == (1, len(wanted), 1, 2)
    assert [v.tolist() if ok else None for v, ok in zip(got.values[0, :, 0], got.valid[0, :, 0], strict=True)] == wanted


def test_a_program_without_statements_has_no_values() -> None:
    assert values([["int p_0 =", "0"]], [[[1, 2]]]).values.shape == (1, 0, 1, 2)
