"""Karel for `solve`: check examples, find programs by enumeration, and draw worlds that tell programs apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.base import Explained
from lasynth.domains.karel import generator, grammar, machine
from lasynth.domains.karel.enumeration import enumerate_programs
from lasynth.domains.karel.learning.programs import LexemeMachine
from lasynth.domains.karel.learning.values import WorldValues
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import WALL, World
from lasynth.task import Example, InputError
from lasynth.vocab import EOS

WorldExample = Example[World]
MOST_SEARCHED = 10
"""The enumeration uses at most so many examples. Found programs are tested on all of them."""
NATS = log(8.0)
"""Description length of one unit of cost, in nats: about eight lexemes are possible at each place."""


def check_example(example: WorldExample, first: WorldExample) -> None:
    """InputError if no program can turn the input into the output."""
    before, after = example.input, example.output
    if (before.rows, before.cols) != (after.rows, after.cols):
        raise InputError(
            f"the input has {before.rows} x {before.cols} cells, the output {after.rows} x {after.cols}: "
            "a program cannot change that"
        )
    for index, (one, other) in enumerate(zip(before.cells, after.cells, strict=True)):
        if (one == WALL) != (other == WALL):
            row, col = divmod(index, before.cols)
            where = "the input" if one == WALL else "the output"
            raise InputError(f"row {row}, column {col} is a wall only in {where}: a program cannot change that")


def explained(examples: Sequence[WorldExample], deadline: float) -> Iterator[Explained[Program]]:
    """Programs that fit the examples, the cheapest first. If none is found in time, one for the first example."""
    values = WorldValues()
    given = examples[:MOST_SEARCHED]
    inputs, outputs = values.pack([e.input for e in given]), values.pack([e.output for e in given])
    found = False
    for tokens, cost in enumerate_programs(inputs, outputs, deadline):
        found = True
        yield Explained(_parsed(tokens), NATS * cost)
    if not found:
        for tokens, cost in enumerate_programs(inputs[:1], outputs[:1], deadline + 0.05, most_nodes=1000):
            yield Explained(_parsed(tokens), NATS * cost, after_all=True)
            return


def _parsed(tokens: list[int]) -> Program:
    return grammar.parse(grammar.VOCAB.decode(tokens))


def probes(rng: Random, count: int, examples: Sequence[WorldExample]) -> list[World]:
    """Worlds to compare programs on: half from the generator, half from the examples with the robot moved."""
    worlds = machine.unpack_all(generator.sample_worlds(rng, count - count // 2))
    given = [example.input for example in examples]
    return worlds + [_moved(rng, rng.choice(given)) for _ in range(count // 2)]


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
