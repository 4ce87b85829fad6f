"""What the commands share: reading and writing files with messages for people, and printing for terminals and pipes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasynth.task import InputError

if TYPE_CHECKING:
    from lasynth.domains.base import Domain

MAX_FILE = 1_000_000


def domain_of(file: Path) -> Domain[Any, Any, Any]:
    from lasynth.domains import DOMAINS, get_domain

    for name in DOMAINS:
        if file.suffix == f".{name}":
            return get_domain(name)
    raise InputError(f"{file}: the ending must be one of {', '.join(f'.{name}' for name in DOMAINS)}")


def read_text(file: Path) -> str:
    try:
        if file.is_file() and file.stat().st_size > MAX_FILE:
            raise InputError(f"{file} has {file.stat().st_size:,} bytes; at most {MAX_FILE:,} are read")
        return file.read_text()
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text file") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def write_text(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


def print_code(domain: Domain[Any, Any, Any], text: str) -> None:
    """Coloured for a person, plain when piped."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.syntax import Syntax

    console().print(Syntax(text, "c" if domain.name == "c" else "python", background_color="default"))


def console() -> Any:
    from rich.console import Console

    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False)


def complain(message: str) -> None:
    print(f"lasynth: {message}", file=sys.stderr)
