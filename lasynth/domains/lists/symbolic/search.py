"""Programs for examples by enumeration in the order of cost, and what each costs.

All values of cost 1 come first, then those of cost 2, and so on; a value that equals a known one in all examples is
not kept. After each cost, conditionals and filters of the known values are tried. See docs/lists.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.kernels import room_for
from lasynth.domains.lists.execution.machine import write_value
from lasynth.domains.lists.language.nodes import Call, Empty, Expression, Input, Type, size, walk
from lasynth.domains.lists.language.operations import COMMUTATIVE, OPERATIONS
from lasynth.domains.lists.symbolic.bank import (
    ARENA_END,
    ENTRIES,
    HITS,
    TRIED,
    Bank,
    digest,
    find,
    grown,
    new_bank,
    rehash,
    size_in_bytes,
)
from lasynth.domains.lists.symbolic.combine import Goal, combine, settle
from lasynth.domains.lists.symbolic.costs import CONS, IGNORED, Leaf, ignored, leaves, total_cost
from lasynth.domains.lists.symbolic.covering import Covering
from lasynth.domains.lists.symbolic.filtering import AND, FILTER, Filtering, try_filters
from lasynth.domains.lists.symbolic.guards import GUARD, Guards

MOST_EXAMPLES = 24
"""Examples that the search sees; programs are checked on all of them."""
MOST_BYTES = 1_500_000_000
"""Memory of the bank. When it is full, the search ends."""
BUDGET = 20_000
"""Combinations between two looks at the clock."""
SECONDS_TO_GROW = 1e-7
"""Seconds per entry to move the tables when they grow. The search stops that long before the deadline."""
MOST_COST = 60
MOST_COLUMNS = 8
SLACK, SLACK_SECONDS = 2.0, 0.3
"""After the first program that fits at time t, the search goes on until SLACK * t, or for SLACK_SECONDS, whichever is
later, unless the costs have passed those of the best program."""
PATIENCE, PATIENCE_SECONDS = 3.0, 1.5
"""The same limits while a cheaper program may still be found. Conditionals and residual goals find expensive programs
early."""
BEYOND = 2
"""The search goes on to costs this far above the best program: the user may mean a costlier one."""
NONE = np.array([-1], np.int32)


class Found(NamedTuple):
    """A program that fits the examples that the search saw."""

    body: Expression
    cost: int


@dataclass
class Search:
    """One search: examples in, programs out."""

    inputs: Sequence[Sequence[Basic]]
    """One row of values for each example."""
    outputs: Sequence[Basic]
    types: Sequence[Type]
    """Of the inputs."""
    deadline: float
    """Of `time.perf_counter`. Without one, the search does not end before all programs as cheap as the best are
    known."""
    most_cost: int = MOST_COST
    """Values of this cost and more are not made."""
    hints: Sequence[Leaf] = ()
    """More leaves, with lower costs than their expressions have."""

    def __post_init__(self) -> None:
        self.begin = time.perf_counter()
        self.first_hit: float | None = None
        self.level, self.best_cost, self.hits = 0, MOST_COST, 0
        self.inputs, self.outputs = self.inputs[:MOST_EXAMPLES], self.outputs[:MOST_EXAMPLES]
        self.leaves = leaves(self.inputs, self.outputs, self.types)
        self.known = {leaf.expression: leaf.cost for leaf in self.leaves}
        self.leaves += self.hints
        self.goal = make_goal(self.inputs, self.outputs)
        self.bank = new_bank()
        self.covering, self.filtering, self.columns = Covering(self.goal), Filtering(self.goal), Columns(self.outputs)
        self.guards = Guards(self.inputs, self.outputs, self.types)
        self.groups: dict[tuple[int, int], NDArray[np.int32]] = {}
        """Entries by type and cost."""
        self.exhausted = False
        """Whether the memory is full, or nothing is left to be tried."""

    @property
    def tried(self) -> int:
        return int(self.bank.counts[TRIED])

    def run(self) -> list[Found]:
        """Programs that fit, the cheapest first; those that the search had time for."""
        if self.deadline == inf:
            load(self.bank, self.goal)
        for cost in range(1, self.most_cost):
            self.level, begin = cost, int(self.bank.counts[ENTRIES])
            in_time = self._level(cost)
            end = int(self.bank.counts[ENTRIES])
            self._group(cost, begin, end)
            self.guards.extend(self.bank, begin, end)
            if in_time and not self._over():
                self.covering.extend(self.bank, begin, end, self._over)
                self._note_hits()
            if in_time and not self._over():
                self.columns.extend(self.bank)
                self.filtering.extend(self.bank, begin, end, self._over)
                self._note_hits()
            if not in_time or self._over() or self._settled(cost):
                break
        return self.found()

    def found(self) -> list[Found]:
        rows = self.bank.hits[: int(self.bank.counts[HITS])]
        order = np.argsort(rows[:, 4], kind="stable")
        bodies: dict[Expression, int] = {}
        for operation, a, b, c, cost in rows[order].tolist():
            bodies.setdefault(self._expression(operation, (a, b, c)), cost)
        found = [*(Found(body, cost) for body, cost in bodies.items()), *self._beyond()]
        if self.hints:
            found = [Found(body, total_cost(body, self.known)) for body, _ in found]
        found = [Found(body, cost + IGNORED * ignored(body, len(self.types))) for body, cost in found]
        return sorted(found, key=lambda one: (one.cost, size(one.body)))

    def _beyond(self) -> list[Found]:
        """Programs that are not one operation on entries of the bank."""
        found: list[Found] = []
        body: Expression
        for entry in self.guards.entries:
            body = self.guards.guarded(self.entry(entry), int(self.bank.gaps[entry]))
            found.append(Found(body, int(self.bank.cost[entry]) + GUARD))
        for entry, one, other in self.filtering.pairs:
            mask = self._call(AND, [self.entry(one), self.entry(other)])
            cost = sum(int(self.bank.cost[e]) for e in (entry, one, other)) + self._cost(AND) + self._cost(FILTER)
            found.append(Found(self._call(FILTER, [self.entry(entry), mask]), cost))
        if (entries := self.columns.complete()) is not None:
            body = Empty()
            for entry in reversed(entries):
                body = self._call(CONS, [self.entry(entry), body])
            found.append(Found(body, sum(int(self.bank.cost[e]) + self._cost(CONS) for e in entries)))
        return found

    def _cost(self, operation: int) -> int:
        return OPERATIONS[operation].cost

    def _call(self, operation: int, parts: Sequence[Expression]) -> Expression:
        return Call(operation, tuple(parts), OPERATIONS[operation].result)

    def entry(self, entry: int) -> Expression:
        """The expression of an entry of the bank."""
        return self._expression(int(self.bank.operation[entry]), self.bank.arguments[entry].tolist())

    def partly_right(self) -> list[Found]:
        """The cheapest value that is right in most examples; nothing if none is right in any."""
        right = self.bank.right[: int(self.bank.counts[ENTRIES])]
        some = np.flatnonzero(right)
        sets, firsts = np.unique(right[some], return_index=True)
        best = max(range(len(sets)), key=lambda i: (int(sets[i]).bit_count(), -int(firsts[i])), default=None)
        if best is None:
            return []
        entry = int(some[firsts[best]])
        return [Found(self.entry(entry), int(self.bank.cost[entry]))]

    def _expression(self, operation: int, arguments: Sequence[int]) -> Expression:
        if operation < 0:
            return self.leaves[arguments[0]].expression
        return self._call(operation, [self.entry(e) for e in arguments[: len(OPERATIONS[operation].arguments)]])

    def _level(self, cost: int) -> bool:
        """Everything of one cost; whether there was time and memory for it."""
        self._settle_leaves(cost, late=False)
        for number, operation in enumerate(OPERATIONS):
            commutes = operation.op in COMMUTATIVE and len(set(operation.arguments)) == 1
            for groups in self._splits(operation.arguments, cost - operation.cost):
                if not self._combine(number, groups, commutes, cost):
                    self._settle_leaves(cost, late=True)
                    return False
        self._settle_leaves(cost, late=True)
        return True

    def _settle_leaves(self, cost: int, late: bool) -> None:
        self.bank = grown(self.bank, 4 * BUDGET, len(self.leaves) * self.goal.room + BUDGET)
        for number, leaf in enumerate(self.leaves):
            if leaf.cost == cost and leaf.late == late and not leaf.gaps & ~self.goal.tolerated:
                end = write_value(self.bank.arena, int(self.bank.counts[ARENA_END]), leaf.values)
                fixed = not any(isinstance(part, Input) for part in walk(leaf.expression))
                settle(
                    self.bank, self.goal, end, leaf.gaps, int(leaf.expression.type), -1, number, int(fixed), 0, cost
                )  # fmt: skip
        self._note_hits()

    def _splits(self, types: Sequence[Type], cost: int) -> Iterator[list[NDArray[np.int32]]]:
        """Groups of entries for the arguments whose costs add up to `cost`."""
        for found in self._sums(types, cost):
            yield found + [NONE] * (3 - len(found))

    def _sums(self, types: Sequence[Type], cost: int) -> Iterator[list[NDArray[np.int32]]]:
        first, *others = types
        for mine in range(1, cost + 1) if others else [cost]:
            group = self.groups.get((int(first), mine))
            if group is not None:
                yield from ([group, *rest] for rest in (self._sums(others, cost - mine) if others else [[]]))

    def _combine(self, number: int, groups: list[NDArray[np.int32]], commutes: bool, cost: int) -> bool:
        operation = OPERATIONS[number]
        types = np.array([operation.result, *operation.arguments, *[-1] * (3 - len(operation.arguments))], np.int64)
        a, b, c = groups
        total, position = prod(map(len, groups)), 0
        while position < total:
            if self._over():
                return False
            if time.perf_counter() + SECONDS_TO_GROW * int(self.bank.counts[ENTRIES]) > self.deadline:
                return False
            self.bank = grown(self.bank, BUDGET, 4 * self.goal.room + BUDGET)
            if size_in_bytes(self.bank) > MOST_BYTES:
                self.exhausted = True
                return False
            position = combine(
                self.bank, self.goal, number, int(operation.op), types, commutes, cost, a, b, c, position, BUDGET
            )
            self._note_hits()
        return True

    def _group(self, cost: int, begin: int, end: int) -> None:
        for type_ in Type:
            new = begin + np.flatnonzero(self.bank.type[begin:end] == type_)
            if len(new):
                self.groups[int(type_), cost] = new.astype(np.int32)

    def _note_hits(self) -> None:
        if self.first_hit is None and (
            self.bank.counts[HITS] or self.guards.entries or self.filtering.pairs or self.columns.complete()
        ):
            self.first_hit = time.perf_counter()
        if (count := int(self.bank.counts[HITS])) > self.hits:
            self.hits = count
            self.best_cost = self.found()[0].cost

    def _settled(self, cost: int) -> bool:
        """Whether all programs as cheap as the best one are known."""
        return self.first_hit is not None and cost >= self.found()[0].cost + BEYOND

    def _over(self) -> bool:
        now = time.perf_counter()
        if self.first_hit is not None and self.deadline < inf:
            taken = self.first_hit - self.begin
            cheapest = self.level >= self.best_cost
            times, seconds = (SLACK, SLACK_SECONDS) if cheapest else (PATIENCE, PATIENCE_SECONDS)
            if now > self.begin + max(times * taken, taken + seconds):
                return True
        return now > self.deadline


def load(bank: Bank, goal: Goal) -> None:
    """Load the compiled code that a short search might not need."""
    none = np.zeros(0, np.int64)
    try_filters(bank, goal, none, none)
    spare = new_bank()
    rehash(bank.keys, bank.slots.reshape(-1, 1), spare.keys, spare.slots.reshape(-1, 1))
    find(bank.keys, np.uint64(1), np.uint64(1))


class Columns:
    """Outputs that all have the same few elements: each place is a number of its own to be found."""

    def __init__(self, outputs: Sequence[Basic]) -> None:
        rows = [output for output in outputs if isinstance(output, list)]
        lengths = {len(row) for row in rows}
        self.places: list[list[int]] = []
        if len(rows) == len(outputs) and len(lengths) == 1 and 2 <= min(lengths) <= MOST_COLUMNS:
            self.places = [list(column) for column in zip(*rows, strict=True)]
        self.entries: list[int | None] = [None] * len(self.places)

    def extend(self, bank: Bank) -> None:
        """Look the numbers up among the known values."""
        for place, column in enumerate(self.places):
            if self.entries[place] is None:
                cells = np.array(column, np.int32)
                one, other = digest(cells, 0, len(cells), int(Type.INT), 0)
                slot = find(bank.keys, np.uint64(one), np.uint64(other))
                if bank.keys[slot, 0] == one and bank.keys[slot, 1] == other:
                    self.entries[place] = int(bank.slots[slot])

    def complete(self) -> list[int] | None:
        """The entries of all places; None if one is missing."""
        found = [entry for entry in self.entries if entry is not None]
        return found if found and len(found) == len(self.places) else None


def make_goal(inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic]) -> Goal:
    type_ = Type.LIST if isinstance(outputs[0], list) else Type.INT
    lengths = [len(v) for row in inputs for v in row if isinstance(v, list)]
    lengths += [len(v) for v in outputs if isinstance(v, list)]
    longest = 2 * max([16, *lengths])
    arena = np.zeros(len(outputs) * (1 + max([1, *lengths])), np.int32)
    end = write_value(arena, 0, outputs)
    tolerated = sum(
        1 << e for e, row in enumerate(inputs) if any(isinstance(value, list) and len(value) <= 1 for value in row)
    )
    if tolerated == (1 << len(outputs)) - 1:
        tolerated = 0
    return Goal(
        arena[:end], int(type_), np.array(digest(arena, 0, end, int(type_), 0), np.uint64), len(outputs), tolerated,
        longest, room_for(len(outputs), longest), np.array([operation.cost for operation in OPERATIONS], np.int64),
    )  # fmt: skip
