"""The memory of this process."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path


def give_back_memory() -> None:
    """Return free memory to the system, where the C library can (glibc).

    Batches have tensors of ever new sizes, and the C library keeps what they leave free. A training of Karel's `Exec`
    grew by 80 MB a minute.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def own_memory() -> int | None:
    """Bytes of memory that belong to this process alone, without mapped files. None where the system does not tell."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon:")), None)
