"""Asks the user for the outputs of inputs on which the answers disagree. Prints to standard error."""

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
"""Searches for answers. The second argument are the answers of the last search, which had fewer examples."""


def settle(domain: AnyDomain, examples: Examples, search: Search) -> tuple[Solution, Examples]:
    """Ask until one behaviour is left or the user stops. Returns the answers and the old and new examples."""
    solution = search(examples, ())
    while (asked := question(domain, solution.programs, examples)) is not None:
        told = ask(domain, asked)
        if told is None:
            break
        settled = search([*examples, told], solution.programs)
        if settled.solved:
            solution, examples = settled, [*examples, told]
        else:  # keep the answers and drop the example
            complain(f"no program was found for this, so it is ignored ({settled.reason})")
    return solution, examples


def ask(domain: AnyDomain, asked: Question) -> Example[Any] | None:
    """Ask one question. Returns the new example, or None if the user stops."""
    value = json.dumps(domain.value_json(asked.input))
    say(f"\nThe answers disagree on the output for {value}:")
    for number, (output, who) in enumerate(asked.outputs, start=1):
        shown = "(the program fails)" if output is None else json.dumps(domain.value_json(output))
        say(f"  {number}: {shown}   {len(who)} answer{'s' if len(who) > 1 else ''}")
    numbered = {str(number): output for number, (output, _) in enumerate(asked.outputs, start=1)}
    while True:
        say("What should it be? Type a number from the list or the output itself; press Enter to stop.")
        line = sys.stdin.readline().strip()
        if not line:
            return None
        if line in numbered:
            output = numbered[line]
            if output is not None:
                return Example(asked.input, output)
            complain("an example needs an output: a failure cannot be asked for")
            continue
        try:
            told = read_example(f"{value} -> {line}", domain)
            solvable(domain).check_example(told, told)
        except InputError as error:
            complain(str(error))
        else:
            return told
