"""Karel for `solve`: check examples, find programs by enumeration, and draw worlds that tell programs apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, log
from random import Random

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.base import Explained
from lasynth.domains.karel import generator, grammar, machine
from lasynth.domains.karel.enumeration import enumerate_programs
from lasynth.domains.karel.learning.programs import LexemeMachine
from lasynth.domains.karel.learning.values import WorldValues
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import DIRECTIONS, WALL, World, step
from lasynth.task import Example, InputError
from lasynth.vocab import EOS

WorldExample = Example[World]
MOST_SEARCHED = 10
"""The enumeration uses at most so many examples. Found programs are tested on all of them."""
FEW_RUNS = 20_000
"""Programs that are run if there is no time limit. That is enough to have everything compiled."""
NEAR = 2
"""Cells at most so far from the robot are altered in probes."""
NATS = log(8.0)
"""Description length of one unit of cost, in nats: about eight lexemes are possible at each place."""


def check_example(example: WorldExample, first: WorldExample) -> None:
    """InputError if no program can turn the input into the output. The message names the cell."""
    before, after = example.input.check_input(), example.output
    _check_size(before, after)
    for index, (one, other) in enumerate(zip(before.cells, after.cells, strict=True)):
        if (one == WALL) != (other == WALL):
            fault = f"is a wall only in {'the input' if one == WALL else 'the output'}: a program cannot change that"
            raise InputError(f"{_place(before, index)} {fault}", _drawn(before, index))
    reached = reachable(before)
    if (index := after.row * after.cols + after.col) not in reached:
        raise InputError(f"the robot cannot get to {_place(before, index)} from its start", _drawn(before, index))
    for index, (one, other) in enumerate(zip(before.cells, after.cells, strict=True)):
        if one != other and index not in reached:
            fault = f"the markers at {_place(before, index)} change, but the robot cannot get there"
            raise InputError(fault, _drawn(before, index))


def _check_size(before: World, after: World) -> None:
    """InputError if the sizes differ. The message names the first cell that only one world has."""
    if (before.rows, before.cols) == (after.rows, after.cols):
        return
    more_rows = before.rows != after.rows
    row, col = (min(before.rows, after.rows), 0) if more_rows else (0, min(before.cols, after.cols))
    larger, whose = (before, "input") if row < before.rows and col < before.cols else (after, "output")
    sizes = f"the input has {before.rows} x {before.cols} cells, the output {after.rows} x {after.cols}"
    fault = f"row {row}, column {col} is only in the {whose}: a program cannot change that"
    raise InputError(f"{sizes}; {fault}", larger.in_picture(row, col))


def reachable(world: World) -> set[int]:
    """Indices of the cells that the robot can reach."""
    start = world.row * world.cols + world.col
    reached, edge = {start}, [start]
    while edge:
        row, col = divmod(edge.pop(), world.cols)
        for direction in range(len(DIRECTIONS)):
            there = step(row, col, direction)
            index = there[0] * world.cols + there[1]
            inside = 0 <= there[0] < world.rows and 0 <= there[1] < world.cols
            if inside and index not in reached and world.cells[index] != WALL:
                reached.add(index)
                edge.append(index)
    return reached


def _place(world: World, index: int) -> str:
    row, col = divmod(index, world.cols)
    return f"row {row}, column {col}"


def _drawn(world: World, index: int) -> str:
    return world.in_picture(*divmod(index, world.cols))


def explained(examples: Sequence[WorldExample], deadline: float) -> Iterator[Explained[Program]]:
    """Programs that fit the examples, the cheapest first. If none is found in time, one for the first example."""
    values = WorldValues()
    given = examples[:MOST_SEARCHED]
    inputs, outputs = values.pack([e.input for e in given]), values.pack([e.output for e in given])
    found, most_runs = False, FEW_RUNS if deadline == inf else None
    for tokens, cost in enumerate_programs(inputs, outputs, deadline, most_runs=most_runs):
        found = True
        yield Explained(_parsed(tokens), NATS * cost)
    if not found:
        for tokens, cost in enumerate_programs(inputs[:1], outputs[:1], deadline + 0.05, most_nodes=1000):
            yield Explained(_parsed(tokens), NATS * cost, after_all=True)
            return


def _parsed(tokens: list[int]) -> Program:
    return grammar.parse(grammar.VOCAB.decode(tokens))


def probes(rng: Random, count: int, examples: Sequence[WorldExample]) -> list[World]:
    """Worlds to compare programs on.

    A fourth each: worlds of the generator; the same with markers in most cells; worlds of examples with the robot
    moved; and worlds of examples with other cells near the robot. Where there are few markers, many programs crash, and
    crashes do not tell programs apart.
    """
    worlds = machine.unpack_all(generator.sample_worlds(rng, count - count // 2))
    worlds = [_filled(rng, world) if i % 2 else world for i, world in enumerate(worlds)]
    given = [example.input for example in examples]
    return worlds + [(_moved if i % 2 else _altered)(rng, rng.choice(given)) for i in range(count // 2)]


def _filled(rng: Random, world: World) -> World:
    """The same world with markers in most free cells."""
    cells = [content or rng.choice((0, 1, 1, 2, 3)) for content in world.cells]
    return World(world.rows, world.cols, world.row, world.col, world.direction, bytes(cells))


def _altered(rng: Random, world: World) -> World:
    """The same world with other contents of some cells near the robot."""
    cells = bytearray(world.cells)
    for row in range(max(0, world.row - NEAR), min(world.rows, world.row + NEAR + 1)):
        for col in range(max(0, world.col - NEAR), min(world.cols, world.col + NEAR + 1)):
            if rng.random() < 0.3:
                here = (row, col) == (world.row, world.col)
                cells[row * world.cols + col] = rng.choice((0, 1, 2) if here else (0, 0, 1, 2, WALL))
    return World(world.rows, world.cols, world.row, world.col, world.direction, bytes(cells))


def _moved(rng: Random, world: World) -> World:
    """The same world with the robot at a random place."""
    free = [index for index, content in enumerate(world.cells) if content != WALL]
    row, col = divmod(rng.choice(free), world.cols)
    return World(world.rows, world.cols, row, col, rng.randrange(4), world.cells)


def tester(examples: Sequence[WorldExample]) -> Callable[[Program], NDArray[np.bool_]]:
    """A function that says which examples a program satisfies. (K,)"""
    values, runner = WorldValues(), LexemeMachine()
    inputs, outputs = values.pack([e.input for e in examples])[None], values.pack([e.output for e in examples])

    def satisfied(program: Program) -> NDArray[np.bool_]:
        tokens = np.append(grammar.ids(program), EOS)[None]
        ran = runner.run(tokens, inputs, np.zeros(1, np.int64))
        right: NDArray[np.bool_] = ran.fine[0] & values.same(ran.outputs[0], outputs)
        return right

    return satisfied


def alike(worlds: Sequence[World], examples: Sequence[WorldExample]) -> list[bool]:
    """Which worlds are no larger than those of the examples."""
    rows, cols = max(e.input.rows for e in examples), max(e.input.cols for e in examples)
    return [world.rows <= rows and world.cols <= cols for world in worlds]
