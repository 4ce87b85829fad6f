"""Typed settings of training, search and evaluation. Does not import torch, so that `--help` is quick."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from lasynth.task import InputError

MOST_PROGRAMS = 16_384
"""Largest batch: a typo should get a message, not use up all memory."""
MOST_IN_BEAM = 1024
"""Largest beam for training by reward."""
MOST_IN_STAGE = 100_000_000
"""Longest stage of a curriculum, whose order is held in memory."""


def check_finite(settings: Any) -> None:
    """InputError that names the first setting of a dataclass that is nan or infinite."""
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(f"{setting.name.replace('_', '-')} must be a finite number, not {value}")


@dataclass(frozen=True)
class TrainConfig:
    """How to train. Give either steps or hours."""

    steps: int = 0
    """Number of batches to train on."""
    hours: float = 0.0
    """Hours to train."""
    batch: int = 64
    """Programs per step, over all processes; a multiple of the number of processes."""
    learning_rate: float = 1e-3
    """Largest learning rate."""
    schedule: Literal["cosine", "decay"] = "cosine"
    """cosine: falls to 1% at the end; decay: as in the paper, times 0.9 every 6,000 steps."""
    beta2: float = 0.97
    """Adam's decay rate for squared gradients; 0.999 in the paper."""
    warmup: int = 300
    """Steps in which the learning rate grows from 0."""
    clip: float = 10.0
    """Largest norm of the gradient."""
    bf16: bool = True
    """Compute in bfloat16 if the processor supports it; weights stay in float32."""
    seed: int = 0
    """The same seed, settings, number of processes and steps give the same weights on the same machine."""
    draw_examples: tuple[int, int] | None = None
    """Fewest and most examples of a task: the number is drawn for every batch. By default the model's number."""
    mistakes: float = 0.0
    """Mistakes per program, drawn from the model; it learns that no program continues after them. 0 for none."""
    reward: Literal["none", "beam"] = "none"
    """none: learn the programs of the data set. beam: the second stage of Bunel et al. (2018); learn to find any right
    program, by the expected reward over a beam, beginning with a model that has learned the programs."""
    reward_beam: int = 16
    """Programs per task whose reward counts."""
    curriculum: int = 40_000
    """Programs per stage. Stages: the shortest eighth, quarter and half of the data, then all; 0 for no stages."""
    longest: int = 0
    """Leave out programs with more lexemes than this; 0 for no limit."""
    validate_every: int = 1000
    """Steps between two validations by greedy decoding."""
    validation_tasks: int = 200
    """Tasks in a validation."""
    log_every: int = 50
    """Steps between two records in the log."""
    checkpoint_minutes: float = 5.0
    """Longest time between two checkpoints."""

    def __post_init__(self) -> None:
        check_finite(self)
        for wrong, message in (
            (self.steps < 0 or self.hours < 0, "steps and hours must not be negative"),
            (self.steps > 0 and self.hours > 0, "give either steps or hours, not both"),
            (not 1 <= self.batch <= MOST_PROGRAMS, f"batch must be 1 to {MOST_PROGRAMS:,}"),
            (not 0 <= self.seed < 2**64, "seed must be 0 to 2^64 - 1"),
            (self.learning_rate <= 0, "learning-rate must be positive"),
            (not 0 <= self.beta2 < 1, "beta2 must be at least 0 and less than 1"),
            (self.warmup < 0, "warmup must not be negative"),
            (self.mistakes < 0, "mistakes must not be negative"),
            (self.longest < 0, "longest must not be negative"),
            (self.reward not in ("none", "beam"), f"there is no reward `{self.reward}`; there are none, beam"),
            (not 1 <= self.reward_beam <= MOST_IN_BEAM, f"reward-beam must be 1 to {MOST_IN_BEAM}"),
            (self.reward != "none" and self.mistakes > 0, "give either reward or mistakes, not both"),
            (not 0 <= self.curriculum <= MOST_IN_STAGE, f"curriculum must be 0 to {MOST_IN_STAGE:,}"),
            (self.clip <= 0, "clip must be positive"),
            (
                self.schedule not in ("cosine", "decay"),
                f"there is no schedule `{self.schedule}`; there are cosine, decay",
            ),
            (self.checkpoint_minutes <= 0, "checkpoint-minutes must be positive"),
            (min(self.validate_every, self.validation_tasks, self.log_every) < 1, "intervals must be at least 1"),
        ):
            if wrong:
                raise InputError(message)


