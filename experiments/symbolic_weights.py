"""Fits the costs of the features of explanations, so that right explanations are shorter than wrong ones that fit.

    lasynth generate c --out data/reduced --train 300000 --val 500 --test 1000 --reduce
    python experiments/symbolic_weights.py data/reduced/train.parquet --tasks 4000

For each task it lists the explanations that fit the given examples; the held-out examples say which of them are right.
The weights maximise the probability of the right ones, where the probability of an explanation is proportional to
exp(-length). It prints the table of `lasynth/domains/restricted_c/symbolic/weights.py`, and how many tasks were solved
before and after.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lasynth.domains import get_domain
from lasynth.domains.restricted_c.symbolic.explanations import FEATURES, description, outputs
from lasynth.domains.restricted_c.symbolic.prices import Costs, costs_of
from lasynth.domains.restricted_c.symbolic.search import explain
from lasynth.domains.restricted_c.symbolic.weights import WEIGHTS
from lasynth.split import load_split

Listed = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""The explanations of a task: their features (E, F), and which of them are right (E,)."""


def listed(inputs: NDArray[np.int64], expected: NDArray[np.int64], given: int, costs: Costs) -> Listed | None:
    found = explain(inputs[:given], expected[:given], costs=costs)
    if not found:
        return None
    right = np.array([(outputs(f.explanation, inputs) == expected).all() for f in found])
    return np.stack([description(f.explanation) for f in found]), right


def accuracy(tasks: list[Listed | None], weights: NDArray[np.float64]) -> str:
    """How many tasks have a right explanation in first place, and how many have one anywhere."""
    first = sum(bool(t is not None and t[1][(t[0] @ weights).argmin()]) for t in tasks)
    somewhere = sum(bool(t is not None and t[1].any()) for t in tasks)
    return f"{100 * first / len(tasks):.1f}% first, {100 * somewhere / len(tasks):.1f}% listed, of {len(tasks)} tasks"


def fitted(tasks: list[Listed | None], start: NDArray[np.float64], keep: float, steps: int) -> NDArray[np.float64]:
    """Weights that make right explanations most probable; `keep` pulls them towards `start`. (F,)"""
    useful = [t for t in tasks if t is not None and t[1].any() and not t[1].all()]
    most = max(len(right) for _, right in useful)
    features = torch.zeros(len(useful), most, len(start), dtype=torch.float64)
    missing = torch.full((len(useful), most), -1e9, dtype=torch.float64)
    wrong = missing.clone()
    for i, (rows, right) in enumerate(useful):
        features[i, : len(rows)] = torch.from_numpy(rows)
        missing[i, : len(rows)] = 0
        wrong[i, : len(rows)] = torch.from_numpy(np.where(right, 0.0, -1e9))
    weights = torch.from_numpy(start.copy()).requires_grad_()
    optimizer = torch.optim.Adam([weights], 0.05)
    for _ in range(steps):
        scores = -(features @ weights)
        loss = (torch.logsumexp(scores + missing, 1) - torch.logsumexp(scores + wrong, 1)).mean()
        loss = loss + keep * (weights - torch.from_numpy(start)).square().mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return weights.detach().numpy()


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of tasks")
    parser.add_argument("--tasks", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=2, help="how often to list explanations and fit")
    parser.add_argument("--keep", type=float, default=0.02, help="penalty on changes of the weights")
    parser.add_argument("--steps", type=int, default=400, help="optimiser steps per round")
    arguments = parser.parse_args(words)
    domain = get_domain("c")
    split = load_split(arguments.data, domain).take(arguments.tasks)
    given = domain.given(split.examples)
    weights = np.array([WEIGHTS[name] for name in FEATURES])
    for _ in range(arguments.rounds):
        costs = costs_of(dict(zip(FEATURES, weights.tolist(), strict=True)))
        tasks = [
            listed(x.astype(np.int64), y.astype(np.int64), given, costs)
            for x, y in zip(split.inputs, split.outputs, strict=True)
        ]
        print("before:", accuracy(tasks, weights), file=sys.stderr)
        weights = fitted(tasks, weights, arguments.keep, arguments.steps)
        print("after: ", accuracy(tasks, weights), file=sys.stderr)
    print(json.dumps({name: round(w, 2) for name, w in zip(FEATURES, weights.tolist(), strict=True)}, indent=4))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
