"""Turns random programs into tasks: draws inputs, runs the programs, filters, balances and reduces them.

A program is kept if it is not too long, if it runs without a fault on every list that it is tried on, if enough of its
outputs for the examples are in the range of values, and if it neither copies its input nor always gives the same list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.restricted_c.data.csmith import csmith_programs
from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.lexemes import to_code
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import For, If, Program, category, statements
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.reduction.reduce import reduce_program
from lasynth.domains.restricted_c.reduction.rewrite import rewrite_program
from lasynth.task import Example, InputError, Task

CTask: TypeAlias = Task[Program, list[int]]
Lists: TypeAlias = NDArray[np.int32]

TRIES = 128
"""Lists that every program is run on; its examples are chosen among them."""
BATCH = 256
"""Programs that the machine runs in one call."""


@dataclass(frozen=True)
class COptions:
    """Which programs and inputs make up a data set."""

    source: Literal["native", "csmith"] = "native"
    """native: our own sampler, fitted to Csmith. csmith: the program Csmith itself, which must be installed."""
    inputs: Literal["redraw", "discard"] = "redraw"
    """When an output leaves the range of values: draw another input, or discard the program."""
    reduce: bool = False
    """Replace each program by the smallest one with the same behaviour that greedy deletion finds."""
    reduce_checks: int = 64
    """Lists besides the examples on which a reduced program must behave the same. With 0, everything that no example
    shows is deleted."""
    rewrite: bool = False
    """Write each reduced program anew from its behaviour on these lists, if that is shorter. Needs `reduce`."""
    examples: int = 10
    """Input-output pairs per task. The first half is given, the rest is held out."""
    list_length: int = 5
    """Elements of each list."""
    smallest_value: int = -4
    """Smallest element of inputs and outputs."""
    largest_value: int = 4
    """Largest element of inputs and outputs."""
    zero_share: float = 0.0
    """Share of the inputs' elements that is set to 0, in addition to zeros that are drawn by chance. Most conditions
    test whether an element is 0, and few lists of evenly drawn values show both outcomes."""
    max_tokens: int = 256
    """Longest program, in C tokens."""
    loop_share: float = 0.5
    """At least this share of the programs has a for loop."""
    branch_share: float = 0.0
    """At least this share of the programs has an if."""

    def __post_init__(self) -> None:
        for wrong, message in (
            (not 1 <= self.examples <= TRIES // 2, f"examples must be 1 to {TRIES // 2}"),
            (not 1 <= self.list_length <= 100, "list-length must be 1 to 100"),
            (not -1000 <= self.smallest_value <= 1000, "smallest-value must be -1000 to 1000"),
            (not -1000 <= self.largest_value <= 1000, "largest-value must be -1000 to 1000"),
            (
                self.smallest_value >= self.largest_value,
                f"smallest-value ({self.smallest_value}) must be below largest-value ({self.largest_value})",
            ),
            (not 0 <= self.loop_share <= 1, "loop-share must be 0 to 1"),
            (not 0 <= self.branch_share <= 1, "branch-share must be 0 to 1"),
            (not 0 <= self.zero_share <= 0.5, "zero-share must be 0 to 0.5"),
            (
                self.zero_share > 0 and not self.smallest_value <= 0 <= self.largest_value,
                "zero-share needs a range of values that contains 0",
            ),
            (
                not 0 <= self.reduce_checks <= TRIES - self.examples,
                f"reduce-checks must be 0 to {TRIES} minus the number of examples",
            ),
            (self.rewrite and not self.reduce, "rewrite needs reduce"),
            (self.max_tokens < 40, "max-tokens must be at least 40"),
            (
                (self.largest_value - self.smallest_value + 1) ** self.list_length < TRIES,
                f"there are fewer than {TRIES} different lists of this length with these values",
            ),
        ):
            if wrong:
                raise InputError(message)


def sample_tasks(rng: Random, count: int, options: COptions) -> tuple[list[CTask], Counter[str]]:
    """Exactly `count` tasks, and counts of the drawn programs by what became of them."""
    sampler = _Sampler(rng, options)
    tasks: list[CTask] = []
    quotas = [_Quota("loop", For, options.loop_share), _Quota("branch", If, options.branch_share)]
    while len(tasks) < count:
        for program, candidates in sampler.batch(min(BATCH, 2 * (count - len(tasks)))):
            due = [quota for quota in quotas if quota.met < quota.share * (len(tasks) + 1)]
            task = sampler.task(program, candidates, due)
            if task is not None and len(tasks) < count:
                tasks.append(task)
                for quota in quotas:
                    quota.met += quota.has(task.program)
    return tasks, sampler.counts


@dataclass
class _Quota:
    """A share of the tasks that must contain a kind of statement."""

    name: str
    kind: type[For] | type[If]
    share: float
    met: int = 0
    """Tasks so far that contain it."""

    def has(self, program: Program) -> bool:
        return any(isinstance(statement, self.kind) for statement in statements(program.body))


def _lacks(program: Program, due: list[_Quota]) -> str | None:
    """The first kind of statement that is due and that the program lacks."""
    return next((quota.name for quota in due if not quota.has(program)), None)


@dataclass(frozen=True)
class _Candidates:
    """The lists that a program was tried on, its outputs, and how each run ended."""

    inputs: Lists  # (TRIES, L)
    outputs: Lists  # (TRIES, L)
    status: NDArray[np.uint8]  # (TRIES,)


class _Sampler:
    def __init__(self, rng: Random, options: COptions) -> None:
        self.options = options
        self.counts: Counter[str] = Counter()
        self.numbers = np.random.default_rng(rng.getrandbits(64))
        self.programs = csmith_programs(rng) if options.source == "csmith" else _native_programs(rng)

    def batch(self, size: int) -> Iterator[tuple[Program, _Candidates]]:
        """Programs with their runs. The machine is fastest when it runs many at a time."""
        programs = [next(self.programs) for _ in range(size)]
        o = self.options
        inputs = self.numbers.integers(
            o.smallest_value, o.largest_value, (size, TRIES, o.list_length), np.int32, endpoint=True
        )
        if o.zero_share:
            inputs[self.numbers.random(inputs.shape) < o.zero_share] = 0
        outputs, status = run_codes(pack([to_code(p) for p in programs]), inputs, np.arange(size))
        for i, program in enumerate(programs):
            yield program, _Candidates(inputs[i], outputs[i], status[i])

    def task(self, program: Program, candidates: _Candidates, due: list[_Quota]) -> CTask | None:
        """The task of the program, or None if the program is rejected. The reason is counted."""
        self.counts["drawn"] += 1
        chosen = self.choose(program, candidates, due)
        if isinstance(chosen, str):
            self.counts[chosen] += 1
            return None
        if self.options.reduce:
            others = np.setdiff1d(np.arange(TRIES), chosen)[: self.options.reduce_checks]
            lists = candidates.inputs[np.concatenate([chosen, others])]
            program = reduce_program(program, lists)
            if self.options.rewrite:
                program = rewrite_program(program, lists)
            if lacking := _lacks(program, due):
                self.counts[f"rejected: no {lacking} left after reduction, and a {lacking} is due"] += 1
                return None
        pairs = zip(candidates.inputs[chosen].tolist(), candidates.outputs[chosen].tolist(), strict=True)
        examples = tuple(Example(given, wanted) for given, wanted in pairs)
        tokens = count_tokens(print_program(program))
        return Task(program, examples, category(program), tokens, self.options.source)

    def choose(self, program: Program, candidates: _Candidates, due: list[_Quota]) -> NDArray[np.int64] | str:
        """Indices of the tries that become the examples, or the reason why the program is rejected."""
        if lacking := _lacks(program, due):
            return f"rejected: no {lacking}, and a {lacking} is due"
        if candidates.status.any():
            worst = Status(int(candidates.status.max()))
            return f"rejected: {worst.name.lower().replace('_', ' ')}"
        if count_tokens(print_program(program)) > self.options.max_tokens:
            return "rejected: too long"
        chosen = self.in_range(candidates)
        if chosen.size < self.options.examples:
            return "rejected: outputs out of range"
        inputs, outputs = candidates.inputs[chosen], candidates.outputs[chosen]
        if (inputs == outputs).all():
            return "rejected: identity"
        if len(outputs) > 1 and (outputs == outputs[0]).all():
            return "rejected: constant"
        return chosen

    def in_range(self, candidates: _Candidates) -> NDArray[np.int64]:
        """Indices of the first tries with outputs in range and different inputs, as many as a task has examples."""
        o = self.options
        last = TRIES if o.inputs == "redraw" else o.examples
        outputs = candidates.outputs[:last]
        good = ((outputs >= o.smallest_value) & (outputs <= o.largest_value)).all(axis=1)
        different: dict[tuple[int, ...], int] = {}
        for i in np.flatnonzero(good).tolist():
            different.setdefault(tuple(candidates.inputs[i].tolist()), i)
            if len(different) == o.examples:
                break
        return np.array(list(different.values()), np.int64)


def _native_programs(rng: Random) -> Iterator[Program]:
    while True:
        yield sample_program(rng)
