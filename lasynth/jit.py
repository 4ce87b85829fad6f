"""Compilation to machine code with numba, cached on disk.

Numba's own cache checks one source file per function: if a callee or a constant in another file changes, the function
keeps its old machine code. So each module has a cache folder of its own, whose name contains a fingerprint of the
module and of all modules of this package that it imports, directly or indirectly.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent
IMPORT = re.compile(r"^\s*from (lasynth[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (lasynth[\w.]*)", re.MULTILINE)


@cache
def imported(file: Path, root: Path) -> frozenset[Path]:
    """The modules of the package that a module imports itself. `root` is the folder that the package is in."""
    modules = set()
    for package, names, module in IMPORT.findall(file.read_text(encoding="utf-8")):
        modules |= {module, package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    paths = [root.joinpath(*module.split(".")) for module in modules if module]
    files = [candidate for path in paths for candidate in (path.with_suffix(".py"), path / "__init__.py")]
    return frozenset(path for path in files if path.is_file())


def sources(file: Path, root: Path = PACKAGE.parent) -> list[Path]:
    """The module itself and all modules of the package that it imports, directly or indirectly."""
    found, waiting = {file}, [file]
    while waiting:
        new = imported(waiting.pop(), root) - found
        found |= new
        waiting += new
    return sorted(found)


def fingerprint(file: Path, root: Path = PACKAGE.parent) -> str:
    """A hash that changes if the module, or a module that its machine code may depend on, is edited."""
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in sources(file, root)]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()[:16]


@cache
def cache_folder(file: Path) -> Path:
    """The folder for the machine code of one module: in the package if it is writable, else in the user's cache."""
    module = file.relative_to(PACKAGE).with_suffix("") if PACKAGE in file.parents else Path(file.stem)
    prefix = f"numba-{'.'.join(module.parts)}-"
    name = prefix + fingerprint(file)
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
    numba.config.CACHE_DIR = str(cache_folder(Path(function.__code__.co_filename)))
    try:
        return cast(F, numba.njit(cache=True, nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before
