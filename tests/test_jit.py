"""The cache of machine code: a changed source is compiled again, and a change elsewhere compiles nothing."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lasynth.interruption import signals_later, stop_signal
from lasynth.jit import PACKAGE, cache_folder, fingerprint, imported, sources

COMPILING = sorted(path for path in PACKAGE.rglob("*.py") if "from lasynth.jit import compiled" in path.read_text())


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package in which `machine` imports `grammar`, which imports `words`; `display` imports `machine`."""
    for name, text in {
        "execution/machine.py": "from lasynth.language.grammar import (\n    LIMIT,\n)\n",
        "language/grammar.py": "from lasynth.language import words\nLIMIT = 1\n",
        "language/words.py": "WORDS = ()\n",
        "language/__init__.py": "",
        "display.py": "import lasynth.execution.machine\n",
    }.items():
        file = tmp_path / "lasynth" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "lasynth"


def touch(file: Path, clock: int) -> None:
    os.utime(file, ns=(clock, clock))


@pytest.mark.parametrize("name", ["execution/machine.py", "language/grammar.py", "language/words.py"])
def test_a_change_in_a_module_that_is_imported_changes_the_fingerprint(package: Path, name: str) -> None:
    machine = package / "execution" / "machine.py"
    before = fingerprint(machine, package.parent)
    assert fingerprint(machine, package.parent) == before
    touch(package / name, 1)
    edited = fingerprint(machine, package.parent)
    (package / name).write_text((package / name).read_text() + "# longer\n")
    touch(package / name, 1)
    assert len({before, edited, fingerprint(machine, package.parent)}) == 3


def test_a_change_elsewhere_does_not(package: Path) -> None:
    machine = package / "execution" / "machine.py"
    before = fingerprint(machine, package.parent)
    touch(package / "display.py", 1)
    (package / "language" / "new.py").write_text("")
    assert fingerprint(machine, package.parent) == before


def test_every_module_has_its_own_cache() -> None:
    assert len({cache_folder(path) for path in COMPILING}) == len(COMPILING)


@pytest.mark.parametrize("path", COMPILING, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_fingerprint_covers_all_imports_of_compiled_modules(path: Path) -> None:
    """Imports are found by a regular expression, which is quick; Python's own parser finds no others."""
    covered = sources(path)
    for source in covered:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "lasynth":
                base = PACKAGE.parent.joinpath(*node.module.split("."))
                named = [base.with_suffix(".py"), base / "__init__.py"]
                named += [base / f"{alias.name}.py" for alias in node.names]
                assert {file for file in named if file.is_file()} <= imported(source, PACKAGE.parent) <= {*covered}


KERNELS = """
import sys
import numpy as np
from lasynth.jit import compiled

@compiled
def inner(values):
    total = np.zeros(1, np.int64)
    for value in values:
        total[0] += value
    return total[0]

@compiled
def outer(values):
    return inner(values) + inner(values[1:])
"""


def test_machine_code_from_disk_gives_the_same_and_can_be_compiled_into_other_functions(tmp_path: Path) -> None:
    module = tmp_path / "kernels_of_a_test.py"
    module.write_text(KERNELS)
    folder = cache_folder(module)
    try:
        begin = "import sys, numpy as np; from kernels_of_a_test import inner, outer; given = np.arange(5)"
        compiling = '"numba.np.arrayobj" in sys.modules'  # what numba loads to compile
        assert said_by(f"{begin}; print(inner(given), {compiling})", tmp_path) == "10 True"
        assert said_by(f"{begin}; print(inner(given), {compiling})", tmp_path) == "10 False"
        assert said_by(f"{begin}; print(inner(given), outer(given), {compiling})", tmp_path) == "10 20 True"
        assert said_by(f"{begin}; print(outer(given), inner(given), {compiling})", tmp_path) == "20 10 False"
    finally:
        shutil.rmtree(folder)


def said_by(code: str, folder: Path) -> str:
    """What a new process prints."""
    environment = {**os.environ, "PYTHONPATH": f"{PACKAGE.parent}{os.pathsep}{folder}"}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


# --- Ctrl-C while numba works -----------------------------------------------------------------------------------------
def test_signals_wait_for_the_end_of_the_block() -> None:
    done: list[str] = []

    def work() -> None:
        with signals_later():
            signal.raise_signal(signal.SIGINT)
            done.append("inside")
        done.append("outside")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["inside"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("early", [True, False])
def test_signals_are_handled_where_an_inner_block_begins_or_ends(early: bool) -> None:
    done: list[str] = []

    def work() -> None:
        with signals_later():
            if early:
                signal.raise_signal(signal.SIGINT)
            with signals_later():
                done.append("inside")
                signal.raise_signal(signal.SIGINT)
            done.append("outside")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ([] if early else ["inside"])


def test_a_signal_is_not_lost_if_the_block_fails() -> None:
    def work() -> None:
        with signals_later():
            signal.raise_signal(signal.SIGINT)
            raise RuntimeError("numba lost the interruption")

    with pytest.raises(KeyboardInterrupt):
        work()


def test_a_handler_that_only_takes_note_is_called_once() -> None:
    with stop_signal() as stopped:
        with signals_later():
            signal.raise_signal(signal.SIGTERM)
            assert not stopped()
        assert stopped()


def test_ctrl_c_ends_a_process_that_compiles(tmp_path: Path) -> None:
    """The signal comes while the compiler is called, in a place where Python would only print it."""
    module = tmp_path / "interrupted_kernels_of_a_test.py"
    module.write_text(KERNELS)
    code = (
        "import signal, numpy as np, llvmlite.binding as ll; from interrupted_kernels_of_a_test import outer\n"
        "class Bad:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "parse = ll.parse_assembly\n"
        "def parse_badly(*words): Bad(); return parse(*words)\n"
        "ll.parse_assembly = parse_badly\n"
        "try: outer(np.arange(5)); print('lost')\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    try:
        assert said_by(code, tmp_path) == "interrupted"
    finally:
        shutil.rmtree(cache_folder(module))
