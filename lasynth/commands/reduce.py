"""`lasynth reduce`: a smaller program that does the same."""

import sys
from collections.abc import Sequence
from random import Random
from typing import Annotated

from tyro.conf import arg

from lasynth.commands.arguments import Inputs, ProgramFile, call
from lasynth.commands.terminal import domain_of, print_code, read_input, read_text
from lasynth.task import InputError


def reduce(
    file: ProgramFile,
    /,
    inputs: Inputs = (),
    random: Annotated[int, arg(help="Random inputs on which the result must do the same, too.")] = 256,
    seed: Annotated[int, arg(help="Of the random inputs.")] = 0,
) -> int:
    """Print the smallest program that greedy cutting finds with the same outcomes.

    Outcomes are compared on the given inputs and on random ones of the same size; faults count as outcomes.
    """
    domain = domain_of(file)
    program = domain.parse_text(read_text(file))
    given = [read_input(domain, text) for text in inputs]
    if random < 0 or (not given and not random):
        raise InputError("--random must be positive where no --input is given")
    values = [*given, *domain.random_values(Random(seed), random, like=given[0] if given else None)]
    smaller = domain.reduce(program, values)
    print_code(domain, domain.pretty(smaller))
    failed = sum(output is None for output in domain.run_many([program], values)[0])
    before, after = (len(domain.unparse(domain.canonical(p))) for p in (program, smaller))
    note = f" (on {failed} of them the program fails, and so does the result)" if failed else ""
    print(f"{before} -> {after} lexemes; same outcomes on {len(values)} inputs{note}", file=sys.stderr)
    return 0


def main(words: Sequence[str]) -> int:
    return call(reduce, "reduce", words)
