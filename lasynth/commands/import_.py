"""`lasynth import`: convert published data."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import advice
from lasynth.dataset import write_imported
from lasynth.domains import get_domain
from lasynth.progress import progress
from lasynth.task import InputError, Task


def import_(
    domain: Annotated[str, arg(metavar="LANGUAGE", help="c: the authors' code_N.c files; karel: the public JSON.")],
    source: Annotated[Path, arg(metavar="PATH", help="Folder (c) or file (karel) to read.")],
    /,
    out: Annotated[Path, arg(help="Folder for the new data set.")],
    split: Annotated[Literal["train", "val", "test"], arg(help="Name of a single set of tasks.")] = "train",
    overwrite: Annotated[bool, arg(help="Replace an existing data set.")] = False,
) -> int:
    """Convert published data of others to a data set."""
    language = get_domain(domain)
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    paths = language.import_splits(source, split)
    with progress(dict.fromkeys(paths)) as report:
        tasks = {name: _at_least_one(path, language.import_tasks(path)) for name, path in paths.items()}
        with advice("--overwrite replaces a data set"):
            sizes = write_imported(domain, tasks, out, overwrite, report)
    for name, size in sizes.items():
        print(f"{out / name}.parquet: {size} tasks")
    return 0


def _at_least_one(path: Path, tasks: Iterator[Task[Any, Any]]) -> Iterator[Task[Any, Any]]:
    """The tasks of a file or folder. InputError if it has none."""
    try:
        yield next(tasks)
    except StopIteration:
        raise InputError(f"{path} has no tasks with examples") from None
    yield from tasks


def main(words: Sequence[str]) -> int:
    return call(import_, "import", words)
