"""Writes the tables of docs/results.md that show the paper's claims, from the raw results.

    python experiments/report.py            # writes them anew
    python experiments/report.py --check    # fails if the page has other tables

A table stands on the page between `<!-- table: NAME -->` and `<!-- end -->`. Its text comes from the function of that
name. Figures are percent of tasks solved by the first program that fits, unless the table says otherwise. Where a row
has several seeds, they are means, with the standard deviation behind a plus-minus sign.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean, stdev

from _paired import compare, percent
from _results import Record
from _stored import (
    FIRST,
    LIKELIEST,
    PAPERS_NETWORKS,
    by_row,
    is_plain,
    rate,
    reduced_rows_of_c,
    retrainings,
    rows_of_c,
    rows_of_karel,
    rule_of,
    seed_of,
    size_of,
)

from lasynth.task import InputError

PAGE = Path(__file__).parents[1] / "docs" / "results.md"
PAPER = {
    "LaSynth": 55.2, "NoAttentionInDecoding": 53.5, "NoOpPredictor": 53.7, "NoPartialExecutor": 42.9,
    "NoExecutor": 38.6, "RobustFill": 37.6, "PropertySignatures": 34.5,
}  # fmt: skip
"""The paper's table of restricted C."""
PAPER_KAREL = {"LaSynth": 83.68, "Exec": 86.04, "Bunel": 77.12, "Shin": 81.30}
"""The paper's table of Karel, right on all six worlds."""
PAPER_RETRAINING = {
    ("c", 10): (11.9, 39.6, 41.7), ("c", 20): (26.4, 43.9, 44.4), ("c", 50): (48.5, 54.1, 54.4),
    ("c", 100): (55.2, 56.0, 56.5), ("karel", 10): (70.92, 76.20, 78.12), ("karel", 20): (75.16, 78.40, 81.20),
    ("karel", 30): (78.84, 81.08, 83.68), ("karel", 40): (80.88, 82.40, 84.24), ("karel", 50): (82.08, 83.40, 86.32),
    ("karel", 100): (86.04, 89.28, 89.36),
}  # fmt: skip
"""The paper's tables of retraining, by language and percent of its training set: one figure for each training. Those of
Karel begin with the paper's figure for Exec."""
PAPERS_ROW = {"c": "LaSynth", "karel": "Exec"}
"""Whose retraining the paper shows."""
WHOLE = {"c": 500_000, "karel": 1_100_000}
"""Tasks of the paper's training sets."""
TYPES = ("Seq-only", "If-only", "For-only", "Mixture")
TYPES_OF_KAREL = ("Seq-only", "If-only", "Repeat-only", "While-only", "Mixture")
LENGTHS_OF_KAREL = ("1-10", "11-20", "21-40")
LENGTHS = ("1-10", "11-20", "21-40", "41-80", "over 80")

Lines = Iterable[Sequence[str]]
"""Cells of a table, line by line; the first line is its head."""


# --- rows of a results table ------------------------------------------------------------------------------------------
def figure(values: Sequence[float]) -> str:
    """The mean, with the standard deviation if there are several values."""
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


def two(pairs: Sequence[tuple[float, float]]) -> str:
    """The means of two figures."""
    return " / ".join(f"{mean(values):.1f}" for values in zip(*pairs, strict=True))


def groups(results: Sequence[Record], kind: str, name: str) -> str:
    """Both rules for one group of tasks."""
    rates = [result["test"]["groups"][kind][name] for result in results]
    return two([(percent(group, FIRST), percent(group, LIKELIEST)) for group in rates])


def rows(results: list[Record], mark: str, paper: dict[str, float]) -> Lines:
    last = ["paper"] if paper else []
    yield (
        "row", "seeds", "first that fits", "likeliest", "new behaviour", "no closed form", "exact match",
        "minutes, seed 0", *last,
    )  # fmt: skip
    for row, found in by_row(results).items():
        learned = "training" in found[0]
        hard = [percent(result["test"]["groups"]["closed form"]["without"], FIRST) for result in found]
        yield (
            f"{mark}: `{row}`",
            str(len(found)) if learned else "-",
            figure([rate(result) for result in found]),
            figure([rate(result, LIKELIEST) for result in found]),
            figure([percent(result["novel"], FIRST) for result in found]),
            figure(hard),
            figure([rate(result, "exact") for result in found]) if learned else "-",
            f"{found[0]['curve'][-1]['seconds'] / 60:.0f}" if learned else "-",
            *(str(paper.get(row, "")) for _ in last),
        )


