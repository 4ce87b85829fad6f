"""Checks by a model's card whether it can take the examples, so that a refusal does not load torch."""

from __future__ import annotations

import json
from pathlib import Path

from lasynth.config import ModelConfig
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.older import read_config
from lasynth.solver.strategies import Examples

MOST_EXAMPLES = 10
"""Most examples that a model is shown. Programs are executed on all examples."""


def refusal(config: ModelConfig, domain: AnyDomain, examples: Examples) -> str | None:
    """Why a model with this config can do nothing for the examples; None if it can."""
    values = learnable(domain).values()
    shown = [side for example in examples[:MOST_EXAMPLES] for side in (example.input, example.output)]
    return None if config.values is None else values.refusal(config.values, values.pack(shown))


def refusal_of(weights: Path, domain: AnyDomain, examples: Examples) -> str | None:
    """The same for an exported model; None if its card is missing or unreadable: loading the model will say so."""
    try:
        config = read_config(json.loads((weights / "card.json").read_text())["config"], domain)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return refusal(config, domain, examples)
