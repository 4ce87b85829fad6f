"""`lasynth generate LANGUAGE`: make a data set of random tasks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from lasynth.commands.parser import arg, call, overview
from lasynth.commands.terminal import advice
from lasynth.dataset import DatasetPlan
from lasynth.dataset import generate as make
from lasynth.domains import DOMAINS, get_domain
from lasynth.progress import progress
from lasynth.task import InputError
from lasynth.workers import process_count

DESCRIPTION = "Make a data set of random tasks: Parquet files and a card."


def main(words: Sequence[str]) -> int:
    """Run the command of a language. Each language has options of its own."""
    if not words or words[0] not in DOMAINS:
        return overview("lasynth generate", "language", dict.fromkeys(DOMAINS, ""), DESCRIPTION, words)
    domain = get_domain(words[0])

    def generate(
        *,
        out: Annotated[Path, arg(metavar="FOLDER", help="Folder for the data set; created if it is missing.")],
        train: Annotated[int, arg(help="Tasks in train.parquet.")] = 0,
        val: Annotated[int, arg(help="Tasks in val.parquet, with programs that are not in the training set.")] = 0,
        test: Annotated[int, arg(help="Tasks in test.parquet, with programs that are not in the training set.")] = 0,
        seed: Annotated[int, arg(help="The same seed gives the same files, with any number of processes.")] = 0,
        processes: Annotated[
            int | None, arg(help="Processes that make tasks. Default: one for each usable core.")
        ] = None,
        splits: Annotated[
            Literal["distinct", "shared"] | None,
            arg(
                help="distinct: val and test have no program of train; shared: they may. Default: what is usual for "
                "the language."
            ),
        ] = None,
        overwrite: Annotated[bool, arg(help="Replace an existing data set.")] = False,
        options: domain.options,  # type: ignore[name-defined]
    ) -> int:
        sizes = {"train": train, "val": val, "test": test}
        distinct = domain.distinct_splits if splits is None else splits == "distinct"
        if not any(sizes.values()):
            raise InputError("nothing to make: give a number of tasks with --train, --val or --test")
        plan = DatasetPlan(domain.name, sizes, seed, options, distinct)
        return _write(plan, out, process_count(processes, threads=1), overwrite)

    generate.__doc__ = DESCRIPTION
    return call(generate, f"generate {domain.name}", words[1:])


def _write(plan: DatasetPlan, out: Path, processes: int, overwrite: bool) -> int:
    with progress(plan.sizes) as report, advice("--overwrite replaces a data set"):
        card: dict[str, Any] = make(plan, out, processes, overwrite, report)
    for split, entry in card["splits"].items():
        shares = ", ".join(f"{name} {count}" for name, count in entry["categories"].items())
        novel = f"; {entry['novel']} with behaviour that is not in train" if "novel" in entry else ""
        print(f"{out / split}.parquet: {plan.sizes[split]} tasks ({shares}){novel}")
    return 0
