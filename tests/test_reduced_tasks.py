"""Training tasks with reduced programs: the same tasks, with programs that are right and not longer."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from lasynth.dataset import read_card, read_tasks
from lasynth.domains import get_domain
from lasynth.task import InputError
from tests.fakes import small_data

ROOT = Path(__file__).parents[1]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "experiments"))
    return runpy.run_path(str(ROOT / "experiments" / "reduced_tasks.py"), run_name="not main")


def test_tasks_stay_and_programs_get_shorter(script: dict[str, Any], tmp_path: Path) -> None:
    old, domain = small_data(tmp_path / "old", 60, 6, 6), get_domain("c")
    before = list(read_tasks(old / "train.parquet", domain))
    lengths = [sum(task.tokens for task in before)]
    for words in ([], ["--rewrite"]):
        new = tmp_path / f"new{len(words)}"
        assert script["main"]([str(old), "--out", str(new), *words]) == 0
        after = list(read_tasks(new / "train.parquet", domain))
        assert [task.examples for task in after] == [task.examples for task in before]
        for task in after:
            assert all(domain.run(task.program, example.input) == example.output for example in task.examples)
            assert (task.category, task.tokens) == (domain.category(task.program), domain.length(task.program))
        lengths.append(sum(task.tokens for task in after))
        for split in ("val", "test"):
            assert (new / f"{split}.parquet").read_bytes() == (old / f"{split}.parquet").read_bytes()
        assert sum(read_card(new)["splits"]["train"]["categories"].values()) == len(before)
    assert lengths[0] > lengths[1] >= lengths[2]
    with pytest.raises(InputError, match="with random programs"):
        script["main"]([str(tmp_path / "new0"), "--out", str(tmp_path / "again")])
