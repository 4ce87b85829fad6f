"""`lasynth train`: a model on a data set."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import torch
from tyro.conf import OmitArgPrefixes, Positional, UseAppendAction, arg

from lasynth import checkpoint
from lasynth.commands.arguments import call
from lasynth.commands.terminal import advice, complain
from lasynth.config import MODELS, PRESETS, model_config, read_settings
from lasynth.distributed import is_worker, rank
from lasynth.launcher import launch
from lasynth.settings import TRAINING, TrainConfig, share
from lasynth.task import Diverged, InputError
from lasynth.train import Job, Outcome, shape_of
from lasynth.train import train as run_training
from lasynth.workers import process_count, threads_per_process

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
FEWEST = 4
"""Fewest programs per step for a process, unless the number of processes is given: many cores do not split a small batch."""


def main(words: Sequence[str]) -> int:
    defaults = TrainConfig(**TRAINING.get(_preset_named(words), {}))

    def train(
        data: Annotated[Positional[Path], arg(metavar="DATA", help="A data set's folder.")],
        /,
        out: Annotated[Path, arg(help="Folder of the run: checkpoints and logs.")],
        model: Annotated[str, arg(help=f"Row of the table: {', '.join(MODELS)}.")] = "LaSynth+",
        preset: Annotated[str, arg(help=f"Size and settings: {', '.join(PRESETS)}.")] = "cpu",
        set: Annotated[
            UseAppendAction[tuple[str, ...]],
            arg(metavar="NAME=VALUE", help="A setting of the model (lasynth/config.py); may be given several times."),
        ] = (),
        resume: Annotated[bool, arg(help="Go on from the run's last checkpoint, if it has one.")] = False,
        begin_with: Annotated[
            Path | None, arg(metavar="RUN", help="Begin with the weights of another run or of an exported model.")
        ] = None,
        processes: Annotated[
            int | None,
            arg(
                metavar="N",
                help="Processes that share every batch; by default one for each usable core, with one thread "
                "(OMP_NUM_THREADS: more threads, fewer processes), and in a resumed run as many as it was begun with.",
            ),
        ] = None,
        config: OmitArgPrefixes[TrainConfig] = defaults,
    ) -> int:
        """Train a model on a data set; give --steps or --hours.

        Killed at any moment, it goes on with --resume. If one of its processes dies, all start again from the last
        checkpoint. On several machines, torchrun starts it. Logs are JSON Lines and, where tensorboard is installed, for
        TensorBoard.
        """
        if not config.steps and not config.hours:
            raise InputError("give --steps or --hours")
        try:
            settings = model_config(model, preset, **{**shape_of(data), **read_settings(set)})
        except ValueError as error:
            raise InputError(str(error)) from error
        job = Job(model, settings, config, data, out, resume, begin_with)
        try:
            with advice("--resume goes on with the run in it"):
                return _report(out, _run(job, processes))
        except KeyboardInterrupt:  # the second one: it did not wait for the step to end
            complain(f"{out}: interrupted; --resume goes on from the last checkpoint")
            return INTERRUPTED
        except Diverged as error:
            raise Diverged(f"{error} (--learning-rate)") from error

    return _quiet_unless_leading(lambda: call(train, "train", words))


def _quiet_unless_leading(command: Callable[[], int]) -> int:
    """Of several processes that torchrun has started, the leader alone reports an error that all of them have."""
    try:
        return command()
    except (InputError, Diverged) as error:
        if rank() == 0:
            raise
        return FAILED if isinstance(error, Diverged) else BAD_INPUT


def _run(job: Job, asked: int | None) -> Outcome:
    """Train in processes that are started here, in this process, or as one of the processes that torchrun has started."""
    if is_worker():
        if asked is not None:
            raise InputError("torchrun says how many processes there are; leave out --processes")
        return run_training(job)
    count = _processes(job, asked)
    if count > 1:
        return launch(partial(run_training, job), count, complain)
    torch.set_num_threads(threads_per_process())
    return run_training(job)


def _processes(job: Job, asked: int | None) -> int:
    """How many processes to start: as asked, as the run was begun with, or as many as there are cores to use. InputError."""
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
    """Print how the training ended; the exit code."""
    figures = ", ".join(f"{name} {value:.3f}" for name, value in outcome.metrics.items())
    state = "interrupted, --resume goes on" if outcome.interrupted else "done"
    if outcome.leads:
        print(f"{out}: {state} at step {outcome.step}" + (f" ({figures})" if figures else ""))
    return INTERRUPTED if outcome.interrupted else 0


def _preset_named(words: Sequence[str]) -> str:
    """The preset whose settings are the defaults, which must be known before the words are read."""
    joined = " ".join(words).replace("--preset=", "--preset ").split()
    return next((value for option, value in pairwise(joined) if option == "--preset"), "cpu")
