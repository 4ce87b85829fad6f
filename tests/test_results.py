"""The figures in the documentation are those of the committed raw results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import pytest

from lasynth.solver.confidence import Evidence, confidence, share

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
RESULTS = (ROOT / "docs" / "results.md").read_text()

KINDS = ("Seq-only", "If-only", "For-only", "Mixture")
STRATEGIES = {
    "`--strategy symbolic`": "symbolic",
    "`--strategy neural`": "neural",
    "`lasynth solve`, both": "portfolio",
}
MACHINE = "machine, runs/s, {} lists a program, translation included"
FITS = "tasks with a program that fits, %"
RATIO = "machine : interpreter, 10 lists a program"


def measured(name: str) -> Any:
    """A raw result, by its path in `experiments/results`."""
    return json.loads((ROOT / "experiments" / "results" / f"{name}.json").read_text())


def benchmark(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text())


def card() -> Any:
    return json.loads((ROOT / "lasynth" / "pretrained" / "c" / "card.json").read_text())


def rows(text: str) -> dict[str, list[str]]:
    """Rows of Markdown tables without headers: first cell -> the others. First cells are different on a page."""
    lines = [[cell.strip() for cell in line[1:].removesuffix("|").split("|")] for line in table_lines(text)]
    heads = [number - 1 for number, cells in enumerate(lines) if set(cells) == {"---"}]
    found: dict[str, list[str]] = {}
    for number, (first, *rest) in enumerate(lines):
        if number not in heads and number - 1 not in heads:
            assert first not in found, f"two rows begin with: {first}"
            found[first] = rest
    return found


def table_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def test_figures_of_restricted_c_are_the_measured_ones() -> None:
    random, reduced = (benchmark("c_machine")[f"{kind} programs"] for kind in ("random", "reduced"))
    shown = rows((ROOT / "docs" / "restricted_c.md").read_text())
    for label, key, form, scale in (
        ("machine, million runs/s, 64 lists a program", MACHINE.format(64), "{:.1f}", 1e6),
        ("machine, million runs/s, 10 lists a program", MACHINE.format(10), "{:.1f}", 1e6),
        ("interpreter, runs/s", "interpreter, runs/s", "{:,.0f}", 1),
        ("machine : interpreter, 10 lists a program", "machine : interpreter, 10 lists a program", "{:.0f}", 1),
        ("reduction on 74 lists, ms a program", "reduction on 74 lists, milliseconds a program", "{:.2f}", 1),
    ):
        assert shown[label] == [form.format(figures[key] / scale) for figures in (random, reduced)], label
    assert shown["machine : gcc, ten lists"][0] == f"{random['machine : gcc, ten lists']:,.0f}"
    gcc = random["gcc, compile and run ten lists, milliseconds a program"]
    assert shown["gcc, compile and run ten lists, ms a program"][0] == f"{gcc:.1f}"


def test_speeds_are_the_measured_ones() -> None:
    machine = benchmark("c_machine")["random programs"]
    made = benchmark("c_generator")["runs"]
    karel, tasks = benchmark("karel_machine"), benchmark("karel_generator")
    made_per_second = f"{tasks['tasks per second of one core']:,}"
    speed = karel["machine, runs per second on one core, compilation of lexemes to bytecode included"]
    assert [run["training tasks"] for run in made] == [50_000, 500_000]
    memory = " and ".join(f"{run['largest process, MB']:.0f}" for run in made)
    runs = machine[MACHINE.format(64)]
    expected = {
        "C: compiled machine, runs/s on one core (64 lists a program)": f"{runs / 1e6:.1f} million",
        "C: machine against readable interpreter (10 lists a program)": f"{machine[RATIO]:.0f}x",
        "C: machine against gcc, compile and run, ten lists": f"{machine['machine : gcc, ten lists']:,.0f}x",
        "C: 500,000 reduced tasks on two cores": f"{made[-1]['seconds'] / 60:.1f} minutes",
        "C: largest process for 50,000 and for 500,000 tasks": f"{memory} MB",
        "Karel: compiled machine, runs/s on one core": f"{speed / 1e6:.1f} million",
        "Karel: machine against readable interpreter": f"{karel['machine : interpreter']:.0f}x",
        "Karel: reduced tasks per second of one core, as rows of a data set": made_per_second,
        "Karel: largest distance of 20 distributions to the public data": f"{tasks['largest distance']:.3f}",
    }
    shown = rows(RESULTS)
    assert {label: shown[label][0] for label in expected} == expected


def test_speeds_of_models_are_the_measured_ones() -> None:
    step, beam, shown = benchmark("train_step"), benchmark("beam"), rows(RESULTS)
    paths = {name: figures for name, figures in step.items() if name.startswith("both paths")}
    ratios = [
        [f"{figures[row]['step by step : parallel']:.1f}x" for row in ("LaSynth", "LaSynth+", "NoExecutor")]
        for figures in paths.values()
    ]
    assert shown["C models: all lexemes at once against one after the other, batch 8"][0] == ", ".join(ratios[0])
    assert shown["C models: the same, batch 64"][0] == ", ".join(ratios[1])
    rates = [
        f"{step[f'{kind} programs']['programs per second, bf16']['LaSynth+']:.0f}" for kind in ("random", "reduced")
    ]
    label = "C models: programs/s of a training step of `LaSynth+`, random and reduced programs"
    assert shown[label][0] == " and ".join(rates)
    seconds = beam["float32"]["seconds for 1,000 tasks at this rate"]
    assert shown["C models: beam 64 on 1,000 tasks, the shipped weights"][0] == f"{seconds / 60:.1f} minutes"


def test_the_default_of_training_is_fast_and_sturdy() -> None:
    found, shown = benchmark("train_processes"), rows(RESULTS)
    quiet, busy = found["programs per second"].values()
    ratios = {
        "training: plain `lasynth train` against the best processes and threads by hand, quiet cores": (
            "quiet: plain command : best by hand"
        ),
        "training: the same, beside one busy process": "beside one busy process: plain command : best by hand",
        "training: plain `lasynth train` beside one busy process against quiet cores": (
            "plain command: beside one busy process : quiet"
        ),
    }
    for label, key in ratios.items():
        assert shown[label][0] == f"{found[key]:.2f}"
    assert found["quiet: plain command : best by hand"] >= 0.9
    assert found["plain command: beside one busy process : quiet"] >= 0.5
    assert busy["1 processes, 2 threads"] < quiet["1 processes, 2 threads"] / 3, "the text says so"


def test_start_up_is_the_measured_one() -> None:
    shown, key = rows(RESULTS), "median process seconds"
    before, after = benchmark("start_up_before"), benchmark("start_up")
    tasks = [name for name, figures in after.items() if isinstance(figures, dict) and key in figures]
    assert len(tasks) == 8
    for task in tasks:
        assert shown[task] == [f"{figures[task][key]:.2f}" for figures in (before, after)]
        assert after[task][key] < 1, "the text says so"


def test_figures_of_solving_are_the_measured_ones() -> None:
    solved, shown = measured("solve_c"), rows(RESULTS)
    for label, name in STRATEGIES.items():
        groups = solved[name]["groups"]
        shares = [solved[name]["right"], *(groups["category"][kind]["right"] for kind in KINDS)]
        shares.append(groups["closed form"]["without"]["right"])
        seconds = [solved[name]["median seconds"], solved[name]["p95 seconds"]]
        assert shown[label] == [*(f"{share:.1f}" for share in shares), *(f"{second:.2f}" for second in seconds)], label
    assert solved["portfolio"]["tasks right"] == solved["symbolic"]["tasks right"]
    prose = " ".join(RESULTS.split())
    assert "the portfolio is right on the same tasks" in prose
    both = solved["portfolio"]
    assert f"{both['right']:.1f}% of 1,000 tasks, in {both['median seconds']:.2f} s (median)" in prose
    assert f"The symbolic strategy alone solves {solved['symbolic']['right']:.1f}%" in prose
    hard = solved["neural"]["groups"]["closed form"]["without"]["right"]
    assert f"find nothing that fits, which gives {hard:.1f}%" in prose


def test_figures_of_the_shipped_model_are_the_measured_ones() -> None:
    model, baseline = measured("weights/given_5")
    shown = rows(RESULTS)
    for label, figures, rule in (
        ("`ClosedForm`: the simplest formula for each position, no learning", baseline, "first_consistent"),
        ("the shipped model, likeliest program", model, "most_likely"),
        ("the shipped model, first of a beam of 64 that fits", model, "first_consistent"),
    ):
        groups = [figures["overall"], *(figures["groups"]["category"][kind] for kind in KINDS)]
        groups.append(figures["groups"]["closed form"]["without"])
        assert shown[label] == [*(f"{group[rule]:.1f}" for group in groups), "", ""], label
    prose, hard = " ".join(RESULTS.split()), model["groups"]["closed form"]["without"]
    right = [figures["overall"]["first_consistent"] for figures in (model, baseline)]
    assert f"the shipped model alone {right[0]:.1f}%, and the baseline without learning {right[1]:.1f}%" in prose
    assert f"it solves {hard['first_consistent']:.1f}% of them" in prose
    assert f"finds some program that fits in {hard['consistent']:.1f}%" in prose
    assert len(card()["evaluation"]) == 4
    for name, (figures, _) in card()["evaluation"].items():
        assert shown[name.removeprefix("given_")][0] == f"{figures['overall']['first_consistent']:.1f}", name
        assert measured(f"weights/{name}")[0] == figures


def test_the_training_of_the_shipped_model_is_the_one_on_its_card() -> None:
    shown, parts = rows(RESULTS), [*card()["before"], card()]
    for name, part in zip(("first", "second", "third"), parts, strict=True):
        assert shown[name] == [
            f"{part['programs']:,}",
            f"{part['seconds'] / 3600:.2f}",
            f"{part['data']['sizes']['train']:,}",
            f"{part['training'].get('mistakes', 0):g}",
        ]
    size = (ROOT / "lasynth" / "pretrained" / "c" / "weights.safetensors").stat().st_size
    assert f"({size / 1e6:.1f} MB)" in RESULTS
    shipped = sum(file.stat().st_size for file in (ROOT / "lasynth" / "pretrained").glob("*/weights.safetensors"))
    assert f"({shipped / 1e6:.1f} MB)" in README


def test_the_bound_is_the_measured_one() -> None:
    figures = measured("shown_c")
    shown, prose = rows(RESULTS), " ".join(RESULTS.split())
    for label, key in (
        ("bound: no simpler program fits the given examples", "shown"),
        ("oracle: the task's program, cut down to the given examples", "right if reduced"),
    ):
        shares = [figures[key]["all"]["tasks"], figures[key]["closed form"]["without"]]
        assert shown[label] == [f"{share:.1f}" for share in shares]
    bound, reduced = (figures[key]["all"]["tasks"] for key in ("shown", "right if reduced"))
    assert f"In {100 - bound:.1f}% of the tasks" in prose
    assert f"{bound:.1f}% is a bound" in prose
    assert f"{bound:.1f}% is a bound" in " ".join(README.split())
    assert f"right in {reduced:.1f}%" in prose


def test_figures_of_peers_are_the_measured_ones() -> None:
    shown, peers = rows(RESULTS), benchmark("peers")
    names = [name for name, figures in peers.items() if isinstance(figures, dict) and "percent" in figures]
    assert len(names) == 3
    for name in names:
        assert shown[name] == [f"{peers[name]['percent']:.1f}", f"{peers[name]['median seconds']:.2f}"]
    assert f"first {peers['tasks']} of the fresh tasks" in RESULTS
    for name in ("portfolio", "symbolic"):
        right = measured("solve_c")[name]["tasks right"][: peers["tasks"]].count("1")
        assert f"right on {100 * right / peers['tasks']:.1f}% of these {peers['tasks']} tasks" in RESULTS
    assert f"{peers['cvc5, seconds per position']:.0f} s for each" in " ".join(RESULTS.split())


def test_figures_of_relabelling_are_the_measured_ones() -> None:
    page = (ROOT / "docs" / "retraining.md").read_text()
    shown, prose = rows(page), " ".join(page.split())
    results = benchmark("relabel"), benchmark("relabel_random")
    for label, name in (
        ("default: 128 tasks together, at most 40 lexemes", "default"),
        ("whole searches, which do not end early", "default, whole searches"),
        ("`--choice shortest`", "shortest"),
        ("`--tasks 16`", "16 tasks together"),
        ("`--tasks 64`", "64 tasks together"),
        ("`--tasks 256`", "256 tasks together"),
        ("`--max-length 64`", "programs of at most 64 lexemes"),
        ("`--max-length 130`", "programs of at most 130 lexemes"),
    ):
        assert shown[label] == [f"{result[name]['tasks/s of processor time']:.1f}" for result in results], label
    fits = [[result[name][FITS] for result in results] for name in ("default", "programs of at most 130 lexemes")]
    assert f"fits in {fits[0][0]:.1f}% of the tasks with the shipped weights, and in {fits[0][1]:.1f}%" in prose
    assert f"with `--max-length 130` in {fits[1][0]:.1f}% and {fits[1][1]:.1f}%" in prose
    assert [result["tasks"] for result in results] == [512, 512]
    assert "on 512 tasks" in prose
    assert f"The aim is {results[0]['floor, tasks/s per core']}:" in prose


def test_figures_of_the_readme_are_the_measured_ones() -> None:
    solved, peers, (model, baseline) = measured("solve_c"), benchmark("peers"), measured("weights/given_5")
    cvc5 = next(figures for name, figures in peers.items() if name.startswith("cvc5 "))
    expected: dict[str, list[float | None]] = {
        "baseline: ClosedForm, the simplest formula per position": [*alone(baseline), None, None],
        "baseline: cvc5, one SyGuS query per position": [None, None, cvc5["percent"], cvc5["median seconds"]],
        "our model alone, beam of 64": [*alone(model), None, None],
    }
    for label, name in (
        ("`lasynth solve --strategy neural`", "neural"),
        ("`lasynth solve --strategy symbolic`", "symbolic"),
        ("`lasynth solve`, both", "portfolio"),
    ):
        figures, without = solved[name], solved[name]["groups"]["closed form"]["without"]
        first = 100 * figures["tasks right"][: peers["tasks"]].count("1") / peers["tasks"]
        expected[label] = [figures["right"], without["right"], first, figures["median seconds"]]
    shown = rows(README)
    for label, (*shares, seconds) in expected.items():
        cells = ["" if share is None else f"{share:.1f}" for share in shares]
        assert shown[label] == [*cells, "" if seconds is None else f"{seconds:.2f}"], label


def test_figures_of_lists_are_the_measured_ones() -> None:
    shown, readme = rows(RESULTS), rows(README)
    for label, name, key in (
        ("List Functions, 125 development tasks, all 8 held-out examples right", "list_functions", "right"),
        ("the same before any look at failures", "list_functions_before", "right"),
        ("LambdaBeam, 50 development tasks, fits all examples", "lambdabeam", "fits all examples"),
        ("the same, List Functions, seconds of the wall on a busy machine", "list_functions_wall", "right"),
        ("the same, LambdaBeam, seconds of the wall on a busy machine", "lambdabeam_wall", "fits all examples"),
        ("the same before any look at failures, LambdaBeam", "lambdabeam_before", "fits all examples"),
        ("76 typed problems, right on 200 random inputs", "typed", "right"),
        ("the same before idioms, guards and the cost of ignored inputs", "typed_before_idioms", "right"),
        ("the same, seconds of the wall on a busy machine", "typed_wall", "right"),
    ):
        figures = benchmark(name)
        limit = figures.get("seconds per task", figures.get("seconds per problem"))
        median = next(value for key, value in figures.items() if key.startswith("median seconds"))
        assert shown[label] == [f"{limit:.0f}", str(figures[key]), f"{figures['percent']:.1f}", f"{median:.3f}"], label
    for label, name in (
        ("76 problems as people type them, 3 to 5 examples, judged on 200 inputs", "typed"),
        ("List Functions, 125 tasks: all 8 held-out examples", "list_functions"),
        ("LambdaBeam, 50 tasks: fits all examples within 10 s", "lambdabeam"),
    ):
        assert readme[label][0] == f"{benchmark(name)['percent']:.1f}"


def test_what_the_model_of_lists_is_worth_is_measured() -> None:
    shown = rows(RESULTS)
    for label, name, key in (
        ("List Functions, of 125", "list_functions", "right"),
        ("LambdaBeam, of 50", "lambdabeam", "fits all examples"),
        ("typed, of 76", "typed", "right"),
    ):
        alone, model, both = (benchmark(f"{name}{which}") for which in ("", "_model", "_both"))
        assert shown[label] == [str(figures[key]) for figures in (alone, model, both)]
        assert [figures.get("strategy") for figures in (model, both)] == ["neural", "portfolio"]
        one_by_one = next(value for key, value in both.items() if key.endswith("one by one"))
        found = [row["source"] for row in one_by_one]
        assert set(found) <= {"symbolic", "guided", None}, "no answer comes from the model alone"
        assert found.count("guided") == (name == "list_functions")
        assert model["longest seconds"] <= 0.98


def test_the_confidence_of_lists_is_the_measured_one() -> None:
    result, typed = measured("confidence_lists"), benchmark("typed")
    assert f"longest: {benchmark('list_functions')['longest seconds']:.3f} s" in RESULTS
    searches = [search for rows in result["searches"].values() for search in rows]
    right = [search for search in searches if search["found"] and search["found"]["right"]]
    functions = [search["seconds"] for search in right if search["kind"] == "list functions"]
    text = " ".join(RESULTS.split())
    assert f"In the {len(searches):,} searches" in text
    assert f"took {median(search['seconds'] for search in right):.3f} s in the middle" in text
    assert f"List Functions {median(functions):.3f} s" in text
    assert f"no search took more than {max(search['seconds'] for search in searches):.2f} s" in text
    assert f"{typed['wrong answers']} answer is wrong" in text
    assert f"a confidence of {typed['highest confidence of a wrong answer']}, where" in text
    assert f"the right ones is {typed['median confidence of right answers']}." in text
    assert f"Of the right answers, {typed['right answers with a low confidence']} have" in text
    outcomes = [search["found"] for search in result["searches"]["measured"] if search["found"]]
    facts = [Evidence(**{name: found[name] for name in Evidence._fields}) for found in outcomes if not found["right"]]
    wrong = [min(confidence(known, result["weights"]), share(known)) for known in facts]
    assert f"{sum(sure > 0.5 for sure in wrong)} of their {len(wrong)} wrong answers have" in text
    functions_right = benchmark("list_functions")
    assert f"in {functions_right['right among three answers']} of the 125 List Functions" in text
    assert f"in {functions_right['right']} the first one" in text
    for page in ("lists", "results", "solve"):
        shown = (ROOT / "docs" / f"{page}.md").read_text()
        assert f"{result['expected calibration error']:.3f}" in shown, page


def alone(figures: Any) -> list[float]:
    """Tasks solved by a model or baseline without a strategy of `solve`: all, and those without a closed form."""
    return [
        figures["overall"]["first_consistent"],
        figures["groups"]["closed form"]["without"]["first_consistent"],
    ]


def test_what_the_claims_say_in_words_is_measured() -> None:
    prose = " ".join(RESULTS.split())
    names = ("LaSynth", "LaSynth_plus", "NoExecutor", "NoPartialExecutor", "RobustFill", "ClosedForm")
    found = {row: measured(f"table_c/table_c_random_{row}") for row in names}
    first = {row: result["test"]["overall"]["first_consistent"] for row, result in found.items()}
    likeliest = {row: result["test"]["overall"]["most_likely"] for row, result in found.items()}
    assert f"off by about {found['LaSynth']['curve'][-1]['execution']:.1f} nats for each element" in prose
    assert "That row solves exactly as many tasks as `NoExecutor` (seed 0)" in prose
    assert first["NoPartialExecutor"] == first["NoExecutor"]
    seeds = {row: [first[row], *other_seeds(row)] for row in ("LaSynth", "NoExecutor")}
    spread = {row: f"{mean(rates):.1f} ± {stdev(rates):.1f}%" for row, rates in seeds.items()}
    assert f"`LaSynth` solves {spread['LaSynth']}, and `NoExecutor` {spread['NoExecutor']}: seeds differ more" in prose
    assert max(stdev(rates) for rates in seeds.values()) > abs(mean(seeds["LaSynth"]) - mean(seeds["NoExecutor"]))
    assert "Its other two seeds are behind `NoPartialExecutor`" in prose
    assert max(seeds["LaSynth"][1:]) < first["NoPartialExecutor"] < seeds["LaSynth"][0]
    both = f"{likeliest['LaSynth_plus']:.1f}% instead of {likeliest['RobustFill']:.1f}% (seed 0)"
    assert f"makes the likeliest program right far more often: {both}" in prose
    assert f"solves {first['ClosedForm']:.1f}%, more than every row here" in prose
    assert first["ClosedForm"] > max(rate for row, rate in first.items() if row != "ClosedForm")
    with_and_without = [
        measured(f"table_c/table_c_random_RobustFill_encoder_lists{name}")["test"]["overall"]["first_consistent"]
        for name in ("", "_overview_0")
    ]
    assert "solves {:.1f}% with the overview and {:.1f}% without it".format(*with_and_without) in prose


def other_seeds(row: str) -> list[float]:
    """How many fresh tasks a row of the C table solves with seeds 1 and 2."""
    seeds = (measured(f"table_c/table_c_random_{row}_seed_{seed}") for seed in (1, 2))
    return [seed["test"]["overall"]["first_consistent"] for seed in seeds]


def test_what_is_said_about_the_papers_networks_is_measured() -> None:
    last = [
        measured(f"table_c/table_c_random_{row}_encoder_lists_overview_0")["curve"][-1]
        for row in ("RobustFill", "NoExecutor", "LaSynth")
    ]
    prose = " ".join(RESULTS.split())
    greedy = "{:.1f}, {:.1f} and {:.1f}%".format(*(100 * point["accuracy"] for point in last))
    assert f"By greedy decoding the three solve {greedy} of the validation tasks" in prose
    assert f"its executor is off by {last[2]['execution']:.1f} nats for each element" in prose


def test_the_earlier_table_has_the_gap_that_the_page_names() -> None:
    earlier = [measured(f"table_c_random_{row}")["test"] for row in ("LaSynth", "NoExecutor")]
    rates = [test["overall"]["first_consistent"] for test in earlier]
    pairs = list(zip(*(test["solved"] for test in earlier), strict=True))
    split = " : ".join(str(pairs.count(pair)) for pair in (("1", "0"), ("0", "1")))
    assert f"the gap was {rates[0] - rates[1]:.1f} points ({split} tasks)" in " ".join(RESULTS.split())


def test_what_reduction_brings_beside_retraining_is_measured() -> None:
    random, reduced = (measured(f"retraining/c_50000_LaSynth_plus{name}")["iterations"] for name in ("", "_reduced"))

    def solved(entry: Any) -> float:
        return float(entry["test"]["overall"]["first_consistent"])

    def split(one: Any, other: Any) -> str:
        pairs = list(zip(one["test"]["solved"], other["test"]["solved"], strict=True))
        return f"{pairs.count(('1', '0'))} : {pairs.count(('0', '1'))} tasks"

    prose, replaced = " ".join(RESULTS.split()), reduced[1]["replaced"] / reduced[1]["tasks"]
    for sentence in (
        f"on reduced programs solves {solved(reduced[0]):.1f}% of the fresh tasks, one on random programs "
        f"{solved(random[0]):.1f}% ({split(reduced[0], random[0])})",
        f"raise the latter to {solved(random[2]):.1f}%, which is still behind reduction "
        f"({split(reduced[0], random[2])})",
        f"{solved(reduced[1]):.1f}% ({split(reduced[1], reduced[0])}), although it replaces {100 * replaced:.0f}%",
    ):
        assert sentence in prose, sentence


def test_what_retraining_brings_in_words_is_measured() -> None:
    gains = list[list[float]]()
    for tasks in (50_000, 100_000, 250_000):
        rates = [entry["test"]["overall"] for entry in measured(f"retraining/c_{tasks}_LaSynth_plus")["iterations"]]
        first, *later = [round(rate["first_consistent"], 1) for rate in rates]
        assert abs(first - 49.4) < 2.5, "the page says that all first models are as good as that of all tasks"
        gains.append([round(rate - first, 1) for rate in later])
    second, third = zip(*gains, strict=True)
    prose = " ".join(RESULTS.split())
    gained = "{} points with 10% of the tasks, {} with 20%, {} with 50%".format(*third)
    assert f"the less data there are, the more: {gained}" in prose
    assert list(third) == sorted(third, reverse=True)
    assert f"The second training gains nothing ({', '.join(f'{gain:+.1f}' for gain in second)})" in prose
    assert max(second) < 0.5
    likeliest = [round(rate["most_likely"], 1) for rate in rates]  # of the last share
    varying = "the likeliest program solves {}% after training 1, {}% after training 2 and {}% after training 3"
    assert varying.format(*likeliest) in prose


def test_how_relabelling_shortens_programs_in_words_is_measured() -> None:
    assert "relabelling shortens programs by a tenth, and a quarter more" in " ".join(RESULTS.split())
    for tasks in (50_000, 100_000, 250_000):
        before, after, _ = measured(f"retraining/c_{tasks}_LaSynth_plus")["iterations"]
        assert 1 - after["mean tokens after"] / after["mean tokens before"] == pytest.approx(0.1, abs=0.02)
        straight = [entry["programs"]["category"]["Seq-only"] for entry in (before, after)]
        assert straight[1] / straight[0] == pytest.approx(1.25, abs=0.06)


def test_what_the_rule_of_choice_changes_in_words_is_measured() -> None:
    likeliest, shortest = (
        measured(f"retraining/c_100000_LaSynth_plus{rule}")["iterations"][1] for rule in ("", "_shortest")
    )
    tokens = likeliest["mean tokens after"] - shortest["mean tokens after"]
    assert f"with programs that are {tokens:.1f} tokens shorter on average" in " ".join(RESULTS.split())
    replaced = [entry["replaced"] / entry["tasks"] for entry in (likeliest, shortest)]
    assert replaced == pytest.approx([1 / 3, 1 / 3], abs=0.01)


def test_figures_at_equal_time_are_the_measured_ones() -> None:
    shown, seconds = rows(RESULTS), []
    for kind, label, file, row in (
        ("random", "random programs", "third", "LaSynth+"),
        ("random", "random programs", "third", "NoExecutor"),
        ("random", "random programs", "third", "RobustFill"),
        ("reduced", "reduced programs", "third", "LaSynth+"),
        ("reduced", "reduced programs", "third", "NoExecutor"),
        ("reduced", "reduced programs, measured again", "fourth", "LaSynth+"),
        ("reduced", "reduced programs, measured again", "fourth", "RobustFill"),
    ):
        figures = measured(f"ideas_c/{file}_{kind}_{row.replace('+', '_plus')}")
        seconds.append(figures["curve"][-1]["seconds"])
        overall = figures["test"]["overall"]
        expected = [f"{overall[rule]:.1f}" for rule in ("first_consistent", "most_likely")]
        assert shown[f"{label}: `{row}`"] == expected
    assert seconds == pytest.approx([480] * 7, rel=0.01)


def test_karel_figures_are_the_measured_ones() -> None:
    fresh, own = (measured(f"weights/{name}")[0]["overall"] for name in ("karel_fresh", "karel"))
    new = {name: measured(f"weights/{name}_novel")["Executed"] for name in ("karel_fresh", "karel")}
    solving, choice, prose = measured("solve_karel"), measured("choice_karel"), " ".join(RESULTS.split())
    first = measured("weights/karel_fresh")[0]["solved"][: solving["tasks"]]
    alone = f"`solve` is right on {solving['portfolio']['right']:.1f}%, the first program that fits on"
    assert f"{alone} {100 * first.count('1') / len(first):.1f}%" in prose
    shown = rows(RESULTS)
    assert f"alone solves {fresh['first_consistent']:.1f}% of 1,000 fresh tasks" in prose
    assert shown["Karel's model, likeliest program"][0] == f"{fresh['most_likely']:.1f}"
    assert shown["Karel's model, first of a beam of 64 that fits"][0] == f"{fresh['first_consistent']:.1f}"
    for label, name in (
        ("fresh tasks, programs as they are drawn", "karel_fresh"),
        ("test set of the training data, reduced programs", "karel"),
    ):
        kinds = [new[name][f"new {kind}"] for kind in ("program", "behaviour")]
        cells = [f"{kind['first_consistent']:.1f} ({kind['tasks']})" for kind in kinds]
        assert shown[label] == [f"{new[name]['all']['first_consistent']:.1f}", *cells]
    assert own["first_consistent"] == new["karel"]["all"]["first_consistent"]
    for label, strategy in (("lasynth solve --strategy neural", "neural"), ("lasynth solve", "portfolio")):
        assert f"| `{label}`, first {solving['tasks']} tasks | {solving[strategy]['right']:.1f} |" in RESULTS
    assert f"the shortest in {choice['the shortest, then the likeliest']['right, %']:.1f}%" in prose
    assert f"The likeliest is right in {choice['the likeliest']['right, %']:.1f}%" in prose


def karel_rows(timed: bool = False) -> dict[str, Any]:
    """All measured rows of Karel's table, by name: with equal programs, or with equal time."""
    files = sorted((ROOT / "experiments" / "results").glob("table_karel_generated_*.json"))
    results = [json.loads(file.read_text()) for file in files if ("minutes" in file.stem) == timed]
    return {result["model"]: result for result in results}


