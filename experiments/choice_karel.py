"""How to choose among the programs of a beam that fit: compares rules on Karel tasks.

    python experiments/choice_karel.py RUN data/karel/test.parquet --out experiments/results/choice_karel.json

RUN is a trained model. For every task it searches with a beam of 64 from the first five worlds, to the end, and keeps
all programs that fit. Each rule chooses one of them; it counts if it is right on the sixth world, too. Programs that do
the same on 128 other worlds have one behaviour.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from itertools import islice
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from _results import show

from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.hardware import hardware
from lasynth.progress import progress
from lasynth.solver.answers import Answers
from lasynth.solver.neural import Neural
from lasynth.task import InputError, Task

KAREL = get_domain("karel")
ALL = 1000
"""More answers than a beam has, so that the search does not end early."""
SECONDS = 60.0


class Fit(NamedTuple):
    """A program of the beam that fits the given examples."""

    log_prob: float
    lexemes: int
    behaviour: Hashable
    right: bool


def fits(model: Neural, task: Task[Any, Any]) -> list[Fit]:
    """All programs that fit, the likeliest first."""
    given = KAREL.given(len(task.examples))
    shown, hidden = list(task.examples[:given]), task.examples[given:]
    answers = Answers(KAREL, shown)
    found = [c for c in model.candidates(shown, time.perf_counter() + SECONDS) if answers.satisfied(c.program).all()]
    outputs = KAREL.run_many([c.program for c in found], [e.input for e in hidden]) if found else []
    wanted = [e.output for e in hidden]
    return [
        Fit(c.log_prob or 0.0, len(KAREL.unparse(c.program)), answers.compared(c.program), output == wanted)
        for c, output in zip(found, outputs, strict=True)
    ]


def _total(weight: Callable[[Fit], float]) -> Callable[[Sequence[Fit]], Fit]:
    """The likeliest program of the behaviour with the largest sum of weights."""

    def choose(found: Sequence[Fit]) -> Fit:
        sums: dict[Hashable, float] = {}
        for fit in found:
            sums[fit.behaviour] = sums.get(fit.behaviour, 0.0) + weight(fit)
        return max(found, key=lambda fit: (sums[fit.behaviour], fit.log_prob))

    return choose


RULES: dict[str, Callable[[Sequence[Fit]], Fit]] = {
    "the likeliest": lambda found: found[0],
    "the behaviour with most probability": _total(lambda fit: exp(fit.log_prob)),
    "the behaviour with most programs": _total(lambda fit: 1.0),
    "the shortest, then the likeliest": lambda found: min(found, key=lambda fit: (fit.lexemes, -fit.log_prob)),
    "the likeliest, a nat for each lexeme": lambda found: max(found, key=lambda fit: fit.log_prob - fit.lexemes),
}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a run or of exported weights")
    parser.add_argument("data", type=Path, help="Parquet file of tasks")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--out", type=Path, help="write the figures to this file")
    arguments = parser.parse_args(words)
    model = Neural(arguments.run, KAREL.name, ALL)
    tasks = list(islice(read_tasks(arguments.data, KAREL), arguments.tasks))
    found: list[list[Fit]] = []
    begin = time.process_time()
    with progress({"search": len(tasks)}) as report:
        for task in tasks:
            found.append(fits(model, task))
            report("search", 1)
    seconds = time.process_time() - begin
    first = [bool(fit) and fit[0].right for fit in found]
    results: dict[str, Any] = {"tasks": len(tasks), "processor seconds per task": round(seconds / len(tasks), 3)}
    results["something fits, %"] = _share([bool(fit) for fit in found])
    results["something that fits is right, %"] = _share([any(f.right for f in fit) for fit in found])
    results["behaviours that fit, mean"] = round(sum(len({f.behaviour for f in fit}) for fit in found) / len(tasks), 2)
    for name, rule in RULES.items():
        right = [bool(fit) and rule(fit).right for fit in found]
        won = sum(mine and not other for mine, other in zip(right, first, strict=True))
        lost = sum(other and not mine for mine, other in zip(right, first, strict=True))
        results[name] = {"right, %": _share(right), "won against the likeliest": won, "lost": lost}
    show({**results, "hardware": hardware()}, arguments.out)
    return 0


def _share(flags: Sequence[bool]) -> float:
    return round(100 * sum(flags) / len(flags), 2)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except InputError as error:
        sys.exit(f"choice_karel: {error}")
