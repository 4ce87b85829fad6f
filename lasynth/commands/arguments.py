"""Arguments that several commands share."""

from pathlib import Path
from typing import Annotated

from lasynth.commands.parser import arg

ProgramFile = Annotated[
    Path, arg(metavar="FILE", help="Program; the ending names the language (.c, .karel, .lists).")
]
Inputs = Annotated[
    tuple[str, ...],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]". Repeat the option for several inputs.'),
]
