"""The models of Karel that can be trained, by the names of their rows. Does not import torch."""

from __future__ import annotations

from dataclasses import replace

from lasynth.config import LASYNTH_PLUS, ModelConfig

LASYNTH = ModelConfig(operation_predictor=False)
EXECUTED = replace(
    LASYNTH_PLUS,
    architecture="cursor",
    executor="real",
    execute_at="statement",
    execution_loss="final",
    hidden=256,
    embedding=64,
    decoder_hidden=256,
    layers=1,
)
BUNEL = replace(LASYNTH, architecture="pooled", executor="none", embedding=256, decoder_hidden=256)
SHIN = replace(BUNEL, architecture="world_traces", hidden=256)
ROWS = {
    "Bunel": BUNEL,
    "Shin": SHIN,
    "LaSynth": LASYNTH,
    "NoPartialExecutor": replace(LASYNTH, executor="final"),
    "NoExecutor": replace(LASYNTH, executor="none"),
    "Exec": replace(LASYNTH, executor="real", execute_at="statement", token_attention=False),
    "LaSynth+": replace(EXECUTED, architecture="imagined", executor="partial"),
    "Executed": EXECUTED,
}
"""Rows of the paper's table of Karel (Bunel et al. 2018, Shin et al. 2018, and under the paper's own names), and two of
our own: `Executed`, which looks at the real state of every example at the cursor, and `LaSynth+`, which does the same
with states that it imagines."""


def rows(preset: str) -> dict[str, ModelConfig]:
    """All rows at a preset's size."""
    return ROWS if preset == "paper" else {name: _cpu(config) for name, config in ROWS.items()}


def _cpu(config: ModelConfig) -> ModelConfig:
    """What two cores can train: small, all lexemes of a program at once, latent execution outside of blocks only."""
    if config.architecture in ("cursor", "imagined"):
        return config
    if config.architecture == "world_traces":
        config = replace(config, architecture="traces")
    if config.architecture in ("pooled", "traces"):
        return replace(config, hidden=128, embedding=64, decoder_hidden=128, layers=1, channels=16)
    return replace(
        config,
        execute_at="statement" if config.executor == "real" else "outer",
        executor_network="whole",
        input_feeding=False,
        decoder="shared",
        overview=256,
        hidden=128,
        embedding=64,
        decoder_hidden=256,
        layers=1,
        channels=16,
    )
