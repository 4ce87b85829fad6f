"""How to train, search and measure, as typed settings. Knows no torch, so that a command line can show them at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lasynth.task import InputError


@dataclass(frozen=True)
class TrainConfig:
    """How to train. Give either steps or hours."""

    steps: int = 0
    """Stop after so many batches."""
    hours: float = 0.0
    """Stop after so much time."""
    batch: int = 64
    """Programs per step, of all processes together; a multiple of their number."""
    learning_rate: float = 1e-3
    schedule: Literal["cosine", "decay"] = "cosine"
    """cosine: down to 1% at the end; decay: the paper's, times 0.9 every 6,000 steps."""
    beta2: float = 0.97
    """Adam's memory of squared gradients; the paper's is 0.999."""
    warmup: int = 300
    """Steps in which the learning rate grows from 0."""
    clip: float = 10.0
    """Largest norm of the gradient."""
    bf16: bool = True
    """Compute in bfloat16 if the processor can; weights stay in float32."""
    seed: int = 0
    """The same seed, settings, number of processes and --steps give the same weights on the same machine."""
    draw_examples: tuple[int, int] | None = None
    """Fewest and most examples of a task, drawn anew for every batch; the model's number if not given."""
    mistakes: float = 0.0
    """Mistakes of its own that the model is shown for each program, to learn that nothing follows them; 0 for none."""
    curriculum: int = 40_000
    """Programs from each of the shortest eighth, quarter and half of the data before all of it is learnt from; 0 for none."""
    longest: int = 0
    """Lexemes of the longest program that is learnt from; 0 for any."""
    validate_every: int = 1000
    """Steps between two validations by greedy decoding."""
    validation_tasks: int = 200
    log_every: int = 50
    """Steps between two records in the log."""
    checkpoint_minutes: float = 5.0
    """Longest time between two checkpoints."""

    def __post_init__(self) -> None:
        for wrong, message in (
            (self.steps < 0 or self.hours < 0, "steps and hours must not be negative"),
            (self.steps > 0 and self.hours > 0, "give either steps or hours, not both"),
            (self.batch < 1, "batch must be at least 1"),
            (self.learning_rate <= 0, "learning-rate must be positive"),
            (not 0 <= self.beta2 < 1, "beta2 must be at least 0 and less than 1"),
            (self.warmup < 0, "warmup must not be negative"),
            (self.mistakes < 0, "mistakes must not be negative"),
            (self.longest < 0, "longest must not be negative"),
            (self.curriculum < 0, "curriculum must not be negative"),
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
"""Settings that go with the models' presets of these names; the rest is as the defaults are."""
MAY_CHANGE = ("steps", "hours", "validate_every", "validation_tasks", "log_every", "checkpoint_minutes")
"""Settings with which a run may be resumed differently."""


def share(batch: int, processes: int) -> int:
    """Programs per step of each process. InputError if they cannot have equally many."""
    if batch % processes:
        raise InputError(f"a batch of {batch} programs cannot be shared evenly by {processes} processes")
    return batch // processes


@dataclass(frozen=True)
class SearchConfig:
    """How to look for programs."""

    beam: int = 64
    """Hypotheses kept per task; 1 is greedy decoding."""
    max_length: int = 130
    """Most lexemes of a program, its end included; longer hypotheses are given up."""
    constrained: bool = True
    """Consider only lexemes that the grammar allows."""
    seconds: float | None = None
    """Give up what is unfinished after this time per group of tasks; what is found then depends on the machine."""
    tasks: int = 16
    """Tasks searched at once."""
    bf16: bool = False
    """Compute in bfloat16 if the processor can."""

    def __post_init__(self) -> None:
        for name in ("beam", "max_length", "tasks"):
            if getattr(self, name) < 1:
                raise InputError(f"{name.replace('_', '-')} must be at least 1")
        if self.seconds is not None and self.seconds <= 0:
            raise InputError("seconds must be positive")


@dataclass(frozen=True)
class EvaluateConfig:
    """What to measure."""

    search: SearchConfig = field(default_factory=SearchConfig)
    limit: int | None = None
    """Only so many tasks."""
    given: int | None = None
    """Examples that are shown; the others are held out. By default as many as is usual for the language."""
    checkpoint: Literal["last", "best"] = "best"
    """Which of a run's checkpoints."""
    processes: int = 1
    """Processes that share the tasks; what is found is the same for any number of them."""
