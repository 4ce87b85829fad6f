"""Reading and writing text files with clear errors, and printing to terminals and pipes."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasynth.task import InputError, Occupied, ParseError

if TYPE_CHECKING:
    from lasynth.domains.base import AnyDomain

MAX_FILE = 1_000_000
STANDARD_INPUT = Path("-")
BINARY = re.compile(r"[\x00-\x08\x0e-\x1a]")
"""Control characters that no text has."""


def domain_of(file: Path) -> AnyDomain:
    """The domain that the ending of a file names. InputError."""
    from lasynth.domains import DOMAINS, get_domain

    for name in DOMAINS:
        if file.suffix == f".{name}":
            return get_domain(name)
    raise InputError(f"{file}: the ending must be one of {', '.join(f'.{name}' for name in DOMAINS)}")


SHARED = {".c": ("c", "lists")}
"""Languages whose programs are in files with this ending: the answers in `lists` are C, too."""


def read_program(file: Path) -> tuple[AnyDomain, Any]:
    """The program in a file and its language. InputError, ParseError."""
    from lasynth.domains import get_domain

    first, text = domain_of(file), read_text(file)
    names = sorted(SHARED.get(file.suffix, (first.name,)), key=lambda name: (name == "lists") != ("=>" in text))
    refused: list[ParseError] = []
    for name in names:
        try:
            return get_domain(name), get_domain(name).parse_text(text)
        except ParseError as error:
            refused.append(error)
    raise refused[0]


def read_text(file: Path, most: int = MAX_FILE) -> str:
    """Read a text file of at most `most` bytes; `-` is standard input. InputError."""
    name = "standard input" if file == STANDARD_INPUT else str(file)
    try:
        if file == STANDARD_INPUT:
            piped = getattr(sys.stdin, "buffer", sys.stdin).read(most + 1)
            text = piped if isinstance(piped, str) else _decoded(piped)
        elif file.is_file() and file.stat().st_size > most:
            raise InputError(f"{file} has {file.stat().st_size:,} bytes; at most {most:,} are read")
        else:
            with file.open("rb") as stream:  # perhaps a pipe or a device, which has no size
                text = _decoded(stream.read(most + 1))
        if len(text) > most:
            raise InputError(f"{name} has more than {most:,} characters")
        if BINARY.search(text):
            raise InputError(f"{name} is not text")
        return text.removeprefix("\ufeff")  # the byte order mark that some editors write
    except UnicodeError as error:
        raise InputError(f"{name} is not text") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def _decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 if there is a byte order mark of it. All line ends become newlines. UnicodeError."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-16" if marked else "utf-8").read()


def read_input(domain: AnyDomain, text: str) -> Any:
    """Read a value that a person gave as text or, if the language allows it, as the name of a file. InputError."""
    if not domain.values_in_files or not _may_be_a_name(text):
        return domain.read_value(text)
    file = Path(text)
    try:
        found = file.is_file()
    except OSError as error:
        raise InputError(f"{text}: {error.strerror}") from error
    if not found and " " not in text.strip():
        raise InputError(f"{text}: no such file")
    if not found:
        return domain.read_value(text)
    content = read_text(file)
    try:
        return domain.read_value(content)
    except InputError as error:
        raise InputError(f"{text}: {error}") from error


def _may_be_a_name(text: str) -> bool:
    """Whether a text could be the name of a file: one line, not too long, not JSON."""
    return bool(text.strip()) and "\n" not in text and not text.lstrip().startswith("{") and len(text) <= 1000


def write_text(file: Path, text: str) -> None:
    """Write a text file. InputError."""
    try:
        file.write_text(text)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


def print_code(domain: AnyDomain, text: str) -> None:
    """Print code: coloured on a terminal, which wraps long lines, and plain in a pipe."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.syntax import Syntax

    syntax = Syntax("", "python" if domain.name == "karel" else "c", theme=_theme())
    console().print(syntax.highlight(text), soft_wrap=True, end="")


def _theme() -> Any:
    """Colours for code from the terminal's own 16, which its user can read: plain text has the terminal's colour."""
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme

    keyword, kind, number, comment = ("Keyword",), ("Keyword", "Type"), ("Literal", "Number"), ("Comment",)
    parts = {keyword: "bold", kind: "cyan", number: "magenta", comment: "dim"}
    return ANSISyntaxTheme({token: Style.parse(style) for token, style in parts.items()})


def console() -> Any:
    from rich.console import Console

    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False)


@contextmanager
def advice(text: str) -> Iterator[None]:
    """Add a hint, which names an option that helps, to the message about a folder that is not empty."""
    try:
        yield
    except Occupied as error:
        raise InputError(f"{error}; {text}") from error


def say(text: str) -> None:
    """Print to standard error, so that the text does not go into a pipe."""
    print(text, file=sys.stderr)


def complain(message: str) -> None:
    """Print an error message to standard error."""
    print(f"lasynth: {message}", file=sys.stderr)
