"""Memory that is free goes back to the system."""

from __future__ import annotations

import pytest

from lasynth.memory import give_back_memory, own_memory

PIECE, PIECES = 60_000, 4_000


def test_free_memory_is_given_back() -> None:
    before = own_memory()
    if before is None:
        pytest.skip("this system does not tell how much memory a process has")
    kept = [bytes(PIECE) for _ in range(PIECES)]  # too small for a mapping of their own
    del kept[1::2], kept[: PIECES // 2 - 1]  # the last one holds the heap's end
    give_back_memory()
    after = own_memory()
    assert after is not None
    assert after - before < 0.1 * PIECE * PIECES
    assert len(kept) == 1
