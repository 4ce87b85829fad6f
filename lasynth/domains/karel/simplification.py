"""Simpler worlds: without a row or column at the edge, without a wall, with fewer markers."""

from __future__ import annotations

from collections.abc import Iterator

from lasynth.domains.karel.world import MIN_SIDE, WALL, World


def simpler_worlds(world: World) -> Iterator[World]:
    """Worlds that are simpler by one step: smaller ones first, then emptier ones."""
    yield from _smaller(world)
    if any(content == WALL for content in world.cells):
        yield _with(world, bytes(0 if content == WALL else content for content in world.cells))
    if any(0 < content < WALL for content in world.cells):
        yield _with(world, bytes(content if content == WALL else 0 for content in world.cells))
    if any(1 < content < WALL for content in world.cells):
        yield _with(world, bytes(content if content == WALL else min(content, 1) for content in world.cells))
    for index, content in enumerate(world.cells):
        if content:
            yield _with(world, world.cells[:index] + bytes([0]) + world.cells[index + 1 :])


def _smaller(world: World) -> Iterator[World]:
    """The world without its bottom or top row, or its left or right column, unless the robot stands there."""
    lines = [world.cells[start : start + world.cols] for start in range(0, len(world.cells), world.cols)]
    if world.rows > MIN_SIDE:
        if world.row > 0:
            yield _cut(world, lines[1:], world.row - 1, world.col)
        if world.row < world.rows - 1:
            yield _cut(world, lines[:-1], world.row, world.col)
    if world.cols > MIN_SIDE:
        if world.col > 0:
            yield _cut(world, [line[1:] for line in lines], world.row, world.col - 1)
        if world.col < world.cols - 1:
            yield _cut(world, [line[:-1] for line in lines], world.row, world.col)


def _cut(world: World, lines: list[bytes], row: int, col: int) -> World:
    return World(len(lines), len(lines[0]), row, col, world.direction, b"".join(lines))


def _with(world: World, cells: bytes) -> World:
    return World(world.rows, world.cols, world.row, world.col, world.direction, cells)
