"""Half precision where it works: bfloat16 is asked for by settings, and used only if this processor can do it.

Processors without AVX-512 refuse bfloat16 in recurrent layers; there everything stays in float32, which is fast on them.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache

import torch


@cache
def bf16_works(device: str) -> bool:
    """Whether this kind of device computes recurrent layers in bfloat16, found out by trying a small one."""
    lstm = torch.nn.LSTM(1, 1).to(device)
    try:
        with torch.autocast(device, torch.bfloat16), torch.inference_mode():
            lstm(torch.zeros(1, 1, 1, device=device))
    except RuntimeError:
        return False
    return True


def half_precision(device: torch.device, wanted: bool) -> AbstractContextManager[object]:
    """A context that computes in bfloat16 if that is wanted and works."""
    if wanted and bf16_works(device.type):
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()
