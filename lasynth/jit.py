"""Compilation to machine code with numba, cached on disk.

Numba's own cache checks one source file per function: if a callee or a constant in another file changes, the function
keeps its old machine code. So the name of our cache folder contains a fingerprint of all sources that the compiled code
may depend on: all modules of the function's language, sub-folders included, and a few shared modules.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent
SHARED = tuple(PACKAGE / name for name in ("jit.py", "task.py", "vocab.py", "domains/learnable.py"))
"""Modules outside the folder of a language whose constants its compiled modules may use."""


def language_folder(file: Path) -> Path:
    """The folder of the language that a module belongs to; for other modules, the folder they are in."""
    domains = PACKAGE / "domains"
    if domains not in file.parents:
        return file.parent
    return domains / file.relative_to(domains).parts[0]


def fingerprint(sources: Path) -> str:
    """A hash that changes if a module under `sources` or a shared module is edited, added or removed."""
    files = sorted((*sources.rglob("*.py"), *SHARED))
    stamps = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]


@cache
def cache_folder(sources: Path) -> Path:
    """The folder for the machine code of one language: in the package if it is writable, else in the user's cache."""
    prefix = f"numba-{sources.name}-"
    name = prefix + fingerprint(sources)
    user_cache = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "lasynth"
    for base in (PACKAGE / "__pycache__", user_cache):
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            for stale in base.glob(f"{prefix}*"):
                if stale != folder:
                    shutil.rmtree(stale, ignore_errors=True)
            return folder
    return Path(tempfile.mkdtemp(prefix="lasynth-"))


def compiled(function: F) -> F:
    """Compile `function` on its first call. Later processes load the machine code from disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(language_folder(Path(function.__code__.co_filename))))
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before
