"""Programs from input-output examples. `import lasynth` is fast: it loads neither torch nor compiled code."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasynth.solver import Answer as Answer
    from lasynth.solver import Solution as Solution
    from lasynth.solver import solve as solve

__version__ = "0.1.0"
__all__ = ["Answer", "Solution", "__version__", "solve"]


def __getattr__(name: str) -> Any:
    """Load the solver on first use."""
    if name in ("Answer", "Solution", "solve"):
        return getattr(import_module("lasynth.solver"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
