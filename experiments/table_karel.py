"""The results table of Karel: trains and evaluates rows with equal numbers of programs, or for equal time.

    lasynth generate karel --out data/karel --train 600000 --val 1000 --test 1000 --seed 11 --reduce
    lasynth generate karel --out data/karel_fresh --test 1000 --seed 2026
    python experiments/table_karel.py data/karel --fresh data/karel_fresh/test.parquet [--minutes 20]

Every row sees the same tasks in the same order, and is tested on the same fresh tasks. A row whose JSON exists is not
trained again, and an interrupted row continues from its last checkpoint.

The same on the public files, train.json, val.json and test.json in one folder:

    lasynth import karel FOLDER --out data/public
    python experiments/table_karel.py data/public --kind public --tasks 2500
"""

from __future__ import annotations

from pathlib import Path

from _results import KAREL_TRAINING
from _table import Table, make, parser_of, run_table

ROWS = ["Bunel", "Shin", "LaSynth", "NoPartialExecutor", "NoExecutor", "Exec", "LaSynth+", "Executed"]
TABLE = Table("table_karel", ROWS, ["Enumerated"], KAREL_TRAINING)


def main(words: list[str]) -> int:
    parser = parser_of(TABLE, __doc__)
    parser.set_defaults(programs=500_000)
    parser.add_argument("data", type=Path, help="data set with a training set")
    parser.add_argument("--kind", default="generated", help="name of the data in result files and folders")
    arguments = parser.parse_args(words)
    return make(TABLE, {arguments.kind: arguments.data}, arguments)


if __name__ == "__main__":
    run_table(main, TABLE.name)