TRAINING: dict[str, dict[str, Any]] = {
    "cpu": {},
    "paper": {
        "batch": 8,
        "learning_rate": 1e-3,
        "schedule": "decay",
        "beta2": 0.999,
        "warmup": 0,
        "curriculum": 0,
        "clip": 5.0,
        "bf16": False,
    },
}
"""Training settings of each preset; settings that are not listed have their defaults."""
MAY_CHANGE = ("steps", "hours", "validate_every", "validation_tasks", "log_every", "checkpoint_minutes")
"""Settings that may change when a run is resumed."""


def share(batch: int, processes: int) -> int:
    """Programs per step of each process. InputError if the batch cannot be shared evenly."""
    if batch % processes:
        raise InputError(f"a batch of {batch} programs cannot be shared evenly by {processes} processes")
    return batch // processes


@dataclass(frozen=True)
class SearchConfig:
    """How to search for programs."""

    beam: int = 64
    """Hypotheses kept per task; 1 is greedy decoding."""
    max_length: int = 130
    """Most lexemes of a program, with EOS; longer hypotheses are dropped."""
    constrained: bool = True
    """Consider only lexemes that the grammar allows."""
    seconds: float | None = None
    """Time limit per group of tasks. Results then depend on the machine's speed."""
    tasks: int = 16
    """Tasks that are searched together."""
    bf16: bool = False
    """Compute in bfloat16 if the processor supports it."""

    def __post_init__(self) -> None:
        check_finite(self)
        for name in ("beam", "max_length", "tasks"):
            if getattr(self, name) < 1:
                raise InputError(f"{name.replace('_', '-')} must be at least 1")
        if self.seconds is not None and self.seconds <= 0:
            raise InputError("seconds must be positive")


@dataclass(frozen=True)
class RelabelConfig:
    """How to decode programs for training tasks."""

    search: SearchConfig = field(default_factory=lambda: SearchConfig(beam=8, max_length=40, tasks=128))
    """Programs of more than 40 lexemes hardly ever fit, and to search them takes up to twice the time. More than 128
    tasks together are hardly faster."""
    choice: Literal["likeliest", "shortest"] = "likeliest"
    """Which program replaces a task's own if several satisfy all examples: the likeliest (the paper), or the one with
    the fewest lexemes."""
    checkpoint: Literal["last", "best"] = "best"
    """Which checkpoint of a run."""
    shard: int = 1024
    """Tasks whose programs are saved together. A killed relabelling repeats at most one shard per process."""

    def __post_init__(self) -> None:
        if self.shard < 1:
            raise InputError("shard must be at least 1")
        if self.choice not in ("likeliest", "shortest"):
            raise InputError(f"there is no choice `{self.choice}`; there are likeliest, shortest")
        if self.search.seconds is not None:
            raise InputError("relabelling has no time limit: its result must not depend on the machine's speed")


@dataclass(frozen=True)
class EvaluateConfig:
    """What to measure."""

    search: SearchConfig = field(default_factory=SearchConfig)
    limit: int | None = None
    """Take only the first tasks, so many."""
    given: int | None = None
    """Examples that the model sees; the others are held out. By default the usual number of the language."""
    checkpoint: Literal["last", "best"] = "best"
    """Which checkpoint of a run."""
    processes: int = 1
    """Processes that share the tasks. Results are the same for any number of them."""
