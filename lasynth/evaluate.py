"""How good a model is: searches programs for held-out tasks, runs them, and counts by every rule that the tables show.

A task is solved if the chosen program is right on the given examples and on the held-out ones. Two rules choose it: the most
likely program of the beam, or the first one that satisfies the given examples. Knows no training and draws nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from rich.table import Table

from lasynth.batch import Collator
from lasynth.checkpoint import Loaded, load_model
from lasynth.dataset import count_tasks, read_card
from lasynth.distributed import device
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain, Syntax
from lasynth.domains.learnable import Baseline, Flags, Values, learnable
from lasynth.models.base import AnyState, Searchable
from lasynth.search import Found, beam_search
from lasynth.settings import EvaluateConfig, SearchConfig
from lasynth.split import Split, load_split
from lasynth.task import InputError
from lasynth.vocab import PAD
from lasynth.workers import in_order, start_workers, threads_per_process

Result = dict[str, Any]
"""What is known of one model on one file; goes to JSON as it is."""
LENGTHS = (10, 20, 40, 80)
"""Upper limits of the bins of program length, in lexemes."""
CHUNK = 256
"""Tasks between two reports of progress."""


@dataclass(frozen=True)
class Outcomes:
    """What became of B tasks. All are (B,)."""

    most_likely: Flags
    """The likeliest program is right on all examples."""
    first_consistent: Flags
    """The first program that satisfies the given examples is right on the others, too."""
    exact: Flags
    """The first consistent program is, lexeme by lexeme, the one that the task was made from."""
    exact_most_likely: Flags
    consistent: Flags
    """Some program of the beam satisfies the given examples."""
    in_beam: Flags
    """Some program of the beam is right on all examples."""
    candidates: NDArray[np.int64]
    """Programs that the search gave."""
    parsed: NDArray[np.int64]
    """Those of them that are programs of the language."""

    def at(self, rows: NDArray[Any]) -> Outcomes:
        return Outcomes(**{name: column[rows] for name, column in vars(self).items()})

    @staticmethod
    def joined(parts: Sequence[Outcomes]) -> Outcomes:
        return Outcomes(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])})

    def rates(self) -> dict[str, float | int]:
        """Shares in percent."""
        tasks = len(self.candidates)
        shares = {name: 100 * float(column.mean()) for name, column in vars(self).items() if column.dtype == np.bool_}
        parsed = 100 * int(self.parsed.sum()) / max(1, int(self.candidates.sum()))
        return {"tasks": tasks, **{name: round(share, 2) for name, share in shares.items()}, "parsed": round(parsed, 2)}


# --- one model on one split ----------------------------------------------------------------------------------------------
def search_outcomes(
    model: Searchable[AnyState],
    split: Split,
    given: int,
    collate: Collator,
    syntax: Syntax,
    config: SearchConfig,
    report: Callable[[int], None] = lambda done: None,
) -> Outcomes:
    """Search for every task of a split with its first `given` examples, and judge what is found."""
    parts = []
    for begin in range(0, len(split), CHUNK):
        rows = np.arange(begin, min(begin + CHUNK, len(split)))
        inputs = split.inputs[rows, :given]
        io = collate.io(inputs, split.outputs[rows, :given])
        found = beam_search(model, io, syntax, config, report, hopeless=collate.hopeless(inputs))
        parts.append(judge(found, split, rows, given, collate))
    return Outcomes.joined(parts)


def judge(found: Found, split: Split, rows: NDArray[np.int64], given: int, collate: Collator) -> Outcomes:
    """Run what was found for some tasks of a split and compare."""
    exists = found.scores > -np.inf  # (B, W)
    task = exists.nonzero()[0]  # (P,) for each candidate
    outputs, fine, parsed = collate.machine.run(found.tokens[exists], split.inputs[rows], task)
    right = fine & collate.values.same(outputs, split.outputs[rows][task])  # (P, K)
    consistent, correct, programs = (np.zeros(exists.shape, np.bool_) for _ in range(3))
    consistent[exists], correct[exists] = right[:, :given].all(axis=1), right.all(axis=1)
    programs[exists] = parsed
    first = consistent.argmax(axis=1)  # (B,): 0 if none is, which `consistent` tells apart
    same = _same(found.tokens, split.padded(rows)) & exists  # (B, W)
    at, any_consistent = np.arange(len(rows)), np.logical_or.reduce(consistent, axis=1)
    return Outcomes(
        most_likely=correct[:, 0],
        first_consistent=any_consistent & correct[at, first],
        exact=any_consistent & same[at, first],
        exact_most_likely=same[:, 0],
        consistent=any_consistent,
        in_beam=np.logical_or.reduce(correct, axis=1),
        candidates=exists.sum(axis=1),
        parsed=programs.sum(axis=1),
    )


def _same(candidates: NDArray[np.int16], wanted: NDArray[np.int64]) -> Flags:
    """Which candidates are the wanted program. (B, W, T), (B, T') -> (B, W)"""
    width = max(candidates.shape[2], wanted.shape[1])
    wide = [
        np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])], constant_values=PAD)
        for a in (candidates, wanted)
    ]
    equal: Flags = (wide[0] == wide[1][:, None]).all(axis=2)
    return equal


