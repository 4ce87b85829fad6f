"""How good one model is on one file of tasks: its rates, overall and by group. Kept as JSON, shown as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from rich.table import Table

from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import Flags, learnable
from lasynth.outcomes import Outcomes, Rates
from lasynth.settings import SearchConfig
from lasynth.split import Split

LENGTHS = (10, 20, 40, 80)
"""Upper limits of the bins of program length, in lexemes."""
TITLES = {
    "first_consistent": "first consistent", "most_likely": "most likely", "in_beam": "in beam",
    "consistent": "fits given", "exact": "exact match", "parsed": "parses",
}  # fmt: skip
"""Rates in the overall table, and the titles of their columns."""
OF_PROGRAMS = ("exact", "parsed", "in_beam")
"""Rates without meaning for a baseline, which writes no programs."""

GroupRates = dict[str, dict[str, Rates]]
"""Kind of groups -> name of the group -> its rates."""


@dataclass(frozen=True)
class Source:
    """Where the weights of a model come from, and how it searched."""

    run: str
    """Folder of the run."""
    step: int
    """Of the checkpoint."""
    search: SearchConfig


@dataclass(frozen=True)
class Measurement:
    """The result of one model or baseline on the tasks of one file."""

    model: str
    overall: Rates
    groups: GroupRates
    """Without empty groups."""
    solved: str
    """One digit per task: 1 if its first consistent program is right on all examples."""
    data: str
    """The Parquet file."""
    given: int
    """Examples of each task that the model saw."""
    held_out: int
    """Examples of each task that it did not see."""
    seconds: float
    source: Source | None = None
    """None for a baseline."""

    def json(self) -> dict[str, Any]:
        """The measurement as files have it."""
        groups = {
            kind: {name: asdict(rates) for name, rates in members.items()} for kind, members in self.groups.items()
        }
        return {
            "model": self.model,
            "overall": asdict(self.overall),
            "groups": groups,
            "solved": self.solved,
            "data": self.data,
            "given": self.given,
            "held out": self.held_out,
            **({} if self.source is None else asdict(self.source)),
            "seconds": self.seconds,
        }

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> Measurement:
        """The inverse of `json`."""
        source = None
        if "run" in stored:
            source = Source(stored["run"], stored["step"], SearchConfig(**stored["search"]))
        groups = {
            kind: {name: Rates(**rates) for name, rates in members.items()}
            for kind, members in stored["groups"].items()
        }
        facts = {name: stored[name] for name in ("model", "solved", "data", "given", "seconds")}
        return Measurement(
            **facts, overall=Rates(**stored["overall"]), groups=groups, held_out=stored["held out"], source=source
        )


# --- groups of tasks -------------------------------------------------------------------------------------------------
def groups(split: Split, domain: AnyDomain) -> dict[str, dict[str, Flags]]:
    """The ways to group tasks: kind of groups -> name of the group -> its tasks, (N,)."""
    lengths = split.lengths - 1
    bins = {f"{low + 1}-{high}": (lengths > low) & (lengths <= high) for low, high in pairwise((0, *LENGTHS))}
    bins[f"over {LENGTHS[-1]}"] = lengths > LENGTHS[-1]
    return {
        "category": {name: split.category == i for i, name in enumerate(domain.categories)},
        "length": bins,
        "behaviour": {"novel": split.novel == 1, "in the training set": split.novel == 0},
        **learnable(domain).groups(split.inputs, split.outputs),
    }


def group_rates(outcomes: Outcomes, split: Split, domain: AnyDomain) -> GroupRates:
    """The rates of every group that has tasks. A kind without such groups is left out."""
    rates = {
        kind: {name: outcomes.at(rows).rates() for name, rows in members.items() if rows.any()}
        for kind, members in groups(split, domain).items()
    }
    return {kind: members for kind, members in rates.items() if members}


def marks(flags: Flags) -> str:
    """One digit for each flag. (N,)"""
    return "".join("1" if flag else "0" for flag in flags)


# --- tables ----------------------------------------------------------------------------------------------------------
def tables(results: Sequence[Measurement]) -> list[Table]:
    """Tables for a terminal, one row per model: first overall, then by group under both rules."""
    overall = Table(title=f"{results[0].overall.tasks} tasks, percent", title_justify="left")
    overall.add_column("model", no_wrap=True)
    for title in TITLES.values():
        overall.add_column(title, justify="right", min_width=max(map(len, title.split())))
    for result in results:
        overall.add_row(result.model, *_cells(result))
    return [overall, *(_group_table(results, kind) for kind in results[0].groups)]


def _cells(result: Measurement) -> Iterable[str]:
    for name in TITLES:
        blank = result.source is None and name in OF_PROGRAMS
        yield "-" if blank else f"{getattr(result.overall, name):.1f}"


def _group_table(results: Sequence[Measurement], kind: str) -> Table:
    members = results[0].groups[kind]
    table = Table(title=f"by {kind}: first consistent / most likely, percent", title_justify="left")
    table.add_column("model", no_wrap=True)
    for name, rates in members.items():
        table.add_column(f"{name} ({rates.tasks})", justify="right")
    for result in results:
        row = [result.groups[kind][name] for name in members]
        table.add_row(result.model, *(f"{rates.first_consistent:.1f} / {rates.most_likely:.1f}" for rates in row))
    return table
