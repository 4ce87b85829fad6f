"""Training: the loop, its checkpoints and its validations.

The same settings, seed and number of processes give the same weights, bit for bit, even if the run was killed and
resumed. A step depends only on the weights, the optimiser and the number of the step: batches are functions of seed and
position, and networks draw no random numbers. So a checkpoint of these resumes exactly. With a budget in hours the
learning rate follows the clock, and no two runs are the same. This module does not depend on a language or a network:
see `batch` and `models`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from lasynth import checkpoint, runfolder
from lasynth.batch import BEGIN, Collator, Position, Stream, StreamPlan
from lasynth.config import ModelConfig
from lasynth.dataset import CARD, read_card
from lasynth.distributed import Group, device, processes
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.interruption import stop_signal
from lasynth.memory import give_back_memory
from lasynth.models.base import Batch, Losses
from lasynth.models.build import Model, build_model
from lasynth.older import CARD_FORMAT, current_format, read_training, read_weights
from lasynth.outcomes import search_outcomes
from lasynth.precision import half_precision
from lasynth.reward import BeamReward
from lasynth.runlog import RunLog, run_log
from lasynth.settings import MAY_CHANGE, SearchConfig, TrainConfig, share
from lasynth.split import Split, load_split
from lasynth.task import Diverged, InputError, enough_memory

FLOOR = 0.01
"""Share of the learning rate that is left at the end of a cosine."""
VALIDATION_BATCH = 100


@dataclass(frozen=True)
class Job:
    """A training run."""

    name: str
    """The model's row in the table."""
    model: ModelConfig
    train: TrainConfig
    data: Path
    """Folder of the data set."""
    out: Path
    """Folder of the run."""
    resume: bool = False
    """Continue from the last checkpoint in `out`; start a new run if there is none."""
    overwrite: bool = False
    """Replace a run that is in `out`."""
    begin_with: Path | None = None
    """A run or checkpoint of the same model; a new run begins with its weights."""


class Outcome(NamedTuple):
    """How a training ended."""

    step: int
    metrics: dict[str, float]
    """Of the last validation."""
    interrupted: bool
    """The user stopped it. The last checkpoint is that of the last step."""
    leads: bool = True
    """Whether this process leads the group and reports to the user."""


def shape_of(data: Path) -> dict[str, Any]:
    """What a data set decides of a model: the language's rows, its values, how many examples it sees. InputError."""
    card = read_card(data)
    domain, options = get_domain(str(card["domain"])), card.get("options", {})
    language = learnable(domain)
    try:
        given = {"examples": domain.given(options["examples"])} if "examples" in options else {}
        return {"rows": language.rows, "values": language.value_config(options), **given}
    except (TypeError, ValueError) as error:
        raise InputError(f"the options in {data / CARD} describe no data set: {error}") from error


