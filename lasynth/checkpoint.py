"""Checkpoints on disk: weights as safetensors, a JSON card that describes them, and the state to resume training from.

A run's folder has one folder per checkpoint, and `checkpoints.json`, an index that names the last and the best one. A
checkpoint's folder gets its name when it is complete. Then the index is replaced in one step, and only then are older
checkpoints removed. So a run that is killed at any moment has a last checkpoint that loads. This module stores the
training state as it is and does not look into it.

    RUN/checkpoints.json          {"last": "step-2000", "best": "step-1500"}
    RUN/step-2000/card.json       configuration, vocabulary, step, metrics
    RUN/step-2000/weights.safetensors
    RUN/step-2000/training.pt     state of optimiser, schedule and data; only needed to resume
"""

from __future__ import annotations

import json
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
from lasynth.files import new_folder, remove_leftovers, write_file
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
    """Write a checkpoint and make it the last one, and the best one if `best` says so."""
    run.mkdir(parents=True, exist_ok=True)
    index = read_index(run) if (run / INDEX).exists() else {}
    if name not in index.values() or not (run / name).exists():  # a resumed run may reach a saved step again
        with new_folder(run / name) as folder:
            (folder / WEIGHTS).write_bytes(to_bytes({key: value.detach().clone() for key, value in weights.items()}))
            torch.save(dict(training), folder / TRAINING)
            (folder / CARD).write_text(json.dumps(card, indent=2) + "\n")
    index |= {"last": name, **({"best": name} if best or "best" not in index else {})}
    write_file(run / INDEX, json.dumps(index) + "\n")
    _clean(run)


def _clean(run: Path) -> None:
    """Remove what the index does not name. Training state is needed for the last checkpoint only."""
    index = read_index(run)
    for folder in run.glob("step-*"):
        if folder.name not in index.values():
            shutil.rmtree(folder, ignore_errors=True)
    remove_leftovers(run)
    if index["best"] != index["last"]:
        (run / index["best"] / TRAINING).unlink(missing_ok=True)


def export(path: Path, out: Path, which: Which = "best", more: Mapping[str, Any] | None = None) -> int:
    """Write the weights in half precision to a new folder, with their card and `more` in it. Returns the size in bytes.

    The folder is a checkpoint without training state: training cannot be resumed from it. InputError.
    """
    if out.exists():
        raise InputError(f"{out} exists already")
    stored = load(path, which)
    weights = to_bytes({key: _halved(value) for key, value in stored.weights.items()})
    card = {**stored.card, **(more or {}), "sha256": sha256(weights).hexdigest()}
    with new_folder(out) as folder:
        (folder / WEIGHTS).write_bytes(weights)
        (folder / CARD).write_text(json.dumps(card, indent=1) + "\n")
    return len(weights)


def _halved(value: Tensor) -> Tensor:
    return value.half().contiguous() if value.is_floating_point() else value.contiguous()


def clear(run: Path) -> None:
    """Remove all checkpoints of a run; the index first, so that it never names one that is gone."""
    (run / INDEX).unlink(missing_ok=True)
    for folder in run.glob("step-*"):
        shutil.rmtree(folder, ignore_errors=True)
    remove_leftovers(run)


# --- reading ---------------------------------------------------------------------------------------------------------
def read_index(run: Path) -> dict[str, str]:
    """Read which checkpoint is the last and which the best. InputError if the folder is not a run."""
    try:
        index = json.loads((run / INDEX).read_text())
    except (OSError, ValueError) as error:
        raise InputError(f"{run} is not a training run: no readable {INDEX} in it") from error
    if not isinstance(index, dict) or not all(isinstance(index.get(which), str) for which in ("last", "best")):
        raise InputError(f"{run / INDEX} does not name the last and the best checkpoint")
    return index


def find(path: Path, which: Which = "best") -> Path:
    """The folder of a checkpoint: `path` itself if it is one, else the folder that the index of the run names."""
    return path if (path / CARD).exists() else path / read_index(path)[which]


def load(path: Path, which: Which = "best") -> Checkpoint:
    """Load a checkpoint of a run, or the one in the folder `path`. InputError if it is incomplete or no checkpoint."""
    folder = find(path, which)
    try:
        card = json.loads((folder / CARD).read_text())
        if not isinstance(card, dict):
            raise ValueError(f"{CARD} is not an object")
        return Checkpoint(load_file(folder / WEIGHTS), card)
    except (OSError, ValueError, SafetensorError) as error:
        raise InputError(f"{folder} is not a checkpoint: {error}") from error


def load_training(run: Path) -> dict[str, Any]:
    """Load the training state of the last checkpoint. InputError."""
    file = find(run, "last") / TRAINING
    try:
        state: dict[str, Any] = torch.load(file, weights_only=True)
    except (OSError, EOFError, LookupError, RuntimeError, ValueError, UnpicklingError) as error:
        raise InputError(f"training cannot be resumed from {file}: {error}") from error
    return state


# --- models ----------------------------------------------------------------------------------------------------------
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
    if not isinstance(name, str) or name not in DOMAINS:
        raise InputError(f"{path} is a model of the language `{name}`; known languages: {', '.join(DOMAINS)}")
    return get_domain(name)


def config_of(card: Mapping[str, Any], path: Path) -> ModelConfig:
    """The config of a card's model. InputError if this version cannot build it."""
    try:
        return read_config(card["config"], domain_of(card, path))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the card of {path} does not describe a model that this version can build: {error}"
        ) from error


def load_model(path: Path, which: Which = "best") -> Loaded:
    """Build the model that a checkpoint describes, with its weights, ready to search. InputError."""
    weights, card = (checkpoint := load(path, which)).weights, checkpoint.card
    domain = domain_of(card, path)
    config = config_of(card, path)
    if card.get("vocabulary") != list(domain.vocab.lexemes):
        raise InputError(f"{path} was trained with a vocabulary that differs from that of this version")
    model = build_model(config, domain)
    try:
        model.load_state_dict(read_weights(weights))
    except RuntimeError as error:
        raise InputError(f"the weights in {path} do not fit its configuration: {error}") from error
    return Loaded(model.eval(), config, domain, card)
