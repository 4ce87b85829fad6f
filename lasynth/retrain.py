"""Iterative retraining: train on random programs, relabel the training tasks with the model, train anew, and so on.

The folder of a retraining:

    OUT/plan.json              all settings; a resumed retraining must have the same
    OUT/iteration-0/run        a model trained on the original data set
    OUT/iteration-1/data       the data set, relabelled by that model
    OUT/iteration-1/run        a new model, trained on the relabelled data set; and so on
    OUT/summary.json           what each iteration replaced, and how good its model is

A stage is a training or a relabelling. Each continues from its own last checkpoint or shard, and a complete one is not
repeated. So a retraining that was killed at any moment goes on exactly. All trainings begin with new weights, have the
same settings and see equally many programs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lasynth import checkpoint
from lasynth.config import ModelConfig
from lasynth.dataset import CARD, read_card
from lasynth.distributed import processes
from lasynth.files import read_object, write_file
from lasynth.relabel import Relabelled, Relabelling, check_splits, relabelled
from lasynth.runlog import LOG
from lasynth.settings import RelabelConfig, TrainConfig
from lasynth.task import InputError, Occupied
from lasynth.train import Job, Outcome

PLAN, SUMMARY = "plan.json", "summary.json"
MAY_GROW = "iterations"
"""The setting that may change when a retraining is resumed."""


class Stage(NamedTuple):
    """One part of a retraining."""

    iteration: int
    job: Job | Relabelling

    @property
    def name(self) -> str:
        return f"iteration {self.iteration}: {'train' if isinstance(self.job, Job) else 'relabel'}"

    def is_complete(self) -> bool:
        """Whether all of it was done before."""
        if isinstance(self.job, Relabelling):
            return (self.job.out / CARD).exists() and not self.job.shards.exists()
        if not (self.job.out / checkpoint.INDEX).exists():
            return False
        return bool(_card(self.job.out, "last")["step"] >= self.job.train.steps)

    def is_begun(self) -> bool:
        """Whether a part of it was done before."""
        return self.job.shards.exists() if isinstance(self.job, Relabelling) else (self.job.out / LOG).exists()


@dataclass(frozen=True)
class Retraining:
    """A retraining, with everything that its result depends on."""

    name: str
    """The model's row in the table."""
    model: ModelConfig
    train: TrainConfig
    relabel: RelabelConfig
    data: Path
    """Folder of the original data set."""
    out: Path
    iterations: int
    """How often to relabel and train again."""
    resume: bool = False
    processes: int = 1
    """In how many processes each training runs. Its weights depend on it a little."""

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise InputError("iterations must be at least 1")
        if not self.train.steps:
            raise InputError(
                "give --steps: retraining needs a number of steps, so that all trainings see equally many programs"
            )

    def stages(self) -> Iterator[Stage]:
        """All stages in their order."""
        data = self.data
        for iteration in range(self.iterations + 1):
            folder = self.out / f"iteration-{iteration}"
            if iteration:
                before = self.run(iteration - 1)
                yield Stage(iteration, Relabelling(before, data, folder / "data", self.relabel, resume=True))
                data = folder / "data"
            yield Stage(iteration, Job(self.name, self.model, self.train, data, self.run(iteration), resume=True))

    def trainings(self) -> Iterator[Job]:
        return (stage.job for stage in self.stages() if isinstance(stage.job, Job))

    def run(self, iteration: int) -> Path:
        """The folder of a training."""
        return self.out / f"iteration-{iteration}" / "run"

    def facts(self) -> dict[str, Any]:
        """Everything that the result depends on, as plain JSON. InputError."""
        settings = {name: asdict(getattr(self, name)) for name in ("model", "train", "relabel")}
        card = read_card(self.data)
        facts = {"row": self.name, **settings, "processes": self.processes, "data": card, MAY_GROW: self.iterations}
        plain: dict[str, Any] = json.loads(json.dumps(facts))
        return plain


Perform = Callable[[Job | Relabelling], Outcome | Relabelled]
"""Does a stage. The caller decides in how many processes."""


def retrain(job: Retraining, perform: Perform, say: Callable[[str], None]) -> list[dict[str, Any]] | None:
    """Do all stages that are not complete. Returns the summary; None if the user stopped it. InputError; Occupied.

    `say` gets a line at the beginning of each stage.
    """
    pace = _Pace()
    with processes() as group:
        is_new = group.from_leader(lambda: _prepare(job, bool(group.restarts)))
    stages = list(job.stages())
    with _nothing_left(job, is_new and group.leads):
        for number, stage in enumerate(stages, 1):
            if stage.is_complete():
                continue
            say(f"stage {number} of {len(stages)}, {stage.name}: {stage.job.out}{pace.left(stages[number - 1 :])}")
            with pace.timing(stage):
                interrupted = perform(stage.job).interrupted
            if interrupted:
                return None
            if group.leads:
                _write_summary(job)
    if group.leads:
        _write_summary(job)  # also if the last stage was killed before it could
    return summary(job)


