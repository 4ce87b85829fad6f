"""Reads the files of the paper's authors: `code_N.c` with the examples and the function, `code_N.out` with the outputs.

A `code_N.c` declares the inputs as `int a0[5] = {..}`, `a1`, ... The list `aJ` holds position J of every example, so
example i is column i. The head `int * func_1(int a[])` occurs twice: first as a declaration, then where the function
begins. A `code_N.out` holds the numbers that the program printed, example by example and position by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import Program, category
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.task import Example, ExecutionError, InputError, Task

HEAD = re.compile(r"int\s*\*\s*func_1\s*\(\s*int\s+a\[\s*\]\s*\)")
POSITION = re.compile(r"int\s+a(\d+)\[\s*\d*\s*\]\s*=\s*\{([^{}]*)\}")


def read_tasks(folder: Path) -> Iterator[Task[Program, list[int]]]:
    """The tasks of all `code_N.c` files in the folder, in the order of N. Raises InputError if one is faulty."""
    files = sorted(folder.glob("code_*.c"), key=lambda path: (len(path.stem), path.stem))
    if not files:
        raise InputError(f"{folder}: no code_N.c files here")
    for path in files:
        try:
            yield read_task(path)
        # InputError and ParseError are ValueErrors; so are undecodable text and numbers with too many digits.
        except (ValueError, ExecutionError) as error:
            raise InputError(f"{path}: {error}") from error


def read_task(path: Path) -> Task[Program, list[int]]:
    """The task of one `code_N.c`. Runs the program to check the outputs in `code_N.out`."""
    text = path.read_text()
    program = canonical(parse(_function(text)))
    inputs = _inputs(text)
    results = path.with_suffix(".out")
    if not results.exists():
        raise InputError(f"{results.name} is missing")
    numbers = [int(number) for number in re.findall(r"-?\d+", results.read_text())]
    width = len(inputs[0])
    if len(numbers) != width * len(inputs):
        raise InputError(f"{results.name} holds {len(numbers)} numbers, {len(inputs)} lists of {width} were expected")
    outputs = [numbers[i : i + width] for i in range(0, len(numbers), width)]
    for given, wanted in zip(inputs, outputs, strict=True):
        got = run(program, given)
        if got != wanted:
            raise InputError(f"{results.name} says {wanted} for {given}, but the program gives {got}")
    examples = tuple(map(Example, inputs, outputs))
    return Task(program, examples, category(program), count_tokens(print_program(program)), "authors")


def _function(text: str) -> str:
    """The text of the function alone: from its head to the brace that closes it."""
    heads = list(HEAD.finditer(text))
    if len(heads) < 2:
        raise InputError("the head `int * func_1(int a[])` must occur twice, first as a declaration")
    begin, depth = heads[1].start(), 0
    for i in range(begin, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0 and text[i] == "}":
            return text[begin : i + 1]
    raise InputError("the function's last brace is missing")


def _inputs(text: str) -> list[list[int]]:
    """The example inputs: each declared list is a position, each column is an example."""
    positions = sorted((int(number), values) for number, values in POSITION.findall(text))
    if not positions or [number for number, _ in positions] != list(range(len(positions))):
        raise InputError("no lists `int a0[..] = {..};`, `a1`, .. with the inputs were found")
    columns = [[int(value) for value in re.findall(r"-?\d+", values)] for _, values in positions]
    if len({len(column) for column in columns}) != 1 or not columns[0]:
        raise InputError("the lists a0, a1, .. differ in length or are empty")
    if any(not -(2**31) <= value < 2**31 for column in columns for value in column):
        raise InputError("a number does not fit into 32 bits")
    return [list(example) for example in zip(*columns, strict=True)]
