"""SVG pictures of Karel worlds, of runs as strips of worlds, and of examples as pairs of worlds."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from lasynth.domains.base import Trace
from lasynth.domains.karel.world import WALL, World
from lasynth.task import Example

CELL, MARGIN, GAP, CAPTION, ARROW = 24, 12, 28, 22, 40
WIDEST = 1500
"""Width in pixels at which a strip continues in the next row."""
PAPER, LINE, FRAME, STONE, GOLD, GOLD_RIM, ROBOT, INK, RED = (
    "#ffffff",
    "#e4e2dc",
    "#4a4a48",
    "#6b6a67",
    "#f2c14e",
    "#c8962a",
    "#2f6fb0",
    "#33322f",
    "#b5362c",
)


def world_svg(world: World) -> str:
    """A picture of one world."""
    width, height = world.cols * CELL + 2 * MARGIN, world.rows * CELL + 2 * MARGIN
    return _document(width, height, [_group(MARGIN, MARGIN, _world(world))])


def run_svg(trace: Trace[World], most: int = 24) -> str:
    """A run as a strip of worlds: the input and the world after each action; a long run without its middle."""
    frames = [("start", trace.input), *((step.label, step.value) for step in trace.steps)]
    numbered = [(f"{i}. {label}" if i else label, world) for i, (label, world) in enumerate(frames)]
    if len(numbered) > most:
        numbered = [*numbered[: most // 2], *numbered[-(most - most // 2) :]]
        numbered[most // 2] = (f"… {numbered[most // 2][0]}", numbered[most // 2][1])
    return strip_svg(numbered, str(trace.error) if trace.error else "")


def strip_svg(frames: Sequence[tuple[str, World]], footer: str = "") -> str:
    """Worlds side by side, in rows, each with a caption; below them a line of red text."""
    step_x = max(max(world.cols * CELL for _, world in frames), 96) + GAP
    step_y = max(world.rows for _, world in frames) * CELL + CAPTION + GAP // 2
    per_row = max(WIDEST // step_x, 1)
    parts = []
    for i, (label, world) in enumerate(frames):
        x, y = MARGIN + i % per_row * step_x, MARGIN + i // per_row * step_y
        caption = _text(0, 13, label, INK, "start")
        parts.append(_group(x, y, [caption, _group(0, CAPTION, _world(world))]))
    columns, rows = min(len(frames), per_row), -(-len(frames) // per_row)
    height = rows * step_y - GAP // 2 + 2 * MARGIN
    if footer:
        parts.append(_text(MARGIN, height + 4, footer, RED, "start"))
        height += CAPTION
    return _document(max(columns * step_x - GAP + 2 * MARGIN, 7 * len(footer) + 2 * MARGIN), height, parts)


def examples_svg(examples: Sequence[Example[World]]) -> str:
    """Examples from input to output: the two worlds with an arrow between, as many beside each other as fit."""
    parts: list[str] = []
    x = y = MARGIN
    width = height = 0
    for number, example in enumerate(examples, start=1):
        one, other = example.input.cols * CELL, example.output.cols * CELL
        wide, high = max(one + ARROW + other, 96), max(example.input.rows, example.output.rows) * CELL + CAPTION
        if x > MARGIN and x + wide > WIDEST:
            x, y, height = MARGIN, y + height + GAP // 2, 0
        drawn = [_text(0, 13, f"example {number}", INK, "start"), _group(0, CAPTION, _world(example.input))]
        drawn += [_arrow(one, CAPTION + example.input.rows * CELL // 2)]
        drawn.append(_group(one + ARROW, CAPTION, _world(example.output)))
        parts.append(_group(x, y, drawn))
        width, height = max(width, x + wide), max(height, high)
        x += wide + 2 * GAP
    return _document(width + MARGIN, y + height + MARGIN, parts)


def _arrow(x: int, y: int) -> str:
    """An arrow to the right in a space of ARROW pixels that begins at `x`."""
    head = f"M{x + ARROW - 14} {y - 4}L{x + ARROW - 7} {y}L{x + ARROW - 14} {y + 4}"
    return f'<path d="M{x + 7} {y}H{x + ARROW - 7}{head}" stroke="{INK}" stroke-width="1.5" fill="none"/>'


def _document(width: int, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    style = "<style>text{font:12px ui-sans-serif,system-ui,'DejaVu Sans',sans-serif}</style>"
    return "\n".join([head, style, f'<rect width="{width}" height="{height}" fill="{PAPER}"/>', *parts, "</svg>", ""])


def _group(x: int, y: int, parts: Sequence[str]) -> str:
    return "\n".join([f'<g transform="translate({x} {y})">', *parts, "</g>"])


def _text(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'


def _world(world: World) -> list[str]:
    width, height = world.cols * CELL, world.rows * CELL
    lines = "".join(f"M0 {i * CELL}H{width}" for i in range(1, world.rows))
    lines += "".join(f"M{i * CELL} 0V{height}" for i in range(1, world.cols))
    parts = [f'<path d="{lines}" stroke="{LINE}" fill="none"/>']
    for row in range(world.rows):
        for col in range(world.cols):
            parts += _cell(world, row, col)
    parts.append(_robot(world))
    return [*parts, f'<rect width="{width}" height="{height}" fill="none" stroke="{FRAME}" stroke-width="2"/>']


def _cell(world: World, row: int, col: int) -> list[str]:
    """A wall, or a disc with the number of markers. Under the robot a coloured cell; `_robot` adds the number."""
    count = world.markers_at(row, col)
    x, y = col * CELL, (world.rows - 1 - row) * CELL
    if count == WALL:
        return [f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="3" fill="{STONE}"/>']
    if count == 0:
        return []
    if (row, col) == (world.row, world.col):
        return [f'<rect x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{CELL - 2}" rx="5" fill="{GOLD}"/>']
    middle = CELL / 2
    disc = f'<circle cx="{x + middle}" cy="{y + middle}" r="8.5" fill="{GOLD}" stroke="{GOLD_RIM}"/>'
    return [disc, _text(x + middle, y + middle + 4.2, str(count), INK, "middle")]


def _robot(world: World) -> str:
    """An arrow head in the robot's direction, and a small number if there are markers under the robot."""
    x, y = (world.col + 0.5) * CELL, (world.rows - 0.5 - world.row) * CELL
    count = world.markers_at(world.row, world.col)
    pose = f"translate({x} {y}) rotate({90 * world.direction})"
    if count:
        pose = f"translate({x - 3} {y + 2.5}) rotate({90 * world.direction}) scale(0.75)"
    arrow = f'<path d="M0 -10L8 9L0 5.5L-8 9Z" fill="{ROBOT}" transform="{pose}"/>'
    if not count:
        return arrow
    number = f'<text x="{x + 10}" y="{y - 3}" fill="{INK}" text-anchor="end" style="font-size:9px">{count}</text>'
    return f"{arrow}\n{number}"
