"""Writing: the program does what the explanation says, whichever elements it reads, and is short and readable."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.language.canonical import inline_constants
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import For, If, Program, statements
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.explanations import Choice, Explanation, Tree, outputs
from lasynth.domains.restricted_c.symbolic.sums import Sum
from lasynth.domains.restricted_c.symbolic.writing import Unwritable, write
from tests.domains.restricted_c import gcc

LENGTH = 5
LISTS = np.random.default_rng(3).integers(-4, 5, (60, LENGTH))


def some_sums(most: int = 4) -> st.SearchStrategy[Sum]:
    terms = st.dictionaries(st.integers(0, LENGTH - 1), st.sampled_from([1, -1, 2, -3, 4]), max_size=most)
    return st.builds(Sum, terms.map(lambda t: tuple(sorted(t.items()))), st.integers(-6, 6))


def comparisons() -> st.SearchStrategy[Comparison]:
    one = st.integers(0, LENGTH - 1).map(lambda i: ((i, 1),))
    pairs = st.lists(st.integers(0, LENGTH - 1), min_size=2, max_size=2, unique=True)
    two = st.tuples(pairs, st.sampled_from([1, -1])).map(lambda p: tuple(sorted([(p[0][0], 1), (p[0][1], p[1])])))
    left = st.builds(Sum, one | two, st.integers(-3, 3))
    return st.builds(Comparison, left, st.sampled_from(["==", "<="]))


@st.composite
def explanations(draw: st.DrawFn) -> Explanation:
    """Explanations with at most two different conditions, as in real tasks."""
    available = draw(st.lists(comparisons(), min_size=1, max_size=2))
    copies = draw(st.booleans())

    def tree(position: int, depth: int) -> Tree:
        kind = draw(st.integers(0, 3 + (depth < 2)))
        if kind == 4:
            return Choice(draw(st.sampled_from(available)), tree(position, depth + 1), tree(position, depth + 1))
        if kind == 0 or (kind == 1 and copies):
            return Sum(((draw(st.integers(0, LENGTH - 1)) if copies else position, 1),))
        return draw(some_sums())

    return tuple(tree(p, 0) for p in range(LENGTH))


@given(explanations())
def test_programs_do_what_explanations_say(explanation: Explanation) -> None:
    program = write(explanation)
    assert [run(program, values) for values in LISTS.tolist()] == outputs(explanation, LISTS).tolist()
    assert parse(print_program(program)) == program


def each(length: int, tree: object) -> Explanation:
    return tuple(tree(p) for p in range(length))  # type: ignore[operator]


def element(i: int, constant: int = 0) -> Sum:
    return Sum(((i, 1),), constant)


LEFT = each(6, lambda p: element((p + 1) % 6))
RIGHT = each(6, lambda p: element((p - 1) % 6))
REVERSED = each(6, lambda p: element(5 - p))
NEIGHBOURS = each(6, lambda p: Sum(((p, 1), (p + 1, 1))) if p < 5 else element(5))
INCREASED = each(6, lambda p: element(p, 1))
MINUS_FIRST = each(6, lambda p: Sum(((0, -1), (p, 1))) if p else element(0))
POSITIVE = each(6, lambda p: Choice(Comparison(element(p, 1), "<="), Sum(()), element(p)))
CENTRED = each(6, lambda p: Sum(((2, -1), (p, 1))) if p != 2 else Sum(()))


@pytest.mark.parametrize(
    ("explanation", "tokens"),
    [
        (LEFT, 76), (RIGHT, 76), (REVERSED, 120), (NEIGHBOURS, 70), (INCREASED, 45), (MINUS_FIRST, 50), (POSITIVE, 65),
        (CENTRED, 100),
    ],
)  # fmt: skip
def test_well_known_programs_are_short(explanation: Explanation, tokens: int) -> None:
    program = write(explanation)
    lists = np.random.default_rng(0).integers(-9, 9, (30, 6))
    assert [run(program, values) for values in lists.tolist()] == outputs(explanation, lists).tolist()
    assert count_tokens(print_program(inline_constants(program))) <= tokens


def kinds(program: Program) -> set[type]:
    return {type(statement) for statement in statements(program.body)}


def test_positions_alike_become_a_loop_and_a_shared_condition_one_branch() -> None:
    assert kinds(write(INCREASED)) >= {For}
    assert kinds(write(POSITIVE)) >= {For, If}
    condition = Comparison(element(4), "==")
    shared = (
        Choice(condition, Sum((), 1), element(0)),
        element(1),
        Choice(condition, element(1), element(2)),
        *LEFT[3:5],
    )
    program = write(shared)
    assert sum(isinstance(statement, If) for statement in statements(program.body)) == 1


SHORT, LONG = 100, 1000
FIRST_NEGATIVE = Comparison(element(0, 1), "<=")
OF_ANY_LENGTH: dict[str, Callable[[int], Explanation]] = {
    "constants": lambda n: each(n, lambda p: Sum((), p * p)),
    "reversed": lambda n: each(n, lambda p: element(n - 1 - p)),
    "mirrored": lambda n: each(n, lambda p: Sum(tuple(sorted({(p, 1), (n - 1 - p, 1)})))),
    "both neighbours": lambda n: each(n, lambda p: Sum(((p - 1, 1), (p + 1, 1))) if 0 < p < n - 1 else element(p)),
    "one condition": lambda n: each(n, lambda p: Choice(FIRST_NEGATIVE, Sum((), p % 2), element(n - 1 - p))),
    "one condition, always the same": lambda n: each(n, lambda p: Choice(FIRST_NEGATIVE, Sum(()), element(p, 3))),
}


def writing_time(explanation: Explanation) -> float:
    """Seconds of the fastest of three runs."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        write(explanation)
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize("name", OF_ANY_LENGTH)
def test_the_time_to_write_grows_with_the_length_and_not_with_its_square(name: str) -> None:
    short, long = (OF_ANY_LENGTH[name](length) for length in (SHORT, LONG))
    most = LONG / SHORT * 4  # the square would be 10 times this ratio
    assert writing_time(long) < most * max(writing_time(short), 1e-3)
    lists = np.random.default_rng(0).integers(-9, 9, (4, LONG))
    assert [run(write(long), values) for values in lists.tolist()] == outputs(long, lists).tolist()


