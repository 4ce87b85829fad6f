"""What the solver needs from restricted C.

It checks examples, gives programs that explain them (by the symbolic strategy), draws lists that tell programs apart,
and writes a complete C file that tests itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import numpy as np

from lasynth.domains.base import Explained
from lasynth.domains.restricted_c.execution.machine import Status, pack, run_codes
from lasynth.domains.restricted_c.language.canonical import inline_constants
from lasynth.domains.restricted_c.language.lexemes import to_code
from lasynth.domains.restricted_c.language.nodes import INT_MAX, Program
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.symbolic.explanations import Explanation
from lasynth.domains.restricted_c.symbolic.prices import has_passed
from lasynth.domains.restricted_c.symbolic.search import MAX_LENGTH, explain
from lasynth.domains.restricted_c.symbolic.sums import Ints
from lasynth.domains.restricted_c.symbolic.writing import ORDERS, Unwritable, write
from lasynth.task import Example, InputError

ListExample = Example[list[int]]
MOST_PROGRAMS = 80
"""Most explanations that are written as programs; the right one is seldom further down the list."""
SECONDS_PER_ELEMENT = 2e-4
"""Seconds for each element of a list that are reserved to describe, write and show one program before the deadline."""
LATE_TRIES = 3
"""Most explanations that are tried after the deadline, until one can be written."""
FEWEST_PROBES, MOST_PROBED = 16, 20_000
"""Fewest lists that tell programs apart, and most elements in all of these lists together."""
MOST_CHECKED = 100_000
"""A program must stay within 32 bits on the first inputs to count as found; they have this many elements together."""
LARGE = INT_MAX // 16
"""If no element and no result is larger than this, a sum of up to six elements fits into 32 bits in any order."""
USUAL = 4
"""Lists that tell programs apart contain at least the values from -USUAL to USUAL."""

MOST_SIMPLIFIED, SMALL = 50, 5
"""Longest list that is made simpler. Values that replace an element are at most this far from the simplest one."""


def check_example(example: ListExample, first: ListExample) -> None:
    """Raise InputError if input and output differ in length, or if the length is not that of the first example."""
    lengths = len(example.input), len(example.output)
    if lengths[0] != lengths[1]:
        raise InputError(
            f"the input has {lengths[0]} elements, the output {lengths[1]}; "
            "functions of this language do not change the length of a list"
        )
    if lengths[0] != len(first.input):
        raise InputError(f"the lists have {lengths[0]} elements, those of the first example {len(first.input)}")
    if lengths[0] > MAX_LENGTH:
        raise InputError(f"the lists have {lengths[0]:,} elements; at most {MAX_LENGTH:,} are supported")


def explained(examples: Sequence[ListExample], deadline: float) -> Iterator[Explained[Program]]:
    """Programs that fit the examples, with the lengths of their descriptions, the shortest first.

    If there is none, programs that fit some of the examples. `deadline` is of `time.perf_counter`.
    """
    deadline -= SECONDS_PER_ELEMENT * len(examples[0].input)
    found = False
    for program, length, faultless in _written(examples, deadline, broad=True):
        found = found or faultless
        yield Explained(program, length)
    in_time = not has_passed(deadline)
    for rows in () if found else _parts(len(examples)):
        late = has_passed(deadline)
        part = [0] if late else rows  # explaining one example takes hardly any time
        for program, length, _ in _written([examples[i] for i in part], deadline):
            yield Explained(program, length, after_all=in_time)
        if late:
            return


class _Written(NamedTuple):
    program: Program
    length: float
    faultless: bool
    """Whether it stays within 32 bits on the examples that it was written for."""


def _written(examples: Sequence[ListExample], deadline: float, broad: bool = False) -> Iterator[_Written]:
    """Write the explanations of the examples as programs; only one of them if the deadline has passed."""
    inputs, outputs = _Lists([e.input for e in examples]), _Lists([e.output for e in examples])
    some = slice(max(1, MOST_CHECKED // len(examples[0].input)))
    large = _are_large(inputs[some]) or _are_large(outputs[some])
    written = late_tries = 0
    for length, explanation in explain(inputs, outputs, deadline, broad=broad)[:MOST_PROGRAMS]:
        if has_passed(deadline):
            if written or late_tries == LATE_TRIES:
                return
            late_tries += 1
        try:
            if large:
                program, faultless = _kept_small(explanation, inputs[some], deadline)
            else:
                program, faultless = write(explanation), True
        except Unwritable:
            continue
        yield _Written(program, length, faultless)
        written += 1


def _are_large(lists: Ints) -> bool:
    """Whether partial sums of such values may leave 32 bits although the result does not."""
    return bool((np.abs(lists) > LARGE).any())


def _kept_small(explanation: Explanation, inputs: Ints, deadline: float) -> tuple[Program, bool]:
    """The program with its summands in the first order in which no sum leaves 32 bits, and whether one was found.

    If no order was found in time, the program has the usual one.
    """
    usual = write(explanation)
    for order in range(ORDERS):
        program = write(explanation, order) if order else usual
        if (run_codes(pack([to_code(program)]), inputs.astype(np.int32)).status == Status.OK).all():
            return program, True
        if has_passed(deadline):
            break
    return usual, False


@dataclass(frozen=True)
class _Lists:
    """Converts lists to arrays only where they are used: all of many long lists would take longer than the search."""

    lists: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.lists)

    def __getitem__(self, rows: list[int] | slice) -> Ints:
        wanted = self.lists[rows] if isinstance(rows, slice) else [self.lists[i] for i in rows]
        return np.array(wanted, np.int64)


def _parts(count: int) -> Iterator[list[int]]:
    """Subsets of the examples, large ones first: all but one, each half, the first example alone."""
    everything = list(range(count))
    if count > 1:
        yield from ([i for i in everything if i != left_out] for left_out in reversed(everything[-10:]))
        yield everything[: (count + 1) // 2]
        yield everything[count // 2 :]
        yield [0]


def probes(rng: Random, count: int, examples: Sequence[ListExample]) -> list[list[int]]:
    """Lists as long as those of the examples: half of them with small values, half with values like the examples'.

    Fewer than `count` if the lists are long, because drawing and running them counts towards the time limit.
    """
    length = len(examples[0].input)
    count = min(count, max(FEWEST_PROBES, MOST_PROBED // length))
    seen = sorted({value for example in examples for value in example.input})
    low, high = max(-INT_MAX, min(-USUAL, seen[0] - 1)), min(INT_MAX, max(USUAL, seen[-1] + 1))
    lists = []
    for i in range(count):
        if i % 2:
            lists.append([rng.randint(-USUAL, USUAL) for _ in range(length)])
        else:
            lists.append([rng.choice(seen) if rng.random() < 0.5 else rng.randint(low, high) for _ in range(length)])
    return lists


def alike(values: Sequence[list[int]], examples: Sequence[ListExample]) -> list[bool]:
    """Which lists have all their elements between the smallest and the largest element of the examples' inputs."""
    low, high = min(min(e.input) for e in examples), max(max(e.input) for e in examples)
    return [low <= min(value) and max(value) <= high for value in values]


