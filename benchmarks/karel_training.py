"""Training speed of Karel's models on one core: programs per second by row and preset, `cpu` and `paper`, and ratios.

    python benchmarks/karel_training.py [--out FILE]

It measures whole steps (loss, gradients, clipping, Adam) on batches of generated tasks of similar length, as in
training, on one thread: the preset `cpu` in bfloat16 if the processor can, `paper` in float32. Each figure is the best
of several rounds, in which the rows take turns. Processor time is counted, so other work on the machine matters less.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _measuring import parser, report

from lasynth.batch import Collator, Stream, StreamPlan
from lasynth.config import model_config
from lasynth.dataset import DatasetPlan, generate
from lasynth.domains.karel.domain import Karel
from lasynth.models.base import Batch
from lasynth.models.build import build_model
from lasynth.precision import half_precision
from lasynth.split import Split, load_split
from lasynth.vocab import PAD

DOMAIN = Karel()
GIVEN = 5


def tasks(count: int) -> Split:
    """Generated tasks with reduced programs."""
    sizes = {"train": count, "val": 0, "test": 0}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "data"
        generate(DatasetPlan("karel", sizes, 3, DOMAIN.options(reduce=True)), out, 1, False, lambda split, made: None)
        return load_split(out / "train.parquet", DOMAIN)


def trainer(row: str, preset: str, split: Split, batch: int) -> Callable[[], Batch]:
    """A function that makes one training step and returns its batch."""
    model = build_model(model_config(row, preset, rows=DOMAIN.rows), DOMAIN)
    states = model.config.execution_loss == "statements"
    stream = Stream(split, StreamPlan(batch, (GIVEN, GIVEN)), Collator.of(model.config, DOMAIN, states))
    optimiser = torch.optim.Adam(model.parameters(), 1e-3, fused=True)

    def step() -> Batch:
        learned = next(stream)
        with half_precision(torch.device("cpu"), preset == "cpu"):
            loss = model.loss(learned).total
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        return learned

    return step


def speed(step: Callable[[], Batch], steps: int) -> float:
    begin, programs = time.process_time(), 0
    for _ in range(steps):
        programs += len(step().tokens)
    return programs / (time.process_time() - begin)


def measure(rows: list[str], split: Split, preset: str, batch: int, steps: int, rounds: int) -> dict[str, float]:
    trainers = {row: trainer(row, preset, split, batch) for row in rows}
    best = dict.fromkeys(rows, 0.0)
    for step in trainers.values():
        step()  # the first step compiles and allocates
    for _ in range(rounds):
        for row, step in trainers.items():
            best[row] = max(best[row], round(speed(step, steps), 1))
    return best


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--rows", nargs="+", default=list(DOMAIN.rows("cpu")))
    arguments.add_argument("--batch", type=int, default=64)
    arguments.add_argument("--paper-batch", type=int, default=8)
    arguments.add_argument("--steps", type=int, default=6)
    arguments.add_argument("--rounds", type=int, default=2)
    chosen = arguments.parse_args()
    torch.set_num_threads(1)
    split = tasks(64 * 50)
    lexemes = float((split.padded(np.arange(len(split))) != PAD).sum(1).mean())
    speeds = {
        "cpu": measure(chosen.rows, split, "cpu", chosen.batch, chosen.steps, chosen.rounds),
        "paper": measure(chosen.rows, split, "paper", chosen.paper_batch, 1, 1),
    }
    figures: dict[str, Any] = {
        "batch": chosen.batch,
        "batch of the paper's preset": chosen.paper_batch,
        "mean lexemes": round(lexemes, 1),
        "torch": torch.__version__,
        "programs per second of one core": speeds,
        "cpu : paper": {row: round(speeds["cpu"][row] / speeds["paper"][row], 1) for row in chosen.rows},
    }
    report(figures, chosen.out)


if __name__ == "__main__":
    main()