def rows_by(results: list[Record], kind: str, names: Sequence[str], mark: str) -> Lines:
    tasks = results[0]["test"]["groups"][kind]
    yield ("row", *(f"{name} ({tasks[name]['tasks']} tasks)" for name in names))
    for row, found in by_row(results).items():
        yield (f"{mark}: `{row}`", *(groups(found, kind, name) for name in names))


# --- claims -----------------------------------------------------------------------------------------------------------
def same_seeds(results: list[Record], one: str, other: str) -> tuple[list[Record], list[Record]]:
    """The results of two rows with the seeds that both have, in the order of the seeds. Both are empty if none is."""
    rows = [{seed_of(result): result for result in by_row(results).get(row, [])} for row in (one, other)]
    seeds = sorted(set(rows[0]) & set(rows[1]))
    return [rows[0][seed] for seed in seeds], [rows[1][seed] for seed in seeds]


def versus(results: list[Record], pairs: Sequence[tuple[str, str]], paper: dict[str, float], mark: str) -> Lines:
    """Pairs of rows, over all seeds that both have."""
    last = ["paper, points"] if paper else []
    yield ("one - other", "one, %", "other, %", "points, by seed", "only one : only the other", "p", *last)
    for one, other in pairs:
        sides = same_seeds(results, one, other)
        if not sides[0]:
            continue
        pair = compare(*sides)
        published = f"{paper[one] - paper[other]:.1f}" if one in paper and other in paper else ""
        yield (
            f"{mark}: `{one}` - `{other}`",
            *(figure([rate(result) for result in side]) for side in sides),
            ", ".join(f"{points:+.1f}" for points in pair["points"]),
            *split(pair),
            *(published for _ in last),
        )


def split(pair: Record) -> tuple[str, str]:
    """How many tasks only one of two rows solves, summed over seeds, and the p-value."""
    return f"{pair['only the first']} : {pair['only the second']}", f"{pair['p']:.2g}"


def gaps(results: list[Record], pairs: Sequence[tuple[str, str]], kind: str, names: Sequence[str], mark: str) -> Lines:
    """By how many points one row is ahead of another, in groups of tasks; means over the seeds that both have."""
    yield ("one - other", *names)
    for one, other in pairs:
        sides = same_seeds(results, one, other)
        if sides[0]:
            gap = compare(*sides)[f"gap by {kind}"]
            yield (f"{mark}: `{one}` - `{other}`", *(f"{gap[name]:+.1f}" for name in names))


# --- retraining -------------------------------------------------------------------------------------------------------
def plain_retrainings(language: str, models: Sequence[str]) -> Iterator[tuple[str, Record]]:
    """The retrainings of some rows as the paper has them, each with a name: row, and percent of the training set."""
    for row in models:
        for result in filter(is_plain, retrainings(language, row)):
            yield f"`{row}`, {share_of(result, language)}%", result


def share_of(result: Record, language: str) -> int:
    """Size of a retraining's data set, in percent of the paper's."""
    return round(100 * size_of(result) / WHOLE[language])


def trainings(result: Record) -> list[str]:
    """Accuracy of a retraining's three trainings by both rules; empty where one is missing."""
    cells = [two([(rate(entry), rate(entry, LIKELIEST))]) for entry in result["iterations"]]
    return [*cells, "", "", ""][:3]


def retraining(language: str, models: Sequence[str], mark: str) -> Lines:
    """Accuracy of each training, beside the paper's."""
    yield ("row", "tasks", "training 1", "training 2", "training 3", f"paper's {PAPERS_ROW[language]}")
    for name, result in plain_retrainings(language, models):
        published = PAPER_RETRAINING.get((language, share_of(result, language)), ())
        if language == "karel" and result["model"] != "Exec":
            published = ()
        paper = ", ".join(f"{value:.1f}" for value in published)
        yield (f"{mark}: {name}", f"{size_of(result):,}", *trainings(result), paper)


def won(language: str, models: Sequence[str], mark: str) -> Lines:
    """Tasks that only one of two trainings solves."""
    yield ("row", "training 2 : training 1", "p", "training 3 : training 1", "p")
    for name, result in plain_retrainings(language, models):
        first, *others = result["iterations"]
        cells = [cell for other in others for cell in split(compare([other], [first]))]
        yield (f"{mark}: {name}", *[*cells, "", "", "", ""][:4])