def learning_rate(config: TrainConfig, step: int, done: float) -> float:
    """The learning rate of a step (from 0) when the share `done` of the budget is used up."""
    warm = min(1.0, (step + 1) / config.warmup) if config.warmup else 1.0
    if config.schedule == "decay":
        return config.learning_rate * warm * 0.9 ** (step // 6000)
    return config.learning_rate * warm * (FLOOR + (1 - FLOOR) * (1 + math.cos(math.pi * min(1.0, done))) / 2)


# --- the loop --------------------------------------------------------------------------------------------------------
def train(job: Job, told_to_stop: Callable[[], bool] = lambda: False) -> Outcome:
    """Train a model, from the beginning or from its last checkpoint. InputError; Diverged; OutOfMemory.

    SIGINT and SIGTERM stop it between two steps, with a checkpoint. So does `told_to_stop` when it returns True.
    """
    if not job.train.steps and not job.train.hours:
        raise InputError("training needs a number of steps or of hours")
    cleaned = runfolder.nothing_left(job.out, job.resume, job.overwrite)
    memory = enough_memory(f"for a batch of {job.train.batch:,} programs and a model of this size")
    with cleaned, memory, processes() as group, stop_signal() as signalled:
        share(job.train.batch, group.size)
        run = _Run(job, group)

        def stop() -> bool:
            return signalled() or told_to_stop()

        if not group.leads:
            return _loop(run, stop, None)
        if run.is_new:
            runfolder.clear(job.out)  # only now, when the data and the settings are known to be usable
        with run_log(job.out, run.progress.step) as log:
            return _loop(run, stop, log)


def _loop(run: _Run, stop: Callable[[], bool], log: RunLog | None) -> Outcome:
    config, at = run.job.train, run.progress
    metrics, stopping = run.metrics, False
    if at.step == 0:
        run.save({}, best=False)
    while run.done < 1 and not stopping:
        losses, norm, stopping = run.step(stop())
        run.window.add(losses, norm)
        ends = run.done >= 1 or stopping
        if log is not None and (at.step % config.log_every == 0 or ends):
            record = run.window.flush(at, run.rate)
            log.record("train", at.step, record)
            log.progress(run.done, _line(at.step, record))
        if at.step % config.validate_every == 0 or run.done >= 1:  # also if the user stopped it in its last step
            metrics = run.validate() if run.group.leads else {}
            best = run.is_best(metrics) if run.group.leads else False
            if log is not None:
                log.record("validation", at.step, {**metrics, "seconds": round(at.seconds, 3), "programs": at.programs})
                log.say(f"step {at.step}: " + ", ".join(f"{name} {value:.4g}" for name, value in metrics.items()))
            run.save(metrics, best)
            give_back_memory()
        elif ends or run.save_is_due():
            run.save(metrics, best=False)
            give_back_memory()
    return Outcome(at.step, metrics, stopping, run.group.leads)


def _line(step: int, record: dict[str, float]) -> str:
    parts = " ".join(f"{name} {record[name]:.3f}" for name in Losses._fields)
    return f"step {step} | {parts} | {record['programs/s']:.0f} programs/s"


@dataclass
class Progress:
    """How far a run has come. Checkpoints hold all of it."""

    step: int = 0
    programs: int = 0
    seconds: float = 0.0
    """Time spent on steps, without validation and checkpoints."""
    position: Position = BEGIN
    best: tuple[float, float] = (-1.0, -math.inf)
    """Accuracy and minus the loss of the best validation."""


@dataclass
class _Window:
    """Sums of losses since the last record of the log."""

    since: Progress
    """The progress at that record."""
    sums: list[float] = field(default_factory=lambda: [0.0] * (len(Losses._fields) + 1))

    def add(self, losses: list[float], norm: float) -> None:
        self.sums = [total + value for total, value in zip(self.sums, [*losses, norm], strict=True)]

    def flush(self, at: Progress, rate: float) -> dict[str, float]:
        """A record with the means; the window starts anew."""
        means = [total / (at.step - self.since.step) for total in self.sums]
        record = dict(zip((*Losses._fields, "gradient"), means, strict=True))
        record |= {"learning_rate": rate, "programs": at.programs, "seconds": round(at.seconds, 3)}
        record["programs/s"] = round((at.programs - self.since.programs) / (at.seconds - self.since.seconds), 2)
        self.sums, self.since = [0.0] * len(self.sums), replace(at)
        return record


class _Run:
    """A model in training, with its optimiser, data and progress."""

    def __init__(self, job: Job, group: Group) -> None:
        self.job, self.group = job, group
        self.domain: AnyDomain = get_domain(str(read_card(job.data)["domain"]))
        learnable(self.domain)  # raises InputError for a language without models
        self.device = device()
        self.model = build_model(job.model, self.domain, job.train.seed).to(self.device)
        self.config = self.model.config
        betas = (0.9, job.train.beta2)
        self.optimiser = torch.optim.Adam(self.model.parameters(), job.train.learning_rate, betas, fused=True)
        self.progress = Progress()
        self.metrics: dict[str, float] = {}
        self.before: list[dict[str, Any]] = []  # trainings that made the initial weights
        self._begin_or_resume()
        self.objective = group.averaged(_Objective(self.model, job.train.mistakes, self._reward()), self.device)
        self.stream = self._open_stream()
        self.validation = load_split(job.data / "val.parquet", self.domain).take(job.train.validation_tasks)
        self.window = _Window(replace(self.progress))
        self.rate = 0.0
        self.saved = self.clock = time.perf_counter()

    def _reward(self) -> BeamReward | None:
        """What to learn instead of the data's programs. InputError if there is no model to begin with."""
        if self.job.train.reward == "none":
            return None
        if self.is_new and self.job.begin_with is None:
            raise InputError("training by reward needs a model that has learned programs, to begin with its weights")
        return BeamReward(self.model, self.collator(states=False), self.domain.syntax, self.job.train.reward_beam)

    def _begin_or_resume(self) -> None:
        last = self.group.from_leader(self._last_checkpoint)
        self.is_new = last is None
        if last is None and self.job.begin_with is not None:
            self._take_weights(checkpoint.load(self.job.begin_with, "last"), self.job.begin_with)
        if last is not None:
            stored, training = last
            card = current_format(stored.card)
            self._check_same(card)
            self.metrics, self.before = card["metrics"], card.get("before", [])
            self.model.load_state_dict(read_weights(stored.weights))
            self.optimiser.load_state_dict(training["optimiser"])
            position, best = Position(*training["position"]), (training["best"][0], training["best"][1])
            self.progress = Progress(training["step"], training["programs"], training["seconds"], position, best)

    def _last_checkpoint(self) -> tuple[checkpoint.Checkpoint, dict[str, Any]] | None:
        """The checkpoint to continue from; None for a new run. Occupied if a new run finds files in its folder."""
        out = self.job.out
        resume = self.job.resume or self.group.restarts  # after a restart, the folder holds this run
        if not resume:
            runfolder.check_free(out, self.job.overwrite)
        out.mkdir(parents=True, exist_ok=True)
        there = resume and (out / checkpoint.INDEX).exists()
        return (checkpoint.load(out, "last"), checkpoint.load_training(out)) if there else None

    def _take_weights(self, stored: checkpoint.Checkpoint, source: Path) -> None:
        """Begin with the weights of another run. InputError if its model is different."""
        mine = checkpoint.describe(self.job.name, self.config, self.domain)
        theirs = {**stored.card, "config": asdict(checkpoint.config_of(stored.card, source))}
        for name in ("domain", "vocabulary", "config"):
            if theirs[name] != mine[name]:
                raise InputError(f"{source} is a model with another {name}; training cannot begin with its weights")
        self.model.load_state_dict(read_weights(stored.weights))
        card, told = current_format(stored.card), ("programs", "seconds", "training", "processes", "data")
        self.before = [*card.get("before", []), {name: card[name] for name in told}]

    def _check_same(self, card: dict[str, Any]) -> None:
        """InputError if the run in the folder has other settings.

        A setting that did not exist when the run began counts as its default.
        """
        mine = {**asdict(self.config), **asdict(self.job.train), "processes": self.group.size}
        stored = asdict(checkpoint.config_of(card, self.job.out))
        theirs = {**stored, **read_training(card["training"]), "processes": card["processes"]}
        if card["data"] != read_card(self.job.data):
            raise InputError(f"{self.job.out} was begun with another data set than {self.job.data}")
        for name in {**mine, **theirs}:
            if name not in MAY_CHANGE and _plain(mine.get(name)) != _plain(theirs.get(name)):
                raise InputError(
                    f"{self.job.out} was begun with {name} = {theirs.get(name)}; "
                    f"it cannot be resumed with {mine.get(name)}"
                )

    def _open_stream(self) -> Stream:
        config, model = self.job.train, self.config
        split = load_split(self.job.data / "train.parquet", self.domain)
        examples = config.draw_examples or (model.examples, model.examples)
        plan = StreamPlan(config.batch, examples, config.seed, config.curriculum, config.longest)
        states, every = model.execution_loss == "statements", config.reward != "none"
        return Stream(
            split, plan, self.collator(states, every), self.progress.position, (self.group.rank, self.group.size)
        )

    def collator(self, states: bool, every: bool = False) -> Collator:
        return Collator.of(self.config, self.domain, states, every)

    @property
    def done(self) -> float:
        """Share of the budget that is used up."""
        config, at = self.job.train, self.progress
        return at.step / config.steps if config.steps else at.seconds / (3600 * config.hours)

    # --- a step ------------------------------------------------------------------------------------------------
    def step(self, stop: bool) -> tuple[list[float], float, bool]:
        """Learn from the next batch. Returns the losses, the norm of the gradient, and whether a process must stop."""
        config, at = self.job.train, self.progress
        batch = next(self.stream)
        self.model.train()
        with self._precision():
            losses = self._losses(batch.to(self.device))
        self.optimiser.zero_grad(set_to_none=True)
        losses.total.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), config.clip)
        seconds = self._lap() if self.group.leads else 0.0  # for the others, a lap includes the leader's validation
        numbers = [*(float(part.detach()) for part in losses), seconds, float(stop)]
        *parts, seconds, stopping = self.group.mean(numbers)
        at.seconds += seconds * self.group.size
        if not math.isfinite(sum(parts) + float(norm)):
            raise Diverged(f"the loss is no longer a number at step {at.step}; try a smaller learning rate")
        self.rate = learning_rate(config, at.step, self.done)
        for settings in self.optimiser.param_groups:
            settings["lr"] = self.rate
        self.optimiser.step()
        at.step += 1
        at.programs += config.batch
        at.position = self.stream.position
        return parts, float(norm), stopping > 0

    def _losses(self, batch: Batch) -> Losses:
        # random numbers depend on step and process alone, so that a resumed run draws the same ones
        place = np.random.SeedSequence([self.job.train.seed, self.progress.step, self.group.rank])
        rng = torch.Generator().manual_seed(int(place.generate_state(1, np.uint64)[0] >> 1))
        losses: Losses = self.objective(batch, rng)
        return losses

    def _lap(self) -> float:
        """Seconds since the last call."""
        before, self.clock = self.clock, time.perf_counter()
        return self.clock - before

    def _precision(self) -> Any:
        return half_precision(self.device, self.job.train.bf16)

    # --- validation and checkpoints ----------------------------------------------------------------------------
    def validate(self) -> dict[str, float]:
        """Accuracy of greedy decoding and losses on the validation set; draws no random numbers."""
        self.model.eval()
        given = self.domain.given(self.validation.examples)
        search = SearchConfig(beam=1, tasks=VALIDATION_BATCH, bf16=self.job.train.bf16)
        collate = self.collator(states=self.config.execution_loss == "statements")
        outcomes = search_outcomes(self.model, self.validation, given, collate, self.domain.syntax, search)
        accuracy = float(outcomes.most_likely.mean())
        return {"accuracy": accuracy, **self._validation_losses(self.validation, given, collate)}

    @torch.inference_mode()
    def _validation_losses(self, split: Split, given: int, collate: Collator) -> dict[str, float]:
        sums = torch.zeros(len(Losses._fields), dtype=torch.float64)
        for begin in range(0, len(split), VALIDATION_BATCH):
            batch = collate.first(split, range(begin, min(begin + VALIDATION_BATCH, len(split))), given)
            with self._precision():
                losses = self.model.loss(batch.to(self.device))
            sums += torch.stack([part.double().cpu() for part in losses]) * len(batch.tokens)
        return dict(zip(Losses._fields, (sums / len(split)).tolist(), strict=True))

    def is_best(self, metrics: dict[str, float]) -> bool:
        """Whether this validation is better than all before. Keeps the best one."""
        reached = (metrics["accuracy"], -metrics["program"])
        better = reached > self.progress.best
        self.progress.best = max(reached, self.progress.best)
        return better

    def save_is_due(self) -> bool:
        return self.group.leads and time.perf_counter() - self.saved > 60 * self.job.train.checkpoint_minutes

    def save(self, metrics: dict[str, float], best: bool) -> None:
        if not self.group.leads:
            return
        card = {
            **checkpoint.describe(self.job.name, self.config, self.domain),
            "step": self.progress.step, "programs": self.progress.programs, "seconds": round(self.progress.seconds, 3),
            "metrics": metrics, "training": asdict(self.job.train), "processes": self.group.size,
            "format": CARD_FORMAT, "data": read_card(self.job.data), "before": self.before,
        }  # fmt: skip
        training = {
            **asdict(self.progress),
            "position": list(self.progress.position),
            "optimiser": self.optimiser.state_dict(),
        }
        checkpoint.save(self.job.out, f"step-{self.progress.step}", self.model.state_dict(), card, training, best)
        self.saved = self.clock = time.perf_counter()  # time since the last step does not count as training


class _Objective(nn.Module):
    """All losses of a batch as one module with one forward call, as torch's DistributedDataParallel needs it."""

    def __init__(self, model: Model, mistakes: float, reward: BeamReward | None) -> None:
        super().__init__()
        self.model, self.mistakes, self.reward = model, mistakes, reward
        # Some rows and batches leave parameters unused, so DistributedDataParallel looks for them. It warns if there
        # are none; this parameter is always unused.
        self.unused = nn.Parameter(torch.zeros(()))

    def forward(self, batch: Batch, rng: torch.Generator) -> Losses:
        if self.reward is not None:
            return self.reward(batch)
        run = self.model.run(batch)
        losses = self.model.losses(run, batch)
        if not self.mistakes:
            return losses
        count = round(self.mistakes * len(batch.tokens))
        return losses._replace(mistake=self.model.mistake_loss(run, batch, count, rng))


# --- small things ----------------------------------------------------------------------------------------------------
def _plain(value: Any) -> Any:
    """A value as it is after it was written to JSON and read again."""
    return list(value) if isinstance(value, tuple) else value
