"""Takes the function out of a complete C file, such as `lasynth solve --emit c` writes.

A file is complete if it has a `main`. All else in it is ignored: includes, declarations, arrays and other functions.
Tokens keep their offsets in the file, so error messages show its lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from lasynth.domains.restricted_c.language.lexer import Token
from lasynth.task import ParseError

MAIN = "main"
FORM = "`int * func_1(int a[])`"


def function_tokens(tokens: Sequence[Token], text: str) -> Sequence[Token]:
    """The tokens of the function in a complete C file; all tokens if the text is no such file. ParseError."""
    if MAIN not in text:
        return tokens
    declarations = [i for i, token in enumerate(tokens) if token.text == "int"]
    if not any(_spells(tokens, i, ("int", MAIN, "(")) for i in declarations):
        return tokens
    heads = [i for i in declarations if _is_head(tokens, i)]
    if not heads:
        raise ParseError(f"this C file has no function {FORM}")
    if len(heads) > 1:
        raise ParseError(f"this C file has a second function {FORM}; keep one", text, tokens[heads[1]].offset)
    _check_before(tokens[: heads[0]], text)
    end = _after(tokens, heads[0])
    return [*tokens[heads[0] : end], Token("end", "", tokens[end].offset)]


def _spells(tokens: Sequence[Token], at: int, texts: Sequence[str]) -> bool:
    return [token.text for token in tokens[at : at + len(texts)]] == list(texts)


def _is_head(tokens: Sequence[Token], at: int) -> bool:
    """Whether a function that returns a pointer to int is defined here. A declaration has no body."""
    if not _spells(tokens, at, ("int", "*")) or tokens[at + 2].kind != "name" or tokens[at + 3].text != "(":
        return False
    after = next(i for i in range(at + 4, len(tokens)) if tokens[i].text in ("(", ")", "{", ";", ""))
    return _spells(tokens, after, (")", "{"))


def _after(tokens: Sequence[Token], at: int) -> int:
    """The number of the token after the function that begins here; that of the last token if it is not closed."""
    level = 0
    for i in range(at, len(tokens)):
        level += (tokens[i].text == "{") - (tokens[i].text == "}")
        if level == 0 and tokens[i].text == "}":
            return i + 1
    return len(tokens) - 1


def _check_before(tokens: Sequence[Token], text: str) -> None:
    """ParseError if a macro or a condition of the preprocessor could change the function."""
    for i, token in enumerate(tokens):
        if token.text == "#" and not _spells(tokens, i + 1, ("include",)):
            raise ParseError("preprocessor lines other than #include are not supported", text, token.offset)
