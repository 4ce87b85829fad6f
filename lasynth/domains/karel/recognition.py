"""Tells whether a text holds Karel worlds. It imports nothing, so that other languages do not wait for it."""

from __future__ import annotations

import re

COMMENT = "//"
"""Begins a line that is a comment. `#` is a wall."""
ARROW = re.compile(r"-+>|=+>|[→⇒↦]")
KEYS = re.compile(r'"(hero|(inp|out)grid_(json|tensor)|program_(tokens|json))"\s*:')
HINTS = re.compile(r'"(rows|cols|crashed|blocked|markers|guid|example_index|\w{0,20}grid\w{0,20})"')
"""Keys of worlds and records that may also name inputs of a function. A text with a mistake may lack the sure ones."""
CELL = re.compile(r"[.#]|[\^>v<]?[0-9]{1,3}|[\^>v<]")
TELLING = re.compile(r"\.|[\^>v<][0-9]{0,3}")
"""An empty cell or the robot. Lists have neither."""


def may_be_worlds(text: str) -> bool:
    """Whether a text that no language can read is probably meant for worlds. Lists have named "inputs"."""
    return HINTS.search(text) is not None and '"inputs"' not in text


def looks_like_worlds(text: str) -> bool:
    """Whether a text has pictures of worlds, public grid objects or a record of the public data.

    Pictures may have mistakes: it is enough that half of the words are cells.
    """
    if KEYS.search(text):
        return True
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(COMMENT)]
    words = ARROW.sub(" ", "\n".join(lines)).replace("/", " ").split()
    if any(bracket in word for word in words for bracket in "[](){}"):
        return False
    cells = sum(CELL.fullmatch(word) is not None for word in words)
    return 2 * cells >= len(words) > 0 and any(TELLING.fullmatch(word) for word in words)
