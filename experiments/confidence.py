"""Fits the confidence of answers in restricted C (its `confidence.json`), and measures the calibration on other tasks.

    results=experiments/results/confidence
    python experiments/confidence.py --out $results.json --figure $results.svg

Four kinds of tasks, each with 1 to 10 given examples: random programs, reduced random programs, random programs with
lists of other sizes, and list problems that people type. An answer is right if it agrees with the task on 20 unseen
inputs. The weights are fitted on the first set of tasks, and their calibration is measured on the second one, which has
another seed. `--earlier FILE` takes searches from an earlier result instead of running them again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from _results import show
from numpy.typing import NDArray

from lasynth.domains import get_domain
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.solvable import calibration
from lasynth.hardware import hardware
from lasynth.progress import progress
from lasynth.solver import PRETRAINED
from lasynth.solver.answers import Answers
from lasynth.solver.confidence import Evidence, features
from lasynth.solver.doubt import memorises
from lasynth.solver.portfolio import Later, gather, warm_up
from lasynth.solver.strategies import Symbolic
from lasynth.task import Example

C = get_domain("c")
NAMES = tuple(calibration(type(C)).weights)
"""Features that restricted C uses."""
HIDDEN, MOST_GIVEN = 20, 10
BINS = 10
SETS = ("fit", "measured")
RIDGE = 1.0
"""Penalty on the squared weights."""
UNASKED = 0.6
"""The model is asked about tasks with a smaller preliminary confidence, which is more than `solve` asks
it about."""
RANGES = ((0, 9), (-9, 9), (1, 20), (-4, 4), (1, 5), (0, 99))
Ints = list[int]
TYPED: dict[str, Callable[[Ints], Ints]] = {
    "unchanged": lambda x: x,
    "plus one": lambda x: [v + 1 for v in x],
    "minus three": lambda x: [v - 3 for v in x],
    "double": lambda x: [2 * v for v in x],
    "negate": lambda x: [-v for v in x],
    "square": lambda x: [v * v for v in x],
    "zeros": lambda x: [0 for _ in x],
    "first everywhere": lambda x: [x[0] for _ in x],
    "last everywhere": lambda x: [x[-1] for _ in x],
    "reverse": lambda x: x[::-1],
    "rotate left": lambda x: x[1:] + x[:1],
    "rotate right": lambda x: x[-1:] + x[:-1],
    "swap ends": lambda x: [x[-1], *x[1:-1], x[0]],
    "swap the first two": lambda x: [x[1], x[0], *x[2:]],
    "sort": sorted,
    "sort descending": lambda x: sorted(x, reverse=True),
    "smallest first": lambda x: [min(x), *(x[:i] + x[i + 1 :] if (i := x.index(min(x))) >= 0 else x)],
    "order the first two": lambda x: [*sorted(x[:2]), *x[2:]],
    "order the ends": lambda x: x if x[0] <= x[-1] else [x[-1], *x[1:-1], x[0]],
    "at least zero": lambda x: [max(v, 0) for v in x],
    "at most five": lambda x: [min(v, 5) for v in x],
    "between one and three": lambda x: [min(max(v, 1), 3) for v in x],
    "absolute": lambda x: [abs(v) for v in x],
    "sign": lambda x: [(v > 0) - (v < 0) for v in x],
    "positive or not": lambda x: [int(v > 0) for v in x],
    "even or not": lambda x: [int(v % 2 == 0) for v in x],
    "no even numbers": lambda x: [v if v % 2 else 0 for v in x],
    "zero becomes one": lambda x: [v or 1 for v in x],
    "running sum": lambda x: [sum(x[: i + 1]) for i in range(len(x))],
    "running maximum": lambda x: [max(x[: i + 1]) for i in range(len(x))],
    "sum with the next": lambda x: [a + b for a, b in zip(x, [*x[1:], 0], strict=True)],
    "difference from the one before": lambda x: [x[0], *(b - a for a, b in pairwise(x))],
    "maximum everywhere": lambda x: [max(x) for _ in x],
    "sum first": lambda x: [sum(x), *x[1:]],
    "maximum first": lambda x: [max(x), *x[1:]],
    "plus index": lambda x: [v + i for i, v in enumerate(x)],
    "times index": lambda x: [v * i for i, v in enumerate(x)],
    "minus the first": lambda x: [v - x[0] for v in x],
    "first is zero": lambda x: [0, *x[1:]],
    "last is first plus one": lambda x: [*x[:-1], x[0] + 1],
    "reverse if it begins with zero": lambda x: x[::-1] if x[0] == 0 else x,
    "plus one if the first is larger": lambda x: [v + 1 for v in x] if x[0] > x[-1] else x,
    "zeros if the first is negative": lambda x: [0 for _ in x] if x[0] < 0 else x,
    "larger of neighbours": lambda x: [*(max(a, b) for a, b in pairwise(x)), x[-1]],
    "ranks": lambda x: [sorted(x).index(v) for v in x],
}


class Sample(NamedTuple):
    """A task: some examples are given, the others are hidden."""

    kind: str
    name: str
    given: list[Example[Any]]
    hidden: list[Example[Any]]


def samples(count: int, seed: int) -> list[Sample]:
    """`count` tasks, a fifth of each sampled kind and the rest typed ones."""
    rng, share = Random(seed), count // 5
    made: list[Sample] = []
    for kind, reduce in (("random", False), ("reduced", True)):
        made += _sampled(rng, kind, share, COptions(reduce=reduce, examples=HIDDEN + MOST_GIVEN))
    for length, low, high in ((2, -9, 9), (3, -20, 20), (4, 0, 9), (8, -9, 9)):
        options = COptions(
            examples=HIDDEN + MOST_GIVEN, reduce=True, list_length=length, smallest_value=low, largest_value=high
        )
        made += _sampled(rng, "other sizes", share // 4, options)
    while len(made) < count:
        made.append(_typed(rng, rng.choice(sorted(TYPED))))
    rng.shuffle(made)
    return made


def _sampled(rng: Random, kind: str, count: int, options: COptions) -> list[Sample]:
    tasks, _ = C.sample_tasks(rng, count, options)
    return [
        Sample(kind, "", list(task.examples[: 1 + i % MOST_GIVEN]), list(task.examples[MOST_GIVEN:]))
        for i, task in enumerate(tasks)
    ]


def _typed(rng: Random, name: str) -> Sample:
    length, (low, high) = rng.randint(2, 7), rng.choice(RANGES)
    lists = {tuple(rng.randint(low, high) for _ in range(length)) for _ in range(HIDDEN + MOST_GIVEN)}
    examples = [Example(list(x), TYPED[name](list(x))) for x in sorted(lists, key=lambda _: rng.random())]
    given = min(rng.randint(1, MOST_GIVEN), len(examples) - 3)
    return Sample("typed", name, examples[:given], examples[given:])


def outcome(answers: Answers, sample: Sample) -> dict[str, Any] | None:
    """Evidence for the best answer, its program, and whether it is right. None if there is no answer."""
    if not answers.behaviours:
        return None
    best, domain = answers.ranked()[0], answers.domain
    (outputs,) = domain.run_many([best.program], [e.input for e in sample.hidden])
    evidence = answers.evidence()._asdict()
    numbers = {name: round(min(evidence[name], 1e3), 4) for name in ("margin", "length", "rivals")}
    right = outputs == [e.output for e in sample.hidden]
    return {**evidence, **numbers, "right": right, "program": domain.text(best.program).strip()}


def collect(tasks: Sequence[Sample], timeout: float) -> list[dict[str, Any]]:
    """Search every task symbolically, and the less certain ones with the model too, if it can take them."""
    warm_up("c")
    rows: list[dict[str, Any]] = []
    searches = []
    with progress({"symbolic": len(tasks)}) as report:
        for sample in tasks:
            found = gather([Symbolic(C)], Answers(C, sample.given), time.perf_counter(), timeout)
            searches.append(found)
            rows.append({"kind": sample.kind, "name": sample.name, "symbolic": outcome(found, sample), "asked": None})
            report("symbolic", 1)
    weights = fit([row["symbolic"] for row in rows if row["symbolic"]])
    model = Later(PRETRAINED / C.name, C, 1)
    unsure = [
        i
        for i, row in enumerate(rows)
        if (row["symbolic"] is None or predicted(weights, row["symbolic"]) < UNASKED)
        and model.refusal(tasks[i].given) is None
    ]
    ask(model, unsure, searches, tasks, rows, timeout)
    return rows


def ask(
    model: Later,
    unsure: Sequence[int],
    searches: Sequence[Answers],
    tasks: Sequence[Sample],
    rows: Sequence[dict[str, Any]],
    timeout: float,
) -> None:
    """Ask the model about the unsure ones of these tasks. The outcomes become part of the rows."""
    with progress({"neural": len(unsure)}) as report:
        for i in unsure:
            found = gather([model.neural], searches[i], time.perf_counter(), timeout)
            rows[i]["asked"] = outcome(found, tasks[i])
            report("neural", 1)


# --- fit and measurement ----------------------------------------------------------------------------------------------
def _features(row: dict[str, Any], names: Sequence[str]) -> list[float]:
    found = features(Evidence(**{name: row[name] for name in Evidence._fields if name in row}))
    return [found[name] for name in names]


def fit(rows: Sequence[dict[str, Any]], names: Sequence[str] = NAMES, steps: int = 50) -> NDArray[np.float64]:
    """Logistic regression by Newton's method. (F,)"""
    x, y = np.array([_features(row, names) for row in rows]), np.array([row["right"] for row in rows], np.float64)
    weights = np.zeros(x.shape[1])
    penalty = RIDGE * np.eye(len(weights))
    penalty[0, 0] = 1e-6
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x.T * (p * (1 - p))) @ x + penalty
        weights = weights - np.linalg.solve(hessian, x.T @ (p - y) + penalty @ weights)
    return weights


