"""Explanations of what a program does to a list: for each position a sum, or a choice between sums by conditions.

This module evaluates explanations on inputs and computes the length of their descriptions. The length is a weighted
count of features. The weights were fitted on training tasks so that right explanations are shorter than wrong ones that
fit the same examples (`experiments/symbolic_weights.py`). The search for explanations is in `search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias, Union

import numpy as np

from lasynth.domains.restricted_c.symbolic import conditions, sums
from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.sums import Floats, Ints, Sum, constant_features


class Choice(NamedTuple):
    """`if (condition) then else orelse`"""

    condition: Comparison
    then: Tree
    orelse: Tree


Tree: TypeAlias = Union[Sum, Choice]  # noqa: UP007 - `|` cannot be evaluated while Choice is a forward reference
Explanation: TypeAlias = tuple[Tree, ...]
"""One tree per position."""

SHARING = (
    "choices", "more conditions", "nested", "conditions beside each other",
    "sum like its neighbour's", "choice like its neighbour's", "same sum as its neighbour",
    "same choice as its neighbour", "same as another position", "like another position", "chosen position in condition",
    "condition on unchanged element", "condition on changed element", "condition on what is written",
    "no branch keeps the element",
    "some branches keep the element", "kept on different sides", "like sums in a branch",
)  # fmt: skip
FEATURES = (*sums.FEATURES, *conditions.FEATURES, *SHARING)
OF_SUMS = slice(0, len(sums.FEATURES))
OF_CONDITIONS = slice(OF_SUMS.stop, OF_SUMS.stop + len(conditions.FEATURES))


def outputs(explanation: Explanation, inputs: Ints) -> Ints:
    """Output lists of the explanation for input lists. (N, L) -> (N, L)"""
    return np.stack([values(tree, inputs) for tree in explanation], axis=1)


def fits(explanation: Explanation, inputs: Ints, expected: Ints) -> bool:
    """Whether the explanation gives the expected lists; stops at the first position that differs. (N, L), (N, L)"""
    return all((values(tree, inputs) == expected[:, position]).all() for position, tree in enumerate(explanation))


def values(tree: Tree, inputs: Ints) -> Ints:
    """Values of one position's tree for input lists. (N, L) -> (N,)"""
    if isinstance(tree, Sum):
        return tree.at(inputs)
    return np.where(tree.condition.holds(inputs), values(tree.then, inputs), values(tree.orelse, inputs))


def leaves(tree: Tree) -> Iterator[Sum]:
    if isinstance(tree, Sum):
        yield tree
    else:
        yield from leaves(tree.then)
        yield from leaves(tree.orelse)


def conditions_of(tree: Tree) -> Iterator[Comparison]:
    if isinstance(tree, Choice):
        yield tree.condition
        yield from conditions_of(tree.then)
        yield from conditions_of(tree.orelse)


def elements_of(tree: Tree) -> frozenset[int]:
    """Elements of the input that the tree reads."""
    mentioned = {e for leaf in leaves(tree) for e, _ in leaf.terms}
    return frozenset(mentioned | {e for condition in conditions_of(tree) for e in condition.elements})


def shifted(tree: Tree, by: int) -> Tree:
    """The same tree with `by` added to the index of every element.

    Two positions are explained alike if their trees are equal after each is shifted to position 0.
    """
    if isinstance(tree, Sum):
        return _shifted_sum(tree, by)
    condition = tree.condition._replace(left=_shifted_sum(tree.condition.left, by))
    return Choice(condition, shifted(tree.then, by), shifted(tree.orelse, by))


def _shifted_sum(total: Sum, by: int) -> Sum:
    return Sum(tuple((element + by, coefficient) for element, coefficient in total.terms), total.constant)


# --- description length ---------------------------------------------------------------------------------------------
COPY = Sum(((0, 1),))
"""The tree that keeps an element, relative to its position."""


