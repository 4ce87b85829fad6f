"""Shows the run of a program as a table. The only module in this folder that uses rich."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from lasynth.domains.base import Trace

SHOWN = 200
"""Most steps that a table shows; the middle of longer runs is left out."""


def trace_table(trace: Trace[list[int]]) -> Table:
    """A row for each statement that ran: the statement, the list after it (changes marked) and the variables."""
    table = Table("step", "statement", "list", "variables", show_edge=False)
    table.add_row("", "(start)", Text(str(trace.input)), "")
    before = trace.input
    for number, step in enumerate(trace.steps, start=1):
        skipped = len(trace.steps) - SHOWN
        if skipped > 0 and number == SHOWN // 2 + 1:
            table.add_row("..", f"({skipped:,} steps left out)", "", "")
        if skipped <= 0 or number <= SHOWN // 2 or number > len(trace.steps) - SHOWN // 2:
            variables = " ".join(f"{name}={value}" for name, value in step.scalars)
            table.add_row(str(number), Text(step.label), _marked(before, step.value), variables)
        before = step.value
    return table


def _marked(before: list[int], after: list[int]) -> Text:
    """The list, with the elements that the step changed in bold."""
    text = Text("[")
    for i, value in enumerate(after):
        text.append(", " if i else "")
        text.append(str(value), "bold green" if before[i] != value else "")
    return text.append("]")
