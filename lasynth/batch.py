"""From tasks to batches: an endless, resumable stream of padded batches.

The tasks and examples of a batch depend only on the seed and the batch's position. So two numbers resume a stream
exactly, and each process of a distributed run takes its share of the same batch. This module uses models only through
`Batch`, and languages only through `Values` and `Machine`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from lasynth.config import ModelConfig, ValueConfig
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Array, Hopeless, Machine, Values, learnable
from lasynth.models.base import IO, Batch
from lasynth.split import Split
from lasynth.task import InputError
from lasynth.vocab import PAD

POOL = 50
"""How many batches of shuffled tasks are sorted by length together: more for less padding, fewer for better mixing."""
STAGES = (0.125, 0.25, 0.5)
"""Stages of a curriculum: the share of the tasks that each one uses, those with the shortest programs."""


# --- batches ---------------------------------------------------------------------------------------------------------
WIDTH = 4
"""The width of a batch is a multiple of this, so that there are few shapes: each new one costs time for new kernels."""


@dataclass(frozen=True)
class Collator:
    """Makes batches of tasks for one model."""

    values: Values
    machine: Machine
    config: ValueConfig
    """Which values the model can represent."""
    states: bool = False
    """Whether batches hold the true values at statement ends."""
    every: bool = False
    """Whether batches hold all examples of their tasks, beside those that the model sees."""

    @staticmethod
    def of(model: ModelConfig, domain: AnyDomain, states: bool = False, every: bool = False) -> Collator:
        """The collator for a model of a domain. InputError for a language without models."""
        language = learnable(domain)
        config = language.value_config({}) if model.values is None else model.values
        return Collator(language.values(), language.machine(), config, states, every)

    def io(self, inputs: Array, outputs: Array) -> IO:
        """Examples as tensors. InputError if the model cannot represent them. (B, K, *), (B, K, *)"""
        for side in (inputs, outputs):
            if (refusal := self.values.refusal(self.config, side)) is not None:
                raise InputError(refusal)
        present = torch.ones(inputs.shape[:2], dtype=torch.bool)
        return IO(torch.from_numpy(inputs), torch.from_numpy(outputs), present)

    def one_task(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> IO:
        """`io` of one task, from Python values."""
        return self.io(self.values.pack(inputs)[None], self.values.pack(outputs)[None])

    def hopeless(self, inputs: Array) -> Hopeless | None:
        """For searches: which hypotheses fail on their task's inputs; None where prefixes of this language never do.
        (B, K, *)"""
        if not self.machine.can_fail:
            return None
        return lambda task, tokens: self.machine.failed(tokens, inputs[task])

    def right(
        self, tokens: Array, inputs: Array, outputs: Array, task: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """On which examples programs are right, and which of them can be parsed. `task`: the task of each program.

        (P, T), (B, K, *), (B, K, *), (P,) -> (P, K), (P,)
        """
        runs = self.machine.run(tokens, inputs, task)
        return runs.fine & self.values.same(runs.outputs, outputs[task]), runs.programs

    def batch(self, split: Split, rows: NDArray[np.int64], pairs: NDArray[np.int64]) -> Batch:
        """The tasks `rows`, (B,), each with its examples `pairs`, (B, K)."""
        inputs, outputs = split.inputs[rows[:, None], pairs], split.outputs[rows[:, None], pairs]  # (B, K, *)
        batch = self.tasks(inputs, outputs, split.padded(rows, WIDTH))
        if not self.every:
            return batch
        return batch._replace(every=self.io(split.inputs[rows], split.outputs[rows]))

    def tasks(self, inputs: Array, outputs: Array, tokens: NDArray[np.int64]) -> Batch:
        """Tasks from arrays. (B, K, *), (B, K, *), (B, T)"""
        batch = Batch(self.io(inputs, outputs), torch.from_numpy(tokens))
        if not self.states:
            return batch
        states, valid = self.machine.states(tokens, inputs)  # (B, S, K, *), (B, S, K)
        valid = valid & self.values.inside(self.config, states)
        return batch._replace(states=torch.from_numpy(states), states_valid=torch.from_numpy(valid))

    def programs(self, task: IO, programs: Sequence[Sequence[int]]) -> Batch:
        """Several programs (lexeme numbers with EOS) for the examples of one task."""
        io = IO(*(part.expand(len(programs), *part.shape[1:]) for part in task))
        return Batch(io, torch.from_numpy(padded(programs)))

    def first(self, split: Split, rows: Sequence[int], given: int) -> Batch:
        """Tasks with their first `given` examples, as a search sees them."""
        pairs = np.tile(np.arange(given), (len(rows), 1))
        return self.batch(split, np.asarray(rows), pairs)


class Position(NamedTuple):
    """Position of a stream: its next batch."""

    epoch: int
    number: int
    """Index of the batch in its epoch."""


BEGIN = Position(0, 0)


@dataclass(frozen=True)
class StreamPlan:
    """Everything that determines the batches and their order."""

    batch: int
    """Tasks in a batch, over all processes."""
    examples: tuple[int, int]
    """Fewest and most examples of a task. Each batch draws its own number."""
    seed: int = 0
    curriculum: int = 0
    """Number of tasks drawn in each of the `STAGES`, before the first epoch over all tasks; 0 for no curriculum."""
    longest: int = 0
    """Programs with more lexemes than this are left out; 0 for no limit."""


class Stream:
    """Endless batches of tasks of similar length. An epoch has every task once, but for a last incomplete batch.

    The stages of a curriculum are the first epochs.
    """

    def __init__(
        self,
        split: Split,
        plan: StreamPlan,
        collate: Collator,
        position: Position = BEGIN,
        share: tuple[int, int] = (0, 1),
    ) -> None:
        """`share` is (rank, processes). Each process gets its own part of each batch."""
        low, high = plan.examples
        if not 1 <= low <= high <= split.examples:
            raise InputError(f"the tasks have {split.examples} examples; {low} to {high} cannot be drawn from them")
        lengths = split.lengths
        self._usable = np.nonzero(lengths <= plan.longest + 1)[0] if plan.longest else np.arange(len(lengths))
        if not len(self._usable):
            of = f" of at most {plan.longest} lexemes" if plan.longest else ""
            raise InputError(f"the training set has no programs{of}")
        self.split, self.plan, self.collate, self.position = split, plan, collate, position
        self.rank, self.processes = share
        self._epoch = -1
        self._order = np.zeros((0, plan.batch), np.int64)

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        epoch, number = self.position
        rows = self._batches(epoch)[number]
        rng = np.random.default_rng([self.plan.seed, 1, epoch, number])
        pairs = draw_pairs(rng, len(rows), self.split.examples, self.plan.examples)
        mine = slice(self.rank, None, self.processes)
        last = number + 1 == len(self._batches(epoch))
        self.position = Position(epoch + 1, 0) if last else Position(epoch, number + 1)
        return self.collate.batch(self.split, rows[mine], pairs[mine])

    def _batches(self, epoch: int) -> NDArray[np.int64]:
        """The tasks of each batch of an epoch. (batches, B)"""
        if epoch != self._epoch:
            rng, size, rows = np.random.default_rng([self.plan.seed, 0, epoch]), self.plan.batch, self._usable
            lengths = self.split.lengths[rows]
            staged = self.plan.curriculum > 0 and epoch < len(STAGES)
            if staged:
                short = np.nonzero(lengths <= np.quantile(lengths, STAGES[epoch]))[0]
                rows, lengths = rows[short], lengths[short]
            order = rows[bucketed(rng, lengths, size)]
            self._order = np.resize(order, (max(1, self.plan.curriculum // size), size)) if staged else order
            self._epoch = epoch
        return self._order


def padded(programs: Sequence[Sequence[int]], multiple: int = 1) -> NDArray[np.int64]:
    """Programs as rows, each with PAD at its end. T is the longest, rounded up to `multiple`. (B, T)"""
    tokens = np.full((len(programs), -(-max(map(len, programs)) // multiple) * multiple), PAD, np.int64)
    for row, program in zip(tokens, programs, strict=True):
        row[: len(program)] = program
    return tokens


def bucketed(rng: np.random.Generator, lengths: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Shuffle tasks into batches of similar length, (batches, size). If there are fewer than `size`, repeat them."""
    order = rng.permutation(len(lengths))
    order = np.resize(order, size) if len(order) < size else order[: len(order) // size * size]
    pools = np.arange(len(order)) // (POOL * size)
    order = order[np.lexsort((lengths[order], pools))]
    batches: NDArray[np.int64] = rng.permutation(order.reshape(-1, size))
    return batches


def draw_pairs(rng: np.random.Generator, tasks: int, available: int, numbers: tuple[int, int]) -> NDArray[np.int64]:
    """Choose examples for each task of a batch: the same number for all tasks, `numbers` are fewest and most. (B, K)"""
    low, high = numbers
    count = int(rng.integers(low, high, 1, endpoint=True)[0])
    return rng.permuted(np.tile(np.arange(available), (tasks, 1)), axis=1)[:, :count]
