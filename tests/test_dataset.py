"""Data sets: a seed determines every byte, splits share no program, an interrupted run leaves no files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lasynth.dataset import CARD, DatasetPlan, generate, new_data_set, read_card, read_tasks, write_imported
from lasynth.domains import DOMAINS, get_domain
from lasynth.split import load_split
from lasynth.task import InputError, Occupied

SIZES = {"train": 1200, "val": 30, "test": 60}


def make(out: Path, domain: str = "c", processes: int = 1, seed: int = 1, **options: Any) -> dict[str, Any]:
    plan = DatasetPlan(domain, SIZES, seed, get_domain(domain).options(**options), get_domain(domain).distinct_splits)
    return generate(plan, out, processes, overwrite=False, report=lambda split, count: None)


@pytest.fixture(scope="module", params=sorted(DOMAINS))
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("data") / request.param
    make(out, request.param)
    return request.param, out


def columns(path: Path, name: str) -> list[Any]:
    return pq.read_table(path, columns=[name])[name].to_pylist()  # type: ignore[no-any-return]


def test_the_number_of_processes_changes_nothing(dataset: tuple[str, Path], tmp_path: Path) -> None:
    domain, out = dataset
    make(tmp_path / "again", domain, processes=2)
    for name in ("train.parquet", "val.parquet", "test.parquet", CARD):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes(), name


def test_another_seed_gives_other_tasks(dataset: tuple[str, Path], tmp_path: Path) -> None:
    domain, out = dataset
    make(tmp_path / "other", domain, seed=2)
    mine, other = (set(columns(folder / "test.parquet", "program")) for folder in (out, tmp_path / "other"))
    assert len(mine & other) < len(mine)


def test_splits_are_distinct_and_novel_is_right(dataset: tuple[str, Path]) -> None:
    name, out = dataset
    train, val, test = (columns(out / f"{split}.parquet", "program") for split in SIZES)
    assert [len(train), len(val), len(test)] == list(SIZES.values())
    if get_domain(name).distinct_splits:
        assert not set(train) & {*val, *test}
        assert len({*val, *test}) == len(val) + len(test)
    else:
        assert set(train) & {*val, *test}
    known = set(columns(out / "train.parquet", "behaviour"))
    behaviours, novel = (columns(out / "test.parquet", name) for name in ("behaviour", "novel"))
    assert novel == [behaviour not in known for behaviour in behaviours]
    assert columns(out / "train.parquet", "novel") == [None] * len(train)


def test_novelty_is_unknown_without_a_training_set(tmp_path: Path) -> None:
    """Without a training set, it is unknown which behaviours a model has seen."""
    plan = DatasetPlan("c", {"train": 0, "val": 0, "test": 5}, 1, get_domain("c").options())
    card = generate(plan, tmp_path / "tasks", 1, overwrite=False, report=lambda split, count: None)
    assert "novel" not in card["splits"]["test"]
    assert columns(tmp_path / "tasks" / "test.parquet", "novel") == [None] * 5
    assert (load_split(tmp_path / "tasks" / "test.parquet", get_domain("c")).novel == -1).all()


def test_tasks_are_read_as_they_were_written(dataset: tuple[str, Path]) -> None:
    name, out = dataset
    domain = get_domain(name)
    lexemes = columns(out / "test.parquet", "lexemes")
    for task, words in zip(read_tasks(out / "test.parquet", domain), lexemes, strict=True):
        assert domain.parse(words) == task.program
        assert [domain.run(task.program, example.input) for example in task.examples] == [
            e.output for e in task.examples
        ]
        assert task.category == domain.category(task.program)
        assert task.tokens == domain.length(task.program)


def test_the_card_adds_up(dataset: tuple[str, Path]) -> None:
    name, out = dataset
    card = read_card(out)
    assert card["domain"] == name
    for split, size in SIZES.items():
        assert sum(card["splits"][split]["categories"].values()) == size
    sampling = card["splits"]["train"]["sampling"]
    assert sampling["accepted"] == SIZES["train"]
    assert all(count > 0 for count in sampling.values())


def test_the_card_counts_drawn_programs_in_c(tmp_path: Path) -> None:
    sampling = make(tmp_path / "c")["splits"]["train"]["sampling"]
    rejected = sum(count for key, count in sampling.items() if key.startswith("rejected"))
    assert sampling["drawn"] >= sampling["accepted"] + rejected


def test_nothing_is_overwritten_by_default(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(Occupied, match="exists and is not empty"), new_data_set(tmp_path, overwrite=False):
        pass
    with pytest.raises(InputError, match="not a data set"), new_data_set(tmp_path, overwrite=True):
        pass
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_overwriting_a_data_set(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for text in ("first", "second"):
        with new_data_set(out, overwrite=True) as folder:
            (folder / CARD).write_text(text)
    assert (out / CARD).read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_data_set(tmp_path / "out", overwrite=False) as folder:  # noqa: PT012
        (folder / "half").write_text("...")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


IGNORING = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
"""Starts a command with SIGINT ignored, as `&` does in a script."""


def long_generation(folder: Path, start: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A process that makes a large data set in `folder / "out"`, and has begun to write it."""
    words = ["generate", "c", "--out", str(folder / "out"), "--train", "1000000"]
    command = [*start, sys.executable, "-m", "lasynth.cli", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list(folder.glob(".out.partial-*/train.parquet")) and time.monotonic() < deadline:
        time.sleep(0.1)
    return process


@pytest.mark.parametrize(
    ("number", "start"),
    [(signal.SIGINT, []), (signal.SIGTERM, []), (signal.SIGTERM, IGNORING)],
    ids=["interrupt", "terminate", "in the background"],
)
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, number: signal.Signals, start: list[str]) -> None:
    process = long_generation(tmp_path, start)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    with long_generation(tmp_path) as process:
        process.kill()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("workers are still there")


