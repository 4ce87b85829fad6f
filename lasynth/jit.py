"""Compilation to machine code with numba, cached on disk.

Knows nothing of any language. Numba's own cache looks at one file at a time, so a function keeps the old code of a callee
that changed in another file; here the cache folder's name carries a fingerprint of all sources in the function's folder.
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


@cache
def cache_folder(sources: Path) -> Path:
    """Where the compiled code of one source folder lives: beside the package if possible, else in the user's cache."""
    stamps = sorted((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in sources.glob("*.py"))
    prefix = f"numba-{sources.name}-"
    name = prefix + hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]
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
    numba.config.CACHE_DIR = str(cache_folder(Path(function.__code__.co_filename).parent))
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before
