"""The neural strategy: beam search with a trained model. Programs are executed as soon as they are finished.

The model is loaded once per process. Only this module of the solver needs torch. It is imported only if there is a
model.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lasynth.batch import Collator
from lasynth.checkpoint import Loaded, load_model
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Hopeless
from lasynth.domains.solvable import Guidable
from lasynth.models.base import IO
from lasynth.search import DROP, END, KEEP, Finished, beam_search
from lasynth.settings import SearchConfig
from lasynth.solver.reach import MOST_EXAMPLES, refusal
from lasynth.solver.strategies import Candidate, Examples
from lasynth.task import InputError
from lasynth.vocab import BOS, EOS

BEAMS = (64, 256)
"""Hypotheses of a search. If nothing fits, a wider search follows if time allows."""
LONGEST = 40
"""Most lexemes of a program in the search. Models are trained on shorter ones and find longer ones only by chance."""
MORE_THAN_HALF = log(0.5)
"""A fitting program with a larger log-probability ends the search for one answer: no other one can be more likely."""
ENOUGH = 12
"""The search ends after this many fitting programs for each wanted answer."""
GLANCE = 100
"""Unfinished programs run on at most this many examples, because each has many prefixes to run."""
GUIDED = "guided"
"""Source of what the language's own search finds with the programs of the model."""
KEPT = 64
"""Hypotheses of each step that become hints."""
RESERVE = 0.05
"""Share of the time that is kept for what comes after the search."""


@cache
def load(path: Path) -> Loaded:
    """Load a model once per process, and run a few steps so that everything is compiled. InputError."""
    loaded = load_model(path)
    model, config, domain = loaded.model, loaded.config, loaded.domain
    collate = Collator.of(config, domain)
    value = collate.values.sample(collate.config)[None, None]  # (1, 1, *)
    io = collate.io(value, value)
    beam_search(model, io, domain.syntax, SearchConfig(beam=2, max_length=2))
    statement = int((domain.syntax.allowed(domain.syntax.start(1))[0] & domain.statement_ends).argmax())
    collate.machine.states(np.array([[statement, EOS]]), value)
    with torch.inference_mode():
        state = model.start(io)
        for lexeme in (BOS, statement):  # a model may run what is written so far
            _, state = model.step(state, torch.tensor([lexeme]))
        model.log_probs(collate.programs(io, [[statement, EOS]]))
    return loaded


class Neural:
    """Beam search of one model."""

    name = "neural"

    def __init__(self, weights: Path, language: str, top: int = 1, guides: bool = False) -> None:
        self.loaded = load(weights)
        self.top = top
        """Answers that are wanted."""
        self.guides = guides
        """Whether the language's own search goes on with the programs of the model, if none of them fits."""
        if self.loaded.domain.name != language:
            raise InputError(f"{weights} is a model of `{self.loaded.domain.name}`, the examples are of `{language}`")
        self.collate = Collator.of(self.loaded.config, self.loaded.domain)

    def refusal(self, examples: Examples) -> str | None:
        return refusal(self.loaded.config, self.loaded.domain, examples)

    def _io(self, examples: Examples) -> IO:
        shown = examples[:MOST_EXAMPLES]
        return self.collate.one_task([e.input for e in shown], [e.output for e in shown])

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        """All programs of the beam that fit, the likeliest first; if none does, the one that comes closest."""
        watch, io, domain = Watch(self, examples), self._io(examples), self.loaded.domain
        longest, trail = domain.most_lexemes if isinstance(domain, Guidable) else LONGEST, Trail(None)
        for beam in BEAMS:
            seconds = (deadline - time.perf_counter()) * (1 - RESERVE)
            if seconds <= 0 or watch.fitting:
                break
            config = SearchConfig(beam, longest, seconds=seconds, tasks=1)
            hopeless = self.collate.hopeless(io.inputs.numpy())
            if self.guides and isinstance(domain, Guidable):
                hopeless = trail = Trail(hopeless)
            found = beam_search(self.loaded.model, io, domain.syntax, config, on_finished=watch, hopeless=hopeless)
            if not watch.fitting:
                watch.begun(found.unfinished[0])
        best = watch.best()
        tried = watch.executed - len(best)  # they come with the first
        for score, tokens in best:
            yield self._candidate(tokens, examples)._replace(log_prob=score, tried=tried)
            tried = 0
        if self.guides and not watch.fitting and isinstance(domain, Guidable):
            hints = [(domain.vocab.decode(tokens), weight) for tokens, weight in trail.prefixes]
            for program, length, after_all in domain.guided(examples, hints, deadline):
                yield Candidate(program, GUIDED, length=length, after_all=after_all)

    def _parsed(self, tokens: list[int]) -> Any:
        return self.loaded.domain.parse(self.loaded.domain.vocab.decode(tokens))

    def _candidate(self, tokens: list[int], examples: Examples) -> Candidate:
        program, domain = self._parsed(tokens), self.loaded.domain
        if not isinstance(domain, Guidable):
            return Candidate(program, self.name)
        named, length, _ = domain.described(program, examples)
        return Candidate(named, self.name, length=length)

    @torch.inference_mode()
    def log_probs(self, programs: Sequence[Any], examples: Examples) -> list[float | None]:
        """How likely the model finds programs, whoever proposed them; None for one that it could not write."""
        domain = self.loaded.domain
        numbers: dict[int, list[int]] = {}
        for i, program in enumerate(programs):
            with suppress(KeyError):  # a lexeme that is not in the vocabulary
                numbers[i] = domain.vocab.encode(domain.unparse(program))
        if not numbers:
            return [None] * len(programs)
        batch = self.collate.programs(self._io(examples), list(numbers.values()))
        found = dict(zip(numbers, self.loaded.model.log_probs(batch).tolist(), strict=True))
        return [found.get(i) for i in range(len(programs))]


