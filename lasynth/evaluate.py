"""Whole evaluations: measure trained models and baselines on the tasks of one Parquet file, on several processes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import torch

from lasynth.batch import Collator
from lasynth.checkpoint import Loaded, load_model
from lasynth.dataset import count_tasks, read_card
from lasynth.distributed import device
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.learnable import learnable
from lasynth.measurement import Measurement, Source, group_rates, marks
from lasynth.outcomes import Outcomes, baseline_outcomes, search_outcomes
from lasynth.settings import EvaluateConfig
from lasynth.split import Split, load_split
from lasynth.task import InputError
from lasynth.workers import end_workers, in_order, start_workers, threads_per_process


def baseline_names(data: Path) -> list[str]:
    """The baselines of the language of a Parquet file of tasks. InputError."""
    return list(learnable(_domain_of(data)).baselines())


def _domain_of(data: Path) -> AnyDomain:
    return get_domain(str(read_card(data.parent)["domain"]))


def task_count(data: Path, config: EvaluateConfig) -> int:
    """How many tasks of a Parquet file `evaluate` takes. InputError."""
    if config.limit is not None and config.limit < 1:
        raise InputError("limit must be at least 1")
    there = count_tasks(data)
    return there if config.limit is None else min(there, config.limit)


def evaluate(
    models: Sequence[str], data: Path, config: EvaluateConfig, report: Callable[[str, int], None]
) -> list[Measurement]:
    """Measure runs (folders) and baselines (by name) on one Parquet file. InputError; WorkerDied."""
    domain = _domain_of(data)
    split = load_split(data, domain).take(task_count(data, config))
    if config.given is not None and not 1 <= config.given <= split.examples:
        raise InputError(f"given must be 1 to {split.examples}, the number of examples of these tasks")
    with _pool(min(config.processes, len(_units(len(split), config)))) as pool:
        results = [_evaluate_one(model, data, split, domain, config, partial(report, model), pool) for model in models]
    return _told_apart(results)


def _told_apart(results: Sequence[Measurement]) -> list[Measurement]:
    """Add the names of their folders to runs of the same row."""
    count = Counter(result.model for result in results)
    return [
        replace(result, model=f"{result.model} ({Path(result.source.run).name})")
        if result.source is not None and count[result.model] > 1
        else result
        for result in results
    ]


def _evaluate_one(
    model: str,
    data: Path,
    split: Split,
    domain: AnyDomain,
    config: EvaluateConfig,
    report: Callable[[int], None],
    pool: ProcessPoolExecutor | None,
) -> Measurement:
    begin, given = time.perf_counter(), config.given or domain.given(split.examples)
    name, source = model, None
    if baseline := learnable(domain).baselines().get(model):
        outcomes = baseline_outcomes(baseline, learnable(domain).values(), split, given)
        report(len(split))
    else:
        card = _card_of(model, data, domain, config)
        outcomes = _search(Path(model), data, split, config, report, pool)
        name, source = card["name"], Source(model, card["step"], config.search)
    seconds = round(time.perf_counter() - begin, 2)
    return Measurement(
        model=name,
        overall=outcomes.rates(),
        groups=group_rates(outcomes, split, domain),
        solved=marks(outcomes.first_consistent),
        data=str(data),
        given=given,
        held_out=split.examples - given,
        seconds=seconds,
        source=source,
    )


def _card_of(model: str, data: Path, domain: AnyDomain, config: EvaluateConfig) -> dict[str, Any]:
    """The card of a run. InputError if its model cannot be loaded, or is of another language than the tasks."""
    loaded = load_model(Path(model), config.checkpoint)
    if loaded.domain.name != domain.name:
        raise InputError(f"{model} is a model of `{loaded.domain.name}`, {data} has tasks of `{domain.name}`")
    return loaded.card


# --- many tasks on several processes ---------------------------------------------------------------------------------
def _units(tasks: int, config: EvaluateConfig) -> list[tuple[int, int]]:
    """Groups of tasks that are searched together, as (begin, end).

    They do not depend on the number of processes, so results do not either: the same tasks are summed together.
    """
    size = config.search.tasks
    return [(begin, min(begin + size, tasks)) for begin in range(0, tasks, size)]


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPoolExecutor | None]:
    """A pool of processes, or None if this process does the work. Torch has as many threads in both cases."""
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
    except BaseException:
        end_workers(pool, at_once=True)
        raise
    end_workers(pool, at_once=False)


def _set_threads() -> None:
    torch.set_num_threads(threads_per_process())


def _search(
    model: Path,
    data: Path,
    split: Split,
    config: EvaluateConfig,
    report: Callable[[int], None],
    pool: ProcessPoolExecutor | None,
) -> Outcomes:
    """Search for all tasks of a split with one model, in the processes of the pool or in this one."""
    calls = [(_search_unit, (model, data, len(split), config, *unit)) for unit in _units(len(split), config)]
    done = (search(*arguments) for search, arguments in calls) if pool is None else in_order(pool, calls, len(calls))
    parts = []
    for part in done:
        parts.append(part)
        report(len(part.candidates))
    return Outcomes.joined(parts)


def _search_unit(model: Path, data: Path, tasks: int, config: EvaluateConfig, begin: int, end: int) -> Outcomes:
    """Search for the tasks `begin` to `end` of the first `tasks` tasks of a file.

    The result depends on the arguments alone, so any process can do it.
    """
    loaded, split = _loaded(model, config.checkpoint), _split(data, tasks).part(begin, end)
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
