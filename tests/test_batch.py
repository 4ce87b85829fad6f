"""Batches: a split holds what the file holds, seed and position determine a stream, shares make up the whole batch."""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from lasynth.batch import Collator, Position, Stream, StreamPlan, bucketed
from lasynth.config import ModelConfig
from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.domains.restricted_c.learning.values import ListConfig
from lasynth.models.base import Batch
from lasynth.split import Split, load_split
from lasynth.task import InputError
from lasynth.vocab import EOS, PAD
from tests.fakes import small_data

DOMAIN = get_domain("c")
COLLATE = Collator.of(ModelConfig(), DOMAIN)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data(tmp_path_factory.mktemp("batch"))


@pytest.fixture(scope="module")
def split(data: Path) -> Split:
    return load_split(data / "train.parquet", DOMAIN)


def rows_of(batch: Batch) -> list[tuple[int, ...]]:
    """Tasks of a batch as tuples that can be compared: examples and program."""
    parts = (batch.io.inputs.flatten(1), batch.io.outputs.flatten(1), batch.io.present, batch.tokens)
    return [tuple(row) for row in torch.cat([part.long() for part in parts], 1).tolist()]


def test_a_split_holds_what_the_file_holds(data: Path) -> None:
    split, tasks = load_split(data / "test.parquet", DOMAIN), list(read_tasks(data / "test.parquet", DOMAIN))
    padded = split.padded(np.arange(len(split)))
    assert len(split) == len(tasks) == 40
    assert (split.lengths == (padded != PAD).sum(axis=1)).all()
    for n, task in enumerate(tasks):
        assert DOMAIN.vocab.decode(padded[n].tolist()) == DOMAIN.unparse(task.program)
        assert padded[n, split.lengths[n] - 1] == EOS
        assert split.inputs[n].tolist() == [example.input for example in task.examples]
        assert split.outputs[n].tolist() == [example.output for example in task.examples]
        assert DOMAIN.categories[split.category[n]] == task.category
    novel = pq.read_table(data / "test.parquet")["novel"].to_pylist()
    assert split.novel.tolist() == [int(mark) for mark in novel]
    assert split.take(7).padded(np.arange(7)).tolist() == split.padded(np.arange(7)).tolist()
    assert len(split.take(7)) == 7


def test_values_are_int8_if_they_fit(tmp_path: Path, split: Split) -> None:
    assert split.inputs.dtype == np.int8
    wide = small_data(tmp_path, 5, 0, 0, smallest_value=-300, largest_value=300)
    assert load_split(wide / "train.parquet", DOMAIN).inputs.dtype == np.int32


def test_every_task_comes_once_an_epoch(split: Split) -> None:
    stream = Stream(split, StreamPlan(48, (5, 5)), COLLATE)
    seen = Counter(tuple(words) for batch in islice(stream, 5) for words in map(tuple, batch.tokens.tolist()))
    assert stream.position == Position(1, 0)
    assert seen.total() == len(split) == 240
    whole = Counter(tuple(t for t in words if t) for words in split.padded(np.arange(240)).tolist())
    assert Counter(tuple(t for t in words if t) for words in seen.elements()) == whole


def test_batches_have_programs_of_similar_length() -> None:
    lengths = np.random.default_rng(0).integers(2, 100, 64 * 40)
    batches = bucketed(np.random.default_rng(1), lengths, 64)
    assert sorted(batches.flatten().tolist()) == list(range(64 * 40))
    assert np.ptp(lengths[batches], axis=1).mean() < 5
    means = lengths[batches].mean(axis=1)
    assert not (np.diff(means) > 0).all(), "batches come in random order, not from short to long"


def test_few_tasks_are_repeated_to_fill_a_batch(split: Split) -> None:
    batch = next(Stream(split.take(3), StreamPlan(8, (5, 5)), COLLATE))
    assert batch.tokens.shape[0] == 8


def test_long_programs_can_be_left_out(split: Split) -> None:
    median = int(np.median(split.lengths))
    short = int((split.lengths <= median).sum())
    stream = Stream(split, StreamPlan(1, (5, 5), curriculum=4, longest=median - 1), COLLATE)
    lengths = [int((batch.tokens != PAD).sum()) for batch in islice(stream, 3 * 4 + short)]
    assert max(lengths[:4]) <= np.quantile(split.lengths[split.lengths <= median], 1 / 8), (
        "stages use only the programs that are left"
    )
    assert sorted(lengths[12:]) == sorted(split.lengths[split.lengths <= median]), (
        "then each program comes once an epoch"
    )
    below = int(split.lengths[0]) - 2
    with pytest.raises(InputError, match=f"no programs of at most {below} lexemes"):
        Stream(split.take(1), StreamPlan(1, (5, 5), longest=below), COLLATE)


def test_a_stream_resumes_from_any_position(split: Split) -> None:
    plan = StreamPlan(32, (2, 9), seed=5)
    stream = Stream(split, plan, COLLATE)
    batches, positions = [], []
    for batch in islice(stream, 20):
        batches.append(rows_of(batch))
        positions.append(stream.position)
    for n in (0, 6, 7, 13):
        assert [rows_of(b) for b in islice(Stream(split, plan, COLLATE, positions[n]), 3)] == batches[n + 1 : n + 4]
    assert rows_of(next(Stream(split, StreamPlan(32, (2, 9), seed=6), COLLATE))) != batches[0]
    assert batches[0] != batches[7], "each epoch has its own order"


