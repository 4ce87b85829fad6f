"""Where a program is executed, and the chain of latent values that this makes. Knows no encoder and no losses."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lasynth.config import ModelConfig
from lasynth.models.networks import Executor
from lasynth.vocab import EOS


class Structure(NamedTuple):
    """What lexemes say about statements."""

    ends: Tensor
    """(V,) of bool: a statement is complete with this lexeme."""
    nesting: Tensor
    """(V,) how many blocks this lexeme opens; -1 where it closes one."""


def execution_points(
    config: ModelConfig, tokens: Tensor, moments: Tensor, depths: Tensor, structure: Structure
) -> Tensor:
    """After which of these lexemes the executor acts: it takes its turn before the next lexeme is chosen.

    `moments` says how many lexemes came before, BOS among them, `depths` how many blocks are open. All (...) -> (...) of bool.
    """
    lexeme = tokens > EOS  # the three special ones have the lowest numbers
    if config.executor not in ("partial", "real"):
        return torch.zeros_like(lexeme)
    if config.execute_at == "token":
        return lexeme
    if config.execute_at == "statement":
        return structure.ends[tokens]
    if config.execute_at == "outer":
        return structure.ends[tokens] & (depths == 0)
    return lexeme & (moments % config.execute_at == 0)


class Chain(NamedTuple):
    """Latent values of B programs after 0, 1, 2, .. executions; each program has its own number of them.

    They are packed, first those after 0 executions, so that few rows are wasted on programs that have no more points.
    """

    values: Tensor
    """(P, K, *)"""
    task: Tensor
    """(P,) the program that a row belongs to."""
    rows: Tensor
    """(B, J): row of the value after j executions; 0 where a program has fewer."""


ROWS = 16
"""The chain's links have a multiple of so many rows: kernels are made for each shape, and few shapes are soon all made."""


def run_chain(executor: Executor, initial: Tensor, hidden: Tensor, points: Tensor) -> Chain:
    """The only part of training that is sequential. (B, K, *), (B, E, T, H), (B, T)"""
    counts = points.sum(1)
    longest = int(counts.max())
    order = counts.argsort(descending=True, stable=True)
    rank = order.argsort()
    positions = points.int().argsort(dim=1, descending=True, stable=True)[:, :longest]  # (B, S), in order of time
    context = executor.prepare(hidden_at(hidden, positions))[order]  # (B, S, E, X)
    needed = (counts.unsqueeze(1) > torch.arange(longest, device=counts.device)).sum(0).tolist()
    sizes = [len(counts), *(min(len(counts), -(-size // ROWS) * ROWS) for size in needed)]
    packed = [initial[order]]
    for s, size in enumerate(sizes[1:]):
        packed.append(executor(packed[-1][:size], context[:size, s]))
    offsets = torch.tensor([0, *sizes[:-1]], device=counts.device).cumsum(0)
    index = offsets + rank.unsqueeze(1)
    exists = torch.arange(len(sizes), device=counts.device) <= counts.unsqueeze(1)
    return Chain(torch.cat(packed), torch.cat([order[:size] for size in sizes]), index.masked_fill(~exists, 0))


def true_chain(initial: Tensor, values: Tensor, points: Tensor, ends: Tensor) -> Chain:
    """The same without learning: `values` are known at every statement end, and the points are some of these.

    (B, K, *), (B, S, K, *), (B, T) of bool twice
    """
    device, tasks = points.device, torch.arange(len(points), device=points.device)
    counts = points.sum(1)
    longest = int(counts.max())
    positions = points.int().argsort(dim=1, descending=True, stable=True)[:, :longest]  # (B, S), in order of time
    number = (ends.cumsum(1).gather(1, positions) - 1).clamp(min=0)
    exists = torch.arange(longest, device=device) < counts.unsqueeze(1)
    task = tasks.unsqueeze(1).expand_as(exists)[exists]
    rows = torch.zeros(len(points), longest + 1, dtype=torch.int64, device=device)
    rows[:, 0] = tasks
    rows[:, 1:][exists] = len(points) + torch.arange(len(task), device=device)
    return Chain(torch.cat([initial, values[task, number[exists]]]), torch.cat([tasks, task]), rows)


def hidden_at(hidden: Tensor, positions: Tensor) -> Tensor:
    """The decoder's states at these moments. (B, E, T, H), (B, S) -> (B, S, E, H)"""
    rows = torch.arange(len(positions), device=positions.device).unsqueeze(1)
    return hidden.transpose(1, 2)[rows, positions]
