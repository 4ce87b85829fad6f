"""Published records are read and their runs reproduced; errors in damaged files name the place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lasynth.cli import main
from lasynth.domains.karel import interpreter, machine, program_json, public, syntax, tensor
from lasynth.domains.karel.world import World
from lasynth.solver import PRETRAINED
from lasynth.task import InputError, ParseError

RECORD = "msr_train_first_record_pavelshapka.jsonl"
NEURTASKSYN = "neurtasksyn_karel_train.jsonl"
NO_LIMIT = 10**6
"""A limit on ticks that no run reaches: NeurTaskSyn applied none, and its longest run takes 227."""

GRID = {"rows": 2, "cols": 2, "crashed": False, "hero": "0:0:north", "blocked": "", "markers": ""}
AFTER = GRID | {"hero": "1:0:north"}
SMALL = {"program_tokens": "DEF run m( move m)".split(), "examples": [{"inpgrid_json": GRID, "outgrid_json": AFTER}]}


def test_the_public_record_is_reproduced(cases: Path) -> None:
    record = json.loads((cases / RECORD).read_text())
    (task,) = public.import_tasks(cases / RECORD)
    assert syntax.tokens(task.program) == record["program_tokens"]
    assert program_json.to_json(task.program) == record["program_json"]
    assert (task.category, task.tokens, task.source) == ("Mixture", 21, "public")
    reports, _ = machine.run(machine.pack_programs([task.program]), machine.pack([e.input for e in task.examples]))
    for stored, example, report in zip(record["examples"], task.examples, reports[0].tolist(), strict=True):
        trace, ticks = interpreter.trace(task.program, example.input)
        assert [step.label for step in trace.steps] == stored["actions"]
        assert trace.output == example.output
        assert (report[machine.STATUS], report[machine.TOOK]) == (machine.OK, ticks)
        for side, world in (("inp", example.input), ("out", example.output)):
            assert world.to_json() == stored[f"{side}grid_json"]
            assert tensor.to_sparse(world) == stored[f"{side}grid_tensor"]
            assert tensor.from_sparse(stored[f"{side}grid_tensor"]) == world


def test_the_public_record_is_imported_and_evaluated(cases: Path, tmp_path: Path) -> None:
    """The commands that reproduce the tables on the public files."""
    data, out = tmp_path / "public", tmp_path / "found.json"
    assert main(["import", "karel", str(cases / RECORD), "--out", str(data), "--split", "test"]) == 0
    words = [str(PRETRAINED / "karel"), str(data / "test.parquet"), "--no-baselines", "--beam", "16"]
    assert main(["evaluate", *words, "--json", str(out)]) == 0
    (found,) = json.loads(out.read_text())
    assert (found["given"], found["held out"], found["solved"]) == (5, 1, "1")


def test_neurtasksyn_is_reproduced_without_a_tick_limit(cases: Path) -> None:
    tasks = list(public.import_tasks(cases / NEURTASKSYN))
    assert len(tasks) == 916
    worlds = machine.pack([task.examples[0].input for task in tasks])
    packed = machine.pack_programs([task.program for task in tasks])
    first = np.arange(len(tasks))
    reports, grids = machine.run(packed, worlds, first=first, count=1, limit=NO_LIMIT)
    longest = 0
    for task, report, grid in zip(tasks, reports[:, 0].tolist(), grids[:, 0], strict=True):
        example = task.examples[0]
        trace, ticks = interpreter.trace(task.program, example.input, NO_LIMIT)
        assert trace.output == example.output
        place = report[machine.PLACE], report[machine.HEADING]
        assert machine.unpack(grid, *place, example.input.rows, example.input.cols) == example.output
        assert report[machine.TOOK] == ticks
        longest = max(longest, ticks)
    assert longest == 227


def test_a_folder_of_the_public_data_is_read(tmp_path: Path) -> None:
    for name in ("train.json", "test.json"):
        (tmp_path / name).write_text(json.dumps(SMALL) + "\n" + json.dumps(SMALL) + "\n")
    tasks = list(public.import_tasks(tmp_path))
    assert len(tasks) == 4
    assert public.splits(tmp_path) == {"train": tmp_path / "train.json", "test": tmp_path / "test.json"}
    assert tasks[0].examples[0].output == World.from_json(AFTER)


def test_a_truncated_file_gives_its_whole_records_and_then_an_error_with_the_place(tmp_path: Path) -> None:
    path, line = tmp_path / "train.json", json.dumps(SMALL)
    for cut in range(1, len(line) - 1, 17):
        path.write_text(line + "\n" + line[:cut])
        reader = public.import_tasks(path)
        assert next(reader).tokens == 5
        with pytest.raises(InputError, match=r"train\.json, line 2, column \d+: not JSON"):
            next(reader)


@pytest.mark.parametrize(
    ("record", "error", "message"),
    [
        ({}, InputError, "program_tokens"),
        ([], InputError, "program_tokens"),
        (SMALL | {"program_tokens": "move"}, InputError, "list of strings"),
        (SMALL | {"program_tokens": ["DEF", "run", "m(", "jump", "m)"]}, ParseError, "line 1: .*unknown token 'jump'"),
        (SMALL | {"examples": None}, InputError, '"examples"'),
        (SMALL | {"examples": [{}]}, InputError, '"inpgrid_json"'),
        (
            SMALL | {"examples": [{"inpgrid_json": GRID | {"rows": 17}, "outgrid_json": GRID}]},
            InputError,
            "2 to 16 rows",
        ),
    ],
)
def test_errors_in_records_name_the_place(record: object, error: type[Exception], message: str, tmp_path: Path) -> None:
    (tmp_path / "val.json").write_text(json.dumps(record))
    with pytest.raises(error, match=message) as raised:
        list(public.import_tasks(tmp_path))
    assert "val.json, line 1" in str(raised.value)


def test_records_without_a_task_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "some.jsonl").write_text(json.dumps({"program_json": {"run": [{"type": "move"}]}, "task": None}))
    assert list(public.import_tasks(tmp_path / "some.jsonl")) == []


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of"):
        list(public.import_tasks(tmp_path))
    with pytest.raises(InputError, match="No such file"):
        list(public.import_tasks(tmp_path / "train.json"))
    (tmp_path / "train.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a text file"):
        list(public.import_tasks(tmp_path / "train.json"))
