"""Iterative retraining on data sets of several sizes: trains, relabels and trains again, and tests every model.

    for tasks in 50000 100000 250000 500000; do
        lasynth generate c --out data/c_$tasks --train $tasks --val 1000 --test 1000 --seed 1
    done
    lasynth generate c --out data/fresh2 --test 1000 --seed 2
    python experiments/retraining.py data/c_50000 data/c_100000 data/c_250000 data/c_500000 \\
        --fresh data/fresh2/test.parquet --model LaSynth+ --iterations 2

The same seed gives the same first tasks, so each data set is a part of the next. All trainings of all sizes see equally
many programs, and every model is tested on the same fresh tasks. The paper counts trainings: its iteration 1 is the
model before any relabelling, here iteration 0. A data set whose JSON has all iterations is not trained again; an
interrupted retraining goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import torch
from _results import KAREL_TRAINING, Record, conditions, stored_result, write_result

from lasynth.commands.group import decoding_processes, in_processes
from lasynth.config import model_config
from lasynth.dataset import count_tasks, read_card
from lasynth.describe import describe
from lasynth.evaluate import evaluate
from lasynth.progress import progress
from lasynth.relabel import Relabelled, Relabelling, relabel
from lasynth.retrain import Retraining, retrain, summary
from lasynth.settings import EvaluateConfig, RelabelConfig, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, Outcome, shape_of, train

RESULTS = Path(__file__).parent / "results" / "retraining"
INTERRUPTED = 130
DESCRIBED = 20_000
"""At most so many training programs are described."""
LINES = ("category", "length", "C tokens")
"""Distributions that are kept: types of programs, and their lengths by the names that the languages give them."""


def retraining_of(data: Path, arguments: argparse.Namespace) -> Retraining:
    language = read_card(data)["domain"]
    settings: Record = KAREL_TRAINING if language == "karel" else {"batch": 64}
    steps = -(-arguments.programs // settings["batch"])
    config = TrainConfig(
        steps=steps, seed=arguments.seed, validate_every=max(1, steps // 15), validation_tasks=500, **settings
    )  # fmt: skip
    relabelling = RelabelConfig(choice=arguments.choice, checkpoint="last")
    relabelling = replace(relabelling, search=replace(relabelling.search, bf16=config.bf16))
    model = model_config(arguments.model, "cpu", **shape_of(data))
    out = arguments.runs / name_of(data, arguments)
    return Retraining(arguments.model, model, config, relabelling, data, out, arguments.iterations, resume=True)


def name_of(data: Path, arguments: argparse.Namespace) -> str:
    """Names the runs and the result of one data set."""
    card = read_card(data)
    reduced = "_reduced" if card["options"].get("reduce") else ""
    rewritten = "_rewritten" if card["options"].get("rewrite") else ""
    choice = "" if arguments.choice == "likeliest" else f"_{arguments.choice}"
    seed = f"_seed_{arguments.seed}" if arguments.seed else ""
    row = arguments.model.replace("+", "_plus")
    return f"{card['domain']}_{count_tasks(data / 'train.parquet')}_{row}{reduced}{rewritten}{choice}{seed}"


def perform(job: Job | Relabelling, processes: int) -> Outcome | Relabelled:
    """Do a stage. What a relabelling makes does not depend on the number of processes; a training has one."""
    return train(job) if isinstance(job, Job) else in_processes(partial(relabel, job), decoding_processes(processes))


def measure(data: Path, arguments: argparse.Namespace) -> Record | None:
    """The result of one data set; None if it was interrupted."""
    job = retraining_of(data, arguments)
    search = SearchConfig(beam=arguments.beam, bf16=True)
    settings: Record = {
        "data": read_card(data), "test data": read_card(arguments.fresh.parent), "tasks": arguments.tasks,
        "model": arguments.model, "training": asdict(job.train), "relabelling": asdict(job.relabel),
        "search": asdict(search),
    }  # fmt: skip
    file = arguments.results / f"{name_of(data, arguments)}.json"
    stored = stored_result(file, settings)
    if stored is not None and len(stored["iterations"]) > arguments.iterations:
        return stored
    known = [] if stored is None else stored["iterations"]

    def judge_new_models() -> None:
        for entry in summary(job)[len(known) :]:
            known.append({**entry, **tested(job, entry["iteration"], search, arguments)})
            write_result(file, {**settings, "iterations": known, "hardware": conditions()})

    def perform_and_test(stage: Job | Relabelling) -> Outcome | Relabelled:
        done = perform(stage, arguments.processes)
        judge_new_models()
        return done

    if retrain(job, perform_and_test, print) is None:
        return None
    judge_new_models()  # of stages that were complete before, but not tested
    return {**settings, "iterations": known}


def tested(job: Retraining, iteration: int, search: SearchConfig, arguments: argparse.Namespace) -> Record:
    """The test of an iteration's model, and its training programs."""
    run = job.run(iteration)
    with progress({str(run): arguments.tasks}) as report:
        config = EvaluateConfig(search, limit=arguments.tasks, checkpoint="last")
        (found,) = evaluate([str(run)], arguments.fresh, config, report)
    return {"test": found.json(), "programs": described(job, iteration)}


def described(job: Retraining, iteration: int) -> Record:
    """Types and lengths of the training programs of an iteration, as shares."""
    folder = job.data if iteration == 0 else job.out / f"iteration-{iteration}" / "data"
    lines = describe(folder, None, "train", DESCRIBED)["lines"]
    return {name: lines[name]["shares"] for name in LINES if name in lines}


def show(result: Record) -> None:
    print(f"{result['data']['domain']}, {result['data']['sizes']['train']:,} tasks, {result['model']}")
    for entry in result["iterations"]:
        overall = entry["test"]["overall"]
        print(
            f"  iteration {entry['iteration']}: first that fits {overall['first_consistent']:.1f}, "
            f"likeliest {overall['most_likely']:.1f}, replaced {entry['replaced']:,}, shorter {entry['shorter']:,}"
        )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="data sets with a training set")
    parser.add_argument("--fresh", type=Path, required=True, help="Parquet file of test tasks")
    parser.add_argument("--model", default="LaSynth+")
    parser.add_argument("--programs", type=int, default=600_000, help="programs of each training")
    parser.add_argument("--iterations", type=int, default=2, help="how often to relabel and train again")
    parser.add_argument("--choice", default="likeliest", choices=["likeliest", "shortest"])
    parser.add_argument("--tasks", type=int, default=1000, help="number of test tasks")
    parser.add_argument("--beam", type=int, default=64, help="beam width of the test")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1, help="processes of each relabelling")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "retraining", help="folder for runs and data sets")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args(words)
    torch.set_num_threads(1)
    for data in arguments.data:
        result = measure(data, arguments)
        if result is None:
            print("interrupted; run the same command again to continue", file=sys.stderr)
            return INTERRUPTED
        show(result)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"retraining: {error}")
