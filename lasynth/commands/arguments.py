"""Arguments that several commands share, and the function that parses a command line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional, UseAppendAction, arg

ProgramFile = Annotated[
    Positional[Path],
    arg(metavar="FILE", help="Program; the ending names the language (.c, .karel, .lists)."),
]
Inputs = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]". Repeat the option for several inputs.'),
]


def call(command: Callable[..., int], name: str, words: Sequence[str]) -> int:
    """Parse the words of a command line and call the command with them."""
    result: int = tyro.cli(command, prog=f"lasynth {name}", args=words, config=(tyro.conf.FlagCreatePairsOff,))
    return result
