"""Benchmarks and experiments can be imported. They are not run here."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path for folder in ("benchmarks", "experiments") for path in (ROOT / folder).glob("[!_]*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_script_starts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(path.parent))
    if path.stem == "peers":
        pytest.importorskip("cvc5")
    names = runpy.run_path(str(path), run_name="not main")
    assert names["__doc__"]
