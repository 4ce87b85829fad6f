"""Checkpoints: loading gives what was saved, and a process killed while saving leaves a last checkpoint that loads."""

from __future__ import annotations

import json
import os
import shutil
import signal
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from lasynth import checkpoint
from lasynth.domains import get_domain
from lasynth.models.build import build_model
from lasynth.task import InputError
from tests.fakes import any_io, tiny_config


def save(run: Path, step: int, best: bool) -> None:
    weights = {"w": torch.full((3,), float(step))}
    checkpoint.save(run, f"step-{step}", weights, {"step": step}, {"step": step, "m": torch.ones(2) * step}, best)


def stored(run: Path, which: checkpoint.Which) -> int:
    """The step of a checkpoint. All its parts must agree on it."""
    loaded = checkpoint.load(run, which)
    step: int = loaded.card["step"]
    assert torch.equal(loaded.weights["w"], torch.full((3,), float(step)))
    if which == "last":
        training = checkpoint.load_training(run)
        assert training["step"] == step
        assert torch.equal(training["m"], torch.ones(2) * step)
    return step


def test_last_and_best_are_kept_and_nothing_else(tmp_path: Path) -> None:
    for step, best in ((0, False), (1, True), (2, False), (3, False)):
        save(tmp_path, step, best)
    assert (stored(tmp_path, "last"), stored(tmp_path, "best")) == (3, 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoints.json", "step-1", "step-3"]
    assert not (tmp_path / "step-1" / checkpoint.TRAINING).exists()
    assert checkpoint.load(tmp_path / "step-1").card == {"step": 1}


def test_the_first_checkpoint_is_the_best_so_far(tmp_path: Path) -> None:
    save(tmp_path, 0, False)
    assert stored(tmp_path, "best") == 0


def test_the_same_step_again(tmp_path: Path) -> None:
    save(tmp_path, 4, True)
    save(tmp_path, 4, False)
    assert (stored(tmp_path, "last"), stored(tmp_path, "best")) == (4, 4)


# Functions that saving calls. The test kills the process before each of these calls.
CALLS = [
    (os, "fsync"),
    (os, "replace"),
    (Path, "rename"),
    (Path, "write_bytes"),
    (Path, "write_text"),
    (shutil, "rmtree"),
]


def killed_while_saving(run: Path, moment: int) -> bool:
    """Save step 2 in a child process that is killed before call number `moment`. Returns whether it was killed."""
    child = os.fork()
    if child == 0:
        left = moment
        for owner, name in CALLS:

            def counted(*args: object, real: object = getattr(owner, name), **kwargs: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **kwargs)  # type: ignore[operator]

            setattr(owner, name, counted)
        try:
            save(run, 2, best=True)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_a_kill_at_any_moment_leaves_a_checkpoint_that_loads(tmp_path: Path) -> None:
    moment, killed, seen = 0, True, set()
    while killed:
        run = tmp_path / str(moment)
        save(run, 0, True)
        save(run, 1, False)
        killed = killed_while_saving(run, moment)
        seen.add((stored(run, "last"), stored(run, "best")))
        save(run, 2, best=True)  # the resumed run reaches the same step
        assert (stored(run, "last"), stored(run, "best")) == (2, 2)
        assert sorted(path.name for path in run.iterdir()) == ["checkpoints.json", "step-2"]
        moment += 1
    assert moment > 8
    assert seen == {(1, 0), (2, 2)}


def test_a_saved_model_loads_with_the_same_outputs(tmp_path: Path) -> None:
    domain, config = get_domain("c"), tiny_config("LaSynth+")
    model = build_model(config, domain, seed=3).eval()
    card = checkpoint.describe("LaSynth+", config, domain)
    checkpoint.save(tmp_path, "step-1", model.state_dict(), card, {}, best=True)
    loaded = checkpoint.load_model(tmp_path)
    assert loaded.config == model.config
    assert loaded.domain is domain
    assert not loaded.model.training
    io = any_io(2, length=5)
    tokens = torch.tensor([1, 1])
    assert torch.equal(loaded.model.step(loaded.model.start(io), tokens)[0], model.step(model.start(io), tokens)[0])


def test_bad_checkpoints_are_rejected_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a training run"):
        checkpoint.load(tmp_path)
    (tmp_path / checkpoint.INDEX).write_text("[]")
    with pytest.raises(InputError, match="does not name"):
        checkpoint.load(tmp_path)
    shutil.rmtree(tmp_path)
    domain, config = get_domain("c"), tiny_config("NoExecutor")
    good = checkpoint.describe("NoExecutor", config, domain)
    for change, message in (
        ({"config": {"size": 3}}, "not describe a model that this version can build"),
        ({"domain": "python"}, "`python`"),
        ({"vocabulary": ["x"]}, "a vocabulary that differs"),
        ({"config": {**good["config"], "hidden": 16}}, "do not fit its configuration"),
    ):
        model = build_model(config, domain)
        checkpoint.save(tmp_path, "step-1", model.state_dict(), {**good, **change}, {}, best=True)
        with pytest.raises(InputError, match=message):
            checkpoint.load_model(tmp_path)
        shutil.rmtree(tmp_path)
    checkpoint.save(tmp_path, "step-1", model.state_dict(), good, {}, best=True)
    (tmp_path / "step-1" / checkpoint.WEIGHTS).write_bytes(b"half a file")
    with pytest.raises(InputError, match="not a checkpoint"):
        checkpoint.load_model(tmp_path)
    (tmp_path / "step-1" / checkpoint.TRAINING).write_bytes(b"half a file")
    with pytest.raises(InputError, match="cannot be resumed"):
        checkpoint.load_training(tmp_path)
    assert json.loads((tmp_path / checkpoint.INDEX).read_text()) == {"last": "step-1", "best": "step-1"}


def test_an_exported_model_has_half_the_size_and_nearly_the_same_weights(tmp_path: Path) -> None:
    domain, config = get_domain("c"), tiny_config("NoExecutor")
    model = build_model(config, domain, seed=1).eval()
    card = checkpoint.describe("NoExecutor", config, domain)
    checkpoint.save(tmp_path / "run", "step-1", model.state_dict(), {**card, "step": 1}, {}, best=True)
    size = checkpoint.export(tmp_path / "run", tmp_path / "out", more={"evaluation": {"test": 1}})
    weights = tmp_path / "out" / checkpoint.WEIGHTS
    assert weights.stat().st_size == size < 0.6 * (tmp_path / "run" / "step-1" / checkpoint.WEIGHTS).stat().st_size
    exported = checkpoint.load_model(tmp_path / "out")
    assert exported.card["evaluation"] == {"test": 1}
    assert exported.card["sha256"] == sha256(weights.read_bytes()).hexdigest()
    for name, value in exported.model.state_dict().items():
        torch.testing.assert_close(value, model.state_dict()[name], atol=2e-3, rtol=2e-3)
    with pytest.raises(InputError, match="exists already"):
        checkpoint.export(tmp_path / "run", tmp_path / "out")
