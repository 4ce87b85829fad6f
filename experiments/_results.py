"""What the experiments share: figures go to the terminal, and to a file if one is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def show(figures: dict[str, Any], out: Path | None) -> None:
    text = json.dumps(figures, indent=1)
    print(text)
    if out:
        out.write_text(text + "\n")
