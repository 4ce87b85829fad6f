"""Checkpoints of older versions load as if this version had written them, or the error says why not."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from lasynth.config import MODELS, ModelConfig, model_config
from lasynth.domains import get_domain
from lasynth.domains.restricted_c.learning.values import ListConfig
from lasynth.older import read_config, read_training, read_weights
from lasynth.settings import TrainConfig

C = get_domain("c")


def old_card(config: ModelConfig) -> dict[str, Any]:
    """A config as version 0.1 wrote it on a card."""
    card = asdict(config)
    card |= {**card.pop("values"), "detach_state": False, "execution_weight": 1.0, "execution_warmup_steps": 0}
    overview, layers = card.pop("overview"), card.pop("layers")
    card |= {"summary": overview, "consensus": overview > 0, "output_from": "all" if overview else "attention"}
    card |= dict.fromkeys(("encoder_layers", "decoder_layers", "executor_layers"), layers)
    card |= {"attention_hidden": config.hidden, "double_attention": "output_first"}
    whole = config.executor_network == "whole"
    card |= {"executor_hidden": config.decoder_hidden if whole else config.hidden}
    card |= {"state_update": "gated" if whole else "replace"}
    return card | {"pool_over": "reaching" if config.executor == "real" else "all"}


@pytest.mark.parametrize("preset", ["cpu", "paper"])
@pytest.mark.parametrize("row", MODELS)
def test_old_and_new_cards_give_the_same_config(row: str, preset: str) -> None:
    config = model_config(row, preset, ListConfig(7, -2, 6))
    assert read_config(old_card(config), C) == config
    assert read_config(asdict(config), C) == config


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"detach_state": True}, "detach_state = True is no longer supported, only False"),
        ({"execute_at": 3}, "execute_at must be"),
        ({"consensus": False}, "consensus"),
        ({"encoder_layers": 2}, "layers"),
        ({"attention_hidden": 64}, "attention_hidden"),
        ({"pool_over": "reaching"}, "pool_over"),
        ({"state_update": "replace"}, "state_update"),
        ({"colour": 1}, "unknown settings colour"),
    ],
)
def test_a_setting_that_is_no_longer_supported_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_config({**old_card(model_config("LaSynth+", "cpu", ListConfig())), **changed}, C)


def test_old_training_settings_load() -> None:
    then = {**asdict(TrainConfig(steps=3)), "draw_for": "batch"}
    del then["longest"]
    assert read_training(then) == asdict(TrainConfig(steps=3))
    with pytest.raises(ValueError, match="draw_for"):
        read_training({**then, "draw_for": "task"})


def test_old_weights_are_renamed() -> None:
    assert read_weights({"networks.latent.pair.weight": 1, "decoder.output.bias": 2}) == {
        "networks.latent_encoder.pair.weight": 1,
        "decoder.output.bias": 2,
    }