def programs(language: str, models: Sequence[str], types: Sequence[str], mark: str) -> Lines:
    """What became of the training programs, iteration by iteration."""
    yield ("row", "fits", "replaced", "shorter", "longer", "mean tokens", *types)
    for name, result in plain_retrainings(language, models):
        for entry in result["iterations"]:
            shares = [f"{100 * entry['programs']['category'].get(kind, 0):.0f}" for kind in types]
            yield (f"{mark}: {name}, iteration {entry['iteration']}", *changes(entry, result), *shares)


def changes(entry: Record, result: Record) -> list[str]:
    """Programs that an iteration replaced, in percent of the tasks, and the mean length after it."""
    if not entry["iteration"]:
        later = result["iterations"][1:]
        return ["", "", "", "", f"{later[0]['mean tokens before']:.1f}" if later else ""]
    counts = [entry[name] for name in ("fitting", "replaced", "shorter", "longer")]
    return [*(f"{100 * count / size_of(result):.0f}" for count in counts), f"{entry['mean tokens after']:.1f}"]


def shortened(mark: str) -> Lines:
    """Programs that were reduced before training, beside retraining: all with the smallest data set."""
    yield ("programs, training", "first that fits", "likeliest", "no closed form", "mean tokens", "Seq-only, %")
    names = {(False, False): "random", (True, False): "reduced", (True, True): "reduced and rewritten"}
    found = [result for result in retrainings("c", "LaSynth+") if rule_of(result) == "likeliest"]
    for result in found:
        if size_of(result) == size_of(found[0]) and not seed_of(result):
            options = result["data"]["options"]
            kind = names[bool(options.get("reduce")), bool(options.get("rewrite"))]
            for entry in result["iterations"]:
                *_, tokens = changes(entry, result)
                hard = entry["test"]["groups"]["closed form"]["without"]
                straight = entry["programs"]["category"]["Seq-only"]
                yield (
                    f"{mark}: {kind}, {entry['iteration'] + 1}", f"{rate(entry):.1f}", f"{rate(entry, LIKELIEST):.1f}",
                    f"{percent(hard, FIRST):.1f}", tokens, f"{100 * straight:.0f}",
                )  # fmt: skip


def rules(results: Sequence[Record], mark: str) -> Lines:
    """Which program to take if several fit: retrainings by the rule `shortest`, beside those by the paper's rule."""
    yield (
        "rule, training", "first that fits", "likeliest", "replaced", "shorter", "longer", "mean tokens",
        "only shortest : only likeliest", "p",
    )  # fmt: skip
    plain = {(size_of(result), seed_of(result)): result for result in results if is_plain(result)}
    for shortest in (result for result in results if rule_of(result) == "shortest"):
        likeliest = plain.get((size_of(shortest), seed_of(shortest)))
        if likeliest is None:
            continue
        retrained = zip(likeliest["iterations"][1:], shortest["iterations"][1:], strict=False)  # one may have more
        for number, (other, entry) in enumerate(retrained, 2):
            for rule, made, result in (("likeliest", other, likeliest), ("shortest", entry, shortest)):
                beside = split(compare([entry], [other])) if rule == "shortest" else ("", "")
                accuracy = f"{rate(made):.1f}", f"{rate(made, LIKELIEST):.1f}"
                yield (f"{mark}: {rule}, {number}", *accuracy, *changes(made, result)[1:], *beside)


