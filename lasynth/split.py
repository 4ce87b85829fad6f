"""The tasks of a Parquet file as flat arrays. Small arrays are in memory, large ones in files that are memory-mapped.

Karel's worlds are large: those of a million tasks take 4 GB. They are written once to hidden files beside the Parquet
file. So all processes share the same memory, and a later run starts at once.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Array, Values, learnable
from lasynth.files import remove_leftovers, replacing
from lasynth.parquet import check_columns, reading
from lasynth.task import InputError
from lasynth.vocab import EOS, PAD, SPECIAL, Vocab

LARGE = 256_000_000
"""Columns of at least so many bytes are memory-mapped."""
PIECE = 8192
"""Tasks that are read together."""
IDLE = 3600.0
"""Seconds after which a half-written file counts as left by a killed process. Several processes may write at once."""
COLUMNS = ["lexemes", "category", "novel"]
VALUES = ["inputs", "outputs"]


@dataclass(frozen=True)
class Split:
    """The N tasks of one Parquet file."""

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
        return self.part(0, min(count, len(self)))

    def part(self, begin: int, end: int) -> Split:
        """The tasks `begin` to `end`."""
        first, last, rows = self.offsets[begin], self.offsets[end], slice(begin, end)
        return Split(
            self.tokens[first:last],
            self.offsets[begin : end + 1] - first,
            self.inputs[rows],
            self.outputs[rows],
            self.category[rows],
            self.novel[rows],
        )


def load_split(path: Path, domain: AnyDomain, large: int = LARGE) -> Split:
    """Read a Parquet file of tasks. InputError for another kind of file, or for lexemes of another language."""
    values = learnable(domain).values()
    with reading(path):
        file = pq.ParquetFile(path)
        check_columns(path, file.schema_arrow, domain, [*COLUMNS, *VALUES])
        pieces = [_convert(piece, domain) for piece in file.iter_batches(PIECE, columns=COLUMNS)]
        if not pieces:
            raise InputError(f"{path} has no tasks")
        inputs, outputs = (_load_values(file, path, name, values, large) for name in VALUES)
    tokens, lengths, category, novel = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return Split(tokens, np.concatenate([[0], np.cumsum(lengths)]), inputs, outputs, category, novel)


def _convert(piece: pa.RecordBatch, domain: AnyDomain) -> tuple[NDArray[Any], ...]:
    """Convert a piece of the file to the arrays of `Split`, with lengths in place of offsets."""
    tokens, lengths = _encode(piece["lexemes"], domain.vocab)
    category = pc.index_in(piece["category"].cast(pa.string()), pa.array(domain.categories))
    if category.null_count:
        raise InputError(f"a task has no category of the language `{domain.name}`: {', '.join(domain.categories)}")
    novel = piece["novel"].cast(pa.int8()).fill_null(-1).to_numpy()
    return tokens, lengths, category.to_numpy().astype(np.int8), novel


def _encode(lexemes: pa.ListArray, vocab: Vocab) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Lexeme numbers with EOS at the end of each program, and the programs' lengths."""
    if lexemes.null_count:
        raise InputError("a task of the data set has no lexemes")
    flat, lengths = lexemes.flatten(), lexemes.value_lengths().to_numpy().astype(np.int64)
    numbers = pc.index_in(flat, pa.array(vocab.lexemes[len(SPECIAL) :]))
    if numbers.null_count:
        unknown = flat.filter(numbers.is_null())[0]
        raise InputError(f"the data set has the lexeme `{unknown}`, which is not in the model's vocabulary")
    ids = (numbers.to_numpy() + len(SPECIAL)).astype(np.int16)
    return np.insert(ids, np.cumsum(lengths), EOS), lengths + 1


# --- values ----------------------------------------------------------------------------------------------------------
def _load_values(file: pq.ParquetFile, path: Path, name: str, values: Values, large: int) -> Array:
    """One column of values. (N, K, *)"""
    pieces = (values.read(piece[name]) for piece in file.iter_batches(PIECE, columns=[name]))
    first = next(pieces)
    tasks = file.metadata.num_rows
    if first[:1].nbytes * tasks < large:
        return np.concatenate([first, *pieces])
    shape, mapped = (tasks, *first.shape[1:]), _mapped_file(path, name)
    if not mapped.exists():
        return _written(mapped, first, pieces, shape)
    return np.memmap(mapped, first.dtype, "r", shape=shape)


def _mapped_file(path: Path, name: str) -> Path:
    """The file of a column. Its name changes when the Parquet file changes."""
    facts = path.stat()
    stamp = sha256(f"{facts.st_size} {facts.st_mtime_ns}".encode()).hexdigest()[:12]
    return path.with_name(f".{path.stem}.{name}-{stamp}.mapped")


def _written(mapped: Path, first: Array, pieces: Iterator[Array], shape: tuple[int, ...]) -> Array:
    """Write a column to its file, or to a temporary file if the folder is read-only. Returns it as a mapped array."""
    writable, column = os.access(mapped.parent, os.W_OK), mapped.name.rpartition("-")[0]
    if writable:
        remove_leftovers(mapped.parent, f"{column.removeprefix('.')}-*.mapped", IDLE)
        for old in {*mapped.parent.glob(f"{column}-*.mapped")} - {mapped}:
            old.unlink(missing_ok=True)  # left from a Parquet file that was replaced
    with replacing(mapped) if writable else tempfile.TemporaryFile() as store:
        for piece in (first, *pieces):
            store.write(np.ascontiguousarray(piece, first.dtype).tobytes())
        store.flush()
        return np.memmap(store, first.dtype, "r", shape=shape)
