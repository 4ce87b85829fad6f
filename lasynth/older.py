"""Read checkpoints of older versions as this version would have written them.

A retired setting must have the value that this version always uses. Settings that were joined must agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lasynth.config import ModelConfig
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.settings import TrainConfig

RETIRED = {
    "detach_state": False,
    "execution_weight": 1.0,
    "execution_warmup_steps": 0,
    "double_attention": "output_first",
}
"""Settings of models that no longer exist, and the only value that can still be loaded."""
RETIRED_TRAINING = {"draw_for": "batch"}
"""The same for settings of trainings."""
RENAMED_WEIGHTS = {"networks.latent.": "networks.latent_encoder."}
"""Prefixes of the names of weights: old name -> new name."""
CARD_FORMAT = 2
"""Format of a run's card. Cards of format 1 do not state it; their `batch` counts the programs of one process only."""


def read_config(stored: Mapping[str, Any], domain: AnyDomain) -> ModelConfig:
    """The config on a card. ValueError or TypeError if this version cannot build such a model."""
    settings = dict(stored)
    language = learnable(domain)
    if "values" in settings:
        return ModelConfig(**{**settings, "values": language.value_config(settings["values"] or {})})
    known = {field.name for field in fields(ModelConfig)}
    values = {name: settings.pop(name) for name in ("list_length", "smallest_value", "largest_value")}
    for name, value in RETIRED.items():
        _must_be(name, settings.pop(name, value), value)
    _join_overview(settings)
    _join_sizes(settings)
    _join_execution(settings)
    if unknown := settings.keys() - known:
        raise ValueError(f"unknown settings {', '.join(sorted(unknown))}")
    return ModelConfig(**settings, values=language.value_config(values))


def read_training(stored: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a training on a card. A setting that is missing there gets its default. ValueError."""
    settings = dict(stored)
    for name, value in RETIRED_TRAINING.items():
        _must_be(name, settings.pop(name, value), value)
    defaults = {field.name: field.default for field in fields(TrainConfig)}
    return {**defaults, **settings}


def current_format(card: dict[str, Any]) -> dict[str, Any]:
    """A run's card of any version, converted to the current format."""
    if card.get("format", 1) >= CARD_FORMAT:
        return card

    def counted_together(part: dict[str, Any]) -> dict[str, Any]:
        return {**part, "training": {**part["training"], "batch": part["training"]["batch"] * part["processes"]}}

    before = [counted_together(part) for part in card.get("before", [])]
    return {**counted_together(card), "before": before, "format": CARD_FORMAT}


def read_weights(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Weights under their current names."""
    return {_renamed(name): value for name, value in stored.items()}


def _renamed(name: str) -> str:
    for then, now in RENAMED_WEIGHTS.items():
        if name.startswith(then):
            return now + name.removeprefix(then)
    return name


def _join_overview(settings: dict[str, Any]) -> None:
    summary, consensus = settings.pop("summary", 0), settings.pop("consensus", False)
    wide = settings.pop("output_from", "attention") == "all"
    _must_be("consensus", consensus, summary > 0)
    _must_be("output_from: all", wide, summary > 0)
    settings["overview"] = summary


def _join_sizes(settings: dict[str, Any]) -> None:
    layers = [settings.pop(f"{part}_layers") for part in ("encoder", "decoder", "executor")]
    for part in layers[1:]:
        _must_be("the number of layers", part, layers[0])
    settings["layers"] = layers[0]
    _must_be("attention_hidden", settings.pop("attention_hidden"), settings["hidden"])
    executor = settings.pop("executor_hidden")
    if settings["executor"] in ("final", "partial"):
        whole = settings["executor_network"] == "whole"
        _must_be("executor_hidden", executor, settings["decoder_hidden" if whole else "hidden"])


def _join_execution(settings: dict[str, Any]) -> None:
    executor = settings["executor"]
    _must_be("pool_over", settings.pop("pool_over", "all"), "reaching" if executor == "real" else "all")
    gated = "gated" if settings["executor_network"] == "whole" else "replace"
    update = settings.pop("state_update")
    if executor in ("final", "partial"):
        _must_be("state_update", update, gated)


def _must_be(name: str, value: Any, only: Any) -> None:
    if value != only:
        raise ValueError(f"{name} = {value} is no longer supported, only {only}")
