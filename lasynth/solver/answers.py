"""Collects the candidates for one task: executes each on every example, groups them by behaviour, ranks, reduces.

An answer gets a confidence. A program that only memorises the examples is not an answer.

Two programs have the same behaviour if they agree on all probes, faults included. A behaviour is ranked by its shortest
description and, with a weight (`prior`) that each language has, by the total probability that the model gives to its
programs. With the weight 0, behaviours that only the model found come last, the likeliest first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf, log1p
from random import Random
from typing import Any, Protocol, TypeVar

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Comparing, calibration, solvable
from lasynth.solver.confidence import Evidence, confidence, share, shares
from lasynth.solver.doubt import MOST_INFORMING, changes, difference, information, memorises, parts
from lasynth.solver.solution import Answer, Difference
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
    shown: Answer | None = None
    """The reduced answer, if it was needed already."""
    shown_of: int = 0
    """The number of proposals that it was chosen from."""

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

    def candidate(self) -> Candidate:
        """A candidate with this behaviour, for a later search."""
        source = self.known.source if self.known is not None else next(iter(self.proposals))
        return Candidate(self.program, source, length=self.length, log_prob=self.log_prob)


class Rankable(Protocol):
    """What `rank` needs to know of a behaviour."""

    @property
    def order(self) -> int: ...
    @property
    def length(self) -> float | None: ...
    @property
    def log_prob(self) -> float | None: ...


AnyRankable = TypeVar("AnyRankable", bound=Rankable)


def rank(found: Sequence[AnyRankable], prior: float, unknown: float = UNKNOWN) -> list[AnyRankable]:
    """Sort by score, the best first: a short description and, with the weight `prior`, a high probability are good.

    With the weight 0, behaviours without a description come last, the likeliest first.
    """
    return [behaviour for _, behaviour in scored(found, prior, unknown)]


def scored(found: Sequence[AnyRankable], prior: float, unknown: float = UNKNOWN) -> list[tuple[float, AnyRankable]]:
    """Behaviours with their scores, the smallest score first."""
    longest = max((b.length for b in found if b.length is not None), default=0.0) + unknown
    least = min((b.log_prob for b in found if b.log_prob is not None), default=0.0) - unknown

    def score(behaviour: AnyRankable) -> float:
        length = longest if behaviour.length is None else behaviour.length
        log_prob = least if behaviour.log_prob is None else behaviour.log_prob
        return length - prior * log_prob

    def place(behaviour: AnyRankable) -> tuple[float, float, int]:
        alone = behaviour.length is None and behaviour.log_prob is not None
        return score(behaviour), -(behaviour.log_prob or 0.0) if alone else 0.0, behaviour.order

    return [(score(behaviour), behaviour) for behaviour in sorted(found, key=place)]


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
    asked: bool = False
    """Whether a model was asked."""
    loading: float = 0.0
    """Seconds in which a model was loaded. They do not count towards the time limit."""
    memorised: Answer | None = None
    """The best program that satisfies every example, but memorises them."""

    def __post_init__(self) -> None:
        self.satisfied = solvable(self.domain).tester(self.examples)
        self.probes = solvable(self.domain).probes(Random(0), PROBES, self.examples)
        self.compared: Callable[[Any], Hashable] = self._compared
        if isinstance(self.domain, Comparing):
            self.compared = self.domain.comparer(self.probes)
        self.changed = changes(self.domain, self.examples)
        self.calibration = calibration(type(self.domain))
        some = [(e.input, e.output) for e in self.examples[:MOST_INFORMING]]
        inputs, outputs = ([parts(self.domain, side) for side in sides] for sides in zip(*some, strict=True))
        self.size = max(1, round(sum(map(len, inputs)) / len(inputs)))
        self.shown, self.distinct = sum(map(len, outputs)), len(set(map(repr, outputs)))
        self.information = information(self.domain, self.examples)

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
        return satisfied, self.behaviours.setdefault(self.compared(program), Behaviour(len(self.behaviours)))

    def _compared(self, program: Any) -> Hashable:
        """What a program does on the probes."""
        (outputs,) = self.domain.run_many([program], self.probes)
        return repr([None if o is None else self.domain.value_json(o) for o in outputs])

    def ranked(self) -> list[Behaviour]:
        """Behaviours that satisfy the examples, the best first."""
        return rank(list(self.behaviours.values()), self.calibration.prior)

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
        """The best answer, then others, the shortest first. After the deadline only known answers are added.

        Programs that memorise are left out; the best of them is kept in `memorised`.
        """
        found = scored(list(self.behaviours.values()), self.calibration.prior)
        sure = shares([score for score, _ in found], self.confidence())
        chosen: list[Answer] = []
        for (_, behaviour), likely in zip(found, sure, strict=True):
            some = bool(chosen) or self.memorised is not None
            if behaviour.known is None and (len(chosen) >= top or (some and time.perf_counter() > deadline)):
                continue
            answer = replace(self._answer(behaviour), confidence=likely)
            if not self._verified(answer):
                continue
            if self.calibration.memorising and memorises(answer.tokens, self.changed):
                self.memorised = self.memorised or answer
            else:
                chosen.append(answer)
        return (*chosen[:1], *sorted(chosen[1:], key=lambda answer: answer.tokens))

    def confidence(self) -> float | None:
        """Probability that the best behaviour is right on unseen inputs; None if there is none or it is not known."""
        if not self.behaviours or not self.calibration.weights:
            return None
        evidence = self.evidence()
        sure = confidence(evidence, self.calibration.weights)
        return min(sure, share(evidence)) if self.calibration.fair_shares else sure

    def evidence(self) -> Evidence:
        """What is known about the best behaviour. There must be one."""
        (score, best), *others = scored(list(self.behaviours.values()), self.calibration.prior)
        sources = set(best.proposals)
        return Evidence(
            others=len(others),
            margin=others[0][0] - score if others else inf,
            examples=len(self.examples),
            tokens=self._answer(best).tokens,
            length=score if best.length is None else best.length,
            size=self.size,
            changed=self.changed,
            asked=self.asked,
            agreed=self.asked and len(sources) > 1,
            rivals=sum(exp(score - other) for other, _ in others),
            shown=self.shown,
            distinct=self.distinct,
            information=self.information,
        )

    def difference(self) -> Difference | None:
        """A simple input on which the best two behaviours disagree; None if there is only one."""
        if len(self.behaviours) < 2:
            return None
        pair = [behaviour.program for behaviour in self.ranked()[:2]]
        return difference(self.domain, pair, self.examples, self.probes)

    def partial_answer(self) -> tuple[Answer | None, int]:
        """The best program that does not satisfy all examples, and the number of examples it satisfies."""
        if self.partial is None:
            return None, 0
        candidate = self.partial[1]
        answer = self._shown(candidate, candidate.source, candidate.log_prob)
        return answer, int(self.satisfied(self.domain.parse_text(answer.code)).sum())

    def _answer(self, behaviour: Behaviour) -> Answer:
        """The shortest of the reduced proposals. A known answer stays as it was."""
        if behaviour.known is not None:
            return replace(behaviour.known, log_prob=behaviour.log_prob, length=behaviour.length)
        sources = ", ".join(sorted(behaviour.proposals))
        if behaviour.shown is None or behaviour.shown_of != len(behaviour.proposals):
            shown = [self._shown(candidate, sources, None) for candidate in behaviour.proposals.values()]
            behaviour.shown, behaviour.shown_of = min(shown, key=lambda answer: answer.tokens), len(shown)
        return replace(behaviour.shown, source=sources, log_prob=behaviour.log_prob, length=behaviour.length)

    def _shown(self, candidate: Candidate, source: str, log_prob: float | None) -> Answer:
        program = self._small(candidate.program)
        code = self.domain.pretty(program)
        tokens = self.domain.length(self.domain.parse_text(code))
        found = self.domain.text(candidate.program)
        return Answer(program, code, found, source, log_prob, tokens, language=self.domain.name)

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
        program = self.domain.parse_text(answer.code)
        return bool(self.satisfied(program).all()) and all(
            self.domain.run(program, example.input) == example.output for example in self.examples[:INTERPRETED]
        )
