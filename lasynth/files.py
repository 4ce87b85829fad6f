"""Files and folders that are replaced as a whole: a reader sees the old content or the new one, never half of it.

New content is written beside its place under a hidden name, synced to disk, then renamed. If anything fails, the old
content stays and the hidden one is removed; only a process that is killed leaves its hidden one behind.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from lasynth.task import InputError


def write_file(file: Path, content: str | bytes) -> None:
    """Write a file, or replace it, in one atomic step. OSError."""
    with replacing(file) as new:
        new.write(content.encode() if isinstance(content, str) else content)


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object that a file holds. InputError."""
    try:
        found = json.loads(file.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{file} does not hold a JSON object")
    return found


@contextmanager
def replacing(file: Path) -> Iterator[BinaryIO]:
    """A new file to fill. When the `with` block ends without an error, it becomes `file`, or replaces it. OSError."""
    partial = _hidden(file)
    try:
        with partial.open("w+b") as new:
            yield new
            new.flush()
            os.fsync(new.fileno())
        os.replace(partial, file)
        _sync(file.parent)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill. When the `with` block ends without an error, it becomes `folder`, or replaces it. OSError.

    No system call replaces a folder that has content: for a moment between two renames, none has the name.
    """
    folder = folder.resolve()  # a link stays, and the folder that it leads to is replaced
    partial = _hidden(folder)
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        for path in (*partial.rglob("*"), partial):
            _sync(path)
        _put_in_place(partial, folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def remove_leftovers(folder: Path, name: str = "*", idle: float = 0.0) -> None:
    """Remove what killed processes left half-written in a folder, or only what was to become `name`, a glob pattern.

    What changed less than `idle` seconds ago stays. With 0, only one process may write to the folder or the name.
    """
    for path in folder.glob(f".{name}.partial-*"):
        with suppress(FileNotFoundError):  # another process may have finished it
            if idle and time.time() - path.stat().st_mtime < idle:
                continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _hidden(path: Path) -> Path:
    """Where new content is written: in the same folder, since a rename works within one file system only."""
    return path.with_name(f".{path.name.removeprefix('.')}.partial-{os.getpid()}")


def _put_in_place(partial: Path, folder: Path) -> None:
    if not folder.exists():
        partial.rename(folder)
        return
    old = partial.with_name(f"{partial.name}-old")
    folder.rename(old)
    try:
        partial.rename(folder)
    except BaseException:
        with suppress(OSError):
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
