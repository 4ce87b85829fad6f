"""Batched beam search: the likeliest programs of many tasks at once, from any model that is `Searchable`.

A beam holds the best hypotheses of a task, finished and unfinished ones. A step extends all unfinished hypotheses of
all tasks in one call of the model, and keeps the best. Scores are log-probabilities of the model; the syntax only
forbids lexemes. Equal scores are ordered by their parent hypothesis, then by lexeme, so the result is unique. A caller
that wants to see programs as soon as they are finished, or to stop after the first good one, passes `on_finished`. The
search itself executes no programs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lasynth.domains.base import Syntax
from lasynth.domains.learnable import Hopeless
from lasynth.layers import few_sizes
from lasynth.models.base import IO, AnyState, Searchable, device_of
from lasynth.precision import half_precision
from lasynth.settings import SearchConfig
from lasynth.task import Diverged
from lasynth.vocab import BOS, EOS, PAD

NEVER = float("-inf")


@dataclass(frozen=True)
class Found:
    """The result of a search for B tasks: at most W programs for each, the likeliest first."""

    tokens: NDArray[np.int16]
    """(B, W, T): lexemes, EOS, then PAD."""
    scores: NDArray[np.float32]
    """(B, W): log-probabilities; minus infinity if there is no program."""
    unfinished: NDArray[np.int16]
    """(B, W, T): hypotheses that were unfinished when the search ended, the likeliest first; lexemes, then PAD."""


class Finished(NamedTuple):
    """F hypotheses that were just finished, grouped by task, the likeliest first."""

    task: NDArray[np.int64]
    """(F,): index of the task."""
    tokens: NDArray[np.int16]
    """(F, T): lexemes, then EOS. Hypotheses that finish in the same step have the same length."""
    scores: NDArray[np.float32]
    """(F,): log-probabilities."""


KEEP, DROP, END, SETTLE = 0, 1, 2, 3
"""Keep the program in the beam; drop it to make room for others; keep it and end the search for its task, at once or
as soon as no unfinished hypothesis is likelier, so that no likelier program can follow."""
OnFinished = Callable[[Finished], NDArray[np.int64]]
"""Returns KEEP, DROP, END or SETTLE for each program. (F,)"""


@dataclass
class _Beams:
    """The beams of G tasks. A slot holds a hypothesis; it is empty if its score is NEVER."""

    task: Tensor
    """(G,) indices of the tasks."""
    scores: Tensor
    """(G, W), best first."""
    finished: Tensor
    """(G, W) of bool."""
    tokens: Tensor
    """(G, W, T) of int16: lexemes so far, then PAD."""
    settled: Tensor
    """(G,) the best score of a program that got the verdict SETTLE; NEVER if none did."""

    def at(self, rows: Tensor) -> _Beams:
        return _Beams(
            self.task[rows], self.scores[rows], self.finished[rows], self.tokens[rows], self.settled[rows]
        )  # fmt: skip

    def ended(self) -> Tensor:
        """(G,) the tasks in which no hypothesis can be extended, or none that is at least as likely as `settled`."""
        best = self.scores.masked_fill(~self.open(), NEVER).amax(dim=1)
        return (best == NEVER) | (best < self.settled)

    def open(self) -> Tensor:
        """(G, W) the slots that can be extended."""
        return (self.scores > NEVER) & ~self.finished

    def only(self, slots: Tensor) -> _Beams:
        """The beams with only these slots, moved to the front. (G, W) of bool"""
        scores = self.scores.masked_fill(~slots, NEVER)
        order = scores.sort(dim=1, descending=True, stable=True).indices
        task = torch.arange(len(order))[:, None]
        scores, finished, tokens = scores[task, order], self.finished[task, order], self.tokens[task, order]
        tokens = tokens.masked_fill((scores == NEVER)[:, :, None], PAD)
        return _Beams(self.task, scores, finished, tokens, self.settled)


@torch.inference_mode()
def beam_search(
    model: Searchable[AnyState],
    io: IO,
    syntax: Syntax | None,
    config: SearchConfig,
    report: Callable[[int], None] = lambda done: None,
    on_finished: OnFinished | None = None,
    hopeless: Hopeless | None = None,
) -> Found:
    """Search for all tasks of `io`. `report` is called with the number of tasks just done.

    A constrained search needs the syntax. `on_finished` is called with programs as they are finished. It can drop them,
    or end the search for their tasks; the result for such a task is its beam at that moment. `hopeless` says which
    unfinished hypotheses to drop.
    """
    count = io.inputs.shape[0]
    if isinstance(model, nn.Module):
        io = io.to(device_of(model))
    syntax = syntax if config.constrained else None
    tokens = np.full((count, config.beam, config.max_length), PAD, np.int16)
    scores = np.full((count, config.beam), NEVER, np.float32)
    unfinished = tokens.copy()
    for begin in range(0, count, config.tasks):
        group = io.at(slice(begin, begin + config.tasks))
        tasks = torch.arange(begin, begin + len(group.inputs))
        with half_precision(io.inputs.device, config.bf16):
            for done in _search(model, group, syntax, config, _empty_beams(tasks, config), on_finished, hopeless):
                rows, complete = done.task.numpy(), done.only(done.finished)
                tokens[rows], scores[rows] = complete.tokens.numpy(), complete.scores.numpy()
                unfinished[rows] = done.only(done.open()).tokens.numpy()
                report(len(rows))
    used = int((tokens != PAD).any(axis=(0, 1)).sum())
    return Found(tokens[:, :, : max(1, used)], scores, unfinished)


def _search(
    model: Searchable[AnyState],
    io: IO,
    syntax: Syntax | None,
    config: SearchConfig,
    beams: _Beams,
    on_finished: OnFinished | None,
    hopeless: Hopeless | None,
) -> Iterator[_Beams]:
    """Yield the beams of tasks when their search ends."""
    clock = _Clock(config.seconds)
    count, device = io.inputs.shape[0], io.inputs.device
    state = model.start(io)
    last = torch.full((count,), BOS, device=device)  # (N,) the last lexeme of each open hypothesis; see `few_sizes`
    hypotheses = count
    grammar = None if syntax is None else syntax.start(count)  # (N, ..)
    for length in range(config.max_length):
        log_probs, state = model.step(state, last)
        log_probs = log_probs[:hypotheses].float().cpu()  # (N, V)
        if log_probs.isnan().any():
            raise Diverged("the model's output is not a number: its training has diverged")
        log_probs[:, [PAD, BOS]] = NEVER
        if syntax is not None and grammar is not None:
            log_probs.masked_fill_(torch.from_numpy(~syntax.allowed(grammar)), NEVER)
        beams, origin = _extend(beams, log_probs, length)
        if hopeless is not None:
            _drop(beams, length, hopeless)
        told = None if on_finished is None else _announce(beams, length, on_finished)
        ended = beams.ended() if told is None else beams.ended() | told  # (G,)
        if ended.any():
            yield beams.at(ended.nonzero()[:, 0])
            beams, origin = beams.at((~ended).nonzero()[:, 0]), origin[~ended]
        if not len(beams.task) or clock.next_step_is_late():
            break
        going = beams.open()
        rows, last = origin[going], beams.tokens[going, length].long()  # (N,), (N,)
        if syntax is not None and grammar is not None:
            grammar = syntax.advance(grammar[rows.numpy()], last.numpy())
        hypotheses, some_again = len(rows), few_sizes(len(rows))
        state, last = state.reorder(rows[some_again].to(device)), last[some_again].to(device)
    yield beams


class _Clock:
    """Checks whether there is time for one more step, assuming that it takes as long as the last one."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.begin = self.lap = time.perf_counter()

    def next_step_is_late(self) -> bool:
        before, self.lap = self.lap, time.perf_counter()
        return self.seconds is not None and 2 * self.lap - before - self.begin > self.seconds


