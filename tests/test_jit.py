"""The cache of machine code: a changed source is always compiled again."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from lasynth.jit import PACKAGE, SHARED, fingerprint, language_folder

COMPILING = sorted(path for path in PACKAGE.rglob("*.py") if "from lasynth.jit import compiled" in path.read_text())


def test_a_change_in_a_neighbouring_folder_changes_the_fingerprint(tmp_path: Path) -> None:
    caller, callee = tmp_path / "execution" / "machine.py", tmp_path / "language" / "grammar.py"
    for file in (caller, callee):
        file.parent.mkdir()
        file.write_text("")
    before = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == before
    callee.write_text("LIMIT = 2")
    edited = fingerprint(tmp_path)
    assert edited != before
    os.utime(callee, ns=(1, 1))
    assert fingerprint(tmp_path) != edited
    (tmp_path / "language" / "new.py").write_text("")
    assert len({before, edited, fingerprint(tmp_path)}) == 3


def test_all_folders_of_a_language_share_one_cache() -> None:
    c = PACKAGE / "domains" / "restricted_c"
    assert {language_folder(path) for path in c.rglob("*.py")} == {c}


@pytest.mark.parametrize("path", COMPILING, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_fingerprint_covers_all_imports_of_compiled_modules(path: Path) -> None:
    language = ".".join(language_folder(path).relative_to(PACKAGE.parent).parts)
    shared = {".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in SHARED}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "lasynth":
            assert node.module.startswith(language) or node.module in shared, f"{path} -> {node.module}"
