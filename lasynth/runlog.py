"""The log of a training run: a JSON line per record, TensorBoard if it is installed, a progress bar on a terminal.

Records are names and numbers; what they mean is up to the caller.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lasynth.files import write_file
from lasynth.progress import bar_column
from lasynth.task import InputError

LOG, BOARD = "log.jsonl", "tensorboard"


class RunLog:
    """The records of one run. A resumed run appends to them."""

    def __init__(self, run: Path, step: int, console: Console, bar: Progress | None) -> None:
        """Drop the records after `step`, which a resumed run makes again. InputError if the log cannot be read."""
        self.file, self.console, self.bar = run / LOG, console, bar
        self.task = None if bar is None else bar.add_task("", total=1.0)
        kept = [line for line, record in _records(self.file) if record["step"] <= step]
        write_file(self.file, "".join(kept))
        self.board = _board(run / BOARD, step)
        if self.board is None:
            self.say("no TensorBoard log is written: pip install 'lasynth[tensorboard]' (log.jsonl has the same data)")

    def record(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append a record to the log. `kind` is train or validation."""
        with self.file.open("a") as file:
            file.write(json.dumps({"kind": kind, "step": step, **values}) + "\n")
        if self.board is not None:
            for name, value in values.items():
                self.board.add_scalar(f"{kind}/{name}", value, step)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def progress(self, done: float, text: str) -> None:
        """Move the bar to `done` (a share of all work, 0 to 1) and show a text beside it."""
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, completed=done, description=text)

    def close(self) -> None:
        if self.board is not None:
            self.board.close()


@contextmanager
def run_log(run: Path, step: int) -> Iterator[RunLog]:
    """Open a log, with a progress bar if standard error is a terminal."""
    console = Console(stderr=True)
    columns = (
        bar_column(20),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    # The bar moves every `log_every` steps, which may take minutes, so the speed is averaged over the last hour.
    with Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=3600) as bar:
        log = RunLog(run, step, console, bar)
        try:
            yield log
        finally:
            log.close()


def read_log(run: Path) -> list[dict[str, Any]]:
    """All complete records of a run. InputError if the log cannot be read."""
    return [record for _, record in _records(run / LOG)]


def clear_log(run: Path) -> None:
    """Remove all records of a run."""
    (run / LOG).unlink(missing_ok=True)
    shutil.rmtree(run / BOARD, ignore_errors=True)


def _records(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The complete lines of a file and their records. InputError.

    A killed process may have left an incomplete line at the end.
    """
    if not file.exists():
        return
    try:
        lines = file.read_text().splitlines(keepends=True)
    except UnicodeError as error:
        raise InputError(f"{file} is not text") from error
    for number, line in enumerate(lines, start=1):
        if line.endswith("\n"):
            yield line, _record(line, f"{file}, line {number}")


def _record(line: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("step"), int):
        raise InputError(f"{place} is not a record of a training")
    return record


def _board(folder: Path, step: int) -> Any:
    """A TensorBoard writer, or None if the package is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
