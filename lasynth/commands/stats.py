"""`lasynth stats`: the distributions of a data set."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import console, write_text
from lasynth.describe import describe, tables


def stats(
    data: Annotated[Path, arg(metavar="DATA", help="The folder of a data set, or one of its Parquet files.")],
    other: Annotated[Path | None, arg(metavar="OTHER", help="Another data set to compare with.")] = None,
    /,
    split: Annotated[Literal["train", "val", "test"], arg(help="Which split of a folder.")] = "train",
    limit: Annotated[int, arg(help="Maximum number of tasks to read.")] = 50_000,
    json: Annotated[Path | None, arg(metavar="FILE", help="Also write the figures to this file.")] = None,
) -> int:
    """Print the distributions of a data set beside those of another one or published figures, with their distances."""
    report = describe(data, other, split, limit)
    for table in tables(report):
        console().print(table, "")
    if json is not None:
        write_text(json, json_format.dumps(report, indent=2) + "\n")
    return 0


def main(words: Sequence[str]) -> int:
    return call(stats, "stats", words)