def predicted(weights: NDArray[np.float64], row: dict[str, Any], names: Sequence[str] = NAMES) -> float:
    return float(1 / (1 + np.exp(-np.array(_features(row, names)) @ weights)))


def decided(row: dict[str, Any], weights: NDArray[np.float64], sure: float) -> dict[str, Any] | None:
    """The outcome that the default strategy would have, and its confidence."""
    found = row["symbolic"]
    if row["asked"] is not None and (found is None or predicted(weights, found) < sure):
        found = row["asked"]
    return None if found is None else {**found, "confidence": predicted(weights, found)}


def reliability(rows: Sequence[dict[str, Any]]) -> list[dict[str, float]]:
    """For each bin of confidence: the number of answers, their mean confidence and the share that is right."""
    p, y = np.array([row["confidence"] for row in rows]), np.array([row["right"] for row in rows], np.float64)
    number = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        {
            "answers": int((number == b).sum()),
            "confidence": round(float(p[number == b].mean()), 4),
            "right": round(float(y[number == b].mean()), 4),
        }
        for b in range(BINS)
        if (number == b).any()
    ]


def calibration_error(bins: Sequence[dict[str, float]]) -> float:
    total = sum(b["answers"] for b in bins)
    return round(sum(b["answers"] * abs(b["confidence"] - b["right"]) for b in bins) / total, 4)


