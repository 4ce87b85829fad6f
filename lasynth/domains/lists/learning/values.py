"""Values, and states of the stack, as rows of cells: how batches store them, and how to compare them.

A row has CELLS numbers of 16 bits. The first cell is the depth of the stack (0 for a value), the second the number of
inputs. Then come the values on top of the stack, at most SHOWN, the top first, and then the inputs. Each has a cell for
its type, one for its length, and its elements. So a state holds the inputs of its program, too. An output is the only
input of its row. A value that does not fit is the negative of a reason in the second cell. Does not import torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.config import ValueConfig
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.lexemes import MOST_INPUTS
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.values import Value, bind, parameters_of, parts_of
from lasynth.jit import compiled
from lasynth.task import InputError

Rows = NDArray[np.int16]
LONGEST = 32
"""Elements of a list that are stored."""
MOST_NUMBERS = 48
"""Numbers of all inputs of an example together."""
LARGEST = 32_767
SHOWN = 3
"""Values on the stack that a state shows: no operation takes more."""
DEPTH, INPUTS, PARTS = range(3)
"""Places in a row. PARTS is where the values begin."""
HEAD = 2
"""Cells of a part before its elements: its type and its length."""
CELLS = PARTS + SHOWN * (HEAD + LONGEST) + MOST_INPUTS * HEAD + MOST_NUMBERS
UNDEFINED = len(Type)
"""Type of a value on the stack that has none, because of a fault."""
REASONS = (
    f"the model takes at most {MOST_INPUTS} inputs",
    f"the model takes lists of at most {LONGEST} elements",
    f"the model takes at most {MOST_NUMBERS} numbers in the inputs of an example",
    f"the model takes numbers from -{LARGEST:,} to {LARGEST:,}",
)
INPUTS_REASON, LENGTH_REASON, NUMBERS_REASON, LARGEST_REASON = range(1, 1 + len(REASONS))


@dataclass(frozen=True)
class StackConfig(ValueConfig):
    """The values that a model represents. The limits are the same for all models, so there are no settings."""


@compiled
def pack_one(
    is_list: NDArray[np.bool_], ends: NDArray[np.int64], begin: int, numbers: NDArray[np.int32], row: Rows
) -> None:
    """Write one value, given its parts: whether each is a list, and where its numbers end. `begin` is where they
    begin."""
    row[:] = 0
    reason, start = 0, begin
    if len(is_list) > MOST_INPUTS:
        reason = INPUTS_REASON
    for part in range(len(is_list)):
        if ends[part] - start > LONGEST:
            reason = reason or LENGTH_REASON
        start = ends[part]
    if ends[-1] - begin > MOST_NUMBERS:
        reason = reason or NUMBERS_REASON
    at, start = PARTS, begin
    for part in range(0 if reason else len(is_list)):
        count = ends[part] - start
        row[at], row[at + 1] = Type.LIST if is_list[part] else Type.INT, count
        for i in range(count):
            if abs(np.int64(numbers[start + i])) > LARGEST:
                reason = LARGEST_REASON
                break
            row[at + HEAD + i] = numbers[start + i]
        at, start = at + HEAD + count, ends[part]
    row[INPUTS] = len(is_list)
    if reason:
        row[:] = 0
        row[INPUTS] = -reason


@compiled
def pack_all(
    parts: NDArray[np.int64], is_list: NDArray[np.bool_], ends: NDArray[np.int64], numbers: NDArray[np.int32]
) -> Rows:
    """Rows of many values: where the parts of each begin and end, then the parts themselves as in `pack_one`."""
    rows = np.zeros((len(parts) - 1, CELLS), np.int16)
    for n in range(len(rows)):
        first, last = parts[n], parts[n + 1]
        pack_one(is_list[first:last], ends[first:last], ends[first - 1] if first else 0, numbers, rows[n])
    return rows


@compiled
def _same(one: Rows, other: Rows) -> bool:
    """Whether the values of two rows are equal: what is on the stack, or for an empty stack the inputs."""
    mine = one[DEPTH] or one[INPUTS]
    if mine < 0 or mine != (other[DEPTH] or other[INPUTS]):
        return False
    at = PARTS
    for _ in range(min(mine, SHOWN) if one[DEPTH] or other[DEPTH] else mine):
        if one[at] == UNDEFINED or one[at] != other[at] or one[at + 1] != other[at + 1]:
            return False
        stored: Any = min(np.int64(one[at + 1]), LONGEST)
        for i in range(HEAD, HEAD + stored):
            if one[at + i] != other[at + i]:
                return False
        at += HEAD + stored
    return True


@compiled
def _all_same(one: Rows, other: Rows) -> NDArray[np.bool_]:
    found = np.zeros(len(one), np.bool_)
    for n in range(len(one)):
        found[n] = _same(one[n], other[n])
    return found


class StackValues:
    """The `lasynth.domains.learnable.Values` of lists. The trailing axis is (CELLS,)."""

    def read(self, column: Any) -> Rows:
        """(N, K, CELLS). InputError if the tasks differ in their number of examples."""
        examples, values = column.value_lengths().to_numpy(), column.flatten()
        if np.unique(examples).size > 1:
            raise InputError("the tasks differ in their number of examples")
        parts = values.flatten()
        is_list = parts.field("is_list").to_numpy(zero_copy_only=False)
        numbers = parts.field("numbers")
        counts = np.concatenate([[0], np.cumsum(values.value_lengths().to_numpy())]).astype(np.int64)
        ends = np.cumsum(numbers.value_lengths().to_numpy()).astype(np.int64)
        rows = pack_all(counts, is_list, ends, numbers.flatten().to_numpy().astype(np.int32))
        return rows.reshape(len(examples), examples[0] if len(examples) else 0, CELLS)

    def pack(self, values: Sequence[Value]) -> Rows:
        """Inputs by name come in the order of the first value.

        Needs no compiled code: `solve` asks early whether a model can take its examples.
        """
        parameters = parameters_of(values[0]) if len(values) else ()
        parts = [bind(parameters, value) if isinstance(value, dict) else parts_of(value) for value in values]
        return np.array([_cells(row) for row in parts], np.int16).reshape(-1, CELLS)

    def same(self, one: Rows, other: Rows) -> NDArray[np.bool_]:
        shape = np.broadcast_shapes(one.shape, other.shape)
        flat = [np.array(np.broadcast_to(side, shape)).reshape(-1, CELLS) for side in (one, other)]
        found: NDArray[np.bool_] = _all_same(*flat)
        return found.reshape(shape[:-1])

    def refusal(self, config: ValueConfig, values: Rows) -> str | None:
        worst = int(values[..., INPUTS].min(initial=0))
        return None if worst >= 0 else REASONS[-worst - 1]

    def inside(self, config: ValueConfig, values: Rows) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = values[..., INPUTS] >= 0
        return found

    def sample(self, config: ValueConfig) -> Rows:
        sample: Rows = self.pack([[1, 2]])[0]
        return sample


def _cells(parts: Sequence[Basic]) -> list[int]:
    """As `pack_one`."""
    lists = [part if isinstance(part, list) else [part] for part in parts]
    reasons = (
        len(parts) > MOST_INPUTS,
        any(len(numbers) > LONGEST for numbers in lists),
        sum(map(len, lists)) > MOST_NUMBERS,
        any(abs(number) > LARGEST for numbers in lists for number in numbers),
    )
    if any(reasons):
        return [0, -1 - reasons.index(True), *[0] * (CELLS - PARTS)]
    cells = [0, len(parts)]
    for part, numbers in zip(parts, lists, strict=True):
        cells += [int(Type.LIST if isinstance(part, list) else Type.INT), len(numbers), *numbers]
    return cells + [0] * (CELLS - len(cells))
