"""The folder of a training run: checks that it is free, and removes a run that is replaced or fails at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lasynth import checkpoint
from lasynth.distributed import rank
from lasynth.runlog import LOG, clear_log, read_log
from lasynth.task import InputError, Occupied


def check_free(run: Path, overwrite: bool) -> None:
    """Occupied if something is in the folder. With `overwrite`, InputError if that is not a run."""
    if not _occupied(run):
        return
    if not overwrite:
        raise Occupied(f"{run} exists and is not empty")
    if not _is_run(run):
        raise InputError(
            f"{run} is not a training run and is therefore not overwritten; remove it first if you want this name"
        )


def clear(run: Path) -> None:
    """Remove everything that a run has written; other files stay."""
    checkpoint.clear(run)
    clear_log(run)


@contextmanager
def nothing_left(run: Path, resume: bool, overwrite: bool) -> Iterator[None]:
    """Remove a new run that fails before it has saved or logged a step: it could be neither resumed nor begun again."""
    mine = rank() == 0 and not resume and (overwrite or not _occupied(run))
    try:
        yield
    except Exception:
        if mine and _is_run(run) and not _has_steps(run):
            clear(run)
        if mine:
            with suppress(OSError):  # other files are in it
                run.rmdir()
        raise


def _occupied(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _is_run(folder: Path) -> bool:
    return (folder / checkpoint.INDEX).exists() or (folder / LOG).exists()


def _has_steps(run: Path) -> bool:
    """Also True for a run that cannot be read: then it is not removed."""
    try:
        saved = (run / checkpoint.INDEX).exists() and checkpoint.read_index(run)["last"] != "step-0"
        return saved or bool(read_log(run))
    except ValueError:
        return True
