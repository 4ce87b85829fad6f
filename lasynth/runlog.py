"""What a training run tells: a line of JSON per record, always; TensorBoard where it is installed; progress on a terminal.

Knows neither models nor training: records are names and numbers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

LOG = "log.jsonl"


class RunLog:
    """The records of one run, kept across resumptions."""

    def __init__(self, run: Path, step: int, console: Console, bar: Progress | None) -> None:
        """Records after `step` are dropped: a resumed run makes them again."""
        self.file, self.console, self.bar = run / LOG, console, bar
        self.task = None if bar is None else bar.add_task("", total=1.0)
        kept = [line for line in _lines(self.file) if json.loads(line)["step"] <= step]
        partial = self.file.with_suffix(".partial")
        partial.write_text("".join(kept))
        os.replace(partial, self.file)
        self.board = _board(run / "tensorboard", step)
        if self.board is None:
            self.say(
                "no TensorBoard log: install it with pip install 'lasynth[tensorboard]'; log.jsonl has the same figures"
            )

    def record(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Append to the log. `kind` is train or validation."""
        with self.file.open("a") as file:
            file.write(json.dumps({"kind": kind, "step": step, **values}) + "\n")
        if self.board is not None:
            for name, value in values.items():
                self.board.add_scalar(f"{kind}/{name}", value, step)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def progress(self, done: float, text: str) -> None:
        """Share of the work that is done, and what to show beside the bar."""
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, completed=done, description=text)

    def close(self) -> None:
        if self.board is not None:
            self.board.close()


@contextmanager
def run_log(run: Path, step: int) -> Iterator[RunLog]:
    """A log with a progress bar if standard error is a terminal."""
    console = Console(stderr=True)
    columns = (
        BarColumn(20),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    # The bar moves once in `log_every` steps, which may be minutes: the speed is that of the last hour.
    with Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=3600) as bar:
        log = RunLog(run, step, console, bar)
        try:
            yield log
        finally:
            log.close()


def read_log(run: Path) -> list[dict[str, Any]]:
    """All whole records of a run."""
    return [json.loads(line) for line in _lines(run / LOG)]


def _lines(file: Path) -> list[str]:
    """Whole lines: a killed process may have left half a line at the end."""
    if not file.exists():
        return []
    return [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]


def _board(folder: Path, step: int) -> Any:
    """TensorBoard's writer, or None where the package is missing."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
