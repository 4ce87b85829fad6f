"""Several processes that train one model: the rank of each, means over all of them, and averaged gradients.

The environment says how many processes there are; `torchrun` and `launcher` set its variables. Torch's
DistributedDataParallel averages the gradients and gives all processes the leader's initial weights. With one process
nothing is exchanged. Does not depend on a model.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import PrefixStore, Store  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from lasynth.task import InputError

T = TypeVar("T")
PATIENCE = timedelta(minutes=30)
"""How long a process waits for the others, at the start and for each message. It is long because the leader validates
and writes checkpoints while the others wait. A dead process is noticed at once, because its connections close."""


_groups = itertools.count()
"""Numbers the groups that this process joins, one after the other."""


def device() -> torch.device:
    """The device of this process: its own graphics card if the machine has one, else the processor."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())


def is_worker() -> bool:
    """Whether `torchrun` or `launcher` started this process."""
    return "WORLD_SIZE" in os.environ


def rank() -> int:
    """The number of this process in its group. Process 0 leads."""
    return int(os.environ.get("RANK", "0"))


def group_size() -> int:
    """How many processes the group of this process has."""
    return int(os.environ.get("WORLD_SIZE", "1"))


@dataclass(frozen=True)
class Group:
    """The processes of one run."""

    rank: int = 0
    size: int = 1
    restarts: int = 0
    """How often the group was started again after one of its processes died."""

    @property
    def leads(self) -> bool:
        """Whether this process writes files and reports to the user."""
        return self.rank == 0

    def mean(self, numbers: Sequence[float]) -> list[float]:
        """The mean of each number over all processes. All processes get the same result."""
        if self.size == 1:
            return list(numbers)
        message = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(message)
        result: list[float] = (message / self.size).tolist()
        return result

    def averaged(self, module: nn.Module, device: torch.device) -> nn.Module:
        """The module with gradients averaged over all processes. It gets the leader's weights.

        This is correct for losses that are means over tasks, because all processes have equally many tasks. Some
        parameters may have no gradient; which ones depends on the model and the batch.
        """
        if self.size == 1:
            return module
        cards = [device.index] if device.type == "cuda" else None
        return DistributedDataParallel(module, cards, find_unused_parameters=True, gradient_as_bucket_view=True)

    def from_leader(self, read: Callable[[], T]) -> T:
        """Send what the leader reads to all processes. An InputError of the leader is raised on all of them."""
        if self.size == 1:
            return read()
        message: list[T | InputError | None] = [None]
        if self.leads:
            try:
                message = [read()]
            except InputError as error:
                message = [error]
        dist.broadcast_object_list(message, src=0)
        if isinstance(message[0], InputError):
            raise message[0]
        return message[0]  # type: ignore[return-value]


@contextmanager
def processes() -> Iterator[Group]:
    """The group that the environment describes, or this process alone."""
    size, restarts = group_size(), int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    if torch.cuda.is_available():
        torch.cuda.set_device(device())
    if size == 1:
        yield Group(restarts=restarts)
        return
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, store=_store(restarts), rank=rank(), world_size=size, timeout=PATIENCE)
    try:
        yield Group(rank(), size, restarts)
        dist.barrier()  # wait for the leader, which still validates and writes: leaving early may abort it
    finally:
        dist.destroy_process_group()


def _store(restarts: int) -> Store:
    """The store in which the processes find each other's addresses.

    Addresses of an earlier group are useless: the processes are dead, or have left it. So each group of these processes
    uses its own prefix in the store. `torchrun` keeps its store when it restarts processes, so each start has its own
    prefix, too. On several machines this is not possible: each counts its own restarts.
    """
    store, _, _ = next(rendezvous("env://", timeout=PATIENCE))
    one_machine = os.environ.get("LOCAL_WORLD_SIZE") == os.environ["WORLD_SIZE"]
    number = f"group {next(_groups)}"
    return PrefixStore(f"start {restarts}, {number}" if one_machine else number, store)
