"""From Parquet to batches: a split as flat arrays in memory, and an endless, resumable stream of padded batches.

The tasks and examples of a batch depend only on the seed and the batch's position. So two numbers resume a stream
exactly, and each process of a distributed run takes its share of the same batch. This module uses models only through
`Batch`, and languages only through `Values` and `Machine`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray

from lasynth.config import ModelConfig, ValueConfig
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Array, Machine, Values, learnable
from lasynth.models.base import IO, Batch
from lasynth.search import Hopeless
from lasynth.task import InputError
from lasynth.vocab import EOS, PAD, SPECIAL, Vocab

POOL = 50
"""How many batches of shuffled tasks are sorted by length together: more for less padding, fewer for better mixing."""
STAGES = (0.125, 0.25, 0.5)
"""Stages of a curriculum: the share of the tasks that each one uses, those with the shortest programs."""


# --- splits in memory ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Split:
    """The N tasks of one Parquet file, about 150 bytes each."""

    tokens: NDArray[np.int16]
    """Lexeme numbers of all programs, concatenated, each with EOS."""
    offsets: NDArray[np.int64]
    """Program n is tokens[offsets[n] : offsets[n + 1]]. (N + 1,)"""
    inputs: Array
    """(N, K, *), values of the language."""
    outputs: Array
    """(N, K, *)"""
    category: NDArray[np.int8]
    """(N,) index in `Domain.categories`."""
    novel: NDArray[np.int8]
    """(N,) 1 if no program of the training set has the same behaviour, 0 if one has, -1 if unknown."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Lexemes of each program, EOS included. (N,)"""
        return np.diff(self.offsets)

    @property
    def examples(self) -> int:
        return int(self.inputs.shape[1])

    def padded(self, rows: NDArray[np.int64], multiple: int = 1) -> NDArray[np.int64]:
        """Programs of some tasks, each with PAD after its EOS. T is the longest, rounded up to `multiple`. (B, T)"""
        lengths = self.lengths[rows]
        at = np.arange(-(-lengths.max(initial=1) // multiple) * multiple)
        places = np.minimum(self.offsets[rows, None] + at, len(self.tokens) - 1)
        return np.where(at < lengths[:, None], self.tokens[places], PAD).astype(np.int64)

    def take(self, count: int) -> Split:
        """The first `count` tasks."""
        end, k = self.offsets[min(count, len(self))], slice(count)
        offsets = self.offsets[: count + 1]
        return Split(self.tokens[:end], offsets, self.inputs[k], self.outputs[k], self.category[k], self.novel[k])


def load_split(path: Path, domain: AnyDomain) -> Split:
    """Read a Parquet file of tasks. InputError for another kind of file, or for lexemes of another language."""
    values = learnable(domain).values()
    columns = ["lexemes", "inputs", "outputs", "category", "novel"]
    try:
        file = pq.ParquetFile(path)
        if missing := set(columns) - set(file.schema_arrow.names):
            raise InputError(f"{path} is not a data set: it has no column {', '.join(sorted(missing))}")
        parts = [_convert(piece, domain, values) for piece in file.iter_batches(batch_size=8192, columns=columns)]
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error
    if not parts:
        raise InputError(f"{path} has no tasks")
    tokens, lengths, inputs, outputs, category, novel = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]), inputs, outputs, category, novel)


def _convert(piece: pa.RecordBatch, domain: AnyDomain, values: Values) -> tuple[Any, ...]:
    """Convert a piece of the file to the arrays of `Split`, with lengths in place of offsets."""
    tokens, lengths = _encode(piece["lexemes"], domain.vocab)
    inputs, outputs = (values.read(piece[name]) for name in ("inputs", "outputs"))
    category = pc.index_in(piece["category"].cast(pa.string()), pa.array(domain.categories)).to_numpy(
        zero_copy_only=False
    )
    novel = piece["novel"].cast(pa.int8()).fill_null(-1).to_numpy()
    return tokens, lengths, inputs, outputs, category.astype(np.int8), novel


def _encode(lexemes: pa.ListArray, vocab: Vocab) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Lexeme numbers with EOS at the end of each program, and the programs' lengths."""
    flat, lengths = lexemes.flatten(), lexemes.value_lengths().to_numpy().astype(np.int64)
    numbers = pc.index_in(flat, pa.array(vocab.lexemes[len(SPECIAL) :]))
    if numbers.null_count:
        unknown = flat.filter(numbers.is_null())[0]
        raise InputError(f"the data set has the lexeme `{unknown}`, which is not in the model's vocabulary")
    ids = (numbers.to_numpy() + len(SPECIAL)).astype(np.int16)
    return np.insert(ids, np.cumsum(lengths), EOS), lengths + 1


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

    @staticmethod
    def of(model: ModelConfig, domain: AnyDomain, states: bool = False) -> Collator:
        """The collator for a model of a domain. InputError for a language without models."""
        language = learnable(domain)
        config = language.value_config({}) if model.values is None else model.values
        return Collator(language.values(), language.machine(), config, states)

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

    def batch(self, split: Split, rows: NDArray[np.int64], pairs: NDArray[np.int64]) -> Batch:
        """The tasks `rows`, (B,), each with its examples `pairs`, (B, K)."""
        inputs, outputs = split.inputs[rows[:, None], pairs], split.outputs[rows[:, None], pairs]  # (B, K, *)
        tokens = split.padded(rows, WIDTH)  # (B, T)
        batch = Batch(self.io(inputs, outputs), torch.from_numpy(tokens))
        if not self.states:
            return batch
        states, valid = self.machine.states(tokens, inputs)  # (B, S, K, *), (B, S, K)
        valid = valid & self.values.inside(self.config, states)
        return batch._replace(states=torch.from_numpy(states), states_valid=torch.from_numpy(valid))

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
