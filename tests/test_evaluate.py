"""Evaluation: hand-made beams are judged correctly; measurements, tables, files and figures."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from lasynth import checkpoint
from lasynth.batch import Collator
from lasynth.cli import main
from lasynth.config import ModelConfig
from lasynth.domains import get_domain
from lasynth.domains.learnable import learnable
from lasynth.evaluate import baseline_names, evaluate
from lasynth.figures import curves, distributions, plot_results
from lasynth.measurement import Measurement, group_rates, groups, tables
from lasynth.models.build import build_model
from lasynth.outcomes import Outcomes, baseline_outcomes, judge, search_outcomes
from lasynth.search import Found, beam_search
from lasynth.settings import EvaluateConfig, SearchConfig
from lasynth.solver import PRETRAINED
from lasynth.split import Split, load_split
from lasynth.task import InputError
from tests.fakes import small_data, tiny_config

DOMAIN = get_domain("c")
COLLATE = Collator.of(ModelConfig(), DOMAIN)
CLOSED_FORM = "ClosedForm"
GIVEN = 2
INPUTS = np.array([[1, 3], [3, 4], [-1, 0], [2, 2]], np.int8)


def words(text: str) -> list[int]:
    return DOMAIN.vocab.encode(["int p_0 =", "0", *text.split("|")])


WANTED = words("++a[p_0]")
SAME_BEHAVIOUR = words("a[p_0] =|a[p_0]|+|1|;")
ONLY_ON_GIVEN = words("if|a[p_0]|>|0|{|++a[p_0]|}")  # the third input is not positive
WRONG = words("--a[p_0]")
FAULTY = words("--p_0|++a[p_0]")
BROKEN = words("++a[p_0]|}")
ENDLESS = WANTED[:-1]


def split_of(program: list[int], inputs: np.ndarray = INPUTS) -> Split:
    outputs, fine, _ = COLLATE.machine.run(np.array([program]), inputs[None], np.array([0]))
    assert fine.all()
    return Split(
        np.array(program, np.int16), np.array([0, len(program)]), inputs[None], outputs.astype(np.int8),
        np.zeros(1, np.int8), np.ones(1, np.int8),
    )  # fmt: skip


def beam(*programs: list[int]) -> Found:
    tokens = np.zeros((1, 6, 12), np.int16)
    scores = np.full((1, 6), -np.inf, np.float32)
    for i, program in enumerate(programs):
        tokens[0, i, : len(program)], scores[0, i] = program, -i
    return Found(tokens, scores, tokens[:, :0])


@pytest.mark.parametrize(
    ("programs", "true"),
    [
        ([WANTED, WRONG], "most_likely first_consistent exact exact_most_likely consistent in_beam"),
        ([SAME_BEHAVIOUR], "most_likely first_consistent consistent in_beam"),
        ([WRONG, FAULTY, BROKEN, WANTED], "first_consistent exact consistent in_beam"),
        ([WRONG, SAME_BEHAVIOUR, WANTED], "first_consistent consistent in_beam"),
        ([ONLY_ON_GIVEN, WANTED], "consistent in_beam"),
        ([ONLY_ON_GIVEN], "consistent"),
        ([WRONG, FAULTY, BROKEN, ENDLESS], ""),
        ([], ""),
    ],
)
def test_judgement(programs: list[list[int]], true: str) -> None:
    outcomes = judge(beam(*programs), split_of(WANTED), np.array([0]), GIVEN, COLLATE)
    flags = {name for name, column in vars(outcomes).items() if column.dtype == np.bool_ and column[0]}
    assert flags == set(true.split())
    assert outcomes.candidates.tolist() == [len(programs)]
    assert outcomes.parsed.tolist() == [sum(program not in (BROKEN, ENDLESS) for program in programs)]


def test_rates_are_percentages_of_the_tasks() -> None:
    parts = [
        judge(beam(*b), split_of(WANTED), np.array([0]), GIVEN, COLLATE)
        for b in ([WANTED], [WRONG, BROKEN], [WRONG, WANTED], [])
    ]
    rates = Outcomes.joined(parts).rates()
    assert (rates.tasks, rates.most_likely, rates.first_consistent, rates.parsed) == (4, 25, 50, 80)
    assert Outcomes.joined(parts).at(np.array([True, False, True, False])).rates().first_consistent == 100


def test_the_closed_form_is_judged_on_all_examples() -> None:
    closed_form = learnable(DOMAIN).baselines()[CLOSED_FORM]
    easy, hard = (
        baseline_outcomes(closed_form, COLLATE.values, split_of(program), GIVEN) for program in (WANTED, ONLY_ON_GIVEN)
    )
    assert easy.most_likely.all()
    assert easy.first_consistent.all()
    assert hard.consistent.all(), "two positive examples look like x + 1"
    assert not hard.first_consistent.any()
    assert not hard.most_likely.any()


@pytest.mark.parametrize("name", ["c", "karel"])
def test_a_search_that_ends_when_its_outcome_is_certain_has_the_outcomes_of_a_whole_search(
    name: str, tmp_path: Path
) -> None:
    domain = get_domain(name)
    if name == "c":
        data = small_data(tmp_path)
    else:
        data = tmp_path / "karel"
        assert main(["generate", "karel", "--out", str(data), "--test", "30", "--seed", "4"]) == 0
    loaded = checkpoint.load_model(PRETRAINED / name)
    split, collate = load_split(data / "test.parquet", domain), Collator.of(loaded.config, domain)
    config = SearchConfig(beam=16, max_length=60)
    given, rows = 2, np.arange(len(split))  # so few that some of the first programs that fit are wrong
    inputs = np.ascontiguousarray(split.inputs[:, :given])
    io = collate.io(inputs, split.outputs[:, :given])
    found = beam_search(loaded.model, io, domain.syntax, config, hopeless=collate.hopeless(inputs))
    whole = judge(found, split, rows, given, collate)
    ended = search_outcomes(loaded.model, split, given, collate, domain.syntax, config)
    for column_name, column in vars(whole).items():
        if column.dtype == np.bool_:
            assert (vars(ended)[column_name] == column).all(), column_name
    assert ended.candidates.sum() < whole.candidates.sum() / 2
    assert 0 < whole.first_consistent.sum() < len(split)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_data(tmp_path_factory.mktemp("evaluate"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, config = tmp_path_factory.mktemp("run"), tiny_config("NoExecutor")
    for step, best in ((0, True), (7, False)):
        card = {**checkpoint.describe("NoExecutor", config, DOMAIN), "step": step}
        checkpoint.save(folder, f"step-{step}", build_model(config, DOMAIN).state_dict(), card, {}, best)
    return folder


def test_groups_cover_every_task(data: Path) -> None:
    split = load_split(data / "test.parquet", DOMAIN)
    for kind, members in groups(split, DOMAIN).items():
        assert (np.sum([rows.astype(int) for rows in members.values()], axis=0) == 1).all(), kind
    assert groups(split, DOMAIN)["length"]["over 80"].tolist() == (split.lengths - 1 > 80).tolist()


def test_a_run_beside_the_baseline(data: Path, run: Path, tmp_path: Path) -> None:
    assert baseline_names(data / "test.parquet") == [CLOSED_FORM]
    told: list[tuple[str, int]] = []
    config = EvaluateConfig(SearchConfig(beam=40, max_length=20), limit=15)
    results = evaluate(
        [str(run), CLOSED_FORM], data / "test.parquet", config, lambda name, done: told.append((name, done))
    )
    assert [result.model for result in results] == ["NoExecutor", CLOSED_FORM]
    assert all(result.overall.tasks == len(result.solved) == 15 for result in results)
    assert {name: sum(n for m, n in told if m == name) for name in (str(run), CLOSED_FORM)} == {
        str(run): 15,
        CLOSED_FORM: 15,
    }
    assert results[0].overall.parsed == 100
    closed = results[1]
    assert closed.overall.first_consistent == round(100 * closed.solved.count("1") / 15, 2)
    assert closed.groups["closed form"]["without"].first_consistent == 0
    stored = json.loads(json.dumps([result.json() for result in results]))
    assert [Measurement.from_json(result) for result in stored] == results
    with (tmp_path / "table").open("w") as file:
        for table in tables(results):
            Console(width=200, file=file).print(table)
    text = (tmp_path / "table").read_text()
    assert all(word in text for word in ("NoExecutor", "ClosedForm", "by category", "Mixture", "by length", "novel"))
    files = plot_results(results, tmp_path / "figures")
    files.append(curves({"a": [(0, 1), (2, 3)]}, "x", "y", tmp_path / "figures" / "curve.png"))
    shares = {"before": {"long": 0.75, "short": 0.25}, "after": {"short": 1.0}}
    files.append(distributions(shares, "x", "y", tmp_path / "figures" / "shares.png"))
    assert all(file.read_bytes()[:4] == b"\x89PNG" for file in files)
    names = {"accuracy_by_category.png", "accuracy_by_length.png", "curve.png", "shares.png"}
    assert {file.name for file in files} == names


def test_the_number_of_processes_changes_nothing(data: Path, run: Path) -> None:
    told: list[int] = []
    results = []
    for processes in (1, 2):
        search = SearchConfig(beam=8, max_length=20, tasks=7)
        config = EvaluateConfig(search, limit=30, given=4, processes=processes)
        (result,) = evaluate([str(run)], data / "test.parquet", config, lambda name, done: told.append(done))
        results.append(replace(result, seconds=0))
    assert results[0] == results[1]
    assert told == [7, 7, 7, 7, 2] * 2


def test_a_part_has_the_tasks_of_the_split(data: Path) -> None:
    split = load_split(data / "test.parquet", DOMAIN)
    part = split.part(3, 8)
    assert len(part) == 5
    assert (part.padded(np.arange(5)) == split.padded(np.arange(3, 8))).all()
    for name in ("inputs", "outputs", "category", "novel"):
        assert (getattr(part, name) == getattr(split, name)[3:8]).all()


def test_runs_of_one_row_are_told_apart(data: Path, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "again")
    config = EvaluateConfig(SearchConfig(beam=1, max_length=5), limit=2)
    results = evaluate([str(run), str(tmp_path / "again")], data / "test.parquet", config, lambda name, done: None)
    assert [result.model for result in results] == [f"NoExecutor ({run.name})", "NoExecutor (again)"]


def test_a_file_that_cannot_be_written_is_reported_before_the_search(
    data: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", str(run), str(data / "test.parquet"), "--json", str(tmp_path / "missing" / "x.json")]
    assert main(words) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_the_command_draws_plots(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", str(data / "test.parquet"), "--model", CLOSED_FORM, "--plots", str(tmp_path / "plots")]
    assert main(words) == 0
    drawn = {"accuracy_by_category.png", "accuracy_by_length.png"}
    assert {file.name for file in (tmp_path / "plots").iterdir()} == drawn
    printed = capsys.readouterr().out
    assert all(name in printed for name in drawn)


def test_baselines_can_be_left_out(data: Path, run: Path, tmp_path: Path) -> None:
    file, tasks = tmp_path / "runs.json", str(data / "test.parquet")
    words = ["--limit", "3", "--beam", "1", "--processes", "1", "--no-baselines"]
    assert main(["evaluate", str(run), tasks, *words, "--json", str(file)]) == 0
    (result,) = json.loads(file.read_text())
    assert result["run"] == str(run)
    assert main(["evaluate", tasks, "--no-baselines"]) == 2, "nothing is left to measure"
    assert main(["evaluate", str(run), tasks, "--no-baselines", "--model", CLOSED_FORM]) == 2


def test_the_command_line_sets_the_search(data: Path, run: Path, tmp_path: Path) -> None:
    words = "--limit 3 --beam 2 --max-length 9 --seconds 60 --bf16 --unconstrained".split()
    for which, step in (("best", 0), ("last", 7)):
        file = tmp_path / f"{which}.json"
        assert (
            main(["evaluate", str(run), str(data / "test.parquet"), *words, "--checkpoint", which, "--json", str(file)])
            == 0
        )
        result, baseline = json.loads(file.read_text())
        assert result["step"] == step
        assert SearchConfig(**result["search"]) == SearchConfig(2, 9, constrained=False, seconds=60, bf16=True)
        assert baseline["model"] == CLOSED_FORM


def test_given_examples_are_not_held_out(data: Path) -> None:
    """The closed form fits all given examples. If all examples are given, a form that fits them is never wrong."""
    test, results = data / "test.parquet", {}
    for given in (1, 5, 10):
        (results[given],) = evaluate([CLOSED_FORM], test, EvaluateConfig(given=given), lambda name, done: None)
    assert [(r.given, r.held_out) for r in results.values()] == [(1, 9), (5, 5), (10, 0)]
    right = [r.overall.first_consistent for r in results.values()]
    assert right[0] < right[1] <= right[2] == results[10].overall.consistent
    for given in (0, 11):
        with pytest.raises(InputError, match="given must be 1 to 10"):
            evaluate([CLOSED_FORM], test, EvaluateConfig(given=given), lambda name, done: None)


def test_summaries_leave_out_empty_groups() -> None:
    split = split_of(WANTED)
    outcomes = judge(beam(WANTED), split, np.array([0]), GIVEN, COLLATE)
    parts = group_rates(outcomes, split, DOMAIN)
    assert list(parts["category"]) == ["Seq-only"]
    assert list(parts["length"]) == ["1-10"]
    assert list(parts["behaviour"]) == ["novel"]
    assert parts["closed form"]["with"].first_consistent == 100


def test_stored_measurements_are_read_and_written_unchanged() -> None:
    """Every committed measurement of a table: the same keys in the same order, and the same values."""
    count = 0
    for file in (Path(__file__).parents[1] / "experiments" / "results").glob("table_c_*.json"):
        stored = json.loads(file.read_text())["test"]
        assert json.dumps(Measurement.from_json(stored).json()) == json.dumps(stored), file
        count += 1
    assert count >= 5


def test_inputs_that_cannot_be_evaluated_are_refused(data: Path, run: Path, tmp_path: Path) -> None:
    test = data / "test.parquet"
    for models, file, limit, message in (
        ([str(run)], tmp_path / "test.parquet", None, "not a data set"),
        ([str(tmp_path)], test, None, "not a training run"),
        ([CLOSED_FORM], data / "other.parquet", None, "cannot be read"),
        ([CLOSED_FORM], test, 0, "limit"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(models, file, EvaluateConfig(limit=limit), lambda name, done: None)