def test_shares_make_up_the_whole_batch(split: Split) -> None:
    plan = StreamPlan(30, (1, 10))
    whole = rows_of(next(Stream(split, plan, COLLATE)))
    parts = [next(Stream(split, plan, COLLATE, share=(rank, 3))) for rank in range(3)]
    longest = max(part.tokens.shape[1] for part in parts)
    padded = [p._replace(tokens=torch.nn.functional.pad(p.tokens, (0, longest - p.tokens.shape[1]))) for p in parts]
    assert sorted(row for part in padded for row in rows_of(part)) == sorted(whole)


def test_each_task_gets_its_own_choice_of_its_examples(split: Split) -> None:
    stream = Stream(split.take(1), StreamPlan(16, (5, 5)), COLLATE)
    given = {(tuple(i), tuple(o)) for i, o in zip(split.inputs[0].tolist(), split.outputs[0].tolist(), strict=True)}
    batch = next(stream)
    choices = set()
    for inputs, outputs in zip(batch.io.inputs.tolist(), batch.io.outputs.tolist(), strict=True):
        pairs = [(tuple(i), tuple(o)) for i, o in zip(inputs, outputs, strict=True)]
        assert len(set(pairs)) == 5
        assert set(pairs) <= given
        choices.add(frozenset(pairs))
    assert len(choices) > 10


def test_the_number_of_examples_varies_by_batch(split: Split) -> None:
    by_batch = list(islice(Stream(split, StreamPlan(16, (1, 10)), COLLATE), 12))
    assert all(batch.io.present.all() for batch in by_batch)
    assert len({batch.io.present.shape[1] for batch in by_batch}) > 4


def test_states_are_the_values_after_each_statement(split: Split) -> None:
    collate = Collator.of(ModelConfig(), DOMAIN, states=True)
    batch = next(Stream(split, StreamPlan(32, (3, 3)), collate))
    assert batch.states is not None
    assert batch.states_valid is not None
    ends = torch.from_numpy(DOMAIN.statement_ends)[batch.tokens].sum(1)  # (B,)
    assert batch.states.shape == (32, int(ends.max()), 3, 5)
    last = batch.states[torch.arange(32), ends - 1]
    assert torch.equal(last, batch.io.outputs), "after the last statement the value is the output"
    assert batch.states_valid[torch.arange(32), ends - 1].all()
    assert not (batch.states_valid & (torch.arange(int(ends.max()))[None, :, None] >= ends[:, None, None])).any()
    inside = ((batch.states >= -4) & (batch.states <= 4)).all(-1)
    assert not (batch.states_valid & ~inside).any(), "a value that the model cannot represent is not valid"
    assert not inside.all()


def test_files_and_plans_that_cannot_be_used_are_refused(tmp_path: Path, data: Path, split: Split) -> None:
    (tmp_path / "no.parquet").write_text("nothing")
    table = pq.read_table(data / "val.parquet")
    pq.write_table(table.drop_columns(["lexemes"]), tmp_path / "columns.parquet")
    pq.write_table(table.slice(0, 0), tmp_path / "empty.parquet")
    lexemes = [[*row[:-1], "while"] for row in table["lexemes"].to_pylist()]
    odd = table.set_column(table.schema.get_field_index("lexemes"), "lexemes", [lexemes])
    pq.write_table(odd, tmp_path / "lexemes.parquet")
    names = pa.array(["x"] * len(table))
    pq.write_table(
        table.set_column(table.schema.get_field_index("category"), "category", names), tmp_path / "x.parquet"
    )
    for name, message in (
        ("no", "Parquet"),
        ("missing", "Parquet"),
        ("columns", "no column lexemes"),
        ("empty", "no tasks"),
        ("lexemes", "`while`"),
        ("x", "no category of the language `c`"),
    ):
        with pytest.raises(InputError, match=message):
            load_split(tmp_path / f"{name}.parquet", DOMAIN)
    with pytest.raises(InputError, match="the model takes -1 to 1"):
        Collator.of(ModelConfig(values=ListConfig(5, -1, 1)), DOMAIN).io(split.inputs, split.outputs)
    for examples in ((0, 5), (5, 11), (6, 5)):
        with pytest.raises(InputError, match="cannot be drawn"):
            Stream(split, StreamPlan(8, examples), COLLATE)
    with pytest.raises(InputError, match="no data set of `karel`: its column inputs holds"):
        load_split(data / "val.parquet", get_domain("karel"))


def test_large_values_are_mapped_and_the_same(data: Path) -> None:
    """Two loads share one file, and a data set that is written anew gets another one."""
    path = data / "val.parquet"
    small, large = load_split(path, DOMAIN), load_split(path, DOMAIN, large=1)
    assert isinstance(large.inputs, np.memmap)
    assert (small.inputs == large.inputs).all()
    assert (small.outputs == large.outputs).all()
    files = sorted(data.glob(".val.*.mapped"))
    assert len(files) == 2
    again = load_split(path, DOMAIN, large=1)
    assert (again.outputs == small.outputs).all()
    assert sorted(data.glob(".val.*.mapped")) == files
    leftover = files[0].with_name(f"{files[0].name}.partial-1")
    leftover.touch()
    os.utime(leftover, (0, 0))
    path.write_bytes(path.read_bytes())
    assert (load_split(path, DOMAIN, large=1).inputs == small.inputs).all()
    assert sorted(data.glob(".val.*.mapped")) != files
    assert len(list(data.glob(".val.*.mapped*"))) == 2, "the old ones are gone"
