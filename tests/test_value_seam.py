"""A language whose values have two axes trains, is evaluated, searches and solves through the same code as lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lasynth import checkpoint, domains
from lasynth.config import model_config
from lasynth.dataset import DatasetPlan, generate, read_tasks
from lasynth.domains import get_domain
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.world import World
from lasynth.evaluate import evaluate
from lasynth.runlog import read_log
from lasynth.settings import EvaluateConfig, SearchConfig, TrainConfig
from lasynth.solver import solve
from lasynth.solver.examples import check_examples
from lasynth.task import Example, InputError
from lasynth.train import Job, shape_of, train
from tests.tiles import GridConfig, TilesOptions

TRAIN = TrainConfig(
    steps=60, batch=16, warmup=5, learning_rate=1e-2, validate_every=30, validation_tasks=10, log_every=1
)
SIZES: dict[str, Any] = {"hidden": 24, "embedding": 16, "decoder_hidden": 32, "overview": 16}
PAIRS = [
    (((1, 0, 0), (0, 0, 0), (0, 1, 0)), ((0, 0, 1), (0, 0, 0), (0, 1, 0))),
    (((1, 1, 0), (0, 1, 0), (0, 0, 0)), ((0, 1, 1), (0, 1, 0), (0, 0, 0))),
]
"""Mirrored."""


@pytest.fixture(autouse=True)
def _tiles(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(domains.DOMAINS, "tiles", "tests.tiles:Tiles")
    yield
    domains._made.pop("tiles", None)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(domains.DOMAINS, "tiles", "tests.tiles:Tiles")
        folder = tmp_path_factory.mktemp("tiles") / "data"
        plan = DatasetPlan("tiles", {"train": 200, "val": 20, "test": 30}, 1, TilesOptions(), False)
        generate(plan, folder, 1, False, lambda split, done: None)
    return folder


@pytest.mark.parametrize("row", ["NoExecutor", "LaSynth+", "Executed"])
def test_a_grid_goes_from_a_file_to_a_verified_program(row: str, data: Path, tmp_path: Path) -> None:
    model = model_config(row, "cpu", **shape_of(data), **SIZES)
    assert model.values == GridConfig()
    assert model.examples == 3
    train(Job(row, model, TRAIN, data, tmp_path / "run"))
    losses = [record["program"] for record in read_log(tmp_path / "run") if record["kind"] == "train"]
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    (result,) = evaluate(
        [str(tmp_path / "run")],
        data / "test.parquet",
        EvaluateConfig(SearchConfig(beam=16, max_length=6), checkpoint="last"),
        lambda name, done: None,
    )
    assert result.overall.first_consistent > 50
    assert set(result.groups["ones"]) <= {"few", "many"}
    checkpoint.export(tmp_path / "run", tmp_path / "weights", "last")
    solution = solve(PAIRS, language="tiles", strategy="neural", weights=tmp_path / "weights", timeout=20)
    assert solution.solved, solution.reason
    tiles = get_domain("tiles")
    assert all(tiles.run(solution.programs[0].program, value) == wanted for value, wanted in PAIRS)


def test_symbolic_answers_are_grids_too() -> None:
    solution = solve(PAIRS, language="tiles", strategy="symbolic")
    assert solution.programs[0].code == "mirror\n"


def test_tiles_are_reduced_for_all_grids() -> None:
    result = get_domain("tiles").reduce_for_all(("invert", "mirror", "invert"), [])
    assert (result.program, result.compared, result.proved) == (("mirror",), 512, True)


def test_what_was_written_is_read(data: Path) -> None:
    task = next(iter(read_tasks(data / "test.parquet", get_domain("tiles"))))
    assert task.examples[0].output == get_domain("tiles").run(task.program, task.examples[0].input)


def test_values_of_python_are_taken_as_they_are() -> None:
    """A Karel world need not become text on its way to the solver."""
    karel = Karel()
    world = World.build(3, 3, (0, 0, 1), [(1, 1)], [(2, 2, 3)])
    assert karel.check_value(world) is world
    assert karel.check_value(world.to_json()) == world
    with pytest.raises(InputError, match="a world in JSON"):
        karel.check_value(5)
    tiles = get_domain("tiles")
    assert check_examples(tiles, [Example(PAIRS[0][0], [list(row) for row in PAIRS[0][1]])])[0].output == PAIRS[0][1]
    with pytest.raises(InputError, match=r"example 1, input: .* is not a grid"):
        check_examples(tiles, [Example([1, 2], [3])])
