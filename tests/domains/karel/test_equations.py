"""The latent executor of Karel as the paper's appendix describes it, written out for single worlds and single cells.

The weights are the module's own. Everything else is computed again, with numpy and in double precision (see
`docs/paper_map.md`).
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lasynth.config import ModelConfig, model_config
from lasynth.domains.karel.learning.grid_networks import GridExecutor, GridNetworks
from lasynth.domains.karel.learning.rows import rows
from lasynth.domains.karel.learning.values import WorldValues
from lasynth.domains.karel.world import WALL, World

Array = NDArray[np.float64]
SIDE = 18
NORTH, EAST, SOUTH, WEST, OBSTACLE, BOUNDARY, ONE_MARKER = range(7)
"""Features of a cell in the order of the paper's table; those of 1 to 10 markers are the last."""
LEAST = 1e-6
"""Smallest probability of which the code takes a logarithm."""
SMALL: dict[str, Any] = {"hidden": 6, "embedding": 4, "decoder_hidden": 5, "channels": 6}
WORLDS = [
    World.build(3, 4, (1, 2, EAST), [(0, 0), (2, 3)], [(1, 2, 3), (2, 0, 10)]),
    World.build(16, 16, (15, 0, WEST), [(4, 4), (4, 5), (9, 15)], [(0, 0, 1), (7, 8, 9)]),
    World.build(2, 2, (0, 1, NORTH)),
    World.build(10, 5, (9, 4, SOUTH), [(5, 2)], [(9, 4, 1)]),
]
"""Also the smallest and the largest world, with and without walls and markers."""
TASKS, EXAMPLES = 2, 2


class Prediction(NamedTuple):
    """What the three predictors say of one world."""

    place: Array
    """(18, 18)"""
    way: Array
    """(4,)"""
    markers: Array
    """(11, 18, 18): of 0 to 10 markers in each cell, before the mask."""


@pytest.fixture(params=["lstm", "whole"])
def config(request: pytest.FixtureRequest) -> ModelConfig:
    return replace(model_config("LaSynth", "paper", rows=rows, **SMALL), executor_network=request.param)


@pytest.fixture
def networks(config: ModelConfig) -> GridNetworks:
    """With weights so large that probabilities are far from equal."""
    networks, rng = GridNetworks(config), torch.Generator().manual_seed(4)
    with torch.no_grad():
        for weight in networks.parameters():
            inputs = weight[0].numel() if weight.dim() > 1 else 4
            weight.copy_(2 * torch.randn(weight.shape, generator=rng) / sqrt(inputs))
    return networks


def executor_of(networks: GridNetworks) -> GridExecutor:
    assert networks.executor is not None
    return networks.executor


def packed() -> Tensor:
    return torch.from_numpy(WorldValues().pack(WORLDS)).view(TASKS, EXAMPLES, -1)


def decoder_states(per_example: bool) -> Tensor:
    """h_t of every example, or one for all examples of a task."""
    rng = torch.Generator().manual_seed(5)
    return torch.randn(TASKS, EXAMPLES if per_example else 1, SMALL["decoder_hidden"], generator=rng)


def executed(networks: GridNetworks, steps: int = 1, per_example: bool = True) -> tuple[Tensor, Tensor]:
    """The latent worlds before and after the last of these executions. After the first, they are soft."""
    executor = executor_of(networks)
    context, after = executor.prepare(decoder_states(per_example)), networks.certain(packed())
    for _ in range(steps):
        before, after = after, executor(after, context)
    return before.detach(), after.detach()


# --- the layers ------------------------------------------------------------------------------------------------------
def numbers(tensor: Tensor) -> Array:
    array: Array = tensor.detach().double().numpy()
    return array


def linear(layer: Any, vector: Array) -> Array:
    return np.asarray(numbers(layer.weight) @ vector + numbers(layer.bias))


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


def sigmoid(scores: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-scores)))


def lstm(layer: nn.LSTMCell | nn.LSTM, read: Array, hidden: Array, cell: Array) -> tuple[Array, Array]:
    """One step of an LSTM of one layer: its state and its cell."""
    weights = [numbers(part) for part in layer.parameters()]
    gates = weights[0] @ read + weights[2] + weights[1] @ hidden + weights[3]
    enter, forget, new, show = np.split(gates, 4)
    cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
    return np.asarray(sigmoid(show) * np.tanh(cell)), np.asarray(cell)


