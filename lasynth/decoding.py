"""Programs that a model decodes for tasks, shard by shard: for each task one that is right on all stored examples.

The model sees the given examples; a program counts only if it is right on the held-out ones, too (the paper: "all the
input-output examples and held-out cases"). Every program that the search finishes is a candidate. A search ends as soon
as its choice is certain, so the choice is the same as after a whole search. A shard is a Parquet file that gets its
name when it is complete. What it holds depends on its tasks, the weights and the settings alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lasynth.batch import Collator
from lasynth.checkpoint import load_model
from lasynth.dataset import behaviours, read_tasks
from lasynth.distributed import device
from lasynth.files import write_file
from lasynth.parquet import schema
from lasynth.search import END, KEEP, SETTLE, Finished, beam_search
from lasynth.settings import RelabelConfig
from lasynth.split import Split, load_split

PROGRAM = ("program", "lexemes", "category", "tokens", "source", "behaviour")
"""Columns of a data set that change with a task's program."""
SOURCE = "decoded"
"""The column `source` of a decoded program."""


class Choice:
    """Chooses among the programs that a search finishes for B tasks. It is the `on_finished` of the search."""

    def __init__(self, rule: str, tasks: Split, collate: Collator) -> None:
        self.tasks, self.collate = tasks, collate
        self.verdict = SETTLE if rule == "likeliest" else END
        """Searches finish shorter programs first, and likelier ones first among those of one length."""
        self.scores = np.full(len(tasks), -np.inf)
        self.programs: dict[int, NDArray[np.int16]] = {}
        """The chosen program of each task that has one: lexemes, then EOS."""

    def __call__(self, finished: Finished) -> NDArray[np.int64]:
        right, _ = self.collate.right(finished.tokens, self.tasks.inputs, self.tasks.outputs, finished.task)  # (F, K)
        fits = right.all(axis=1)
        for task, tokens, score in zip(*(column[fits] for column in finished), strict=True):
            if score > self.scores[task]:
                self.scores[task], self.programs[int(task)] = score, tokens
        return np.where(fits, self.verdict, KEEP)


class Decoding:
    """A model that decodes the tasks of one Parquet file."""

    def __init__(self, run: Path, data: Path, config: RelabelConfig) -> None:
        """`data` is the file. InputError."""
        loaded = load_model(run, config.checkpoint)
        self.model, self.domain, self.card, self.config = loaded.model.to(device()), loaded.domain, loaded.card, config
        self.collate = Collator.of(loaded.config, loaded.domain)
        self.data, self.split = data, load_split(data, loaded.domain)

    @cached_property
    def _like(self) -> Any:
        """An input, whose size decides on which probes behaviours are compared."""
        return next(read_tasks(self.data, self.domain)).examples[0].input

    def write_shard(self, number: int, file: Path, stop: Callable[[int], bool]) -> bool:
        """Decode a shard's tasks and write the programs. Returns False if it was told to stop.

        `stop` is called with the number of the shard's tasks that are decoded, and says whether to stop.
        """
        begin, end = bounds(number, self.config.shard, len(self.split))
        programs: dict[int, NDArray[np.int16]] = {}
        size = self.config.search.tasks
        for first in range(begin, end, size):
            last = min(first + size, end)
            programs |= {first - begin + task: tokens for task, tokens in self.decode(first, last).items()}
            if stop(last - begin):
                return False
        buffer = BytesIO()
        pq.write_table(self._table(programs), buffer, compression="zstd")
        write_file(file, buffer.getvalue())
        return True

    def decode(self, begin: int, end: int, choosing: type[Choice] = Choice) -> dict[int, NDArray[np.int16]]:
        """Programs for the tasks from `begin` to `end` that are right on all examples, keyed by the task's number
        counted from `begin`."""
        tasks = self.split.part(begin, end)
        given = self.domain.given(tasks.examples)
        inputs, outputs = (np.ascontiguousarray(side[:, :given]) for side in (tasks.inputs, tasks.outputs))
        choice = choosing(self.config.choice, tasks, self.collate)
        beam_search(
            self.model, self.collate.io(inputs, outputs), self.domain.syntax, self.config.search,
            on_finished=choice, hopeless=self.collate.hopeless(inputs),
        )  # fmt: skip
        return choice.programs

    def _table(self, chosen: dict[int, NDArray[np.int16]]) -> pa.Table:
        """Rows for the chosen programs: the task's number in its shard, and the columns of PROGRAM."""
        domain, places = self.domain, sorted(chosen)
        words = [domain.vocab.decode(chosen[place].tolist()) for place in places]
        programs = [domain.canonical(domain.parse(lexemes)) for lexemes in words]
        columns = {
            "place": places,
            "program": [domain.text(program) for program in programs],
            "lexemes": [domain.unparse(program) for program in programs],
            "category": [domain.category(program) for program in programs],
            "tokens": [domain.length(program) for program in programs],
            "source": [SOURCE] * len(programs),
            "behaviour": behaviours(domain, programs, self._like) if programs else [],
        }
        kinds = schema(domain)
        return pa.table(columns, schema=pa.schema([("place", pa.int64()), *(kinds.field(name) for name in PROGRAM)]))


def bounds(number: int, size: int, tasks: int) -> tuple[int, int]:
    """The first task of a shard, and the one after its last."""
    return number * size, min((number + 1) * size, tasks)
