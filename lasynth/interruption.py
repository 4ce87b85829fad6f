"""An interruption stays one. Needs the standard library alone: the command line is under it while it loads the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Compiled code that is interrupted where it hands over its result makes a SystemError of it, several in a row; out of
    here comes a KeyboardInterrupt again."""
    try:
        yield
    except SystemError as error:
        reason: BaseException | None = error
        while reason is not None and not isinstance(reason, KeyboardInterrupt):
            reason = reason.__cause__
        if reason is None:
            raise
        raise KeyboardInterrupt from error
