"""The state of a search: N unfinished programs, with indices into what they share with others of the same task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from lasynth.layers import Places, Projected
from lasynth.models.decoder import Memory, Overview, View


class EncodedExamples(NamedTuple):
    """The examples of B tasks, encoded once."""

    inputs: Tensor
    """(B, K, *): the values themselves."""
    latent: Tensor
    """(B, K, *): latent values that stand for exactly the inputs."""
    present: Tensor
    """(B, K)"""
    features: tuple[Tensor, Tensor]
    """(B, K, L, D) of inputs and of outputs."""
    overview: Overview
    """The decoder's overview of all examples together."""
    base: Tensor
    """(B, K, *): the part that the encodings of all latent values of a task share."""
    fixed_views: tuple[Projected, ...]
    """Each (B, K, L, A): views that stay the same while a program is written."""
    first_views: tuple[Projected, ...]
    """Each (B, K, L, A): views before the first execution. Views of latent values replace them later."""

    def overview_of(self, task: Tensor, places: Places) -> Overview:
        """The overview for hypotheses of these tasks, (N,)."""
        summary, consensus = self.overview
        return Overview(
            None if summary is None else summary.index_select(0, task),
            None if consensus is None else View(consensus.projected.rows(places.tasks), places=places),
        )


class Pool(NamedTuple):
    """Latent values with their encodings. Hypotheses with the same statements so far share a row."""

    latents: Tensor
    """(P, K, *); with real execution the values themselves, which take far less memory."""
    views: tuple[Projected, ...]
    """Each (P, K, L, A)."""

    def take(self, index: Tensor) -> Pool:
        return Pool(self.latents.index_select(0, index), tuple(view.rows(index) for view in self.views))

    def join(self, other: Pool) -> Pool:
        views = (mine.join(theirs) for mine, theirs in zip(self.views, other.views, strict=True))
        return Pool(torch.cat([self.latents, other.latents]), tuple(views))


@dataclass(frozen=True)
class Hypotheses:
    """N unfinished programs."""

    examples: EncodedExamples
    pool: Pool
    task: Tensor
    """(N,) row of `examples`."""
    pool_row: Tensor
    """(N,) row of `pool`: the latent value after the statements so far."""
    memory: Memory
    fed: Tensor | None
    """(N, E, 1, F): what the step before attended to, for input feeding."""
    counts: Tensor
    """(N, V): how often each lexeme was written."""
    depth: Tensor
    """(N,): how many blocks are open."""
    written: Tensor | None
    """(N, t): BOS and the lexemes so far; None unless the executor is `real`."""

    def reorder(self, index: Tensor) -> Hypotheses:
        return replace(
            self,
            task=self.task[index],
            pool_row=self.pool_row[index],
            memory=self.memory.reorder(index),
            fed=None if self.fed is None else self.fed[index],
            counts=self.counts.index_select(0, index),
            depth=self.depth[index],
            written=None if self.written is None else self.written[index],
        )

    @property
    def latents(self) -> Tensor:
        """(N, K, *): the current latent value of each hypothesis."""
        return self.pool.latents[self.pool_row]

    def replace_latents(self, rows: Tensor, new: Pool, shared: Tensor | None = None) -> Hypotheses:
        """Give the hypotheses `rows` new latent values, and drop the rows of the pool that are no longer used.

        `shared` says which row of `new` each of them takes, if there are fewer. (R,), (R,)
        """
        kept = torch.ones_like(self.pool_row, dtype=torch.bool)
        kept[rows] = False
        used, renumbered = torch.unique(self.pool_row[kept], return_inverse=True)
        pool_row = torch.empty_like(self.pool_row)
        pool_row[kept] = renumbered
        pool_row[rows] = len(used) + (torch.arange(len(rows), device=rows.device) if shared is None else shared)
        return replace(self, pool=self.pool.take(used).join(new), pool_row=pool_row)
