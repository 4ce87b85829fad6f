"""A Karel world: a grid with walls and markers, and the robot in it. Reads and writes the public grid JSON.

Row 0 is at the bottom, so north is up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lasynth.task import InputError

MIN_SIDE, MAX_SIDE = 2, 16
DIRECTIONS = ("north", "east", "south", "west")
WALL = 255
"""Content of a cell with a wall, instead of a number of markers."""
MAX_MARKERS = 101
"""The most markers in a cell; putting one more is a crash."""
MAX_INPUT_MARKERS = 10
"""The most markers in a cell of a world that a person gives: the tensor has no channel for more."""
_FIELDS = ("rows", "cols", "hero", "blocked", "markers")


@dataclass(frozen=True, slots=True)
class World:
    """A grid and the robot in it. InputError if there cannot be such a world."""

    rows: int
    cols: int
    row: int
    """Row of the robot."""
    col: int
    """Column of the robot."""
    direction: int
    """Direction of the robot, as an index in DIRECTIONS; a turn to the right adds 1."""
    cells: bytes
    """Number of markers in each cell, or WALL; row by row from the bottom. (rows * cols)"""

    def __post_init__(self) -> None:
        for name, side in (("rows", self.rows), ("columns", self.cols)):
            if not MIN_SIDE <= side <= MAX_SIDE:
                raise InputError(f"a world has {MIN_SIDE} to {MAX_SIDE} {name}, not {side}")
        if len(self.cells) != self.rows * self.cols:
            raise InputError(f"a world of {self.rows} x {self.cols} cells was given {len(self.cells)} cells")
        if not (0 <= self.row < self.rows and 0 <= self.col < self.cols):
            raise InputError(f"the robot at row {self.row}, column {self.col} is outside the world")
        if not 0 <= self.direction < len(DIRECTIONS):
            raise InputError(f"there is no direction {self.direction}")
        if self.markers_at(self.row, self.col) == WALL:
            raise InputError(f"the robot at row {self.row}, column {self.col} stands on a wall")
        most = max(self.cells.replace(b"\xff", b""), default=0)
        if most > MAX_MARKERS:
            raise InputError(f"{most} markers in a cell; it holds at most {MAX_MARKERS}")

    def markers_at(self, row: int, col: int) -> int:
        """Number of markers in a cell, or WALL."""
        return self.cells[row * self.cols + col]

    def clear(self, direction: int) -> bool:
        """Whether the robot could move in that direction."""
        row, col = step(self.row, self.col, direction)
        return 0 <= row < self.rows and 0 <= col < self.cols and self.markers_at(row, col) != WALL

    def walls(self) -> list[tuple[int, int]]:
        """Row and column of each wall, in the public order: from the top row down, from left to right."""
        return [(row, col) for row, col, count in self._scan() if count == WALL]

    def markers(self) -> list[tuple[int, int, int]]:
        """Row, column and number of markers of each cell that has some, in the public order."""
        return [(row, col, count) for row, col, count in self._scan() if count != WALL]

    def _scan(self) -> Iterable[tuple[int, int, int]]:
        """Row, column and content of the cells that are not empty."""
        for row in reversed(range(self.rows)):
            for col, content in enumerate(self.cells[row * self.cols : (row + 1) * self.cols]):
                if content:
                    yield row, col, content

    def check_input(self) -> World:
        """Return the world. InputError if it has too many markers for an input."""
        for row, col, count in self.markers():
            if count > MAX_INPUT_MARKERS:
                limit = f"an input has at most {MAX_INPUT_MARKERS} in a cell"
                raise InputError(f"{count} markers at row {row}, column {col}; {limit}", self.in_picture(row, col))
        return self

    def in_picture(self, row: int, col: int) -> str:
        """Where a picture has the cell. Its first line is the last row."""
        return f"line {self.rows - row}, cell {col + 1}"

    @classmethod
    def build(
        cls,
        rows: int,
        cols: int,
        hero: tuple[int, int, int],
        walls: Iterable[tuple[int, int]] = (),
        markers: Iterable[tuple[int, int, int]] = (),
    ) -> World:
        """A world from lists of walls and markers. InputError for a place outside the grid or in the lists twice."""
        if not (MIN_SIDE <= rows <= MAX_SIDE and MIN_SIDE <= cols <= MAX_SIDE):
            raise InputError(f"a world has {MIN_SIDE} to {MAX_SIDE} rows and columns, not {rows} x {cols}")
        cells = bytearray(rows * cols)
        contents = [(row, col, WALL) for row, col in walls]
        for row, col, count in [*contents, *markers]:
            if not (0 <= row < rows and 0 <= col < cols):
                raise InputError(f"row {row}, column {col} is outside a world of {rows} x {cols}")
            if before := cells[row * cols + col]:
                twice = "has a wall and markers" if WALL in (before, count) and before != count else "is given twice"
                raise InputError(f"row {row}, column {col} {twice}")
            if count != WALL and not 1 <= count <= MAX_MARKERS:
                raise InputError(f"{count} markers at row {row}, column {col}; a cell holds 1 to {MAX_MARKERS}")
            cells[row * cols + col] = count
        return cls(rows, cols, *hero, bytes(cells))

    @classmethod
    def from_json(cls, data: Any) -> World:
        """A world from public grid JSON, decoded or as text. InputError."""
        if isinstance(data, str | bytes):
            data = _decode(data)
        if not isinstance(data, Mapping):
            raise InputError("a world in JSON is an object with " + ", ".join(_FIELDS))
        for name in _FIELDS[:3]:
            if name not in data:
                raise InputError(f'a world in JSON needs "rows", "cols" and "hero"; this one has no "{name}"')
        if data.get("crashed"):
            raise InputError("a world in which the robot has crashed cannot be an input or an output")
        rows, cols = _side(data, "rows"), _side(data, "cols")
        walls = [(row, col) for row, col in _places(data, "blocked", 2)]
        markers = [(row, col, count) for row, col, count in _places(data, "markers", 3)]
        return cls.build(rows, cols, _hero(data["hero"]), walls, markers)

    def to_json(self) -> dict[str, Any]:
        """The world as public grid JSON."""
        return {
            "rows": self.rows,
            "cols": self.cols,
            "crashed": False,
            "hero": f"{self.row}:{self.col}:{DIRECTIONS[self.direction]}",
            "blocked": " ".join(f"{row}:{col}" for row, col in self.walls()),
            "markers": " ".join(f"{row}:{col}:{count}" for row, col, count in self.markers()),
        }


def step(row: int, col: int, direction: int) -> tuple[int, int]:
    """The neighbour of a cell in a direction."""
    return row + (1, 0, -1, 0)[direction], col + (0, 1, 0, -1)[direction]


def _decode(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:  # not JSON, not text, or a number with too many digits for Python
        raise InputError(f"not JSON: {error}") from None
    except RecursionError:
        raise InputError("not a world: JSON nested too deep") from None


def _side(data: Mapping[str, Any], name: str) -> int:
    if not isinstance(data[name], int) or isinstance(data[name], bool):
        raise InputError(f'"{name}" should be a whole number')
    return int(data[name])


def _hero(data: Any) -> tuple[int, int, int]:
    parts = data.split(":") if isinstance(data, str) else []
    if len(parts) != 3 or parts[2] not in DIRECTIONS:
        raise InputError('"hero" should be "row:column:direction", for example "0:3:north"')
    return _number(parts[0], "hero"), _number(parts[1], "hero"), DIRECTIONS.index(parts[2])


def _places(data: Mapping[str, Any], name: str, width: int) -> list[list[int]]:
    text = data.get(name, "")
    if not isinstance(text, str):
        raise InputError(f'"{name}" should be a string')
    places = [[_number(part, name) for part in place.split(":")] for place in text.split()]
    if any(len(place) != width for place in places):
        form = "row:column" if width == 2 else "row:column:count"
        raise InputError(f'"{name}" should be "{form}" with spaces between')
    return places


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise InputError(f'"{name}" has {text[:20]!r} where a number belongs')
    return int(text)
