"""Which examples a model can take, told by its card alone: torch need not be loaded to refuse them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lasynth.solver.strategies import Examples

MOST_EXAMPLES = 10
"""Examples that a model is shown; all of them are executed."""


def refusal(config: Mapping[str, Any], examples: Examples) -> str | None:
    """Why a model of this configuration can do nothing for the examples; None if it can."""
    length, wanted = len(examples[0].input), config["list_length"]
    if length != wanted:
        return f"the model takes lists of {wanted} elements, not of {length}"
    shown = [
        value for example in examples[:MOST_EXAMPLES] for side in (example.input, example.output) for value in side
    ]
    low, high = config["smallest_value"], config["largest_value"]
    if min(shown) < low or max(shown) > high:
        return f"the examples have values from {min(shown)} to {max(shown)}, the model takes {low} to {high}"
    return None


def refusal_of(weights: Path, examples: Examples) -> str | None:
    """The same for an exported model; None if it is none, or if its card cannot be read: loading it will tell."""
    try:
        return refusal(json.loads((weights / "card.json").read_text())["config"], examples)
    except (OSError, ValueError, KeyError, TypeError):
        return None
