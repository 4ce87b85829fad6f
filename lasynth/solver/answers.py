"""Collects the candidates for one task: executes each on every example, groups them by behaviour, ranks, reduces.

Two programs have the same behaviour if they agree on all probes, faults included. A behaviour is ranked by its shortest
description and by the total probability that the model gives to its programs.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log1p
from random import Random
from typing import Any, Protocol, TypeVar

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.solver.solution import Answer
from lasynth.solver.strategies import Candidate, Examples, Judging

PROBES = 128
"""Random inputs that define a behaviour."""
LONG = 400
"""Programs with more tokens are not reduced: the time to reduce grows with the cube of the length."""
WEIGHED = 16
"""Number of best behaviours that the model scores if it did not find them. Each is reduced first, which is slow."""
INTERPRETED = 32
"""Number of examples on which the interpreter checks an answer, too. The interpreter is slow."""
UNKNOWN = 1.0
"""Penalty in nats: a missing length or log-probability counts as the worst known one plus this."""
PRIOR = 0.1
"""Weight of the log-probability relative to the length of the description; fitted by `experiments/ranking.py`."""


@dataclass
class Behaviour:
    """All candidates with the same behaviour."""

    order: int
    proposals: dict[str, Candidate] = field(default_factory=dict)
    """The first candidate of each strategy: strategies propose their best one first."""
    length: float | None = None
    log_prob: float | None = None
    known: Answer | None = None
    """The answer of an earlier search."""

    def add(self, candidate: Candidate) -> None:
        self.proposals.setdefault(candidate.source, candidate)
        self._describe(candidate.length)
        if candidate.log_prob is not None:
            self.log_prob = candidate.log_prob if self.log_prob is None else _log_add(self.log_prob, candidate.log_prob)

    def keep(self, answer: Answer) -> None:
        """Take over an earlier answer, without its probability: the model sees more examples now."""
        self.known = self.known or answer  # the better one comes first
        self._describe(answer.length)

    def _describe(self, length: float | None) -> None:
        if length is not None:
            self.length = length if self.length is None else min(self.length, length)

    @property
    def program(self) -> Any:
        """A program with this behaviour."""
        if self.known is not None:
            return self.known.program
        return next(iter(self.proposals.values())).program


class Rankable(Protocol):
    """What `rank` needs to know of a behaviour."""

    @property
    def order(self) -> int: ...
    @property
    def length(self) -> float | None: ...
    @property
    def log_prob(self) -> float | None: ...


AnyRankable = TypeVar("AnyRankable", bound=Rankable)


def rank(found: Sequence[AnyRankable], prior: float = PRIOR, unknown: float = UNKNOWN) -> list[AnyRankable]:
    """Sort by score, the best first: a short description and a high probability are good."""
    longest = max((b.length for b in found if b.length is not None), default=0.0) + unknown
    least = min((b.log_prob for b in found if b.log_prob is not None), default=0.0) - unknown

    def score(behaviour: AnyRankable) -> tuple[float, int]:
        length = longest if behaviour.length is None else behaviour.length
        log_prob = least if behaviour.log_prob is None else behaviour.log_prob
        return length - prior * log_prob, behaviour.order

    return sorted(found, key=score)


def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high + log1p(exp(low - high))


@dataclass
class Answers:
    """The candidates of one task so far."""

    domain: AnyDomain
    examples: Examples
    executed: int = 0
    behaviours: dict[Hashable, Behaviour] = field(default_factory=dict)
    partial: tuple[int, Candidate] | None = None
    """The best candidate that does not satisfy all examples, and the number of examples it satisfies."""
    cut_short: bool = False
    """Whether the time limit ended a search for programs that satisfy all examples."""

    def __post_init__(self) -> None:
        self.satisfied = solvable(self.domain).tester(self.examples)
        self.probes = solvable(self.domain).probes(Random(0), PROBES, self.examples)

    def add(self, candidate: Candidate) -> bool:
        """Execute a candidate. Returns whether it satisfies every example."""
        self.executed += candidate.tried
        satisfied, behaviour = self._executed(candidate.program)
        if behaviour is not None:
            behaviour.add(candidate)
        elif self.partial is None or satisfied > self.partial[0]:
            self.partial = satisfied, candidate
        return behaviour is not None

    def keep(self, answer: Answer) -> None:
        """Execute an answer of an earlier search and keep it if it satisfies every example."""
        _, behaviour = self._executed(answer.program)
        if behaviour is not None:
            behaviour.keep(answer)

    def _executed(self, program: Any) -> tuple[int, Behaviour | None]:
        """The number of examples that a program satisfies and, if it satisfies all, its behaviour."""
        self.executed += 1
        satisfied = int(self.satisfied(program).sum())
        if satisfied < len(self.examples):
            return satisfied, None
        (outputs,) = self.domain.run_many([program], self.probes)
        key = repr([None if o is None else self.domain.value_json(o) for o in outputs])
        return satisfied, self.behaviours.setdefault(key, Behaviour(len(self.behaviours)))

    def ranked(self) -> list[Behaviour]:
        """Behaviours that satisfy the examples, the best first."""
        return rank(list(self.behaviours.values()))

    def weigh(self, judge: Judging, deadline: float) -> None:
        """Let a model score those of the best behaviours that it did not propose itself, until the deadline."""
        unscored = [behaviour for behaviour in self.ranked()[:WEIGHED] if behaviour.log_prob is None]
        programs: list[Any] = []
        for behaviour in unscored:
            if time.perf_counter() > deadline:
                break
            programs.append(behaviour.program if behaviour.known is not None else self._small(behaviour.program))
        for behaviour, log_prob in zip(unscored, judge.log_probs(programs, self.examples), strict=False):
            behaviour.log_prob = log_prob

    def answers(self, top: int, deadline: float) -> tuple[Answer, ...]:
        """The best answer, then others, the shortest first. After the deadline only known answers are added."""
        chosen: list[Answer] = []
        for behaviour in self.ranked():
            if behaviour.known is None and (len(chosen) >= top or (chosen and time.perf_counter() > deadline)):
                continue
            answer = self._answer(behaviour)
            if self._verified(answer):
                chosen.append(answer)
        return (*chosen[:1], *sorted(chosen[1:], key=lambda answer: answer.tokens))

    def partial_answer(self) -> tuple[Answer | None, int]:
        """The best program that does not satisfy all examples, and the number of examples it satisfies."""
        if self.partial is None:
            return None, 0
        candidate = self.partial[1]
        answer = self._shown(candidate, candidate.source, candidate.log_prob)
        return answer, int(self.satisfied(self.domain.parse_text(answer.concise)).sum())

    def _answer(self, behaviour: Behaviour) -> Answer:
        """The shortest of the reduced proposals. A known answer stays as it was."""
        if behaviour.known is not None:
            return replace(behaviour.known, log_prob=behaviour.log_prob, length=behaviour.length)
        sources = ", ".join(sorted(behaviour.proposals))
        shown = [
            replace(self._shown(candidate, sources, behaviour.log_prob), length=behaviour.length)
            for candidate in behaviour.proposals.values()
        ]
        return min(shown, key=lambda answer: answer.tokens)

    def _shown(self, candidate: Candidate, source: str, log_prob: float | None) -> Answer:
        program = self._small(candidate.program)
        concise = self.domain.pretty(program)
        tokens = self.domain.length(self.domain.parse_text(concise))
        return Answer(program, self.domain.text(candidate.program), concise, source, log_prob, tokens)

    def _small(self, program: Any) -> Any:
        """The reduced canonical program, as in data sets. It satisfies the same examples."""
        plain = self.domain.canonical(program)
        if self.domain.length(plain) > LONG:
            return plain
        small = self.domain.reduce(plain, [*(e.input for e in self.examples[:PROBES]), *self.probes])
        if len(self.examples) <= PROBES or (self.satisfied(small) == self.satisfied(plain)).all():
            return small
        return plain

    def _verified(self, answer: Answer) -> bool:
        """Whether the text that is shown satisfies every example.

        The compiled machine checks all examples, the interpreter that defines the language the first ones.
        """
        program = self.domain.parse_text(answer.concise)
        return bool(self.satisfied(program).all()) and all(
            self.domain.run(program, example.input) == example.output for example in self.examples[:INTERPRETED]
        )
