"""`lasynth evaluate`: trained models and baselines on the tasks of a data set."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import torch
from tyro.conf import Positional, arg

from lasynth.commands.arguments import call
from lasynth.commands.terminal import console, write_text
from lasynth.evaluate import baseline_names, tables, task_count
from lasynth.evaluate import evaluate as measure
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig
from lasynth.task import InputError
from lasynth.workers import process_count, threads_per_process


def evaluate(
    paths: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="[RUN ...] DATA.parquet", help="Runs of `lasynth train`, then the tasks."),
    ],
    /,
    checkpoint: Annotated[Literal["best", "last"], arg(help="Which of a run's checkpoints.")] = "best",
    beam: Annotated[int, arg(help="Hypotheses kept per task; 1 is greedy decoding.")] = SearchConfig.beam,
    max_length: Annotated[
        int, arg(help="Most lexemes of a program, its end included; longer ones are given up.")
    ] = SearchConfig.max_length,
    seconds: Annotated[
        float | None,
        arg(
            metavar="S",
            help=f"Longest search for {SearchConfig.tasks} tasks; what is found then depends on the machine.",
        ),
    ] = None,
    bf16: Annotated[bool, arg(help="Search in bfloat16 if the processor can.")] = False,
    unconstrained: Annotated[bool, arg(help="Let the search write what the grammar does not allow.")] = False,
    limit: Annotated[int | None, arg(metavar="N", help="Only so many tasks.")] = None,
    given: Annotated[
        int | None, arg(metavar="N", help="Examples that are shown, the others are held out; by default half of them.")
    ] = None,
    model: Annotated[
        str | None, arg(metavar="NAME", help="Only this baseline, e.g. ClosedForm; beside runs all of them are shown.")
    ] = None,
    processes: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Processes that share the tasks; by default one for each usable core. Results are the same.",
        ),
    ] = None,
    json: Annotated[Path | None, arg(metavar="FILE", help="Write the figures to this file.")] = None,
    plots: Annotated[Path | None, arg(metavar="FOLDER", help="Draw accuracy by category and by length as PNG.")] = None,
) -> int:
    """Measure runs and the language's baselines: accuracy on given and held-out examples, by category, length and novelty.

    Two rules choose among a beam's programs: the likeliest one, and the first that satisfies the given examples.
    """
    *runs, data = paths or (Path(),)
    if data.suffix != ".parquet":
        raise InputError("the last argument must be the Parquet file with the tasks")
    baselines = baseline_names(data)
    known = ", ".join(baselines)
    if not runs and model is None:
        raise InputError(f"give at least one run, or --model with a baseline ({known})")
    if model is not None and model not in baselines:
        raise InputError(f"there is no baseline `{model}` of this language; there are {known}")
    names = [*map(str, runs), *(baselines if model is None else [model])]
    if json is not None and not json.absolute().parent.is_dir():
        raise InputError(f"there is no folder {json.parent} for the figures")  # said now, not after a long search
    search = SearchConfig(beam, max_length, constrained=not unconstrained, seconds=seconds, bf16=bf16)
    count = 1 if processes is None and torch.cuda.is_available() else process_count(processes, threads_per_process())
    config = EvaluateConfig(search, limit, given, checkpoint, count)
    with progress(dict.fromkeys(names, task_count(data, config))) as report:
        results = measure(names, data, config, report)
    for table in tables(results):
        console().print(table, "")
    if json is not None:
        write_text(json, json_format.dumps(results, indent=2) + "\n")
    if plots is not None:
        from lasynth.figures import plot_results

        for file in plot_results(results, plots):
            print(file)
    return 0


def main(words: Sequence[str]) -> int:
    return call(evaluate, "evaluate", words)
