"""Ranks ideas for a model of restricted C by short trainings with the same data, seed, minutes and machine.

    lasynth generate c --out data/reduced --train 400000 --val 1000 --test 1000 --reduce --seed 1
    lasynth generate c --out data/fresh --test 1000 --seed 5
    OMP_NUM_THREADS=1 python experiments/ideas_c.py data/reduced --test data/fresh/test.parquet --minutes 8 \\
        --round fourth

Each idea is a row of the table with some settings changed. The JSON of an idea holds every validation (greedy accuracy
and losses, by programs seen and by seconds) and the result of beam search at the end. An idea that has a JSON is not
run again. `--list` shows the ideas.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from _results import Record, conditions, curve, stored_result, write_result
from rich.console import Console
from rich.table import Table

from lasynth.config import model_config
from lasynth.dataset import read_card
from lasynth.evaluate import evaluate
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, shape_of, train

HERE = Path(__file__).parent
IDEAS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "NoExecutor": ("NoExecutor", {}, {}),
    "NoExecutor, lists": ("NoExecutor", {"encoder": "lists"}, {}),
    "LaSynth": ("LaSynth", {}, {}),
    "RobustFill": ("RobustFill", {}, {}),
    "operations, attention to lexemes": ("LaSynth+", {"operation_predictor": True, "token_attention": True}, {}),
    "LaSynth+": ("LaSynth+", {}, {}),
    "Executed": ("Executed", {}, {}),
    "final loss only": ("LaSynth+", {"execution_loss": "final"}, {}),
    "every statement": ("LaSynth+", {"execute_at": "statement"}, {}),
    "latent replaces input": ("LaSynth+", {"latent_view": "replace"}, {}),
    "no overview": ("LaSynth+", {"overview": 0}, {}),
    "batch of 32": ("LaSynth+", {}, {"batch": 32}),
    "batch of 128": ("LaSynth+", {}, {"batch": 128}),
    "learning rate 2e-3": ("LaSynth+", {}, {"learning_rate": 2e-3}),
    "learning rate 5e-4": ("LaSynth+", {}, {"learning_rate": 5e-4}),
    "clip 1": ("LaSynth+", {}, {"clip": 1.0}),
    "beta2 0.999": ("LaSynth+", {}, {"beta2": 0.999}),
    "at most 24 lexemes": ("LaSynth+", {}, {"longest": 24}),
    "encoder of 256": ("LaSynth+", {"hidden": 256}, {}),
}
"""Name: row, settings of the model, settings of the training."""


def measure(idea: str, arguments: argparse.Namespace) -> Record | None:
    """Train and evaluate an idea, or read its earlier result; None if training was interrupted."""
    idea_name = idea.replace(" ", "_").replace(",", "").replace("+", "_plus")
    name = "_".join(filter(None, [arguments.round, arguments.data.name, idea_name]))
    tests = arguments.test or arguments.data / "val.parquet"
    row, changed, training = IDEAS[idea]
    model = model_config(row, "cpu", **{**shape_of(arguments.data), **changed})
    settings = {"seed": arguments.seed, "validate_every": arguments.validate_every, "validation_tasks": 300, **training}
    config = TrainConfig(hours=arguments.minutes / 60, **settings)
    result: Record = {"idea": idea, "row": row, "training": asdict(config), "config": asdict(model)}
    result |= {"data": read_card(arguments.data), "test data": read_card(tests.parent)}
    result |= {"tasks": arguments.tasks, "beam": arguments.beam}
    file = arguments.results / f"{name}.json"
    if (stored := stored_result(file, result)) is not None:
        return stored
    run = arguments.runs / name
    if train(Job(row, model, config, arguments.data, run, resume=True)).interrupted:
        return None
    result |= {"curve": curve(run), "hardware": conditions()}
    test = EvaluateConfig(SearchConfig(beam=arguments.beam, bf16=True), limit=arguments.tasks, checkpoint="last")
    with progress({str(run): arguments.tasks}) as report:
        result["test"] = evaluate([str(run)], tests, test, report)[0].json()
    write_result(file, result)
    return result


def table(results: list[Record]) -> Table:
    shown = Table(
        "idea", "programs", "programs/s", "first consistent %", "most likely %", "program loss", "execution loss"
    )
    for result in results:
        last = result["curve"][-1]
        rate, test = last["programs"] / last["seconds"], result["test"]["overall"]
        figures = [f"{test[name]:.1f}" for name in ("first_consistent", "most_likely")]
        figures += [f"{last[name]:.2f}" for name in ("program", "execution")]
        shown.add_row(result["idea"], f"{last['programs']:,}", f"{rate:.0f}", *figures)
    return shown


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="data set")
    parser.add_argument("--ideas", nargs="+", default=list(IDEAS), help="ideas to run; default: all")
    parser.add_argument("--list", action="store_true", help="show the ideas and what they change")
    parser.add_argument("--minutes", type=float, default=10, help="minutes of training per idea")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--round", help="prefix of file names, to keep results of different times apart")
    parser.add_argument("--test", type=Path, help="Parquet file of test tasks; default: the validation tasks")
    parser.add_argument("--tasks", type=int, default=500, help="number of test tasks")
    parser.add_argument("--beam", type=int, default=32, help="beam width")
    parser.add_argument("--validate-every", type=int, default=400, help="steps between validations")
    parser.add_argument("--runs", type=Path, default=Path("runs/ideas_c"), help="folder for checkpoints")
    parser.add_argument("--results", type=Path, default=HERE / "results" / "ideas_c", help="folder for JSON files")
    arguments = parser.parse_args(words)
    if arguments.list:
        for idea, (row, model, training) in IDEAS.items():
            print(f"{idea}: {row} {model | training or ''}")
        return 0
    if arguments.data is None or (unknown := set(arguments.ideas) - set(IDEAS)):
        parser.error(
            "a data set is required" if arguments.data is None else f"unknown idea: {', '.join(unknown)}; see --list"
        )
    results = []
    for idea in arguments.ideas:
        result = measure(idea, arguments)
        if result is None:
            print("interrupted; run the same command again to continue", file=sys.stderr)
            return 130
        results.append(result)
    Console().print(table(results))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"ideas_c: {error}")
