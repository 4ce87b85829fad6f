"""All values that the search has made: arrays that grow, and a hash table that finds equal values.

Two values are equal if they are so in all examples. Only the first of equal values, the cheapest one, is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lasynth.jit import compiled

ENTRIES, ARENA_END, HITS, TRIED, WANTED = range(5)
"""Places in `Bank.counts`."""
FIRST_ENTRIES, FIRST_ARENA, FIRST_SLOTS = 1 << 20, 1 << 26, 1 << 17
"""First sizes of the arrays. Cells take memory only when they are written, so entries and arena begin large. Slots are
written at random, so they begin small."""
MOST_HITS = 512
K1, K2, K3 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD
"""Odd numbers whose products mix bits well."""


class Bank(NamedTuple):
    """Entries are numbered as they are found, so the cheap ones come first. N entries, S slots."""

    operation: NDArray[np.int16]
    """(N,) number of the operation; -1 for a leaf, whose number is the first argument."""
    arguments: NDArray[np.int32]
    """(N, 3) entries."""
    cost: NDArray[np.int16]
    type: NDArray[np.int8]
    place: NDArray[np.int64]
    """(N,) where the value begins in the arena."""
    gaps: NDArray[np.int64]
    """(N,) the set of examples in which it is undefined."""
    fixed: NDArray[np.int8]
    """(N,) whether it depends on no input."""
    right: NDArray[np.int64]
    """(N,) the set of examples in which it is the wanted output."""
    arena: NDArray[np.int32]
    keys: NDArray[np.uint64]
    """(S, 2) hashes; (0, 0) is a free slot."""
    slots: NDArray[np.int32]
    """(S,) the entry with that hash."""
    wanted_keys: NDArray[np.uint64]
    """(S, 2) hashes of values that would complete a known value to the output."""
    wanted: NDArray[np.int32]
    """(S, 2) which operation completes, and which known value."""
    hits: NDArray[np.int32]
    """(H, 5) programs that fit: operation, three entries, cost."""
    counts: NDArray[np.int64]


def new_bank() -> Bank:
    n, s = FIRST_ENTRIES, FIRST_SLOTS
    return Bank(
        np.zeros(n, np.int16), np.zeros((n, 3), np.int32), np.zeros(n, np.int16), np.zeros(n, np.int8),
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int8), np.zeros(n, np.int64),
        np.zeros(FIRST_ARENA, np.int32),
        np.zeros((s, 2), np.uint64), np.zeros(s, np.int32), np.zeros((s, 2), np.uint64), np.zeros((s, 2), np.int32),
        np.zeros((MOST_HITS, 5), np.int32), np.zeros(8, np.int64),
    )  # fmt: skip


def grown(bank: Bank, entries: int, room: int) -> Bank:
    """The bank with space for so many more entries, so many cells in the arena, and tables that are at most half
    full."""
    used, end, wanted = (int(bank.counts[i]) for i in (ENTRIES, ARENA_END, WANTED))
    if used + entries > len(bank.operation):
        longer = max(2 * len(bank.operation), used + entries)
        names = ("operation", "arguments", "cost", "type", "place", "gaps", "fixed", "right")
        bank = bank._replace(**{name: _longer(getattr(bank, name), longer) for name in names})
    if end + room > len(bank.arena):
        bank = bank._replace(arena=_longer(bank.arena, max(2 * len(bank.arena), end + room)))
    if 2 * (used + entries) > len(bank.slots):
        keys, slots = np.zeros((4 * len(bank.slots), 2), np.uint64), np.zeros(4 * len(bank.slots), np.int32)
        rehash(bank.keys, bank.slots.reshape(-1, 1), keys, slots.reshape(-1, 1))
        bank = bank._replace(keys=keys, slots=slots)
    if 2 * (wanted + 8 * entries) > len(bank.wanted):
        keys, told = np.zeros((4 * len(bank.wanted), 2), np.uint64), np.zeros((4 * len(bank.wanted), 2), np.int32)
        rehash(bank.wanted_keys, bank.wanted, keys, told)
        bank = bank._replace(wanted_keys=keys, wanted=told)
    return bank


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array with zeros behind it; they take no memory until they are written."""
    more = np.zeros((length, *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    return more


def size_in_bytes(bank: Bank) -> int:
    """About how many bytes of memory are in use."""
    per_entry = sum(bank[i].itemsize * int(np.prod(bank[i].shape[1:])) for i in range(8))
    tables = sum(array.nbytes for array in bank[9:13])
    return per_entry * int(bank.counts[ENTRIES]) + 4 * int(bank.counts[ARENA_END]) + tables


@compiled
def rehash(
    keys: NDArray[np.uint64], told: NDArray[np.int32], more_keys: NDArray[np.uint64], more_told: NDArray[np.int32]
) -> None:
    for i in range(len(keys)):
        if keys[i, 0] or keys[i, 1]:
            slot = find(more_keys, keys[i, 0], keys[i, 1])
            more_keys[slot, 0], more_keys[slot, 1] = keys[i, 0], keys[i, 1]
            for j in range(told.shape[1]):
                more_told[slot, j] = told[i, j]


@compiled
def find(keys: NDArray[np.uint64], one: Any, other: Any) -> Any:
    """The slot that holds a hash, or the free one where it belongs."""
    mask = np.uint64(len(keys) - 1)
    slot = one & mask
    while (keys[slot, 0] != one or keys[slot, 1] != other) and (keys[slot, 0] or keys[slot, 1]):
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@compiled
def digest(arena: NDArray[np.int32], begin: int, end: int, type_: int, gaps: int) -> tuple[Any, Any]:
    """A hash of 128 bits of the cells `arena[begin:end]`, the type and the gaps; never (0, 0)."""
    one = np.uint64(K3) ^ (np.uint64(type_) * np.uint64(K2))
    other = np.uint64(K2) ^ (np.uint64(gaps) * np.uint64(K1))
    for i in range(begin, end):
        x = np.uint64(arena[i]) + np.uint64(K1)
        one = (one ^ x) * np.uint64(K1)
        one ^= one >> np.uint64(29)
        other = (other + x) * np.uint64(K3)
        other ^= other >> np.uint64(32)
    one = (one ^ (one >> np.uint64(33))) * np.uint64(K2)
    other = (other ^ (other >> np.uint64(31))) * np.uint64(K1)
    one ^= one >> np.uint64(29)
    other ^= other >> np.uint64(33)
    return one, other | np.uint64(1)
