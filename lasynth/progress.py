"""A progress bar with rate and remaining time, shown if standard error is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


def bar_column(width: int = 40) -> BarColumn:
    """A bar in the terminal's own colours; rich's default is made for dark terminals."""
    return BarColumn(width, style="dim", complete_style="cyan", finished_style="green", pulse_style="cyan")


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f}/s" if speed else "")


@contextmanager
def progress(sizes: Mapping[str, int | None]) -> Iterator[Callable[[str, int], None]]:
    """Show a bar per named amount of work (None: unknown). Yields a function to report work just done."""
    columns = (TextColumn("{task.description}"), bar_column(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = {name: bars.add_task(name, total=size) for name, size in sizes.items() if size != 0}
        yield lambda name, done: bars.advance(bar[name], done)
