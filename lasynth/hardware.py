"""A description of the machine, to be stored with measurements."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def hardware() -> dict[str, str | int | None]:
    """The processor, the number of cores and the version of Python."""
    file = Path("/proc/cpuinfo")  # Linux only; elsewhere the name of the architecture is used
    lines = file.read_text().splitlines() if file.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