class Trail:
    """Says which hypotheses are hopeless, and remembers the beginnings of programs that a search goes through."""

    def __init__(self, hopeless: Hopeless | None) -> None:
        self.hopeless = hopeless
        self.prefixes: list[tuple[list[int], float]] = []
        """Lexemes, and logarithms of weights: hypotheses are asked for in the order of their probabilities."""

    def __call__(self, task: NDArray[np.int64], tokens: NDArray[np.int16]) -> NDArray[np.bool_]:
        lost = np.zeros(len(task), np.bool_) if self.hopeless is None else self.hopeless(task, tokens)
        self.prefixes += [(row, -log(1 + rank)) for rank, row in enumerate(tokens[~lost][:KEPT].tolist())]
        return lost


class Watch:
    """Executes programs as they are finished, drops those that are wrong, and says when the search may end."""

    def __init__(self, strategy: Neural, examples: Examples) -> None:
        self.machine, self.values = strategy.collate.machine, strategy.collate.values
        self.domain = strategy.loaded.domain
        self.top = strategy.top
        self.inputs = self.values.pack([e.input for e in examples])[None]  # (1, K, *)
        self.wanted = self.values.pack([e.output for e in examples])  # (K, *)
        self.executed = 0
        self.fitting: list[tuple[float, list[int]]] = []
        """Log-probabilities and lexemes, without EOS."""
        self.closest: tuple[int, float | None, list[int]] | None = None
        """The closest program that does not fit: how many examples it satisfies, its log-probability, its lexemes. A
        program that was cut off has no probability."""

    def __call__(self, finished: Finished) -> NDArray[np.int64]:
        outputs, fine, _ = self.machine.run(finished.tokens, self.inputs, np.zeros(len(finished.task), np.int64))
        satisfied = (fine & self.values.same(outputs, self.wanted)).sum(axis=1)  # (F,)
        fits, scores = satisfied == len(self.wanted), finished.scores
        self.executed += len(fits)
        self.fitting += zip(scores[fits].tolist(), finished.tokens[fits, :-1].tolist(), strict=True)
        closest = int(np.lexsort((scores, satisfied))[-1])
        self._come_closer(int(satisfied[closest]), float(scores[closest]), finished.tokens[closest, :-1].tolist())
        sure = (scores > MORE_THAN_HALF) & (self.top == 1)
        enough = fits & (sure | (len(self.fitting) >= ENOUGH * self.top))
        verdicts: NDArray[np.int64] = np.where(enough, END, np.where(fits, KEEP, DROP))
        return verdicts

    def begun(self, tokens: NDArray[np.int16]) -> None:
        """Execute unfinished programs up to each statement: one may come closer than all finished ones. (F, T)"""
        ends = self.domain.statement_ends[tokens]  # (F, T)
        if not ends.any():
            return
        inputs = np.repeat(self.inputs[:, :GLANCE], len(tokens), axis=0)
        values, fine = self.machine.states(tokens, inputs)  # (F, S, K, *), (F, S, K)
        satisfied = (fine & self.values.same(values, self.wanted[:GLANCE])).sum(axis=2)  # (F, S)
        exists = np.arange(satisfied.shape[1]) < ends.sum(axis=1, keepdims=True)  # (F, S)
        self.executed += int(ends.sum())
        row, statement = divmod(int(np.where(exists, satisfied, -1).argmax()), satisfied.shape[1])
        end = int(ends[row].nonzero()[0][statement]) + 1
        if (program := closed(tokens[row, :end].tolist(), self.domain)) is not None:
            self._come_closer(int(satisfied[row, statement]), None, program)

    def _come_closer(self, satisfied: int, log_prob: float | None, tokens: list[int]) -> None:
        """Keep a program if it satisfies more examples than any before, or as many and is likelier."""
        mine = satisfied, log_prob, tokens
        if self.closest is None or _closeness(mine) > _closeness(self.closest):
            self.closest = mine

    def best(self) -> Sequence[tuple[float | None, list[int]]]:
        """The programs to propose: those that fit, the likeliest first, or else the closest one."""
        if self.fitting or self.closest is None:
            return sorted(self.fitting, key=lambda program: -program[0])
        return [self.closest[1:]]


def _closeness(program: tuple[int, float | None, list[int]]) -> tuple[int, float]:
    satisfied, log_prob, _ = program
    return satisfied, -inf if log_prob is None else log_prob


def closed(tokens: list[int], domain: AnyDomain) -> list[int] | None:
    """An unfinished program with its open blocks closed; None where the language does not allow that yet."""
    syntax, closing = domain.syntax, domain.nesting < 0
    states = syntax.start(1)
    for token in tokens:
        states = syntax.advance(states, np.array([token]))
    while not (allowed := syntax.allowed(states)[0])[EOS]:
        if not (allowed & closing).any():
            return None
        token = int((allowed & closing).argmax())
        tokens, states = [*tokens, token], syntax.advance(states, np.array([token]))
    return tokens
