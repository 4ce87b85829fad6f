"""What each part of Karel's `Executed` is worth: trains the model without it, and tests it on the same tasks.

    lasynth generate karel --out data/karel --train 1000000 --val 1000 --test 1000 --seed 11 --reduce --splits shared
    lasynth generate karel --out data/karel_fresh --test 1000 --seed 2026
    python experiments/view_karel.py data/karel --fresh data/karel_fresh/test.parquet

Every variant sees the same 200,000 programs in the same order. A part of the view is left out by dropping its features
before the first layer. `without states` shows the model the inputs instead of the states at the cursor, and all
examples count. `imagined states` is the row `LaSynth+`, whose executor predicts the states. Searches with and without
pruning (dropping prefixes that crash on a given world) use the same weights.
A variant that is in the result file is not trained again, and an interrupted one continues from its last checkpoint.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from _results import KAREL_TRAINING, Record, conditions, plain, write_result
from numpy.typing import NDArray
from torch import Tensor

from lasynth.config import model_config
from lasynth.dataset import read_card
from lasynth.domains.karel.learning import view
from lasynth.domains.karel.learning.programs import ENDS, LexemeMachine
from lasynth.evaluate import evaluate
from lasynth.models.real import RealExecution
from lasynth.progress import progress
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import Job, shape_of, train

RESULT = Path(__file__).parent / "results" / "view_karel.json"
IMAGINED = "imagined states"
ALSO_WITHOUT_PRUNING = ("everything", IMAGINED, "without states")
Change = AbstractContextManager[object]
Features = tuple[NDArray[np.int32], NDArray[np.int32]]


def _between(first: int, last: int) -> NDArray[np.bool_]:
    numbers = np.arange(view.FEATURES)
    return (first <= numbers) & (numbers < last)


def _planes(first: int, last: int) -> NDArray[np.bool_]:
    """Planes of the window."""
    numbers = np.arange(view.FEATURES)
    plane = numbers % view.PLANES
    return (numbers < view.GOAL_RIGHT) & (first <= plane) & (plane < last)


PARTS = {
    "walls in the window": _planes(0, 1),
    "markers in the window": _planes(1, 4),
    "differences in the window": _planes(4, view.PLANES),
    "the goal's place and direction": _between(view.GOAL_RIGHT, view.CONDITIONS),
    "conditions": _between(view.CONDITIONS, view.DONE),
    "what is right already": _between(view.DONE, view.DISTANCES),
    "distances": _between(view.DISTANCES, view.CELLS),
    "differences here, ahead and at the goal": _between(view.CELLS, view.TOTALS),
    "totals of what is left": _between(view.TOTALS, view.OUTSIDE),
    "differences outside the window": _between(view.OUTSIDE, view.FEATURES),
}
"""Parts of the view, and which features belong to each. (FEATURES,)"""


@contextmanager
def without_part(part: str) -> Iterator[None]:
    """Drop the features of a part."""
    kept, see = ~PARTS[part], view.see

    def seen(worlds: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> Features:
        features, begins = see(worlds, wanted)
        stays = kept[features]
        before = np.concatenate([[0], np.cumsum(stays)])  # features that stay, before each place
        return features[stays], before[begins].astype(np.int32)

    with patch.object(view, "see", seen):
        yield


@contextmanager
def without_states() -> Iterator[None]:
    """Show the inputs instead of the states at the cursor."""

    def states(self: RealExecution, tokens: Tensor, inputs: Tensor) -> Tensor:
        points = int(ENDS[tokens.numpy()].sum(axis=1).max(initial=0))
        return inputs.unsqueeze(1).expand(-1, points, *inputs.shape[1:])

    def last_state(self: RealExecution, tokens: Tensor, inputs: Tensor) -> Tensor:
        return inputs

    with (
        patch.object(RealExecution, "states", states),
        patch.object(RealExecution, "last_state", last_state),
        without_reach(),
    ):
        yield


def without_reach() -> Change:
    """Let all examples count, also those that do not reach the cursor."""

    def everywhere(self: RealExecution, fed: Tensor, inputs: Tensor, present: Tensor, last: bool = False) -> Tensor:
        return present.unsqueeze(-1).expand(-1, -1, 1 if last else fed.shape[1])

    return patch.object(RealExecution, "examples_at_cursor", everywhere)


@contextmanager
def without_pruning() -> Iterator[None]:
    begin = LexemeMachine.__init__

    def started(self: LexemeMachine) -> None:
        begin(self)
        self.can_fail = False

    with patch.object(LexemeMachine, "__init__", started):
        yield


VARIANTS: dict[str, Callable[[], Change]] = {
    "everything": nullcontext,
    IMAGINED: nullcontext,
    "without states": without_states,
    "all examples count everywhere": without_reach,
    **{f"without {part}": (lambda part=part: without_part(part)) for part in PARTS},  # type: ignore[misc]
}


def measure(name: str, arguments: argparse.Namespace) -> Record | None:
    """Train and test a variant; None if training was interrupted."""
    steps = -(-arguments.programs // KAREL_TRAINING["batch"])
    config = TrainConfig(
        steps=int(steps), validate_every=10**6, validation_tasks=1, seed=arguments.seed, **KAREL_TRAINING
    )
    row = "LaSynth+" if name == IMAGINED else "Executed"
    model = model_config(row, "cpu", **shape_of(arguments.data))
    run = arguments.runs / name.replace(" ", "_").replace("'", "")
    with VARIANTS[name]():
        if train(Job(row, model, config, arguments.data, run, resume=True)).interrupted:
            return None
        found: Record = {**settings_of(arguments), "training": asdict(config), "pruned": test(run, arguments)}
        if name in ALSO_WITHOUT_PRUNING:
            with without_pruning():
                found["not pruned"] = test(run, arguments)
    return {**found, "hardware": conditions()}


def settings_of(arguments: argparse.Namespace) -> Record:
    """What must be the same for all variants."""
    names = ("programs", "tasks", "beam", "seed")
    return {**{name: getattr(arguments, name) for name in names}, "test data": read_card(arguments.fresh.parent)}


def check_stored(results: Record, arguments: argparse.Namespace) -> None:
    """InputError if a stored variant was measured with other settings."""
    for name, stored in results.items():
        for setting, value in plain(settings_of(arguments)).items():
            if stored.get(setting) != value:
                raise InputError(f"{arguments.out}: `{name}` was measured with another `{setting}`; give another --out")


def test(run: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    config = EvaluateConfig(SearchConfig(beam=arguments.beam), limit=arguments.tasks, checkpoint="last")
    with progress({str(run): arguments.tasks}) as report:
        (found,) = evaluate([str(run)], arguments.fresh, config, report)
    measured = found.json()
    return {name: measured[name] for name in ("overall", "solved")}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data set with a training set")
    parser.add_argument("--fresh", type=Path, required=True, help="Parquet file of test tasks")
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="NAME")
    parser.add_argument("--programs", type=int, default=200_000, help="training programs of each variant")
    parser.add_argument("--tasks", type=int, default=1000, help="number of test tasks")
    parser.add_argument("--beam", type=int, default=64, help="beam width")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "view_karel", help="folder for checkpoints")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args(words)
    torch.set_num_threads(1)
    results: Record = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
    check_stored(results, arguments)
    for name in arguments.variants:
        if name not in results:
            found = measure(name, arguments)
            if found is None:
                return 130
            results[name] = found
            write_result(arguments.out, results)
        print(f"{name}: {results[name]['pruned']['overall']}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"view_karel: {error}")
