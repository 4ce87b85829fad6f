"""Shared by the experiments: print figures, write result files, and read them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from lasynth.files import write_file
from lasynth.hardware import hardware
from lasynth.runlog import read_log
from lasynth.task import InputError

KAREL_TRAINING: dict[str, Any] = {
    "batch": 128, "learning_rate": 1.5e-3, "warmup": 500, "clip": 1.0, "beta2": 0.99, "curriculum": 0,
}  # fmt: skip
"""Training settings of all experiments with Karel."""
Record = dict[str, Any]
"""The JSON of one experiment: its settings, then its results."""


def show(figures: dict[str, Any], out: Path | None) -> None:
    """Print the figures, and write them to a file if one is given."""
    text = json.dumps(figures, indent=1)
    print(text)
    if out:
        out.write_text(text + "\n")


def conditions() -> dict[str, Any]:
    """Hardware, threads and version of torch."""
    return {**hardware(), "threads": torch.get_num_threads(), "torch": torch.__version__}


def stored_result(file: Path, settings: Record) -> Record | None:
    """The result in the file, or None if there is no file. Raises InputError if it has other settings."""
    if not file.exists():
        return None
    stored: Record = json.loads(file.read_text())
    for name, value in plain(settings).items():
        if stored.get(name) != value:
            raise InputError(f"{file} was measured with another `{name}`; move the file, or give another --results")
    return stored


def write_result(file: Path, result: Record) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, json.dumps(result, indent=1) + "\n")


def curve(run: Path) -> list[dict[str, float]]:
    """The records of all validations of a run."""
    return [
        {k: v for k, v in record.items() if k != "kind"} for record in read_log(run) if record["kind"] == "validation"
    ]


def plain(value: Any) -> Any:
    """The value as it is after it was written to JSON and read again."""
    return json.loads(json.dumps(value))
