"""What dropping faulty hypotheses brings in restricted C: the shipped model searches with and without it.

    lasynth generate c --out data/fresh2 --test 1000 --seed 2
    python experiments/dropping_c.py data/fresh2/test.parquet --out experiments/results/dropping_c.json

A hypothesis that has ended a statement outside of blocks, and faults on a given example, cannot become right. Karel's
searches drop such hypotheses. Seconds are those of the process.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch
from _results import Record, conditions, show

from lasynth.batch import Collator
from lasynth.checkpoint import load_model
from lasynth.measurement import marks
from lasynth.outcomes import search_outcomes
from lasynth.settings import SearchConfig
from lasynth.solver import PRETRAINED
from lasynth.split import load_split


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="Parquet file of test tasks")
    parser.add_argument("--run", type=Path, default=PRETRAINED / "c", help="model; default: the shipped one")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--beam", type=int, default=64)
    parser.add_argument("--out", type=Path, help="file for the figures")
    arguments = parser.parse_args(words)
    torch.set_num_threads(1)
    loaded = load_model(arguments.run)
    split = load_split(arguments.data, loaded.domain).take(arguments.tasks)
    collate, config = Collator.of(loaded.config, loaded.domain), SearchConfig(beam=arguments.beam)
    given = loaded.domain.given(split.examples)
    figures: Record = {"run": arguments.run.name, "search": asdict(config)}
    for name, drops in (("faulty hypotheses kept", False), ("faulty hypotheses dropped", True)):
        collate.machine.can_fail = drops
        begin = time.process_time()
        outcomes = search_outcomes(loaded.model, split, given, collate, loaded.domain.syntax, config)
        seconds = round(time.process_time() - begin, 1)
        figures[name] = {**asdict(outcomes.rates()), "seconds": seconds, "solved": marks(outcomes.first_consistent)}
    show({**figures, "hardware": conditions()}, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
