"""What the solver needs of this language: checked examples, programs that explain them, lists to tell programs apart, and a
complete C file that tests itself. Knows no strategy but the symbolic one.
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
"""Explanations that are written as programs; the right one is seldom further down."""
SECONDS_PER_ELEMENT = 2e-4
"""Of the lists: the time before the deadline that is kept for describing, writing and showing one program."""
LATE_TRIES = 3
"""Explanations that are tried after the deadline until one can be written."""
FEWEST_PROBES, MOST_PROBED = 16, 20_000
"""Lists to tell programs apart, and elements of all these lists together."""
MOST_CHECKED = 100_000
"""Elements of the lists on which a program must stay within 32 bits to count as found."""
LARGE = INT_MAX // 16
"""Sums of up to six elements with values up to this, which give values up to this, fit into 32 bits in any order."""
USUAL = 4
"""Lists to tell programs apart have at least the values from -USUAL to USUAL."""


def check_example(example: ListExample, first: ListExample) -> None:
    """InputError if it is none, or does not go with the first one."""
    lengths = len(example.input), len(example.output)
    if lengths[0] != lengths[1]:
        raise InputError(
            f"the input has {lengths[0]} elements, the output {lengths[1]}: a function of this language keeps the length"
        )
    if lengths[0] != len(first.input):
        raise InputError(f"the lists have {lengths[0]} elements, those of the first example {len(first.input)}")
    if lengths[0] > MAX_LENGTH:
        raise InputError(f"the lists have {lengths[0]:,} elements; at most {MAX_LENGTH:,} are taken")


def explained(examples: Sequence[ListExample], deadline: float) -> Iterator[Explained[Program]]:
    """Programs that fit the examples with the lengths of their descriptions, the shortest first; if there is none, programs
    that fit some of the examples. `deadline` is of `time.perf_counter`."""
    deadline -= SECONDS_PER_ELEMENT * len(examples[0].input)
    found = False
    for program, length, faultless in _written(examples, deadline):
        found = found or faultless
        yield Explained(program, length)
    in_time = not has_passed(deadline)
    for rows in () if found else _parts(len(examples)):
        late = has_passed(deadline)
        part = [0] if late else rows  # one example is explained in no time
        for program, length, _ in _written([examples[i] for i in part], deadline):
            yield Explained(program, length, after_all=in_time)
        if late:
            return


class _Written(NamedTuple):
    program: Program
    length: float
    faultless: bool
    """Whether it stays within 32 bits on the examples that it was written for."""


def _written(examples: Sequence[ListExample], deadline: float) -> Iterator[_Written]:
    """The programs for the explanations of the examples; only one if the deadline has passed."""
    inputs, outputs = _Lists([e.input for e in examples]), _Lists([e.output for e in examples])
    some = slice(max(1, MOST_CHECKED // len(examples[0].input)))
    large = _are_large(inputs[some]) or _are_large(outputs[some])
    written = late_tries = 0
    for length, explanation in explain(inputs, outputs, deadline)[:MOST_PROGRAMS]:
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
    """Whether a sum of values like these may leave 32 bits on its way, though its result does not."""
    return bool((np.abs(lists) > LARGE).any())


def _kept_small(explanation: Explanation, inputs: Ints, deadline: float) -> tuple[Program, bool]:
    """The program with its summands in the first order in which no sum leaves 32 bits, in the usual one if none is found;
    and whether one was found."""
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
    """Becomes an array in parts, when they are looked at: all of many long lists would take longer than the search."""

    lists: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.lists)

    def __getitem__(self, rows: list[int] | slice) -> Ints:
        wanted = self.lists[rows] if isinstance(rows, slice) else [self.lists[i] for i in rows]
        return np.array(wanted, np.int64)


def _parts(count: int) -> Iterator[list[int]]:
    """Subsets of the examples, large ones first: all but one, the halves, a single one."""
    everything = list(range(count))
    if count > 1:
        yield from ([i for i in everything if i != left_out] for left_out in reversed(everything[-10:]))
        yield everything[: (count + 1) // 2]
        yield everything[count // 2 :]
        yield [0]


def probes(rng: Random, count: int, examples: Sequence[ListExample]) -> list[list[int]]:
    """Lists of the same length, a half of them with the usual small values, the others with values as in the examples.

    Fewer than `count` if they are long: they are drawn, and run through, within the time limit.
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
    """Which lists have their elements between the smallest and the largest one of the examples' inputs."""
    low, high = min(min(e.input) for e in examples), max(max(e.input) for e in examples)
    return [low <= min(value) and max(value) <= high for value in values]


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
    """C reads -2147483648 as the negative of a number that does not fit."""
    return str(value) if value >= -INT_MAX else f"(-{INT_MAX} - 1)"
