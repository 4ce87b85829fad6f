"""Relabelling: where a model decodes a program that satisfies a task's examples, it replaces the task's own.

The work is done by shards, in a folder beside the new data set:

    OUT.decoding/plan.json             everything that the result depends on; a resumed relabelling must have the same
    OUT.decoding/stop                  a process was told to stop, so all of them do
    OUT.decoding/shard-00000.parquet   decoded programs of the first tasks, and so on

Process r of n decodes the shards r, r + n, .. that are missing. The leader waits for all shards, joins them with the
old data set, and the new one appears as a whole. Then the shards are removed. A process that is killed at any moment
loses at most the shard that it was at. The result does not depend on the number of processes, nor on how often they
were killed. Processes on several machines need a file system that they share.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple

from lasynth import checkpoint
from lasynth.dataset import CARD, check_free, count_tasks, read_card
from lasynth.decoding import PROGRAM, Decoding, bounds
from lasynth.distributed import Group, processes
from lasynth.domains import get_domain
from lasynth.domains.learnable import learnable
from lasynth.files import read_object, remove_leftovers, write_file
from lasynth.interruption import stop_signal
from lasynth.parquet import check_columns, check_filled, open_parquet
from lasynth.progress import progress
from lasynth.replacement import HELD_OUT, ITERATION, ITERATIONS, write_replaced
from lasynth.settings import RelabelConfig
from lasynth.task import InputError, Occupied, enough_memory

PLAN, STOP = "plan.json", "stop"
OVERWRITE = "overwrite"
"""In the plan: whether the new data set replaces the one in its folder."""
POLL = 0.2
"""Seconds between two looks for what other processes have written."""

Facts = dict[str, Any]
"""What a relabelling depends on, as plain JSON."""


@dataclass(frozen=True)
class Relabelling:
    """A data set to make from another one and a trained model."""

    run: Path
    """The run, or an exported model."""
    data: Path
    """Folder of the old data set."""
    out: Path
    """Folder of the new one."""
    config: RelabelConfig = field(default_factory=RelabelConfig)
    resume: bool = False
    """Continue with the shards that are there; begin if there are none."""
    overwrite: bool = False
    """Replace a data set in `out`, and an unfinished relabelling."""

    @property
    def shards(self) -> Path:
        """The folder for shards."""
        out = self.out.absolute()
        return out.with_name(f"{out.name}.decoding")

    def shard(self, number: int) -> Path:
        return self.shards / f"shard-{number:05}.parquet"


class Relabelled(NamedTuple):
    """How a relabelling ended."""

    entry: Facts | None
    """What the card of the new data set says about it."""
    interrupted: bool
    """The user stopped it."""
    leads: bool = True
    """Whether this process leads the group and reports to the user."""


def relabelled(data: Path) -> Facts | None:
    """What a card says about the last relabelling of a data set; None if it has only original programs. InputError."""
    entries = read_card(data).get("relabelled", [])
    return entries[-1] if entries else None


def relabel(job: Relabelling, told_to_stop: Callable[[], bool] = lambda: False) -> Relabelled:
    """Make a relabelled data set, from the beginning or from its shards. InputError; Occupied.

    SIGINT, SIGTERM and `told_to_stop` stop it after the tasks that are being decoded.
    """
    with processes() as group:
        facts = group.from_leader(partial(_prepare, job, bool(group.restarts)))
    memory = enough_memory(f"to search {job.config.search.tasks:,} tasks together")
    with stop_signal() as signalled, _nothing_left(job), memory:
        work = None if facts is None else _Work(job, group, facts, lambda: signalled() or told_to_stop())
        if work is not None and not work.do():
            return Relabelled(None, True, group.leads)
    return Relabelled(relabelled(job.out), False, group.leads)


# --- before ----------------------------------------------------------------------------------------------------------
def _prepare(job: Relabelling, restarted: bool) -> Facts | None:
    """Check everything, and make the folder for shards. None if the data set is complete. InputError; Occupied."""
    facts, plan, resume = _facts(job), job.shards / PLAN, job.resume or restarted
    if resume and plan.exists():
        _check_same(read_object(plan), facts, job.shards)
        (job.shards / STOP).unlink(missing_ok=True)
        return facts
    if resume and _is_complete(job.out, facts):
        shutil.rmtree(job.shards, ignore_errors=True)  # it was killed just before this
        return None
    if resume and not job.overwrite and (job.out / CARD).exists():
        _check_same(relabelled(job.out) or {}, facts, job.out)
    check_free(job.out, job.overwrite)
    if job.shards.exists() and not resume and not job.overwrite:
        raise Occupied(f"{job.shards} has the shards of an unfinished relabelling")
    shutil.rmtree(job.shards, ignore_errors=True)
    job.shards.mkdir(parents=True)
    write_file(plan, json.dumps({**facts, OVERWRITE: job.overwrite}, indent=2) + "\n")
    return facts


def _is_complete(out: Path, facts: Facts) -> bool:
    """Whether the data set that the facts describe is there."""
    entry = relabelled(out) if (out / CARD).exists() else None
    return entry is not None and all(entry.get(name) == value for name, value in facts.items())


def _check_same(theirs: Facts, mine: Facts, folder: Path) -> None:
    for name, value in mine.items():
        if theirs.get(name) != value:
            raise InputError(f"{folder} was begun with {name} = {theirs.get(name)}; it cannot be resumed with {value}")


def _facts(job: Relabelling) -> Facts:
    """What the new data set will depend on. InputError."""
    card, train = read_card(job.data), job.data / "train.parquet"
    domain = get_domain(str(card["domain"]))
    learnable(domain)  # raises InputError for a language without models
    if job.out.resolve() == job.data.resolve():
        raise InputError("the new data set must have another folder than the old one")
    folder = checkpoint.find(job.run, job.config.checkpoint)
    model = checkpoint.load(folder).card
    if model.get("domain") != domain.name:
        raise InputError(f"{job.run} is a model of `{model.get('domain')}`, {job.data} has tasks of `{domain.name}`")
    check_splits(job.data)
    if not (tasks := count_tasks(train)):
        raise InputError(f"{train} has no tasks")
    facts = {
        "iteration": len(card.get("relabelled", [])) + 1,
        "data": {"tasks": tasks, "sha256": _sha256(train)},
        "model": {name: model.get(name) for name in ("name", "step", "programs")},
        "weights": {"sha256": _sha256(folder / checkpoint.WEIGHTS)},
        "choice": job.config.choice,
        "search": asdict(job.config.search),
        "shard": job.config.shard,
    }
    plain: Facts = json.loads(json.dumps(facts))
    return plain


def check_splits(data: Path) -> None:
    """InputError if programs of a data set cannot be replaced, or compared with those of the held-out splits."""
    domain = get_domain(str(read_card(data)["domain"]))
    for split in ("train", *HELD_OUT):
        if (file := data / f"{split}.parquet").exists():
            columns = open_parquet(file).schema_arrow
            check_columns(file, columns, domain, PROGRAM)
            if ITERATION in columns.names and columns.field(ITERATION).type != ITERATIONS.type:
                raise InputError(f"{file} cannot be relabelled: its column {ITERATION} does not hold int32")
            check_filled(file, ("program", "lexemes", "category", "tokens"))


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


@contextmanager
def _nothing_left(job: Relabelling) -> Iterator[None]:
    """Remove the folder for shards if the work fails, because of bad input, before there is a shard.

    Any process does it: when one of them fails, the others are ended.
    """
    try:
        yield
    except InputError:
        if not any(job.shards.glob("shard-*")):
            shutil.rmtree(job.shards, ignore_errors=True)
        raise


# --- the work --------------------------------------------------------------------------------------------------------
class _Work:
    """The shards of a relabelling, and the part of one process in making them."""

    def __init__(self, job: Relabelling, group: Group, facts: Facts, stop: Callable[[], bool]) -> None:
        self.job, self.group, self.facts, self.told_to_stop = job, group, facts, stop
        self.tasks = int(facts["data"]["tasks"])
        self.shards = [job.shard(number) for number in range(-(-self.tasks // job.config.shard))]

    def do(self) -> bool:
        """Decode, and assemble the data set if this process leads. Returns False if it was told to stop."""
        with self._progress() as report:
            if not self._decode(report):
                return False
            if not self.group.leads:
                return self._wait(lambda: not (self.job.shards / PLAN).exists())
            if not self._wait(lambda: not self._missing(report)):
                return False
        if not _is_complete(self.job.out, self.facts):
            remove_leftovers(self.job.out.absolute().parent, self.job.out.name)
            plan = read_object(self.job.shards / PLAN)
            write_replaced(self.job.data, self.job.out, bool(plan.get(OVERWRITE)), self.shards, self.facts)
        (self.job.shards / PLAN).unlink()  # first: without it, the shards are not complete
        shutil.rmtree(self.job.shards, ignore_errors=True)
        return True

    def stop(self) -> bool:
        """Whether this process or another one was told to stop. No process can do the work of those that stop."""
        if self.told_to_stop():
            with suppress(FileNotFoundError):  # the work is done, and the leader has removed the folder
                (self.job.shards / STOP).touch()
        return (self.job.shards / STOP).exists()

    def _decode(self, report: Callable[[int], None]) -> bool:
        """Decode the missing shards of this process. Returns False if it was told to stop."""
        decoding: Decoding | None = None
        for number in range(self.group.rank, len(self.shards), self.group.size):
            if self.shards[number].exists():
                continue
            decoding = decoding or Decoding(self.job.run, self.job.data / "train.parquet", self.job.config)
            if not decoding.write_shard(number, self.shards[number], partial(self._stop, report)):
                return False
        return True

    def _stop(self, report: Callable[[int], None], done: int) -> bool:
        """Report tasks of a shard that is not complete, and say whether to stop."""
        self._missing(report, done)
        return self.stop()

    def _missing(self, report: Callable[[int], None], more: int = 0) -> int:
        """How many tasks are not decoded yet. Reports those that are, and `more` of a shard that is not complete."""
        names = {path.name for path in self.job.shards.iterdir()} if self.group.leads else set()
        numbers = (number for number, shard in enumerate(self.shards) if shard.name in names)
        done = sum(end - begin for begin, end in (bounds(n, self.job.config.shard, self.tasks) for n in numbers))
        report(done + more)
        return self.tasks - done

    @contextmanager
    def _progress(self) -> Iterator[Callable[[int], None]]:
        """A function that shows how many tasks are decoded; the leader has a progress bar."""
        if not self.group.leads:
            yield lambda done: None
            return
        shown = 0
        with progress({"decoded tasks": self.tasks}) as advance:

            def report(done: int) -> None:
                nonlocal shown
                advance("decoded tasks", done - shown)
                shown = done

            self._missing(report)
            yield report

    def _wait(self, ready: Callable[[], bool]) -> bool:
        """Wait for other processes. Returns False if it was told to stop."""
        while not ready():
            if self.stop():
                return False
            time.sleep(POLL)
        return True
