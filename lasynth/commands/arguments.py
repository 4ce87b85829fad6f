"""Arguments that several commands share, and the function that parses a command line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional, UseAppendAction, arg

from lasynth.config import MODELS, PRESETS

ProgramFile = Annotated[
    Positional[Path], arg(metavar="FILE", help="File with a program; its ending names the language (.c, .karel).")
]
Inputs = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]". Repeat the option for several inputs.'),
]
DataFolder = Annotated[Positional[Path], arg(metavar="DATA", help="Folder of the data set.")]
Row = Annotated[str, arg(help=f"Row of the table: {', '.join(MODELS)}.")]
Preset = Annotated[str, arg(help=f"Size and settings: {', '.join(PRESETS)}.")]
ModelSettings = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(metavar="NAME=VALUE", help="A setting of the model (lasynth/config.py); can be repeated."),
]


def call(command: Callable[..., int], name: str, words: Sequence[str]) -> int:
    """Parse the words of a command line and call the command with them."""
    result: int = tyro.cli(command, prog=f"lasynth {name}", args=words, config=(tyro.conf.FlagCreatePairsOff,))
    return result
