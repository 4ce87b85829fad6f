"""Model configs: the rows of the table, what presets change, and which settings contradict each other."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from lasynth.config import MODELS, PRESETS, SETTINGS, ModelConfig, model_config
from lasynth.domains.restricted_c.learning.values import list_config
from lasynth.settings import TRAINING, SearchConfig, TrainConfig
from lasynth.task import InputError
from lasynth.train import learning_rate


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hidden": 0}, "hidden must be at least 1"),
        ({"hidden": 10**9}, "hidden must be at most 65,536"),
        ({"layers": 65}, "layers must be at most 64"),
        ({"decoder": "shard"}, "decoder must be shared, per_example, not `shard`"),
        ({"execute_at": "x"}, "execute_at must be token, statement, outer, not `x`"),
        ({"examples": 0}, "examples must be at least 1"),
        ({"executor": "none", "latent_view": "beside"}, "beside needs executor: partial or real"),
        ({"executor": "real", "execute_at": "outer"}, "real needs execute_at: statement"),
        ({"overview": -1}, "overview must not be negative"),
        ({"executor": "none", "execution_loss": "statements"}, "statements needs executor: partial"),
        ({"execute_at": "token", "execution_loss": "statements"}, "and execute_at: statement"),
        ({"encoder": "properties", "operation_predictor": False}, "needs executor: none"),
        ({"encoder": "properties", "executor": "none"}, "cannot have an operation_predictor"),
    ],
)
def test_wrong_and_contradictory_settings_are_rejected(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(ModelConfig(), **settings)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"list_length": 0}, "list_length must be at least 1"),
        ({"smallest_value": 4}, "smallest_value must be less"),
    ],
)
def test_impossible_list_settings_are_rejected(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list_config(wrong)


def test_there_are_few_settings() -> None:
    assert len(SETTINGS) <= 18


def test_rows_differ_from_lasynth_as_the_paper_says() -> None:
    lasynth = MODELS["LaSynth"]
    assert MODELS["NoExecutor"] == replace(lasynth, executor="none")
    assert MODELS["NoPartialExecutor"] == replace(lasynth, executor="final")
    assert MODELS["NoOpPredictor"] == replace(lasynth, operation_predictor=False)
    assert MODELS["NoAttentionInDecoding"] == replace(lasynth, token_attention=False)
    assert len(set(MODELS.values())) == len(MODELS) == 9


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("row", MODELS)
def test_presets_keep_the_settings_that_define_a_row(row: str, preset: str) -> None:
    names = ("executor", "operation_predictor", "token_attention", "latent_view", "execution_loss")
    config = model_config(row, preset)
    assert (config.encoder == "properties") == (MODELS[row].encoder == "properties")
    assert [getattr(config, name) for name in names] == [getattr(MODELS[row], name) for name in names]


def test_the_paper_preset_executes_and_feeds_as_the_paper() -> None:
    config = model_config("LaSynth", "paper")
    assert (config.hidden, config.embedding, config.layers) == (512, 1024, 2)
    assert config.input_feeding
    assert config.execute_at == "token"


@pytest.mark.parametrize(
    ("row", "preset", "settings"),
    [("LaSynth++", "cpu", {}), ("LaSynth", "gpu", {}), ("LaSynth", "cpu", {"hiden": 3})],
)
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(row: str, preset: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"there is no .*; there are "):
        model_config(row, preset, **settings)


def test_the_paper_preset_has_the_papers_sizes_and_training() -> None:
    sizes = asdict(model_config("LaSynth", "paper"))
    assert {name: sizes[name] for name in ("hidden", "embedding", "decoder_hidden", "layers", "overview")} == {
        "hidden": 512, "embedding": 1024, "decoder_hidden": 512, "layers": 2, "overview": 0,
    }  # fmt: skip
    training = TrainConfig(**TRAINING["paper"])
    assert (training.batch, training.clip, SearchConfig().beam) == (8, 5.0, 64)
    rates = [learning_rate(training, step, 0.5) for step in (0, 5999, 6000, 12_000)]
    assert rates == pytest.approx([1e-3, 1e-3, 0.9e-3, 0.81e-3])
