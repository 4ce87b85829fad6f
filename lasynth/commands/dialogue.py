"""Questions to a person, who settles what the examples leave open. All that is said goes to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from lasynth.commands.terminal import complain, say
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.solver import Answer, Solution
from lasynth.solver.asking import Question, question
from lasynth.solver.examples import read_example
from lasynth.task import Example, InputError

Examples = list[Example[Any]]
Search = Callable[[Examples, Sequence[Answer]], Solution]
"""Answers for examples; the second argument are answers for fewer of them."""


def settle(domain: AnyDomain, examples: Examples, search: Search) -> tuple[Solution, Examples]:
    """Ask until one behaviour is left or the person stops; the answers, and the examples with those that were told."""
    solution = search(examples, ())
    while (asked := question(domain, solution.programs, examples)) is not None:
        told = ask(domain, asked)
        if told is None:
            break
        settled = search([*examples, told], solution.programs)
        if settled.solved:
            solution, examples = settled, [*examples, told]
        else:  # what was known is worth more than an example that nothing fits
            complain(f"no program that was found does that, so it is left out ({settled.reason})")
    return solution, examples


def ask(domain: AnyDomain, asked: Question) -> Example[Any] | None:
    """The example that the person adds; None if the person stops."""
    value = json.dumps(domain.value_json(asked.input))
    say(f"\nThe examples leave open what becomes of {value}:")
    for number, (output, who) in enumerate(asked.outputs, start=1):
        shown = "(the program fails)" if output is None else json.dumps(domain.value_json(output))
        say(f"  {number}: {shown}   {len(who)} answer{'s' if len(who) > 1 else ''}")
    numbered = {str(number): output for number, (output, _) in enumerate(asked.outputs, start=1)}
    while True:
        say("What should it be? A number, or the output itself; nothing to stop.")
        line = sys.stdin.readline().strip()
        if not line:
            return None
        if line in numbered:
            output = numbered[line]
            if output is not None:
                return Example(asked.input, output)
            complain("no example can ask for a program that fails; give the output that it should have")
            continue
        try:
            told = read_example(f"{value} -> {line}", domain)
            solvable(domain).check_example(told, told)
        except InputError as error:
            complain(str(error))
        else:
            return told
