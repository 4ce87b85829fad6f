"""Reads examples from JSON or from lines of text. Error messages show the wrong line.

    {"examples": [{"input": [3, 1], "output": [1, 3]}, ..]}          [3, 1] -> [1, 3]

JSON may also be the list alone, or one object per line. Several inputs are `"inputs": {"k": 2, "b": [5, 6]}`, by name,
or `"inputs": [2, [5, 6]]`. In text, empty lines and comments after a # are ignored, and an
arrow may also be written => or →. A comma too many and lists without commas, [1 2 3], are understood in both forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Reading, solvable
from lasynth.lenient import fault, loads
from lasynth.task import Example, InputError

MAX_EXAMPLES = 10_000
ARROW = re.compile(r"-+>|=+>|[→⇒↦]")
JSON = re.compile(r"\s*(\[\s*)?\{")
INPUT = frozenset({"input", "inputs"})
FORM = '{"examples": [{"input": .., "output": ..}, ..]}'
SHOWN = 100
"""Maximum number of characters of a line that a message shows."""


def read_examples(text: str, domain: AnyDomain, name: str) -> list[Example[Any]]:
    """The examples in a text, which is JSON if it begins with `{` or `[{`.

    InputError with the name, the line and the reason.
    """
    reader = _from_json if JSON.match(text) else _from_lines
    numbered = list(reader(text, domain, name))
    if not numbered:
        raise InputError(f"{name} has no example")
    return _checked(domain, [e for e, _ in numbered], lambda i: numbered[i][1])


def read_task(text: str, domain: AnyDomain, name: str) -> tuple[list[Example[Any]], list[Example[Any]]]:
    """The examples in a text, and others that the answer is tested on: a record of a data set has some. InputError."""
    if not isinstance(domain, Reading):
        return read_examples(text, domain, name), []
    given = domain.read_given(text, name)
    if not given.examples:
        raise InputError(f"{name} has no example")
    _checked(domain, [*given.examples, *given.checks], given.places.__getitem__, given.drawn)
    return _checked(domain, given.examples, given.places.__getitem__), given.checks


def read_example(line: str, domain: AnyDomain) -> Example[Any]:
    """Read `input -> output`. InputError."""
    parts = ARROW.split(_without_last_comma(line))
    if len(parts) != 2:
        raise InputError("an example has the form `input -> output`, such as [1, 2, 3] -> [2, 3, 4]")
    value, wanted = (domain.read_value(part.strip()) for part in parts)
    return Example(value, wanted)


def check_examples(domain: AnyDomain, examples: Sequence[Example[Any]]) -> list[Example[Any]]:
    """Check examples given as Python values, and drop repeated ones. InputError with the number of the example."""
    checked = []
    for number, example in enumerate(examples, start=1):
        value = _value(domain, example.input, f"example {number}, input")
        checked.append(Example(value, _value(domain, example.output, f"example {number}, output")))
    if isinstance(domain, Reading):  # such values do not fit in a line
        return _checked(domain, checked, lambda i: f"example {i + 1}")
    return _checked(domain, checked, lambda i: f"example {i + 1}: {_shown(str(examples[i]))}")


def _value(domain: AnyDomain, value: object, place: str) -> Any:
    """Convert a value. The message of an InputError begins with the place."""
    try:
        return domain.check_value(value)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _checked(
    domain: AnyDomain, examples: list[Example[Any]], where: Callable[[int], str], drawn: bool = False
) -> list[Example[Any]]:
    """Check that the examples fit together, and drop repeated ones. InputError; `drawn` if users gave pictures."""
    if not examples:
        raise InputError("there is no example")
    if len(examples) > MAX_EXAMPLES:
        message = f"there are {len(examples):,} examples; at most {MAX_EXAMPLES:,} are allowed"
        raise InputError(f"{where(MAX_EXAMPLES)}\n{message}")
    seen: dict[str, int] = {}
    kept = []
    for i, example in enumerate(examples):
        try:
            solvable(domain).check_example(example, examples[0])
        except InputError as error:
            raise InputError(f"{where(i)}\n{error.drawn if drawn else error}") from error
        first = seen.setdefault(json.dumps(domain.value_json(example.input)), i)
        if first == i:
            kept.append(example)
        elif examples[first].output != example.output:
            raise InputError(f"{where(i)}\nthe same input has a different output in\n{where(first)}")
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
        if not isinstance(item, dict) or "output" not in item or not INPUT & item.keys():
            raise InputError(f'{where}\nan example must be an object with "input" and "output"')
        try:
            value, wanted = domain.check_value(_input(domain, item)), domain.check_value(item["output"])
        except InputError as error:
            raise InputError(f"{where}\n{error}") from error
        yield Example(value, wanted), where


def _input(domain: AnyDomain, item: dict[str, Any]) -> Any:
    """The input of an example, or several in a tuple or by name. InputError."""
    if "inputs" not in item:
        return item["input"]
    if "input" in item:
        raise InputError('give either "input" or "inputs"')
    if not getattr(domain, "several_inputs", False):
        raise InputError(f'functions of the language `{domain.name}` have one "input"')
    value = item["inputs"]
    return tuple(value) if isinstance(value, list) else value


def _items(text: str, name: str) -> Iterator[tuple[Any, str]]:
    """The items of a JSON text, each with its place in the text."""
    if _is_an_example(text.strip().partition("\n")[0]):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield _loads(_without_last_comma(line), name, number), f"{name}, line {number}"
        return
    content = _loads(text, name)
    items = content.get("examples") if isinstance(content, dict) else content
    if not isinstance(items, list):
        raise InputError(f'{name} has no list "examples"; the form is {FORM}')
    for number, item in enumerate(items, start=1):
        yield item, f"{name}, example {number}"


def _is_an_example(line: str) -> bool:
    """Whether a line is a complete example, so that the text has one example per line."""
    try:
        item = loads(_without_last_comma(line))
    except (ValueError, RecursionError):
        return False
    return isinstance(item, dict) and bool(INPUT & item.keys())


def _loads(text: str, name: str, first_line: int = 1) -> Any:
    """Parse JSON that begins in line `first_line` of a file. InputError."""
    try:
        return loads(text)
    except json.JSONDecodeError as error:
        line, column, reason = fault(error)
        place = f"{name}, line {first_line + line - 1}, column {column}"
        shown = _shown(text.split("\n")[line - 1])
        raise InputError(f"{place}: {shown}\nthis is not JSON: {reason}") from error
    except (ValueError, RecursionError) as error:  # too many digits, brackets nested too deeply
        raise InputError(f"{name} cannot be read as JSON: {error}") from error


def _without_last_comma(line: str) -> str:
    """A line without the comma that separates it from the next one."""
    return line.rstrip().removesuffix(",")


def _shown(line: str) -> str:
    text = "".join(c if c.isprintable() else " " for c in line.strip())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
