"""Costs of the features of an explanation, in nats, fitted on 3,000 training tasks (`experiments/symbolic_weights.py`).

Two weights are set by hand, because those tasks have no lists longer than five and no numbers beyond 4: another
position of a loop with a branch costs hardly anything, and large constants are not cheaper than small ones.
"""

from __future__ import annotations

WEIGHTS: dict[str, float] = {
    "changed": 0.1,
    "first other element": 2.01,
    "more other elements": 1.16,
    "without own element": -0.43,
    "own element negative": 2.79,
    "own element repeated": 0.9,
    "other element negative": 0.6,
    "constant only": 0.13,
    "own element and constant": 0.39,
    "with constant": 0.56,
    "size of constant": 0.43,
    "constant beyond 4": 0.0,
    "condition": 5.15,
    "more elements": 3.39,
    "order": 3.8,
    "equal to a constant but 0": 2.78,
    "size of that constant": 0.47,
    "equal with offset": 2.24,
    "size of a limit": 0.25,
    "choices": 1.89,
    "more conditions": -1.62,
    "nested": -1.99,
    "conditions beside each other": 0.65,
    "sum like its neighbour's": -0.87,
    "choice like its neighbour's": 0.3,
    "same sum as its neighbour": 1.89,
    "same choice as its neighbour": 2.28,
    "same as another position": -1.7,
    "like another position": 0.82,
    "chosen position in condition": -0.48,
    "condition on unchanged element": 0.77,
    "condition on changed element": 0.01,
    "condition on what is written": -3.56,
    "no branch keeps the element": 1.19,
    "some branches keep the element": -0.12,
    "kept on different sides": -1.58,
    "like sums in a branch": -1.4,
}
