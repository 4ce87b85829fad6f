"""Chooses the language from the examples. Where two languages fit, both search, and the better answer is taken.

A language fits if it can take all examples: restricted C wants lists of one length, `lists` takes numbers and lists of
any lengths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from lasynth.domains import DOMAINS, get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import calibration, solvable
from lasynth.solver.answers import PROBES
from lasynth.solver.portfolio import LATER_SHARE, PRETRAINED, StrategyName
from lasynth.solver.solution import Answer, Solution
from lasynth.solver.strategies import Candidate, Examples
from lasynth.task import InputError

AUTO = "auto"
FIXED, ANY_LENGTH = "c", "lists"
"""Two languages with the same values. Programs of the first one work for one length, those of the second for all."""
UNRATED = 0.5
"""The confidence that is assumed for an answer without one."""
FIXED_SHARE = 0.3
"""Share of the time for the language of one length. It comes first because it is usually done in milliseconds."""
SYMBOLIC_SHARE = 0.6
"""Share of the time for both languages together, if a model may be asked after them."""
SECONDS_PER_NUMBER = 1e-6
"""Shortest useful search in the second language: seconds per number in the examples."""
SHORT_SHARE = 0.4
"""Share of the time for the second language if there is an answer in the first one."""
SURE_SHARE = 0.08
"""The same if this answer is sure: a person waits for it."""


class Readings(NamedTuple):
    """The examples as each language that can take them reads them."""

    by_language: dict[str, list[Any]]
    chosen: bool
    """Whether the language was chosen by the examples, not by the user."""


def read_in(
    language: str | None,
    read: Callable[[AnyDomain], list[Any]],
    weights: Path | None = None,
    known: Sequence[Answer | Candidate] = (),
    suspect: str | None = None,
) -> Readings:
    """Read examples in the language, or in every language that fits. InputError if none does: that of the suspect.

    `read` raises InputError for a language that cannot take them. Weights and known answers have a language of their
    own.
    """
    of_weights = _language_of(weights)
    if language is None or language == AUTO:
        language = next((item.language or FIXED for item in known), None) or of_weights
        if language is None:
            return Readings(_fitting(read, suspect or ANY_LENGTH), True)
    elif of_weights is not None and of_weights != language:
        raise InputError(f"{weights} is a model of `{of_weights}`, the examples are of `{language}`")
    domain = get_domain(language)
    solvable(domain)
    try:
        return Readings({domain.name: read(domain)}, False)
    except InputError as error:
        if of_weights is None:
            raise
        raise InputError(f"{weights} is a model of `{of_weights}`, which cannot read the examples: {error}") from error


def _language_of(weights: Path | None) -> str | None:
    """The language on a model's card; None without a readable card."""
    if weights is None:
        return None
    card: Any = {}
    for file in (weights / "card.json", *sorted(weights.glob("step-*/card.json"))):
        with suppress(OSError, ValueError):
            card = json.loads(file.read_text())
            break
    name = card.get("domain") if isinstance(card, dict) else None
    return name if name in DOMAINS else None


def _fitting(read: Callable[[AnyDomain], list[Any]], suspect: str) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    refused: dict[str, InputError] = {}
    for name in (FIXED, ANY_LENGTH, *DOMAINS):
        if found and name not in (FIXED, ANY_LENGTH):
            break
        if name in found or name in refused:
            continue
        try:
            found[name] = read(solvable_domain(name))
        except InputError as error:
            refused[name] = error
    if not found:
        raise refused[suspect]
    if len(found) > 1 and found[FIXED] != found[ANY_LENGTH]:  # (1, 2) is a list for one, two numbers for the other
        del found[ANY_LENGTH]
    return found


def solvable_domain(name: str) -> AnyDomain:
    domain = get_domain(name)
    solvable(domain)
    return domain


# --- two languages ----------------------------------------------------------------------------------------------------
class Search(Protocol):
    """Searches in one language."""

    def __call__(
        self, language: str, strategy: StrategyName, timeout: float, known: Sequence[Candidate] = ()
    ) -> Solution: ...


