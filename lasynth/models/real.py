"""Real execution inside a model: the language's machine runs prefixes of programs, with tensors in and out.

The row `Executed` and the loss of mistakes use it.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from lasynth.domains.learnable import Machine, Values


def counting(reached: Tensor, present: Tensor) -> Tensor:
    """The present examples that reach the cursor; all present ones if none does. (B, K, ...) twice -> (B, K, ...)"""
    here = reached & present
    return torch.where(here.any(1, keepdim=True), here, present)


def distinct(task: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The first row of each distinct pair of a task and its values, and which of these each row has.

    (R,), (R, K, *) -> (D,), (R,)
    """
    keys = [part.cpu().numpy().reshape(len(task), -1).view(np.uint8) for part in (task, values.contiguous())]
    rows = np.concatenate(keys, 1)  # (R, bytes)
    _, first, inverse = np.unique(rows.view(np.dtype((np.void, rows.shape[1]))), return_index=True, return_inverse=True)
    return torch.from_numpy(first).to(task.device), torch.from_numpy(inverse.reshape(-1)).to(task.device)


class RealExecution:
    """A language's machine, called with tensors on any device."""

    def __init__(self, values: Values, machine: Machine) -> None:
        self.values, self.machine = values, machine
        self.alike = torch.from_numpy(machine.alike)
        """(V, V) of bool: which lexemes can replace which."""

    def states(self, tokens: Tensor, inputs: Tensor) -> Tensor:
        """Values at every statement end of programs. (B, T), (B, K, *) -> (B, S, K, *)"""
        states = self.machine.states(tokens.cpu().numpy(), inputs.cpu().numpy()).values
        return torch.from_numpy(states).to(inputs.device)

    def last_state(self, tokens: Tensor, inputs: Tensor) -> Tensor:
        """Values after prefixes that end with a statement. (B, T), (B, K, *) -> (B, K, *)"""
        return torch.from_numpy(self.machine.last_state(tokens.cpu().numpy(), inputs.cpu().numpy())).to(inputs.device)

    def differ(self, one: Tensor, other: Tensor) -> Tensor:
        """Which tasks have different values in at least one example. (B, K, *), (B, K, *) -> (B,) of bool"""
        same = torch.from_numpy(self.values.same(one.cpu().numpy(), other.cpu().numpy()))  # (B, K)
        return ~same.all(1).to(one.device)

    def examples_at_cursor(self, fed: Tensor, inputs: Tensor, present: Tensor, last: bool = False) -> Tensor:
        """Which examples reach the place of the next lexeme, after every lexeme or (`last`) only after the last one.

        If no example reaches it, all of them count. `fed` is BOS and the lexemes so far.
        (B, T), (B, K, *), (B, K) -> (B, K, T or 1) of bool
        """
        return counting(self.reached(fed, inputs, last), present.unsqueeze(-1))

    def reached(self, fed: Tensor, inputs: Tensor, last: bool = False) -> Tensor:
        """Which examples, absent ones too, reach the place of the next lexeme. (B, T), (B, K, *) -> (B, K, T or 1)"""
        begin = fed.shape[1] - 2 if last else 0
        tokens = fed[:, 1:].cpu().numpy()
        reached = torch.from_numpy(self.machine.reaching(tokens, inputs.cpu().numpy(), max(0, begin)))
        reached = reached.to(inputs.device)
        if begin <= 0:
            reached = F.pad(reached, (1, 0), value=True)  # before the first lexeme
        return reached[..., -1:] if last else reached
