"""The network of the cursor model: what the robot sees."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lasynth.domains.karel.learning.view import FEATURES, see


class EgocentricView(nn.Module):
    """Encodes a world and the wanted one as the robot sees them. Karel's `lasynth.models.cursor.StateEncoder`.

    The first layer adds up the embeddings of the features that hold. Few do, so this is far cheaper than a product.
    """

    def __init__(self, hidden: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.seen = nn.EmbeddingBag(FEATURES, hidden, mode="sum")
        nn.init.normal_(self.seen.weight, std=0.1)  # about a hundred features hold at once
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.deeper = nn.Linear(hidden, hidden)
        self.output = nn.Linear(hidden, size)

    def forward(self, states: Tensor, outputs: Tensor) -> Tensor:
        """(R, K, BYTES) twice -> (R, K, size)"""
        rows, examples, width = states.shape
        features, begins = see(states.reshape(-1, width).cpu().numpy(), outputs.reshape(-1, width).cpu().numpy())
        device = self.bias.device
        held = self.seen(torch.from_numpy(features).to(device), torch.from_numpy(begins).to(device))
        known = F.relu(held + self.bias)
        known = known + F.relu(self.deeper(known))
        seen: Tensor = self.output(known)
        return seen.view(rows, examples, -1)
