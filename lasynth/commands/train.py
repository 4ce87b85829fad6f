"""`lasynth train`: train a model on a data set."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import torch

from lasynth import checkpoint
from lasynth.commands.arguments import DataFolder, ModelSettings, Preset, Row
from lasynth.commands.group import INTERRUPTED, check_torchrun, in_processes, quiet_unless_leading
from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import advice, complain
from lasynth.config import ModelConfig, model_config, read_settings
from lasynth.distributed import is_worker
from lasynth.runfolder import nothing_left
from lasynth.settings import TRAINING, TrainConfig, share
from lasynth.task import Diverged, InputError
from lasynth.train import Job, Outcome, shape_of
from lasynth.train import train as run_training
from lasynth.workers import process_count, threads_per_process

FEWEST = 4
"""Fewest programs per step for each process, unless the user gives a number of processes: smaller shares do not pay."""


def main(words: Sequence[str]) -> int:
    defaults = TrainConfig(**TRAINING.get(preset_named(words), {}))

    def train(
        data: DataFolder,
        /,
        out: Annotated[Path, arg(help="Folder for the run: checkpoints and logs.")],
        model: Row = "LaSynth+",
        preset: Preset = "cpu",
        set: ModelSettings = (),
        resume: Annotated[bool, arg(help="Continue from the run's last checkpoint, if there is one.")] = False,
        overwrite: Annotated[bool, arg(help="Replace a run that is in the folder.")] = False,
        begin_with: Annotated[
            Path | None, arg(metavar="RUN", help="Begin with the weights of another run or of an exported model.")
        ] = None,
        processes: Annotated[
            int | None,
            arg(
                metavar="N",
                help="Processes that share every batch. Default: one for each usable core, with one thread each "
                "(OMP_NUM_THREADS sets more threads, then there are fewer processes); a resumed run keeps its number.",
            ),
        ] = None,
        config: TrainConfig = defaults,
    ) -> int:
        """Train a model on a data set; give --steps or --hours.

        A training that was stopped or killed continues with --resume. If one of its processes dies, all restart from
        the last checkpoint. On several machines, start it with torchrun. Logs are JSON Lines and, if tensorboard is
        installed, TensorBoard files.
        """
        if not config.steps and not config.hours:
            raise InputError("give --steps or --hours")
        if resume and overwrite:
            raise InputError("give either --resume or --overwrite")
        job = Job(model, read_model(data, model, preset, set), config, data, out, resume, overwrite, begin_with)
        try:
            hint = "--resume continues the run in it, --overwrite replaces it"
            with advice(hint), nothing_left(out, resume, overwrite):
                return _report(out, run_job(job, processes))
        except KeyboardInterrupt:  # the second Ctrl-C, which does not wait for the step to end
            complain(f"{out}: interrupted; --resume continues from the last checkpoint")
            return INTERRUPTED
        except Diverged as error:
            raise Diverged(f"{error} (--learning-rate)") from error

    return quiet_unless_leading(lambda: call(train, "train", words))


def read_model(data: Path, row: str, preset: str, settings: Sequence[str]) -> ModelConfig:
    """The model that the options describe, for a data set. InputError."""
    try:
        return model_config(row, preset, **{**shape_of(data), **read_settings(settings)})
    except ValueError as error:
        raise InputError(str(error)) from error


def run_job(job: Job, asked: int | None) -> Outcome:
    """Train in new processes, in this process, or as one of the processes that torchrun has started."""
    check_torchrun(asked)
    return in_processes(partial(run_training, job), 1 if is_worker() else training_processes(job, asked))


def training_processes(job: Job, asked: int | None) -> int:
    """How many processes to start: as asked, as in the run to resume, or one for each usable core. InputError."""
    batch, most = job.train.batch, process_count(asked, threads_per_process())
    if asked is not None:
        share(batch, asked)
        return asked
    if job.resume and (job.out / checkpoint.INDEX).exists():
        card = checkpoint.find(job.out, "last") / checkpoint.CARD
        return int(json.loads(card.read_text())["processes"])
    most = min(torch.cuda.device_count() or most, batch // FEWEST)
    return max((count for count in range(1, most + 1) if batch % count == 0), default=1)


def _report(out: Path, outcome: Outcome) -> int:
    """Print how the training ended. Returns the exit code."""
    figures = ", ".join(f"{name} {value:.3f}" for name, value in outcome.metrics.items())
    state = "interrupted" if outcome.interrupted else "done"
    advised = "; --resume continues it" if outcome.interrupted else ""
    if outcome.leads:
        print(f"{out}: {state} at step {outcome.step}" + (f" ({figures})" if figures else "") + advised)
    return INTERRUPTED if outcome.interrupted else 0


def preset_named(words: Sequence[str]) -> str:
    """The preset on the command line. It decides the defaults, so it must be known before options are read."""
    joined = " ".join(words).replace("--preset=", "--preset ").split()
    return next((value for option, value in pairwise(joined) if option == "--preset"), "cpu")
