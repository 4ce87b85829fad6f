"""The same training tasks with shorter programs, without a model: reduced, and written anew from their behaviour.

    python experiments/reduced_tasks.py data/c_50000 --out data/c_50000_reduced
    python experiments/reduced_tasks.py data/c_50000 --out data/c_50000_rewritten --rewrite

`lasynth generate c --reduce` reduces programs while it draws them, and draws again where no loop is left. So its tasks
are others. Here the tasks stay, so that what reduction brings can be set beside what retraining brings. A program does
the same as before on its examples and on more lists, as many as `generate` uses. Held-out splits are copied. The new
card is the old one with other options and types of programs; `generate` with these options makes other tasks.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from lasynth.dataset import CARD, Writer, chunked, count_tasks, new_data_set, read_card, read_tasks, to_table
from lasynth.domains import get_domain
from lasynth.domains.restricted_c.data.generator import COptions, CTask
from lasynth.domains.restricted_c.reduction.reduce import reduce_program
from lasynth.domains.restricted_c.reduction.rewrite import rewrite_program
from lasynth.parquet import schema
from lasynth.progress import progress
from lasynth.replacement import HELD_OUT
from lasynth.task import InputError

C = get_domain("c")


def shortened(task: CTask, options: COptions, numbers: np.random.Generator) -> CTask:
    """The task with a shorter program. Its examples stay."""
    shown = np.array([example.input for example in task.examples], np.int32)  # (K, L)
    more = numbers.integers(
        options.smallest_value, options.largest_value, (options.reduce_checks, shown.shape[1]), np.int32, endpoint=True
    )
    lists = np.concatenate([shown, more])
    program = reduce_program(task.program, lists)
    if options.rewrite:
        program = rewrite_program(program, lists)
    return replace(task, program=program, category=C.category(program), tokens=C.length(program))


def write(data: Path, out: Path, options: COptions, seed: int) -> None:
    """Write the data set with shorter training programs to `out`. InputError."""
    train, numbers, categories = data / "train.parquet", np.random.default_rng(seed), Counter[str]()
    tasks = count_tasks(train)
    with new_data_set(out, overwrite=False) as folder, progress({"tasks": tasks}) as report:
        writer = Writer(folder / "train.parquet", schema(C))
        try:
            for chunk in chunked(read_tasks(train, C)):
                new = [shortened(task, options, numbers) for task in chunk]
                categories.update(task.category for task in new)
                writer.write(to_table(C, new))
                report("tasks", len(new))
        finally:
            writer.close()
        for split in HELD_OUT:
            if (data / f"{split}.parquet").exists():
                shutil.copyfile(data / f"{split}.parquet", folder / f"{split}.parquet")
        (folder / CARD).write_text(json.dumps(card_of(data, options, categories), indent=2) + "\n")


def card_of(data: Path, options: COptions, categories: Counter[str]) -> dict[str, Any]:
    """The card of the data set, with the options and categories of the shorter programs."""
    card = read_card(data)
    train = {**card["splits"]["train"], "categories": dict(sorted(categories.items()))}
    return {**card, "options": asdict(options), "splits": {**card["splits"], "train": train}}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="data set of restricted C")
    parser.add_argument("--out", type=Path, required=True, help="folder of the new data set")
    parser.add_argument("--rewrite", action="store_true", help="also write programs anew from what they do")
    parser.add_argument("--seed", type=int, default=0, help="seed of the lists beside the examples")
    arguments = parser.parse_args(words)
    card = read_card(arguments.data)
    if card["domain"] != C.name or card.get("options", {}).get("reduce", True) or "relabelled" in card:
        raise InputError(f"{arguments.data} is not a data set of restricted C with random programs")
    options = replace(COptions(**card["options"]), reduce=True, rewrite=arguments.rewrite)
    write(arguments.data, arguments.out, options, arguments.seed)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"reduced_tasks: {error}")
