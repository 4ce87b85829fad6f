"""`lasynth evaluate`: measure trained models and baselines on the tasks of a data set."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import torch

from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import console, write_text
from lasynth.evaluate import baseline_names, task_count
from lasynth.evaluate import evaluate as measure
from lasynth.figures import check_matplotlib, plot_results
from lasynth.measurement import tables
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig
from lasynth.task import InputError
from lasynth.workers import process_count, threads_per_process


def evaluate(
    paths: Annotated[
        tuple[Path, ...],
        arg(metavar="[RUN ...] DATA.parquet", help="Runs of `lasynth train`, then the file of tasks."),
    ],
    /,
    checkpoint: Annotated[Literal["best", "last"], arg(help="Which checkpoint of a run.")] = "best",
    beam: Annotated[int, arg(help="Hypotheses kept per task; 1 is greedy decoding.")] = SearchConfig.beam,
    max_length: Annotated[
        int, arg(help="Most lexemes of a program, with its end; longer hypotheses are dropped.")
    ] = SearchConfig.max_length,
    seconds: Annotated[
        float | None,
        arg(
            metavar="S",
            help=f"Time limit for each {SearchConfig.tasks} tasks. Results then depend on the machine's speed.",
        ),
    ] = None,
    bf16: Annotated[bool, arg(help="Search in bfloat16 if the processor supports it.")] = False,
    unconstrained: Annotated[bool, arg(help="Let the search write lexemes that the grammar forbids.")] = False,
    limit: Annotated[int | None, arg(metavar="N", help="Take only the first N tasks.")] = None,
    given: Annotated[
        int | None,
        arg(metavar="N", help="Examples that models see; the others are held out. Default: half; Karel: all but one."),
    ] = None,
    model: Annotated[
        str | None, arg(metavar="NAME", help="Only this baseline, e.g. ClosedForm. Default: all of the language.")
    ] = None,
    no_baselines: Annotated[bool, arg(help="Measure only the runs; Karel's baseline takes up to 5 s a task.")] = False,
    processes: Annotated[
        int | None,
        arg(
            metavar="N",
            help="Processes that share the tasks. Results do not depend on it. Default: one for each usable core.",
        ),
    ] = None,
    json: Annotated[Path | None, arg(metavar="FILE", help="Write the results to this file.")] = None,
    plots: Annotated[Path | None, arg(metavar="FOLDER", help="Draw accuracy by category and by length as PNG.")] = None,
) -> int:
    """Measure how many tasks runs and baselines solve, by category, length and novelty.

    A task is solved if the chosen program is right on the given and the held-out examples. Two rules choose it: the
    most likely program of the beam, or the first one that satisfies the given examples.
    """
    *runs, data = paths or (Path(),)
    if data.suffix != ".parquet":
        raise InputError("the last argument must be the Parquet file with the tasks")
    baselines = baseline_names(data)
    known = ", ".join(baselines)
    if not runs and model is None:
        raise InputError(f"give at least one run, or --model with a baseline ({known})")
    if model is not None and model not in baselines:
        raise InputError(f"this language has no baseline `{model}`, only {known}")
    if no_baselines and (model is not None or not runs):
        raise InputError("--no-baselines needs at least one run, and no --model")
    chosen = [] if no_baselines else baselines if model is None else [model]
    names = [*map(str, runs), *chosen]
    _check_outputs(json, plots)
    search = SearchConfig(beam, max_length, constrained=not unconstrained, seconds=seconds, bf16=bf16)
    count = 1 if processes is None and torch.cuda.is_available() else process_count(processes, threads_per_process())
    config = EvaluateConfig(search, limit, given, checkpoint, count)
    with progress(dict.fromkeys(names, task_count(data, config))) as report:
        results = measure(names, data, config, report)
    for table in tables(results):
        console().print(table, "")
    if json is not None:
        write_text(json, json_format.dumps([result.json() for result in results], indent=2) + "\n")
    if plots is not None:
        for file in plot_results(results, plots):
            print(file)
    return 0


def _check_outputs(json: Path | None, plots: Path | None) -> None:
    """InputError if the results could not be written. Checked first, because the search may take hours."""
    if json is not None and not json.absolute().parent.is_dir():
        raise InputError(f"there is no folder {json.parent} for the results")
    if plots is not None:
        check_matplotlib()


def main(words: Sequence[str]) -> int:
    return call(evaluate, "evaluate", words)
