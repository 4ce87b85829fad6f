"""Counts what Csmith's programs look like after post-processing, fits the weights of the native source, compares both.

    python experiments/csmith_fit.py --programs 25000 --seed 2   # measure, write the JSON, print the table
    python experiments/csmith_fit.py --programs 25000 --weights  # print the tables for sampler.py

Csmith with its default probabilities is measured, too. This shows the effect of our choice of probabilities, which is
larger than the difference between the native source and the programs that it was fitted to.

Raw programs are compared, before anything is run. Filters and balance come later and are the same for both sources.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from lasynth.domains.restricted_c.data.csmith import SETTINGS, SLOTS, csmith_programs
from lasynth.domains.restricted_c.data.sampler import KINDS, RELATIONS, sample_program
from lasynth.domains.restricted_c.data.statistics import iterations, program_statistics, statement_kind
from lasynth.domains.restricted_c.language.nodes import (
    Assign,
    Block,
    Condition,
    Const,
    Element,
    Expr,
    For,
    If,
    Increment,
    Operand,
    Program,
    Target,
    Var,
    category,
)
from lasynth.statistics import normalise, total_variation

RESULTS = Path(__file__).parent / "results" / "csmith_statistics.json"
KIND_OF = {
    "assign constant": "constant", "assign variable": "copy", "assign expression": "sum", "increment": "step",
}  # fmt: skip
ROWS: dict[str, tuple[str, ...]] = {
    "operators": ("sum", "update", "test", "left", "right"),
    "reads": ("copy", "sum", "update", "test", "left", "right"),
    "variables": tuple(
        f"{sort} {use} {loops}" for sort in ("element", "scalar") for use in ("read", "write") for loops in range(3)
    ),
}
LENGTHS = {
    "targets": 2, "constants": 9, "signs": 2, "steps": 4, "relations": len(RELATIONS), "directions": 2, "iterations": 5,
}  # fmt: skip
PER_MILLE = 1000
STOCK = (
    "[statement_prob,statement_assign_prob=100,statement_block_prob=0,statement_for_prob=30,statement_ifelse_prob=15,"
    "statement_return_prob=35,statement_continue_prob=40,statement_break_prob=45,statement_goto_prob=50,"
    "statement_arrayop_prob=60]\n"
)
"""The statement probabilities of `csmith --dump-default-probabilities`. Everything else keeps its default as well."""
SOURCES = ("csmith", "native", "stock")


class Fit:
    """Counts everything that the native source draws: table -> row -> class -> count."""

    def __init__(self, programs: Iterable[Program]) -> None:
        self.tables: defaultdict[str, defaultdict[str, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
        self.shapes: Counter[str] = Counter()
        self.has_loop = False
        self.seen: set[str] = set()
        for program in programs:
            self.has_loop = category(program) in ("For-only", "Mixture")
            self.seen = {"p_0"} if self.has_loop else set()
            self.block(program.body, 0, 0)

    def count(self, table: str, row: str, index: int) -> None:
        self.tables[table][row][index] += 1

    def block(self, block: Block, depth: int, loops: int) -> None:
        context = f"{depth}.{loops}"
        self.count("sizes", context, len(block) - 1)
        for statement in block:
            kind = statement_kind(statement)
            self.count("kinds", context, KINDS.index(KIND_OF.get(kind, kind)))
            match statement:
                case Assign(target=target, value=value):
                    self.target(target, loops)
                    self.assigned(target, value, loops)
                case Increment(target=target, operator=operator, prefix=prefix):
                    self.target(target, loops)
                    self.count("steps", "", 2 * (operator == "--") + (not prefix))
                case For(body=body):
                    self.count("directions", "", int(statement.operator == "--"))
                    self.count("iterations", "", (iterations(statement) or 1) - 1)
                    self.block(body, depth + 1, loops + 1)
                case If(condition=condition, then=then, orelse=orelse):
                    self.condition(condition, loops)
                    for branch in (then, orelse):
                        if branch and kind in ("if", "if-else"):
                            self.block(branch, depth + 1, loops)

    def assigned(self, target: Target, value: Expr, loops: int) -> None:
        if not value.rest:
            if isinstance(value.first, Const):
                self.count("constants", "", value.first.value + 4)
            else:
                self.read("copy", value.first, loops)
        elif value.first == target:
            self.terms("update", value, loops)
        else:
            self.expression("sum", value, loops)

    def condition(self, condition: Condition, loops: int) -> None:
        self.shapes["|".join(str(len(conjunction)) for conjunction in condition)] += 1
        for test in (test for conjunction in condition for test in conjunction):
            self.count("relations", "", RELATIONS.index(test.relation))
            self.expression("left" if test.right else "test", test.left, loops)
            if test.right:
                self.expression("right", test.right, loops)

    def expression(self, place: str, expr: Expr, loops: int) -> None:
        self.read(place, expr.first, loops)
        self.terms(place, expr, loops)

    def terms(self, place: str, expr: Expr, loops: int) -> None:
        self.count("operators", place, len(expr.rest))
        for sign, operand in expr.rest:
            self.count("signs", "", int(sign == "-"))
            self.read(place, operand, loops)

    def read(self, place: str, operand: Operand, loops: int) -> None:
        match operand:
            case Const(value=value):
                self.count("reads", place, 0)
                self.count("constants", "", value + 4)
            case Var():
                self.count("reads", place, 1)
                self.variable("scalar read", operand, loops)
            case Element():
                self.count("reads", place, 2)
                self.variable("element read", operand.index, loops)

    def target(self, target: Target, loops: int) -> None:
        match target:
            case Var():
                self.count("targets", "", 0)
                self.variable("scalar write", target, loops)
            case Element(index=index):
                self.count("targets", "", 1)
                self.variable("element write", index, loops)

    def variable(self, use: str, variable: Var | Const, loops: int) -> None:
        assert isinstance(variable, Var), "sources have no constant subscripts"
        name = variable.name
        sort = {"p_0": 0, "p_1": 2}.get(name, 1)
        if self.has_loop:
            self.count("variables", f"{use} {loops}", sort)
        # In programs without loops p_0 is the first of the locals.
        if not self.has_loop or sort == 1:
            row = "loop" if self.has_loop else "straight"
            self.count("mentions", row, len(self.seen))
            self.tables["fresh"][row][len(self.seen)] += name not in self.seen
            self.seen.add(name)

    # --- as Python -----------------------------------------------------------------------------------------------
    def weights(self, name: str) -> str:
        """The definition of a `Weights` with these frequencies."""
        longest = 1 + max(max(row) for row in self.tables["sizes"].values())
        lengths = {"sizes": longest, "kinds": len(KINDS)}
        fields = [self.mapping(table, sorted(self.tables[table]), length) for table, length in lengths.items()]
        fields += [self.mapping(table, rows, 3) for table, rows in ROWS.items()]
        fields += [
            _mapping("fresh", {row: str(self.fresh(row)) for row in ("straight", "loop")}),
            _pack([f"{table}={per_mille(self.tables[table][''], length)}" for table, length in LENGTHS.items()], 1),
        ]
        shapes = {shape: round(PER_MILLE * share) for shape, share in sorted(normalise(self.shapes).items())}
        fields.append(_mapping("shapes", {shape: str(weight) for shape, weight in shapes.items() if weight}))
        return "\n".join([f"{name} = Weights(", *fields, ")  # fmt: skip"])

    def mapping(self, table: str, rows: Iterable[str], length: int) -> str:
        return _mapping(table, {row: str(per_mille(self.tables[table][row], length)) for row in rows})

    def fresh(self, row: str) -> tuple[int, ...]:
        fresh, mentions = self.tables["fresh"][row], self.tables["mentions"][row]
        return tuple(round(PER_MILLE * fresh[seen] / (mentions[seen] or 1)) for seen in range(SLOTS + 1))


def _mapping(field: str, rows: Mapping[str, str]) -> str:
    packed = _pack([f'"{row}": {value}' for row, value in rows.items()], 2)
    return f"    {field}={{\n{packed}\n    }},"


def _pack(items: Iterable[str], indent: int, width: int = 116) -> str:
    """Lines with as many items as fit."""
    lines = [""]
    for item in items:
        if len(lines[-1]) + len(item) + 4 * indent > width:
            lines.append("")
        lines[-1] += f" {item}," if lines[-1] else f"{item},"
    return "\n".join("    " * indent + line for line in lines)


def per_mille(counts: Mapping[int, int], length: int) -> tuple[int, ...]:
    """Shares in thousandths. A row without counts gets a 1 for its middle class; the grammar never draws from it."""
    total = sum(counts.values())
    if not total:
        return tuple(int(index == length // 2) for index in range(length))
    return tuple(round(PER_MILLE * counts.get(index, 0) / total) for index in range(length))


def measure(count: int, seed: int) -> dict[str, object]:
    """Statistics and speed of the two sources, and of Csmith with default probabilities."""
    passed_over: Counter[str] = Counter()
    rng = random.Random(seed)
    sources = {
        "csmith": islice(csmith_programs(random.Random(seed), passed_over=passed_over), count),
        "native": (sample_program(rng) for _ in range(count)),
        "stock": islice(csmith_programs(random.Random(seed), probabilities=STOCK), count),
    }
    measured: dict[str, object] = {"programs": count, "seed": seed}
    for name, stream in sources.items():
        start = time.perf_counter()
        programs = list(stream)
        rate = count / (time.perf_counter() - start)
        measured[name] = {"programs_per_second": round(rate), "statistics": program_statistics(programs)}
    measured["passed_over"] = dict(passed_over)
    return measured


def table(lines: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Iterator[str]:
    """A Markdown table of the three sources. `lines`: source -> line -> class -> count."""
    yield "| line | class | Csmith % | native % | stock Csmith % |"
    yield "|---|---|---:|---:|---:|"
    for line, counts in lines["csmith"].items():
        near, far = (total_variation(counts, lines[source][line]) for source in ("native", "stock"))
        yield f"| **{line}** | *distance to Csmith* | | *{near:.3f}* | *{far:.3f}* |"
        shares = [normalise(lines[source][line]) for source in SOURCES]
        for name in counts:
            if any(share[name] for share in shares):
                yield f"| | {name} | {' | '.join(f'{100 * share[name]:.1f}' for share in shares)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=20_000, help="per source, or per setting with --weights")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weights", action="store_true", help="print tables for sampler.py instead of measuring")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON file for the figures")
    options = parser.parse_args()
    if options.weights:
        for name, setting in zip(("PLAIN", "SUMS"), SETTINGS, strict=True):
            # Not the seed of the comparison: weights must be judged on programs that they were not counted on.
            programs = csmith_programs(random.Random(options.seed + 1), settings=(setting,))
            fit = Fit(islice(programs, options.programs))
            print(fit.weights(name))
        return
    measured = measure(options.programs, options.seed)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(measured, indent=1) + "\n")
    stored = json.loads(options.out.read_text())
    for name in SOURCES:
        print(f"{name}: {stored[name]['programs_per_second']:,} programs/s")
    print(f"passed over: {stored['passed_over']}\n")
    print("\n".join(table({source: stored[source]["statistics"] for source in SOURCES})))


if __name__ == "__main__":
    main()