def description(explanation: Explanation) -> Floats:
    """How often each of FEATURES occurs. (F,)

    If a position is explained like the one before it, only this fact is counted. So the sums and conditions of a loop
    are counted once, however many positions it covers.
    """
    counts = np.zeros(len(FEATURES))
    relative = [shifted(tree, -position) for position, tree in enumerate(explanation)]
    fresh = [p for p in range(len(explanation)) if not _goes_on(explanation, relative, p)]
    counts[OF_SUMS] = _sum_features([(leaf, p) for p in fresh for leaf in leaves(explanation[p])])
    chosen = [p for p in fresh if isinstance(explanation[p], Choice)]
    different = dict.fromkeys(condition for p in chosen for condition in conditions_of(explanation[p]))
    for condition in different:
        counts[OF_CONDITIONS] += condition.features()
    nested = any(isinstance(branch, Choice) for p in chosen for branch in explanation[p][1:])
    more = max(0, len(different) - 1)
    choices = sum(1 for p in chosen for _ in conditions_of(explanation[p]))
    counts[OF_CONDITIONS.stop :] = [
        choices, more, nested, more > 0 and not nested,
        *_likeness(explanation, relative), *_condition_facts(explanation, relative, chosen),
        *_branch_facts(relative, chosen),
    ]  # fmt: skip
    return counts


def _goes_on(explanation: Explanation, relative: list[Tree], p: int) -> bool:
    """Whether a position is explained like the one before it, and is not just kept."""
    return p > 0 and relative[p] != COPY and (relative[p] == relative[p - 1] or explanation[p] == explanation[p - 1])


def _sum_features(placed: list[tuple[Sum, int]]) -> Floats:
    """Features of several sums together, each with the position that it explains."""
    shapes = np.array([_shape(leaf, position) for leaf, position in placed], np.float64)
    constants = constant_features(np.array([leaf.constant for leaf, _ in placed], np.int64))
    total: Floats = np.concatenate([shapes, constants], axis=1).sum(axis=0)
    return total


def _shape(leaf: Sum, position: int) -> tuple[int, ...]:
    """The features of a sum at a position that do not depend on the constant, in the order of `sums.FEATURES`."""
    own = dict(leaf.terms).get(position, 0)
    other = sum(abs(c) for element, c in leaf.terms if element != position)
    negative = sum(-c for element, c in leaf.terms if element != position and c < 0)
    own_only = other == 0 and own == 1
    return (
        not own_only, other > 0, max(other - 1, 0), own == 0 and other > 0, own < 0, max(abs(own) - 1, 0), negative,
        not leaf.terms, own_only,
    )  # fmt: skip


def _likeness(explanation: Explanation, relative: list[Tree]) -> list[float]:
    """The six features that compare a position with other positions."""
    counts = [0.0] * 6
    trees, moved = set[Tree](), set[Tree]()  # absolute and relative trees of all positions before p - 1
    for p, tree in enumerate(explanation):
        if p > 1:
            trees.add(explanation[p - 2])
            moved.add(relative[p - 2])
        if relative[p] == COPY:
            continue
        if p and relative[p] == relative[p - 1]:
            counts[0 if isinstance(tree, Sum) else 1] += 1
        elif p and tree == explanation[p - 1]:
            counts[2 if isinstance(tree, Sum) else 3] += 1
        else:
            counts[4] += tree in trees
            counts[5] += relative[p] in moved
    return counts


def _condition_facts(explanation: Explanation, relative: list[Tree], chosen: list[int]) -> list[float]:
    """The four features about what conditions read. `chosen` are the positions that are explained by a choice."""
    mentioned = {e for tree in explanation for condition in conditions_of(tree) for e in condition.elements}
    compared = {c.left for tree in explanation for c in conditions_of(tree) if c.relation == "==" and c.left.constant}
    return [
        any(p in mentioned for p in chosen),
        any(relative[e] == COPY for e in mentioned),
        any(relative[e] != COPY and isinstance(explanation[e], Sum) for e in mentioned),
        sum(left in explanation for left in compared),
    ]


def _branch_facts(relative: list[Tree], chosen: list[int]) -> list[float]:
    """The last four features: which branches keep the element, and how many branches are alike."""
    keeping = [any(leaf == COPY for leaf in leaves(relative[p])) for p in chosen]
    rewritten = keeping.count(False)
    sides: set[bool] = set()
    branches: tuple[list[Tree], list[Tree]] = [], []
    for p in chosen:
        tree = relative[p]
        assert isinstance(tree, Choice)
        if (tree.then == COPY) != (tree.orelse == COPY):
            sides.add(tree.then == COPY)
        for branch, members in zip((tree.then, tree.orelse), branches, strict=True):
            if isinstance(branch, Sum) and branch != COPY:
                members.append(branch)
    alike = sum(len(members) - len(set(members)) for members in branches)
    return [rewritten, rewritten > 0 and True in keeping, len(sides) > 1, alike]
