"""The columns of a data set, and reading Parquet files with clear errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lasynth.domains.base import AnyDomain
from lasynth.task import InputError


def schema(domain: AnyDomain) -> pa.Schema:
    """The columns of a data set; see docs/formats.md."""
    values = pa.list_(domain.arrow_type())
    return pa.schema(
        [
            ("program", pa.string()),
            ("lexemes", pa.list_(pa.string())),
            ("inputs", values),
            ("outputs", values),
            ("category", pa.string()),
            ("tokens", pa.int32()),
            ("source", pa.string()),
            ("behaviour", pa.int64()),
            ("novel", pa.bool_()),
        ]
    )


def open_parquet(path: Path) -> pq.ParquetFile:
    """A Parquet file to read. InputError."""
    with reading(path):
        return pq.ParquetFile(path)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of reading Parquet into InputError. Damage may show only when the rows are read."""
    try:
        yield
    except (OSError, UnicodeError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error


def check_columns(path: Path, found: pa.Schema, domain: AnyDomain, names: Sequence[str]) -> None:
    """InputError unless a file has these columns of a data set, with their types."""
    usual = schema(domain)
    if missing := [name for name in names if name not in found.names]:
        raise InputError(f"{path} is not a data set: it has no column {', '.join(missing)}")
    for name in names:
        if (kind := found.field(name).type) != (wanted := usual.field(name).type):
            raise InputError(f"{path} is no data set of `{domain.name}`: its column {name} holds {kind}, not {wanted}")


def check_filled(path: Path, names: Sequence[str]) -> None:
    """InputError if one of these columns lacks a value in some row."""
    file = open_parquet(path)
    with reading(path):
        for rows in file.iter_batches(columns=list(names)):
            if missing := [name for name in names if rows[name].null_count]:
                raise InputError(f"{path}: a task has no {missing[0]}")
