"""Karel tasks generated per second, reasons for rejection, and a comparison with public data.

Tasks are made as rows of a data set with reduced programs. Seconds of the processor are counted beside those of the
clock, so that other work on the machine matters less.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

from _measuring import parser, report

from lasynth.dataset import DatasetPlan, make_chunk
from lasynth.domains.karel import generator, statistics
from lasynth.statistics import total_variation

CHUNK = 500


def make(seed: int) -> tuple[int, float, Counter[str]]:
    """The number of tasks in a chunk, the seconds of the processor that it took, and the counts of its sampling."""
    plan = DatasetPlan("karel", {}, seed, generator.KarelOptions(reduce=True))
    begin = time.process_time()
    chunk = make_chunk(plan, "benchmark", 0, CHUNK)
    return chunk.table.num_rows, time.process_time() - begin, chunk.counts


def lines_of(seed: int) -> statistics.Lines:
    return statistics.statistics(generator.sample_tasks(Random(seed), CHUNK, generator.KarelOptions())[0])


def compared(chunks: int, pool: Any) -> dict[str, Any]:
    """For each line: its distance, and for each class our share and the public one."""
    lines: statistics.Lines = defaultdict(Counter)
    for part in pool.imap_unordered(lines_of, range(10**6, 10**6 + chunks)):
        for name, line in part.items():
            lines[name].update(line)
    table = {}
    for name, public in statistics.published().items():
        total = lines[name].total()
        shares = {
            key: [round(lines[name][key] / total, 4), round(public.get(key, 0.0), 4)]
            for key in {**public, **lines[name]}
        }
        table[name] = {"distance": round(total_variation(lines[name], public), 4), "ours, public": shares}
    return table | {
        name: {"ours only": {key: round(count / line.total(), 4) for key, count in line.items()}}
        for name, line in lines.items()
        if name not in table
    }


def markdown(result: dict[str, Any]) -> str:
    """The comparison as the table in docs/karel.md, in percent, with our share before the slash."""
    rows = ["| line | distance | ours / public, % |", "|---|---|---|"]
    for name, line in result["lines"].items():
        if "ours only" in line:
            alone = "; ".join(f"{key}: {100 * share:.1f}" for key, share in line["ours only"].items())
            rows.append(f"| {name} | no public figures | {alone} |")
            continue
        cells = (f"{key}: {100 * a:.1f} / {100 * b:.1f}" for key, (a, b) in line["ours, public"].items())
        rows.append(f"| {name} | {line['distance']:.3f} | {'; '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--tasks", type=int, default=200_000, help="tasks for the speed")
    accepted.add_argument("--compared", type=int, default=50_000, help="tasks for the comparison with public figures")
    accepted.add_argument("--workers", type=int, default=os.cpu_count())
    accepted.add_argument("--table", type=Path, help="print the table of this earlier result and stop")
    arguments = accepted.parse_args()
    if arguments.table:
        print(markdown(json.loads(arguments.table.read_text())))
        return
    counts: Counter[str] = Counter()
    made, busy = 0, 0.0
    with multiprocessing.Pool(arguments.workers) as pool:
        pool.map(make, range(10**7, 10**7 + 4 * arguments.workers), chunksize=1)  # loads the compiled code
        start = time.perf_counter()
        for size, took, part in pool.imap_unordered(make, range(-(-arguments.tasks // CHUNK))):
            made, busy = made + size, busy + took
            counts.update(part)
        seconds = time.perf_counter() - start
        table = compared(-(-arguments.compared // CHUNK), pool)
    result = {
        "workers": arguments.workers,
        "tasks": made,
        "seconds": round(seconds, 1),
        "tasks per second": round(made / seconds),
        "tasks per second of one core": round(made / busy),
        "counts": dict(counts),
        "tasks compared": -(-arguments.compared // CHUNK) * CHUNK,
        "largest distance": max(line.get("distance", 0.0) for line in table.values()),
        "lines": table,
    }
    report(result, arguments.out)


if __name__ == "__main__":
    main()
