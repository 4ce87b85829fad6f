"""Memory of a process that trains on Karel's tasks: what belongs to it alone, and the mapped worlds that it shares.

    lasynth generate karel --out data/karel --train 1000000 --val 1000 --test 1000 --seed 11 --reduce --splits shared
    python benchmarks/karel_memory.py data/karel/train.parquet [--out FILE]

It reads the data set, then trains `Executed` for some steps, and reports the memory after each. Worlds are read through
mapped files: the system keeps them in memory while there is room, once for all processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from _measuring import parser, report
from karel_training import DOMAIN, trainer

from lasynth.memory import give_back_memory, own_memory
from lasynth.split import load_split


def gigabytes(count: int | None) -> float | None:
    return None if count is None else round(count / 1e9, 2)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("data", type=Path, help="Parquet file with a training set")
    arguments.add_argument("--row", default="Executed")
    arguments.add_argument("--batch", type=int, default=128)
    arguments.add_argument("--steps", type=int, default=200)
    chosen = arguments.parse_args()
    torch.set_num_threads(1)
    figures: dict[str, Any] = {"own memory at the start, GB": gigabytes(own_memory())}
    split = load_split(chosen.data, DOMAIN)
    figures |= {
        "tasks": len(split),
        "mapped worlds, GB": gigabytes(split.inputs.nbytes + split.outputs.nbytes),
        "own memory with the data set, GB": gigabytes(own_memory()),
    }
    step, most = trainer(chosen.row, "cpu", split, chosen.batch), 0
    for _ in range(chosen.steps):
        step()
        most = max(most, own_memory() or 0)
    give_back_memory()
    figures |= {
        "row": chosen.row,
        "batch": chosen.batch,
        "steps": chosen.steps,
        "own memory in training, at most, GB": gigabytes(most),
        "own memory after free memory was given back, GB": gigabytes(own_memory()),
    }
    report(figures, chosen.out)


if __name__ == "__main__":
    main()
