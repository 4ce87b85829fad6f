"""`lasynth relabel`: replace the programs of training tasks by those that a model decodes."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from lasynth.commands.group import INTERRUPTED, check_torchrun, decoding_processes, in_processes, quiet_unless_leading
from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import advice, complain
from lasynth.relabel import Relabelling
from lasynth.relabel import relabel as run_relabelling
from lasynth.settings import RelabelConfig, SearchConfig
from lasynth.task import InputError

DEFAULT = RelabelConfig()


def relabel(
    run: Annotated[Path, arg(metavar="RUN", help="A run of `lasynth train`, or an exported model.")],
    data: Annotated[Path, arg(metavar="DATA", help="Folder of the data set.")],
    /,
    out: Annotated[Path, arg(metavar="NEW_DATA", help="Folder for the new data set.")],
    beam: Annotated[int, arg(help="Hypotheses kept per task.")] = DEFAULT.search.beam,
    choice: Annotated[
        Literal["likeliest", "shortest"],
        arg(help="Which program to take if several satisfy all examples: the likeliest (the paper) or the shortest."),
    ] = DEFAULT.choice,
    checkpoint: Annotated[Literal["best", "last"], arg(help="Which checkpoint of a run.")] = DEFAULT.checkpoint,
    max_length: Annotated[
        int, arg(help="Most lexemes of a program, with its end; longer hypotheses are dropped.")
    ] = DEFAULT.search.max_length,
    tasks: Annotated[int, arg(help="Tasks that are searched together.")] = DEFAULT.search.tasks,
    bf16: Annotated[bool, arg(help="Search in bfloat16 if the processor supports it.")] = False,
    shard: Annotated[int, arg(help="Tasks whose programs are saved together.")] = DEFAULT.shard,
    processes: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Processes that share the tasks. The result does not depend on it. Default: one for each usable core.",
        ),
    ] = None,
    resume: Annotated[bool, arg(help="Continue a relabelling that was stopped or killed.")] = False,
    overwrite: Annotated[bool, arg(help="Replace an existing data set.")] = False,
) -> int:
    """Replace the programs of training tasks by those that a model decodes.

    A program replaces a task's own if it is right on all stored examples of the task, given and held-out. The new data
    set says for each program where it comes from; `lasynth stats DATA NEW_DATA` shows what has changed. On several
    machines, start it with torchrun.
    """
    if resume and overwrite:
        raise InputError("give either --resume or --overwrite")
    check_torchrun(processes)
    config = RelabelConfig(SearchConfig(beam, max_length, tasks=tasks, bf16=bf16), choice, checkpoint, shard)
    job = Relabelling(run, data, out, config, resume, overwrite)
    try:
        with advice("--resume continues an unfinished relabelling, --overwrite replaces what is there"):
            ended = in_processes(partial(run_relabelling, job), decoding_processes(processes))
    except KeyboardInterrupt:  # the second Ctrl-C, which does not wait for the current tasks
        complain(f"{out}: interrupted; --resume continues with the tasks that are missing")
        return INTERRUPTED
    if ended.leads and ended.entry is not None:
        print(f"{out}: {summary(ended.entry)}")
    elif ended.leads:
        print(f"{out}: interrupted; --resume continues with the tasks that are missing")
    return INTERRUPTED if ended.interrupted else 0


def summary(entry: dict[str, Any]) -> str:
    """One line: how many programs were replaced, and how their lengths changed."""
    count, replaced = entry["data"]["tasks"], entry["replaced"]
    return (
        f"{replaced:,} of {count:,} programs replaced ({100 * replaced / count:.1f}%), {entry['shorter']:,} by shorter "
        f"ones, {entry['longer']:,} by longer ones; mean length {entry['mean tokens before']:.1f} -> "
        f"{entry['mean tokens after']:.1f} tokens"
    )


def main(words: Sequence[str]) -> int:
    return quiet_unless_leading(lambda: call(relabel, "relabel", words))
