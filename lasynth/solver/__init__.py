"""`solve`: examples in, verified programs out.

Strategies propose programs, each is executed on the examples, and those that satisfy all of them are ranked. Works with
every language whose domain is `Solvable`, and chooses the language from the examples.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from operator import index
from pathlib import Path
from typing import Any

from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.interruption import interruptible
from lasynth.solver.answers import Answers
from lasynth.solver.examples import check_examples
from lasynth.solver.language import read_in, search_both
from lasynth.solver.portfolio import PRETRAINED, StrategyName, choose_team, gather, warm_up
from lasynth.solver.solution import Answer, Difference, Solution
from lasynth.solver.strategies import Candidate, Examples, Strategy
from lasynth.task import Example, InputError

ASKED_AMONG = 16
"""A wide search looks for at least so many answers with the model."""

__all__ = ["PRETRAINED", "Answer", "Difference", "Solution", "StrategyName", "solve"]


@interruptible()
def solve(
    examples: Sequence[tuple[Any, Any]],
    *,
    timeout: float = 5.0,
    top: int = 1,
    strategy: StrategyName = "portfolio",
    weights: Path | str | None = None,
    language: str | None = None,
    known: Sequence[Answer | Candidate] = (),
    wide: bool = False,
) -> Solution:
    """Find programs that do what the examples show, the best first. Each answer is executed on every example.

    `examples` are pairs of an input and the output that the program must give. They say which language fits, unless
    `language` names it: `lists` for lists of any lengths and numbers, `c` for lists of one length, `karel` for worlds.
    Where both `c` and `lists` fit, both search. There are at most `top` answers, and they differ in behaviour.
    `timeout` is in seconds; loading a model, once per process, does not count. The strategies are `symbolic` (the
    simplest explanation, without learning), `neural` (beam search with the model in the folder `weights`; by default
    the model that comes with the package) and `portfolio` (symbolic first; then neural, if the answer is not sure).
    `known` are answers of an earlier call with fewer examples: those that satisfy all examples are answers again, even
    beyond `top`. `known` may also be the `behaviours` of an earlier solution. A wide search asks
    every strategy and looks for many behaviours. InputError if the examples are bad.

    >>> solution = solve([([3, 1, 4], [4, 2, 5]), ([0, 7, 7], [1, 8, 8]), ([9, -2, 5], [10, -1, 6])])
    >>> solution.solved, solution.best.source
    (True, 'symbolic')
    >>> solution.best([7, 0, -1])
    [8, 1, 0]
    """
    if not _is_time(timeout):
        raise InputError(f"the timeout must be a positive number of seconds, not {timeout!r:.100}")
    top = _whole(top)
    if weights is not None and not isinstance(weights, str | Path):
        raise InputError(f"weights must be the path of a folder, not {weights!r:.100}")
    pairs, folder = _pairs(examples), None if weights is None else Path(weights)
    readings, _ = read_in(language, lambda domain: check_examples(domain, pairs), folder, known)

    def search(
        language: str, strategy: StrategyName, timeout: float, known: Sequence[Answer | Candidate] = known
    ) -> Solution:
        return _search(get_domain(language), readings[language], timeout, top, strategy, folder, known, wide)

    if len(readings) > 1:
        return search_both(search, readings, strategy, timeout, wide)
    return search(next(iter(readings)), strategy, timeout)


def _search(
    domain: AnyDomain,
    examples: Examples,
    timeout: float,
    top: int,
    strategy: StrategyName,
    weights: Path | None,
    known: Sequence[Answer | Candidate],
    wide: bool,
) -> Solution:
    """Search in one language."""
    wanted = max(top, ASKED_AMONG) if wide else top
    team, notes = choose_team(domain, strategy, weights, examples, wanted)
    if not team and not known:
        raise InputError(f"no strategy can work with these examples: {'; '.join(notes)}")
    warm_up(domain.name)
    answers = Answers(domain, examples)
    begin = time.perf_counter()
    gather(team, answers, begin, timeout, known, wide)
    chosen = answers.answers(top, begin + answers.loading + timeout)
    return _solution(answers, chosen, team, notes, begin)


def _solution(
    answers: Answers, chosen: tuple[Answer, ...], team: Sequence[Strategy], notes: Sequence[str], begin: float
) -> Solution:
    reason, partial, satisfied = None, None, len(answers.examples)
    if not chosen and answers.memorised is not None:
        partial, reason = replace(answers.memorised, confidence=None), _memorised(answers.memorised, answers)
    elif not chosen:
        partial, satisfied = answers.partial_answer()
        reason = _reason(team, answers, satisfied)
    difference = answers.difference()
    return Solution(
        chosen,
        time.perf_counter() - begin - answers.loading,
        answers.executed,
        reason,
        partial,
        satisfied,
        tuple(notes),
        others=max(0, len(answers.behaviours) - 1),
        difference=difference,
        language=answers.domain.name,
        examples=tuple(answers.examples),
        behaviours=tuple(b.candidate()._replace(language=answers.domain.name) for b in answers.ranked()),
    )


def _is_time(timeout: Any) -> bool:
    with suppress(TypeError, ValueError):
        return bool(0 < timeout < inf)
    return False


def _whole(top: Any) -> int:
    with suppress(TypeError):
        if (number := index(top)) >= 1:
            return number
    raise InputError("top must be a whole number, at least 1")


def _pairs(examples: Any) -> list[Example[Any]]:
    try:
        listed = list(examples)
    except TypeError as error:
        raise InputError(
            f"examples must be a list of pairs of an input and an output, not {examples!r:.100}"
        ) from error
    return [_pair(number, pair) for number, pair in enumerate(listed, start=1)]


def _pair(number: int, pair: Any) -> Example[Any]:
    try:
        value, wanted = pair
    except (TypeError, ValueError) as error:
        raise InputError(f"example {number} is not a pair of an input and an output: {pair!r:.100}") from error
    return Example(value, wanted)


def _memorised(answer: Answer, answers: Answers) -> str:
    count = len(answers.examples)
    return (
        f"the program that was found only memorises the examples: it has {answer.tokens:,} tokens for "
        f"{answers.changed:,} values that change in {count:,} example{'s' if count != 1 else ''}; "
        "more examples may help"
    )


def _reason(team: Sequence[Strategy], answers: Answers, satisfied: int) -> str:
    who = " and ".join(strategy.name for strategy in team)
    whose = f" of the {who} search" if team else ""
    tried = f"{answers.executed:,} program{'s' if answers.executed != 1 else ''}{whose} executed"
    best = (
        f"the best satisfies {satisfied} of {len(answers.examples)} examples" if answers.partial else "none was found"
    )
    hint = "more time may help"
    if not answers.cut_short:
        hint = "the examples may contain a mistake, or need a program that the search does not cover"
    return f"no program satisfies all examples ({tried}; {best}); {hint}"
