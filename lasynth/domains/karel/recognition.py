"""Tells whether a text holds Karel worlds. It imports nothing, so that other languages do not wait for it."""

from __future__ import annotations

import re

COMMENT = "//"
"""Begins a line that is a comment. `#` is a wall."""
ARROW = re.compile(r"-+>|=+>|[→⇒↦]")
KEYS = re.compile(r'"(hero|(inp|out)grid_(json|tensor)|program_(tokens|json))"\s*:')
CELL = re.compile(r"[.#]|[\^>v<]?[0-9]{1,3}|[\^>v<]")
TELLING = re.compile(r"\.|[\^>v<][0-9]{0,3}")
"""An empty cell or the robot. Lists have neither."""


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
