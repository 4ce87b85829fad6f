"""Hypothesis strategies for Karel programs and worlds."""

from __future__ import annotations

from hypothesis import strategies as st

from lasynth.domains.karel.nodes import ACTIONS, MAX_TIMES, TESTS, Action, Condition, If, IfElse, Program, Repeat, While
from lasynth.domains.karel.world import MAX_MARKERS, WALL, World


def conditions(most_negations: int) -> st.SearchStrategy[Condition]:
    return st.builds(Condition, st.sampled_from(TESTS), st.integers(0, most_negations))


def programs(most_negations: int = 1) -> st.SearchStrategy[Program]:
    condition = conditions(most_negations)

    def deeper(statement: st.SearchStrategy) -> st.SearchStrategy:
        block = st.lists(statement, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            st.builds(Repeat, st.integers(0, MAX_TIMES), block),
            st.builds(While, condition, block),
            st.builds(If, condition, block),
            st.builds(IfElse, condition, block, block),
        )

    statement = st.recursive(st.builds(Action, st.sampled_from(ACTIONS)), deeper, max_leaves=12)
    return st.lists(statement, min_size=1, max_size=5).map(lambda body: Program(tuple(body)))


@st.composite
def worlds(draw: st.DrawFn, most_markers: int = MAX_MARKERS) -> World:
    rows, cols = draw(st.integers(2, 16)), draw(st.integers(2, 16))
    cell = st.one_of(st.just(0), st.just(0), st.just(WALL), st.integers(1, most_markers))
    cells = bytearray(draw(st.lists(cell, min_size=rows * cols, max_size=rows * cols)))
    row, col = draw(st.integers(0, rows - 1)), draw(st.integers(0, cols - 1))
    if cells[row * cols + col] == WALL:
        cells[row * cols + col] = 0
    return World(rows, cols, row, col, draw(st.integers(0, 3)), bytes(cells))
