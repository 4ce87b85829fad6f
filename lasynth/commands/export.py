"""`lasynth export`: write a trained model to a small folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from lasynth.checkpoint import export as write
from lasynth.commands.parser import arg, call
from lasynth.task import InputError


def export(
    run: Annotated[Path, arg(metavar="RUN", help="A run of `lasynth train`.")],
    /,
    out: Annotated[Path, arg(metavar="FOLDER", help="New folder for the weights and their card.")],
    checkpoint: Annotated[Literal["best", "last"], arg(help="Which checkpoint of the run.")] = "best",
    evaluation: Annotated[
        tuple[Path, ...],
        arg(
            metavar="FILE",
            help="Output of `lasynth evaluate --json`, stored in the card. Repeat the option for several files.",
        ),
    ] = (),
) -> int:
    """Write the weights of a trained model in half precision, with a card that describes them and their evaluation.

    Use the folder with `lasynth solve --weights FOLDER`, `lasynth evaluate FOLDER` and `lasynth train --begin-with
    FOLDER`. Training cannot be resumed from it.
    """
    measured = {"evaluation": {file.stem: _read(file) for file in evaluation}} if evaluation else {}
    size = write(run, out, checkpoint, measured)
    print(f"{out}: {size / 1e6:.1f} MB")
    return 0


def _read(file: Path) -> Any:
    try:
        results = json.loads(file.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(results, list) or not results or not all(map(_is_result, results)):
        raise InputError(f"{file} is not an evaluation: --evaluation takes what `lasynth evaluate --json FILE` writes")
    return results


def _is_result(entry: Any) -> bool:
    """Whether this is the evaluation of one model."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("model"), str)
        and all(isinstance(entry.get(name), dict) for name in ("overall", "groups"))
        and "tasks" in entry["overall"]
    )


def main(words: Sequence[str]) -> int:
    return call(export, "export", words)
