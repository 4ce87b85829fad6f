"""Collects candidates for one task: executes each on every example, merges those that do the same, ranks, reduces.

Two programs do the same if they agree on all probes, faults included. A behaviour is ranked by the shortest description
that a strategy gave it, together with the probability that the model gives to all programs that behave so.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import exp, log1p
from random import Random
from typing import Any, Protocol, TypeVar

from lasynth.domains.base import Domain
from lasynth.domains.solvable import solvable
from lasynth.solver.solution import Answer
from lasynth.solver.strategies import Candidate, Examples, Judging

PROBES = 128
LONG = 400
"""Programs with more tokens are not reduced: the time for it grows with the cube of the length."""
WEIGHED = 16
"""Behaviours that a model is asked about if it did not find them itself: each is reduced for that, which takes its time."""
UNKNOWN = 4.0
"""Nats that a behaviour loses against the worst one that a strategy proposed if that strategy did not propose it."""
PRIOR = 1.0
"""Weight of the model's log-probability beside the length of a description."""


@dataclass
class Behaviour:
    """All candidates that do the same."""

    best: Candidate
    """The first of them: strategies propose the best first."""
    order: int
    sources: dict[str, None]
    length: float | None
    log_prob: float | None

    def add(self, candidate: Candidate) -> None:
        self.sources[candidate.source] = None
        if candidate.length is not None:
            self.length = candidate.length if self.length is None else min(self.length, candidate.length)
        if candidate.log_prob is not None:
            self.log_prob = candidate.log_prob if self.log_prob is None else _log_add(self.log_prob, candidate.log_prob)


class Rankable(Protocol):
    @property
    def order(self) -> int: ...
    @property
    def length(self) -> float | None: ...
    @property
    def log_prob(self) -> float | None: ...


AnyRankable = TypeVar("AnyRankable", bound=Rankable)


def rank(found: Sequence[AnyRankable], prior: float = PRIOR, unknown: float = UNKNOWN) -> list[AnyRankable]:
    """The best first: a short description that the model finds likely."""
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
    """What is known of one task so far."""

    domain: Domain[Any, Any, Any]
    examples: Examples
    executed: int = 0
    behaviours: dict[Hashable, Behaviour] = field(default_factory=dict)
    partial: tuple[int, Candidate] | None = None
    """Examples satisfied by the best candidate that does not satisfy all, and that candidate."""

    def __post_init__(self) -> None:
        self.inputs = [example.input for example in self.examples]
        self.wanted = [example.output for example in self.examples]
        self.probes = solvable(self.domain).probes(Random(0), PROBES, self.examples)

    def add(self, candidate: Candidate) -> bool:
        """Execute a candidate; whether it satisfies every example."""
        (outputs,) = self.domain.run_many([candidate.program], [*self.inputs, *self.probes])
        self.executed += 1 + candidate.tried
        satisfied = sum(map(self._same, outputs, self.wanted))  # the probes' outputs come after the examples'
        if satisfied < len(self.wanted):
            if self.partial is None or satisfied > self.partial[0]:
                self.partial = satisfied, candidate
            return False
        key = repr([None if o is None else self.domain.value_json(o) for o in outputs[len(self.wanted) :]])
        if key not in self.behaviours:
            self.behaviours[key] = Behaviour(candidate, len(self.behaviours), {}, None, None)
        self.behaviours[key].add(candidate)
        return True

    def _same(self, output: Any, wanted: Any) -> bool:
        return bool(output is not None and output == wanted)

    def ranked(self) -> list[Behaviour]:
        """Behaviours that satisfy the examples, the best first."""
        return rank(list(self.behaviours.values()))

    def weigh(self, judge: Judging, deadline: float) -> None:
        """Let a model say how likely the best behaviours are that it did not propose itself, while there is time."""
        silent, programs = [behaviour for behaviour in self.ranked()[:WEIGHED] if behaviour.log_prob is None], []
        for behaviour in silent:
            if time.perf_counter() > deadline:
                break
            programs.append(self._small(behaviour.best.program))
        for behaviour, log_prob in zip(silent, judge.log_probs(programs, self.examples), strict=False):
            behaviour.log_prob = log_prob

    def answer(self, behaviour: Behaviour) -> Answer:
        """The answer to show: reduced, and executed on every example again, by the interpreter that defines the language."""
        answer = self._reduced(behaviour.best, ", ".join(sorted(behaviour.sources)), behaviour.log_prob)
        for example in self.examples:
            assert self._same(self.domain.run(answer.program, example.input), example.output), "an unverified answer"
        return answer

    def partial_answer(self) -> tuple[Answer | None, int]:
        """The best program that does not satisfy all examples, and how many it does."""
        if self.partial is None:
            return None, 0
        satisfied, candidate = self.partial
        return self._reduced(candidate, candidate.source, candidate.log_prob), satisfied

    def _reduced(self, candidate: Candidate, source: str, log_prob: float | None) -> Answer:
        domain, reduced = self.domain, self._small(candidate.program)
        concise = domain.pretty(reduced)
        tokens = domain.length(domain.parse_text(concise))
        return Answer(reduced, domain.text(candidate.program), concise, source, log_prob, tokens)

    def _small(self, program: Any) -> Any:
        """The program in the form in which data sets have theirs."""
        small = self.domain.canonical(program)
        if self.domain.length(small) > LONG:
            return small
        return self.domain.reduce(small, [*self.inputs[:PROBES], *self.probes])
