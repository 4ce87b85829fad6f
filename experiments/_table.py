"""Shared by the results tables: train rows with equal budgets, evaluate them on the same tasks, keep and draw results.

A row whose JSON exists is not trained again, and an interrupted row continues from its last checkpoint.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.parquet as pq
from _results import Record, conditions, curve, plain, stored_result, write_result
from rich.console import Console

from lasynth.config import ModelConfig, model_config, read_settings
from lasynth.dataset import new_behaviours, read_card
from lasynth.evaluate import evaluate
from lasynth.figures import check_matplotlib, curves, plot_results
from lasynth.measurement import Measurement, tables
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, shape_of, train

HERE = Path(__file__).parent
INTERRUPTED = 130


@dataclass(frozen=True)
class Table:
    """What one language's table has."""

    name: str
    """Result files begin with it."""
    rows: Sequence[str]
    """Models that are trained, unless the user names others."""
    baselines: Sequence[str]
    """Rows without training."""
    settings: Mapping[str, object]
    """Training settings of all rows that differ from the defaults. `batch` is the default of an option."""


def parser_of(table: Table, text: str | None) -> argparse.ArgumentParser:
    """The options that all tables have."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", type=Path, help="Parquet file of test tasks for all rows; default: their test sets")
    parser.add_argument("--rows", nargs="+", default=list(table.rows))
    parser.add_argument("--no-baselines", action="store_true", help="leave out the rows without training")
    parser.add_argument("--preset", default="cpu")
    parser.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE", dest="changes",
        help="change settings of all rows, such as encoder=lists; they become part of the files' names",
    )  # fmt: skip
    parser.add_argument("--programs", type=int, default=300_000, help="training programs per row")
    parser.add_argument("--minutes", type=float, default=0.0, help="train every row for so long instead")
    parser.add_argument("--batch", type=int, default=table.settings.get("batch", 64))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=1000, help="number of test tasks")
    parser.add_argument("--beam", type=int, default=64, help="beam width")
    parser.add_argument("--bf16", action="store_true", help="search in bfloat16")
    parser.add_argument("--validations", type=int, default=15, help="validations per training: points of the curves")
    parser.add_argument("--validation-tasks", type=int, default=500)
    parser.add_argument("--runs", type=Path, default=Path("runs") / table.name, help="folder for checkpoints")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--figures", type=Path, default=HERE / "figures" / table.name)
    return parser


def make(table: Table, data: Mapping[str, Path | None], arguments: argparse.Namespace) -> int:
    """Measure every row on every data set, by kind of programs; print and draw the tables. Returns the exit code."""
    check_matplotlib()
    for kind, folder in data.items():
        if folder is None:
            continue
        results = []
        for row in (*([] if arguments.no_baselines else table.baselines), *arguments.rows):
            result = measure(table, row, kind, folder, arguments)
            if result is None:
                print("interrupted; run the same command again to continue", file=sys.stderr)
                return INTERRUPTED
            results.append(result)
        results += _measured_alike(table, results[-1], kind, arguments)
        budget = f"{arguments.minutes:g} minutes" if arguments.minutes else f"{arguments.programs:,} programs"
        print(f"{kind} programs, {budget} of training")
        for shown in tables(measurements(results)):
            Console().print(shown)
        draw(results, arguments.figures / name_of(kind, arguments))
    return 0


def run_table(main: Callable[[list[str]], int], name: str) -> None:
    """Call `main` with the words of the command line, and report bad input in one line."""
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"{name}: {error}")


# --- one row ----------------------------------------------------------------------------------------------------------
def name_of(kind: str, arguments: argparse.Namespace, row: str = "") -> str:
    """Names a table, or one of its rows. Changed settings, other seeds and budgets in time are part of it."""
    changes = [change.replace("=", "_") for change in arguments.changes]
    timed = f"{arguments.minutes:g}_minutes" if arguments.minutes else ""
    seed = f"seed_{arguments.seed}" if arguments.seed else ""
    return "_".join(part for part in (kind, row.replace("+", "_plus"), *changes, timed, seed) if part)


def file_of(table: Table, kind: str, row: str, arguments: argparse.Namespace) -> Path:
    """The result file of a row."""
    folder: Path = arguments.results
    return folder / f"{table.name}_{name_of(kind, arguments, row)}.json"


def measure(table: Table, row: str, kind: str, data: Path, arguments: argparse.Namespace) -> Record | None:
    """Train and evaluate a row, or read its earlier result; None if training was interrupted."""
    search = SearchConfig(beam=arguments.beam, bf16=arguments.bf16)
    learns = row not in table.baselines
    tests = arguments.fresh or data / "test.parquet"
    settings: Record = {"kind": kind, "model": row, "tasks": arguments.tasks, "test data": read_card(tests.parent)}
    if learns:
        model, config = _model(row, data, arguments), _training(table, arguments)
        settings |= {"training": asdict(config), "config": asdict(model), "search": asdict(search)}
        settings["data"] = read_card(data)
    file = file_of(table, kind, row, arguments)
    if (stored := stored_result(file, settings)) is not None:
        return stored
    result, run = dict(settings), arguments.runs / name_of(kind, arguments, row)
    if learns:
        if train(Job(row, model, config, data, run, resume=True)).interrupted:
            return None
        result |= {"curve": curve(run), "hardware": conditions()}
    name = str(run) if learns else row
    with progress({name: arguments.tasks}) as report:
        evaluation = EvaluateConfig(search, limit=arguments.tasks, checkpoint="last")
        result["test"] = evaluate([name], tests, evaluation, report)[0].json()
    result["novel"] = novel_only(result["test"]["solved"], tests, data / "train.parquet")
    write_result(file, result)
    return result


def _model(row: str, data: Path, arguments: argparse.Namespace) -> ModelConfig:
    try:
        return model_config(row, arguments.preset, **shape_of(data), **read_settings(arguments.changes))
    except ValueError as error:
        raise InputError(str(error)) from error


def _training(table: Table, arguments: argparse.Namespace) -> TrainConfig:
    steps = -(-arguments.programs // arguments.batch)
    budget = {"hours": arguments.minutes / 60} if arguments.minutes else {"steps": steps}
    validate = max(1, steps // arguments.validations)
    settings: Record = {**table.settings, "batch": arguments.batch}
    return TrainConfig(
        **budget, seed=arguments.seed, validate_every=validate, validation_tasks=arguments.validation_tasks, **settings
    )  # fmt: skip


def novel_only(solved: str, tests: Path, train: Path) -> dict[str, float]:
    """Accuracy of the first consistent program on the tasks whose behaviour no program of the training set has."""
    new = new_behaviours(pq.read_table(tests, columns=["behaviour"]), train)
    right = [mark == "1" for mark, novel in zip(solved, new, strict=False) if novel]
    return {"tasks": len(right), "first_consistent": round(100 * sum(right) / max(1, len(right)), 2)}


# --- all rows ---------------------------------------------------------------------------------------------------------
def _measured_alike(table: Table, result: Record, kind: str, arguments: argparse.Namespace) -> list[Record]:
    """Earlier results of other rows with the same budget and the same test tasks."""
    others = sorted(set(table.rows) - set(arguments.rows))
    files = [file for row in others if (file := file_of(table, kind, row, arguments)).exists()]
    stored = [json.loads(file.read_text()) for file in files]
    same = ("tasks", "test data", "training", "search", "data")
    return [other for other in stored if all(other.get(name) == plain(result.get(name)) for name in same)]


def measurements(results: list[Record]) -> list[Measurement]:
    """The tests of all rows."""
    return [Measurement.from_json(result["test"]) for result in results]


def draw(results: list[Record], folder: Path) -> None:
    """Draw bars, and curves of accuracy against programs seen and against minutes."""
    plot_results(measurements(results), folder)
    for x, name, scale in (("programs", "programs seen, thousands", 1e-3), ("seconds", "minutes of training", 1 / 60)):
        series = {
            result["model"]: [(point[x] * scale, 100 * point["accuracy"]) for point in result["curve"]]
            for result in results
            if "curve" in result
        }
        curves(series, name, "validation tasks solved greedily, %", folder / f"accuracy_against_{x}.png")