def cells(*shares: float) -> list[str]:
    return [f"{share:.1f}" for share in shares]


def both_rules(rates: dict[str, Any]) -> str:
    return f"{rates['first_consistent']:.1f} / {rates['most_likely']:.1f}"


def test_figures_of_karels_rows_are_the_measured_ones() -> None:
    shown = rows(RESULTS)
    for row, result in karel_rows().items():
        overall, groups = result["test"]["overall"], result["test"]["groups"]
        types, lengths = (
            [both_rules(groups[kind][name]) for name in names]
            for kind, names in (
                ("category", ("Seq-only", "If-only", "Repeat-only", "While-only", "Mixture")),
                ("length", ("1-10", "11-20", "21-40")),
            )
        )
        exact = f"{overall['exact']:.1f} / {overall['exact_most_likely']:.1f}" if "training" in result else "-"
        expected = [both_rules(overall), exact, *cells(result["novel"]["first_consistent"]), *types]
        assert shown[f"Karel: `{row}`"][:-1] == expected, row
        assert shown[f"Karel, by length: `{row}`"] == lengths, row


def test_what_the_reward_brings_is_the_measured_one() -> None:
    before, (after,) = karel_rows()["Bunel"]["test"]["overall"], measured("bunel_reward")
    rates, prose = after["overall"], " ".join(RESULTS.split())
    for words, rule in (("`Bunel` is right in", "most_likely"), ("the first that fits in", "first_consistent")):
        assert f"{words} {rates[rule]:.1f}% instead of {before[rule]:.1f}%" in prose


