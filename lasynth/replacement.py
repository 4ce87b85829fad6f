"""Data sets in which decoded programs replace some of the original ones.

Rows without a new program stay as they are, in the same order. The column `iteration` says for each row where its
program comes from. The held-out splits are copied byte for byte, so that models trained on the old and the new data set
are measured on the same tasks.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lasynth import __version__
from lasynth.dataset import CARD, Writer, new_data_set, occurring, read_card
from lasynth.decoding import PROGRAM
from lasynth.parquet import open_parquet, reading

ITERATION = "iteration"
"""Column of the training set: 0 for an original program, else the iteration that decoded it."""
ITERATIONS = pa.field(ITERATION, pa.int32())
HELD_OUT = ("val", "test")


def write_replaced(data: Path, out: Path, overwrite: bool, shards: Sequence[Path], facts: dict[str, Any]) -> None:
    """Write the data set `data` with the programs of the shards to `out`.

    `facts` says how the programs were made, and the card holds it; `facts["shard"]` is the number of tasks in a shard.
    """
    with new_data_set(out, overwrite) as folder:
        train, counts, categories = data / "train.parquet", Counter[str](), Counter[str]()
        file = open_parquet(train)
        writer = Writer(folder / "train.parquet", _with_iteration(file.schema_arrow))
        try:
            for old, shard in zip(_pieces(train, file, facts["shard"]), shards, strict=True):
                new = replaced(old, pq.read_table(shard), facts["iteration"], counts)
                categories.update(new["category"].to_pylist())
                writer.write(new)
        finally:
            writer.close()
        there = [split for split in HELD_OUT if (data / f"{split}.parquet").exists()]
        for split in there:
            shutil.copyfile(data / f"{split}.parquet", folder / f"{split}.parquet")
        entry = {**facts, **_figures(counts), "held-out programs in train": _shared(folder, there)}
        card = _card(read_card(data), dict(sorted(categories.items())), entry)
        (folder / CARD).write_text(json.dumps(card, indent=2) + "\n")


def _with_iteration(columns: pa.Schema) -> pa.Schema:
    return columns if ITERATION in columns.names else columns.append(ITERATIONS)


def _pieces(path: Path, file: pq.ParquetFile, size: int) -> Iterator[pa.Table]:
    """The rows of a file, `size` at a time, whatever its row groups are. InputError."""
    rest = file.schema_arrow.empty_table()
    for group in range(file.num_row_groups):
        with reading(path):
            rest = pa.concat_tables([rest, file.read_row_group(group)])
        while len(rest) >= size:
            yield rest.slice(0, size)
            rest = rest.slice(size)
    if len(rest):
        yield rest


def replaced(old: pa.Table, found: pa.Table, iteration: int, counts: Counter[str]) -> pa.Table:
    """Rows with the programs found for some of them. `counts` is increased.

    `found` has the columns of PROGRAM, and `place`: the number of a task in `old`.
    """
    if ITERATION not in old.column_names:
        old = old.append_column(ITERATION, pa.array(np.zeros(len(old), np.int32)))
    places = found["place"].to_numpy()
    before = old.select(["program", "tokens"]).take(places)
    changed = pc.not_equal(before["program"], found["program"]).to_numpy()
    change = (pc.subtract(found["tokens"], before["tokens"])).to_numpy()[changed]
    counts += Counter(
        {
            "tasks": len(old),
            "fitting": len(found),
            "replaced": int(changed.sum()),
            "shorter": int((change < 0).sum()),
            "longer": int((change > 0).sum()),
            "tokens before": pc.sum(old["tokens"]).as_py(),
            "tokens after": pc.sum(old["tokens"]).as_py() + int(change.sum()),
        }
    )
    new = found.append_column(ITERATION, pa.array(np.full(len(found), iteration, np.int32)))
    origin = np.arange(len(old))
    origin[places[changed]] = len(old) + changed.nonzero()[0]
    columns = {name: old[name] for name in old.column_names}
    for name in (*PROGRAM, ITERATION):
        both = pa.chunked_array([*old[name].chunks, *new[name].chunks], old[name].type)
        columns[name] = both.take(origin)
    return pa.table(columns, schema=old.schema)


def _figures(counts: Counter[str]) -> dict[str, Any]:
    """The counts as the card shows them. `fitting`: tasks with a program that satisfies all examples, new or not."""
    mean = {f"mean {name}": round(counts[name] / counts["tasks"], 3) for name in ("tokens before", "tokens after")}
    return {**{name: counts[name] for name in ("fitting", "replaced", "shorter", "longer")}, **mean}


def _shared(folder: Path, splits: Sequence[str]) -> dict[str, int]:
    """How many programs of the held-out splits the training set now has."""
    programs = {split: _programs(folder / f"{split}.parquet") for split in splits}
    known = occurring(folder / "train.parquet", "program", {text for texts in programs.values() for text in texts})
    return {split: sum(text in known for text in texts) for split, texts in programs.items()}


def _programs(path: Path) -> list[str]:
    with reading(path):
        programs: list[str] = pq.read_table(path, columns=["program"])["program"].to_pylist()
        return programs


def _card(old: dict[str, Any], categories: dict[str, int], entry: dict[str, Any]) -> dict[str, Any]:
    """The card of the old data set, with the new categories and one more entry about a relabelling."""
    splits = old.get("splits", {})
    train = {**splits.get("train", {}), "categories": categories}
    relabelled = [*old.get("relabelled", []), entry]
    return {**old, "lasynth": __version__, "splits": {**splits, "train": train}, "relabelled": relabelled}
