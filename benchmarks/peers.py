"""cvc5 against `lasynth solve` on the same tasks in the same run: tasks right on the held-out examples, and seconds.

cvc5 gets one SyGuS query per output position. The grammar has sums of elements and constants from -4 to 4, and choices
between them by comparisons. The PBE engine of cvc5 is off: it is made for strings and finds less here. cvc5 writes
terms, not C. Five examples are given and five are held out.

    pip install 'lasynth[peers]'
    lasynth generate c --out data/fresh --test 1000 --seed 2026
    python benchmarks/peers.py --data data/fresh/test.parquet --out benchmarks/results/peers.json
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from _measuring import parser, report

from lasynth import solve
from lasynth.dataset import read_tasks
from lasynth.domains import get_domain
from lasynth.task import Task

try:
    import cvc5
    from cvc5 import Kind
except ImportError:  # exit code 0, so that `make bench` continues with the next benchmark
    print("skipped: cvc5 is not installed (pip install 'lasynth[peers]')", file=sys.stderr)
    raise SystemExit(0) from None

CONSTANTS = range(-4, 5)
SEED = 4242
Pairs = Sequence[tuple[list[int], list[int]]]


def cvc5_position(given: Pairs, position: int, new: Sequence[list[int]], seconds: float) -> list[int] | None:
    """Outputs of cvc5's term for one position on new inputs; None if cvc5 found no term in time."""
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    for option, value in (("sygus", "true"), ("sygus-pbe", "false"), ("tlimit-per", str(int(1000 * seconds)))):
        solver.setOption(option, value)
    solver.setLogic("LIA")
    integer = terms.getIntegerSort()
    elements = [terms.mkVar(integer, f"x{i}") for i in range(len(given[0][0]))]
    function = solver.synthFun("f", elements, integer, grammar(terms, solver, elements))
    for values, wanted in given:
        call = terms.mkTerm(Kind.APPLY_UF, function, *(terms.mkInteger(v) for v in values))
        solver.addSygusConstraint(terms.mkTerm(Kind.EQUAL, call, terms.mkInteger(wanted[position])))
    if not solver.checkSynth().hasSolution():
        return None
    parameters, body = solver.getSynthSolution(function)
    outputs = []
    for values in new:
        applied = body.substitute([*parameters], [terms.mkInteger(v) for v in values])
        outputs.append(int(solver.simplify(applied).getIntegerValue()))
    return outputs


def grammar(terms: Any, solver: Any, elements: list[Any]) -> Any:
    """start := element | constant | start + start | start - start | ite(test, start, start)"""
    start, test = terms.mkVar(terms.getIntegerSort(), "start"), terms.mkVar(terms.getBooleanSort(), "test")
    made = solver.mkGrammar(elements, [start, test])
    leaves = [*elements, *(terms.mkInteger(c) for c in CONSTANTS)]
    sums = [terms.mkTerm(kind, start, start) for kind in (Kind.ADD, Kind.SUB)]
    made.addRules(start, [*leaves, *sums, terms.mkTerm(Kind.ITE, test, start, start)])
    made.addRules(test, [terms.mkTerm(kind, start, start) for kind in (Kind.EQUAL, Kind.LEQ)])
    return made


def cvc5_right(given: Pairs, held_out: Pairs, seconds: float) -> bool:
    """Whether cvc5 is right on the held-out examples.

    All positions are solved before any is checked: to stop at the first wrong one would use the held-out outputs.
    """
    new = [values for values, _ in held_out]
    columns = [cvc5_position(given, position, new, seconds) for position in range(len(given[0][0]))]
    return columns == [[wanted[position] for _, wanted in held_out] for position in range(len(columns))]


def lasynth_right(given: Pairs, held_out: Pairs, strategy: str, timeout: float) -> bool:
    solution = solve(given, language="c", strategy=strategy, timeout=timeout)  # type: ignore[arg-type]
    if not solution.solved:
        return False
    (outputs,) = get_domain("c").run_many([solution.programs[0].program], [values for values, _ in held_out])
    return outputs == [wanted for _, wanted in held_out]


def measure(tasks: list[Task[Any, Any]], right: Any) -> dict[str, Any]:
    domain = get_domain("c")
    solved, seconds = [], []
    for task in tasks:
        pairs = [(e.input, e.output) for e in task.examples]
        given = domain.given(len(pairs))
        begin = time.perf_counter()
        solved.append(right(pairs[:given], pairs[given:]))
        seconds.append(time.perf_counter() - begin)
    by_category = {
        name: [
            sum(s for s, t in zip(solved, tasks, strict=True) if t.category == name),
            sum(t.category == name for t in tasks),
        ]
        for name in domain.categories
    }
    return {
        "right on held-out examples": sum(solved),
        "percent": round(100 * statistics.mean(solved), 1),
        "by category, right and tasks": by_category,
        "median seconds": round(statistics.median(seconds), 3),
        "p95 seconds": round(float(np.percentile(seconds, 95)), 3),
        "longest seconds": round(max(seconds), 3),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument(
        "--data", type=Path, help=f"Parquet file of tasks; by default tasks are drawn with seed {SEED}"
    )
    accepted.add_argument("--tasks", type=int, default=200)
    accepted.add_argument("--seconds", type=float, default=2.0, help="time limit of cvc5, per position")
    accepted.add_argument("--timeout", type=float, default=5.0, help="time limit of lasynth in seconds, per task")
    accepted.add_argument("--strategies", nargs="+", default=["symbolic", "portfolio"])
    arguments = accepted.parse_args()
    domain = get_domain("c")
    if arguments.data is None:
        tasks, _ = domain.sample_tasks(Random(SEED), arguments.tasks, domain.options())
    else:
        tasks = list(islice(read_tasks(arguments.data, domain), arguments.tasks))
    solve([([1], [1])], language="c")  # load weights and compiled code before the clock starts
    source = f"drawn with seed {SEED}" if arguments.data is None else str(arguments.data)
    result: dict[str, Any] = {"data": source, "tasks": len(tasks), "cvc5, seconds per position": arguments.seconds}
    for strategy in arguments.strategies:
        result[f"lasynth, {strategy}"] = measure(
            tasks, lambda given, held_out, s=strategy: lasynth_right(given, held_out, s, arguments.timeout)
        )
    result[f"cvc5 {cvc5.__version__}"] = measure(
        tasks, lambda given, held_out: cvc5_right(given, held_out, arguments.seconds)
    )
    report(result, arguments.out)


if __name__ == "__main__":
    main()
