"""What became of tasks: search programs for them, run the programs, and judge the results by every rule of the tables.

A task is solved if the chosen program is right on the given examples and on the held-out ones. Two rules choose it: the
most likely program of the beam, or the first one that satisfies the given examples. Draws no random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.batch import Collator
from lasynth.domains.base import Syntax
from lasynth.domains.learnable import Baseline, Flags, Values
from lasynth.models.base import AnyState, Searchable
from lasynth.search import KEEP, SETTLE, Finished, Found, beam_search
from lasynth.settings import SearchConfig
from lasynth.split import Split
from lasynth.vocab import PAD

CHUNK = 256
"""Tasks between two reports of progress."""


@dataclass(frozen=True)
class Rates:
    """Shares of some tasks in percent. Files have them under these names, in this order."""

    tasks: int
    """How many tasks there are."""
    most_likely: float
    first_consistent: float
    exact: float
    exact_most_likely: float
    consistent: float
    in_beam: float
    parsed: float
    """Share of the found candidates, not of the tasks."""


@dataclass(frozen=True)
class Outcomes:
    """What became of B tasks. Every column is (B,)."""

    most_likely: Flags
    """The most likely program is right on all examples."""
    first_consistent: Flags
    """The first program that satisfies the given examples is right on the others too."""
    exact: Flags
    """The first consistent program equals, lexeme by lexeme, the one that the task was made from."""
    exact_most_likely: Flags
    """The most likely program equals the task's own."""
    consistent: Flags
    """Some program of the beam satisfies the given examples."""
    in_beam: Flags
    """Some program of the beam is right on all examples."""
    candidates: NDArray[np.int64]
    """How many candidates the search found until it ended."""
    parsed: NDArray[np.int64]
    """How many of them are programs of the language."""

    def at(self, rows: NDArray[Any]) -> Outcomes:
        """The outcomes of some tasks."""
        return Outcomes(**{name: column[rows] for name, column in vars(self).items()})

    @staticmethod
    def joined(parts: Sequence[Outcomes]) -> Outcomes:
        return Outcomes(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])})

    def rates(self) -> Rates:
        flags = {name: column for name, column in vars(self).items() if column.dtype == np.bool_}
        shares = {name: round(100 * float(column.mean()), 2) for name, column in flags.items()}
        parsed = 100 * int(self.parsed.sum()) / max(1, int(self.candidates.sum()))
        return Rates(tasks=len(self.candidates), **shares, parsed=round(parsed, 2))


def search_outcomes(
    model: Searchable[AnyState],
    split: Split,
    given: int,
    collate: Collator,
    syntax: Syntax,
    config: SearchConfig,
    report: Callable[[int], None] = lambda done: None,
) -> Outcomes:
    """Search a program for every task of a split from its first `given` examples, and judge what is found."""
    parts = []
    for begin in range(0, len(split), CHUNK):
        rows = np.arange(begin, min(begin + CHUNK, len(split)))
        inputs = split.inputs[rows, :given]
        io = collate.io(inputs, split.outputs[rows, :given])
        settled = Settled(split, rows, collate) if config.constrained else None
        found = beam_search(model, io, syntax, config, report, settled, collate.hopeless(inputs))
        parts.append(judge(found, split, rows, given, collate))
    return Outcomes.joined(parts)


class Settled:
    """Ends searches whose outcome is certain. It is the `on_finished` of a search for some tasks of a split.

    Once a program is right on all examples, and no unfinished hypothesis is likelier than it, both rules have chosen:
    what follows is less likely than both choices. Only the number of candidates becomes smaller. So a search without
    constraints, whose table shows how many candidates parse, is not ended.
    """

    def __init__(self, split: Split, rows: NDArray[np.int64], collate: Collator) -> None:
        self.inputs, self.outputs, self.collate = split.inputs[rows], split.outputs[rows], collate

    def __call__(self, finished: Finished) -> NDArray[np.int64]:
        right, _ = self.collate.right(finished.tokens, self.inputs, self.outputs, finished.task)  # (F, K)
        return np.where(right.all(axis=1), SETTLE, KEEP)


def judge(found: Found, split: Split, rows: NDArray[np.int64], given: int, collate: Collator) -> Outcomes:
    """Run the candidates for some tasks of a split and compare their outputs. `rows`: the tasks, (B,)."""
    exists = found.scores > -np.inf  # (B, W)
    task = exists.nonzero()[0]  # (P,): the task of each candidate
    right, parsed = collate.right(found.tokens[exists], split.inputs[rows], split.outputs[rows], task)  # (P, K), (P,)
    consistent, correct, programs = (np.zeros(exists.shape, np.bool_) for _ in range(3))
    consistent[exists], correct[exists] = right[:, :given].all(axis=1), right.all(axis=1)
    programs[exists] = parsed
    first = consistent.argmax(axis=1)  # (B,): also 0 if none is; `any_consistent` tells the two apart
    same = _same(found.tokens, split.padded(rows)) & exists  # (B, W)
    at, any_consistent = np.arange(len(rows)), np.logical_or.reduce(consistent, axis=1)
    return Outcomes(
        most_likely=correct[:, 0],
        first_consistent=any_consistent & correct[at, first],
        exact=any_consistent & same[at, first],
        exact_most_likely=same[:, 0],
        consistent=any_consistent,
        in_beam=np.logical_or.reduce(correct, axis=1),
        candidates=exists.sum(axis=1),
        parsed=programs.sum(axis=1),
    )


def _same(candidates: NDArray[np.int16], wanted: NDArray[np.int64]) -> Flags:
    """Which candidates equal the wanted program, lexeme by lexeme. (B, W, T), (B, T') -> (B, W)"""
    width = max(candidates.shape[2], wanted.shape[1])
    wide = [
        np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])], constant_values=PAD)
        for a in (candidates, wanted)
    ]
    equal: Flags = (wide[0] == wide[1][:, None]).all(axis=2)
    return equal


def baseline_outcomes(baseline: Baseline, values: Values, split: Split, given: int) -> Outcomes:
    """Judge a baseline. It writes no programs, so nothing parses and nothing is an exact match."""
    predicted, found = baseline(split.inputs[:, :given], split.outputs[:, :given], split.inputs)
    solved = found & values.same(predicted, split.outputs).all(axis=1)
    never, none = np.zeros(len(split), np.bool_), np.zeros(len(split), np.int64)
    return Outcomes(
        most_likely=solved,
        first_consistent=solved,
        exact=never,
        exact_most_likely=never,
        consistent=found,
        in_beam=solved,
        candidates=none,
        parsed=none,
    )
