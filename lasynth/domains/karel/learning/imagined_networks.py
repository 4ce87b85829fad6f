"""The networks of Karel's `LaSynth+`: the robot's view for the decoder, and an executor that predicts the next world.

The executor sees the world from the robot's place, without the wanted world: else it would predict that every program
leads there. It knows the program by an LSTM over its lexemes.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.domains.karel import grammar
from lasynth.domains.karel.learning import changes
from lasynth.domains.karel.learning.view import FEATURES, see
from lasynth.domains.karel.nodes import MAX_NESTING
from lasynth.domains.learnable import Flow
from lasynth.layers import FeatureEncoder

POSES = (changes.STEPS, changes.STEPS, changes.TURNS)
MARKER_UNITS = 128
"""Units before the predictor of markers, which has many outputs."""


def flow() -> Flow:
    """How Karel's lexemes direct a run."""
    numbers, nesting = np.arange(grammar.SIZE), grammar.NESTING
    loops = (numbers == grammar.END_REPEAT) | (numbers == grammar.END_WHILE)
    actions = (numbers >= grammar.ACTION) & (numbers < grammar.REPEAT)
    return Flow(
        acts=actions | loops,
        opens=nesting > 0,
        tests=(numbers >= grammar.COUNT) & (numbers < grammar.END_REPEAT),
        switches=numbers == grammar.ELSE,
        closes=nesting < 0,
        deepest=MAX_NESTING,
    )


class ImaginedNetworks(nn.Module):
    """Karel's `lasynth.models.imagined.ImaginedNetworks`."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.flow = flow()
        self.view = FeatureEncoder(see, FEATURES, config.hidden)
        self.executor = WorldExecutor(config)


class WorldExecutor(nn.Module):
    """Three predictors as in the paper: place, direction and markers, but relative to the robot."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        size = 2 * config.hidden
        self.world = FeatureEncoder(see, FEATURES, config.hidden)
        self.both = nn.Linear(size + config.hidden, size)
        self.deeper = nn.Linear(size, size)
        self.pose = nn.Linear(size, sum(POSES))
        self.few = nn.Linear(size, MARKER_UNITS)
        self.markers = nn.Linear(MARKER_UNITS, changes.CELLS * changes.LEVELS)
        self.test = nn.Linear(size, 1)

    def forward(self, worlds: Tensor, text: Tensor) -> Tensor:
        """What is known of worlds and the programs so far. (R, BYTES), (R, H) -> (R, X)"""
        worlds = worlds.unsqueeze(1)
        seen = self.world(worlds, worlds).squeeze(1)  # the world itself in place of the wanted one
        known = F.relu(self.both(torch.cat([F.relu(seen).to(text.dtype), text], -1)))
        return known + F.relu(self.deeper(known))

    def enters(self, known: Tensor) -> Tensor:
        """Log-odds that the condition just written holds. (R, X) -> (R,)"""
        scores: Tensor = self.test(known)
        return scores.float().squeeze(-1)

    def advance(self, known: Tensor, worlds: Tensor) -> Tensor:
        """The likeliest worlds after the statement just written. (R, X), (R, BYTES) -> (R, BYTES)"""
        poses, markers = self._scores(known)
        pose = torch.stack([part.argmax(-1) for part in poses], -1)  # (R, POSE)
        after = changes.apply(worlds.cpu().numpy(), pose.cpu().numpy(), markers.argmax(-1).cpu().numpy())
        return torch.from_numpy(after).to(worlds.device)

    def loss(self, known: Tensor, worlds: Tensor, after: Tensor) -> Tensor:
        """Minus the log-probability of the true change: pose and markers. (R, X), (R, BYTES) twice -> (R,)"""
        poses, markers = self._scores(known)
        true = [
            torch.from_numpy(part).to(known.device)
            for part in changes.compare(worlds.cpu().numpy(), after.cpu().numpy())
        ]
        pose = sum(F.cross_entropy(part, true[0][:, i], reduction="none") for i, part in enumerate(poses))
        cells = F.cross_entropy(markers.transpose(1, 2), true[1], reduction="none").sum(1)
        return torch.as_tensor(pose) + cells

    def _scores(self, known: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
        """(R, X) -> (R, STEPS), (R, STEPS), (R, TURNS); (R, CELLS, LEVELS)"""
        poses = self.pose(known).float().split(POSES, -1)
        markers = self.markers(F.relu(self.few(known))).float()
        return poses, markers.view(-1, changes.CELLS, changes.LEVELS)
