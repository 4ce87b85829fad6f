"""Relabelling: which programs are replaced, what the new data set holds, and that interruptions change nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from lasynth import checkpoint, relabel, replacement
from lasynth.cli import main
from lasynth.config import model_config
from lasynth.dataset import CARD, read_card, read_tasks, to_table, write_imported
from lasynth.decoding import PROGRAM, Choice, Decoding
from lasynth.distributed import Group
from lasynth.domains import get_domain
from lasynth.models.build import build_model
from lasynth.relabel import Relabelling
from lasynth.search import KEEP, Finished
from lasynth.settings import RelabelConfig, SearchConfig
from lasynth.solver import PRETRAINED
from lasynth.task import Example, InputError, Occupied, Task
from lasynth.train import shape_of
from tests.fakes import small_data
from tests.timing import wait_until

MODEL = PRETRAINED / "c"
CONFIG = RelabelConfig(SearchConfig(beam=4, max_length=30, tasks=8), shard=16)
WORDS = ["--beam", "4", "--max-length", "30", "--tasks", "8", "--shard", "16"]
TASKS = 40


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data(tmp_path_factory.mktemp("old"), TASKS, 6, 6)


@pytest.fixture(scope="module")
def new(old: Path) -> Path:
    """The old data set, relabelled by the shipped model without any disturbance."""
    job = Relabelling(MODEL, old, old.with_name("new"), CONFIG)
    ended = relabel.relabel(job)
    assert not ended.interrupted
    assert not job.shards.exists()
    return job.out


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "train.parquet").to_pylist()
    return found


def check_rows(old: Path, new: Path, domain_name: str) -> Counter[str]:
    """Assert what holds for every row of a relabelled data set. Counts the programs that were replaced."""
    domain, counts = get_domain(domain_name), Counter[str]()
    tasks = list(read_tasks(new / "train.parquet", domain))
    fresh = to_table(domain, tasks).to_pylist()
    for before, after, task, made in zip(rows(old), rows(new), tasks, fresh, strict=True):
        iteration = after.pop("iteration")
        if iteration == 0:
            assert after == before, "an unreplaced row stays as it is"
            continue
        assert {**after, **{name: before[name] for name in PROGRAM}} == before, "only the program changes"
        assert all(domain.run(task.program, example.input) == example.output for example in task.examples)
        assert after["source"] == "decoded"
        assert all(after[name] == made[name] for name in ("program", "lexemes", "behaviour"))
        assert (after["category"], after["tokens"]) == (domain.category(task.program), domain.length(task.program))
        counts += Counter(
            replaced=1, shorter=after["tokens"] < before["tokens"], longer=after["tokens"] > before["tokens"]
        )
    return counts


def test_replaced_programs_are_right_and_other_rows_stay(old: Path, new: Path) -> None:
    counts = check_rows(old, new, "c")
    assert 5 < counts["replaced"] < TASKS
    assert all(
        (old / f"{split}.parquet").read_bytes() == (new / f"{split}.parquet").read_bytes() for split in ("val", "test")
    )


def test_the_card_says_how_it_was_made(old: Path, new: Path) -> None:
    before, card = read_card(old), read_card(new)
    (entry,) = card.pop("relabelled")
    assert card.pop("splits")["train"]["categories"] == Counter(row["category"] for row in rows(new))
    assert card == {name: value for name, value in before.items() if name != "splits"}
    assert entry["weights"]["sha256"] == sha256((MODEL / checkpoint.WEIGHTS).read_bytes()).hexdigest()
    train = (old / "train.parquet").read_bytes()
    assert entry["data"] == {"tasks": TASKS, "sha256": sha256(train).hexdigest()}
    counts = check_rows(old, new, "c")
    assert [entry[name] for name in ("replaced", "shorter", "longer")] == [
        counts[name] for name in ("replaced", "shorter", "longer")
    ]
    assert entry["replaced"] <= entry["fitting"] <= TASKS
    for name, folder in (("before", old), ("after", new)):
        assert entry[f"mean tokens {name}"] == pytest.approx(np.mean([row["tokens"] for row in rows(folder)]), abs=1e-3)


class WholeSearch(Choice):
    """Chooses the same programs, but never ends a search early."""

    def __call__(self, finished: Finished) -> NDArray[np.int64]:
        return np.full_like(super().__call__(finished), KEEP)


def test_programs_are_those_of_a_whole_search(old: Path) -> None:
    """Searches end early, and yet the likeliest program is the one that a whole search finds."""
    decoding = Decoding(MODEL, old / "train.parquet", CONFIG)
    early, whole = (decoding.decode(0, 16, choosing) for choosing in (Choice, WholeSearch))
    assert len(early) > 5
    assert {task: tokens.tolist() for task, tokens in early.items()} == {
        task: tokens.tolist() for task, tokens in whole.items()
    }


def test_the_shortest_program_is_not_longer_than_the_likeliest(old: Path) -> None:
    likeliest, shortest = (
        Decoding(MODEL, old / "train.parquet", RelabelConfig(CONFIG.search, choice, shard=16)).decode(0, TASKS)
        for choice in ("likeliest", "shortest")
    )
    assert set(likeliest) <= set(shortest)
    lengths = [(len(shortest[task]), len(likeliest[task])) for task in likeliest]
    assert all(short <= likely for short, likely in lengths)


def test_two_processes_give_the_same_files(old: Path, new: Path, tmp_path: Path) -> None:
    words = ["relabel", str(MODEL), str(old), "--out", str(tmp_path / "two"), *WORDS, "--processes", "2"]
    assert main(words) == 0
    assert content(tmp_path / "two") == content(new)
    assert os.listdir(tmp_path) == ["two"]


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_damaged_files_are_refused_before_the_work(old: Path, tmp_path: Path, split: str) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    shutil.copytree(old, data)
    file = data / f"{split}.parquet"
    table = pq.read_table(file)
    lists = table.set_column(0, "program", pa.array([[1]] * len(table)))
    for write, message in (
        (lambda: file.write_bytes(b""), "cannot be read as Parquet"),
        (lambda: pq.write_table(lists, file), "its column program holds list<element: int64>, not string"),
        (lambda: pq.write_table(table.drop_columns(["lexemes"]), file), "it has no column lexemes"),
        (lambda: pq.write_table(table.append_column("iteration", table["program"]), file), "does not hold int32"),
    ):
        write()
        with pytest.raises(InputError, match=message):
            relabel.relabel(Relabelling(MODEL, data, out, CONFIG))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_data_set_without_tasks_is_refused(old: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path / "data")
    file = tmp_path / "data" / "train.parquet"
    pq.write_table(pq.read_table(file).slice(0, 0), file)
    with pytest.raises(InputError, match="has no tasks"):
        relabel.relabel(Relabelling(MODEL, tmp_path / "data", tmp_path / "out", CONFIG))
    assert os.listdir(tmp_path) == ["data"]


def test_a_stopped_relabelling_goes_on_with_the_missing_shards(old: Path, new: Path, tmp_path: Path) -> None:
    job = Relabelling(MODEL, old, tmp_path / "out", CONFIG)
    asked = iter([False, False, False, True])  # in the middle of the second shard
    assert relabel.relabel(job, lambda: next(asked)).interrupted
    assert not job.out.exists()
    first = job.shard(0).stat().st_mtime_ns
    assert [path.name for path in job.shards.glob("shard-*")] == [job.shard(0).name]
    with pytest.raises(Occupied, match="unfinished relabelling"):
        relabel.relabel(job)
    plan = (job.shards / relabel.PLAN).read_text()
    for damaged, message in (("{", "cannot be read as JSON"), ("[1]", "does not hold a JSON object")):
        (job.shards / relabel.PLAN).write_text(damaged)
        with pytest.raises(InputError, match=message):
            relabel.relabel(Relabelling(MODEL, old, job.out, CONFIG, resume=True))
    (job.shards / relabel.PLAN).write_text(plan)
    other = Relabelling(MODEL, old, job.out, RelabelConfig(CONFIG.search, "shortest", shard=16), resume=True)
    with pytest.raises(InputError, match="was begun with choice = likeliest; it cannot be resumed with shortest"):
        relabel.relabel(other)
    seen: list[int] = []

    def look() -> bool:
        seen.append(job.shard(0).stat().st_mtime_ns)
        return False

    resumed = Relabelling(MODEL, old, job.out, CONFIG, resume=True)
    relabel.relabel(resumed, look)
    assert set(seen) == {first}, "the first shard is not decoded again"
    assert content(job.out) == content(new)
    assert relabel.relabel(resumed).entry == relabel.relabelled(new), "nothing is left to do"


def test_all_processes_stop_when_one_is_told_to(old: Path, tmp_path: Path) -> None:
    """No other process decodes its shards, so the leader must not wait for them."""
    job = Relabelling(MODEL, old, tmp_path / "out", CONFIG)
    facts = relabel._prepare(job, restarted=False)
    assert facts is not None
    assert not relabel._Work(job, Group(rank=1, size=2), facts, lambda: True).do()
    assert not relabel._Work(job, Group(rank=0, size=2), facts, lambda: False).do()
    assert not job.out.exists()
    relabel.relabel(Relabelling(MODEL, old, job.out, CONFIG, resume=True))
    assert job.out.exists()


def test_a_kill_changes_nothing(old: Path, new: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job = Relabelling(MODEL, old, out, CONFIG, resume=True)
    words = ["relabel", str(MODEL), str(old), "--out", str(out), *WORDS, "--processes", "1", "--resume"]
    command = [sys.executable, "-m", "lasynth.cli", *words]
    running = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, text=True)
    wait_until(job.shard(0).exists, running)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert main(words) == 0
    assert content(out) == content(new)


@pytest.mark.parametrize("moment", ["begin", "train", "card", "in place", "plan removed"])
def test_the_last_steps_can_be_killed_anywhere(
    moment: str, old: Path, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shards are there; the process dies while it makes the data set of them, or tidies up."""
    job = Relabelling(MODEL, old, tmp_path / "out", CONFIG, resume=True)

    class Killed(BaseException):
        pass

    def die(*arguments: object, **named: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        owner, name = {
            "begin": (relabel, "write_replaced"),
            "train": (replacement, "replaced"),
            "card": (replacement, "_card"),
            "in place": (Path, "unlink"),
            "plan removed": (shutil, "rmtree"),
        }[moment]
        real = replacement.write_replaced

        def write_then_die(*arguments: Any) -> None:
            real(*arguments)
            patch.setattr(owner, name, die)

        if moment in ("in place", "plan removed"):
            patch.setattr(relabel, "write_replaced", write_then_die)
        else:
            patch.setattr(owner, name, die)
        with pytest.raises(Killed):
            relabel.relabel(job)
    assert job.out.exists() == (moment in ("in place", "plan removed"))
    assert len(list(job.shards.glob("shard-*"))) == 3
    monkeypatch.setattr(Decoding, "decode", die)  # nothing is decoded again
    relabel.relabel(job)
    assert content(job.out) == content(new)
    assert os.listdir(tmp_path) == ["out"]


def test_a_second_relabelling_keeps_the_history(new: Path, tmp_path: Path) -> None:
    """Rows that it does not replace keep their iteration. The card tells of both relabellings."""
    shortest = RelabelConfig(CONFIG.search, "shortest", shard=40)
    relabel.relabel(Relabelling(MODEL, new, tmp_path / "second", shortest))
    before, after = rows(new), rows(tmp_path / "second")
    replaced = [one["program"] != other["program"] for one, other in zip(before, after, strict=True)]
    for one, other, changed in zip(before, after, replaced, strict=True):
        assert (other["iteration"] == 2) if changed else (other == one)
    entries = read_card(tmp_path / "second")["relabelled"]
    assert [entry["iteration"] for entry in entries] == [1, 2]
    assert [entry["choice"] for entry in entries] == ["likeliest", "shortest"]
    assert entries[0] == relabel.relabelled(new)
    assert entries[1]["replaced"] == sum(replaced)


def test_statistics_show_the_change(old: Path, new: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(old), str(new)]) == 0
    assert "total variation distance" in capsys.readouterr().out


