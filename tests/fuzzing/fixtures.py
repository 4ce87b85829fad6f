"""The folder that every case runs in: programs, examples, data sets and a small trained model."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

from lasynth.cli import COMMANDS, main
from tests.domains.restricted_c.test_authors import write
from tests.fuzzing.mutation import TRAINING

ROOT = Path(__file__).parents[2]
GRID = {"rows": 2, "cols": 3, "crashed": False, "hero": "0:0:east", "blocked": "1:2", "markers": "0:1:2"}
RECORD = {
    "program_tokens": ["DEF", "run", "m(", "move", "m)"],
    "examples": [{"inpgrid_json": GRID, "outgrid_json": {**GRID, "hero": "0:1:east"}}],
}
EXAMPLES = (
    "# shift\n[1, 2, 3, 4, 0] -> [2, 3, 4, 0, 0]\n[4, 0, 2, -1, 1] -> [0, 2, -1, 1, 1]\n[3,3,1,0,2] => [3 1 0 2 2]\n"
)
SETUP = [
    "generate c --out data --train 40 --val 6 --test 8 --processes 1",
    "generate karel --out grids --train 6 --processes 1",
    f"train data --out run --steps 2 --model NoExecutor {TRAINING}",
    "export run --out exported",
    "evaluate run data/test.parquet --beam 2 --max-length 12 --limit 3 --processes 1 --json evaluation.json",
]


def make(folder: Path, variants: Path) -> None:
    """Write all files into the empty current folder `folder`, and changed copies of the Parquet files elsewhere."""
    for name, text in {
        "examples.txt": EXAMPLES,
        "examples.json": json.dumps(
            [{"input": [1, 2, 3], "output": [3, 2, 1]}, {"input": [0, 5, 9], "output": [9, 5, 0]}]
        ),
        "program.c": (ROOT / "examples" / "shift.c").read_text(),
        "program.karel": (ROOT / "examples" / "walk.karel").read_text(),
        "program.lists": "(a: list) => sort(a)\n",
        "world.txt": "> 1 . #\n. . . .\n",
        "record.json": json.dumps(RECORD),
        "records.jsonl": "\n".join(json.dumps(RECORD) for _ in range(3)) + "\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "authors").mkdir()
    write(folder / "authors", 1)
    for line in SETUP:
        said, code = called(line.split())
        assert code == 0, f"{line}: {said}"
    _parquet_variants(folder, variants)
    shown = "".join(called(words)[0] for words in _all_help())
    (variants / "options.json").write_text(json.dumps(sorted(set(re.findall(r"--[a-z][a-z0-9-]+", shown)))))


def called(words: list[str]) -> tuple[str, int]:
    """What a command prints, and its exit code."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
    return said.getvalue(), code


def _all_help() -> list[list[str]]:
    languages = [["generate", name, "--help"] for name in ("c", "karel", "lists")]
    return [["--help"], *([name, "--help"] for name in COMMANDS), *languages]


def _parquet_variants(folder: Path, variants: Path) -> None:
    """Valid Parquet files that are not quite data sets: without a column, with nulls, other types, no rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in sorted(folder.rglob("*.parquet")):
        table = pq.read_table(path)
        changed = [table.slice(0, 0), table.slice(0, 1), pa.table({"x": [1, 2]})]
        for at, name in enumerate(table.column_names):
            changed.append(table.drop_columns([name]))
            same = table.column(name).take(pa.array([0] * len(table)))
            others = (same, pa.nulls(len(table)), pa.array(["x"] * len(table)), pa.array([[1]] * len(table)))
            changed += [table.set_column(at, name, column) for column in others]
        for number, other in enumerate(changed):
            place = variants / path.relative_to(folder).parent / f"{path.stem}-{number}{path.suffix}"
            place.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(other, place)
