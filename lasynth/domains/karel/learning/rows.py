"""The models of Karel that can be trained, by the names of their rows. Does not import torch."""

from __future__ import annotations

from lasynth.config import ModelConfig

ROWS = {
    "Executed": ModelConfig(
        architecture="cursor", executor="real", execute_at="statement", latent_view="beside", operation_predictor=False,
        token_attention=False, decoder="shared", input_feeding=False, hidden=256, embedding=64, decoder_hidden=256,
        layers=1,
    ),
}  # fmt: skip
"""`Executed` is our own row: it looks at the real state of every example at the cursor."""
