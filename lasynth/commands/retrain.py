"""`lasynth retrain`: train, relabel the training tasks with the model, and train again."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from rich.table import Table

from lasynth.commands.arguments import DataFolder, ModelSettings, Preset, Row
from lasynth.commands.group import INTERRUPTED, check_torchrun, decoding_processes, in_processes, quiet_unless_leading
from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import advice, complain, console, say
from lasynth.commands.train import preset_named, read_model, run_job, training_processes
from lasynth.distributed import group_size, is_worker, rank
from lasynth.relabel import Relabelled, Relabelling, relabel
from lasynth.retrain import SUMMARY, Retraining, planned_processes
from lasynth.retrain import retrain as run_stages
from lasynth.settings import TRAINING, RelabelConfig, TrainConfig
from lasynth.train import Job, Outcome

DECODING = RelabelConfig()


def main(words: Sequence[str]) -> int:
    defaults = TrainConfig(**TRAINING.get(preset_named(words), {}))

    def retrain(
        data: DataFolder,
        /,
        out: Annotated[Path, arg(help="Folder for all runs and data sets.")],
        iterations: Annotated[int, arg(help="How often to relabel the training tasks and to train again.")] = 3,
        model: Row = "LaSynth+",
        preset: Preset = "cpu",
        set: ModelSettings = (),
        beam: Annotated[int, arg(help="Relabelling: hypotheses kept per task.")] = DECODING.search.beam,
        choice: Annotated[
            Literal["likeliest", "shortest"],
            arg(help="Relabelling: which program to take if several satisfy all examples."),
        ] = DECODING.choice,
        max_length: Annotated[
            int, arg(help="Relabelling: most lexemes of a program, with its end.")
        ] = DECODING.search.max_length,
        checkpoint: Annotated[
            Literal["best", "last"], arg(help="Relabelling: which checkpoint of a training.")
        ] = DECODING.checkpoint,
        processes: Annotated[
            int | None,
            arg(
                metavar="N",
                help="Processes that share the work. Default: as for `lasynth train`, or as in the retraining to "
                "resume.",
            ),
        ] = None,
        resume: Annotated[bool, arg(help="Continue a retraining that was stopped or killed.")] = False,
        config: TrainConfig = defaults,
    ) -> int:
        """Train a model; relabel the training tasks with it; train a new model on them; and so on. Give --steps.

        Each stage is also a command: `lasynth train` and `lasynth relabel`. All trainings have the same settings. On
        several machines, start it with torchrun.
        """
        check_torchrun(processes)
        search = replace(DECODING.search, beam=beam, max_length=max_length, bf16=config.bf16)
        decoding = replace(DECODING, search=search, choice=choice, checkpoint=checkpoint)
        settings = read_model(data, model, preset, set)
        job = Retraining(model, settings, config, decoding, data, out, iterations, resume)
        job = replace(job, processes=_training_processes(job, processes))
        try:
            with advice("--resume continues a retraining"):
                entries = run_stages(job, partial(_perform, job.processes, processes), _say_once)
        except KeyboardInterrupt:  # the second Ctrl-C, which does not wait for the current step
            entries = None
        if entries is None:
            if rank() == 0:
                complain(f"{out}: interrupted; --resume continues it")
            return INTERRUPTED
        if rank() == 0:
            console().print(table(entries), "")
            print(f"{out / SUMMARY}")
        return 0

    return quiet_unless_leading(lambda: call(retrain, "retrain", words))


def _training_processes(job: Retraining, asked: int | None) -> int:
    """As asked, as in the retraining to resume, or as is usual: the same for all trainings. InputError."""
    if is_worker():
        return group_size()
    planned = planned_processes(job.out) if job.resume and asked is None else None
    return planned or training_processes(next(job.trainings()), asked)


def _perform(training: int, asked: int | None, job: Job | Relabelling) -> Outcome | Relabelled:
    """Do a stage: a training in so many processes, a relabelling in the number that was asked for, or the usual one."""
    if isinstance(job, Job):
        return run_job(job, None if is_worker() else training)
    return in_processes(partial(relabel, job), decoding_processes(asked))


def _say_once(text: str) -> None:
    if rank() == 0:
        say(text)


def table(entries: Sequence[dict[str, Any]]) -> Table:
    """What each iteration replaced, and the accuracy of its model."""
    names = ("iteration", "replaced", "shorter", "longer", "mean tokens", "programs seen", "validation accuracy")
    shown = Table(*names, title="Retraining (accuracy by greedy decoding)", title_justify="left", show_edge=False)
    for column in shown.columns:
        column.justify = "right"
    for entry in entries:
        tokens = entry.get("mean tokens after")
        shown.add_row(
            str(entry["iteration"]),
            *(f"{entry[name]:,}" for name in ("replaced", "shorter", "longer")),
            "" if tokens is None else f"{tokens:.1f}",
            f"{entry['programs seen']:,}",
            f"{100 * entry['validation accuracy']:.1f}%",
        )
    return shown
