"""Values that are pictures, such as worlds: side by side on the terminal, and as SVG files."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Drawing
from lasynth.solver import Difference
from lasynth.task import InputError

FAILS = "(the program fails)"
GAP = 4
"""Spaces between two pictures."""
INDENT = "  "


def check_picture(domain: AnyDomain, file: Path) -> None:
    """InputError if the language has no pictures, or the file is not for one."""
    if not isinstance(domain, Drawing):
        raise InputError(f"--picture does not support the language `{domain.name}`")
    if file.suffix.lower() != ".svg":
        raise InputError(f"--picture writes SVG: the name of the file must end in .svg, not `{file.name}`")


def drawn(domain: Drawing[Any], captions: Sequence[str], values: Sequence[Any]) -> str:
    """Pictures with captions, side by side as far as the terminal is wide. None is the output of a failed run."""
    pictures = [[caption, *_lines(domain, value)] for caption, value in zip(captions, values, strict=True)]
    width = max(shutil.get_terminal_size((100, 24)).columns - len(INDENT), 1)
    rows: list[list[list[str]]] = []
    left = 0
    for lines in pictures:
        needed = max(map(len, lines)) + GAP
        if not rows or left + needed - GAP > width:
            rows.append([])
            left = 0
        rows[-1].append(lines)
        left += needed
    return "\n\n".join(_beside(row) for row in rows)


def drawn_difference(domain: Drawing[Any], difference: Difference) -> str:
    """The world on which two programs disagree, and their outputs."""
    captions = ("for this world", "this one gives", "the next one")
    return drawn(domain, captions, (difference.input, difference.first, difference.second))


def _lines(domain: Drawing[Any], value: Any) -> list[str]:
    return [FAILS] if value is None else domain.drawn(value).split("\n")


def _beside(pictures: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, lines)) + GAP for lines in pictures]
    height = max(map(len, pictures))
    texts = []
    for i in range(height):
        cells = [(lines[i] if i < len(lines) else "").ljust(w) for lines, w in zip(pictures, widths, strict=True)]
        texts.append((INDENT + "".join(cells)).rstrip())
    return "\n".join(texts)
