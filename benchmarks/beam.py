"""Beam search on many tasks with the `cpu` model: seconds for 1,000 tasks at beam 64, and where they go.

Weights are untrained unless a run is given, so that programs are as long as the search allows: a trained model, whose
hypotheses end, is faster.

`python benchmarks/beam.py --out benchmarks/results/beam.json`
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from lasynth.batch import Collator, arrays_of
from lasynth.checkpoint import load_model
from lasynth.config import model_config
from lasynth.domains import get_domain
from lasynth.models.lasynth import build_model
from lasynth.search import beam_search
from lasynth.settings import SearchConfig

GIVEN = 5


def hardware() -> dict[str, Any]:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "load before": [round(load, 2) for load in os.getloadavg()],
    }


def measure(row: str, run: Path | None, tasks: int, config: SearchConfig) -> dict[str, Any]:
    domain = get_domain("c")
    model = build_model(model_config(row, "cpu"), domain).eval() if run is None else load_model(run).model
    sampled, _ = domain.sample_tasks(Random(1), tasks, domain.options(reduce=True))
    pairs = [[(e.input, e.output) for e in task.examples] for task in sampled]
    values = np.array(pairs)  # (B, K, 2, L)
    arrays = arrays_of(domain)
    io = Collator(arrays, -4, 4).io(values[:, :GIVEN, 0], values[:, :GIVEN, 1])
    beam_search(model, io._replace(**{f: getattr(io, f)[:2] for f in io._fields}), domain.syntax, config)  # compiles
    begin = time.perf_counter()
    found = beam_search(model, io, domain.syntax, config)
    searched = time.perf_counter() - begin
    exists = found.scores > -np.inf
    begin = time.perf_counter()
    arrays.run(found.tokens[exists], values[:, :, 0], exists.nonzero()[0])
    return {
        "weights": "untrained" if run is None else str(run),
        "seconds of search": round(searched, 1),
        "tasks/s": round(tasks / searched, 2),
        "seconds to run all candidates on ten lists": round(time.perf_counter() - begin, 3),
        "candidates": int(exists.sum()),
        "mean length of a candidate": round(float((found.tokens[exists] != 0).sum(axis=1).mean()), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="+", default=["LaSynth+", "LaSynth", "NoExecutor"])
    parser.add_argument("--run", type=Path, help="a trained run instead of untrained weights; give one row with it")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument("--at-once", type=int, default=32, help="tasks searched together")
    parser.add_argument("--max-length", type=int, default=130)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    config = SearchConfig(arguments.beam, arguments.max_length, tasks=arguments.at_once, bf16=arguments.bf16)
    settings = {"benchmark": "beam", "hardware": hardware(), "tasks": arguments.tasks, "search": config.__dict__}
    result = settings | {row: measure(row, arguments.run, arguments.tasks, config) for row in arguments.rows}
    text = json.dumps(result, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
