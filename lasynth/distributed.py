"""Several processes that train one model: who am I, agree on numbers, average gradients. With one process, does nothing.

`torchrun` says in the environment how many there are. Gradients are averaged in one message after each step, by torch's own
collectives. Its wrapper DistributedDataParallel sends them in parts while others are still computed, which pays where a
message takes long; that of the preset `cpu` is of some MB (`paper`: a quarter of a GB), and their loss is not the one call of
a module that a wrapper can watch. Knows no model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

T = TypeVar("T")


def device() -> torch.device:
    """A graphics card of its own for each process of a machine, or the processor."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())


@dataclass(frozen=True)
class Group:
    """The processes of one run."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks to the user."""
        return self.rank == 0

    def mean(self, numbers: Sequence[float]) -> list[float]:
        """The mean of each number over all processes; the same everywhere."""
        if self.size == 1:
            return list(numbers)
        message = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(message)
        result: list[float] = (message / self.size).tolist()
        return result

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Right for losses that are means over tasks, since all processes have equally many."""
        if self.size == 1:
            return
        parameters = list(parameters)
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        message = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(message)
        message /= self.size
        for gradient, part in zip(gradients, torch.split(message, [g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def from_leader(self, value: T) -> T:
        """What the leader has, on all processes."""
        if self.size == 1:
            return value
        message = [value]
        dist.broadcast_object_list(message, src=0)
        return message[0]


@contextmanager
def processes() -> Iterator[Group]:
    """The group that `torchrun` started, or this process alone."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Group()
        return
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield Group(dist.get_rank(), size)
        dist.barrier()  # the leader still validates and writes when the others are done; one that left early may abort
    finally:
        dist.destroy_process_group()
