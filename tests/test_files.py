"""Files and folders are replaced as a whole: readers never see half of the content, errors and kills never leave it."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lasynth.files import new_folder, remove_leftovers, write_file
from tests.timing import wait_until

SIZE = 1_000_000
CALLS = [(os, "fsync"), (os, "replace"), (Path, "rename"), (Path, "open"), (shutil, "rmtree")]
"""Functions that writing calls. Tests let each of these calls fail."""


def write_folder(folder: Path, text: str) -> None:
    with new_folder(folder) as partial:
        (partial / "below").mkdir()
        for name in ("one", "below/two"):
            (partial / name).write_bytes(text.encode())


def content(folder: Path) -> set[str]:
    """The texts of all files of a folder, which must have two files."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 2
    return {file.read_text() for file in files}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def break_call(moment: int, fail: Callable[[], None], patch: Callable[[object, str, object], None]) -> None:
    """Let call number `moment` of `CALLS` fail."""
    made = 0

    for owner, name in CALLS:

        def counted(*args: object, real: object = getattr(owner, name), **kwargs: object) -> object:
            nonlocal made
            made += 1
            if made == moment + 1:
                fail()
            return real(*args, **kwargs)  # type: ignore[operator]

        patch(owner, name, counted)


def full_disk() -> None:
    raise OSError


def interrupt() -> None:
    raise KeyboardInterrupt


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_file(file, "0" * SIZE)
    seen: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            text = file.read_text()
            seen.append(f"{text[:1]} {len(text)} {len(set(text))}")

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, 10):
        write_file(file, str(number) * SIZE)
    wait_until(lambda: seen)
    done.set()
    reader.join()
    assert seen
    assert set(seen) <= {f"{number} {SIZE} 1" for number in range(10)}


def test_text_and_bytes(tmp_path: Path) -> None:
    write_file(tmp_path / "text", "é\n")
    write_file(tmp_path / "bytes", b"\xff")
    assert (tmp_path / "text").read_bytes() == "é\n".encode()
    assert (tmp_path / "bytes").read_bytes() == b"\xff"
    assert names(tmp_path) == ["bytes", "text"]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    outcomes = []
    for moment in range(4):
        write_file(file, "old")
        with pytest.MonkeyPatch.context() as patch:
            break_call(moment, full_disk, patch.setattr)
            with pytest.raises(OSError):  # noqa: PT011
                write_file(file, "new")
        outcomes.append(file.read_text())
        assert names(tmp_path) == ["file"]
    assert outcomes == ["old", "old", "old", "new"], "only the last call, a sync, comes after the replacement"


def test_a_failure_leaves_the_old_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    outcomes: list[str] = []
    while "new" not in outcomes:
        write_folder(folder, "old")
        with pytest.MonkeyPatch.context() as patch:
            break_call(len(outcomes), interrupt, patch.setattr)
            with pytest.raises(KeyboardInterrupt):
                write_folder(folder, "new")
        outcomes += content(folder)
        remove_leftovers(tmp_path)  # if a call that cleans up fails, its folder stays
        assert names(tmp_path) == ["folder"]
    assert len(outcomes) > 8


def test_an_error_of_the_caller_leaves_the_old_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write_folder(folder, "old")
    with pytest.raises(ZeroDivisionError), new_folder(folder) as partial:  # noqa: PT012
        (partial / "one").write_text("new")
        raise ZeroDivisionError
    assert content(folder) == {"old"}
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("write", [write_file, write_folder])
def test_a_kill_leaves_the_old_or_the_new_content(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    place, seen, moment, killed = tmp_path / "place", set(), 0, True
    while killed:
        write(place, "old")
        child = os.fork()
        if child == 0:
            break_call(moment, kill, setattr)
            try:
                write(place, "new")
            finally:
                os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        if place.is_dir():
            seen |= content(place)
        elif place.exists():
            seen.add(place.read_text())
        else:
            seen.add("none")
        remove_leftovers(tmp_path)
        assert set(names(tmp_path)) <= {"place"}
        moment += 1
    assert seen == ({"old", "new"} if write is write_file else {"old", "none", "new"})


def test_leftovers_that_may_still_grow_stay(tmp_path: Path) -> None:
    old, new, other = (tmp_path / f".{name}.partial-1" for name in ("one", "only", "two"))
    for path in (old, new, other):
        path.touch()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    remove_leftovers(tmp_path, "on*", idle=60)
    assert names(tmp_path) == [new.name, other.name]


def test_a_link_to_a_folder_stays(tmp_path: Path) -> None:
    write_folder(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "real") == {"new"}
    assert names(tmp_path) == ["link", "real"]
