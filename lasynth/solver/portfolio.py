"""Chooses the strategies of a search, divides the time among them and collects what they find.

The model is asked only if the symbolic strategy is unsure, and torch is loaded only then.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Learnable
from lasynth.domains.solvable import Guidable
from lasynth.solver.answers import Answers
from lasynth.solver.reach import refusal_of
from lasynth.solver.solution import Answer
from lasynth.solver.strategies import Candidate, Examples, Judging, Strategy, Symbolic
from lasynth.task import Example, InputError

if TYPE_CHECKING:
    from lasynth.solver.neural import Neural

StrategyName = Literal["portfolio", "symbolic", "neural"]
PRETRAINED = Path(__file__).parents[1] / "pretrained"
"""Weights that come with the package: the folder of a checkpoint, named after its language."""
LATER_SHARE = 0.12
"""Share of the whole time for a strategy that starts when there is an answer already; it may find a better one."""
LAST_CALL = 0.95
"""Share of the whole time for the search. The rest is for reducing and checking the answers."""
NEARLY = 0.1
"""A strategy that ends with less than this share of its time left counts as cut short."""


class Later:
    """The neural strategy, loaded when it is first used: loading torch takes longer than most searches."""

    name = "neural"

    def __init__(self, weights: Path, domain: AnyDomain, top: int, guides: bool = False) -> None:
        self.weights, self.domain, self.top, self.guides = weights, domain, top, guides

    @cached_property
    def neural(self) -> Neural:
        from lasynth.solver.neural import Neural

        return Neural(self.weights, self.domain.name, self.top, self.guides)

    def refusal(self, examples: Examples) -> str | None:
        return refusal_of(self.weights, self.domain, examples)

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        return self.neural.candidates(examples, deadline)

    def log_probs(self, programs: Sequence[Any], examples: Examples) -> list[float | None]:
        return self.neural.log_probs(programs, examples)


def choose_team(
    domain: AnyDomain, name: str, weights: Path | None, examples: Examples, top: int = 1
) -> tuple[list[Strategy], list[str]]:
    """The strategies that can work with the examples, and the reasons why others cannot. InputError.

    A model that the user names is loaded at once, so that a wrong name is an error.
    """
    if name not in get_args(StrategyName):
        raise InputError(f"there is no strategy `{name}`; known strategies: {', '.join(get_args(StrategyName))}")
    asked: list[Strategy] = [Symbolic(domain)] if name != "neural" else []
    notes: list[str] = []
    shipped, guides = PRETRAINED / domain.name, name == "portfolio"
    if name != "symbolic" and weights is None:
        optional = guides and isinstance(domain, Guidable)  # it finds nothing that the language's own search does not
        if shipped.exists() and not optional:
            asked.append(Later(shipped, domain, top, guides))
        elif not shipped.exists() and (name == "neural" or isinstance(domain, Learnable)):
            notes.append("neural: there are no weights for this language")
    elif name != "symbolic" and weights is not None:
        if (refused := refusal_of(weights, domain, examples)) is not None:
            notes.append(f"neural: {refused}")
        else:
            from lasynth.solver.neural import Neural

            asked.append(Neural(weights, domain.name, top, guides))
    team = []
    for strategy in asked:
        if (refusal := strategy.refusal(examples)) is None:
            team.append(strategy)
        else:
            notes.append(f"{strategy.name}: {refusal}")
    return team, notes


def gather(
    team: Sequence[Strategy],
    answers: Answers,
    begin: float,
    timeout: float,
    known: Sequence[Answer | Candidate] = (),
    wide: bool = False,
) -> Answers:
    """Run the strategies one after the other; the last one gets all the remaining time. Then add what is known.

    Unless the search is wide, a strategy is left out if the answer found before it is sure. Where the model guides the
    language's own search, it is left out if there is any answer: that search has found the simplest ones. Known answers
    are added last: with an answer at hand, strategies get less time.
    """
    ran: list[Strategy] = []
    guided = isinstance(answers.domain, Guidable)
    for strategy in team:
        if ran and not wide and (answers.confidence() or 0.0) >= answers.calibration.sure:
            continue
        if ran and guided and answers.behaviours:
            continue
        if isinstance(strategy, Later):
            now = time.perf_counter()
            strategy.neural  # noqa: B018 - loads the model
            answers.loading += time.perf_counter() - now
        share = 1.0 if strategy is team[-1] else answers.calibration.first_share
        _run(strategy, answers, begin + answers.loading, timeout, share)
        ran.append(strategy)
    for item in known:
        if isinstance(item, Answer):
            answers.keep(item)
        else:
            answers.add(item._replace(log_prob=None))  # the model sees more examples now
    for strategy in ran:
        if isinstance(strategy, Judging):
            answers.weigh(strategy, begin + answers.loading + LAST_CALL * timeout)
    return answers


def _run(strategy: Strategy, answers: Answers, begin: float, timeout: float, share: float) -> None:
    """Collect the candidates of one strategy within its share of the time."""
    now, last_call = time.perf_counter(), begin + LAST_CALL * timeout
    until = now + share * (last_call - now)
    if answers.behaviours:
        until = min(until, now + LATER_SHARE * timeout)
    answers.asked |= isinstance(strategy, Judging)
    ended = False
    for candidate in strategy.candidates(answers.examples, until):
        answers.add(candidate)
        ended |= candidate.after_all
        if time.perf_counter() > until:
            break
    answers.cut_short |= not ended and time.perf_counter() > until - NEARLY * (until - now)


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
