"""Does a learned model of likely components help the enumeration of `lists`?

    python experiments/guidance_lists.py --out experiments/results/guidance_lists.json

A logistic model predicts from properties of the examples which operations the program has. It is trained on tasks of
the sampler. Three searches with the same time are compared on development tasks: enumeration alone, enumeration with
operations that are cheaper or dearer by what the model says, and the model alone: only the operations that it finds
likeliest, all of them equally cheap.

Seconds are those of the process, so that other work on the machine changes nothing. Programs that fit are ranked by
their usual costs in all three, so that the searches differ only in what they find in time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

time.perf_counter = time.process_time  # before the search is imported

from _results import show  # noqa: E402

from lasynth.domains import get_domain  # noqa: E402
from lasynth.domains.lists.data.inputs import ListsOptions  # noqa: E402
from lasynth.domains.lists.execution.interpreter import Basic  # noqa: E402
from lasynth.domains.lists.language.nodes import Call, Expression, Program, walk  # noqa: E402
from lasynth.domains.lists.language.operations import OPERATIONS  # noqa: E402
from lasynth.domains.lists.solving import rows_of  # noqa: E402
from lasynth.domains.lists.symbolic import search as enumeration  # noqa: E402
from lasynth.domains.lists.values import check_value, parameters_of  # noqa: E402
from lasynth.hardware import hardware  # noqa: E402
from lasynth.solver.portfolio import warm_up  # noqa: E402
from lasynth.task import Example, InputError  # noqa: E402

LISTS = get_domain("lists")
DATA = Path(__file__).parents[2] / "shared" / "data" / "lists"
NAMES = sorted({operation.name for operation in OPERATIONS})
SCALE = 0.5
"""Change of an operation's cost for each nat between what the model says and what is usual."""
CHEAPER, DEARER = -1, 2
TOP = 24
"""Operations of the model alone."""
FLAT = 3
"""Their cost."""
NEVER = 99
OPTIONS = (
    ListsOptions(examples=8, max_operations=2, smallest_value=0, largest_value=99),
    ListsOptions(examples=8, max_operations=3),
    ListsOptions(examples=8, max_operations=4, smallest_value=0, largest_value=9),
)


# --- properties of examples -------------------------------------------------------------------------------------------
def _of_lists(a: list[int], k: int | None, out: list[int]) -> list[bool]:
    rest = iter(a)
    pairs = list(zip(a, out, strict=False))
    same = len(a) == len(out)
    return [
        same, len(out) < len(a), len(out) > len(a), len(out) == 2 * len(a), len(out) == len(a) + 1,
        len(out) == len(a) - 1, len(out) == 1, len(out) == k, len(out) <= 1, out == sorted(out),
        out == sorted(out, reverse=True), sorted(out) == sorted(a), set(out) <= set(a), set(a) <= set(out),
        all(v in rest for v in out), out == a[: len(out)], out == a[len(a) - len(out) :], out == a[::-1],
        out[: len(a)] == a, len(set(out)) == len(out), len(set(a)) == len(a), out[:1] == a[:1], out[-1:] == a[-1:],
        out[:1] == [max(a, default=0)], out[:1] == [min(a, default=0)], out[:1] == [sum(a)], out[:1] == [len(a)],
        out[-1:] == [sum(a)], same and len({y - x for x, y in pairs}) <= 1, same and all(y >= x for x, y in pairs),
        same and all(y % x == 0 for x, y in pairs if x), set(out) <= {0, 1}, len(set(out)) <= 1,
        all(0 <= v < len(a) for v in out), all(v >= 0 for v in out), min(a, default=0) < 0,
        all(v % 2 == 0 for v in out), all(v % 2 for v in out), k is not None and k in out,
        k is not None and same and all(y - x == k for x, y in pairs),
        sum(x == y for x, y in pairs) * 2 > len(pairs), out == list(dict.fromkeys(a)), max(out, default=0) > sum(a),
        all(v < 10 for v in out),
    ]  # fmt: skip


def _of_number(a: list[int], k: int | None, out: int) -> list[bool]:
    return [
        out in a, out in (0, 1), 0 <= out <= len(a), 0 <= out < len(a), out == len(a), out > max(a, default=0),
        out < min(a, default=0), out == sum(a), out == max(a, default=0), out == min(a, default=0),
        out == (a or [0])[0], out == (a or [0])[-1], out % 2 == 0, out == k, k is not None and out > k,
        out < 0, abs(out) > abs(sum(a)), out == len(set(a)), out % 10 == 0, a.count(out) == 1,
    ]  # fmt: skip


