"""Data sets on disk: sample tasks in parallel, keep the splits apart, write Parquet files and a card; read them again.

Works with every domain. The same seed gives the same bytes for any number of processes: tasks are made in chunks, each
chunk has its own random stream, and chunks are written in order. Memory use does not grow with the size of a data set.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lasynth import __version__
from lasynth.domains import DOMAINS, get_domain
from lasynth.domains.base import AnyDomain, Columnar, Sampled
from lasynth.files import new_folder
from lasynth.parquet import open_parquet, reading, schema
from lasynth.task import Example, InputError, Occupied, Task
from lasynth.workers import end_workers, in_order, start_workers

CHUNK = 500
"""Tasks that one random stream makes. Another size gives other tasks for the same seed."""
ROW_GROUP = 16
"""Chunks in one row group of the file."""
CARD = "card.json"
MOST = {"train": 1_000_000_000, "val": 10_000_000, "test": 10_000_000}
"""Most tasks of a split. Those of val and test are in memory until all are there."""

Report = Callable[[str, int], None]
"""Called with a split and the number of its tasks that were just finished."""


@dataclass(frozen=True)
class DatasetPlan:
    """All settings that decide the content of a data set."""

    domain: str
    sizes: dict[str, int]
    """Tasks in train, val and test."""
    seed: int
    options: Any
    """Options of the domain; see `Domain.options`."""
    distinct: bool = True
    """No program of val or test occurs in the training set, or twice in val and test."""


@dataclass
class _Made:
    """A chunk of tasks on its way to the file."""

    table: pa.Table
    counts: Counter[str] = field(default_factory=Counter)


# --- rows ------------------------------------------------------------------------------------------------------------
def to_table(domain: AnyDomain, tasks: list[Task[Any, Any]]) -> pa.Table:
    """Tasks (at least one) as rows. The column `novel` is filled in later."""
    columns = {
        "inputs": [[domain.to_arrow(example.input) for example in task.examples] for task in tasks],
        "outputs": [[domain.to_arrow(example.output) for example in task.examples] for task in tasks],
        "category": [task.category for task in tasks],
        "tokens": [task.tokens for task in tasks],
        "source": [task.source for task in tasks],
    }
    return _table(domain, [task.program for task in tasks], tasks[0].examples[0].input, columns)


def sampled_table(domain: AnyDomain, sampled: Sampled[Any]) -> pa.Table:
    """`to_table` of tasks (at least one) whose values are columns already."""
    programs = sampled.programs
    columns = {
        "inputs": sampled.inputs,
        "outputs": sampled.outputs,
        "category": [domain.category(program) for program in programs],
        "tokens": [domain.length(program) for program in programs],
        "source": [sampled.source] * len(programs),
    }
    return _table(domain, programs, domain.from_arrow(sampled.inputs[0][0].as_py()), columns)


def _table(domain: AnyDomain, programs: list[Any], like: Any, columns: dict[str, Any]) -> pa.Table:
    """Rows of a data set: these columns, and those that programs decide. `like` is an input of any task."""
    decided = {
        "program": [domain.text(program) for program in programs],
        "lexemes": [domain.unparse(program) for program in programs],
        "behaviour": behaviours(domain, programs, like),
        "novel": [None] * len(programs),
    }
    return pa.table({**columns, **decided}, schema=schema(domain))


def behaviours(domain: AnyDomain, programs: list[Any], like: Any) -> list[int]:
    """The column `behaviour` of canonical programs. `like` is an input of the task of any of them."""
    return [int.from_bytes(digest, "little", signed=True) for digest in domain.behaviours(programs, like)]


def read_tasks(path: Path, domain: AnyDomain) -> Iterator[Task[Any, Any]]:
    """The tasks of a Parquet file, one after the other. InputError."""
    rows = _rows(path, ["program", "inputs", "outputs", "category", "tokens", "source"])
    for number, row in enumerate(rows, start=1):
        try:
            task = _read_row(row, domain)
        except (LookupError, TypeError, ValueError) as error:
            raise InputError(f"{path}, row {number} is not a task of the language `{domain.name}`: {error}") from error
        yield task


def _rows(path: Path, columns: list[str]) -> Iterator[dict[str, Any]]:
    file = open_parquet(path)
    if missing := [name for name in columns if name not in file.schema_arrow.names]:
        raise InputError(f"{path} is not a data set: it has no column {', '.join(missing)}")
    with reading(path):
        for batch in file.iter_batches(batch_size=1024, columns=columns):
            yield from batch.to_pylist()


def _read_row(row: dict[str, Any], domain: AnyDomain) -> Task[Any, Any]:
    """LookupError, TypeError or ValueError if the row is of another language or no task."""
    inputs, outputs = ([domain.from_arrow(value) for value in row[side]] for side in ("inputs", "outputs"))
    examples = tuple(map(Example, inputs, outputs))
    if not isinstance(row["program"], str):
        raise TypeError("the program is not text")
    return Task(domain.parse_text(row["program"]), examples, row["category"], row["tokens"], row["source"])


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a data set. InputError if it cannot be read."""
    try:
        card = json.loads((folder / CARD).read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{folder} is not a data set: it has no readable {CARD}") from error
    if not isinstance(card, dict) or not isinstance(name := card.get("domain"), str):
        raise InputError(f"{folder / CARD} does not name a language as its `domain`")
    if name not in DOMAINS:
        raise InputError(f"{folder / CARD} names the language `{name:.100}`; known languages: {', '.join(DOMAINS)}")
    if not isinstance(card.get("options", {}), dict):
        raise InputError(f"{folder / CARD}: `options` must be an object")
    return card


def count_tasks(path: Path) -> int:
    """The number of tasks in a Parquet file. InputError."""
    return int(open_parquet(path).metadata.num_rows)


# --- chunks ----------------------------------------------------------------------------------------------------------
def make_chunk(plan: DatasetPlan, stream: str, index: int, count: int) -> _Made:
    """Make the index-th chunk of a stream. The result depends on the arguments only, so any process may make it."""
    domain = get_domain(plan.domain)
    rng = Random(f"{plan.seed}/{stream}/{index}")
    if isinstance(domain, Columnar):
        sampled = domain.sample_columns(rng, count, plan.options)
        table, counts = sampled_table(domain, sampled), sampled.counts
    else:
        tasks, counts = domain.sample_tasks(rng, count, plan.options)
        table = to_table(domain, tasks)
    counts["accepted"] += table.num_rows
    return _Made(table, counts)


class _Factory:
    """Makes chunks ahead of time in other processes (in this one if `processes` is 1) and yields them in order."""

    def __init__(self, plan: DatasetPlan, processes: int) -> None:
        self.plan = plan
        self.ahead = 2 * processes
        self.pool: ProcessPoolExecutor | None = None
        if processes > 1:
            # Compile here once, so that the workers load the machine code and do not compile it themselves.
            make_chunk(plan, "warm-up", 0, 1)
            self.pool = start_workers(processes)

    def __enter__(self) -> _Factory:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.pool:
            end_workers(self.pool, at_once=exception[0] is not None)

    def chunks(self, stream: str, sizes: Iterable[int]) -> Iterator[_Made]:
        calls = ((make_chunk, (self.plan, stream, index, size)) for index, size in enumerate(sizes))
        if self.pool is None:
            yield from (make(*arguments) for make, arguments in calls)
        else:
            yield from in_order(self.pool, calls, self.ahead)


def _chunk_sizes(total: int) -> Iterator[int]:
    yield from (min(CHUNK, total - done) for done in range(0, total, CHUNK))


# --- writing ---------------------------------------------------------------------------------------------------------
def check_free(out: Path, overwrite: bool) -> None:
    """InputError if no data set can be written to `out`; Occupied if something is there that must stay."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} exists and is not a folder")
    if out.exists() and any(out.iterdir()) and not overwrite:
        raise Occupied(f"{out} exists and is not empty")
    if out.exists() and overwrite and any(out.iterdir()) and not (out / CARD).exists():
        raise InputError(
            f"{out} is not a data set and is therefore not overwritten; remove it first if you want this name"
        )


@contextmanager
def new_data_set(out: Path, overwrite: bool) -> Iterator[Path]:
    """A folder to fill, which becomes `out` at the end. If anything fails, `out` stays as it was. InputError."""
    check_free(out, overwrite)
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(new_folder(out))
        except OSError as error:
            raise InputError(f"{out} cannot be written: {error.strerror}") from error
        yield folder


class Writer:
    """A Parquet file that is written chunk by chunk."""

    def __init__(self, path: Path, columns: pa.Schema) -> None:
        self.file = pq.ParquetWriter(path, columns, compression="zstd")
        self.waiting: list[pa.Table] = []
        self.columns = columns

    def write(self, table: pa.Table) -> None:
        self.waiting.append(table)
        if len(self.waiting) == ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        if self.waiting:
            self.file.write_table(pa.concat_tables(self.waiting))
            self.waiting = []

    def close(self) -> None:
        self.flush()
        self.file.close()


def generate(plan: DatasetPlan, out: Path, processes: int, overwrite: bool, report: Report) -> dict[str, Any]:
    """Make a data set and return its card. InputError if a size is wrong or `out` cannot be written; WorkerDied."""
    for split, size in plan.sizes.items():
        if not 0 <= size <= MOST[split]:
            raise InputError(f"{split} must be 0 to {MOST[split]:,}")
    if not sum(plan.sizes.values()):
        raise InputError("nothing to make: the sizes of all splits are 0")
    with new_data_set(out, overwrite) as folder, _Factory(plan, processes) as factory:
        card = _describe(plan)
        train = folder / "train.parquet"
        taken: set[str] = set()
        if plan.sizes["train"]:
            _write_train(factory, train, card, report)
        for split in ("val", "test"):
            if plan.sizes[split]:
                table = _fresh(factory, split, train, taken, card, report)
                pq.write_table(table, folder / f"{split}.parquet", compression="zstd")
        (folder / CARD).write_text(json.dumps(card, indent=2) + "\n")
    return card


def _describe(plan: DatasetPlan) -> dict[str, Any]:
    return {
        "domain": plan.domain,
        "seed": plan.seed,
        "options": asdict(plan.options),
        "sizes": plan.sizes,
        "distinct": plan.distinct,
        "lasynth": __version__,
        "splits": {},
    }


def _write_train(factory: _Factory, path: Path, card: dict[str, Any], report: Report) -> None:
    counts: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    writer = Writer(path, schema(get_domain(factory.plan.domain)))
    try:
        for made in factory.chunks("train", _chunk_sizes(factory.plan.sizes["train"])):
            writer.write(made.table)
            counts += made.counts
            categories.update(made.table["category"].to_pylist())
            report("train", made.table.num_rows)
    finally:
        writer.close()
    card["splits"]["train"] = _split_card(categories, counts)


def _split_card(categories: Counter[str], counts: Counter[str]) -> dict[str, Any]:
    return {"categories": dict(sorted(categories.items())), "sampling": dict(sorted(counts.items()))}


def _fresh(
    factory: _Factory, split: str, train: Path, taken: set[str], card: dict[str, Any], report: Report
) -> pa.Table:
    """Make val or test. If splits are distinct, no program occurs in the training set or in `taken`.

    Candidates are made in rounds: how many are dropped is known only after a search through the training set.
    """
    wanted = factory.plan.sizes[split]
    counts: Counter[str] = Counter()
    rounds: list[pa.Table] = []
    found = 0
    while found < wanted:
        if len(rounds) == 20:
            raise InputError(
                f"only {found} of {wanted} {split} programs were found that are not in the training set; "
                "the language is too small for a data set of this size"
            )
        missing = wanted - found
        if factory.plan.distinct:
            share = max(0.1, found / counts["accepted"]) if found else 0.5
            missing = min(20 * wanted, int(missing / share * 1.2) + 50)
        made = list(factory.chunks(f"{split}/{len(rounds)}", _chunk_sizes(missing)))
        for chunk in made:
            counts += chunk.counts
        table = pa.concat_tables([chunk.table for chunk in made])
        fresh = _not_in_train(table, train, taken, counts) if factory.plan.distinct else table
        fresh = fresh.slice(0, wanted - found)
        taken.update(fresh["program"].to_pylist())
        rounds.append(fresh)
        found += fresh.num_rows
        report(split, fresh.num_rows)
    table = pa.concat_tables(rounds)
    card["splits"][split] = _split_card(Counter(table["category"].to_pylist()), counts)
    if train.exists():
        table = _mark_novel(table, train)
        card["splits"][split]["novel"] = sum(table["novel"].to_pylist())
    return table


def _not_in_train(table: pa.Table, train: Path, taken: set[str], counts: Counter[str]) -> pa.Table:
    """The rows whose program is neither in the training set nor in `taken`, each program once."""
    programs = table["program"].to_pylist()
    known = occurring(train, "program", set(programs))
    keep, mine = [], set(taken)
    for i, program in enumerate(programs):
        if program in known:
            counts["dropped: program of the training set"] += 1
        elif program in mine:
            counts["dropped: program of this or another held-out split"] += 1
        else:
            mine.add(program)
            keep.append(i)
    return table.take(keep)


def new_behaviours(table: pa.Table, train: Path) -> list[bool]:
    """For each task, whether no program of the training set has the same behaviour."""
    behaviours = table["behaviour"].to_pylist()
    known = occurring(train, "behaviour", set(behaviours))
    return [behaviour not in known for behaviour in behaviours]


def _mark_novel(table: pa.Table, train: Path) -> pa.Table:
    """Fill in the column `novel`."""
    novel = pa.array(new_behaviours(table, train))
    return table.set_column(table.schema.get_field_index("novel"), "novel", novel)


def occurring(train: Path, column: str, wanted: set[Any]) -> set[Any]:
    """The wanted values that occur in a column of the training set. Row groups are read one by one to save memory."""
    if not train.exists():
        return set()
    file = open_parquet(train)
    seen: set[Any] = set()
    with reading(train):
        for group in range(file.num_row_groups):
            seen.update(wanted.intersection(file.read_row_group(group, columns=[column])[column].to_pylist()))
    return seen


def write_imported(
    domain: str, splits: Mapping[str, Iterable[Task[Any, Any]]], out: Path, overwrite: bool, report: Report
) -> dict[str, int]:
    """Write imported tasks as the splits of a data set. Returns the number of tasks in each."""
    speaker = get_domain(domain)
    card: dict[str, Any] = {"domain": domain, "imported": True, "sizes": {}, "lasynth": __version__, "splits": {}}
    with new_data_set(out, overwrite) as folder:
        for split, tasks in splits.items():
            categories: Counter[str] = Counter()
            writer = Writer(folder / f"{split}.parquet", schema(speaker))
            try:
                for chunk in chunked(tasks):
                    writer.write(to_table(speaker, chunk))
                    categories.update(task.category for task in chunk)
                    report(split, len(chunk))
            finally:
                writer.close()
            card["sizes"][split] = categories.total()
            card["splits"][split] = _split_card(categories, Counter())
        (folder / CARD).write_text(json.dumps(card, indent=2) + "\n")
    sizes: dict[str, int] = card["sizes"]
    return sizes


def chunked(tasks: Iterable[Task[Any, Any]]) -> Iterator[list[Task[Any, Any]]]:
    """The tasks, CHUNK at a time."""
    chunk: list[Task[Any, Any]] = []
    for task in tasks:
        chunk.append(task)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
