"""A solution as HTML, for notebooks: code, confidence, and a table of the examples."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from lasynth.domains import get_domain
from lasynth.domains.solvable import Drawing
from lasynth.solver.doubt import doubt
from lasynth.solver.solution import Solution
from lasynth.task import ExecutionError

MOST_EXAMPLES = 20
"""Examples that the table shows."""


def solution_html(solution: Solution) -> str:
    """The first answer (or the partial one) with its confidence, and what it gives for the examples."""
    answer = solution.best or solution.partial
    parts = [] if answer is None else [f"<pre><code>{escape(answer.code)}</code></pre>"]
    if solution.reason is not None:
        parts.append(f"<p>{escape(solution.reason)}</p>")
    if solution.best is not None and solution.best.confidence is not None:
        parts.append(f"<p>confidence {solution.best.confidence:.0%}</p>")
    if (open_question := doubt(solution)) is not None:
        parts.append(f"<p>{escape(open_question)}</p>")
    names = ("input", "output") if answer is None else ("input", "output", "program gives")
    rows = ["<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"]
    for example in solution.examples[:MOST_EXAMPLES]:
        cells = [_shown(solution, example.input), _shown(solution, example.output)]
        if answer is not None:
            cells.append(_shown(solution, _output(answer, example.input)))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "\n".join([*parts, "<table>", *rows, "</table>"])


def _output(answer: Any, value: Any) -> Any:
    try:
        return answer(value)
    except ExecutionError:
        return None


def _shown(solution: Solution, value: Any) -> str:
    """A value as HTML: a picture of characters if the language has pictures, else JSON."""
    domain = get_domain(solution.language)
    if value is None:
        return "(the program fails)"
    if isinstance(domain, Drawing):
        return f"<pre>{escape(domain.drawn(value))}</pre>"
    return escape(json.dumps(domain.value_json(value)))
