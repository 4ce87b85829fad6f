"""Networks over whole worlds, as the papers have them: a convolutional encoder, and an executor with three predictors.

A latent world is (..., 16, 18, 18) with values from 0 to 1. The channels are those of `lasynth.domains.karel.tensor`:
for each cell, the probabilities that the robot stands there and looks north, east, south or west; wall; boundary; and
the probabilities of 1 to 10 markers. A decoder attends to nine parts of the world, each told what the whole world looks
like.
"""

from __future__ import annotations

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.config import ModelConfig
from lasynth.domains.karel.learning.traces import ActionTraces
from lasynth.domains.karel.learning.values import COL, COLS, GRID, ROW, ROWS, WAY
from lasynth.domains.karel.machine import FRAME
from lasynth.domains.karel.tensor import CHANNELS
from lasynth.domains.karel.world import MAX_INPUT_MARKERS, WALL

WAYS = 4
ROBOT, FIXED, MARKERS = slice(0, WAYS), slice(WAYS, 6), slice(6, CHANNELS)
"""Channels; the fixed ones are wall and boundary."""
CELLS = FRAME * FRAME
PARTS = 3
"""Parts of the world in each direction."""
PAIRS_AT_ONCE, WORLDS_AT_ONCE = 160, 32
"""How many are encoded at once: their features fit into the processor's cache."""
LEAST = 1e-6
"""Smallest probability that a loss sees."""


def dense(worlds: Tensor) -> Tensor:
    """Packed worlds as latent worlds with probabilities 0 and 1. (..., BYTES) -> (..., 16, 18, 18)

    The channels of a cell lie side by side in memory, as convolutions are fastest (torch calls it channels_last).
    """
    cells = worlds[..., GRID:].view(*worlds.shape[:-1], FRAME, FRAME)
    lines = torch.arange(FRAME, dtype=worlds.dtype, device=worlds.device)
    rows, cols = worlds[..., ROWS, None, None], worlds[..., COLS, None, None]
    row, col = lines.view(-1, 1), lines
    framed = (row <= rows + 1) & (col <= cols + 1)
    inside = (row >= 1) & (row <= rows) & (col >= 1) & (col <= cols)
    here = (row == worlds[..., ROW, None, None]) & (col == worlds[..., COL, None, None])
    wall = cells == WALL
    robot = one_hot(here * (worlds[..., WAY, None, None] + 1), WAYS)
    markers = one_hot(torch.where(wall, 0, cells.clamp(max=MAX_INPUT_MARKERS)), MAX_INPUT_MARKERS)
    fixed = torch.stack([wall & inside, framed & ~inside], -1)
    return torch.cat([robot, fixed, markers], -1).float().movedim(-1, -3)


def one_hot(numbers: Tensor, most: int) -> Tensor:
    """Which number from 1 to `most` it is; none for 0. (...) -> (..., most) of bool"""
    return numbers.unsqueeze(-1) == torch.arange(1, most + 1, dtype=numbers.dtype, device=numbers.device)


def images(worlds: Tensor) -> Tensor:
    """Worlds as convolutions take them. (R, K, C, 18, 18) -> (R K, C, 18, 18), channels_last in memory"""
    return worlds.flatten(0, -4).contiguous(memory_format=torch.channels_last)


class GridNetworks(nn.Module):
    """`lasynth.models.networks.Networks` of Karel."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.feature_size = 2 * config.hidden
        self.encoder = PairEncoder(config)
        self.executor = GridExecutor(config) if config.learns_execution else None
        self.latent_encoder = None
        self.operations = None

    def numbers(self, worlds: Tensor) -> Tensor:
        return worlds

    def certain(self, worlds: Tensor) -> Tensor:
        return dense(worlds)

    def value_loss(self, latent: Tensor, worlds: Tensor) -> Tensor:
        """Cross-entropy of the robot's place, its direction and the markers per cell.

        (..., 16, 18, 18), (..., BYTES) -> (...)
        """
        true = dense(worlds)
        robot, wanted = latent[..., ROBOT, :, :], true[..., ROBOT, :, :]
        place = -(robot.sum(-3).clamp(min=LEAST).log() * wanted.sum(-3)).flatten(-2).sum(-1)
        way = -(robot.sum((-2, -1)).clamp(min=LEAST).log() * wanted.sum((-2, -1))).sum(-1)
        some, counts = latent[..., MARKERS, :, :], true[..., MARKERS, :, :]
        none = (1 - some.sum(-3)).clamp(min=LEAST).log() * (1 - counts.sum(-3))
        markers = -(none + (some.clamp(min=LEAST).log() * counts).sum(-3))
        return place + way + markers.flatten(-2).mean(-1)

    def operation_loss(
        self, attended_input: Tensor, attended_output: Tensor, inputs: Tensor, outputs: Tensor
    ) -> Tensor:
        raise ValueError("Karel has no operation predictor")


class PairFeatures(nn.Module):
    """Bunel's: one convolution each for input and output, then residual blocks over both."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        half = config.channels // 2
        self.input = nn.Conv2d(CHANNELS, half, 3, padding=1)
        self.output = nn.Conv2d(CHANNELS, half, 3, padding=1)
        self.blocks = nn.ModuleList(ResidualBlock(config.channels) for _ in range(config.layers))

    def prepare(self, outputs: Tensor) -> Tensor:
        """Channels come last, so that rows taken from it keep this order. (R, K, BYTES) -> (R, K, 18, 18, C / 2)"""
        features: Tensor = self.output(images(dense(outputs))).relu().movedim(1, -1)
        return features.view(*outputs.shape[:-1], *features.shape[1:])

    def forward(self, latent: Tensor, prepared: Tensor) -> Tensor:
        """(R, K, 16, 18, 18), (R, K, 18, 18, C / 2) -> (R K, C, 18, 18)"""
        seen = self.input(images(latent)).relu()
        features = torch.cat([seen, prepared.flatten(0, 1).movedim(-1, 1)], 1)
        for block in self.blocks:
            features = block(features)
        return features


