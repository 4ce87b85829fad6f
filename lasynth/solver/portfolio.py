"""Chooses the strategies of a search, divides the time among them and collects what they find."""

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
"""Weights that come with the package: the folder of a checkpoint, named after its language."""
FIRST_SHARE = 0.5
"""Share of the remaining time for a strategy that is not the last one."""
PATIENCE = 0.12
"""Share of the whole time for a strategy that starts when there is an answer already; it may find a better one."""
LAST_CALL = 0.95
"""Share of the whole time for the search. The rest is for reducing and checking the answers."""
NEARLY = 0.1
"""A strategy that ends with less than this share of its time left counts as cut short."""


def choose_team(
    domain: AnyDomain, name: str, weights: Path | None, examples: Examples, top: int = 1
) -> tuple[list[Strategy], list[str]]:
    """The strategies that can work with the examples, and the reasons why others cannot. InputError."""
    if name not in get_args(StrategyName):
        raise InputError(f"there is no strategy `{name}`; known strategies: {', '.join(get_args(StrategyName))}")
    asked: list[Strategy] = [Symbolic(domain)] if name != "neural" else []
    notes: list[str] = []
    shipped = PRETRAINED / domain.name
    if weights is None and shipped.exists():
        weights = shipped
    if name != "symbolic" and weights is None:
        notes.append("neural: there are no weights for this language")
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
    """Run the strategies one after the other; the last one gets all the remaining time. Then add the known answers.

    The known answers come last because an answer shortens the time of the strategies that follow.
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
    """Load or compile the machine code of a language before the time limit starts."""
    domain = get_domain(language)
    values = domain.random_values(Random(0), 3)
    examples = [Example(value, value) for value in values]
    answers = Answers(domain, examples)
    for candidate in Symbolic(domain).candidates(examples, float("inf")):
        answers.add(candidate)
    answers.answers(1, float("inf"))