def memorised(row: dict[str, Any]) -> bool:
    found = row["symbolic"]
    return found is not None and memorises(found["tokens"], found["changed"])


def fitted(rows: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    return fit([row[stage] for row in rows for stage in ("symbolic", "asked") if row[stage] is not None])


def reliable(outcomes: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
    answered = [outcome for outcome in outcomes if outcome is not None]
    bins = reliability(answered)
    return {
        "answers": len(answered),
        "right": round(float(np.mean([o["right"] for o in answered])), 4),
        "expected calibration error": calibration_error(bins),
        "brier score": round(float(np.mean([(o["confidence"] - o["right"]) ** 2 for o in answered])), 4),
        "reliability": bins,
    }


def summary(fit_rows: list[dict[str, Any]], all_rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Weights of the first tasks, and their calibration on the others. Programs that memorise are no answers."""
    weights = np.round(fitted([row for row in fit_rows if not memorised(row)]), 3)
    rows = [row for row in all_rows if not memorised(row)]
    outcomes = [decided(row, weights, calibration(type(C)).sure) for row in rows]
    kinds = sorted({row["kind"] for row in rows})
    asked = [row for row in rows if row["asked"] is not None and row["symbolic"] is not None]
    return {
        "tasks": {"fit": len(fit_rows), "measured": len(all_rows)},
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
        **reliable(outcomes),
        "by kind": {
            kind: reliable([o for o, row in zip(outcomes, rows, strict=True) if row["kind"] == kind]) for kind in kinds
        },
        "asked": {
            "tasks": len(asked),
            "symbolic right": sum(row["symbolic"]["right"] for row in asked),
            "portfolio right": sum(row["asked"]["right"] for row in asked),
        },
        "memorised": {
            "tasks": len(all_rows) - len(rows),
            "right": sum(row["symbolic"]["right"] for row in all_rows if memorised(row)),
        },
    }


def draw(bins: Sequence[dict[str, float]], file: Path) -> None:
    """The reliability diagram."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.scatter([b["confidence"] for b in bins], [b["right"] for b in bins], [4 + b["answers"] for b in bins])
    axes.set(xlabel="confidence", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)


def parser_of(description: str | None, seed: int, timeout: float, what: str) -> argparse.ArgumentParser:
    """A parser with the arguments that the experiment takes in every language. `what` the timeout limits."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=seed, help="of the first set; the second one has the next seed")
    parser.add_argument("--timeout", type=float, default=timeout, help=what)
    parser.add_argument("--earlier", type=Path, help="take the searches that this result file has")
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    parser.add_argument("--figure", type=Path, help="draw the reliability diagram (needs matplotlib)")
    return parser


def earlier(arguments: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """The searches of an earlier run, by the name of their set."""
    searches: dict[str, list[dict[str, Any]]] = {}
    return json.loads(arguments.earlier.read_text())["searches"] if arguments.earlier else searches


def publish(
    found: dict[str, Any], searches: dict[str, list[dict[str, Any]]], arguments: argparse.Namespace, **facts: Any
) -> None:
    """Print the figures; write and draw them where the arguments ask for it. `facts` stand before the hardware."""
    show(found, None)
    if arguments.out:
        facts = {"seed": arguments.seed, "timeout": arguments.timeout, **facts, "hardware": hardware()}
        arguments.out.write_text(_result({**facts, **found}, searches))
    if arguments.figure:
        draw(found["reliability"], arguments.figure)


def main(words: list[str]) -> int:
    parser = parser_of(__doc__, 77, 10.0, "seconds per task")
    parser.add_argument("--tasks", type=int, default=1000, help="tasks of each of the two sets")
    arguments = parser.parse_args(words)
    searches = earlier(arguments)
    for number, name in enumerate(SETS):
        if name not in searches:
            searches[name] = collect(samples(arguments.tasks, arguments.seed + number), arguments.timeout)
    publish(summary(*(searches[name] for name in SETS)), searches, arguments)
    print(f"in use: {calibration(type(C))}")
    return 0


def _result(found: dict[str, Any], searches: dict[str, list[dict[str, Any]]]) -> str:
    """JSON with one line for each search."""
    sets = [f'  "{name}": [\n   ' + ",\n   ".join(map(json.dumps, rows)) + "\n  ]" for name, rows in searches.items()]
    return json.dumps(found, indent=1)[:-2] + ',\n "searches": {\n' + ",\n".join(sets) + "\n }\n}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