def test_bad_input_leaves_nothing(old: Path, new: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    longer = small_data(tmp_path / "longer", 10, 2, 2, list_length=7)
    there = content(new)
    for words, message in (
        ([str(MODEL), str(longer), "--out", str(tmp_path / "out")], "the lists have 7 elements, the model takes 5"),
        ([str(MODEL), str(tmp_path), "--out", str(tmp_path / "out")], "is not a data set"),
        ([str(old), str(old), "--out", str(tmp_path / "out")], "is not a checkpoint"),
        ([str(MODEL), str(old), "--out", str(old)], "another folder"),
        ([str(MODEL), str(old), "--out", str(new)], "--overwrite replaces what is there"),
        ([str(MODEL), str(old), "--out", str(new), "--resume", "--beam", "5"], "it cannot be resumed with"),
        ([str(MODEL), str(old), "--out", str(new), "--resume", "--overwrite"], "give either"),
        ([str(MODEL), str(old), "--out", str(tmp_path / "out"), "--beam", "0"], "at least 1"),
        ([str(MODEL), str(old), "--out", str(tmp_path), "--overwrite"], "is not a data set and is therefore not"),
        ([str(MODEL), str(old), "--out", "."], "--overwrite replaces what is there"),
    ):
        assert main(["relabel", *words, "--processes", "1"]) == 2, words
        assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["longer"]
    assert content(new) == there


@pytest.mark.parametrize("column", ["program", "lexemes", "category", "tokens"])
def test_tasks_without_a_program_are_refused_before_decoding(old: Path, tmp_path: Path, column: str) -> None:
    data = tmp_path / "data"
    shutil.copytree(old, data)
    table = pq.read_table(old / "train.parquet")
    values = [None, *table[column].to_pylist()[1:]]
    place = table.column_names.index(column)
    holey = table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))
    pq.write_table(holey, data / "train.parquet")
    with pytest.raises(InputError, match=f"a task has no {column}"):
        relabel.relabel(Relabelling(MODEL, data, tmp_path / "out", CONFIG))
    assert os.listdir(tmp_path) == ["data"]


