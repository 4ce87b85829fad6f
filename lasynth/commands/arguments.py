"""Arguments that several commands take."""

from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, UseAppendAction, arg

ProgramFile = Annotated[
    Positional[Path], arg(metavar="FILE", help="Program text; its ending tells the language (.c, .karel).")
]
Inputs = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]"; may be given several times.'),
]