class _Pace:
    """Estimates how long the remaining stages take from those that were done in this process.

    All trainings see equally many programs, and all relabellings have the same tasks.
    """

    def __init__(self) -> None:
        self.seconds: dict[type, float] = {}
        """How long the last whole stage of each kind took."""

    @contextmanager
    def timing(self, stage: Stage) -> Iterator[None]:
        """Take the time of a stage. One that was begun earlier says nothing."""
        begin, kind = time.perf_counter(), type(stage.job)
        is_whole = not stage.is_begun()
        yield
        if is_whole:
            self.seconds[kind] = time.perf_counter() - begin

    def left(self, stages: Sequence[Stage]) -> str:
        """How long these stages take together, as the end of a line; nothing if one of their kinds is unknown."""
        kinds = [type(stage.job) for stage in stages]
        if not all(kind in self.seconds for kind in kinds):
            return ""
        minutes = round(sum(self.seconds[kind] for kind in kinds) / 60)
        return f" (about {minutes // 60} h {minutes % 60:02} min left in all)"


def planned_processes(out: Path) -> int | None:
    """In how many processes the retraining in a folder trains; None if nothing says so. InputError."""
    plan = out / PLAN
    count = read_object(plan).get("processes") if plan.exists() else None
    if count is not None and (type(count) is not int or count < 1):
        raise InputError(f"{plan}: `processes` must be a positive integer, not {count}")
    return count


@contextmanager
def _nothing_left(job: Retraining, is_new: bool) -> Iterator[None]:
    """Remove a new retraining that fails, because of bad input, before its first training has saved anything."""
    try:
        yield
    except InputError:
        first = job.run(0)
        if is_new and not (first / checkpoint.INDEX).exists():
            (job.out / PLAN).unlink()
            for folder in (first, first.parent, job.out):
                with suppress(OSError):  # other files are in it
                    folder.rmdir()
        raise


def _prepare(job: Retraining, restarted: bool) -> bool:
    """Check the folder and write the plan. Returns whether the retraining is new. InputError; Occupied."""
    facts, file = job.facts(), job.out / PLAN
    check_splits(job.data)  # now, not after the first training
    is_new = not file.exists()
    if not is_new and (job.resume or restarted):
        theirs = {"processes": job.processes, **read_object(file)}  # older plans do not say how many
        for name, mine in _flat(facts).items():
            if name != MAY_GROW and (other := _flat(theirs).get(name)) != mine:
                raise InputError(f"{job.out} was begun with {name} = {other}; it cannot be resumed with {mine}")
    elif job.out.exists() and (not job.out.is_dir() or any(job.out.glob("[!.]*"))):
        raise Occupied(f"{job.out} exists and is not empty")
    job.out.mkdir(parents=True, exist_ok=True)
    write_file(file, json.dumps(facts, indent=2) + "\n")
    return is_new


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    """Single settings by name, for messages that name one."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if name != "data" and isinstance(value, dict):
            flat |= {f"{name}.{key}": part for key, part in _flat(value).items()}
        else:
            flat[name] = value
    return flat


# --- the summary -----------------------------------------------------------------------------------------------------
def summary(job: Retraining) -> list[dict[str, Any]]:
    """An entry for each iteration whose training is complete: what was replaced before it, and how good it is."""
    return [
        {"iteration": stage.iteration, **_data_part(stage.job.data), **_run_part(stage.job.out)}
        for stage in job.stages()
        if isinstance(stage.job, Job) and stage.is_complete()
    ]


def _data_part(data: Path) -> dict[str, Any]:
    entry = relabelled(data)
    if entry is None:
        return {"replaced": 0, "shorter": 0, "longer": 0}
    names = ("replaced", "shorter", "longer", "fitting", "mean tokens before", "mean tokens after")
    return {"tasks": entry["data"]["tasks"], **{name: entry[name] for name in names}, "choice": entry["choice"]}


def _run_part(run: Path) -> dict[str, Any]:
    last, best = _card(run, "last"), _card(run, "best")
    return {
        "programs seen": last["programs"],
        "validation accuracy": best["metrics"].get("accuracy"),
        "validation tasks": best["training"]["validation_tasks"],
        "best step": best["step"],
    }


def _card(run: Path, which: checkpoint.Which) -> dict[str, Any]:
    card: dict[str, Any] = json.loads((checkpoint.find(run, which) / checkpoint.CARD).read_text())
    return card


def _write_summary(job: Retraining) -> None:
    write_file(job.out / SUMMARY, json.dumps(summary(job), indent=2) + "\n")
