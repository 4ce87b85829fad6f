"""Beam search on many tasks: seconds for 1,000 tasks at beam 64, where they go, and the accuracy lost by bfloat16.

The shipped weights, or those of a run, search in float32 and in bfloat16. Untrained weights are the worst case, because
hardly any hypothesis ends before the longest length allowed.

`python benchmarks/beam.py --out benchmarks/results/beam.json`
"""

from __future__ import annotations

import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from _measuring import parser, report

from lasynth.batch import Collator
from lasynth.checkpoint import load_model
from lasynth.config import model_config
from lasynth.domains import get_domain
from lasynth.models.build import Model, build_model
from lasynth.search import beam_search
from lasynth.settings import SearchConfig
from lasynth.solver import PRETRAINED
from lasynth.vocab import PAD

GIVEN = 5


def measure(model: Model, tasks: int, config: SearchConfig) -> dict[str, Any]:
    domain = get_domain("c")
    sampled, _ = domain.sample_tasks(Random(1), tasks, domain.options(reduce=True))
    pairs = np.array([[(e.input, e.output) for e in task.examples] for task in sampled])  # (B, K, 2, L)
    inputs, outputs = pairs[:, :, 0], pairs[:, :, 1]
    collate = Collator.of(model.config, domain)
    machine = collate.machine
    io = collate.io(inputs[:, :GIVEN], outputs[:, :GIVEN])
    few = beam_search(model, io.at(slice(2)), domain.syntax, config)
    machine.run(few.tokens[0], inputs[:1], np.zeros(len(few.tokens[0]), np.int64))  # compiles both
    begin = time.perf_counter()
    found = beam_search(model, io, domain.syntax, config)
    searched = time.perf_counter() - begin
    exists = found.scores > -np.inf
    task = exists.nonzero()[0]  # (P,): the task of each candidate; the most likely candidates of a task come first
    begin = time.perf_counter()
    results, fine, _ = machine.run(found.tokens[exists], inputs, task)
    ran = time.perf_counter() - begin
    right = fine & collate.values.same(results, outputs[task])  # (P, K)
    fits = right[:, :GIVEN].all(axis=1)
    _, first = np.unique(task[fits], return_index=True)  # the first candidate of each task that fits
    return {
        "tasks": tasks,
        "seconds of search": round(searched, 1),
        "tasks/s": round(tasks / searched, 2),
        "seconds for 1,000 tasks at this rate": round(1000 * searched / tasks, 1),
        "seconds to run all candidates on ten lists": round(ran, 3),
        "candidates": int(exists.sum()),
        "mean length of a candidate": round(float((found.tokens[exists] != PAD).sum(axis=1).mean()), 1),
        "first consistent, %": round(100 * float(right[fits][first].all(axis=1).sum()) / tasks, 2),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--run", type=Path, default=PRETRAINED / "c", help="trained run; default: shipped weights")
    accepted.add_argument("--rows", nargs="*", default=["LaSynth+", "NoExecutor"], help="rows to measure untrained")
    accepted.add_argument("--tasks", type=int, default=1000, help="tasks for trained weights")
    accepted.add_argument("--untrained-tasks", type=int, default=32, help="tasks for untrained weights")
    accepted.add_argument("--beam", type=int, default=64, help="beam width")
    accepted.add_argument("--max-length", type=int, default=40, help="most lexemes of a program, for trained weights")
    arguments = accepted.parse_args()
    loaded = load_model(arguments.run)
    result: dict[str, Any] = {
        "benchmark": "beam",
        "weights": f"{loaded.card['name']} after {loaded.card['programs']:,} programs",
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "beam": arguments.beam,
        "longest program": arguments.max_length,
    }
    for precision in ("bfloat16", "float32"):
        config = SearchConfig(arguments.beam, arguments.max_length, bf16=precision == "bfloat16")
        result[precision] = measure(loaded.model, arguments.tasks, config)
    for row in arguments.rows:
        model = build_model(model_config(row, "cpu"), loaded.domain).eval()
        result[f"{row}, untrained, bfloat16"] = measure(
            model, arguments.untrained_tasks, SearchConfig(arguments.beam, bf16=True)
        )
    report(result, arguments.out)


if __name__ == "__main__":
    main()
