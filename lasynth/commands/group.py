"""Work that several processes share: started here, or by torchrun."""

from collections.abc import Callable
from typing import TypeVar

import torch

from lasynth.commands.terminal import complain
from lasynth.distributed import is_worker, rank
from lasynth.launcher import Work, launch
from lasynth.task import Diverged, InputError
from lasynth.workers import process_count, threads_per_process

T = TypeVar("T")
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def check_torchrun(asked: int | None) -> None:
    """InputError if the user gives a number of processes under torchrun."""
    if is_worker() and asked is not None:
        raise InputError("torchrun says how many processes there are; leave out --processes")


def in_processes(work: Work[T], count: int) -> T:
    """Do the work in `count` new processes, in this one, or as one of the processes that torchrun has started."""
    if is_worker():
        return work(lambda: False)
    if count > 1:
        return launch(work, count, complain)
    torch.set_num_threads(threads_per_process())
    return work(lambda: False)


def decoding_processes(asked: int | None) -> int:
    """How many processes decode: as asked, or one for each graphics card or usable core. InputError."""
    if asked is None and torch.cuda.is_available():
        return torch.cuda.device_count()
    return process_count(asked, threads_per_process())


def quiet_unless_leading(command: Callable[[], int]) -> int:
    """Report an error once. Under torchrun all processes have the same error, and only the leader reports it."""
    try:
        return command()
    except (InputError, Diverged) as error:
        if rank() == 0:
            raise
        return FAILED if isinstance(error, Diverged) else BAD_INPUT
