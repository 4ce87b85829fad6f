"""What a model sees of a state and of the wanted output: a fixed set of yes-or-no features.

They tell the types of what is on the stack, facts about the values (`traits.py`), facts about them beside the output
(`relations.py`), and which operations would give the output now. Few features hold at once, so a view is the list of
their numbers. Does not import torch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lasynth.domains.lists.execution.kernels import evaluate, room_for
from lasynth.domains.lists.language.lexemes import DEEPEST, MOST_INPUTS
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.language.operations import OPERATIONS
from lasynth.domains.lists.learning import relations, traits
from lasynth.domains.lists.learning.programs import NONE, OPS, TAKEN, TYPES
from lasynth.domains.lists.learning.relations import (
    Facts,
    list_to_list,
    list_to_number,
    mask_to_any,
    number_to_list,
    number_to_number,
)
from lasynth.domains.lists.learning.traits import element_traits, list_traits, number_traits
from lasynth.domains.lists.learning.values import DEPTH, HEAD, INPUTS, LONGEST, PARTS, SHOWN, UNDEFINED, Rows
from lasynth.jit import compiled

SLOTS = SHOWN + MOST_INPUTS + 1
"""Values that are looked at: those on the stack, the top first; the inputs; the output."""
GOAL = SLOTS - 1
WIDE = LONGEST + 1
"""Cells of a slot in the arena: a length and elements, or a number."""
RELATED = np.array([0, 1, 2, SHOWN, SHOWN + 1, SHOWN + 2])
"""Slots of which relations to the output are told."""
DESCRIBED = np.array([0, 1, SHOWN, SHOWN + 1, GOAL])
"""Slots of which traits are told."""
ELEMENTS = np.array([[4, 2], [2, 1], [4, 2], [2, 1], [6, 3]])
"""How many first and last elements of each of them are told."""
PLACES = 9
KINDS = len(Type) + 2
"""Types, undefined, and nothing."""
MOST_TRIED = 64
"""Elements of a list that an operation may give when it is tried."""

L_L = 0
L_I = L_L + relations.LIST_TO_LIST
I_L = L_I + relations.LIST_TO_NUMBER
I_I = I_L + relations.NUMBER_TO_LIST
M_ANY = I_I + relations.NUMBER_TO_NUMBER
B_ANY = M_ANY + relations.MASK
RELATION = B_ANY + 2
"""Features of one relation."""
NUMBER = 0
LIST = NUMBER + traits.NUMBER
MEMBERS = LIST + traits.LIST
TRAIT = MEMBERS + PLACES * traits.ELEMENT
"""Features of the traits of one slot."""

DEPTHS = 0
KIND = DEPTHS + DEEPEST + 1
PAIR = KIND + SLOTS * KINDS
RELATIONS = PAIR + KINDS * KINDS
TRAITS = RELATIONS + len(RELATED) * RELATION
GIVES = TRAITS + len(DESCRIBED) * TRAIT
WITH_INPUT = GIVES + len(OPERATIONS)
ALIKE = WITH_INPUT + len(OPERATIONS)
FEATURES = ALIKE + 2
ROOM = 600
"""Upper limit of the number of features that hold at once."""
ARENA = SLOTS * WIDE + room_for(1, MOST_TRIED)


@compiled
def _lay_out(row: Rows, wanted: Rows, arena: NDArray[np.int32], types: NDArray[np.int64]) -> None:
    """Write the values of all slots into the arena, each at its slot's place, and their types; NONE for nothing.

    A list that is not stored as a whole is cut.
    """
    types[:] = NONE
    at = PARTS
    shown: Any = min(np.int64(row[DEPTH]), SHOWN)
    for number in range(shown + row[INPUTS]):
        slot = number if number < shown else SHOWN + number - shown
        at = _part(row, at, arena, slot, types)
    _part(wanted, PARTS, arena, GOAL, types)


@compiled
def _part(row: Rows, at: int, arena: NDArray[np.int32], slot: int, types: NDArray[np.int64]) -> int:
    """Write one part of a row into the arena; where the next one begins."""
    place = slot * WIDE
    stored: Any = min(np.int64(row[at + 1]), LONGEST)
    types[slot] = row[at]
    if row[at] == Type.LIST or row[at] == Type.MASK:
        arena[place] = stored
        place += 1
    for i in range(stored):
        arena[place + i] = row[at + HEAD + i]
    after: int = at + HEAD + stored
    return after


@compiled
def _cells(arena: NDArray[np.int32], slot: int, type_: int) -> NDArray[np.int64]:
    """The elements of a list or mask, or the number, in a slot."""
    begin = slot * WIDE
    if type_ == Type.LIST or type_ == Type.MASK:
        return arena[begin + 1 : begin + 1 + arena[begin]].astype(np.int64)
    return arena[begin : begin + 1].astype(np.int64)


@compiled
def _relate(arena: NDArray[np.int32], types: NDArray[np.int64], slot: int, base: int, out: Facts, n: int) -> int:
    type_, goal = types[slot], types[GOAL]
    x, y = _cells(arena, slot, type_), _cells(arena, GOAL, goal)
    if type_ == Type.LIST:
        if goal == Type.LIST:
            return list_to_list(x, y, base + L_L, out, n)
        return list_to_number(x, y[0], base + L_I, out, n)
    if type_ == Type.INT:
        if goal == Type.LIST:
            return number_to_list(x[0], y, base + I_L, out, n)
        return number_to_number(x[0], y[0], base + I_I, out, n)
    if type_ == Type.MASK:
        return mask_to_any(x, y, goal == Type.LIST, base + M_ANY, out, n)
    out[n] = base + B_ANY + x[0]
    return n + 1


@compiled
def _describe(
    arena: NDArray[np.int32], types: NDArray[np.int64], slot: int, i: int, base: int, out: Facts, n: int
) -> int:
    x = _cells(arena, slot, types[slot])
    if types[slot] == Type.LIST or types[slot] == Type.MASK:
        n = list_traits(x, len(x), base + LIST, out, n)
        return element_traits(x, ELEMENTS[i, 0], ELEMENTS[i, 1], base + MEMBERS, out, n)
    return number_traits(x[0], base + NUMBER, out, n)


@compiled
def _is_goal(arena: NDArray[np.int32], place: int, type_: int) -> bool:
    """Whether the value at a place is the output, which has the same type."""
    goal = GOAL * WIDE
    count = arena[goal] + 1 if type_ == Type.LIST else 1
    same = 0
    while same < count and arena[place + same] == arena[goal + same]:
        same += 1
    return same == count


@compiled
def _try(arena: NDArray[np.int32], types: NDArray[np.int64], out: Facts, n: int) -> int:
    """Which operations give the output if they come next."""
    places, gaps, end = np.zeros(3, np.int64), np.zeros(3, np.int64), SLOTS * WIDE
    for number in range(len(OPS)):
        taken, wanted = TAKEN[number], TYPES[number]
        fits = wanted[0] == types[GOAL]
        for i in range(taken):
            fits = fits and types[taken - 1 - i] == wanted[1 + i]
            places[i] = (taken - 1 - i) * WIDE
        if fits:
            after, undefined = evaluate(OPS[number], wanted, places, gaps, 1, arena, end, 1, MOST_TRIED)
            if after >= 0 and not undefined and _is_goal(arena, end, wanted[0]):
                out[n] = GIVES + number
                n += 1
    return n


@compiled
def _try_inputs(arena: NDArray[np.int32], types: NDArray[np.int64], out: Facts, n: int) -> int:
    """Which operations on the top of the stack and an input give the output."""
    places, gaps, end = np.zeros(3, np.int64), np.zeros(3, np.int64), SLOTS * WIDE
    for number in range(len(OPS)):
        wanted = TYPES[number]
        if TAKEN[number] != 2 or wanted[0] != types[GOAL] or wanted[1] != types[0]:
            continue
        for slot in range(SHOWN, GOAL):
            places[1] = slot * WIDE
            if types[slot] == wanted[2]:
                after, undefined = evaluate(OPS[number], wanted, places, gaps, 1, arena, end, 1, MOST_TRIED)
                if after >= 0 and not undefined and _is_goal(arena, end, wanted[0]):
                    out[n] = WITH_INPUT + number
                    n += 1
                    break
    return n


@compiled
def _see(row: Rows, wanted: Rows, arena: NDArray[np.int32], types: NDArray[np.int64], out: Facts) -> int:
    """Write the features that hold into `out`. Returns how many there are."""
    _lay_out(row, wanted, arena, types)
    depth: Any = np.int64(row[DEPTH])
    out[0] = DEPTHS + min(depth, DEEPEST)
    out[1] = PAIR + (types[0] + 1) * KINDS + types[1] + 1
    n = 2
    for slot in range(SLOTS):
        out[n] = KIND + slot * KINDS + types[slot] + 1
        n += 1
    for i in range(len(RELATED)):
        if types[RELATED[i]] != NONE and types[RELATED[i]] != UNDEFINED:
            n = _relate(arena, types, RELATED[i], RELATIONS + i * RELATION, out, n)
    for i in range(len(DESCRIBED)):
        if types[DESCRIBED[i]] != NONE and types[DESCRIBED[i]] != UNDEFINED:
            n = _describe(arena, types, DESCRIBED[i], i, TRAITS + i * TRAIT, out, n)
    if types[0] >= Type.LIST and types[1] >= Type.LIST and types[0] != UNDEFINED and types[1] != UNDEFINED:
        same = arena[0] == arena[WIDE]
        out[n] = ALIKE + int(same)
        n += 1
    n = _try(arena, types, out, n)
    return _try_inputs(arena, types, out, n)


@compiled
def _see_all(rows: Rows, wanted: Rows, out: Facts, begins: NDArray[np.int32]) -> int:
    arena, types = np.zeros(ARENA, np.int32), np.zeros(SLOTS, np.int64)
    n = 0
    for r in range(rows.shape[0]):
        begins[r] = n
        n += _see(rows[r], wanted[r], arena, types, out[n : n + ROOM])
    return n


_scratch = np.empty(0, np.int32)  # kept between calls, because allocating it takes longer than finding the features


def see(rows: Rows, wanted: Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The features of R states, one after the other, and where those of each begin. (R, CELLS) twice -> (N,), (R,)"""
    global _scratch
    if len(_scratch) < len(rows) * ROOM:
        _scratch = np.empty(len(rows) * ROOM, np.int32)
    begins = np.empty(len(rows), np.int32)
    count = _see_all(np.ascontiguousarray(rows), np.ascontiguousarray(wanted), _scratch, begins)
    return _scratch[:count].copy(), begins
