"""Splits C text into tokens. Knows C's spelling, not its grammar."""

from __future__ import annotations

import re
from typing import NamedTuple

from lasynth.task import ParseError

MAX_LENGTH = 1_000_000
"""Longer texts are refused before any work is done on them."""

_TOKEN = re.compile(
    r"""(?P<space>\s+ | //[^\n]* | /\*.*?\*/)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>(?:0|[1-9]\d*)(?![\w.]))
      | (?P<sign>\+\+|--|<<=|>>=|->|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
      | (?P<other>\d[\w.]* | .)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Token(NamedTuple):
    kind: str
    """name, number, sign, end, or other: a character or number that C may know but restricted C does not"""
    text: str
    offset: int


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, comments and white space left out, and an empty one at the end."""
    if len(text) > MAX_LENGTH:
        raise ParseError(f"the text has {len(text):,} characters; programs may have {MAX_LENGTH:,}")
    found = [
        Token(match.lastgroup or "other", match.group(), match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]
    return [*found, Token("end", "", len(text))]


def count_tokens(text: str) -> int:
    """How many C tokens a text holds."""
    return sum(match.lastgroup != "space" for match in _TOKEN.finditer(text))


def describe_unknown(text: str) -> str:
    """Why a token of kind `other` is refused."""
    if text[0].isdigit():
        return f"only decimal integers are supported, not `{text[:20]}`"
    known = {"#": "preprocessor lines are", '"': "strings are", "'": "character constants are"}
    return f"{known.get(text, f'the character {text!r} is')} not supported in restricted C"
