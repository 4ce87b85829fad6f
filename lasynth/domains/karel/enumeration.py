"""Find Karel programs without learning: enumerate them by cost, and merge those that do the same on the examples.

A program is a sequence of statements, and a statement changes the worlds of all examples. So this is a search in a
graph from the inputs to the outputs. A node holds the current worlds of all examples. An edge is a statement: an
action, or a block with a short body. A node that was reached before, at a lower or equal cost, is dropped. All edges
into the goal are kept, because programs that agree on the examples may differ elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.generator import may_follow
from lasynth.domains.karel.grammar import (
    ACTION,
    CONDITION,
    COUNT,
    ELSE,
    END_ELSE,
    END_IF,
    END_REPEAT,
    END_WHILE,
    IF,
    IFELSE,
    REPEAT,
    WHILE,
)
from lasynth.domains.karel.interpreter import TICKS
from lasynth.domains.karel.learning.programs import LexemeMachine, run_on
from lasynth.domains.karel.learning.values import BYTES
from lasynth.domains.karel.machine import OK, REPORT, compile_program
from lasynth.jit import compiled
from lasynth.vocab import EOS

ACTIONS = 5
"""Number of actions in the language."""
LONGEST_BODY = 3
"""Most actions in a block."""
TIMES = range(2, 11)
"""Rounds of a repeat, as in the public data."""
CONDITIONS = (0, 1, 2, 3, 4, 5, 6, 7)
"""Numbers of the conditions. 8 and 9 are left out: `not noMarkersPresent` is `markersPresent`, and vice versa."""
BLOCK = 2
"""Cost of a block without its body. A second branch costs 1 more."""
MOST_NODES = 40_000
MOST_COST = 24
MOST_HITS = 64
"""Most programs that are found."""
MARGIN = 2
"""Programs that cost up to so much more than the cheapest one are also given: one of them may be the right one."""
SLICE = 4_000
"""Programs that run between two looks at the clock: about 10 ms."""


class Edges(NamedTuple):
    """Statements as lexemes, sorted by cost."""

    tokens: NDArray[np.int64]
    """(E, T), padded with PAD."""
    sizes: NDArray[np.int64]
    """(E,): lexemes of each statement."""
    begins: NDArray[np.int64]
    """(MOST_COST + 2,): index of the first edge of each cost."""


def _bodies() -> list[tuple[int, ...]]:
    """Bodies of blocks: sequences of actions in which no action undoes the one before."""
    return [
        tuple(ACTION + action for action in actions)
        for size in range(1, LONGEST_BODY + 1)
        for actions in product(range(ACTIONS), repeat=size)
        if all(may_follow(one, other) for one, other in pairwise(actions))
    ]


@cache
def edges() -> Edges:
    """All statements that the search uses."""
    bodies = _bodies()
    found: list[tuple[int, list[int]]] = [(1, [ACTION + action]) for action in range(ACTIONS)]
    for body in bodies:
        cost = BLOCK + len(body)
        found += [(cost, [REPEAT, COUNT + times, *body, END_REPEAT]) for times in TIMES]
        for condition in CONDITIONS:
            head = CONDITION + condition
            found.append((cost, [WHILE, head, *body, END_WHILE]))
            found.append((cost, [IF, head, *body, END_IF]))
    for then, other in product([body for body in bodies if len(body) <= 2], repeat=2):
        cost = BLOCK + 1 + len(then) + len(other)
        for condition in (0, 1, 2, 3):
            found.append((cost, [IFELSE, CONDITION + condition, *then, ELSE, *other, END_ELSE]))
    found.sort(key=lambda edge: edge[0])
    tokens = np.zeros((len(found), max(len(words) for _, words in found)), np.int64)
    for row, (_, words) in zip(tokens, found, strict=True):
        row[: len(words)] = words
    costs = np.array([cost for cost, _ in found])
    begins = np.searchsorted(costs, np.arange(MOST_COST + 2))
    return Edges(tokens, np.array([len(words) for _, words in found]), begins)


class Space(NamedTuple):
    """The part of the graph that the search has reached."""

    worlds: NDArray[np.uint8]
    """(N, K, BYTES)"""
    parents: NDArray[np.int64]
    """(N, 2): the node and the edge from which each node was reached."""
    table: NDArray[np.int64]
    """Hash table of the nodes: node number + 1, or 0 for an empty slot."""
    hits: NDArray[np.int64]
    """(MOST_HITS, 2): node and edge that lead to the goal."""
    counts: NDArray[np.int64]
    """(3,): number of nodes, of hits, and of programs run."""


NODES, HITS, RAN = 0, 1, 2
"""Indices in `Space.counts`."""


@compiled
def _digest(worlds: NDArray[np.uint8]) -> int:
    """A hash of the worlds of all examples."""
    value = np.uint64(1469598103934665603)
    flat = worlds.ravel()
    for byte in flat:
        value = (value ^ np.uint64(byte)) * np.uint64(1099511628211)
        value ^= value >> np.uint64(29)
    digest: Any = np.int64(value >> np.uint64(1))
    return int(digest)


@compiled
def _find(worlds: NDArray[np.uint8], space: Space) -> int:
    """The slot of these worlds in the hash table: where they are, or the empty slot where they belong."""
    size = space.table.size
    place = _digest(worlds) % size
    while space.table[place] != 0 and not np.array_equal(space.worlds[space.table[place] - 1], worlds):
        place = (place + 1) % size
    return place


@compiled
def _expand(
    space: Space,
    tokens: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanted: NDArray[np.uint8],
    nodes: tuple[int, int],
    first: int,
    last: int,
) -> None:
    """Follow the edges `first` to `last` from some nodes. Add new nodes and hits (edges into the goal) to the space."""
    examples = wanted.shape[0]
    code, report = np.empty((2 * tokens.shape[1] + 2, 3), np.int64), np.empty(REPORT, np.int64)
    worlds = np.empty((examples, BYTES), np.uint8)
    for edge in range(first, last):
        compile_program(tokens[edge, : sizes[edge]], code)
        for node in range(nodes[0], nodes[1]):
            fine = True
            for k in range(examples):
                worlds[k] = space.worlds[node, k]
                if run_on(worlds[k], code, TICKS, report) != OK:
                    fine = False
                    break
            space.counts[RAN] += 1
            if not fine:
                continue
            if np.array_equal(worlds, wanted):
                if space.counts[HITS] < MOST_HITS:
                    space.hits[space.counts[HITS], 0], space.hits[space.counts[HITS], 1] = node, edge
                    space.counts[HITS] += 1
                continue
            if space.counts[NODES] == space.worlds.shape[0]:
                continue
            place = _find(worlds, space)
            if space.table[place] == 0:
                number = space.counts[NODES]
                space.worlds[number] = worlds
                space.parents[number, 0], space.parents[number, 1] = node, edge
                space.table[place] = number + 1
                space.counts[NODES] += 1


class Enumerated(NamedTuple):
    """A program that satisfies the examples."""

    tokens: list[int]
    """Its lexemes, without EOS."""
    cost: int


def enumerate_programs(
    inputs: NDArray[np.uint8], outputs: NDArray[np.uint8], deadline: float, most_nodes: int = MOST_NODES
) -> Iterator[Enumerated]:
    """Programs that turn all inputs into their outputs, the cheapest first.

    Stops at the deadline, a value of `time.perf_counter`. (K, BYTES), (K, BYTES)
    """
    examples, known = len(inputs), edges()
    space = Space(
        np.empty((most_nodes, examples, BYTES), np.uint8),
        np.zeros((most_nodes, 2), np.int64),
        np.zeros(4 * most_nodes, np.int64),
        np.zeros((MOST_HITS, 2), np.int64),
        np.array([1, 0, 0]),
    )
    space.worlds[0] = inputs
    space.table[_find(space.worlds[0], space)] = 1
    levels = [(0, 1)]  # for each cost, its nodes as (begin, end)
    cheapest: int | None = None
    for cost in range(1, MOST_COST + 1):
        begin, told = int(space.counts[NODES]), int(space.counts[HITS])
        for before, nodes in enumerate(levels):
            first, last = known.begins[cost - before], known.begins[cost - before + 1]
            for some, start, end in _slices(nodes, first, last):
                if time.perf_counter() > deadline:
                    return
                _expand(space, known.tokens, known.sizes, outputs, some, start, end)
                while told < space.counts[HITS]:
                    yield Enumerated(_written(space, known, *space.hits[told].tolist()), cost)
                    told += 1
        levels.append((begin, int(space.counts[NODES])))
        if told and cheapest is None:
            cheapest = cost
        if told == MOST_HITS or (cheapest is not None and cost >= cheapest + MARGIN):
            return


def _slices(nodes: tuple[int, int], first: int, last: int) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Cut nodes x edges into pieces of at most SLICE programs."""
    for begin in range(nodes[0], nodes[1], SLICE):
        some = begin, min(nodes[1], begin + SLICE)
        step = SLICE // (some[1] - some[0])
        for start in range(first, last, step):
            yield some, start, min(last, start + step)


