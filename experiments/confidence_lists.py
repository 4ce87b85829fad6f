"""Fits the confidence of answers in the language of lists, and measures the calibration on other tasks.

    results=experiments/results/confidence_lists
    python experiments/confidence_lists.py --out $results.json --figure $results.svg

Three kinds of tasks, each with 1 to 10 given examples: random programs of the sampler, functions that people type, and
the development tasks of List Functions (if `--data` is there). An answer is right if it agrees with the task on all
unseen inputs, which have other lengths. The weights are fitted on the first set of tasks, and their calibration is
measured on the second one: it has other random programs, other functions and other development tasks.

Seconds are those of the process, not of the wall, so that other work on the machine does not change the searches.
`--earlier FILE` takes searches from an earlier result instead of running them again.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Any

time.perf_counter = time.process_time  # before the solver is imported

import numpy as np  # noqa: E402
from confidence import Sample, earlier, fit, outcome, parser_of, predicted, publish, reliable  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from lasynth.domains import get_domain  # noqa: E402
from lasynth.domains.lists.data.inputs import ListsOptions  # noqa: E402
from lasynth.progress import progress  # noqa: E402
from lasynth.solver.answers import Answers  # noqa: E402
from lasynth.solver.portfolio import gather, warm_up  # noqa: E402
from lasynth.solver.strategies import Symbolic  # noqa: E402
from lasynth.task import Example  # noqa: E402

LISTS = get_domain("lists")
NAMES = ("constant", "odds", "distinct", "information", "tokens")
"""Features that the language uses."""
HIDDEN, MOST_GIVEN = 20, 10
SETS = ("fit", "measured")
DATA = Path(__file__).parents[2] / "shared" / "data" / "lists" / "list_functions_dev.jsonl"
OPTIONS = (
    ListsOptions(examples=HIDDEN + MOST_GIVEN, max_operations=2),
    ListsOptions(examples=HIDDEN + MOST_GIVEN, max_operations=3, smallest_value=0, largest_value=99),
    ListsOptions(examples=HIDDEN + MOST_GIVEN, max_operations=4, smallest_value=0, largest_value=9),
)
RANGES = ((0, 9), (-9, 9), (1, 20), (-4, 4), (0, 99))
Ints = list[int]
ONE_LIST: dict[str, Callable[[Ints], Any]] = {
    "sum": sum,
    "largest": max,
    "smallest": min,
    "length": len,
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "largest plus smallest": lambda x: max(x) + min(x),
    "range": lambda x: max(x) - min(x),
    "second smallest": lambda x: sorted(x)[min(1, len(x) - 1)],
    "count of even": lambda x: sum(v % 2 == 0 for v in x),
    "count above five": lambda x: sum(v > 5 for v in x),
    "count of the largest": lambda x: x.count(max(x)),
    "sum of odd": lambda x: sum(v for v in x if v % 2),
    "sum of squares": lambda x: sum(v * v for v in x),
    "length times first": lambda x: len(x) * x[0],
    "place of the largest": lambda x: x.index(max(x)),
    "middle": lambda x: x[len(x) // 2],
    "reverse": lambda x: x[::-1],
    "sort": sorted,
    "sort downwards": lambda x: sorted(x, reverse=True),
    "unique": lambda x: list(dict.fromkeys(x)),
    "without the first": lambda x: x[1:],
    "without the last": lambda x: x[:-1],
    "first two": lambda x: x[:2],
    "last three": lambda x: x[-3:],
    "every other": lambda x: x[::2],
    "add one": lambda x: [v + 1 for v in x],
    "double": lambda x: [2 * v for v in x],
    "minus the smallest": lambda x: [v - min(x) for v in x],
    "plus the place": lambda x: [v + i for i, v in enumerate(x)],
    "absolute": lambda x: [abs(v) for v in x],
    "at most five": lambda x: [min(v, 5) for v in x],
    "larger than three": lambda x: [v for v in x if v > 3],
    "even only": lambda x: [v for v in x if v % 2 == 0],
    "above the first": lambda x: [v for v in x if v > x[0]],
    "not the largest": lambda x: [v for v in x if v != max(x)],
    "running sum": lambda x: list(accumulate(x)),
    "running smallest": lambda x: list(accumulate(x, min)),
    "differences": lambda x: [b - a for a, b in pairwise(x)],
    "products of neighbours": lambda x: [b * a for a, b in pairwise(x)],
    "twice in a row": lambda x: x + x,
    "mirror": lambda x: x + x[::-1],
    "sum in front": lambda x: [sum(x), *x],
    "length at the end": lambda x: [*x, len(x)],
    "first and last": lambda x: [x[0], x[-1]],
    "smallest and largest": lambda x: [min(x), max(x)],
    "swap the first two": lambda x: [x[1], x[0], *x[2:]] if len(x) > 1 else x,
    "sorted without the largest": lambda x: sorted(x)[:-1],
    "largest first": lambda x: [max(x), *[v for v in x if v != max(x)]],
    "all positive": lambda x: int(all(v > 0 for v in x)),
    "some negative": lambda x: int(any(v < 0 for v in x)),
    "sorted": lambda x: int(x == sorted(x)),
    "sorted downwards": lambda x: int(x == sorted(x, reverse=True)),
    "the same backwards": lambda x: int(x == x[::-1]),
    "all equal": lambda x: int(len(set(x)) == 1),
    "a number twice": lambda x: int(len(set(x)) < len(x)),
    "begins with the largest": lambda x: int(x[0] == max(x)),
    "ends as it begins": lambda x: int(x[0] == x[-1]),
    "an even number of elements": lambda x: int(len(x) % 2 == 0),
    "the sum is positive": lambda x: int(sum(x) > 0),
    "a zero": lambda x: int(0 in x),
    "average": lambda x: sum(x) // len(x) if sum(x) >= 0 else -(-sum(x) // len(x)),
    "median": lambda x: sorted(x)[len(x) // 2],
    "most frequent": lambda x: max(x, key=lambda v: (x.count(v), -x.index(v))),
    "odd before even": lambda x: [v for v in x if v % 2] + [v for v in x if v % 2 == 0],
}
WITH_NUMBER: dict[str, Callable[[int, Ints], Any]] = {
    "take": lambda k, x: x[:k],
    "drop": lambda k, x: x[k:],
    "add the number": lambda k, x: [v + k for v in x],
    "times the number": lambda k, x: [v * k for v in x],
    "less than the number": lambda k, x: [v for v in x if v < k],
    "the number occurs": lambda k, x: int(k in x),
    "all below the number": lambda k, x: int(all(v < k for v in x)),
    "begins with the number": lambda k, x: int(x[0] == k),
    "count of the number": lambda k, x: x.count(k),
    "without the number": lambda k, x: [v for v in x if v != k],
    "sum plus the number": lambda k, x: sum(x) + k,
    "append": lambda k, x: [*x, k],
    "rotate": lambda k, x: x[k % len(x) :] + x[: k % len(x)],
}
TYPED = [*sorted(ONE_LIST), *sorted(WITH_NUMBER)]


def samples(count: int, seed: int, data: Path) -> list[Sample]:
    """`count` tasks, a third of each kind. An even seed takes other functions and tasks than an odd one."""
    rng, half = Random(seed), seed % 2
    made = _random(rng, count // 3)
    made += [_typed(rng, rng.choice(TYPED[half::2])) for _ in range(count // 3)]
    lines = data.read_text().splitlines()[half::2] if data.exists() else []
    made += [_development(rng, json.loads(rng.choice(lines))) for _ in range(count // 3) if lines]
    rng.shuffle(made)
    return made


def _random(rng: Random, count: int) -> list[Sample]:
    made = []
    for options in OPTIONS:
        tasks, _ = LISTS.sample_tasks(rng, count // len(OPTIONS), options)
        for task in tasks:
            given = rng.randint(1, MOST_GIVEN)
            made.append(Sample("random", "", list(task.examples[:given]), list(task.examples[MOST_GIVEN:])))
    return made


def _typed(rng: Random, name: str) -> Sample:
    low, high = rng.choice(RANGES)
    examples: dict[str, Example[Any]] = {}
    for _ in range(HIDDEN + MOST_GIVEN):
        x = [rng.randint(low, high) for _ in range(rng.randint(1, 7))]
        if name in ONE_LIST:
            examples[repr(x)] = Example(x, ONE_LIST[name](x))
        else:
            k = rng.choice([rng.randint(0, 5), rng.choice(x)]) if low >= 0 else rng.randint(0, 4)
            examples[repr((k, x))] = Example((k, x), WITH_NUMBER[name](k, x))
    drawn = list(examples.values())
    given = min(rng.randint(1, MOST_GIVEN), len(drawn) - 5)
    return Sample("typed", name, drawn[:given], drawn[given:])


def _development(rng: Random, task: dict[str, Any]) -> Sample:
    examples = [Example(e["input"], e["output"]) for e in (*task["given"], *task["held_out"])]
    rng.shuffle(examples)
    given = rng.randint(1, 8)
    return Sample("list functions", task["id"], examples[:given], examples[given:])


def collect(tasks: Sequence[Sample], timeout: float) -> list[dict[str, Any]]:
    warm_up("lists")
    rows: list[dict[str, Any]] = []
    with progress({"tasks": len(tasks)}) as report:
        for sample in tasks:
            begin = time.perf_counter()
            found = gather([Symbolic(LISTS)], Answers(LISTS, sample.given), begin, timeout)
            seconds = round(time.perf_counter() - begin, 3)
            rows.append({"kind": sample.kind, "name": sample.name, "seconds": seconds, "found": outcome(found, sample)})
            report("tasks", 1)
    return rows


def judged(weights: NDArray[np.float64], found: dict[str, Any]) -> float:
    """The confidence of an answer: as the weights say, but at most its share among all that fit."""
    rivals: float = found["rivals"]
    return min(predicted(weights, found, NAMES), 1 / (1 + rivals))


def summary(fit_rows: list[dict[str, Any]], measured: list[dict[str, Any]]) -> dict[str, Any]:
    """Weights of the first tasks, and their calibration on the others."""
    weights = fit([row["found"] for row in fit_rows if row["found"]], NAMES).round(3)
    outcomes = [row["found"] and {**row["found"], "confidence": judged(weights, row["found"])} for row in measured]
    kinds = sorted({row["kind"] for row in measured})
    return {
        "tasks": {"fit": len(fit_rows), "measured": len(measured)},
        "weights": dict(zip(NAMES, weights.tolist(), strict=True)),
        **reliable(outcomes),
        "by kind": {
            kind: reliable([o for o, row in zip(outcomes, measured, strict=True) if row["kind"] == kind])
            for kind in kinds
        },
    }


def main(words: list[str]) -> int:
    parser = parser_of(__doc__, 78, 2.0, "seconds of the process per task")
    parser.add_argument("--tasks", type=int, nargs=2, default=[750, 900], help="tasks of each of the two sets")
    parser.add_argument("--data", type=Path, default=DATA, help="development tasks of List Functions")
    arguments = parser.parse_args(words)
    searches = earlier(arguments)
    for number, name in enumerate(SETS):
        if name not in searches:
            tasks = samples(arguments.tasks[number], arguments.seed + number, arguments.data)
            searches[name] = collect(tasks, arguments.timeout)
    publish(summary(*(searches[name] for name in SETS)), searches, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
