"""The native source: every program is in the language, and the statistics of many programs are like Csmith's."""

import json
from pathlib import Path
from random import Random

import pytest

from lasynth.domains.restricted_c.data.sampler import KINDS, PLAIN, RELATIONS, SUMS, Weights, sample_program
from lasynth.domains.restricted_c.data.statistics import iterations, program_statistics
from lasynth.domains.restricted_c.language.canonical import canonical, drop_unused
from lasynth.domains.restricted_c.language.nodes import (
    Block,
    Break,
    Const,
    Continue,
    Element,
    For,
    If,
    Program,
    operands,
    statements,
)
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.statistics import total_variation

MEASURED = Path(__file__).parents[3] / "experiments" / "results" / "csmith_statistics.json"


def assert_valid(program: Program) -> None:
    """Check what holds for every program of both sources."""
    assert parse(print_program(program)) == program
    assert canonical(program) == program
    assert drop_unused(program) == program
    assert program.body
    assert 1 <= len(program.declarations) <= 4
    assert all(d.value is not None and 0 <= d.value <= 4 for d in program.declarations)
    assert_blocks(program.body, 0)
    for statement in statements(program.body):
        for operand in operands(statement):
            assert not isinstance(operand, Const) or -4 <= operand.value <= 4
            assert not (isinstance(operand, Element) and isinstance(operand.index, Const))


def assert_blocks(block: Block, loops: int) -> None:
    for statement in block:
        match statement:
            case For(variable=variable, declares=declares, start=start, limit=limit, body=body):
                assert loops < 2
                assert (variable, declares) == (f"p_{loops}", loops > 0)
                assert 0 <= min(start, limit) <= max(start, limit) <= 4
                assert iterations(statement)
                assert body
                assert_blocks(body, loops + 1)
            case If(then=(Break() | Continue(),), orelse=()):
                assert loops
            case If(then=then, orelse=orelse):
                assert then
                assert_blocks(then, loops)
                assert_blocks(orelse, loops)
            case Break() | Continue():
                pytest.fail("a jump that is not the body of an if")


def sampled(count: int, seed: int) -> list[Program]:
    rng = Random(seed)
    return [sample_program(rng) for _ in range(count)]


def test_every_program_is_valid() -> None:
    for program in sampled(3000, seed=1):
        assert_valid(program)


def test_stream_is_a_function_of_the_rng() -> None:
    assert sampled(200, seed=7) == sampled(200, seed=7)
    assert sampled(200, seed=7) != sampled(200, seed=8)


def test_nothing_else_feeds_the_stream() -> None:
    """Programs stay the same if other generators are used between them."""
    rng = Random(3)

    def interrupted() -> Program:
        Random(99).random()
        sampled(1, seed=5)
        return sample_program(rng)

    assert [interrupted() for _ in range(50)] == sampled(50, seed=3)


@pytest.mark.parametrize("weights", [PLAIN, SUMS], ids=["plain", "sums"])
def test_weights_are_complete(weights: Weights) -> None:
    contexts = {"0.0", "1.0", "1.1", "2.0", "2.1", "2.2"}
    assert set(weights.sizes) == set(weights.kinds) == contexts
    assert all(len(row) == len(KINDS) for row in weights.kinds.values())
    assert len(weights.relations) == len(RELATIONS)
    # The deepest blocks contain no blocks, and jumps need a loop around them.
    compound, jumps = slice(KINDS.index("if"), KINDS.index("if-else") + 1), slice(-3, -1)
    for context, row in weights.kinds.items():
        assert context[0] < "2" or not any((*row[compound], row[-1]))
        assert context[2] > "0" or not any(row[jumps])


def test_native_programs_look_like_those_of_csmith() -> None:
    """Compare with the committed measurement, on a sample that was not used for the figures in the documentation."""
    measured = json.loads(MEASURED.read_text())["csmith"]["statistics"]
    native = program_statistics(sampled(6000, seed=11))
    distances = {line: total_variation(measured[line], counts) for line, counts in native.items()}
    assert max(distances.values()) < 0.06, distances
    assert distances["statement kind"] < 0.02
    assert distances["category"] < 0.03
