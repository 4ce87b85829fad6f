"""Worlds on which a shorter Karel program must do the same, drawn from the program itself.

For each test of the language there are worlds in which it is true at the start, and others in which it is false. So a
shorter program is compared on the same worlds. Besides, random worlds are tried. Those are kept in which a condition of
the program has an outcome that it had in no world before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random

from lasynth.domains.karel import generator, machine, syntax
from lasynth.domains.karel.interpreter import Run
from lasynth.domains.karel.nodes import TESTS, Condition, Program, Repeat, walk
from lasynth.domains.karel.world import MAX_INPUT_MARKERS, WALL, World, step
from lasynth.task import ExecutionError

BASES = 96
"""Random worlds that are changed so that a condition holds or does not hold."""
TRIES = 1000
"""Random worlds that are tried for new outcomes of conditions."""
TURNS = {"frontIsClear": 0, "leftIsClear": -1, "rightIsClear": 1}


def critical_worlds(program: Program, rng: Random, size: tuple[int, int] | None = None) -> list[World]:
    """Worlds of the given size, or of all sizes, that show both outcomes of the program's conditions."""
    program = syntax.parse(syntax.text(program))  # so that no two conditions are one object
    bases = machine.unpack_all(generator.sample_worlds(rng, BASES, size))
    starts = [world for base in bases for test in TESTS for world in both_ways(base, test, rng)]
    tried = machine.unpack_all(generator.sample_worlds(rng, TRIES, size))
    return [*bases, *starts, *_revealing(program, [*bases, *starts], tried)]


def conditions(program: Program) -> Iterator[Condition]:
    """Every condition in the order of the text."""
    for _, statement in walk(program.body):
        if not isinstance(statement, Repeat) and hasattr(statement, "condition"):
            yield statement.condition


def both_ways(world: World, test: str, rng: Random) -> Iterator[World]:
    """The world changed so that the test holds at the start, and so that it does not, as far as that is possible."""
    if test not in TURNS:
        yield _with(world, world.row, world.col, 0)
        yield _with(world, world.row, world.col, rng.choice((1, 2, MAX_INPUT_MARKERS)))
        return
    row, col = step(world.row, world.col, (world.direction + TURNS[test]) % 4)
    if 0 <= row < world.rows and 0 <= col < world.cols:
        yield _with(world, row, col, WALL)
        yield _with(world, row, col, rng.choice((0, 1)))


def _with(world: World, row: int, col: int, content: int) -> World:
    """The world with other content in one cell."""
    cells = bytearray(world.cells)
    cells[row * world.cols + col] = content
    return World(world.rows, world.cols, world.row, world.col, world.direction, bytes(cells))


class _Recording(Run):
    """A run that records the outcomes of conditions."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.outcomes: set[tuple[int, bool]] = set()

    def holds(self, condition: Condition) -> bool:
        held = super().holds(condition)
        self.outcomes.add((id(condition), held))
        return held


def _outcomes(program: Program, world: World) -> set[tuple[int, bool]]:
    run = _Recording(world)
    with suppress(ExecutionError):
        run.block(program.body)
    return run.outcomes


def _revealing(program: Program, known: Sequence[World], tried: Sequence[World]) -> list[World]:
    """The tried worlds with an outcome of a condition that no world before had."""
    wanted = 2 * sum(1 for _ in conditions(program))
    seen = set().union(*(_outcomes(program, world) for world in known))
    kept: list[World] = []
    for world in tried:
        if len(seen) == wanted:
            break
        if not (new := _outcomes(program, world)) <= seen:
            seen |= new
            kept.append(world)
    return kept