def _written(space: Space, known: Edges, node: int, edge: int) -> list[int]:
    """The lexemes of the program that leads to a node and then follows an edge."""
    statements = [known.tokens[edge, : known.sizes[edge]].tolist()]
    while node:
        node, edge = space.parents[node].tolist()
        statements.append(known.tokens[edge, : known.sizes[edge]].tolist())
    return [token for statement in reversed(statements) for token in statement]


BASELINE_SECONDS = 5.0
"""Time limit of the baseline for each task."""


def predict(
    inputs: NDArray[np.uint8], outputs: NDArray[np.uint8], new_inputs: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The baseline `Enumerated`: run the cheapest program that fits on new worlds. Also says which tasks have one.

    A run that fails gives zeros, which are no world. (B, K, BYTES), (B, K, BYTES), (B, Q, BYTES) -> (B, Q, BYTES), (B,)
    """
    predicted, found = np.zeros_like(new_inputs), np.zeros(len(inputs), np.bool_)
    for task in range(len(inputs)):
        deadline = time.perf_counter() + BASELINE_SECONDS
        program = next(enumerate_programs(inputs[task], outputs[task], deadline), None)
        if program is None:
            continue
        found[task] = True
        ran = LexemeMachine().run(np.array([[*program.tokens, EOS]]), new_inputs[task][None], np.zeros(1, np.int64))
        predicted[task] = np.where(ran.fine[0, :, None], ran.outputs[0], 0)
    return predicted, found