def _announce(beams: _Beams, length: int, on_finished: OnFinished) -> Tensor:
    """Call `on_finished` for hypotheses that were just finished. Returns which tasks are to end. (G,)"""
    new = beams.finished & (beams.tokens[:, :, length] == EOS)  # (G, W)
    enough = torch.zeros(len(new), dtype=torch.bool)
    if new.any():
        group, slot = new.nonzero(as_tuple=True)  # (F,), (F,)
        programs = Finished(
            beams.task[group].numpy(), beams.tokens[new][:, : length + 1].numpy(), beams.scores[new].numpy()
        )
        verdicts = torch.from_numpy(on_finished(programs))  # (F,)
        enough[group[verdicts == END]] = True
        settled = verdicts == SETTLE
        beams.settled.scatter_reduce_(0, group[settled], beams.scores[new][settled], "amax")
        dropped = group[verdicts == DROP], slot[verdicts == DROP]
        beams.scores[dropped], beams.finished[dropped] = NEVER, False
    return enough


def _drop(beams: _Beams, length: int, hopeless: Hopeless) -> None:
    """Drop unfinished hypotheses that cannot become right."""
    going = beams.open()  # (G, W)
    if going.any():
        group, slot = going.nonzero(as_tuple=True)  # (N,), (N,)
        lost = torch.from_numpy(hopeless(beams.task[group].numpy(), beams.tokens[going][:, : length + 1].numpy()))
        beams.scores[group[lost], slot[lost]] = NEVER