def test_figures_of_karels_rows_at_equal_time_are_the_measured_ones() -> None:
    shown = rows(RESULTS)
    for row, result in karel_rows(timed=True).items():
        overall, seen = result["test"]["overall"], result["curve"][-1]["programs"]
        expected = [f"{seen:,}", *cells(overall["first_consistent"], overall["most_likely"])]
        assert shown[f"Karel, equal time: `{row}`"] == expected, row


def test_what_the_parts_of_karels_view_are_worth_is_the_measured_one() -> None:
    shown, measured_parts = rows(RESULTS), measured("view_karel")
    whole = measured_parts["everything"]["pruned"]["solved"]
    for name, result in measured_parts.items():
        pruned, wider = result["pruned"], result.get("not pruned")
        pairs = list(zip(whole, pruned["solved"], strict=True))
        changed = f"{sum(a > b for a, b in pairs)} : {sum(a < b for a, b in pairs)}" if name != "everything" else ""
        overall = pruned["overall"]
        expected = [*cells(overall["first_consistent"], overall["most_likely"]), changed]
        expected += cells(wider["overall"]["first_consistent"]) if wider else [""]
        assert shown[f"view: {name}"] == expected, name


def test_tasks_that_one_row_of_karel_alone_solves_are_the_measured_ones() -> None:
    measured_rows, compared = karel_rows(), 0
    for label, counts in rows(RESULTS).items():
        if label.startswith("Karel: `") and "` : `" in label:
            one, other = (measured_rows[part.strip("`")]["test"]["solved"] for part in label[7:].split(" : "))
            pairs = list(zip(one, other, strict=True))
            assert counts == [f"{sum(a > b for a, b in pairs)} : {sum(a < b for a, b in pairs)}"], label
            compared += 1
    assert compared


def test_figures_of_karels_training_and_memory_are_the_measured_ones() -> None:
    text = (ROOT / "docs" / "karel.md").read_text()
    shown = rows(text.partition("Programs per second of one core")[2])
    training, memory = benchmark("karel_training"), benchmark("karel_memory")
    for row, ratio in training["cpu : paper"].items():
        cpu, paper = (training["programs per second of one core"][preset][row] for preset in ("cpu", "paper"))
        assert shown[f"`{row}`"][:2] == [f"{cpu:,.0f}", f"{paper:.1f}"], row
        assert float(shown[f"`{row}`"][2]) == pytest.approx(ratio, rel=0.05), row
    prose = " ".join(text.split())
    assert f"With {memory['tasks']:,} tasks, a process has {memory['own memory with the data set, GB']} GB" in prose
    assert f"at most {memory['own memory in training, at most, GB']} GB while it trains" in prose
    assert f"beside {memory['mapped worlds, GB']} GB of mapped worlds" in prose


def test_raw_results_name_no_path_of_a_machine() -> None:
    files = [file for name in ("experiments", "benchmarks") for file in (ROOT / name / "results").rglob("*.json")]
    assert files
    for file in files:
        assert not re.search(r'"(/|\.\./)\w', file.read_text()), file
