"""`lasynth import`: data that others published."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from lasynth.commands.arguments import call
from lasynth.dataset import write_imported
from lasynth.domains import DOMAINS, get_domain
from lasynth.progress import progress
from lasynth.task import InputError


def import_(
    domain: Annotated[
        Positional[str], arg(metavar="LANGUAGE", help="c: the authors' code_N.c files; karel: the public JSON.")
    ],
    source: Annotated[Positional[Path], arg(metavar="PATH", help="Folder (c) or file (karel) to read.")],
    /,
    out: Annotated[Path, arg(help="Folder of the new data set.")],
    split: Annotated[Literal["train", "val", "test"], arg(help="What a single set of tasks becomes.")] = "train",
    overwrite: Annotated[bool, arg(help="Replace a data set that is there already.")] = False,
) -> int:
    """Convert data that others published to a data set of this project."""
    if domain not in DOMAINS:
        raise InputError(f"there is no language `{domain}`; there are {', '.join(DOMAINS)}")
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    speaker = get_domain(domain)
    paths = speaker.import_splits(source, split)
    with progress(dict.fromkeys(paths)) as report:
        tasks = {name: speaker.import_tasks(path) for name, path in paths.items()}
        sizes = write_imported(domain, tasks, out, overwrite, report)
    for name, size in sizes.items():
        print(f"{out / name}.parquet: {size} tasks")
    return 0


def main(words: Sequence[str]) -> int:
    return call(import_, "import", words)