def baseline_outcomes(baseline: Baseline, values: Values, split: Split, given: int) -> Outcomes:
    """A solver that writes no program, so that nothing parses and nothing is an exact match."""
    predicted, found = baseline(split.inputs[:, :given], split.outputs[:, :given], split.inputs)
    solved = found & values.same(predicted, split.outputs).all(axis=1)
    never, none = np.zeros(len(split), np.bool_), np.zeros(len(split), np.int64)
    return Outcomes(
        most_likely=solved,
        first_consistent=solved,
        exact=never,
        exact_most_likely=never,
        consistent=found,
        in_beam=solved,
        candidates=none,
        parsed=none,
    )


# --- tables --------------------------------------------------------------------------------------------------------------
def groups(split: Split, domain: AnyDomain) -> dict[str, dict[str, Flags]]:
    """The ways in which results are split: name of the split -> name of the group -> its tasks."""
    lengths = split.lengths - 1
    bins = {f"{low + 1}-{high}": (lengths > low) & (lengths <= high) for low, high in pairwise((0, *LENGTHS))}
    bins[f"over {LENGTHS[-1]}"] = lengths > LENGTHS[-1]
    return {
        "category": {name: split.category == i for i, name in enumerate(domain.categories)},
        "length": bins,
        "behaviour": {"novel": split.novel == 1, "in the training set": split.novel == 0},
        **learnable(domain).groups(split.inputs, split.outputs),
    }


def summarise(model: str, outcomes: Outcomes, split: Split, domain: AnyDomain) -> Result:
    """All rates of one model; groups without a task are left out, and so is a kind without groups."""
    parts = {
        kind: {name: outcomes.at(rows).rates() for name, rows in members.items() if rows.any()}
        for kind, members in groups(split, domain).items()
        if any(rows.any() for rows in members.values())
    }
    solved = "".join("1" if right else "0" for right in outcomes.first_consistent)
    return {"model": model, "overall": outcomes.rates(), "groups": parts, "solved": solved}


def tables(results: Sequence[Result]) -> list[Table]:
    """The results for a terminal: models as rows, first overall, then by group under both rules."""
    overall = Table(title=f"{results[0]['overall']['tasks']} tasks, percent", title_justify="left")
    titles = {
        "first_consistent": "first consistent", "most_likely": "most likely", "in_beam": "in beam",
        "consistent": "fits given", "exact": "exact match", "parsed": "parses",
    }  # fmt: skip
    overall.add_column("model", no_wrap=True)
    for title in titles.values():
        overall.add_column(title, justify="right", min_width=max(map(len, title.split())))
    for result in results:
        cells = ["-" if blank(result, key) else f"{result['overall'][key]:.1f}" for key in titles]
        overall.add_row(result["model"], *cells)
    return [overall, *(_group_table(results, kind) for kind in results[0]["groups"])]


def blank(result: Result, key: str) -> bool:
    """What has no meaning for a solver that writes no programs."""
    return "run" not in result and key in ("exact", "parsed", "in_beam")


def _group_table(results: Sequence[Result], kind: str) -> Table:
    members: Mapping[str, Any] = results[0]["groups"][kind]
    table = Table(title=f"by {kind}: first consistent / most likely, percent", title_justify="left")
    table.add_column("model", no_wrap=True)
    for name, rates in members.items():
        table.add_column(f"{name} ({rates['tasks']})", justify="right")
    for result in results:
        rows = [result["groups"][kind][name] for name in members]
        table.add_row(result["model"], *(f"{r['first_consistent']:.1f} / {r['most_likely']:.1f}" for r in rows))
    return table


# --- whole evaluations ---------------------------------------------------------------------------------------------------
def baseline_names(data: Path) -> list[str]:
    """The baselines of the language in which the tasks of a Parquet file are. InputError."""
    return list(learnable(_domain_of(data)).baselines())


def _domain_of(data: Path) -> AnyDomain:
    return get_domain(str(read_card(data.parent)["domain"]))


def task_count(data: Path, config: EvaluateConfig) -> int:
    """How many tasks of a Parquet file will be solved. InputError."""
    if config.limit is not None and config.limit < 1:
        raise InputError("limit must be at least 1")
    there = count_tasks(data)
    return there if config.limit is None else min(there, config.limit)


