"""Reads the examples of a task: pairs of pictures, JSON with public grid objects, or a record of the public data.

In text, a picture of the input, a line `->` and a picture of the output are an example. Or each line has a part of both
worlds, with `->` between; or a whole example is in one line, with `/` for line breaks. Comments are lines that begin
with `//`, because `#` is a wall.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lasynth.domains.base import Given
from lasynth.domains.karel import drawing
from lasynth.domains.karel.recognition import ARROW, COMMENT
from lasynth.domains.karel.world import World
from lasynth.lenient import fault, loads
from lasynth.task import Example, InputError

SHOWN = 5
"""A record's first examples are given. The others are the check."""
NAMES = (("input", "output"), ("inpgrid_json", "outgrid_json"))
"""Names of the two worlds of an example: ours, and those of the public records."""
FORM = '{"examples": [{"input": {"rows": .., "cols": .., "hero": ..}, "output": {..}}, ..]}'
WIDEST = 80
"""Maximum number of characters of a line that a message shows."""


def read_given(text: str, name: str) -> Given[World]:
    """The examples in a text, each with its place for messages. InputError with the place and the cell."""
    if text.lstrip().startswith(("{", "[")):
        return _from_json(text, name)
    examples, places = [], []
    for number, pair in enumerate(_pairs(text, name), start=1):
        place = f"{name}, example {number} (line {pair.line})"
        before = _world(drawing.read, pair.before, f"{place}, input")
        after = _world(drawing.read, pair.after, f"{place}, output")
        examples.append(Example(before, after))
        places.append(place)
    return Given(examples, places, [], drawn=True)


def _world(read: Callable[[Any], World], data: Any, place: str) -> World:
    """Read a world. The message of an InputError begins with the place."""
    try:
        return read(data)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


# --- pictures ---------------------------------------------------------------------------------------------------------
class Pair(NamedTuple):
    """The pictures of an example, and the number of their first line."""

    line: int
    before: str
    after: str


def _pairs(text: str, name: str) -> Iterator[Pair]:
    """Pairs of pictures. InputError."""
    waiting: Pair | None = None  # an input whose output is still to come; `after` is the arrow, if there was one
    for line, block in _blocks(text):
        if ARROW.fullmatch(block):
            if waiting is None or waiting.after:
                raise InputError(f"{name}, line {line}: there is no world before this arrow")
            waiting = waiting._replace(after=block)
        elif ARROW.search(block):
            _refuse(waiting, name)
            waiting = None
            yield from _beside(line, block, name)
        elif waiting is None:
            waiting = Pair(line, block, "")
        elif waiting.after:
            yield waiting._replace(after=block)
            waiting = None
        else:
            _refuse(waiting, name)
    _refuse(waiting, name)


def _refuse(waiting: Pair | None, name: str) -> None:
    """InputError if an input has no output."""
    if waiting is not None:
        form = "an example is a picture of the input, a line `->` and a picture of the output"
        raise InputError(f"{name}, line {waiting.line}: this world has no output; {form}")


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Lines that stand together, with the number of the first one. A line that is only an arrow stands alone."""
    begin, block = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        content = line.strip()
        if content.startswith(COMMENT):
            continue
        alone = ARROW.fullmatch(content)
        if (alone or not content) and block:
            yield begin, "\n".join(block)
            block = []
        if alone:
            yield number, content
        elif content:
            begin = begin if block else number
            block.append(content)


def _beside(line: int, block: str, name: str) -> Iterator[Pair]:
    """Examples with input and output side by side: one in all lines of the block, or one in each line."""
    rows: list[Pair] = []
    for number, text in enumerate(block.split("\n"), start=line):
        parts = ARROW.split(text)
        if len(parts) != 2 or not all(part.strip() for part in parts):
            shown = text if len(text) <= WIDEST else text[:WIDEST] + ".."
            raise InputError(f"{name}, line {number}: {shown}\neach line of this example needs one arrow between cells")
        rows.append(Pair(number, *parts))
    if any("/" in row.before for row in rows):
        yield from rows
    else:
        yield Pair(line, "\n".join(row.before for row in rows), "\n".join(row.after for row in rows))


# --- JSON -------------------------------------------------------------------------------------------------------------
def _from_json(text: str, name: str) -> Given[World]:
    items, is_record = _items(text, name)
    examples, places = [], []
    for number, item in enumerate(items, start=1):
        place = f"{name}, example {number}"
        names = next((pair for pair in NAMES if isinstance(item, dict) and set(pair) <= item.keys()), None)
        if names is None:
            wanted = " or ".join(f'"{before}" and "{after}"' for before, after in NAMES)
            raise InputError(f'{place}: an example needs {wanted}, each a world with "rows", "cols" and "hero"')
        before, after = (
            _world(World.from_json, item[key], f"{place}, {side}") for key, side in zip(names, NAMES[0], strict=True)
        )
        examples.append(Example(before, after))
        places.append(place)
    if not is_record:
        return Given(examples, places, [])
    return Given(examples[:SHOWN], places, examples[SHOWN:])


def _items(text: str, name: str) -> tuple[list[Any], bool]:
    """The examples in a JSON text, and whether the text is a record of a data set."""
    numbered = enumerate(text.split("\n"), start=1)
    lines = [(number, line.rstrip().removesuffix(",")) for number, line in numbered if line.strip()]
    if len(lines) > 1 and isinstance(_loaded(lines[0][1]), dict):  # one object in each line
        objects = [_loads(line, name, number) for number, line in lines]
        if any(not isinstance(item, dict) or "examples" in item or "task" in item for item in objects):
            raise InputError(f"{name} has {len(objects):,} records; `solve` takes one")
        return objects, False
    content = _loads(text, name, 1)
    if isinstance(content, list):
        return content, False
    if isinstance(content, dict) and set(NAMES[0]) <= content.keys():
        return [content], False
    holder = content.get("task", content) if isinstance(content, dict) else None
    items = holder.get("examples") if isinstance(holder, dict) else None
    if not isinstance(items, list):
        record = 'or a record of the public data, with "inpgrid_json" and "outgrid_json" in each example'
        raise InputError(f'{name} has no list "examples"; the form is {FORM}, {record}')
    if not items:
        raise InputError(f"{name} has no example")
    return items, isinstance(items[0], dict) and "inpgrid_json" in items[0]


def _loaded(text: str) -> Any:
    """The value of a JSON text, or None."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _loads(text: str, name: str, first_line: int) -> Any:
    """Parse JSON that begins in line `first_line`. InputError."""
    try:
        return loads(text)
    except json.JSONDecodeError as error:
        line, column, reason = fault(error)
        place = f"{name}, line {first_line + line - 1}, column {column}"
        raise InputError(f"{place}: this is not JSON: {reason}") from error
    except (ValueError, RecursionError) as error:  # too many digits, brackets nested too deeply
        raise InputError(f"{name} cannot be read as JSON: {error}") from error
