"""Runs cases: a process that has loaded all commands forks once for each case.

Forking saves the seconds that loading takes. The child has 4 GB of address space and 20 seconds.
"""

from __future__ import annotations

import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from lasynth.cli import COMMANDS, main
from tests.fuzzing import fixtures
from tests.fuzzing.mutation import Case

MEMORY = 4 << 30
SECONDS = 20.0
PATIENCE = 5.0
"""Seconds until work that was asked to be long is interrupted, as with Ctrl-C."""
CODES = (0, 1, 2, 130)
LONG = ("solve", "reduce", "generate", "train", "evaluate", "relabel", "retrain")
"""Commands whose work has the size that the user gives."""
WARM_UP = [
    "solve examples.txt --timeout 1 --strategy symbolic",
    "solve examples.txt --timeout 1 --strategy neural",
    "run program.c --input [1,2,3,4,0]",
    "run program.karel --input world.txt --trace",
    "run program.lists --input [3,1,2]",
    "reduce program.c --random 10",
    "reduce program.karel --random 10",
    "reduce program.lists --random 10",
]


@dataclass(frozen=True)
class Outcome:
    code: int | None
    """Exit code, negative for a signal; None if the process had to be killed."""
    interrupted: bool
    seconds: float
    out: str
    err: str


class Runner:
    """Makes the fixtures, loads all commands, and runs cases in copies of the fixtures' folder."""

    def __init__(self, place: Path) -> None:
        self.place, self.folder, variants = place, place / "fixtures", place / "variants"
        os.environ["OMP_NUM_THREADS"] = "1"
        for module in COMMANDS:
            import_module(f"lasynth.commands.{module.replace('import', 'import_')}")
        for path in (self.folder, variants):
            path.mkdir()
        _in_child(lambda: fixtures.make(self.folder, variants), self.folder)
        with _working_in(self.folder):
            for line in WARM_UP:
                fixtures.called(line.split())
        self.options: list[str] = json.loads((variants / "options.json").read_text())
        self.files: Mapping[str, Sequence[bytes]] = {
            str(path.relative_to(self.folder)): [path.read_bytes(), *_variants(variants, path.relative_to(self.folder))]
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def run(self, case: Case) -> Outcome:
        home = Path(tempfile.mkdtemp(dir=self.place))
        try:
            self.lay_out(case, home / "work")
            return _outcome(case, home)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def lay_out(self, case: Case, folder: Path) -> None:
        """Make the folder in which the case runs."""
        shutil.copytree(self.folder, folder)
        for name, data in case.files.items():
            if data is None:
                (folder / name).unlink()
            else:
                (folder / name).write_bytes(data)


def fault(case: Case, outcome: Outcome) -> str | None:
    """What is wrong with an outcome, or None."""
    said = outcome.out + outcome.err
    if outcome.code is None:
        return f"no end after {SECONDS:g} seconds"
    if outcome.code not in CODES:
        return f"exit code {outcome.code}"
    if "Traceback (most recent call last)" in said or re.search(r"\b\w*Warning: ", outcome.err):
        return "a traceback or a warning of Python"
    if "tyro" in said.replace("lasynth/", ""):
        return "names of the argument parser's internals"
    if outcome.code in (1, 2) and not outcome.err.strip() and "--json" not in case.words:
        return f"exit code {outcome.code} without a message"
    if outcome.code == 130 and not outcome.interrupted:
        return "interrupted by nobody"
    return None


def asks_much(case: Case) -> bool:
    """Whether the command line may ask for long work."""
    numbers = [word.rpartition("=")[2] for word in case.words]
    return bool(set(case.words) & set(LONG)) and any(_large(number) for number in numbers)


def _large(word: str) -> bool:
    try:
        return not abs(float(word)) < 100
    except ValueError:
        return False


def _outcome(case: Case, home: Path) -> Outcome:
    begin, interrupted = time.monotonic(), False
    (home / "in").write_bytes(case.standard_input)
    child = os.fork()
    if child == 0:
        _be_the_command(case, home)
    ended = os.pidfd_open(child)
    try:
        status = _wait(child, ended, PATIENCE if asks_much(case) else SECONDS)
        if status is None and asks_much(case):
            interrupted = True
            os.killpg(child, signal.SIGINT)
            status = _wait(child, ended, SECONDS - PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            os.waitpid(child, 0)
        os.close(ended)
    out, err = ((home / name).read_bytes().decode(errors="replace") for name in ("out", "err"))
    code = None if status is None else os.waitstatus_to_exitcode(status)
    return Outcome(code, interrupted, time.monotonic() - begin, out, err)


def _wait(child: int, ended: int, seconds: float) -> int | None:
    """The status of a child, or None if it still runs after these seconds.

    Time in which the child could run but other processes had all cores does not count.
    """
    begin, waited = time.monotonic(), _waited(child)
    while (left := seconds - (time.monotonic() - begin) + _waited(child) - waited) > 0:
        if select.select([ended], [], [], left)[0]:
            return os.waitpid(child, 0)[1]
    return None


def _waited(process: int) -> float:
    """Seconds that a process has waited for a core; 0 if the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def _be_the_command(case: Case, home: Path) -> None:
    """Turn this child into the command; never returns."""
    code = 70
    try:
        os.setsid()
        for name, number, flags in (
            ("in", 0, os.O_RDONLY),
            ("out", 1, os.O_WRONLY | os.O_CREAT),
            ("err", 2, os.O_WRONLY | os.O_CREAT),
        ):
            os.dup2(os.open(home / name, flags), number)
        os.chdir(home / "work")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdin = open(0, errors="surrogateescape")  # noqa: SIM115
        sys.stdout = open(1, "w")  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace", buffering=1)  # noqa: SIM115
        try:
            code = main(list(case.words))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        code = 70
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _in_child(work: object, folder: Path) -> None:
    """Call a function in a child process: what it starts (threads of torch) must not be here when cases fork."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.chdir(folder)
            assert callable(work)
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0, "the fixtures cannot be made"


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _variants(variants: Path, name: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((variants / name.parent).glob(f"{name.stem}-*{name.suffix}"))]
