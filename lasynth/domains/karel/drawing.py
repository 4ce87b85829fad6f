"""A Karel world as a picture of characters: one line per row, the top row first, spaces between cells.

    . . # 3
    . > . .

`.` is an empty cell, `#` a wall, a number that many markers. `^ > v <` is the robot; a number right after it counts the
markers under it: `>2`.
"""

from __future__ import annotations

import re

from lasynth.domains.karel.world import MAX_MARKERS, MAX_SIDE, MIN_SIDE, WALL, World
from lasynth.task import InputError

HEROES = "^>v<"
_CELL = re.compile(r"([.#])|([\^>v<]?)([0-9]{0,3})")
_WALLED = re.compile(r"#+[\^>v<][0-9]*|[\^>v<][0-9]*#+")
"""The robot and a wall in one cell."""


def draw(world: World) -> str:
    """Draw a world, without a final line break: `read(draw(world)) == world`."""
    rows = [[_cell(world, row, col) for col in range(world.cols)] for row in reversed(range(world.rows))]
    widths = [max(len(row[col]) for row in rows) for col in range(world.cols)]
    return "\n".join(" ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def _cell(world: World, row: int, col: int) -> str:
    count = world.markers_at(row, col)
    if count == WALL:
        return "#"
    markers = str(count) if count else ""
    if (row, col) == (world.row, world.col):
        return HEROES[world.direction] + markers
    return markers or "."


def read(text: str) -> World:
    """Read a picture; `/` may replace a line break. InputError that names the line and the cell."""
    lines = [line.split() for line in text.replace("/", "\n").splitlines() if line.strip()]
    cols = len(lines[0]) if lines else 0
    if not (MIN_SIDE <= len(lines) <= MAX_SIDE and MIN_SIDE <= cols <= MAX_SIDE):
        wanted = f"{MIN_SIDE} to {MAX_SIDE} rows and columns, with spaces between cells"
        raise InputError(f"the picture of a world has {wanted}; not {len(lines)} x {cols}")
    heroes: list[tuple[int, int, int]] = []
    contents = bytearray()
    for row, line in enumerate(reversed(lines)):
        place = f"line {len(lines) - row} of the world"
        if len(line) != cols:
            raise InputError(f"{place} has {len(line)} cells, the first line has {cols}")
        for col, cell in enumerate(line):
            content, direction = _read_cell(cell, f"{place}, cell {col + 1}")
            contents.append(content)
            if direction >= 0:
                heroes.append((row, col, direction))
    if len(heroes) != 1:
        cells = [f"line {len(lines) - row}, cell {col + 1}" for row, col, _ in reversed(heroes)]
        found = f"{len(heroes)}: {'; '.join(cells)}" if heroes else "none"
        raise InputError(f"a world has one robot, ^ > v or <; this one has {found}")
    return World(len(lines), cols, *heroes[0], bytes(contents))


def _read_cell(cell: str, place: str) -> tuple[int, int]:
    """The content of the cell, and the direction of the robot in it, or -1 without a robot."""
    match = _CELL.fullmatch(cell)
    if match is None and _WALLED.fullmatch(cell):
        raise InputError(f"{place}: {cell[:20]!r} is a robot that stands in a wall")
    if match is None:
        raise InputError(f"{place}: {cell[:20]!r} is not . # a number or one of ^ > v <")
    if match[1]:
        return (WALL if match[1] == "#" else 0), -1
    count = int(match[3] or 0)
    if count > MAX_MARKERS:
        raise InputError(f"{place}: {count} markers; a cell holds at most {MAX_MARKERS}")
    return count, HEROES.index(match[2]) if match[2] else -1
