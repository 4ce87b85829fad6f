"""The model of lists that can be trained, by the name of its row. Does not import torch."""

from __future__ import annotations

from dataclasses import replace

from lasynth.config import LASYNTH_PLUS, ModelConfig

EXECUTED = replace(
    LASYNTH_PLUS,
    architecture="cursor",
    executor="real",
    execute_at="statement",
    execution_loss="final",
    hidden=192,
    embedding=64,
    decoder_hidden=192,
    layers=1,
)


def rows(preset: str) -> dict[str, ModelConfig]:
    """All rows, which are the same for every preset: `Executed` sees the real stack of every example at the cursor."""
    return {"Executed": EXECUTED}
