"""`lasynth train` on the command line, and the commands that use its runs: evaluate and export."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lasynth import checkpoint
from lasynth.cli import main
from lasynth.commands.train import preset_named, training_processes
from lasynth.dataset import DatasetPlan, generate
from lasynth.domains.karel.generator import KarelOptions
from lasynth.runlog import read_log
from lasynth.settings import TrainConfig
from lasynth.task import InputError
from lasynth.train import Job
from tests.fakes import small_data, tiny_config
from tests.timing import PATIENCE, wait_until

SMALL = [f"--set={name}=8" for name in ("hidden", "embedding", "decoder_hidden")]
SHORT = ["--steps", "2", "--batch", "4", "--validation-tasks", "5", "--processes", "1", *SMALL]


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


def as_older_versions_wrote_it(run: Path) -> None:
    """They counted the programs of one process."""
    file = checkpoint.find(run, "last") / checkpoint.CARD
    card = json.loads(file.read_text())
    del card["format"]
    card["training"]["batch"] //= card["processes"]
    file.write_text(json.dumps(card))


@pytest.mark.slow
def test_the_same_command_on_two_processes(tmp_path: Path) -> None:
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"
    words = ["-m", "lasynth.cli", "train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    words[words.index("--processes") : words.index("--processes") + 2] = []
    for steps, more in ((2, []), (3, ["--resume", "--steps", "3"])):
        if more:
            as_older_versions_wrote_it(run)
        done = subprocess.run(
            [sys.executable, *launcher, *words, *more], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.count(f"done at step {steps}") == 1, "only one process prints"
        card = card_of(run)
        assert (card["processes"], card["step"], card["programs"]) == (2, steps, 4 * steps)


def test_the_number_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Default: one for each usable core, if each gets at least four programs; or as many as asked for or as before."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    job = Job("LaSynth", tiny_config("LaSynth"), TrainConfig(steps=1, batch=64), tmp_path, tmp_path / "run")
    for cores, batch, count in ((1, 64, 1), (2, 64, 2), (6, 64, 4), (99, 64, 16), (2, 8, 2), (9, 8, 2), (2, 3, 1)):
        monkeypatch.setattr("lasynth.workers.usable_cores", lambda cores=cores: cores)
        assert training_processes(replace(job, train=replace(job.train, batch=batch)), None) == count
    monkeypatch.setattr("lasynth.workers.usable_cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert training_processes(job, None) == 2
    assert training_processes(job, 64) == 64
    for wrong, message in ((3, "cannot be shared evenly by 3 processes"), (0, "must be 1 to 256")):
        with pytest.raises(InputError, match=message):
            training_processes(job, wrong)
    (job.out / "step-1").mkdir(parents=True)
    (job.out / checkpoint.INDEX).write_text('{"last": "step-1", "best": "step-1"}')
    (job.out / "step-1" / checkpoint.CARD).write_text('{"processes": 32}')
    assert training_processes(replace(job, resume=True), None) == 32


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes by /proc")
def test_a_killed_process_is_replaced(tmp_path: Path) -> None:
    """kill -9 for one of two processes: the run goes on, and its weights are those of an undisturbed run."""
    data = small_data(tmp_path / "data", 60, 5, 5)
    words = [
        "train",
        str(data),
        "--model",
        "NoExecutor",
        *SHORT,
        "--processes",
        "2",
        "--steps",
        "30",
        "--log-every",
        "1",
    ]
    words += ["--validate-every", "10"]
    running = start([*words, "--out", str(tmp_path / "killed")])
    wait_for_step(tmp_path / "killed", 12, running)
    os.kill(workers_of(running)[1], signal.SIGKILL)
    out, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert "lasynth: process 2 of 2 was killed by signal 9 (Killed); starting again from the last checkpoint" in errors
    assert "Traceback" not in errors
    assert out.count("done at step 30") == 1
    assert main([*words, "--out", str(tmp_path / "whole")]) == 0
    one, other = (checkpoint.load(tmp_path / name, "last").weights for name in ("killed", "whole"))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert [r["step"] for r in read_log(tmp_path / "killed") if r["kind"] == "train"] == list(range(1, 31))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_all_processes(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal, SIGTERM usually the first one alone; either ends in a checkpoint."""
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"
    words = ["train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]
    running = start([*words, "--processes", "2", "--steps", "100000", "--log-every", "1"])
    wait_for_step(run, 3, running)
    if number == signal.SIGINT:
        os.killpg(running.pid, number)
    else:
        running.send_signal(number)
    out, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130, errors
    assert "Traceback" not in errors
    assert f"interrupted at step {card_of(run)['step']}" in out
    assert "--resume continues it" in out
    assert card_of(run)["step"] == read_log(run)[-1]["step"]


def test_divergence_is_no_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = small_data(tmp_path / "data", 60, 5, 5)
    words = ["train", str(data), "--out", str(tmp_path / "run"), "--model", "NoExecutor", *SHORT]
    assert main([*words, "--steps", "20", "--learning-rate", "1e38", "--warmup", "0"]) == 1
    assert "the loss is no longer a number at step" in (error := capsys.readouterr().err)
    assert "(--learning-rate)" in error


def test_a_run_that_fails_at_once_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"
    words = ["train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]
    diverging = ["--steps", "20", "--learning-rate", "1e38", "--warmup", "0"]
    assert main([*words, *diverging]) == 1
    assert not run.exists()
    assert main([*words, *diverging, "--processes", "2"]) == 1
    assert not run.exists()
    assert main([*words, *diverging, "--log-every", "1"]) == 1, "its log may tell why"
    assert [record["step"] for record in read_log(run)] == [1]
    assert main(words) == 2
    assert "--resume continues the run in it, --overwrite replaces it" in capsys.readouterr().err
    assert main([*words, "--overwrite"]) == 0
    assert card_of(run)["step"] == 2


def test_a_run_is_overwritten_only_by_a_run_that_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"
    words = ["train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]
    assert main(words) == 0
    (run / "notes.txt").write_text("mine")
    for more, message in (
        (["--begin-with", str(data)], "is not a checkpoint"),
        (["--resume"], "give either --resume or --overwrite"),
        (["--draw-examples", "1", "99"], "cannot be drawn"),
    ):
        assert main([*words, "--overwrite", *more]) == 2
        assert message in capsys.readouterr().err
        assert card_of(run)["step"] == 2
    assert main([*words, "--overwrite", "--steps", "1", "--seed", str(2**64 - 1)]) == 0
    assert card_of(run)["step"] == 1
    assert [record["step"] for record in read_log(run)] == [1, 1]
    assert (run / "notes.txt").read_text() == "mine"
    words[words.index(str(run))] = str(data)
    assert main([*words, "--overwrite"]) == 2
    assert "is not a training run and is therefore not overwritten" in capsys.readouterr().err


def test_a_lack_of_memory_has_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, run = small_data(tmp_path / "data", 60, 5, 5), tmp_path / "run"

    def losses(*arguments: object) -> None:
        torch.empty(10**17)

    monkeypatch.setattr("lasynth.train._Run._losses", losses)
    assert main(["train", str(data), "--out", str(run), "--model", "NoExecutor", *SHORT]) == 1
    assert "not enough memory for a batch of 4 programs" in capsys.readouterr().err
    assert not run.exists()


@pytest.mark.parametrize("content", ["[", "[]", "{}", '[{"model": "x"}]', '{"data": "x", "lines": {}}'])
def test_only_evaluations_are_exported(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "figures.json").write_text(content)
    words = ["export", str(tmp_path), "--out", str(tmp_path / "out"), "--evaluation", str(tmp_path / "figures.json")]
    assert main(words) == 2
    wanted = "cannot be read as JSON" if content == "[" else "takes what `lasynth evaluate --json FILE` writes"
    assert wanted in capsys.readouterr().err


def test_options_are_named_where_they_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = small_data(tmp_path / "data", 20, 5, 0)
    words = ["train", str(data), "--out", str(data)]
    for more, message in (
        (["--steps", "1", *SHORT], "is not empty; --resume continues the run in it"),
        ([], "give --steps or --hours"),
        (["--steps", "1", "--batch", "8", "--processes", "3"], "cannot be shared evenly"),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err


def start(words: list[str]) -> subprocess.Popen[str]:
    """The command in a session of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "lasynth.cli", *words]
    return subprocess.Popen(
        command, env=environment, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for_step(run: Path, step: int, process: subprocess.Popen[str]) -> None:
    wait_until(lambda: any(record["step"] >= step for record in read_log(run)), process)


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Processes that it has started, in their order."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("hidden", "name=value"),
        ("hidden=x", "of type int"),
        ("colour=1", "no setting `colour`"),
        ("hidden=0", "at least 1"),
        ("architecture=cursor", "restricted C has no networks for architecture: cursor"),
        ("architecture=pooled", "restricted C has no networks for architecture: pooled"),
        ("channels=8", "channels has no effect in restricted C"),
    ],
)
def test_impossible_settings_are_refused(
    setting: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = small_data(tmp_path / "data", 5, 2, 0)
    assert main(["train", str(data), "--out", str(tmp_path / "run"), "--steps", "1", "--set", setting]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "setting", "message"),
    [
        ("NoExecutor", "operation_predictor=True", "Karel has no operation_predictor"),
        ("NoExecutor", "encoder=properties", "Karel has no encoder: properties"),
        ("LaSynth", "latent_view=beside", "Karel has no latent_view: beside"),
        ("Executed", "encoder=pairs", "encoder has no effect with architecture: cursor"),
        ("Bunel", "token_attention=True", "token_attention has no effect with architecture: pooled"),
    ],
)
def test_settings_without_effect_in_karel_are_refused(
    row: str, setting: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = DatasetPlan("karel", {"train": 5, "val": 2, "test": 0}, 7, KarelOptions())
    generate(plan, tmp_path / "data", processes=1, overwrite=False, report=lambda split, done: None)
    words = ["train", str(tmp_path / "data"), "--model", row, *SHORT, "--out", str(tmp_path / "run")]
    assert main([*words, "--set", setting]) == 2
    assert message in capsys.readouterr().err


def test_the_papers_preset(tmp_path: Path) -> None:
    """Model and training have the settings of the paper; only the sizes are changed, for speed."""
    data, run = small_data(tmp_path / "data", 20, 5, 0), tmp_path / "run"
    words = ["--preset", "paper", "--steps", "1", "--validation-tasks", "2", "--processes", "1", *SMALL]
    assert main(["train", str(data), "--out", str(run), "--model", "LaSynth", *words]) == 0
    card = card_of(run)
    config, training = card["config"], card["training"]
    assert isinstance(config, dict)
    assert isinstance(training, dict)
    assert [config[name] for name in ("execute_at", "input_feeding", "decoder")] == ["token", True, "per_example"]
    assert [training[name] for name in ("batch", "schedule", "clip", "bf16")] == [8, "decay", 5.0, False]


def test_the_preset_is_known_before_its_defaults_are_shown() -> None:
    assert preset_named(["data", "--preset=paper"]) == preset_named(["--preset", "paper", "data"]) == "paper"
    assert preset_named(["data"]) == "cpu"