def properties(inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic]) -> NDArray[np.float64]:
    """Of some examples: which properties hold in all of them, and in which share. (F,)"""
    lists_seen, numbers_seen = [], []
    for row, output in zip(inputs, outputs, strict=True):
        lists = [v for v in row if isinstance(v, list)]
        numbers = [v for v in row if not isinstance(v, list)]
        a, k = lists[0] if lists else [], numbers[0] if numbers else None
        is_list = isinstance(output, list)
        lists_seen.append(_of_lists(a, k, output) if isinstance(output, list) else [False] * len(_of_lists([], 0, [])))
        numbers_seen.append([False] * len(_of_number([], 0, 0)) if is_list else _of_number(a, k, output))  # type: ignore[arg-type]
    held = np.concatenate([np.array(lists_seen, float), np.array(numbers_seen, float)], axis=1)
    kinds = [isinstance(outputs[0], list), *(sum(isinstance(v, t) for v in inputs[0]) / 2 for t in (list, int))]
    return np.concatenate([[1.0], kinds, held.min(axis=0), held.mean(axis=0)])


# --- the model --------------------------------------------------------------------------------------------------------
class Model(NamedTuple):
    weights: NDArray[np.float64]
    """(features, names)"""
    usual: NDArray[np.float64]
    """(names,) log-odds of a component without examples"""

    def log_odds(self, inputs: Sequence[Sequence[Basic]], outputs: Sequence[Basic]) -> dict[str, float]:
        """How much likelier each component is than usual, in nats."""
        return dict(zip(NAMES, (properties(inputs, outputs) @ self.weights - self.usual).tolist(), strict=True))


def components(body: Expression) -> set[str]:
    return {OPERATIONS[part.operation].name for part in walk(body) if isinstance(part, Call)}