def _empty_beams(tasks: Tensor, config: SearchConfig) -> _Beams:
    """Beams that hold one hypothesis each: the empty prefix. (G,)"""
    count = len(tasks)
    scores = torch.full((count, config.beam), NEVER)
    scores[:, 0] = 0.0
    finished = torch.zeros((count, config.beam), dtype=torch.bool)
    tokens = torch.full((count, config.beam, config.max_length), PAD, dtype=torch.int16)
    return _Beams(tasks, scores, finished, tokens, torch.full((count,), NEVER))


def _extend(beams: _Beams, log_probs: Tensor, length: int) -> tuple[_Beams, Tensor]:
    """The beams after one more lexeme, and the row of `log_probs` that each slot comes from. (G, W), (G, W)"""
    tasks, width = beams.scores.shape
    size = log_probs.shape[1]
    going = beams.open()  # (G, W); the true ones are the rows of log_probs
    candidates = torch.full((tasks, width, size), NEVER)
    candidates[going] = beams.scores[going][:, None] + log_probs
    # A finished hypothesis continues as itself, in the column of PAD, which no open hypothesis uses.
    candidates[:, :, PAD] = torch.where(beams.finished, beams.scores, candidates[:, :, PAD])
    scores, chosen = top(candidates.view(tasks, width * size), width)  # (G, W), (G, W)
    parent, lexeme = chosen // size, chosen % size
    row_of = going.flatten().cumsum(0).sub(1).view(tasks, width)
    task = torch.arange(tasks)[:, None]
    tokens = beams.tokens[task, parent]  # (G, W, T)
    tokens[:, :, length] = lexeme.to(torch.int16)
    finished = beams.finished[task, parent] | (lexeme == EOS)
    return _Beams(beams.task, scores, finished & (scores > NEVER), tokens, beams.settled), row_of[task, parent]


def top(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The largest values of each row in descending order, and their columns; ties go to the lowest column.

    (G, M) -> (G, count), (G, count). `torch.topk` does not define which of equal values it takes.
    """
    least = values.topk(count, dim=1).values[:, -1:]
    above, equal = values > least, values == least
    room = count - above.sum(dim=1, keepdim=True)
    taken = above | (equal & (equal.cumsum(dim=1) <= room))
    places = taken.nonzero()[:, 1].view(-1, count)
    sorted_values, order = values.gather(1, places).sort(dim=1, descending=True, stable=True)
    return sorted_values, places.gather(1, order)
