"""Checkpoints on disk: weights as safetensors, a JSON card that says what they are, and what training needs to go on.

A run's folder has one folder per checkpoint, and `checkpoints.json`, which says which of them is the last and which the
best. A checkpoint's folder gets its name when it is complete, the index is replaced in one step, and only then is an older
one removed: killed at any moment, a run is left with a last checkpoint that loads. Knows no optimiser and no schedule:
what training needs is handed over and given back as it is.

    RUN/checkpoints.json          {"last": "step-2000", "best": "step-1500"}
    RUN/step-2000/card.json       configuration, vocabulary, step, metrics
    RUN/step-2000/weights.safetensors
    RUN/step-2000/training.pt     state of optimiser, schedule and data; not needed to use the model
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from safetensors.torch import save as to_bytes
from torch import Tensor

from lasynth.config import ModelConfig
from lasynth.domains import DOMAINS, get_domain
from lasynth.domains.base import AnyDomain
from lasynth.models.build import Model, build_model
from lasynth.older import read_config, read_weights
from lasynth.task import InputError

INDEX, CARD, WEIGHTS, TRAINING = "checkpoints.json", "card.json", "weights.safetensors", "training.pt"
Which = Literal["last", "best"]


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory."""

    weights: dict[str, Tensor]
    card: dict[str, Any]


def save(
    run: Path,
    name: str,
    weights: Mapping[str, Tensor],
    card: Mapping[str, Any],
    training: Mapping[str, Any],
    best: bool,
) -> None:
    """Write a checkpoint and make it the last one, and the best one if so told."""
    run.mkdir(parents=True, exist_ok=True)
    folder, partial = run / name, run / f".{name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    (partial / WEIGHTS).write_bytes(to_bytes({key: value.detach().clone() for key, value in weights.items()}))
    torch.save(dict(training), partial / TRAINING)
    (partial / CARD).write_text(json.dumps(card, indent=2) + "\n")
    for file in partial.iterdir():
        _sync(file)
    index = read_index(run) if (run / INDEX).exists() else {}
    if folder.exists():  # a run that was resumed has come to the same step again
        if name in index.values():
            shutil.rmtree(partial)
        else:
            shutil.rmtree(folder)
            partial.rename(folder)
    else:
        partial.rename(folder)
    _replace_index(run, {**index, "last": name, **({"best": name} if best or "best" not in index else {})})
    _clean(run)


def _replace_index(run: Path, index: Mapping[str, str]) -> None:
    partial = run / f".{INDEX}.partial"
    partial.write_text(json.dumps(index) + "\n")
    _sync(partial)
    os.replace(partial, run / INDEX)
    _sync(run)


def _sync(path: Path) -> None:
    """Make sure that it is on the disk before anything refers to it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clean(run: Path) -> None:
    """Remove what the index does not name; the best checkpoint needs no state of training unless it is the last, too."""
    index = read_index(run)
    for folder in (*run.glob("step-*"), *run.glob(".step-*.partial")):
        if folder.name not in index.values():
            shutil.rmtree(folder, ignore_errors=True)
    if index["best"] != index["last"]:
        (run / index["best"] / TRAINING).unlink(missing_ok=True)


def export(path: Path, out: Path, which: Which = "best", more: Mapping[str, Any] | None = None) -> int:
    """Write weights alone, in half precision, with their card and `more` in it, to a new folder; their size in bytes.

    The folder is a checkpoint without what `--resume` needs. InputError.
    """
    if out.exists():
        raise InputError(f"{out} exists already")
    stored = load(path, which)
    weights = to_bytes({key: _halved(value) for key, value in stored.weights.items()})
    card = {**stored.card, **(more or {}), "sha256": sha256(weights).hexdigest()}
    partial = out.parent / f".{out.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / WEIGHTS).write_bytes(weights)
    (partial / CARD).write_text(json.dumps(card, indent=1) + "\n")
    partial.rename(out)
    return len(weights)


def _halved(value: Tensor) -> Tensor:
    return value.half().contiguous() if value.is_floating_point() else value.contiguous()


# --- reading -------------------------------------------------------------------------------------------------------------
def read_index(run: Path) -> dict[str, str]:
    """Which checkpoint is the last and which the best. InputError if the folder is not a run."""
    try:
        index = json.loads((run / INDEX).read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{run} is not a training run: no readable {INDEX} in it") from error
    if not isinstance(index, dict) or not all(isinstance(index.get(which), str) for which in ("last", "best")):
        raise InputError(f"{run / INDEX} does not name the last and the best checkpoint")
    return index


def find(path: Path, which: Which = "best") -> Path:
    """The checkpoint's folder: `path` itself if it is one, else the one that the run's index names."""
    return path if (path / CARD).exists() else path / read_index(path)[which]


def load(path: Path, which: Which = "best") -> Checkpoint:
    """A run's checkpoint, or one by its own folder. InputError if it is incomplete or not one."""
    folder = find(path, which)
    try:
        card = json.loads((folder / CARD).read_text())
        return Checkpoint(load_file(folder / WEIGHTS), card)
    except (OSError, ValueError, SafetensorError) as error:
        raise InputError(f"{folder} is not a checkpoint: {error}") from error


def load_training(run: Path) -> dict[str, Any]:
    """What training needs to go on from the last checkpoint. InputError."""
    file = find(run, "last") / TRAINING
    try:
        state: dict[str, Any] = torch.load(file, weights_only=True)
    except (OSError, EOFError, LookupError, RuntimeError, ValueError, UnpicklingError) as error:
        raise InputError(f"training cannot be resumed from {file}: {error}") from error
    return state


# --- models --------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Loaded:
    """A model ready for use."""

    model: Model
    config: ModelConfig
    domain: AnyDomain
    card: dict[str, Any]


def describe(name: str, config: ModelConfig, domain: AnyDomain) -> dict[str, Any]:
    """The part of a card that says how to build the model again."""
    return {"name": name, "domain": domain.name, "config": asdict(config), "vocabulary": list(domain.vocab.lexemes)}


def domain_of(card: Mapping[str, Any], path: Path) -> AnyDomain:
    """The language of a card's model. InputError."""
    name = card.get("domain")
    if name not in DOMAINS:
        raise InputError(f"{path} is a model of the language `{name}`; there are {', '.join(DOMAINS)}")
    return get_domain(name)


def config_of(card: Mapping[str, Any], path: Path) -> ModelConfig:
    """The config of a card's model. InputError if this version cannot build it."""
    try:
        return read_config(card["config"], domain_of(card, path))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the card of {path} describes no model that this version knows: {error}") from error


def load_model(path: Path, which: Which = "best") -> Loaded:
    """Build the model that a checkpoint describes, with its weights, ready to search. InputError."""
    weights, card = (checkpoint := load(path, which)).weights, checkpoint.card
    domain = domain_of(card, path)
    config = config_of(card, path)
    if card.get("vocabulary") != list(domain.vocab.lexemes):
        raise InputError(f"{path} was trained with another vocabulary than this version has")
    model = build_model(config, domain)
    try:
        model.load_state_dict(read_weights(weights))
    except RuntimeError as error:
        raise InputError(f"the weights in {path} are not those of its configuration: {error}") from error
    return Loaded(model.eval(), config, domain, card)