def training_data(count: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Properties (N, F) and components (N, names) of random tasks, each with 1 to 8 examples."""
    rng, x, y = Random(seed), [], []
    for options in OPTIONS:
        tasks, _ = LISTS.sample_tasks(rng, count // len(OPTIONS), options)
        for task in tasks:
            inputs, outputs = rows_of(task.examples[: rng.randint(2, 8)])
            x.append(properties(inputs, outputs))
            used = components(task.program.body)
            y.append([name in used for name in NAMES])
    return np.array(x), np.array(y, float)


def train(x: NDArray[np.float64], y: NDArray[np.float64], steps: int = 400) -> Model:
    """Logistic regression for all components at once, by gradient descent with momentum and weight decay."""
    usual = np.log((y.mean(axis=0) + 1e-3) / (1 - y.mean(axis=0) + 1e-3))
    weights = np.zeros((x.shape[1], y.shape[1]))
    weights[0] = usual
    speed = np.zeros_like(weights)
    for _ in range(steps):
        slope = x.T @ (1 / (1 + np.exp(-x @ weights)) - y) / len(x) + 1e-4 * weights
        speed = 0.9 * speed - 1.0 * slope
        weights = weights + speed
    return Model(weights, usual)


def quality(model: Model, x: NDArray[np.float64], y: NDArray[np.float64]) -> dict[str, float]:
    """Loss in nats per task, and the share of components among the TOP likeliest; beside those without examples."""

    def measured(odds: NDArray[np.float64]) -> tuple[float, float]:
        p = 1 / (1 + np.exp(-odds))
        loss = -(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)).sum(axis=1).mean()
        first = np.argsort(-odds, axis=1)[:, :TOP]
        return round(float(loss), 3), round(float(np.take_along_axis(y, first, axis=1).sum() / y.sum()), 3)

    loss, found = measured(x @ model.weights)
    usual_loss, usual_found = measured(np.tile(model.usual, (len(x), 1)))
    return {
        "loss": loss, "loss without examples": usual_loss,
        "components among the likeliest": found, "the same without examples": usual_found,
    }  # fmt: skip


# --- searches ---------------------------------------------------------------------------------------------------------
def usual_costs(odds: dict[str, float]) -> list[int]:
    return [operation.cost for operation in OPERATIONS]


def guided_costs(odds: dict[str, float]) -> list[int]:
    """Cheaper where the model expects the component, dearer where it does not."""
    changes = {name: min(DEARER, max(CHEAPER, round(-SCALE * nats))) for name, nats in odds.items()}
    return [max(1, operation.cost + changes[operation.name]) for operation in OPERATIONS]


def model_costs(odds: dict[str, float], usual: dict[str, float]) -> list[int]:
    """Only the likeliest components."""
    likeliest = sorted(odds, key=lambda name: -(odds[name] + usual[name]))[:TOP]
    return [FLAT if operation.name in likeliest else NEVER for operation in OPERATIONS]


def attempt(
    examples: Sequence[Example[Any]], costs: Sequence[int], seconds: float
) -> tuple[Program | None, int, float]:
    """The best program that fits, by its usual cost; the number of candidates; the seconds until the first that
    fits."""
    changed = tuple(operation._replace(cost=cost) for operation, cost in zip(OPERATIONS, costs, strict=True))
    setattr(enumeration, "OPERATIONS", changed)  # noqa: B010 - the search reads the costs from there
    parameters = parameters_of(examples[0].input)
    inputs, outputs = rows_of(examples)
    search = enumeration.Search(inputs, outputs, [p.type for p in parameters], time.perf_counter() + seconds)
    found = [Program(parameters, body) for body, _ in search.run()]
    satisfied = LISTS.tester(examples)  # type: ignore[attr-defined]
    fitting = [program for program in found[:60] if satisfied(program).all()]
    first = seconds if search.first_hit is None else search.first_hit - search.begin
    best = min(fitting, key=lambda program: _cost(program.body), default=None)
    return best, search.tried, first


def _cost(body: Expression) -> int:
    return sum(OPERATIONS[part.operation].cost if isinstance(part, Call) else 2 for part in walk(body))


class Task(NamedTuple):
    kind: str
    name: str
    given: list[Example[Any]]
    held_out: list[Example[Any]]


def development(data: Path, every: int) -> list[Task]:
    """Every n-th task of the three benchmarks; those of which values are not in the language are left out."""
    typed = import_module("typed")  # of the benchmarks

    tasks = []
    for kind, file in (("List Functions", "list_functions_dev.jsonl"), ("LambdaBeam", "lambdabeam_dev.jsonl")):
        for line in (data / file).read_text().splitlines()[::every] if (data / file).exists() else []:
            task = json.loads(line)
            try:
                given, held_out = (
                    [Example(check_value(e.get("input", e.get("inputs"))), check_value(e["output"])) for e in some]
                    for some in (task["given"], task.get("held_out", []))
                )
            except InputError:
                continue
            tasks.append(Task(kind, task["id"], given, held_out))
    for problem in typed.PROBLEMS[::every]:
        rng = Random(7)
        rows = [typed.DRAWN[problem.draw](rng) for _ in range(50)]
        given, held_out = (
            [Example(check_value(typed.value_of(row)), problem.reference(*row)) for row in some]
            for some in (problem.inputs, rows)
        )
        tasks.append(Task("typed", problem.words, given, held_out))
    return tasks


def compare(model: Model, tasks: Sequence[Task], seconds: float) -> list[dict[str, Any]]:
    usual = dict(zip(NAMES, model.usual.tolist(), strict=True))
    ways: dict[str, Callable[[dict[str, float]], list[int]]] = {
        "enumeration": usual_costs,
        "guided": guided_costs,
        "model alone": lambda odds: model_costs(odds, usual),
    }
    rows = []
    for task in tasks:
        row: dict[str, Any] = {"kind": task.kind, "name": task.name}
        odds = model.log_odds(*rows_of(task.given))
        for way, costs in ways.items():
            program, tried, first = attempt(task.given, costs(odds), seconds)
            outputs = [] if program is None else LISTS.run_many([program], [e.input for e in task.held_out])[0]
            row[way] = {
                "fits": program is not None,
                "right": program is not None and outputs == [e.output for e in task.held_out],
                "candidates": tried,
                "seconds until the first that fits": round(first, 3),
            }
        rows.append(row)
        print(f"{len(rows)}/{len(tasks)}", end="\r", file=sys.stderr)
    return rows


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in sorted({row["kind"] for row in rows}):
        mine = [row for row in rows if row["kind"] == kind]
        fitted = [row for row in mine if row["enumeration"]["fits"] and row["guided"]["fits"]]
        found[kind] = {
            "tasks": len(mine),
            **{
                way: {
                    "fits": sum(row[way]["fits"] for row in mine),
                    "right": sum(row[way]["right"] for row in mine) if kind != "LambdaBeam" else None,
                    "median seconds until the first that fits": round(
                        statistics.median(row[way]["seconds until the first that fits"] for row in fitted), 3
                    ),
                }
                for way in ("enumeration", "guided", "model alone")
            },
        }
    return found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--training-tasks", type=int, default=6000)
    parser.add_argument("--seconds", type=float, default=1.0, help="of the process, for each task and way to search")
    parser.add_argument("--every", type=int, default=1, help="only every n-th development task")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args(words)
    sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
    begin = time.process_time()
    model = train(*training_data(arguments.training_tasks, 1))
    result: dict[str, Any] = {
        "seconds per task": arguments.seconds, "every": arguments.every, "hardware": hardware(),
        "training": {"tasks": arguments.training_tasks, "seconds": round(time.process_time() - begin, 1)},
        "model on other tasks of the sampler": quality(model, *training_data(600, 2)),
    }  # fmt: skip
    warm_up("lists")
    rows = compare(model, development(arguments.data, arguments.every), arguments.seconds)
    show({**result, "development tasks": summary(rows), "tasks, one by one": rows}, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
