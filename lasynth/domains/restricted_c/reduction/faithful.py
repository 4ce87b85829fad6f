"""Reduction that keeps the behaviour on all inputs, as far as probes, coverage and symbolic execution can tell.

1. The program is explored: which paths does it have on lists of several lengths, and which inputs take them?
2. If some code is executed on no path that was found, and the exploration was not complete, the program stays as it
   is. Nobody knows what that code does.
3. The program is reduced on probes: the inputs of the paths and their boundaries, and lists around its constants.
4. Both programs are explored side by side. An input on which they differ becomes a probe, and step 3 is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from random import Random
from typing import TypeAlias

import numpy as np

from lasynth.domains.base import Reduction
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import from_lexemes, to_code, to_lexemes
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.reduction.exploration import Coverage, Exploration, explore
from lasynth.domains.restricted_c.reduction.probing import LENGTHS, lengths_around, lists_around
from lasynth.domains.restricted_c.reduction.reduce import reduce_program, with_fewer_variables

LONGEST = 32
"""Longest lists that are explored."""
PATHS, FEW_PATHS = 200, 40
"""Most paths explored for each length. The second number holds after a length with too many paths."""
SEEDS = 8
"""Lists with which the exploration of one length begins."""
PROBES = 96
"""Probes with numbers near the constants, for each length."""
ROUNDS = 32
"""Most times that a difference is found and the program is reduced again."""

Values: TypeAlias = tuple[int, ...]


class Survey:
    """The paths of one program, or of two side by side, on lists of one length, or of all lengths if none is given.

    A list that is longer than all subscripts behaves like a shorter one, with further elements that stay as they are.
    So the lengths up to the largest subscript say everything, unless a subscript depends on the input.
    """

    def __init__(self, programs: Sequence[Program], length: int | None) -> None:
        self.programs = [_fresh(program) for program in programs]
        self.coverage = Coverage()
        self.found: dict[int, Exploration] = {}
        self.length = length
        while missing := [size for size in self.lengths if size not in self.found and size <= LONGEST]:
            self._explore(missing[-1])

    def _explore(self, length: int) -> None:
        cheap = any(not found.complete for found in self.found.values())
        seeds = list(lists_around(self.programs[0], Random(length), length, SEEDS))
        self.found[length] = explore(self.programs, seeds, self.coverage, FEW_PATHS if cheap else PATHS)

    @property
    def indexed(self) -> bool:
        """Whether a subscript depends on the input."""
        return any(found.indexed for found in self.found.values())

    @property
    def lengths(self) -> list[int]:
        """The lengths to explore, as far as it is known by now."""
        if self.length is not None:
            return [self.length]
        reach = max((found.reach for found in self.found.values()), default=0)
        usual = LENGTHS if self.indexed else ()
        return sorted({*range(1, min(reach, LONGEST) + 2), *usual})

    @property
    def complete(self) -> bool:
        """Whether all paths on all lists, or on those of the given length, are known."""
        done = all(size in self.found and self.found[size].complete for size in self.lengths)
        return done and (self.length is not None or not self.indexed)

    @property
    def unreached(self) -> bool:
        """Whether there may be code that none of the paths executes."""
        return not self.complete and not all(self.coverage.complete(program) for program in self.programs)

    @property
    def different(self) -> list[Values]:
        """Inputs on which two programs differ."""
        return [tuple(values) for found in self.found.values() for values in found.different]

    def probes(self) -> list[Values]:
        """Inputs of all paths and around the constants."""
        reach = max(found.reach for found in self.found.values()) if self.found else 0
        lengths = [self.length] if self.length is not None else lengths_around(reach)
        around = [v for size in lengths for v in lists_around(self.programs[0], Random(-size), size, PROBES)]
        return [tuple(v) for v in (*(values for found in self.found.values() for values in found.inputs), *around)]


def _fresh(program: Program) -> Program:
    """The same program as a tree in which no two nodes are one object."""
    return from_lexemes(to_lexemes(canonical(program)))


def reduce_faithfully(
    program: Program, given: Iterable[Sequence[int]], length: int | None = None
) -> Reduction[Program]:
    """The smallest program that greedy cuts find with the same behaviour on all lists, or on those of one length.

    `given` are lists that are compared in any case.
    """
    plain = with_fewer_variables(program)
    survey = Survey([plain], length)
    probes = dict.fromkeys([*map(tuple, given), *survey.probes()])
    if survey.unreached:
        return Reduction(plain, len(probes), failures(plain, probes), unreached=True)
    for _ in range(ROUNDS):
        smaller = _smallest(plain, probes, length)
        if outcomes(smaller, probes) != outcomes(plain, probes):
            continue  # on probes of a shorter program, with which the next round begins
        both = Survey([plain, smaller], length)
        if all(values in probes for values in both.different):
            proved = both.complete and not both.different
            return Reduction(smaller, len(probes), failures(plain, probes), proved)
        probes.update(dict.fromkeys(both.different))
    return Reduction(plain, len(probes), failures(plain, probes))


def _smallest(program: Program, probes: dict[Values, None], length: int | None) -> Program:
    """Reduce until nothing changes. The inputs of the paths of each shorter program become probes, too."""
    while True:
        smaller = reduce_on(program, probes)
        if smaller == program:
            return smaller
        survey = Survey([smaller], length)
        probes.update(dict.fromkeys(survey.probes()))
        if survey.unreached:
            return smaller
        program = smaller


def reduce_on(program: Program, lists: Iterable[Sequence[int]]) -> Program:
    """The smallest program that greedy cuts find with the same outcome on each list. Lengths may differ."""
    rows = sorted(lists, key=len)
    lengths = np.array([len(row) for row in rows], np.int64)
    inputs = np.zeros((len(rows), int(lengths.max(initial=1))), np.int32)
    for row, values in zip(inputs, rows, strict=True):
        row[: len(values)] = values
    return reduce_program(program, inputs, lengths=lengths)


def failures(program: Program, lists: Iterable[Sequence[int]]) -> int:
    """On how many of the lists the program faults."""
    return sum(status != Status.OK for status, _ in outcomes(program, lists))


def outcomes(program: Program, lists: Iterable[Sequence[int]]) -> list[tuple[int, list[int]]]:
    """The status and the output for each list, the shortest lists first."""
    codes = pack([to_code(canonical(program))])
    found: list[tuple[int, list[int]]] = []
    for _, rows in groupby(sorted(lists, key=len), key=len):
        results = run_codes(codes, np.array(list(rows), np.int32))
        found += zip(results.status[0].tolist(), results.outputs[0].tolist(), strict=True)
    return found