def test_the_language_may_be_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasynth.dataset._not_in_train", lambda table, *rest: table.slice(0, 0))
    plan = DatasetPlan("c", {"train": 0, "val": 0, "test": 5}, 0, get_domain("c").options())
    with pytest.raises(InputError, match="the language is too small"):
        generate(plan, tmp_path / "out", 1, False, lambda split, count: None)


def test_imported_tasks(dataset: tuple[str, Path], tmp_path: Path) -> None:
    name, out = dataset
    domain = get_domain(name)
    tasks = list(read_tasks(out / "test.parquet", domain))
    sizes = write_imported(name, {"val": iter(tasks)}, tmp_path / "in", False, lambda split, count: None)
    assert sizes == {"val": len(tasks)}
    assert list(read_tasks(tmp_path / "in" / "val.parquet", domain)) == tasks
    assert json.loads((tmp_path / "in" / CARD).read_text())["sizes"] == {"val": len(tasks)}


def test_a_folder_that_is_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a data set"):
        read_card(tmp_path)
    (tmp_path / "x.parquet").write_text("nonsense")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read_tasks(tmp_path / "x.parquet", get_domain("c")))


@pytest.mark.parametrize(
    ("change", "message"),
    [({"program": "x"}, "expected `int`"), ({"program": None}, "program is not text"), ({"inputs": None}, "")],
)
def test_rows_that_are_no_tasks(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    row = {"program": "x", "inputs": [[1]], "outputs": [[1]], "category": "Seq-only", "tokens": 9, "source": "native"}
    pq.write_table(pa.Table.from_pylist([{**row, **change}]), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=f"x.parquet, row 1 is not a task of the language `c`: .*{message}"):
        list(read_tasks(tmp_path / "x.parquet", get_domain("c")))


def test_pandas_reads_it(dataset: tuple[str, Path]) -> None:
    frame = pytest.importorskip("pandas").read_parquet(dataset[1] / "test.parquet")
    assert len(frame) == SIZES["test"]


def test_hugging_face_datasets_reads_it(dataset: tuple[str, Path], tmp_path: Path) -> None:
    library = pytest.importorskip("datasets")
    files = {split: str(dataset[1] / f"{split}.parquet") for split in SIZES}
    loaded = library.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path))
    assert {split: len(loaded[split]) for split in SIZES} == SIZES
    assert len(loaded["test"][0]["inputs"]) == len(loaded["test"][0]["outputs"])
