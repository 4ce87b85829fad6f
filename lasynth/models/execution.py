"""Execution points of a program, and the chain of latent values from one point to the next."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lasynth.config import ModelConfig
from lasynth.models.networks import Executor
from lasynth.vocab import EOS


class Structure(NamedTuple):
    """How the lexemes of a language form statements and blocks."""

    ends: Tensor
    """(V,) of bool: whether this lexeme ends a statement."""
    nesting: Tensor
    """(V,) how many blocks this lexeme opens; -1 if it closes one."""


def execution_points(config: ModelConfig, tokens: Tensor, depths: Tensor, structure: Structure) -> Tensor:
    """Which lexemes are execution points: the executor runs after them, before the model predicts the next lexeme.

    `depths` says how many blocks are open. (...), (...) -> (...) of bool
    """
    if not config.executes_prefixes:
        return torch.zeros_like(tokens, dtype=torch.bool)
    if config.execute_at == "token":
        return tokens > EOS  # the three special lexemes have the lowest numbers
    ends = structure.ends[tokens]
    return ends & (depths == 0) if config.execute_at == "outer" else ends


class Chain(NamedTuple):
    """Latent values of B programs after 0, 1, 2, ... executions. Programs may have different numbers of executions.

    All values after 0 executions come first, then those after 1, and so on. So programs with few executions need few
    rows.
    """

    latents: Tensor
    """(P, K, *)"""
    task: Tensor
    """(P,) the program that a row belongs to."""
    rows: Tensor
    """(B, J): row of the latent value after j executions; 0 if a program has fewer."""


ROWS = 16
"""The rows of each step are rounded up to a multiple of this. So there are few shapes; each new one costs time."""


def in_time_order(points: Tensor) -> tuple[Tensor, Tensor]:
    """Moments of each program's points in order of time, and how many there are.

    Rows with fewer than S points are filled with other moments. (B, T) of bool -> (B, S), (B,)
    """
    counts = points.sum(1)
    return points.int().argsort(dim=1, descending=True, stable=True)[:, : int(counts.max())], counts


def run_chain(executor: Executor, initial: Tensor, hidden: Tensor, points: Tensor) -> Chain:
    """Execute at every point. This is the only sequential part of training. (B, K, *), (B, E, T, H), (B, T)"""
    positions, counts = in_time_order(points)  # (B, S), (B,)
    longest = positions.shape[1]
    order = counts.argsort(descending=True, stable=True)
    rank = order.argsort()
    context = executor.prepare(hidden_at(hidden, positions))[order]  # (B, S, E, X)
    needed = (counts.unsqueeze(1) > torch.arange(longest, device=counts.device)).sum(0).tolist()
    sizes = [len(counts), *(min(len(counts), -(-size // ROWS) * ROWS) for size in needed)]
    packed = [initial[order]]
    for s, size in enumerate(sizes[1:]):
        # a slice would cost a copy of all values in the backward pass
        before = packed[-1] if len(packed[-1]) == size else packed[-1][:size]  # (size, K, *)
        packed.append(executor(before, context[:size, s]))
    offsets = torch.tensor([0, *sizes[:-1]], device=counts.device).cumsum(0)
    index = offsets + rank.unsqueeze(1)
    exists = torch.arange(len(sizes), device=counts.device) <= counts.unsqueeze(1)
    return Chain(torch.cat(packed), torch.cat([order[:size] for size in sizes]), index.masked_fill(~exists, 0))


def true_chain(initial: Tensor, states: Tensor, points: Tensor, ends: Tensor) -> Chain:
    """The chain of known values `states` at statement ends. Every point is a statement end.

    (B, K, *), (B, S, K, *), (B, T) of bool twice
    """
    device, tasks = points.device, torch.arange(len(points), device=points.device)
    positions, counts = in_time_order(points)  # (B, S), (B,)
    longest = positions.shape[1]
    number = (ends.cumsum(1).gather(1, positions) - 1).clamp(min=0)
    exists = torch.arange(longest, device=device) < counts.unsqueeze(1)
    task = tasks.unsqueeze(1).expand_as(exists)[exists]
    rows = torch.zeros(len(points), longest + 1, dtype=torch.int64, device=device)
    rows[:, 0] = tasks
    rows[:, 1:][exists] = len(points) + torch.arange(len(task), device=device)
    return Chain(torch.cat([initial, states[task, number[exists]]]), torch.cat([tasks, task]), rows)


def hidden_at(hidden: Tensor, positions: Tensor) -> Tensor:
    """The decoder's states at these moments. (B, E, T, H), (B, S) -> (B, S, E, H)"""
    rows = torch.arange(len(positions), device=positions.device).unsqueeze(1)
    return hidden.transpose(1, 2)[rows, positions]
