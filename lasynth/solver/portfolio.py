"""Who takes part in a search for programs, for how long, and what they find together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal, get_args

from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.solver.answers import Answers
from lasynth.solver.reach import refusal_of
from lasynth.solver.solution import Answer
from lasynth.solver.strategies import Examples, Judging, Strategy, Symbolic
from lasynth.task import Example, InputError

StrategyName = Literal["portfolio", "symbolic", "neural"]
PRETRAINED = Path(__file__).parents[1] / "pretrained"
"""Weights that come with the package: a checkpoint's folder for each language that has one."""
FIRST_SHARE = 0.5
"""Of the time that is left, what a strategy may take if others follow."""
PATIENCE = 0.12
"""Share of the whole time that a strategy may still take once there is an answer: it may know a better one."""
LAST_CALL = 0.95
"""Share of the time after which no candidate is taken any more: what is found must be reduced and checked."""

NEARLY = 0.1
"""A strategy that ends with less than this share of its time left was ended by the clock."""


def choose_team(
    domain: AnyDomain, name: str, weights: Path | None, examples: Examples, top: int = 1
) -> tuple[list[Strategy], list[str]]:
    """The strategies that can take part, and why others do not."""
    if name not in get_args(StrategyName):
        raise InputError(f"there is no strategy `{name}`; there are {', '.join(get_args(StrategyName))}")
    asked: list[Strategy] = [Symbolic(domain)] if name != "neural" else []
    notes: list[str] = []
    shipped = PRETRAINED / domain.name
    if weights is None and shipped.exists():
        weights = shipped
    if name != "symbolic" and weights is None:
        notes.append("neural: no weights are there")
    elif name != "symbolic" and weights is not None:
        if (refused := refusal_of(weights, domain, examples)) is not None:
            notes.append(f"neural: {refused}")
        else:
            from lasynth.solver.neural import Neural

            asked.append(Neural(weights, domain.name, top))
    team = []
    for strategy in asked:
        if (refusal := strategy.refusal(examples)) is None:
            team.append(strategy)
        else:
            notes.append(f"{strategy.name}: {refusal}")
    return team, notes


def gather(
    team: Sequence[Strategy], answers: Answers, begin: float, timeout: float, known: Sequence[Answer] = ()
) -> Answers:
    """Every strategy in turn, the last one with all the time that is left; then what was known before.

    What was known comes last so that nobody is hurried for its sake.
    """
    last_call = begin + LAST_CALL * timeout
    for strategy in team:
        now = time.perf_counter()
        share = 1.0 if strategy is team[-1] else FIRST_SHARE
        until = now + share * (last_call - now)
        if answers.behaviours:
            until = min(until, now + PATIENCE * timeout)
        ended = False
        for candidate in strategy.candidates(answers.examples, until):
            answers.add(candidate)
            ended |= candidate.after_all
            if time.perf_counter() > until:
                break
        answers.cut_short |= not ended and time.perf_counter() > until - NEARLY * (until - now)
    for answer in known:
        answers.keep(answer)
    for strategy in team:
        if isinstance(strategy, Judging):
            answers.weigh(strategy, last_call)
    return answers


@cache
def warm_up(language: str) -> None:
    """Load or make the compiled code before any clock starts."""
    domain = get_domain(language)
    values = domain.random_values(Random(0), 3)
    examples = [Example(value, value) for value in values]
    answers = Answers(domain, examples)
    for candidate in Symbolic(domain).candidates(examples, float("inf")):
        answers.add(candidate)
    answers.answers(1, float("inf"))
