"""Karel runs for the terminal: the worlds before and after the run side by side, or one line per action."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lasynth.domains.base import Trace
from lasynth.domains.karel.drawing import HEROES, draw
from lasynth.domains.karel.world import DIRECTIONS, World


def show(trace: Trace[World], *, steps: bool) -> RenderableType:
    """The worlds before and after the run, or with `steps` a table of actions; for a failed run with `steps` both.

    The caller prints the error.
    """
    last = trace.steps[-1].value if trace.steps else trace.input
    worlds = Table.grid(padding=(0, 2))
    worlds.add_row(_panel(trace.input, "before"), _panel(last, "after" if trace.error is None else "when it failed"))
    count = Text("1 action" if len(trace.steps) == 1 else f"{len(trace.steps)} actions")
    if not steps:
        return Group(worlds, count)
    return _steps(trace) if trace.error is None else Group(_steps(trace), worlds)


def _panel(world: World, title: str) -> Panel:
    picture = Text(draw(world))
    picture.highlight_regex(r"#", "dim")
    picture.highlight_regex(r"\d+", "yellow")
    picture.highlight_regex(rf"[{HEROES[1:]}\^]", "bold cyan")
    return Panel(picture, title=title, expand=False)


def _steps(trace: Trace[World]) -> Table:
    table = Table("", "action", "row", "column", "looks", "markers here", box=None, header_style="dim")
    for column in (0, 2, 3, 5):
        table.columns[column].justify = "right"
    for number, step in enumerate(trace.steps, 1):
        world = step.value
        here = str(world.markers_at(world.row, world.col))
        table.add_row(str(number), step.label, str(world.row), str(world.col), DIRECTIONS[world.direction], here)
    return table
