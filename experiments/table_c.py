"""The results table of restricted C: trains and evaluates rows with equal budgets, on random and reduced programs.

    lasynth generate c --out data/random --train 400000 --val 1000 --test 1000 --seed 1
    lasynth generate c --out data/reduced --train 400000 --val 1000 --test 1000 --seed 1 --reduce
    lasynth generate c --out data/fresh --test 1000 --seed 2
    python experiments/table_c.py --random data/random --reduced data/reduced --fresh data/fresh/test.parquet

Every row sees the same programs in the same order, and is tested on the same fresh tasks. Without --fresh it is tested
on the test set of its own data. That set contains no program of the training set, so it lacks short programs, above all
where programs are reduced. A row whose JSON exists is not trained again, and an interrupted row continues from its last
checkpoint. The figures show greedy validation accuracy against programs and minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pyarrow.parquet as pq
from _results import Record, conditions, curve, plain, stored_result, write_result
from rich.console import Console

from lasynth.config import model_config
from lasynth.dataset import new_behaviours, read_card
from lasynth.evaluate import evaluate
from lasynth.figures import check_matplotlib, curves, plot_results
from lasynth.measurement import Measurement, tables
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, shape_of, train

CLOSED_FORM = "ClosedForm"
ROWS = ["LaSynth", "LaSynth+", "NoExecutor", "RobustFill"]
HERE = Path(__file__).parent


def file_of(results: Path, kind: str, row: str) -> Path:
    return results / f"table_c_{kind}_{row.replace('+', '_plus')}.json"


def measure(row: str, kind: str, data: Path, arguments: argparse.Namespace) -> Record | None:
    """Train and evaluate a row, or read its earlier result; None if training was interrupted."""
    steps = -(-arguments.programs // arguments.batch)
    config = TrainConfig(
        steps=steps, batch=arguments.batch, seed=arguments.seed, validate_every=max(1, steps // arguments.validations),
        validation_tasks=arguments.validation_tasks,
    )  # fmt: skip
    search = SearchConfig(beam=arguments.beam, bf16=arguments.bf16)
    learns = row != CLOSED_FORM
    tests = arguments.fresh or data / "test.parquet"
    settings: Record = {"kind": kind, "model": row, "tasks": arguments.tasks, "test data": read_card(tests.parent)}
    if learns:
        model = model_config(row, arguments.preset, **shape_of(data))
        settings |= {"training": asdict(config), "config": asdict(model), "search": asdict(search)}
        settings["data"] = read_card(data)
    file = file_of(arguments.results, kind, row)
    if (stored := stored_result(file, settings)) is not None:
        return stored
    result, run = dict(settings), arguments.runs / f"{kind}_{row}"
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


def novel_only(solved: str, tests: Path, train: Path) -> dict[str, float]:
    """Accuracy of the first consistent program on the tasks whose behaviour no program of the training set has."""
    new = new_behaviours(pq.read_table(tests, columns=["behaviour"]), train)
    right = [mark == "1" for mark, novel in zip(solved, new, strict=False) if novel]
    return {"tasks": len(right), "first_consistent": round(100 * sum(right) / max(1, len(right)), 2)}


def measured_alike(result: Record, kind: str, rows: set[str], folder: Path) -> list[Record]:
    """Earlier results of other rows with the same budget and the same test tasks."""
    files = [file for row in sorted(rows) if (file := file_of(folder, kind, row)).exists()]
    others = [json.loads(file.read_text()) for file in files]
    same = ("tasks", "test data", "training", "search", "data")
    return [other for other in others if all(other.get(name) == plain(result.get(name)) for name in same)]


def measurements(results: list[Record]) -> list[Measurement]:
    """The tests of all rows."""
    return [Measurement.from_json(result["test"]) for result in results]


def draw(results: list[Record], kind: str, folder: Path) -> None:
    """Draw bars for one kind of programs, and curves of accuracy against programs seen and against minutes."""
    plot_results(measurements(results), folder / kind)
    for x, name, scale in (("programs", "programs seen, thousands", 1e-3), ("seconds", "minutes of training", 1 / 60)):
        series = {
            result["model"]: [(point[x] * scale, 100 * point["accuracy"]) for point in result["curve"]]
            for result in results
            if "curve" in result
        }
        curves(series, name, "validation tasks solved greedily, %", folder / kind / f"accuracy_against_{x}.png")


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=Path, help="data set of random programs")
    parser.add_argument("--reduced", type=Path, help="data set of reduced programs")
    parser.add_argument("--fresh", type=Path, help="Parquet file of test tasks for all rows; default: their test sets")
    parser.add_argument("--rows", nargs="+", default=ROWS)
    parser.add_argument("--preset", default="cpu")
    parser.add_argument("--programs", type=int, default=300_000, help="training programs per row")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=1000, help="number of test tasks")
    parser.add_argument("--beam", type=int, default=64, help="beam width")
    parser.add_argument("--bf16", action="store_true", help="search in bfloat16")
    parser.add_argument("--validations", type=int, default=15, help="validations per training: points of the curves")
    parser.add_argument("--validation-tasks", type=int, default=500)
    parser.add_argument("--runs", type=Path, default=Path("runs/table_c"), help="folder for checkpoints")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--figures", type=Path, default=HERE / "figures" / "table_c")
    arguments = parser.parse_args(words)
    if not arguments.random and not arguments.reduced:
        parser.error("--random, --reduced or both are required")
    return arguments


def main(words: list[str]) -> int:
    arguments = arguments_of(words)
    check_matplotlib()
    for kind, data in (("random", arguments.random), ("reduced", arguments.reduced)):
        if data is None:
            continue
        results = []
        for row in (CLOSED_FORM, *arguments.rows):
            result = measure(row, kind, data, arguments)
            if result is None:
                print("interrupted; run the same command again to continue", file=sys.stderr)
                return 130
            results.append(result)
        results += measured_alike(results[-1], kind, set(ROWS) - set(arguments.rows), arguments.results)
        print(f"{kind} programs, {arguments.programs:,} seen")
        for table in tables(measurements(results)):
            Console().print(table)
        draw(results, kind, arguments.figures)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"table_c: {error}")