class PairVector(nn.Module):
    """Bunel's encoder: one vector for each example. Karel's `lasynth.models.pooled.ExampleVectors`."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.size = config.hidden
        self.features = PairFeatures(config)
        self.whole = nn.Linear(config.channels * CELLS, config.hidden)

    def forward(self, inputs: Tensor, outputs: Tensor) -> Tensor:
        """(B, K, BYTES) twice -> (B, K, size)"""
        features = self.features(dense(inputs), self.features.prepare(outputs))
        vectors: Tensor = self.whole(features.flatten(1))
        return vectors.view(*inputs.shape[:2], -1)


class TraceNetworks(nn.Module):
    """`lasynth.models.traces.TraceNetworks` of Karel."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.vectors = PairVector(config)
        self.tracing = ActionTraces()


class WorldVector(nn.Module):
    """Shin's encoder of one world. Karel's `lasynth.models.world_traces.ValueVectors`."""

    def __init__(self, config: ModelConfig, blocks: int = 3) -> None:
        super().__init__()
        self.size = config.embedding
        self.seen = nn.Conv2d(CHANNELS, config.channels, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(*(layer for _ in range(2) for layer in (nn.ReLU(), same_size(config.channels))))
            for _ in range(blocks)
        )
        self.whole = nn.Linear(config.channels * CELLS, self.size)

    def forward(self, worlds: Tensor) -> Tensor:
        """(R, BYTES) -> (R, size)"""
        return torch.cat([self._vectors(some) for some in torch.split(worlds, WORLDS_AT_ONCE)])

    def _vectors(self, worlds: Tensor) -> Tensor:
        features = self.seen(dense(worlds))
        for block in self.blocks:
            features = features + block(features)
        vectors: Tensor = self.whole(features.flatten(1))
        return vectors


class WorldTraceNetworks(nn.Module):
    """`lasynth.models.world_traces.WorldTraceNetworks` of Karel."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        wide = replace(config, hidden=2 * config.hidden)
        self.writer_vectors, self.reader_vectors = PairVector(wide), PairVector(wide)
        self.writer_values, self.reader_values = WorldVector(config), WorldVector(config)
        self.tracing = ActionTraces()


class PairEncoder(nn.Module):
    """Bunel's features of a pair, for a decoder with attention.

    Attention needs more than one place, so each of nine parts of the world has features of its own beside the vector of
    the whole pair.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.features = PairFeatures(config)
        self.whole = nn.Linear(config.channels * CELLS, 2 * config.hidden)
        self.part = nn.Linear(config.channels, 2 * config.hidden)

    def prepare(self, outputs: Tensor) -> Tensor:
        return self.features.prepare(outputs)

    def forward(self, latent: Tensor, prepared: Tensor) -> tuple[Tensor, Tensor]:
        """Both features are the same. (R, K, 16, 18, 18), (R, K, ..) -> (R, K, 9, D), (R, K, 9, D)"""
        parts = (torch.split(side.flatten(0, 1), PAIRS_AT_ONCE) for side in (latent, prepared))
        places = torch.cat([self._places(*pairs) for pairs in zip(*parts, strict=True)])  # (R K, 9, D)
        places = places.view(*latent.shape[:2], PARTS * PARTS, -1)
        return places, places

    def _places(self, latent: Tensor, prepared: Tensor) -> Tensor:
        """(N, ..) twice -> (N, 9, D)"""
        features = self.features(latent.unsqueeze(0), prepared.unsqueeze(0))
        places: Tensor = self.part(in_parts(features)) + self.whole(features.flatten(1)).unsqueeze(1)
        return places


