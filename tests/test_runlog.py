"""The log of a run: records can be read, an incomplete line is ignored, and TensorBoard gets the same values."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from lasynth.runlog import LOG, RunLog, read_log
from lasynth.task import InputError


def write(run: Path, steps: range) -> None:
    """Write the log of a run that starts, or resumes, at the first of these steps."""
    log = RunLog(run, steps.start - 1, Console(file=io.StringIO()), None)
    for step in steps:
        log.record("train", step, {"program": 10.0 / step, "programs/s": 100.0})
    log.close()


def test_tensorboard_gets_the_records_of_the_log(tmp_path: Path) -> None:
    write(tmp_path, range(1, 6))
    write(tmp_path, range(4, 8))  # resumed from step 3
    shown = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert set(shown.Tags()["scalars"]) == {"train/program", "train/programs/s"}
    records = {record["step"]: record["program"] for record in read_log(tmp_path)}
    assert list(records) == list(range(1, 8))
    points = {event.step: event.value for event in shown.Scalars("train/program")}
    assert points.keys() == records.keys()
    assert all(abs(points[step] - value) < 1e-6 for step, value in records.items())


def test_an_incomplete_line_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, range(1, 4))
    with (tmp_path / LOG).open("a") as file:
        file.write('{"kind": "train", "st')
    assert [record["step"] for record in read_log(tmp_path)] == [1, 2, 3]


@pytest.mark.parametrize("line", [b"hello", b"[1]", b'{"step": "x"}', b"[" * 100_000, b"9" * 5000, b"\xff"])
def test_a_log_that_was_damaged_is_named(line: bytes, tmp_path: Path) -> None:
    write(tmp_path, range(1, 4))
    with (tmp_path / LOG).open("ab") as file:
        file.write(line + b"\n")
    for read in (lambda: read_log(tmp_path), lambda: write(tmp_path, range(4, 5))):
        with pytest.raises(InputError, match=r"log\.jsonl, line 4 is not a record|log\.jsonl is not text"):
            read()
