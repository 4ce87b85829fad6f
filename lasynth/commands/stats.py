"""`lasynth stats`: what a data set looks like."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from lasynth.commands.arguments import call
from lasynth.commands.terminal import console, write_text
from lasynth.describe import describe, tables


def stats(
    data: Annotated[Positional[Path], arg(metavar="DATA", help="A data set's folder, or one of its Parquet files.")],
    other: Annotated[Positional[Path | None], arg(metavar="OTHER", help="Another one to compare with.")] = None,
    /,
    split: Annotated[Literal["train", "val", "test"], arg(help="Which file of a folder.")] = "train",
    limit: Annotated[int, arg(help="Read so many tasks at most.")] = 50_000,
    json: Annotated[Path | None, arg(metavar="FILE", help="Write the figures to this file, too.")] = None,
) -> int:
    """Print a data set's distributions, beside another's or beside published figures, with their distances."""
    report = describe(data, other, split, limit)
    for table in tables(report):
        console().print(table, "")
    if json is not None:
        write_text(json, json_format.dumps(report, indent=2) + "\n")
    return 0


def main(words: Sequence[str]) -> int:
    return call(stats, "stats", words)
