"""Find Karel programs without learning: enumerate them by cost, and merge those that do the same on the examples.

A program is a sequence of statements, and a statement changes the worlds of all examples. So this is a search in a
graph from the inputs to the outputs. A node holds the current worlds of all examples. An edge is a statement: an
action, or a block with a short body. A node that was reached before, at a lower or equal cost, is not a new one, but
the ways to it are remembered: programs that agree on the examples may differ elsewhere, and one of the others may be
the right one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise, product
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
MOST_HITS = 256
"""Most ways to the goal that are remembered."""
MOST_WAYS = 8
"""Most ways to any other node that are remembered, besides the first."""
MOST_PROGRAMS = 128
"""Most programs that are given."""
MARGIN = 2
"""Programs that cost up to so much more than the cheapest one are also given."""
GOING_ON = 0.1
"""After the first program, the search goes on for at most this share of its time."""
MOST_POPS = 4_000
"""Most steps that are taken to write down programs."""
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
    """(N, 1 + MOST_WAYS, 2): nodes and edges from which each node was reached, the cheapest first."""
    ways: NDArray[np.int64]
    """(N, 2): cost of each node, and the number of its parents."""
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
    cost: int,
) -> None:
    """Follow the edges `first` to `last` from some nodes, at a total cost.

    Adds new nodes, ways to nodes that are known, and hits, which are edges into the goal.
    """
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
            place = _find(worlds, space)
            number = space.table[place] - 1
            if number < 0 and space.counts[NODES] < space.worlds.shape[0]:
                number = space.counts[NODES]
                space.worlds[number] = worlds
                space.ways[number, 0] = cost
                space.table[place] = number + 1
                space.counts[NODES] += 1
            way = space.ways[number, 1] if number > 0 else MOST_WAYS + 1
            if way <= MOST_WAYS and cost <= space.ways[number, 0] + MARGIN:
                space.parents[number, way, 0], space.parents[number, way, 1] = node, edge
                space.ways[number, 1] += 1


class Enumerated(NamedTuple):
    """A program that satisfies the examples."""

    tokens: list[int]
    """Its lexemes, without EOS."""
    cost: int


def enumerate_programs(
    inputs: NDArray[np.uint8],
    outputs: NDArray[np.uint8],
    deadline: float,
    most_nodes: int = MOST_NODES,
    most_runs: int | None = None,
) -> Iterator[Enumerated]:
    """Programs that turn all inputs into their outputs, the cheapest first.

    The first one is given as soon as it is found. Stops at the deadline, a value of `time.perf_counter`, or after about
    `most_runs` programs. (K, BYTES), (K, BYTES)
    """
    known, space = edges(), _space(inputs, most_nodes)
    first: Enumerated | None = None
    until, begin = deadline, time.perf_counter()
    for cost in _levels(space, known, outputs):
        if first is None and space.counts[HITS]:
            first = Enumerated(_written(known, _first_way(space, space.hits[0])), cost)
            yield first
            until = min(deadline, time.perf_counter() + GOING_ON * (deadline - begin))
        if time.perf_counter() > until or (most_runs is not None and space.counts[RAN] > most_runs):
            break
    if first is not None:
        given = (program for program in _all_ways(space, known) if program != first)
        yield from islice(given, MOST_PROGRAMS - 1)


def _space(inputs: NDArray[np.uint8], most_nodes: int) -> Space:
    """A space that has only the inputs."""
    space = Space(
        np.empty((most_nodes, len(inputs), BYTES), np.uint8),
        np.zeros((most_nodes, 1 + MOST_WAYS, 2), np.int64),
        np.zeros((most_nodes, 2), np.int64),
        np.zeros(4 * most_nodes, np.int64),
        np.zeros((MOST_HITS, 2), np.int64),
        np.array([1, 0, 0]),
    )
    space.worlds[0] = inputs
    space.table[_find(space.worlds[0], space)] = 1
    return space


def _levels(space: Space, known: Edges, outputs: NDArray[np.uint8]) -> Iterator[int]:
    """Explore the space by cost. Gives the cost after each piece of work, so that the caller can look at the clock."""
    levels = [(0, 1)]  # for each cost, its nodes as (begin, end)
    cheapest: int | None = None
    for cost in range(1, MOST_COST + 1):
        begin = int(space.counts[NODES])
        for before, nodes in enumerate(levels):
            first, last = known.begins[cost - before], known.begins[cost - before + 1]
            for some, start, end in _slices(nodes, first, last):
                _expand(space, known.tokens, known.sizes, outputs, some, start, end, cost)
                yield cost
        levels.append((begin, int(space.counts[NODES])))
        if space.counts[HITS] and cheapest is None:
            cheapest = cost
        if space.counts[HITS] == MOST_HITS or (cheapest is not None and cost >= cheapest + MARGIN):
            return


def _slices(nodes: tuple[int, int], first: int, last: int) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Cut nodes x edges into pieces of at most SLICE programs."""
    for begin in range(nodes[0], nodes[1], SLICE):
        some = begin, min(nodes[1], begin + SLICE)
        step = SLICE // (some[1] - some[0])
        for start in range(first, last, step):
            yield some, start, min(last, start + step)


def _first_way(space: Space, hit: NDArray[np.int64]) -> list[int]:
    """The edges of the cheapest way from the inputs to the goal that ends with a hit."""
    node, edge = hit.tolist()
    way = [edge]
    while node:
        node, edge = space.parents[node, 0].tolist()
        way.append(edge)
    return way[::-1]


def _all_ways(space: Space, known: Edges) -> Iterator[Enumerated]:
    """Programs for all ways from the inputs to the goal, the cheapest first: backwards from the goal, best first."""
    costs = np.searchsorted(known.begins, np.arange(len(known.sizes)), side="right") - 1  # of each edge
    hits = space.hits[: space.counts[HITS]].tolist()
    heap = [(int(space.ways[node, 0] + costs[edge]), i, node, (edge,)) for i, (node, edge) in enumerate(hits)]
    heapify(heap)
    most, order = heap[0][0] + MARGIN, len(heap)
    for _ in range(MOST_POPS):
        if not heap:
            return
        cost, _, node, way = heappop(heap)
        if node == 0:
            yield Enumerated(_written(known, way), cost)
            continue
        rest = cost - int(space.ways[node, 0])  # cost of the way from this node on
        for parent, edge in space.parents[node, : space.ways[node, 1]].tolist():
            total = int(space.ways[parent, 0] + costs[edge]) + rest
            if total <= most:
                heappush(heap, (total, order, parent, (edge, *way)))
                order += 1


def _written(known: Edges, way: Sequence[int]) -> list[int]:
    """The lexemes of the statements on a way."""
    return [token for edge in way for token in known.tokens[edge, : known.sizes[edge]].tolist()]


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
