"""Half precision: bfloat16 is used if the settings ask for it and the processor supports it.

Processors without AVX-512 do not support bfloat16 in recurrent layers. On them everything is computed in float32.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

import torch


@cache
def bf16_works(device: str) -> bool:
    """Whether this type of device computes recurrent layers in bfloat16. Tries a small layer to find out."""
    lstm = torch.nn.LSTM(1, 1).to(device)
    try:
        with torch.autocast(device, torch.bfloat16), torch.inference_mode():
            lstm(torch.zeros(1, 1, 1, device=device))
    except RuntimeError:
        return False
    return True


def half_precision(device: torch.device, wanted: bool) -> AbstractContextManager[object]:
    """A context that computes in bfloat16 if `wanted` and supported, else in float32."""
    if wanted and bf16_works(device.type):
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()
