"""Shows the run of a program as a table. The only module in this folder that uses rich."""

from __future__ import annotations

import json
from typing import Any

from rich.table import Table
from rich.text import Text

from lasynth.domains.base import Trace


def trace_table(trace: Trace[Any]) -> Table:
    """A row for each operation that was computed, with its value."""
    table = Table("step", "operation", "value", show_edge=False)
    table.add_row("", "(input)", Text(json.dumps(trace.input)))
    for number, step in enumerate(trace.steps, start=1):
        table.add_row(str(number), Text(step.label), Text(json.dumps(step.value)))
    return table