def convolution(layer: nn.Conv2d, world: Array) -> Array:
    """Each cell sees itself and, if the kernel is 3 x 3, its neighbours; there are zeros around the world."""
    weight, bias = numbers(layer.weight), numbers(layer.bias)  # type: ignore[arg-type]
    width = weight.shape[-1]
    framed = np.pad(world, ((0, 0), (width // 2, width // 2), (width // 2, width // 2)))
    found = np.empty((len(bias), SIDE, SIDE))
    for row in range(SIDE):
        for col in range(SIDE):
            around = framed[:, row : row + width, col : col + width]
            found[:, row, col] = np.tensordot(weight, around, 3) + bias
    return found


def relu(features: Array) -> Array:
    return np.maximum(features, 0)


def residual(block: Any, features: Array) -> Array:
    """Three convolutions, whose result is added to what they read."""
    first, second, third = block.layers
    inner = convolution(third, relu(convolution(second, relu(convolution(first, features)))))
    return relu(features + inner)


# --- the predictors --------------------------------------------------------------------------------------------------
def executor_state(executor: GridExecutor, world: Array, hidden: Array) -> Array:
    """Exec_t = LSTM_E(h_t, I_{t-1}): h_t is the initial state, and the world is what the LSTM reads.

    A convolutional network encodes the world: Bunel's, as in the decoder (the paper); for `whole` only its beginning.
    """
    seen = relu(convolution(executor.seen, world))
    for block in executor.blocks:
        seen = residual(block, seen)
    read = relu(linear(executor.whole, seen.flatten()))
    begin = np.tanh(linear(executor.begin, hidden))
    return lstm(executor.state, read, begin, np.zeros_like(begin))[0]


def predicted(executor: GridExecutor, world: Array, hidden: Array) -> Prediction:
    state = executor_state(executor, world, hidden)
    place, way = linear(executor.place, state), softmax(linear(executor.way, state))
    before = number_of_markers(world)
    if executor.by_lstm:
        return Prediction(softmax(place).reshape(SIDE, SIDE), way, by_lstm(executor, state, before))
    # our own `whole`: the softmax weighs the probabilities of where the robot was
    was = np.maximum(world[NORTH : WEST + 1].sum(0).flatten(), LEAST)
    place = was * np.exp(place)
    return Prediction((place / place.sum()).reshape(SIDE, SIDE), way, by_change(executor, state, world, before))


def number_of_markers(world: Array) -> Array:
    """Probabilities of 0 to 10 markers in each cell. (11, 18, 18)"""
    some = world[ONE_MARKER:]
    return np.concatenate([1 - some.sum(0, keepdims=True), some])


def by_lstm(executor: GridExecutor, state: Array, before: Array) -> Array:
    """The paper's: an LSTM reads cell after cell, and gives eleven numbers for each."""
    found, hidden, cell = np.empty_like(before), state, np.zeros_like(state)
    for row in range(SIDE):
        for col in range(SIDE):
            hidden, cell = lstm(executor.markers, before[:, row, col], hidden, cell)
            found[:, row, col] = softmax(linear(executor.counts, hidden))
    return found


def by_change(executor: GridExecutor, state: Array, world: Array, before: Array) -> Array:
    """Our own: a gate for each cell decides how far its number of markers is a new one."""
    scale, shift = (linear(layer, state)[:, None, None] for layer in (executor.scale, executor.shift))
    local = relu(convolution(executor.local, world) * (1 + scale) + shift)
    change = convolution(executor.change, local)  # (12, 18, 18)
    found = np.empty_like(before)
    for row in range(SIDE):
        for col in range(SIDE):
            new, gate = softmax(change[:-1, row, col]), sigmoid(change[-1, row, col])
            found[:, row, col] = gate * new + (1 - gate) * before[:, row, col]
    return found


def by_hand(networks: GridNetworks, before: Tensor, hidden: Tensor) -> list[Prediction]:
    """Of all worlds, one after the other."""
    pairs = zip(before.flatten(0, 1), hidden.expand(-1, EXAMPLES, -1).flatten(0, 1), strict=True)
    return [predicted(executor_of(networks), numbers(world), numbers(state)) for world, state in pairs]


def assert_same(found: Array, wanted: Array) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-7)


# --- the laws --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("per_example", [True, False], ids=["per example", "shared"])
@pytest.mark.parametrize("steps", [1, 2], ids=["certain", "soft"])
def test_three_predictors_and_their_softmax(networks: GridNetworks, steps: int, per_example: bool) -> None:
    """Place (18 x 18), direction (4) and markers of each cell (11), for certain worlds and for soft ones."""
    before, after = executed(networks, steps, per_example)
    wanted = by_hand(networks, before, decoder_states(per_example))
    for old, new, prediction in zip(before.flatten(0, 1), after.flatten(0, 1), wanted, strict=True):
        robot = numbers(new)[NORTH : WEST + 1]
        assert_same(robot.sum(0), prediction.place)
        assert_same(robot.sum((1, 2)), prediction.way)
        free = numbers(old)[[OBSTACLE, BOUNDARY]].sum(0) == 0
        assert_same(number_of_markers(numbers(new))[:, free], prediction.markers[:, free])
    assert min(prediction.way.max() for prediction in wanted) > 0.3
    assert min(prediction.place.max() for prediction in wanted) > 0.02


def test_the_state_is_the_product_of_place_and_direction(networks: GridNetworks) -> None:
    """A cell's four numbers are P[place] P[direction], in the order of the paper's table."""
    before, after = executed(networks, steps=2)
    for world, (place, way, _) in zip(
        after.flatten(0, 1), by_hand(networks, before, decoder_states(True)), strict=True
    ):
        for row in range(SIDE):
            for col in range(SIDE):
                assert_same(numbers(world[NORTH : WEST + 1, row, col]), place[row, col] * way)


@pytest.mark.parametrize("steps", [1, 2])
def test_the_mask_keeps_walls_and_boundary(networks: GridNetworks, steps: int) -> None:
    """They remain as they were, and no markers are in them. All other cells get what the predictor says."""
    before, after = executed(networks, steps)
    certain = networks.certain(packed()).flatten(0, 1)
    masked = 0
    for world, was, latent, prediction in zip(
        WORLDS, certain, after.flatten(0, 1), by_hand(networks, before, decoder_states(True)), strict=True
    ):
        assert torch.equal(latent[[OBSTACLE, BOUNDARY]], was[[OBSTACLE, BOUNDARY]])
        for row in range(world.rows + 2):
            for col in range(world.cols + 2):
                inside = 1 <= row <= world.rows and 1 <= col <= world.cols
                wall = inside and world.cells[(row - 1) * world.cols + col - 1] == WALL
                assert latent[[OBSTACLE, BOUNDARY], row, col].tolist() == [wall, not inside]
                markers = numbers(latent[ONE_MARKER:, row, col])
                if wall or not inside:
                    masked += prediction.markers[1:, row, col].sum() > 0.01
                    assert (markers == 0).all()
                else:
                    assert_same(markers, prediction.markers[1:, row, col])
    assert masked > 100, "the mask has something to do"


def loss_of(latent: Array, true: World) -> float:
    """-log P[place] - log P[direction], and the mean of -log P[markers] over all cells."""
    place, way = latent[NORTH : WEST + 1].sum(0), latent[NORTH : WEST + 1].sum((1, 2))
    markers, cells = number_of_markers(latent), 0.0
    for row in range(SIDE):
        for col in range(SIDE):
            inside = 1 <= row <= true.rows and 1 <= col <= true.cols
            content = true.cells[(row - 1) * true.cols + col - 1] if inside else 0
            count = 0 if content == WALL else content
            cells -= np.log(max(markers[count, row, col], LEAST))
    robot = max(place[true.row + 1, true.col + 1], LEAST), max(way[true.direction], LEAST)
    return float(-np.log(robot[0]) - np.log(robot[1]) + cells / (SIDE * SIDE))


@pytest.mark.parametrize("steps", [1, 2])
def test_the_loss_is_the_cross_entropy_of_the_three(networks: GridNetworks, steps: int) -> None:
    """Of predicted worlds with the true ones, and of the true worlds in another order, which are certainly wrong."""
    latents = [executed(networks, steps)[1], networks.certain(packed().roll(1, 0))]
    for latent in latents:
        losses = networks.value_loss(latent, packed()).flatten()
        wanted = [loss_of(numbers(world), true) for world, true in zip(latent.flatten(0, 1), WORLDS, strict=True)]
        assert losses.tolist() == pytest.approx(wanted, rel=1e-4)
    assert networks.value_loss(networks.certain(packed()), packed()).abs().max() < 1e-5
