"""`lasynth reduce`: shorten a program without changing what it does."""

import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated, Any

from lasynth.commands.arguments import Inputs, ProgramFile
from lasynth.commands.parser import arg, call
from lasynth.commands.terminal import print_code, read_input, read_program
from lasynth.domains.base import AnyDomain, Reduction
from lasynth.task import InputError

MOST = 1_000_000
"""Most random inputs."""
CHUNK = 4096
"""Random inputs that are in memory at one time."""


def reduce(
    file: ProgramFile,
    /,
    inputs: Inputs = (),
    random: Annotated[
        int,
        arg(help=f"Number of random inputs to compare on, at most {MOST:,}. With 0, only the given inputs count."),
    ] = 256,
    seed: Annotated[int, arg(help="Seed of the random inputs.")] = 0,
) -> int:
    """Shorten a program without changing what it does.

    Parts are removed as long as the outcomes stay the same on the given inputs, on inputs drawn from the program
    (around its constants, on both sides of its conditions) and on random ones. If an input is given, all inputs have
    its size. A fault is an outcome, too.
    """
    domain, program = read_program(file)
    given = [read_input(domain, text) for text in inputs]
    if random < 0 or (not given and not random):
        raise InputError("--random must be positive if no --input is given")
    if random > MOST:
        raise InputError(f"--random is at most {MOST:,}")
    result = _reduced(domain, program, given, random, seed) if random else _reduced_on(domain, program, given)
    print_code(domain, domain.pretty(result.program))
    before, after = (len(domain.unparse(domain.canonical(p))) for p in (program, result.program))
    print(f"{before} -> {after} lexemes; {_grounds(result)}", file=sys.stderr)
    return 0


def _reduced_on(domain: AnyDomain, program: Any, given: Sequence[Any]) -> Reduction[Any]:
    """Reduce on the given inputs alone."""
    failed = sum(output is None for output in domain.run_many([program], given)[0])
    return Reduction(domain.reduce(program, given), len(given), failed)


def _reduced(domain: AnyDomain, program: Any, given: Sequence[Any], random: int, seed: int) -> Reduction[Any]:
    """Reduce for all inputs. A random input on which the result differs is used to reduce again."""
    like = given[0] if given else _like(domain, program)
    values = [*given, *next(_chunks(domain, random, seed, like))]
    while True:
        result = domain.reduce_for_all(program, values, like)
        compared, failed, different = result.compared, result.failed, list[Any]()
        chunks = _chunks(domain, random, seed, like)
        next(chunks)  # these are among `values`
        for chunk in chunks:
            wanted, made = domain.run_many([program, result.program], chunk)
            compared, failed = compared + len(chunk), failed + sum(output is None for output in wanted)
            different += [value for value, one, other in zip(chunk, wanted, made, strict=True) if one != other]
        if not different:
            return result._replace(compared=compared, failed=failed)
        values += different[:CHUNK]


def _like(domain: AnyDomain, program: Any) -> Any:
    """An input of the kinds that the program takes, in a language whose programs take different ones."""
    return domain.some_input(program) if hasattr(domain, "some_input") else None


def _chunks(domain: AnyDomain, count: int, seed: int, like: Any) -> Iterator[list[Any]]:
    """The random inputs, a few at a time."""
    rng = Random(seed)
    for start in range(0, count, CHUNK):
        yield domain.random_values(rng, min(CHUNK, count - start), like=like)


def _grounds(result: Reduction[Any]) -> str:
    """What is known of the result, in words."""
    failed = f" (on {result.failed:,} of them both programs fail)" if result.failed else ""
    said = f"same outcomes on {result.compared:,} inputs{failed}"
    if result.unreached:
        return f"nothing was cut: no input was found that reaches all of the code; {said}"
    return f"{said}; equality is proved" if result.proved else said


def main(words: Sequence[str]) -> int:
    return call(reduce, "reduce", words)
