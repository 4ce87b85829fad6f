"""`lasynth generate LANGUAGE`: make a data set of random tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import tyro
from tyro.conf import OmitArgPrefixes

from lasynth.commands.terminal import advice
from lasynth.dataset import DatasetPlan
from lasynth.dataset import generate as make
from lasynth.domains import DOMAINS, get_domain
from lasynth.progress import progress
from lasynth.task import InputError
from lasynth.workers import process_count

O = TypeVar("O")  # noqa: E741


@dataclass(frozen=True)
class Generate(Generic[O]):
    out: Path
    """Folder for the data set; created if it is missing."""
    options: OmitArgPrefixes[O]
    """Options of the language."""
    train: int = 0
    """Tasks in train.parquet."""
    val: int = 0
    """Tasks in val.parquet, with programs that are not in the training set."""
    test: int = 0
    """Tasks in test.parquet, with programs that are not in the training set."""
    seed: int = 0
    """The same seed gives the same files, with any number of processes."""
    processes: int | None = None
    """Processes that make tasks. Default: one for each usable core."""
    splits: Literal["distinct", "shared"] | None = None
    """distinct: val and test have no program of train; shared: they may. Default: what is usual for the language."""
    overwrite: bool = False
    """Replace an existing data set."""


def generate(domain: str, arguments: Generate[Any]) -> int:
    """Make a data set of random tasks: Parquet files and a card."""
    processes = process_count(arguments.processes, threads=1)
    sizes = {"train": arguments.train, "val": arguments.val, "test": arguments.test}
    distinct = get_domain(domain).distinct_splits if arguments.splits is None else arguments.splits == "distinct"
    if not any(sizes.values()):
        raise InputError("nothing to make: give a number of tasks with --train, --val or --test")
    plan = DatasetPlan(domain, sizes, arguments.seed, arguments.options, distinct)
    with progress(sizes) as report, advice("--overwrite replaces a data set"):
        card = make(plan, arguments.out, processes, arguments.overwrite, report)
    for split, entry in card["splits"].items():
        shares = ", ".join(f"{name} {count}" for name, count in entry["categories"].items())
        novel = f"; {entry['novel']} with behaviour that is not in train" if "novel" in entry else ""
        print(f"{arguments.out / split}.parquet: {sizes[split]} tasks ({shares}){novel}")
    return 0


def main(words: Sequence[str]) -> int:
    """Run the subcommand of a language. Each has its own options."""
    commands = {name: _command(name) for name in DOMAINS}
    flags = (tyro.conf.FlagCreatePairsOff,)
    result: int = tyro.extras.subcommand_cli_from_dict(
        commands, prog="lasynth generate", args=words, description=generate.__doc__, config=flags
    )
    return result


def _command(name: str) -> Callable[..., int]:
    def generate_tasks(arguments: Any) -> int:
        return generate(name, arguments)

    generate_tasks.__doc__ = generate.__doc__
    generate_tasks.__annotations__["arguments"] = OmitArgPrefixes[Generate[get_domain(name).options]]  # type: ignore[misc]
    return generate_tasks
