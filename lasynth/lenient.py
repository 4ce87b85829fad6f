"""JSON as people type it: `[1 2 3]`, `[1, 2,]`, `[1. 2.]`, `[+1]` and a typographic minus are understood, too.

Repairs keep every character in its place, so positions in error messages are right for the original text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

LAST_COMMA = r"(?<=[^\s,[{:])\s*,(?=\s*[]}])"
"""A comma between the last item and the bracket."""
PART = re.compile(
    rf"""(?P<string>"(?:\\.|[^"\\])*(?:"|\Z))    # left as it is; one without an end takes the rest of the text
      | (?P<numbers>\[[^][{{}}"]*\])              # a list without lists, objects and strings in it
      | (?P<comma>{LAST_COMMA})""",
    re.VERBOSE | re.DOTALL,
)
GAP = re.compile(r"(?<=[\d.])\s(?=\s*[-+\d])")
POINT = re.compile(r"(?<=\d)\.(?![\d\w])")
PLUS = re.compile(r"(?<=[\s,[])\+(?=\d)")


def loads(text: str) -> Any:
    """The value of a JSON text. JSONDecodeError as from `json.loads`, also RecursionError."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(repaired(text))


class Fault(NamedTuple):
    """Where a text is not JSON, and why."""

    line: int
    column: int
    reason: str


def fault(error: json.JSONDecodeError) -> Fault:
    """What is wrong with a text. If it is cut off, the place is its end, without empty lines."""
    text = error.doc.rstrip()
    rest = text[error.pos :]
    cut = "Unterminated" in error.msg or any(word.startswith(rest) for word in ("true", "false", "null", "-"))
    at, reason = (len(text), "the text is cut off") if cut else (error.pos, error.msg)
    return Fault(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), reason)


def repaired(text: str) -> str:
    """The text with commas where JSON wants them and as many characters as before."""
    return PART.sub(_repair, text)


def _repair(part: re.Match[str]) -> str:
    found = part.group()
    if part.lastgroup == "string":
        return found
    if part.lastgroup == "comma":
        return _without_comma(part)
    numbers = re.sub(LAST_COMMA, _without_comma, found.replace("\N{MINUS SIGN}", "-"))
    numbers = PLUS.sub(" ", POINT.sub(" ", numbers))
    return numbers if "," in numbers else GAP.sub(",", numbers)


def _without_comma(found: re.Match[str]) -> str:
    return found.group()[:-1] + " "
