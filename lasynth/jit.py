"""Compilation to machine code with numba, cached on disk.

Knows nothing of any language. Numba's own cache looks at one file at a time: if a callee or a constant changes in another
file, a function would keep its old machine code. So the name of the cache folder carries a fingerprint of every source that
compiled code may depend on: all modules of the function's language, sub-folders included, and the few shared ones.
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


SHARED = (PACKAGE / "jit.py", PACKAGE / "task.py", PACKAGE / "vocab.py")
"""Modules outside of a language's folder that its compiled modules import, so that constants may come from there."""


def language_folder(file: Path) -> Path:
    """The folder of the language that a module belongs to; for a module of no language, its own folder."""
    domains = PACKAGE / "domains"
    if domains not in file.parents:
        return file.parent
    return domains / file.relative_to(domains).parts[0]


def fingerprint(sources: Path) -> str:
    """Changes whenever a module under `sources`, or one of the shared ones, is edited, added or removed."""
    files = sorted((*sources.rglob("*.py"), *SHARED))
    stamps = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]


@cache
def cache_folder(sources: Path) -> Path:
    """Where the compiled code of one language lives: beside the package if possible, else in the user's cache."""
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
    """Compile `function` on first use; later processes load the machine code from disk."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(language_folder(Path(function.__code__.co_filename))))
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before
