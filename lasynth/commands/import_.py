"""`lasynth import`: convert published data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from lasynth.commands.arguments import call
from lasynth.commands.terminal import advice
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
    out: Annotated[Path, arg(help="Folder for the new data set.")],
    split: Annotated[Literal["train", "val", "test"], arg(help="Name of a single set of tasks.")] = "train",
    overwrite: Annotated[bool, arg(help="Replace an existing data set.")] = False,
) -> int:
    """Convert published data of others to a data set."""
    if domain not in DOMAINS:
        raise InputError(f"there is no language `{domain}`; known languages: {', '.join(DOMAINS)}")
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    language = get_domain(domain)
    paths = language.import_splits(source, split)
    with progress(dict.fromkeys(paths)) as report:
        tasks = {name: language.import_tasks(path) for name, path in paths.items()}
        with advice("--overwrite replaces a data set"):
            sizes = write_imported(domain, tasks, out, overwrite, report)
    for name, size in sizes.items():
        print(f"{out / name}.parquet: {size} tasks")
    return 0


def main(words: Sequence[str]) -> int:
    return call(import_, "import", words)