def evaluate(
    models: Sequence[str], data: Path, config: EvaluateConfig, report: Callable[[str, int], None]
) -> list[Result]:
    """Measure runs (folders) and baselines (by name) on one Parquet file. InputError; WorkerDied."""
    domain = _domain_of(data)
    split = load_split(data, domain).take(task_count(data, config))
    if config.given is not None and not 1 <= config.given <= split.examples:
        raise InputError(f"given must be 1 to {split.examples}, the number of examples of these tasks")
    with _pool(min(config.processes, len(_units(len(split), config)))) as pool:
        results = [_evaluate_one(model, data, split, domain, config, partial(report, model), pool) for model in models]
    names = Counter(result["model"] for result in results)
    for result in results:  # two runs of one row are told apart by their folders
        if names[result["model"]] > 1:
            result["model"] += f" ({Path(result['run']).name})"
    return results


def _evaluate_one(
    model: str,
    data: Path,
    split: Split,
    domain: AnyDomain,
    config: EvaluateConfig,
    report: Callable[[int], None],
    pool: ProcessPoolExecutor | None,
) -> Result:
    begin, given = time.perf_counter(), config.given or domain.given(split.examples)
    facts: Result = {"data": str(data), "given": given, "held out": split.examples - given}
    if baseline := learnable(domain).baselines().get(model):
        outcomes, name = baseline_outcomes(baseline, learnable(domain).values(), split, given), model
        report(len(split))
    else:
        loaded = load_model(Path(model), config.checkpoint)
        if loaded.domain.name != domain.name:
            raise InputError(f"{model} is a model of `{loaded.domain.name}`, {data} has tasks of `{domain.name}`")
        outcomes = _searched(Path(model), data, split, config, report, pool)
        name = loaded.card["name"]
        facts |= {"run": model, "step": loaded.card["step"], "search": asdict(config.search)}
    seconds = round(time.perf_counter() - begin, 2)
    return {**summarise(name, outcomes, split, domain), **facts, "seconds": seconds}


# --- many tasks on several processes -------------------------------------------------------------------------------------
def _units(tasks: int, config: EvaluateConfig) -> list[tuple[int, int]]:
    """Tasks that are searched at once, from and to. They do not depend on the number of processes, so neither do sums."""
    size = config.search.tasks
    return [(begin, min(begin + size, tasks)) for begin in range(0, tasks, size)]


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor | None]:
    """Processes that wait for work, or None if this process is enough; torch has the same number of threads in either."""
    if processes == 1:
        before = torch.get_num_threads()
        _set_threads()
        try:
            yield None
        finally:
            torch.set_num_threads(before)
        return
    pool = start_workers(processes, _set_threads)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _set_threads() -> None:
    torch.set_num_threads(threads_per_process())


def _searched(
    model: Path,
    data: Path,
    split: Split,
    config: EvaluateConfig,
    report: Callable[[int], None],
    pool: ProcessPoolExecutor | None,
) -> Outcomes:
    """Search for all tasks of a split, with one model, on the processes of the pool or on this one."""
    calls = [(_search_unit, (model, data, len(split), config, *unit)) for unit in _units(len(split), config)]
    done = (search(*arguments) for search, arguments in calls) if pool is None else in_order(pool, calls, len(calls))
    parts = []
    for part in done:
        parts.append(part)
        report(len(part.candidates))
    return Outcomes.joined(parts)


def _search_unit(model: Path, data: Path, tasks: int, config: EvaluateConfig, begin: int, end: int) -> Outcomes:
    """Search for some of the first `tasks` tasks of a file. A function of its arguments alone, so any process may do it."""
    loaded, split = _loaded(model, config.checkpoint), _part(_split(data, tasks), begin, end)
    given = config.given or loaded.domain.given(split.examples)
    collate = Collator.of(loaded.config, loaded.domain)
    return search_outcomes(loaded.model, split, given, collate, loaded.domain.syntax, config.search)


@lru_cache(maxsize=1)
def _loaded(model: Path, which: Literal["last", "best"]) -> Loaded:
    loaded = load_model(model, which)
    loaded.model.to(device())
    return loaded


@lru_cache(maxsize=1)
def _split(data: Path, tasks: int) -> Split:
    return load_split(data, _domain_of(data)).take(tasks)


def _part(split: Split, begin: int, end: int) -> Split:
    """Tasks `begin` to `end` alone."""
    first, last = split.offsets[begin], split.offsets[end]
    rows = slice(begin, end)
    return replace(
        split,
        tokens=split.tokens[first:last],
        offsets=split.offsets[begin : end + 1] - first,
        inputs=split.inputs[rows],
        outputs=split.outputs[rows],
        category=split.category[rows],
        novel=split.novel[rows],
    )
