"""`solve`: examples in, verified programs out.

Strategies propose programs, each is executed on the examples, and those that satisfy all of them are ranked. Works with
every language whose domain is `Solvable`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from operator import index
from pathlib import Path
from typing import Any

from lasynth.domains import DOMAINS, get_domain
from lasynth.domains.solvable import solvable
from lasynth.interruption import interruptible
from lasynth.solver.answers import Answers
from lasynth.solver.examples import check_examples
from lasynth.solver.portfolio import PRETRAINED, StrategyName, choose_team, gather, warm_up
from lasynth.solver.solution import Answer, Solution
from lasynth.solver.strategies import Strategy
from lasynth.task import Example, InputError

__all__ = ["PRETRAINED", "Answer", "Solution", "StrategyName", "solve"]


@interruptible()
def solve(
    examples: Sequence[tuple[Any, Any]],
    *,
    timeout: float = 5.0,
    top: int = 1,
    strategy: StrategyName = "portfolio",
    weights: Path | str | None = None,
    language: str = "c",
    known: Sequence[Answer] = (),
) -> Solution:
    """Find programs that do what the examples show, the best first. Each answer is executed on every example.

    `examples` are pairs of an input and the output that the program must give. There are at most `top` answers, and
    they differ in behaviour. `timeout` is in seconds; loading a model, once per process, does not count. The strategies
    are `symbolic` (the simplest explanation, without learning), `neural` (beam search with the model in the folder
    `weights`; by default the model that comes with the package) and `portfolio` (both). `known` are answers of an
    earlier call with fewer examples: those that satisfy all examples are answers again, even beyond `top`. InputError
    if the examples are bad.

    >>> solution = solve([([3, 1, 4], [4, 2, 5]), ([0, 7, 7], [1, 8, 8]), ([9, -2, 5], [10, -1, 6])])
    >>> solution.solved, solution.programs[0].source
    (True, 'symbolic')
    >>> get_domain("c").run(solution.programs[0].program, [7, 0, -1])
    [8, 1, 0]
    """
    if not _is_time(timeout):
        raise InputError(f"the timeout must be a positive number of seconds, not {timeout!r:.100}")
    top = _whole(top)
    if language not in DOMAINS:
        raise InputError(f"there is no language `{language}`; known languages: {', '.join(DOMAINS)}")
    domain = get_domain(language)
    solvable(domain)
    given = check_examples(domain, _pairs(examples))
    team, notes = choose_team(domain, strategy, None if weights is None else Path(weights), given, top)
    if not team and not known:
        raise InputError(f"no strategy can work with these examples: {'; '.join(notes)}")
    warm_up(language)
    answers = Answers(domain, given)
    begin = time.perf_counter()
    gather(team, answers, begin, timeout, known)
    chosen = answers.answers(top, begin + timeout)
    partial, satisfied = (None, len(given)) if chosen else answers.partial_answer()
    seconds = time.perf_counter() - begin
    reason = None if chosen else _reason(team, answers, satisfied)
    return Solution(chosen, seconds, answers.executed, reason, partial, satisfied, tuple(notes))


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
