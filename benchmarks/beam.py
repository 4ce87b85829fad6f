"""Beam search on many tasks with the `cpu` model: seconds for 1,000 tasks at beam 64, and where they go.

With untrained weights hardly a hypothesis ends before the longest length allowed, which is the worst case. A trained run,
if one is given, is measured beside it; how fast it is depends on how long the programs are that it writes.

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

from lasynth.batch import Collator, arrays_of
from lasynth.checkpoint import load_model
from lasynth.config import model_config
from lasynth.domains import get_domain
from lasynth.models.lasynth import build_model
from lasynth.search import beam_search
from lasynth.settings import SearchConfig

GIVEN = 5


def measure(row: str, run: Path | None, tasks: int, config: SearchConfig) -> dict[str, Any]:
    domain = get_domain("c")
    if run is None:
        model, weights = build_model(model_config(row, "cpu"), domain).eval(), "untrained"
    else:
        loaded = load_model(run)
        model, weights = loaded.model, f"{loaded.card['name']} after {loaded.card['programs']:,} programs"
    sampled, _ = domain.sample_tasks(Random(1), tasks, domain.options(reduce=True))
    pairs = [[(e.input, e.output) for e in task.examples] for task in sampled]
    values = np.array(pairs)  # (B, K, 2, L)
    arrays = arrays_of(domain)
    io = Collator(arrays, model.config).io(values[:, :GIVEN, 0], values[:, :GIVEN, 1])
    beam_search(model, io._replace(**{f: getattr(io, f)[:2] for f in io._fields}), domain.syntax, config)  # compiles
    begin = time.perf_counter()
    found = beam_search(model, io, domain.syntax, config)
    searched = time.perf_counter() - begin
    exists = found.scores > -np.inf
    begin = time.perf_counter()
    arrays.run(found.tokens[exists], values[:, :, 0], exists.nonzero()[0])
    return {
        "weights": weights,
        "tasks": tasks,
        "seconds of search": round(searched, 1),
        "tasks/s": round(tasks / searched, 2),
        "seconds for 1,000 tasks at this rate": round(1000 * searched / tasks, 1),
        "seconds to run all candidates on ten lists": round(time.perf_counter() - begin, 3),
        "candidates": int(exists.sum()),
        "mean length of a candidate": round(float((found.tokens[exists] != 0).sum(axis=1).mean()), 1),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--rows", nargs="+", default=["LaSynth+", "LaSynth", "NoExecutor"])
    accepted.add_argument("--run", type=Path, help="a trained run, measured beside untrained weights")
    accepted.add_argument("--tasks", type=int, default=1000)
    accepted.add_argument("--untrained-tasks", type=int, help="fewer tasks for the slow untrained weights")
    accepted.add_argument("--beam", type=int, default=64)
    accepted.add_argument("--at-once", type=int, default=32, help="tasks searched together")
    accepted.add_argument("--max-length", type=int, default=130)
    accepted.add_argument("--bf16", action="store_true")
    arguments = accepted.parse_args()
    config = SearchConfig(arguments.beam, arguments.max_length, tasks=arguments.at_once, bf16=arguments.bf16)
    settings = {"search": config.__dict__, "threads": torch.get_num_threads()}
    few = arguments.untrained_tasks or arguments.tasks
    result = settings | {f"{row}, untrained": measure(row, None, few, config) for row in arguments.rows}
    if arguments.run:
        result["trained"] = measure("", arguments.run, arguments.tasks, config)
    report(result, arguments.out)


if __name__ == "__main__":
    main()
