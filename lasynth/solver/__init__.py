"""`solve`: examples in, verified programs out. Strategies propose, the machine decides, one ranking orders what is left.

Knows languages only through their domains; nothing here names one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args

from lasynth.domains import DOMAINS, get_domain
from lasynth.domains.base import Domain
from lasynth.domains.solvable import solvable
from lasynth.solver.answers import Answers
from lasynth.solver.examples import check_examples
from lasynth.solver.solution import Answer, Solution
from lasynth.solver.strategies import Examples, Judging, Strategy, Symbolic
from lasynth.task import Example, InputError

__all__ = ["PRETRAINED", "Answer", "Solution", "StrategyName", "solve"]

StrategyName = Literal["portfolio", "symbolic", "neural"]
PRETRAINED = Path(__file__).parents[1] / "pretrained"
"""Weights that come with the package: a checkpoint's folder for each language that has one."""
FIRST_SHARE = 0.5
"""Of the time that is left, what a strategy may take if others follow."""
LAST_CALL = 0.95
"""Share of the time after which no candidate is taken any more: what is found must be reduced and checked."""


def solve(
    examples: Sequence[tuple[Any, Any]],
    *,
    timeout: float = 5.0,
    top: int = 1,
    strategy: StrategyName = "portfolio",
    weights: Path | str | None = None,
    language: str = "c",
) -> Solution:
    """Programs that do what the examples show, the best first, each executed on every example.

    `examples` are pairs of an input and the output that the program shall give for it. `top` answers at most are given, no
    two of which do the same. `timeout` is in seconds; loading a model, once in a process, is not counted. The strategies are
    `symbolic` (the simplest explanation, no learning), `neural` (beam search of the model in the folder `weights`, by default
    the one that comes with the package) and `portfolio` (both). InputError if the examples are bad.

    >>> solution = solve([([3, 1, 4], [4, 2, 5]), ([0, 7, 7], [1, 8, 8]), ([9, -2, 5], [10, -1, 6])])
    >>> solution.solved, solution.programs[0].source
    (True, 'symbolic')
    >>> get_domain("c").run(solution.programs[0].program, [7, 0, -1])
    [8, 1, 0]
    """
    if not timeout > 0:
        raise InputError("the timeout must be positive")
    if top < 1:
        raise InputError("top must be at least 1")
    if language not in DOMAINS:
        raise InputError(f"there is no language `{language}`; there are {', '.join(DOMAINS)}")
    domain = get_domain(language)
    solvable(domain)
    given = check_examples(domain, [Example(value, wanted) for value, wanted in examples])
    team, notes = _team(domain, strategy, None if weights is None else Path(weights), given)
    _warm_up(language)
    begin = time.perf_counter()
    answers = _gather(team, Answers(domain, given), begin, timeout)
    chosen = tuple(answers.answer(behaviour) for behaviour in answers.ranked()[:top])
    partial, satisfied = (None, len(given)) if chosen else answers.partial_answer()
    seconds = time.perf_counter() - begin
    reason = None if chosen else _reason(team, answers, seconds > LAST_CALL * timeout, satisfied)
    return Solution(chosen, seconds, answers.executed, reason, partial, satisfied, tuple(notes))


def _gather(team: Sequence[Strategy], answers: Answers, begin: float, timeout: float) -> Answers:
    """Every strategy in turn, the last one with all the time that is left."""
    last_call = begin + LAST_CALL * timeout
    for strategy in team:
        now = time.perf_counter()
        share = 1.0 if strategy is team[-1] else FIRST_SHARE
        until = now + share * (last_call - now)
        for candidate in strategy.candidates(answers.examples, until):
            answers.add(candidate)
            if time.perf_counter() > until:
                break
    for strategy in team:
        if isinstance(strategy, Judging) and len(team) > 1 and time.perf_counter() < last_call:
            answers.weigh(strategy)
    return answers


def _team(
    domain: Domain[Any, Any, Any], name: str, weights: Path | None, examples: Examples
) -> tuple[list[Strategy], list[str]]:
    """The strategies that take part, and why others do not. InputError if none can."""
    if name not in get_args(StrategyName):
        raise InputError(f"there is no strategy `{name}`; there are {', '.join(get_args(StrategyName))}")
    team: list[Strategy] = [Symbolic(domain)] if name != "neural" else []
    notes: list[str] = []
    shipped = PRETRAINED / domain.name
    if weights is None and shipped.exists():
        weights = shipped
    if name != "symbolic":
        if weights is None:
            notes.append("neural: no weights are there")
        else:
            from lasynth.solver.neural import Neural

            neural = Neural(weights, domain.name)
            refusal = neural.refusal(examples)
            if refusal is None:
                team.append(neural)
            else:
                notes.append(f"neural: {refusal}")
    if not team:
        raise InputError(f"no strategy can take this: {'; '.join(notes)}")
    return team, notes


def _reason(team: Sequence[Strategy], answers: Answers, late: bool, satisfied: int) -> str:
    who = " and ".join(strategy.name for strategy in team)
    tried = f"{answers.executed:,} program{'s' if answers.executed != 1 else ''} of the {who} search executed"
    best = (
        f"the best satisfies {satisfied} of {len(answers.examples)} examples" if answers.partial else "none was found"
    )
    hint = (
        "more time may help" if late else "the examples may hold a mistake, or need a program beyond what is searched"
    )
    return f"no program satisfies all examples ({tried}; {best}); {hint}"


@cache
def _warm_up(language: str) -> None:
    """Load or make the compiled code before any clock starts."""
    domain = get_domain(language)
    values = domain.random_values(Random(0), 3)
    examples = [Example(value, value) for value in values]
    answers = Answers(domain, examples)
    for candidate in Symbolic(domain).candidates(examples, float("inf")):
        answers.add(candidate)
    for behaviour in answers.ranked()[:1]:
        answers.answer(behaviour)
