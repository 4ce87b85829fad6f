"""Reader of the public Karel data set: `train.json`, `val.json` and `test.json`, one JSON record per line.

The files are read as a stream. NeurTaskSyn's records can be read, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lasynth.domains.karel import program_json, syntax
from lasynth.domains.karel.nodes import Program, category
from lasynth.domains.karel.world import World
from lasynth.lenient import fault
from lasynth.task import Example, InputError, ParseError, Task

FILES = ("train.json", "val.json", "test.json")


def splits(path: Path) -> dict[str, Path]:
    """The files of the public data in a folder by split: train, val and test; one or two may be missing."""
    found = {name.removesuffix(".json"): path / name for name in FILES if (path / name).exists()}
    if not found:
        raise InputError(f"{path}: none of {', '.join(FILES)} is in this folder")
    return found


def import_tasks(path: Path) -> Iterator[Task[Program, World]]:
    """Tasks of a file, or of all splits in a folder; records without examples are skipped."""
    for file in splits(path).values() if path.is_dir() else [path]:
        yield from _file_tasks(file)


def _file_tasks(path: Path) -> Iterator[Task[Program, World]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield from _line_tasks(line, f"{path}, line {number}")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file in UTF-8") from None


def _line_tasks(line: str, place: str) -> Iterator[Task[Program, World]]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        _, column, reason = fault(error)
        raise InputError(f"{place}, column {column}: not JSON: {reason}") from None
    except RecursionError:
        raise InputError(f"{place}: JSON nested too deep") from None
    except ValueError:
        raise InputError(f"{place}: a number has too many digits") from None
    try:
        task = read_record(record)
    except ParseError as error:
        raise ParseError(f"{place}: {error}") from None
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    if task is not None:
        yield task


def read_record(record: Any) -> Task[Program, World] | None:
    """The task in a record, or None if it has no examples."""
    if not isinstance(record, dict) or not ("program_tokens" in record or "program_json" in record):
        raise InputError('expected a record with "program_tokens" or "program_json"')
    holder = record.get("task", record)
    if holder is None:
        return None
    examples = holder.get("examples") if isinstance(holder, dict) else None
    if not isinstance(examples, list):
        raise InputError('expected a list of "examples"')
    program = _program(record)
    read = tuple(_example(example) for example in examples)
    return Task(program, read, category(program), syntax.length(program), "public") if read else None


def _program(record: dict[str, Any]) -> Program:
    tokens = record.get("program_tokens")
    if tokens is None:
        return program_json.from_json(record["program_json"])
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise InputError('"program_tokens" should be a list of strings')
    return syntax.parse_tokens(" ".join(tokens))


def _example(data: Any) -> Example[World]:
    if not isinstance(data, dict) or not {"inpgrid_json", "outgrid_json"} <= data.keys():
        raise InputError('expected each example to have "inpgrid_json" and "outgrid_json"')
    return Example(World.from_json(data["inpgrid_json"]), World.from_json(data["outgrid_json"]))
