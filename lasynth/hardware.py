"""The machine that a figure was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def hardware() -> dict[str, str | int | None]:
    """Processor, cores and Python, as they go beside figures."""
    file = Path("/proc/cpuinfo")  # where there is none, the architecture must do
    lines = file.read_text().splitlines() if file.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
