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
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite.binding import parse_bitcode
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import rtsys

from lasynth.interruption import signals_later

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


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Machine code from disk. Its LLVM code is parsed only if a function that calls it is compiled."""

    bitcode: bytes | None = None
    _shared_module: Any  # numba's own

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, str, Any]) -> Any:
        name, kind, data = state
        if kind != "object":
            return super()._unserialize(codegen, state)
        self = codegen.create_library(name)
        code, self.bitcode = data
        self.enable_object_caching()
        self._set_compiled_object(code)
        self._finalize_final_module()
        return self

    def get_pointer_to_function(self, name: str) -> int:
        if self.bitcode is None:
            return int(super().get_pointer_to_function(name))
        address = int(self._codegen._engine.get_function_address(name))
        if not address:
            raise RuntimeError(f"the machine code of {self.name} does not contain {name}")
        return address

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None and self.bitcode is not None:
            self._shared_module = parse_bitcode(self.bitcode)
        return super()._get_module_for_linking()


class _Stored(CompileResultCacheImpl):  # type: ignore[misc]
    """Stores machine code without the empty constants of numba's own functions, whose modules take time to load."""

    def reduce(self, cres: Any) -> Any:
        *parts, environments = super().reduce(cres)
        return (*parts, tuple(env for env in environments if env.consts or not _is_numbas(env)))


def _is_numbas(environment: Any) -> bool:
    return str(environment.globals["__name__"]).startswith("numba.")


class _Files(FunctionCache):  # type: ignore[misc]
    """Loads machine code without what only compiling needs: numba's lists of known functions, and LLVM code."""

    _impl_class = _Stored

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # memory management
        target_context.codegen()._library_class = _Library
        return self._load_overload(sig, target_context)


class _Cache:
    """The machine code of one function on disk. Files are looked for when the function is first called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @cached_property
    def files(self) -> _Files:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(cache_folder(Path(self.function.__code__.co_filename)))
        try:
            return _Files(self.function)
        finally:
            numba.config.CACHE_DIR = before

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self.files.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self.files.save_overload(sig, data)


def compiled(function: F) -> F:
    """Compile `function` on its first call. Later processes load the machine code from disk."""
    dispatcher = numba.njit(nogil=True)(function)
    dispatcher._cache = _Cache(function)
    dispatcher.compile = partial(_compile, dispatcher.compile)
    return cast(F, dispatcher)


def _compile(compile_or_load: Callable[[Any], Any], sig: Any) -> Any:
    """Compile a function for some types, or load it. The functions that it calls come here, too."""
    with signals_later():
        return compile_or_load(sig)
