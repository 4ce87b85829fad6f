"""The results table of restricted C: trains and evaluates rows with equal budgets, on random and reduced programs.

    lasynth generate c --out data/c_500000 --train 500000 --val 1000 --test 1000 --seed 1
    lasynth generate c --out data/fresh2 --test 1000 --seed 2
    python experiments/table_c.py --random data/c_500000 --fresh data/fresh2/test.parquet --bf16
    for seed in 1 2; do
        python experiments/table_c.py --random data/c_500000 --fresh data/fresh2/test.parquet --bf16 --no-baselines \\
            --seed $seed --rows LaSynth NoExecutor RobustFill LaSynth+
    done
    python experiments/table_c.py --random data/c_500000 --fresh data/fresh2/test.parquet --bf16 --no-baselines \\
        --set encoder=lists overview=0 --rows LaSynth NoExecutor RobustFill

Every row sees the same programs in the same order, and is tested on the same fresh tasks. `encoder=lists` is the
paper's encoder, LSTMs over input and output; `overview=0` leaves out the overview that the preset adds. Without
--fresh a row is tested on the test set of its own data. That set contains no program of the training set, so it lacks
short programs, above all where programs are reduced. A row whose JSON exists is not trained again, and an interrupted
row continues from its last checkpoint. The figures show greedy validation accuracy against programs and minutes.
`report.py` compares the rows.
"""

from __future__ import annotations

from pathlib import Path

from _table import Table, make, parser_of, run_table

ROWS = [
    "LaSynth", "NoAttentionInDecoding", "NoOpPredictor", "NoPartialExecutor", "NoExecutor", "RobustFill",
    "PropertySignatures", "LaSynth+", "Executed",
]  # fmt: skip
TABLE = Table("table_c", ROWS, ["ClosedForm"], {})
RESULTS = Path(__file__).parent / "results" / "table_c"
"""The files of an earlier table, with 300,032 programs for each row, are in the folder above."""


def main(words: list[str]) -> int:
    parser = parser_of(TABLE, __doc__)
    parser.set_defaults(programs=600_000, results=RESULTS)
    parser.add_argument("--random", type=Path, help="data set of random programs")
    parser.add_argument("--reduced", type=Path, help="data set of reduced programs")
    arguments = parser.parse_args(words)
    if not arguments.random and not arguments.reduced:
        parser.error("--random, --reduced or both are required")
    return make(TABLE, {"random": arguments.random, "reduced": arguments.reduced}, arguments)


if __name__ == "__main__":
    run_table(main, TABLE.name)