INT_MIN = -(2**31)
SMALLEST: dict[str, tuple[Explanation, list[list[int]]]] = {
    "constant": ((Sum((), INT_MIN), element(1)), [[5, 6], [-7, 0]]),
    "added": ((Sum(((0, 1),), INT_MIN), element(1)), [[5, 6], [2**31 - 1, 0]]),
    "added to two": ((Sum(((0, 1), (1, 1)), INT_MIN), element(1)), [[5, 6], [0, 0]]),
    "less an element": ((Sum(((0, -1),), INT_MIN), element(1)), [[-5, 6], [0, 0]]),
    "compared": (
        (Choice(Comparison(element(0, 2**31), "=="), Sum(()), element(0)), element(1)),
        [[INT_MIN, 6], [3, 0]],
    ),
}


@pytest.mark.parametrize("name", SMALLEST)
def test_the_smallest_number_is_written_without_a_literal_for_it(name: str, tmp_path: Path) -> None:
    explanation, lists = SMALLEST[name]
    program, expected = write(explanation), outputs(explanation, np.array(lists)).tolist()
    assert parse(print_program(program)) == program
    assert [run(program, values) for values in lists] == expected
    if gcc.AVAILABLE:
        assert gcc.run_with_gcc([program], lists, [[True] * len(lists)], tmp_path) == [expected]


def test_long_lists_and_large_numbers() -> None:
    length = 300
    explanation = each(length, lambda p: element(length - 1 - p, 2_000_000_000 if p % 2 else 0))
    values = [(-1) * i for i in range(length)]
    assert run(write(explanation), values) == outputs(explanation, np.array([values]))[0].tolist()
    with pytest.raises(Unwritable):
        write((element(0, 2**31),))
    with pytest.raises(Unwritable):
        write((element(0, INT_MIN - 1),))
    rng = np.random.default_rng(0)
    with pytest.raises(Unwritable):  # too many elements are needed after they are overwritten
        write(each(100, lambda p: Sum(tuple((int(i), 1) for i in sorted(rng.permutation(100)[:60])))))