def simpler(value: list[int], examples: Sequence[ListExample]) -> Iterator[list[int]]:
    """The list with one element replaced by a value that is nearer to 0 and within the range of the examples."""
    if len(value) > MOST_SIMPLIFIED:
        return
    low, high = min(min(e.input) for e in examples), max(max(e.input) for e in examples)
    base = min(max(low, 0), high)  # the value nearest to 0 within the range
    nearest = sorted(range(max(low, base - SMALL), min(high, base + SMALL) + 1), key=lambda v: (abs(v), v < 0))
    for i, old in enumerate(value):
        for new in nearest:
            if (abs(new), new < 0) < (abs(old), old < 0):
                yield [*value[:i], new, *value[i + 1 :]]


FILE = """\
#include <assert.h>
#include <stdio.h>
#include <string.h>

{function}
enum {{ LENGTH = {length}, EXAMPLES = {count} }};

static const int inputs[EXAMPLES][LENGTH] = {{
{inputs}
}};
static const int outputs[EXAMPLES][LENGTH] = {{
{outputs}
}};

int main(void)
{{
    for (int i = 0; i < EXAMPLES; i++)
    {{
        int a[LENGTH];
        memcpy(a, inputs[i], sizeof a);
        assert(memcmp(func_1(a), outputs[i], sizeof a) == 0);
    }}
    printf("%d examples passed\\n", EXAMPLES);
    return 0;
}}
"""


def standalone(program: Program, examples: Sequence[ListExample]) -> str:
    """A C file with the function and a `main` that asserts every example."""
    return FILE.format(
        function=print_program(inline_constants(program)),
        length=len(examples[0].input),
        count=len(examples),
        inputs=_rows([example.input for example in examples]),
        outputs=_rows([example.output for example in examples]),
    )


def _rows(lists: Sequence[Sequence[int]]) -> str:
    return "\n".join("    {" + ", ".join(map(_literal, values)) + "}," for values in lists)


def _literal(value: int) -> str:
    """The number in C. There is no literal for -2147483648: C reads it as minus a number that does not fit."""
    return str(value) if value >= -INT_MAX else f"(-{INT_MAX} - 1)"
