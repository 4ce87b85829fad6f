"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

from lasynth.commands.parser import arg
from lasynth.config import MODELS, PRESETS

ProgramFile = Annotated[Path, arg(metavar="FILE", help="Program; the ending names the language (.c, .karel, .lists).")]
Inputs = Annotated[
    tuple[str, ...],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]". Repeat the option for several inputs.'),
]
DataFolder = Annotated[Path, arg(metavar="DATA", help="Folder of the data set.")]
KAREL_ROWS = ("Bunel", "Shin", "LaSynth", "NoPartialExecutor", "NoExecutor", "Exec", "LaSynth+", "Executed")
"""Named here so that the help does not load the language. A test compares them."""
Row = Annotated[str, arg(help=f"Row of the table. Restricted C: {', '.join(MODELS)}. Karel: {', '.join(KAREL_ROWS)}.")]
Preset = Annotated[str, arg(help=f"Size and settings: {', '.join(PRESETS)}.")]
ModelSettings = Annotated[
    tuple[str, ...], arg(metavar="NAME=VALUE", help="A setting of the model (lasynth/config.py); can be repeated.")
]