def search_both(
    search: Search, readings: Mapping[str, Examples], strategy: StrategyName, timeout: float, wide: bool
) -> Solution:
    """Search in both languages within one time limit, and take the better answer.

    The model comes last, and only if no answer is sure.
    """
    if strategy == "neural":
        with_model = [name for name in readings if (PRETRAINED / name).exists()]
        return search((with_model or [FIXED])[0], strategy, timeout)
    staged = strategy == "portfolio" and not wide and (PRETRAINED / FIXED).exists()
    clock = _Clock(timeout)
    fixed = clock.run(search, FIXED, "symbolic" if staged else strategy, FIXED_SHARE * timeout)
    if fixed.solved and clock.left < SECONDS_PER_NUMBER * _numbers(readings[FIXED]):
        return replace(fixed, notes=(*fixed.notes, f"language {FIXED}: there was no time for lists of any length"))
    sure = calibration(type(get_domain(FIXED))).sure
    share = (SYMBOLIC_SHARE if staged else 1.0) * timeout - clock.taken
    if fixed.solved:
        share = timeout * (SURE_SHARE if _sureness(fixed) >= sure and not wide else SHORT_SHARE)
    free = clock.run(search, ANY_LENGTH, strategy, share)
    best = better(fixed, free, readings[FIXED])
    if staged and _sureness(best) < sure and clock.left > 0:
        share = LATER_SHARE * timeout if best.solved else clock.left
        with suppress(InputError):  # the model cannot take these examples
            fixed = clock.run(search, FIXED, "neural", min(share, clock.left), fixed.behaviours)
            best = better(fixed, free, readings[FIXED])
    return replace(best, seconds=clock.taken, candidates=clock.candidates, notes=(*best.notes, _why(best, fixed, free)))


def _numbers(examples: Examples) -> int:
    return sum(len(example.input) + len(example.output) for example in examples)


class _Clock:
    """Adds up what the searches took, without the time for loading."""

    def __init__(self, timeout: float) -> None:
        self.timeout, self.taken, self.candidates = timeout, 0.0, 0

    @property
    def left(self) -> float:
        return self.timeout - self.taken

    def run(
        self, search: Search, language: str, strategy: StrategyName, share: float, known: Sequence[Candidate] = ()
    ) -> Solution:
        solution = search(language, strategy, max(share, 0.01), known)
        self.taken += solution.seconds
        self.candidates += solution.candidates
        return solution


def better(fixed: Solution, free: Solution, examples: Examples) -> Solution:
    """The better of two solutions: one for lists of the examples' length, one for lists of any length.

    If both answers agree on lists of this length, the one for any length; else the surer one.
    """
    if not fixed.solved or not free.solved:
        if fixed.solved or free.solved:
            return fixed if fixed.solved else free
        return free if free.satisfied > fixed.satisfied else fixed
    if agree(fixed, free, examples) or _sureness(free) >= _sureness(fixed):
        return free
    return fixed


def agree(fixed: Solution, free: Solution, examples: Examples) -> bool:
    """Whether the best answers give the same outputs for lists of the examples' length."""
    probes = solvable(get_domain(FIXED)).probes(Random(0), PROBES, examples)
    one, other = (get_domain(s.language).run_many([s.programs[0].program], probes) for s in (fixed, free))
    return bool(one == other)


def _sureness(solution: Solution) -> float:
    if solution.best is None:
        return 0.0
    return UNRATED if solution.best.confidence is None else solution.best.confidence


def _why(best: Solution, fixed: Solution, free: Solution) -> str:
    """Which language was taken, and why."""
    if not fixed.solved and not free.solved:
        return f"language {best.language}: none of {fixed.language} and {free.language} has an answer"
    if best.language == ANY_LENGTH:
        how = "there is none in restricted C" if not fixed.solved else "there is one in restricted C, too"
        return f"language {best.language}: this answer is for lists of any length; {how}"
    how = "no answer for lists of any length" if not free.solved else "it is surer than the one for lists of any length"
    return f"language {best.language}: this answer is for lists of this length; {how}"
