"""Training speed of the `cpu` models: all lexemes in parallel against one at a time, and programs per second by row.

`python benchmarks/train_step.py [--out FILE]`. Ratios come from one run, with the same model, batch and threads.
Programs per second are measured over whole steps (loss, gradients, clipping, Adam) on batches of programs of similar
length, as in training. They are given for random and for reduced programs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import torch
from _measuring import best_time, parser, report

from lasynth.batch import WIDTH, Collator, padded
from lasynth.config import model_config
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.models.base import Batch
from lasynth.models.build import Model, build_model
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.settings import TrainConfig
from lasynth.vocab import PAD

ROWS = ("LaSynth", "LaSynth+", "NoPartialExecutor", "NoExecutor", "RobustFill", "PropertySignatures")
COMPARED = ("LaSynth", "LaSynth+", "NoExecutor")
EXAMPLES = 5
DOMAIN = RestrictedC()
COLLATE = Collator.of(model_config("LaSynth", "cpu"), DOMAIN, states=True)


def batches(count: int, size: int, reduce: bool) -> list[Batch]:
    """`count` batches of `size` tasks. The tasks are sorted by length first, like the buckets in training."""
    tasks, _ = DOMAIN.sample_tasks(Random(3), count * size, COptions(reduce=reduce))
    programs = [DOMAIN.vocab.encode(DOMAIN.unparse(task.program)) for task in tasks]
    values = np.array([[(e.input, e.output) for e in task.examples[:EXAMPLES]] for task in tasks], np.int32)
    order = np.argsort([len(program) for program in programs], kind="stable")
    return [make_batch([programs[i] for i in rows], values[rows]) for rows in order.reshape(count, size)]


def make_batch(programs: list[list[int]], values: np.ndarray[Any, Any]) -> Batch:
    return COLLATE.tasks(values[:, :, 0], values[:, :, 1], padded(programs, WIDTH))


def trainer(model: Model, bf16: bool) -> Callable[[Batch], None]:
    settings = TrainConfig()
    betas = (0.9, settings.beta2)
    optimiser = torch.optim.Adam(model.parameters(), settings.learning_rate, betas, fused=True)

    def step(batch: Batch) -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            loss = model.loss(batch).total
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimiser.step()

    return step


def programs_per_second(row: str, data: list[Batch], bf16: bool, repeats: int) -> float:
    step = trainer(build_model(model_config(row, "cpu"), DOMAIN), bf16)
    step(data[0])
    seconds = sum(best_time(lambda batch=batch: step(batch), repeats) for batch in data)  # type: ignore[misc]
    return round(sum(len(batch.tokens) for batch in data) / seconds, 1)


def parallel_ratio(row: str, batch: Batch, repeats: int) -> dict[str, float]:
    """Time of loss and gradients by both paths for one batch, in bf16 as in training."""
    model = build_model(model_config(row, "cpu"), DOMAIN)
    assert isinstance(model, EncoderDecoder)

    def by(run: Callable[[Batch], Any]) -> Callable[[], None]:
        def work() -> None:
            model.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = model.losses(run(batch), batch).total
            loss.backward()  # type: ignore[no-untyped-call]

        return work

    parallel, stepwise = (best_time(by(run), repeats) for run in (model.run_parallel, model.run_stepwise))
    return {
        "parallel, ms": round(1e3 * parallel, 1),
        "step by step, ms": round(1e3 * stepwise, 1),
        "step by step : parallel": round(stepwise / parallel, 2),
    }


def rates(data: list[Batch], repeats: int) -> dict[str, Any]:
    return {
        "mean lexemes": round(float(np.mean([(b.tokens != PAD).sum(1).float().mean() for b in data])), 1),
        "programs per second, bf16": {row: programs_per_second(row, data, True, repeats) for row in ROWS},
        "programs per second, float32": {row: programs_per_second(row, data, False, repeats) for row in COMPARED},
    }


def measure(size: int, count: int, repeats: int) -> dict[str, Any]:
    """Programs per second on batches of `size`, and both paths on such a batch and on the paper's batch of 8.

    Overhead matters more in the small batch.
    """
    result: dict[str, Any] = {
        "batch": size,
        "examples": EXAMPLES,
        "hidden": model_config("LaSynth", "cpu").hidden,
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "random programs": rates(batches(count, size, reduce=False), repeats),
        "reduced programs": rates(batches(count, size, reduce=True), repeats),
    }
    for tasks in (8, size):
        batch = batches(4, tasks, reduce=False)[2]
        result[f"both paths, {tasks} random programs of {batch.tokens.shape[1]} lexemes, bf16"] = {
            row: parallel_ratio(row, batch, repeats) for row in COMPARED
        }
    return result


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--batch", type=int, default=64)
    arguments.add_argument("--batches", type=int, default=4)
    arguments.add_argument("--repeats", type=int, default=2)
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    chosen = arguments.parse_args()
    torch.set_num_threads(chosen.threads)
    report({"benchmark": "train_step"} | measure(chosen.batch, chosen.batches, chosen.repeats), chosen.out)


if __name__ == "__main__":
    main()
