"""How likely an answer is right on unseen inputs: a logistic model of a few facts about the search.

Each language has weights of its own, in `confidence.json` in its folder. `experiments/confidence.py`,
`experiments/confidence_lists.py` and `experiments/confidence_karel.py` fit them on tasks whose answers are known, and
measure the calibration on others.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

MOST_MARGIN = 12.0
"""Larger margins count as this one, and so does the margin of an answer without a rival."""
LEAST_MARGIN = 0.05
"""Added to margins before their logarithm is taken."""
LEAST_RIVALS = 0.03
"""Added to the weight of rivals before its logarithm is taken: some rivals were not found."""


class Evidence(NamedTuple):
    """What is known about the best answer of a search."""

    others: int
    """Other behaviours that satisfy every example."""
    margin: float
    """Score of the second behaviour minus that of the first; infinite without a second one."""
    examples: int
    tokens: int
    length: float
    """Length of the description, in nats."""
    size: int
    """Values in the input of an example."""
    changed: int
    """Values that the examples change."""
    asked: bool
    """Whether a model was asked."""
    agreed: bool
    """Whether the model found the same behaviour as another strategy."""
    rivals: float = 0.0
    """Weight of the other behaviours relative to the first: a score that is larger by x counts exp(-x)."""
    shown: int = 0
    """Values in the outputs of all examples."""
    distinct: int = 1
    """Distinct outputs of the examples."""
    information: float = 0.0
    """What the outputs of the examples tell, in nats."""


def features(evidence: Evidence) -> dict[str, float]:
    """The features of the logistic model, by name. A language has weights for some of them."""
    return {
        "constant": 1.0,
        "others": log(1 + evidence.others),
        "margin": min(evidence.margin, MOST_MARGIN),
        "closeness": -log(LEAST_MARGIN + min(evidence.margin, MOST_MARGIN)),
        "examples": log(evidence.examples),
        "one example": float(evidence.examples == 1),
        "tokens": log(1 + evidence.tokens),
        "length": evidence.length / 10,
        "size": log(evidence.size),
        "tokens per value": log((1 + evidence.tokens) / (1 + evidence.changed)),
        "agreed": float(evidence.agreed),
        "not agreed": float(evidence.asked and not evidence.agreed),
        "rivals": log(1 + evidence.rivals),
        "odds": -log(LEAST_RIVALS + evidence.rivals),
        "shown": log(1 + evidence.shown),
        "distinct": log(evidence.distinct),
        "information": log(1 + evidence.information),
        "little information": exp(-evidence.information / 3),
    }


def confidence(evidence: Evidence, weights: Mapping[str, float]) -> float:
    """Probability that the answer is right on unseen inputs, by the weights of its language, in nats."""
    found = features(evidence)
    total = sum(weight * found[name] for name, weight in weights.items())
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def share(evidence: Evidence) -> float:
    """Share of the best behaviour's weight in that of all behaviours that fit."""
    return 1 / (1 + evidence.rivals)


def shares(scores: list[float], first: float | None) -> list[float | None]:
    """Confidence of every behaviour, given the scores in ascending order and the confidence of the first.

    The others share what is left by their scores. A part as large as the second one's is kept for behaviours that were
    not found.
    """
    if len(scores) < 2 or first is None:
        return [first] * len(scores)
    weights = [exp(scores[1] - score) for score in scores[1:]]
    return [first, *((1 - first) * weight / (1 + sum(weights)) for weight in weights)]
