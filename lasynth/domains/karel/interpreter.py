"""What Karel programs do, in readable code: the semantics of the reference implementation of the public data.

Each action, each test of a condition and each round of a repeat takes one tick, which is counted before it happens. A
run that needs more ticks than the limit is stopped. A crash ends the run. The fast version of this is machine.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lasynth.domains.base import Step, Trace
from lasynth.domains.karel.nodes import Action, Block, Condition, If, IfElse, Program, Repeat, Statement, While
from lasynth.domains.karel.world import MAX_MARKERS, World, step
from lasynth.task import ExecutionError, StepLimit

TICKS = 200
"""Tick limit of the reference implementation."""


class Crash(ExecutionError):
    """An action that is not possible: the way is blocked, or a cell has no marker or too many."""


@dataclass
class Run:
    """A run in progress: the current world, the ticks so far and the actions so far."""

    world: World
    limit: int = TICKS
    ticks: int = 0
    steps: list[Step[World]] = field(default_factory=list)

    def tick(self) -> None:
        if self.ticks == self.limit:
            raise StepLimit(f"the run takes more than {self.limit} ticks")
        self.ticks += 1

    def block(self, block: Block) -> None:
        for statement in block:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Action(name):
                self.action(name)
            case Repeat(times, body):
                for _ in range(times):
                    self.tick()
                    self.block(body)
            case While(condition, body):
                while self.holds(condition):
                    self.block(body)
            case If(condition, body):
                if self.holds(condition):
                    self.block(body)
            case IfElse(condition, then, otherwise):
                self.block(then if self.holds(condition) else otherwise)

    def holds(self, condition: Condition) -> bool:
        self.tick()
        return self.test(condition.test) != condition.negated

    def test(self, name: str) -> bool:
        world = self.world
        match name:
            case "frontIsClear":
                return world.clear(world.direction)
            case "leftIsClear":
                return world.clear((world.direction - 1) % 4)
            case "rightIsClear":
                return world.clear((world.direction + 1) % 4)
            case "markersPresent":
                return world.markers_at(world.row, world.col) > 0
            case _:
                return world.markers_at(world.row, world.col) == 0

    def action(self, name: str) -> None:
        self.tick()
        match name:
            case "move":
                self.world = _moved(self.world)
            case "turnLeft":
                self.world = _turned(self.world, -1)
            case "turnRight":
                self.world = _turned(self.world, 1)
            case "pickMarker":
                self.world = _with_markers(self.world, -1)
            case _:
                self.world = _with_markers(self.world, 1)
        self.steps.append(Step(name, self.world))


def _moved(world: World) -> World:
    if not world.clear(world.direction):
        raise Crash(f"the way is blocked at row {world.row}, column {world.col}")
    row, col = step(world.row, world.col, world.direction)
    return World(world.rows, world.cols, row, col, world.direction, world.cells)


def _turned(world: World, turn: int) -> World:
    return World(world.rows, world.cols, world.row, world.col, (world.direction + turn) % 4, world.cells)


def _with_markers(world: World, change: int) -> World:
    index = world.row * world.cols + world.col
    count = world.cells[index] + change
    if count < 0:
        raise Crash(f"no marker to pick at row {world.row}, column {world.col}")
    if count > MAX_MARKERS:
        raise Crash(f"more than {MAX_MARKERS} markers at row {world.row}, column {world.col}")
    cells = world.cells[:index] + bytes((count,)) + world.cells[index + 1 :]
    return World(world.rows, world.cols, world.row, world.col, world.direction, cells)


def run(program: Program, world: World, limit: int = TICKS) -> World:
    """The world after the run. Raises Crash or StepLimit."""
    state = Run(world, limit)
    state.block(program.body)
    return state.world


def trace(program: Program, world: World, limit: int = TICKS) -> tuple[Trace[World], int]:
    """The run action by action, and the number of its ticks."""
    state = Run(world, limit)
    try:
        state.block(program.body)
    except ExecutionError as error:
        return Trace(world, tuple(state.steps), None, error), state.ticks
    return Trace(world, tuple(state.steps), state.world), state.ticks