# --- the page ---------------------------------------------------------------------------------------------------------
LATENT = [("LaSynth", "NoExecutor"), ("LaSynth+", "NoExecutor"), ("LaSynth+", "RobustFill")]
REAL = [("Executed", "LaSynth+")]
PARTIAL, OPERATIONS = [("LaSynth", "NoPartialExecutor")], [("LaSynth", "NoOpPredictor")]
ATTENTION = [("LaSynth", "NoAttentionInDecoding")]
BEHIND = [
    ("LaSynth", "RobustFill"), ("LaSynth", "PropertySignatures"), ("RobustFill", "NoExecutor"),
]  # fmt: skip
BLOCK = [("LaSynth", "NoExecutor"), ("LaSynth", "RobustFill")]
GAPS = [*LATENT, ("LaSynth", "RobustFill"), ("LaSynth", "PropertySignatures")]
ON_KAREL = [
    ("LaSynth", "NoExecutor"), ("LaSynth+", "NoExecutor"), ("LaSynth", "NoPartialExecutor"), ("LaSynth", "Bunel"),
    ("LaSynth", "Shin"), ("Exec", "LaSynth"), ("Executed", "LaSynth+"),
]  # fmt: skip
RETRAINED = ["LaSynth", "Exec"]
TABLES: dict[str, Callable[[], Lines]] = {
    "rows of C": lambda: rows(rows_of_c(), "C", PAPER),
    "rows of C by type": lambda: rows_by(rows_of_c(), "category", TYPES, "C, by type"),
    "rows of C by length": lambda: rows_by(rows_of_c(), "length", LENGTHS, "C, by length"),
    "rows of C with the paper's networks": lambda: rows(rows_of_c(PAPERS_NETWORKS), "the paper's networks", PAPER),
    "rows of C on reduced programs": lambda: rows(reduced_rows_of_c(), "reduced", {}),
    "latent execution on reduced programs": lambda: versus(
        reduced_rows_of_c(), [*LATENT, ("LaSynth", "RobustFill")], {}, "reduced"
    ),
    "latent execution": lambda: versus(rows_of_c(), LATENT, PAPER, "C"),
    "latent execution with the paper's networks": lambda: versus(
        rows_of_c(PAPERS_NETWORKS), BLOCK, PAPER, "the paper's networks"
    ),
    "real execution": lambda: versus(rows_of_c(), REAL, PAPER, "C"),
    "partial execution": lambda: versus(rows_of_c(), PARTIAL, PAPER, "C"),
    "operation predictor": lambda: versus(rows_of_c(), OPERATIONS, PAPER, "C"),
    "attention": lambda: versus(rows_of_c(), ATTENTION, PAPER, "C"),
    "older models": lambda: versus(rows_of_c(), BEHIND, PAPER, "C"),
    "gap by type": lambda: gaps(rows_of_c(), GAPS, "category", TYPES, "gap by type"),
    "gap by length": lambda: gaps(rows_of_c(), GAPS, "length", LENGTHS, "gap by length"),
    "gap by type on Karel": lambda: gaps(
        rows_of_karel(), LATENT[:2], "category", TYPES_OF_KAREL, "Karel's gap by type"
    ),
    "gap by length on Karel": lambda: gaps(
        rows_of_karel(), LATENT[:2], "length", LENGTHS_OF_KAREL, "Karel's gap by length"
    ),
    "claims on Karel": lambda: versus(rows_of_karel(), ON_KAREL, PAPER_KAREL, "Karel"),
    "retraining of C": lambda: retraining("c", ["LaSynth+"], "C retrained"),
    "tasks won by retraining of C": lambda: won("c", ["LaSynth+"], "C retrained, tasks"),
    "retrained programs of C": lambda: programs("c", ["LaSynth+"], TYPES, "C programs"),
    "retraining and reduction": lambda: shortened("C, 10%"),
    "rule of choice": lambda: rules(retrainings("c", "LaSynth+"), "C, rule"),
    "retraining of Karel": lambda: retraining("karel", RETRAINED, "Karel retrained"),
    "tasks won by retraining of Karel": lambda: won("karel", RETRAINED, "Karel retrained, tasks"),
    "retrained programs of Karel": lambda: programs("karel", RETRAINED, TYPES_OF_KAREL, "Karel programs"),
}
"""The text of each table."""
PLACE = re.compile(r"<!-- table: (.+?) -->\n.*?<!-- end -->", re.DOTALL)


def markdown(lines: Lines) -> str:
    head, *others = lines
    rows = [f"| {' | '.join(cells)} |" for cells in (head, *others)]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]])


def filled(page: str) -> str:
    """The page with all tables written anew. InputError if it names a table that does not exist."""

    def table(place: re.Match[str]) -> str:
        name = place[1]
        if name not in TABLES:
            raise InputError(f"there is no table: {name}")
        return f"<!-- table: {name} -->\n\n{markdown(TABLES[name]())}\n\n<!-- end -->"

    return PLACE.sub(table, page)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", type=Path, default=PAGE, help="Markdown page with places for tables")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a table would change")
    arguments = parser.parse_args(words)
    before = arguments.page.read_text()
    after = filled(before)
    if arguments.check and after != before:
        raise InputError(f"{arguments.page} does not show the raw results")
    if after != before:
        arguments.page.write_text(after)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"report: {error}")
