"""Splits C text into tokens. Does not know the grammar."""

from __future__ import annotations

import re
from typing import NamedTuple

from lasynth.task import ParseError

MAX_LENGTH = 1_000_000
"""Most characters of a program; longer texts are refused unread."""

# Every alternative that begins also ends, at the latest with the text, so that no text takes quadratic time.
_TOKEN = re.compile(
    r"""(?P<space>\s+ | //[^\n]* | /\*.*?(?:\*/|\Z))
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>(?:0|[1-9]\d*)(?![\w.]))
      | (?P<sign>\+\+|--|<<=|>>=|->|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
      | (?P<other>\d[\w.]* | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? | .)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Token(NamedTuple):
    kind: str
    """name, number, sign, end, or other: a character, number or string that restricted C does not support"""
    text: str
    offset: int


def tokenize(text: str) -> list[Token]:
    """The tokens of `text` without comments and white space, followed by an empty token of kind `end`."""
    if len(text) > MAX_LENGTH:
        raise ParseError(f"the text has {len(text):,} characters; a program may have at most {MAX_LENGTH:,}")
    found = [
        Token(match.lastgroup or "other", match.group(), match.start())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]
    return [*found, Token("end", "", len(text))]


def count_tokens(text: str) -> int:
    """The number of C tokens in a text."""
    return sum(match.lastgroup != "space" for match in _TOKEN.finditer(text))


def describe_unknown(text: str) -> str:
    """The error message for a token of kind `other`."""
    if text[0].isdigit():
        return f"only decimal integers are supported, not `{text[:20]}`"
    known = {"#": "preprocessor lines are", '"': "strings are", "'": "character constants are"}
    return f"{known.get(text[0], f'the character {text!r} is')} not supported in restricted C"
