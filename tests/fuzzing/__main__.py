"""`python -m tests.fuzzing`: run cases and print those that fail, each with its folder, so that it can be repeated."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.fuzzing.mutation import draw
from tests.fuzzing.runner import Runner, fault


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=100, help="number of cases")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th case only")
    parser.add_argument("--keep", type=Path, help="folder for the files of cases that fail")
    parser.add_argument("--verbose", action="store_true", help="print every case")
    arguments = parser.parse_args()
    failures, codes, seconds = 0, Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as place:
        runner = Runner(Path(place))
        for number in range(arguments.first, arguments.first + arguments.cases, arguments.step):
            case = draw(arguments.seed, number, runner.files, runner.options)
            outcome = runner.run(case)
            codes[str(outcome.code)] += 1
            seconds[case.words[0] if case.words else ""] += outcome.seconds  # type: ignore[assignment]
            wrong = fault(case, outcome)
            failures += wrong is not None
            if wrong is not None or arguments.verbose:
                print(
                    f"case {number} of seed {arguments.seed}: {wrong or outcome.code} ({outcome.seconds:.1f} s)\n{case}"
                )
                print(f"{outcome.out[-500:]}{outcome.err[-2500:]}", flush=True)
            if wrong is not None and arguments.keep is not None:
                runner.lay_out(case, folder := arguments.keep / f"{arguments.seed}-{number}")
                (folder / "words.json").write_text(json.dumps(case.words))
    spent = {name: round(total, 1) for name, total in seconds.most_common(9)}
    print(json.dumps({"failures": failures, "exit codes": codes, "seconds": spent}), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
