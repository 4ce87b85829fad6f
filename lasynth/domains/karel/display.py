"""Karel runs for the terminal: the world before and after, side by side, and the actions one by one."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lasynth.domains.base import Trace
from lasynth.domains.karel.drawing import HEROES, draw
from lasynth.domains.karel.world import DIRECTIONS, World


def show(trace: Trace[World], *, steps: bool) -> RenderableType:
    """The run for a person."""
    last = trace.steps[-1].value if trace.steps else trace.input
    title = "after" if trace.error is None else "when it failed"
    worlds = Table.grid(padding=(0, 2))
    worlds.add_row(_panel(trace.input, "before"), _panel(trace.output or last, title))
    parts: list[RenderableType] = [worlds]
    if steps:
        parts.append(_steps(trace))
    else:
        parts.append(Text(f"{len(trace.steps)} actions"))
    if trace.error is not None:
        parts.append(Text(str(trace.error), style="bold red"))
    return Group(*parts)


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
