"""Examples as people write them: JSON, or a line each; read with messages that show the line that is wrong.

    {"examples": [{"input": [3, 1], "output": [1, 3]}, ..]}          [3, 1] -> [1, 3]

The list alone, or an object in each line, is JSON enough. Empty lines and what follows a # are passed over in text. Knows
languages only through their domains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.task import Example, InputError

MAX_EXAMPLES = 10_000
ARROW = "->"
JSON = re.compile(r"\s*(\[\s*)?\{")
COMMA_TOO_MANY = re.compile(r",\s*[]}]")
FORM = '{"examples": [{"input": .., "output": ..}, ..]}'
SHOWN = 100
"""Characters of a line that a message shows."""


def read_examples(text: str, domain: AnyDomain, name: str) -> list[Example[Any]]:
    """The examples in a text, which is JSON if it begins with `{` or with a list of such. InputError with the name, the line
    and what is wrong."""
    reader = _from_json if JSON.match(text) else _from_lines
    numbered = list(reader(text, domain, name))
    if not numbered:
        raise InputError(f"{name} has no example")
    return _checked(domain, [e for e, _ in numbered], lambda i: numbered[i][1])


def read_example(line: str, domain: AnyDomain) -> Example[Any]:
    """`input -> output`. InputError."""
    parts = line.split(ARROW)
    if len(parts) != 2:
        raise InputError(f"an example is written `input {ARROW} output`, such as [1, 2, 3] {ARROW} [2, 3, 4]")
    value, wanted = (domain.read_value(part.strip()) for part in parts)
    return Example(value, wanted)


def check_examples(domain: AnyDomain, examples: Sequence[Example[Any]]) -> list[Example[Any]]:
    """Examples that came from Python; each pair once. InputError with the example's number."""
    checked = []
    for number, example in enumerate(examples, start=1):
        try:
            value, wanted = (domain.check_value(side) for side in (example.input, example.output))
        except InputError as error:
            raise InputError(f"example {number}: {error}") from error
        checked.append(Example(value, wanted))
    return _checked(domain, checked, lambda i: f"example {i + 1}: {_shown(str(examples[i]))}")


def _checked(domain: AnyDomain, examples: list[Example[Any]], where: Callable[[int], str]) -> list[Example[Any]]:
    """Examples that go together, each once. InputError."""
    if not examples:
        raise InputError("there is no example")
    if len(examples) > MAX_EXAMPLES:
        message = f"there are {len(examples):,} examples; at most {MAX_EXAMPLES:,} are taken"
        raise InputError(f"{where(MAX_EXAMPLES)}\n{message}")
    seen: dict[str, int] = {}
    kept = []
    for i, example in enumerate(examples):
        try:
            solvable(domain).check_example(example, examples[0])
        except InputError as error:
            raise InputError(f"{where(i)}\n{error}") from error
        first = seen.setdefault(json.dumps(domain.value_json(example.input)), i)
        if first == i:
            kept.append(example)
        elif examples[first].output != example.output:
            raise InputError(f"{where(i)}\nthe same input has another output in\n{where(first)}")
    return kept


def _from_lines(text: str, domain: AnyDomain, name: str) -> Iterator[tuple[Example[Any], str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        where = f"{name}, line {number}: {_shown(line)}"
        try:
            yield read_example(content, domain), where
        except InputError as error:
            raise InputError(f"{where}\n{error}") from error


def _from_json(text: str, domain: AnyDomain, name: str) -> Iterator[tuple[Example[Any], str]]:
    for item, place in _items(text, name):
        where = f"{place}: {_shown(json.dumps(item))}"
        if not isinstance(item, dict) or not {"input", "output"} <= item.keys():
            raise InputError(f'{where}\nan example is an object with "input" and "output"')
        try:
            value, wanted = (domain.check_value(item[side]) for side in ("input", "output"))
        except InputError as error:
            raise InputError(f"{where}\n{error}") from error
        yield Example(value, wanted), where


def _items(text: str, name: str) -> Iterator[tuple[Any, str]]:
    """What JSON gives for examples, each with its place."""
    if _is_an_example(text.strip().partition("\n")[0]):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield _loads(line, name, number), f"{name}, line {number}"
        return
    content = _loads(text, name)
    items = content.get("examples") if isinstance(content, dict) else content
    if not isinstance(items, list):
        raise InputError(f'{name} has no list "examples"; the form is {FORM}')
    for number, item in enumerate(items, start=1):
        yield item, f"{name}, example {number}"


def _is_an_example(line: str) -> bool:
    """Whether a line is complete, so that the others are taken to be so too."""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(item, dict) and "input" in item


def _loads(text: str, name: str, first_line: int = 1) -> Any:
    """JSON that begins in some line of a file. InputError."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line, number = text.split("\n")[error.lineno - 1], first_line + error.lineno - 1
        hint = " (there is a comma too many)" if _comma_too_many(text, error.pos) else ""
        raise InputError(f"{name}, line {number}: {_shown(line)}\nthis is not JSON: {error.msg}{hint}") from error
    except (ValueError, RecursionError) as error:  # a number of too many digits, brackets without end
        raise InputError(f"{name} is not JSON that can be read: {error}") from error


def _comma_too_many(text: str, position: int) -> bool:
    """Whether the culprit is a comma before a closing bracket; Python's versions point at the one or the other."""
    before = len(text[:position].rstrip()) - 1
    return any(COMMA_TOO_MANY.match(text, at) for at in (before, position) if at >= 0)


def _shown(line: str) -> str:
    text = "".join(c if c.isprintable() else " " for c in line.strip())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
