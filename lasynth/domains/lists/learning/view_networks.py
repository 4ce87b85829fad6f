"""The network of the cursor model: what it sees of a state."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.domains.lists.learning.view import FEATURES, see


class StackView(nn.Module):
    """Encodes a state of the stack and the wanted output. The `lasynth.models.cursor.View` of lists.

    The first layer adds up the embeddings of the features that hold. Few do, so this is far cheaper than a product.
    """

    def __init__(self, hidden: int, size: int) -> None:
        super().__init__()
        self.seen = nn.EmbeddingBag(FEATURES, hidden, mode="sum")
        nn.init.normal_(self.seen.weight, std=0.1)  # about seventy features hold at once
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.deeper = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, size)

    def forward(self, states: Tensor, outputs: Tensor) -> Tensor:
        """(R, K, CELLS) twice -> (R, K, size)"""
        rows, examples, width = states.shape
        features, begins = see(states.reshape(-1, width).cpu().numpy(), outputs.reshape(-1, width).cpu().numpy())
        device = self.bias.device
        held = self.seen(torch.from_numpy(features).to(device), torch.from_numpy(begins).to(device))
        known = F.relu(held + self.bias)
        known = known + F.relu(self.deeper(known))
        seen: Tensor = self.output(known)
        return seen.view(rows, examples, -1)
