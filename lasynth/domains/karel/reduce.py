"""Smaller Karel programs that do the same on given worlds: a greedy search like C-Reduce's, compiled, on lexemes.

Tries to drop up to four neighbouring statements, to replace a statement by its block, and to replace an ifelse by an if
with one of its branches, until no change keeps the outcomes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.karel.grammar import CONDITION, COUNT, ELSE, END_IF, END_REPEAT, IF, IFELSE, REPEAT
from lasynth.domains.karel.machine import AREA, HEADING, OK, PLACE, REPORT, STATUS, bytecode, execute, run_worlds
from lasynth.jit import compiled

CHUNK = 4
"""The most statements that one change drops."""
UNWRAP, UNWRAP_ELSE, KEEP_ELSE, KEEP_THEN = range(4)
"""Replace a control statement by its first block, by its else block, by an if with the else block, by an if with the
first block."""
CHANGES = CHUNK + 4
"""Changes that are tried at each statement."""


@compiled
def statement_end(tokens: NDArray[np.int64], start: int) -> int:
    """The index after the statement that begins at `start`."""
    depth, i = 0, start
    while True:
        token = tokens[i]
        if REPEAT <= token <= IFELSE:
            depth += 1
            i += 2
            continue
        if token >= END_REPEAT and token != ELSE:
            depth -= 1
        i += 1
        if depth == 0:
            return i


@compiled
def _else_place(tokens: NDArray[np.int64], start: int) -> int:
    """The index of the ELSE of the ifelse that begins at `start`."""
    i = start + 2
    while tokens[i] != ELSE:
        i = statement_end(tokens, i)
    return i


@compiled
def _opposite(condition: int) -> int:
    """The lexeme of the opposite condition; markersPresent and noMarkersPresent are opposites, without `not`."""
    test = condition - CONDITION
    if test == 3 or test == 4:
        return CONDITION + 7 - test
    return CONDITION + (test + 5) % 10


@compiled
def _is_statement(tokens: NDArray[np.int64], i: int) -> bool:
    return bool(i < tokens.size and tokens[i] < COUNT)


@compiled
def _drop(tokens: NDArray[np.int64], start: int, chunk: int, out: NDArray[np.int64]) -> int:
    """Drop `chunk` statements from `start` on, into `out`; gives the length.

    0 if the block has fewer statements or would be empty.
    """
    end = start
    for _ in range(chunk):
        if not _is_statement(tokens, end):
            return 0
        end = statement_end(tokens, end)
    opens = start == 0 or COUNT <= tokens[start - 1] < END_REPEAT or tokens[start - 1] == ELSE
    if opens and not _is_statement(tokens, end):
        return 0
    return _splice(tokens, start, end, tokens[:0], out)


@compiled
def _splice(tokens: NDArray[np.int64], start: int, end: int, middle: NDArray[np.int64], out: NDArray[np.int64]) -> int:
    """Write `tokens` with tokens[start:end] replaced by `middle` into `out`; gives the length."""
    rest = start + middle.size
    size = rest + tokens.size - end
    out[:start] = tokens[:start]
    out[start:rest] = middle
    out[rest:size] = tokens[end:]
    return size


@compiled
def _edit(tokens: NDArray[np.int64], start: int, edit: int, out: NDArray[np.int64]) -> int:
    """Make one change to the control statement at `start`, into `out`; gives the length, or 0 if it is not possible."""
    kind = tokens[start]
    if kind < REPEAT or (edit != UNWRAP and kind != IFELSE):
        return 0
    end = statement_end(tokens, start)
    middle = _else_place(tokens, start) if kind == IFELSE else end - 1
    if edit == UNWRAP:
        return _splice(tokens, start, end, tokens[start + 2 : middle], out)
    if edit == UNWRAP_ELSE:
        return _splice(tokens, start, end, tokens[middle + 1 : end - 1], out)
    new = tokens[start:end].copy()
    new[0] = IF
    if edit == KEEP_ELSE:
        new[1] = _opposite(tokens[start + 1])
        size = end - middle  # head of two lexemes, the else branch, one closing
        new[2 : size + 1] = tokens[middle + 1 : end]
        size += 1
    else:  # KEEP_THEN
        size = middle - start + 1
    new[size - 1] = END_IF
    return _splice(tokens, start, end, new[:size], out)


@compiled
def _agrees(
    tokens: NDArray[np.int64],
    grids: NDArray[np.uint8],
    heroes: NDArray[np.int64],
    limit: int,
    reports: NDArray[np.int64],
    results: NDArray[np.uint8],
) -> bool:
    """Whether a program has the given outcome on each world: the same status and, if that is OK, the same world."""
    code = bytecode(tokens)
    grid, report = np.empty(AREA, dtype=np.uint8), np.empty(REPORT, dtype=np.int64)
    for w in range(grids.shape[0]):
        grid[:] = grids[w]
        status = execute(code, grid, heroes[w, 0], heroes[w, 1], limit, report)
        if status != reports[w, STATUS]:
            return False
        if status == OK:
            if report[PLACE] != reports[w, PLACE] or report[HEADING] != reports[w, HEADING]:
                return False
            for i in range(AREA):
                if grid[i] != results[w, i]:
                    return False
    return True


@compiled
def _candidate(tokens: NDArray[np.int64], start: int, number: int, out: NDArray[np.int64]) -> int:
    """Make the `number`th of the CHANGES at `start`; gives the length, or 0 if it is not possible."""
    if number < CHUNK:
        return _drop(tokens, start, CHUNK - number, out)
    return _edit(tokens, start, number - CHUNK, out)


@compiled
def reduce_tokens(
    tokens: NDArray[np.int64], grids: NDArray[np.uint8], heroes: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """The smallest program found with the same outcome on each world. Reducing it again changes nothing."""
    reports = np.zeros((grids.shape[0], REPORT), dtype=np.int64)
    results = np.empty((grids.shape[0], AREA), dtype=np.uint8)
    run_worlds(bytecode(tokens), grids, heroes, limit, reports, results)
    current, out = tokens.copy(), np.empty(tokens.size + 1, dtype=np.int64)
    changed = True
    while changed:
        changed = False
        start = 0
        while start < current.size:
            number = 0
            while start < current.size and number < CHANGES:
                size = _candidate(current, start, number, out) if _is_statement(current, start) else 0
                if size > 0 and _agrees(out[:size], grids, heroes, limit, reports, results):
                    current = out[:size].copy()
                    changed, number = True, 0
                else:
                    number += 1
            start += 2 if start < current.size and REPEAT <= current[start] <= IFELSE else 1
    return current
