"""Fits the confidence of answers in Karel (its `confidence.json`), and measures the calibration on other tasks.

    results=experiments/results/confidence_karel
    python experiments/confidence_karel.py --out $results.json --figure $results.svg \\
        --calibration lasynth/domains/karel/confidence.json

Tasks of the generator with 1 to 6 given examples. An answer is right if it agrees with the task's program on 20 other
worlds on which that program runs well. The weights are fitted on the first set of tasks, and their calibration is
measured on the second one, which has another seed. The model takes part if there are shipped weights, or with
`--weights RUN`.

Seconds are those of the process, so that other work on the computer does not change the searches. `--earlier FILE`
takes searches from an earlier result with the same seed and time limit, and adds those that are missing.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

time.perf_counter = time.process_time  # before the solver is imported

from confidence import (  # noqa: E402
    SETS,
    UNASKED,
    Sample,
    ask,
    earlier,
    fit,
    outcome,
    parser_of,
    predicted,
    publish,
    reliable,
)
from numpy.typing import NDArray  # noqa: E402

from lasynth.domains import get_domain  # noqa: E402
from lasynth.domains.karel.generator import KarelOptions, sample_examples  # noqa: E402
from lasynth.domains.solvable import calibration  # noqa: E402
from lasynth.progress import progress  # noqa: E402
from lasynth.solver import PRETRAINED  # noqa: E402
from lasynth.solver.answers import Answers  # noqa: E402
from lasynth.solver.portfolio import Later, gather, warm_up  # noqa: E402
from lasynth.solver.strategies import Symbolic  # noqa: E402

KAREL = get_domain("karel")
CALIBRATION = calibration(type(KAREL))
"""The settings in use. Their ranking of answers is kept, and only the weights of the confidence are fitted."""
NAMES = (
    "constant", "others", "margin", "closeness", "examples", "one example", "tokens", "length", "size", "rivals",
    "agreed", "not agreed",
)  # fmt: skip
"""Features that the language uses."""
HIDDEN, MOST_GIVEN = 20, 6
Row = dict[str, Any]


def samples(count: int, seed: int) -> list[Sample]:
    """`count` tasks. Their kind is the category of the program."""
    rng = Random(seed)
    tasks, _ = KAREL.sample_tasks(rng, count, KarelOptions())
    made = []
    for i, task in enumerate(tasks):
        given = list(task.examples[: 1 + i % MOST_GIVEN])
        made.append(Sample(task.category, "", given, sample_examples(rng, task.program, HIDDEN)))
    return made


def collect(tasks: Sequence[Sample], timeout: float, weights: Path) -> list[Row]:
    """Search every task symbolically, and the less certain ones with the model too, if there is one."""
    warm_up(KAREL.name)
    rows: list[Row] = []
    searches = []
    with progress({"symbolic": len(tasks)}) as report:
        for sample in tasks:
            begin = time.perf_counter()
            found = gather([Symbolic(KAREL)], Answers(KAREL, sample.given), begin, timeout)
            seconds = round(time.perf_counter() - begin, 3)
            searches.append(found)
            rows.append(
                {"kind": sample.kind, "seconds": seconds, "symbolic": outcome(found, sample), "asked": None},
            )
            report("symbolic", 1)
    if not weights.exists():
        return rows
    model, first_fit = Later(weights, KAREL, 1), fit([row["symbolic"] for row in rows if row["symbolic"]], NAMES)
    unsure = [i for i, row in enumerate(rows) if not row["symbolic"] or sure(row["symbolic"], first_fit) < UNASKED]
    ask(model, unsure, searches, tasks, rows, timeout)
    return rows


def sure(row: Row, weights: NDArray[Any]) -> float:
    return predicted(weights, row, NAMES)


def decided(row: Row, weights: NDArray[Any]) -> Row | None:
    """The outcome that the default strategy would have, and its confidence."""
    found = row["symbolic"]
    if row["asked"] is not None and (found is None or sure(found, weights) < CALIBRATION.sure):
        found = row["asked"]
    return None if found is None else {**found, "confidence": sure(found, weights)}


def summary(fit_rows: list[Row], measured: list[Row]) -> dict[str, Any]:
    """Weights of the first tasks, and their calibration on the others."""
    stages = [row[stage] for row in fit_rows for stage in ("symbolic", "asked") if row[stage] is not None]
    weights = fit(stages, NAMES).round(3)
    outcomes = [decided(row, weights) for row in measured]
    kinds = sorted({row["kind"] for row in measured})
    return {
        "tasks": {"fit": len(fit_rows), "measured": len(measured)},
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
        "median seconds": round(median(row["seconds"] for row in measured), 3),
        **reliable(outcomes),
        "by kind": {
            kind: reliable([o for o, row in zip(outcomes, measured, strict=True) if row["kind"] == kind])
            for kind in kinds
        },
    }


def main(words: list[str]) -> int:
    parser = parser_of(__doc__, 77, 1.0, "seconds of the process per task and strategy")
    parser.add_argument("--tasks", type=int, default=1000, help="tasks of each of the two sets")
    parser.add_argument("--weights", type=Path, default=PRETRAINED / KAREL.name, help="folder of the model")
    parser.add_argument("--calibration", type=Path, help="write the weights to this file, which `solve` reads")
    arguments = parser.parse_args(words)
    searches = earlier(arguments)
    for number, name in enumerate(SETS):
        done = searches.setdefault(name, [])
        tasks = samples(arguments.tasks, arguments.seed + number)  # the first ones do not depend on their number
        if tasks[len(done) :]:
            done += collect(tasks[len(done) :], arguments.timeout, arguments.weights)
    found = summary(*(searches[name] for name in SETS))
    publish(found, searches, arguments, model=arguments.weights.exists())
    if arguments.calibration:
        calibrated = {**asdict(CALIBRATION), "weights": found["weights"]}
        arguments.calibration.write_text(json.dumps(calibrated, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
