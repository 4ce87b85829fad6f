"""`lasynth train` on the command line, and the commands that use its runs: evaluate and export."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from lasynth import checkpoint
from lasynth.cli import main
from lasynth.commands.train import _preset_named
from tests.fakes import small_data

SMALL = [f"--set={name}=8" for name in ("hidden", "embedding", "decoder_hidden")]
SHORT = ["--steps", "2", "--batch", "4", "--validation-tasks", "5", *SMALL]


def card_of(run: Path) -> dict[str, object]:
    index = json.loads((run / "checkpoints.json").read_text())
    card: dict[str, object] = json.loads((run / index["last"] / "card.json").read_text())
    return card


def test_the_model_fits_the_lists_of_the_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The data set determines the length of lists and their values. A model for other lists is refused."""
    options = {"list_length": 7, "smallest_value": -2, "largest_value": 6, "examples": 6}
    data, usual = small_data(tmp_path / "long", 60, 5, 5, **options), small_data(tmp_path / "usual", 60, 5, 5)
    run, test = tmp_path / "run", data / "test.parquet"
    assert main(["train", str(data), "--out", str(run), "--model", "LaSynth+", *SHORT, "--set", "overview=0"]) == 0
    config = card_of(run)["config"]
    assert isinstance(config, dict)
    assert [config["values"][name] for name in list(options)[:3]] == [7, -2, 6]
    assert [config[name] for name in ("examples", "overview")] == [3, 0]
    assert main(["evaluate", str(run), str(test), "--beam", "2", "--max-length", "9"]) == 0
    assert main(["train", str(usual), "--out", str(tmp_path / "other"), "--model", "NoExecutor", *SHORT]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(tmp_path / "other"), str(test), "--beam", "2"]) == 2
    assert "the lists have 7 elements, the model takes 5" in capsys.readouterr().err


def test_a_run_can_begin_with_the_weights_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = small_data(tmp_path / "data", 60, 5, 5)
    first, second, third, shipped = (tmp_path / name for name in ("first", "second", "third", "shipped"))
    words = ["train", str(data), "--model", "NoExecutor", *SHORT]
    assert main([*words, "--out", str(first), "--seed", "1"]) == 0
    assert main(["export", str(first), "--out", str(shipped)]) == 0
    slow = [*words, "--learning-rate", "1e-12"]
    assert main([*slow, "--out", str(second), "--begin-with", str(first)]) == 0
    assert main([*slow, "--out", str(third), "--begin-with", str(second)]) == 0
    weights = [checkpoint.load(run, "last").weights for run in (first, second, third)]
    assert all(torch.allclose(weights[0][name], weights[2][name], atol=1e-6) for name in weights[0])
    assert [[part["training"]["seed"] for part in card_of(run)["before"]] for run in (first, third)] == [[], [1, 0]]  # type: ignore[attr-defined]
    assert main([*words, "--out", str(tmp_path / "half"), "--begin-with", str(shipped)]) == 0
    capsys.readouterr()
    assert main([*words, "--out", str(tmp_path / "other"), "--begin-with", str(first), "--set=hidden=9"]) == 2
    assert "is a model with another config; training cannot begin with its weights" in capsys.readouterr().err


def test_a_setting_missing_on_an_old_card_has_its_default(tmp_path: Path) -> None:
    data, old = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "old"
    words = ["train", str(data), "--model", "NoExecutor"]
    assert main([*words, *SHORT, "--out", str(old)]) == 0
    file = checkpoint.find(old, "last") / checkpoint.CARD
    card = json.loads(file.read_text())
    del card["config"]["execution_loss"], card["training"]["longest"]
    file.write_text(json.dumps(card))
    assert main([*words, *SHORT, "--out", str(tmp_path / "new"), "--begin-with", str(old)]) == 0
    assert main([*words, *SHORT, "--steps", "3", "--out", str(old), "--resume"]) == 0
    assert card_of(old)["step"] == 3
    assert main([*words, *SHORT, "--steps", "4", "--out", str(old), "--resume", "--longest", "9"]) == 2


def test_the_same_command_on_two_processes(tmp_path: Path) -> None:
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"
    words = ["-m", "lasynth.cli", "train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for steps, more in ((2, []), (3, ["--resume", "--steps", "3"])):
        done = subprocess.run(
            [sys.executable, *launcher, *words, *more], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(f"done at step {steps}") == 1, "only one process prints"
        card = card_of(run)
        assert (card["processes"], card["step"], card["programs"]) == (2, steps, 8 * steps)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("hidden", "name=value"),
        ("hidden=x", "of type int"),
        ("colour=1", "no setting `colour`"),
        ("hidden=0", "at least 1"),
    ],
)
def test_impossible_settings_are_refused(
    setting: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = small_data(tmp_path / "data", 5, 2, 0)
    assert main(["train", str(data), "--out", str(tmp_path / "run"), "--steps", "1", "--set", setting]) == 2
    assert message in capsys.readouterr().err


def test_the_papers_preset(tmp_path: Path) -> None:
    """Model and training have the settings of the paper; only the sizes are changed, for speed."""
    data, run = small_data(tmp_path / "data", 20, 5, 0), tmp_path / "run"
    words = ["--preset", "paper", "--steps", "1", "--validation-tasks", "2", *SMALL]
    assert main(["train", str(data), "--out", str(run), "--model", "LaSynth", *words]) == 0
    card = card_of(run)
    config, training = card["config"], card["training"]
    assert isinstance(config, dict)
    assert isinstance(training, dict)
    assert [config[name] for name in ("execute_at", "input_feeding", "decoder")] == ["token", True, "per_example"]
    assert [training[name] for name in ("batch", "schedule", "clip", "bf16")] == [8, "decay", 5.0, False]


def test_the_preset_is_known_before_its_defaults_are_shown() -> None:
    assert _preset_named(["data", "--preset=paper"]) == _preset_named(["--preset", "paper", "data"]) == "paper"
    assert _preset_named(["data"]) == "cpu"
