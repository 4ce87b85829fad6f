"""Arguments that several commands take, and how a function becomes a command."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional, UseAppendAction, arg

ProgramFile = Annotated[
    Positional[Path], arg(metavar="FILE", help="Program text; its ending tells the language (.c, .karel).")
]
Inputs = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]"; may be given several times.'),
]


def call(command: Callable[..., int], name: str, words: Sequence[str]) -> int:
    """Call a function with arguments read from the command line."""
    result: int = tyro.cli(command, prog=f"lasynth {name}", args=words, config=(tyro.conf.FlagCreatePairsOff,))
    return result
