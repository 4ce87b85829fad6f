"""`lasynth reduce`: shorten a program without changing what it does."""

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
    random: Annotated[int, arg(help="Number of random inputs to compare on.")] = 256,
    seed: Annotated[int, arg(help="Seed of the random inputs.")] = 0,
) -> int:
    """Shorten a program without changing what it does.

    Parts are removed one by one as long as the outcomes stay the same on the given inputs and on random ones of the
    same size. A fault is an outcome, too.
    """
    domain = domain_of(file)
    program = domain.parse_text(read_text(file))
    given = [read_input(domain, text) for text in inputs]
    if random < 0 or (not given and not random):
        raise InputError("--random must be positive if no --input is given")
    values = [*given, *domain.random_values(Random(seed), random, like=given[0] if given else None)]
    smaller = domain.reduce(program, values)
    print_code(domain, domain.pretty(smaller))
    failed = sum(output is None for output in domain.run_many([program], values)[0])
    before, after = (len(domain.unparse(domain.canonical(p))) for p in (program, smaller))
    note = f" (on {failed} of them both programs fail)" if failed else ""
    print(f"{before} -> {after} lexemes; same outcomes on {len(values)} inputs{note}", file=sys.stderr)
    return 0


def main(words: Sequence[str]) -> int:
    return call(reduce, "reduce", words)