WORDY = ("turnLeft turnRight turnLeft", "turnLeft turnLeft turnLeft", "putMarker pickMarker putMarker", "turnRight")


def test_karel(tmp_path: Path) -> None:
    """An untrained model with a wide beam finds every program of a few actions."""
    data, domain = tmp_path / "data", get_domain("karel")
    tasks = []
    for number, text in enumerate(WORDY):
        program = domain.parse_text(f"DEF run m( {text} m)")
        examples = [Example(world, domain.run(program, world)) for world in domain.random_values(Random(number), 6)]
        tasks.append(Task(program, tuple(examples), domain.category(program), domain.length(program), "native"))
    write_imported("karel", {"train": tasks}, data, overwrite=False, report=lambda split, done: None)
    sizes = dict.fromkeys(("hidden", "embedding", "decoder_hidden", "channels"), 8)
    config = model_config("NoExecutor", "cpu", **{**shape_of(data), **sizes})
    card = {**checkpoint.describe("NoExecutor", config, domain), "step": 0, "programs": 0}
    checkpoint.save(tmp_path / "run", "step-0", build_model(config, domain).state_dict(), card, {}, True)
    wide = RelabelConfig(SearchConfig(beam=200, max_length=4, tasks=3), "shortest", shard=2)
    ended = relabel.relabel(Relabelling(tmp_path / "run", data, tmp_path / "new", wide))
    assert check_rows(data, tmp_path / "new", "karel") == {"replaced": 3, "shorter": 3}
    texts = [row["program"] for row in rows(tmp_path / "new")]
    assert texts == [f"DEF run m( {text} m)" for text in ("turnLeft", "turnRight", "putMarker", "turnRight")]
    assert ended.entry is not None
    assert (ended.entry["fitting"], ended.entry["replaced"]) == (4, 3)


def test_a_data_set_is_overwritten_when_the_new_one_is_complete(old: Path, new: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path / "out")
    words = ["relabel", str(MODEL), str(old), "--out", str(tmp_path / "out"), *WORDS, "--processes", "1"]
    assert main([*words, "--overwrite"]) == 0
    assert content(tmp_path / "out") == content(new)
    assert json.loads((tmp_path / "out" / CARD).read_text())["relabelled"]


def test_a_data_set_is_overwritten_also_after_a_stop(old: Path, new: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path / "out")
    asked = iter([False, True])
    job = Relabelling(MODEL, old, tmp_path / "out", CONFIG, overwrite=True)
    assert relabel.relabel(job, lambda: next(asked)).interrupted
    assert content(job.out) == content(old), "the old one stays until the new one is complete"
    relabel.relabel(Relabelling(MODEL, old, job.out, CONFIG, resume=True))
    assert content(job.out) == content(new)