class ResidualBlock(nn.Module):
    """A residual block: three convolutions, whose result is added to the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(same_size(channels) for _ in range(3))

    def forward(self, features: Tensor) -> Tensor:
        """(R, channels, 18, 18) -> the same"""
        first, second, third = self.layers
        return F.relu(features + third(F.relu(second(F.relu(first(features))))))


class GridExecutor(nn.Module):
    """The paper's three predictors: place (18 x 18), direction, and markers per cell. Wall and boundary do not change.

    `executor_network: lstm` sees worlds by Bunel's network, with residual blocks, and predicts markers by an LSTM over
    the cells (the paper). `whole` sees them by one convolution, and predicts markers by another that sees the robot's
    surroundings, which is far cheaper; place and markers are predicted as changes of what they were.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.by_lstm = config.executor_network == "lstm"
        small = max(1, config.channels // 2)
        channels, blocks = (config.channels, config.layers) if self.by_lstm else (small, 0)
        self.seen = nn.Conv2d(CHANNELS, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(ResidualBlock(channels) for _ in range(blocks)))
        self.whole = nn.Linear(channels * CELLS, config.hidden)
        self.begin = nn.Linear(config.decoder_hidden, config.hidden)
        self.state = nn.LSTMCell(config.hidden, config.hidden)
        self.place = nn.Linear(config.hidden, CELLS)
        self.way = nn.Linear(config.hidden, 4)
        counts = MAX_INPUT_MARKERS + 1
        if self.by_lstm:
            self.markers = nn.LSTM(counts, config.hidden, batch_first=True)
            self.counts = nn.Linear(config.hidden, counts)
        else:
            self.local = nn.Conv2d(CHANNELS, small, 3, padding=1)
            self.scale = nn.Linear(config.hidden, small)
            self.shift = nn.Linear(config.hidden, small)
            self.change = nn.Conv2d(small, counts + 1, 1)

    def prepare(self, hidden: Tensor) -> Tensor:
        prepared: Tensor = self.begin(hidden)
        return prepared.tanh()

    def forward(self, latent: Tensor, context: Tensor) -> Tensor:
        """(R, K, 16, 18, 18), (R, 1 or K, X) -> (R, K, 16, 18, 18)"""
        rows = latent.shape[:2]
        worlds = images(latent)  # (N, 16, 18, 18)
        begin = context.expand(*rows, -1).reshape(len(worlds), -1)
        seen = self.whole(self.blocks(self.seen(worlds).relu()).flatten(1)).relu()
        state, _ = self.state(seen.to(begin.dtype), (begin, torch.zeros_like(begin)))  # (N, H)
        robot, fixed, some = torch.split(worlds, [part.stop - part.start for part in (ROBOT, FIXED, MARKERS)], 1)
        fixed = fixed.detach()  # no layer has made it
        place = self._place(state, robot).softmax(-1).view(-1, 1, FRAME, FRAME)
        way = self.way(state).float().softmax(-1).view(-1, WAYS, 1, 1)
        markers = self._markers(state, worlds, some) * (1 - fixed.sum(1, keepdim=True))
        return torch.cat([place * way, fixed, markers], 1).view_as(latent)

    def _place(self, state: Tensor, robot: Tensor) -> Tensor:
        """Scores of the robot's cell. (N, H), (N, 4, 18, 18) -> (N, 324)"""
        scores: Tensor = self.place(state).float()
        return scores if self.by_lstm else scores + robot.sum(1).flatten(1).clamp(min=LEAST).log()

    def _markers(self, state: Tensor, worlds: Tensor, some: Tensor) -> Tensor:
        """Probabilities of 1 to 10 markers in each cell. (N, H), (N, 16, 18, 18), (N, 10, 18, 18) -> as the last"""
        before = torch.cat([(1 - some.sum(1, keepdim=True)).clamp(min=0), some], 1)  # (N, 11, 18, 18)
        if self.by_lstm:
            cells = before.flatten(2).transpose(1, 2)  # (N, 324, 11)
            begin = (state.unsqueeze(0).contiguous(), torch.zeros_like(state).unsqueeze(0))
            scores = self.counts(self.markers(cells.to(state.dtype), begin)[0]).transpose(1, 2)
            chances: Tensor = scores.float().softmax(1).view_as(before)
            return chances[:, 1:]
        scale, shift = self.scale(state)[..., None, None], self.shift(state)[..., None, None]
        changed = self.change(F.relu(self.local(worlds) * (1 + scale) + shift)).float()  # (N, 12, 18, 18)
        gate = changed[:, -1:].sigmoid()
        mixed: Tensor = (1 - gate) * before + gate * changed[:, :-1].softmax(1)
        return mixed[:, 1:]


def same_size(channels: int) -> nn.Conv2d:
    """A convolution that keeps the number of channels and the size of the world."""
    return nn.Conv2d(channels, channels, 3, padding=1)


def in_parts(features: Tensor) -> Tensor:
    """Means over each part of the world. (N, C, 18, 18) -> (N, 9, C)"""
    return F.adaptive_avg_pool2d(features, PARTS).flatten(2).transpose(1, 2)
