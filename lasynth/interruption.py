"""Turns interruptions of compiled code back into KeyboardInterrupt.

Imports the standard library only, because the command line uses it while it loads everything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt where compiled code made a SystemError of it.

    That happens if Ctrl-C arrives while compiled code returns its result. Several SystemErrors may be chained.
    """
    try:
        yield
    except SystemError as error:
        reason: BaseException | None = error
        while reason is not None and not isinstance(reason, KeyboardInterrupt):
            reason = reason.__cause__
        if reason is None:
            raise
        raise KeyboardInterrupt from error
