"""Asks the user for the outputs of inputs on which the answers disagree. Prints to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from lasynth.commands.pictures import FAILS, drawn
from lasynth.commands.terminal import complain, read_input, say
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Drawing, solvable
from lasynth.solver import Solution
from lasynth.solver.asking import Question, count_behaviours, question
from lasynth.solver.strategies import Candidate
from lasynth.task import Example, InputError

Examples = list[Example[Any]]
Search = Callable[[Examples, Sequence[Candidate]], Solution]
"""Searches for answers. The second argument are the behaviours that the last search found, with fewer examples."""

OPTIONS = 8
"""Most outputs that a question lists."""


def settle(domain: AnyDomain, solution: Solution, examples: Examples, search: Search) -> tuple[Solution, Examples]:
    """Ask until one behaviour is left or the user stops. Returns the answers and the old and new examples."""
    found = list(solution.behaviours)
    while (asked := question(domain, solution.behaviours, examples)) is not None:
        told = ask(domain, asked, _state(solution))
        if told is None:
            say(f"not settled: {_behaviours(len(solution.behaviours))} still fit")
            return solution, examples
        again = search([*examples, told], solution.behaviours)
        if again.behaviours:
            solution, examples = again, [*examples, told]
            found += again.behaviours
        else:  # keep the answers and drop the example
            complain(f"no program was found for this, so it is ignored ({again.reason})")
    if solution.behaviours:
        count = count_behaviours(domain, found, examples)
        say(f"settled among {_behaviours(count)} that {'was' if count == 1 else 'were'} found")
    return solution, examples


def _behaviours(count: int) -> str:
    return f"{count:,} behaviour{'' if count == 1 else 's'}"


def _state(solution: Solution) -> str:
    """How many behaviours fit, and how sure the best one is."""
    confidence = None if solution.best is None else solution.best.confidence
    sure = "" if confidence is None else f" (the best one has a confidence of {confidence:.2f})"
    return f"{_behaviours(len(solution.behaviours))} fit{sure}. "


def ask(domain: AnyDomain, asked: Question, state: str = "") -> Example[Any] | None:
    """Ask one question. Returns the new example, or None if the user stops."""
    outputs = asked.outputs[:OPTIONS]  # that of the best program comes first
    _show_question(domain, asked, state)
    if len(outputs) < len(asked.outputs):
        say(f"  .. and {len(asked.outputs) - len(outputs)} other outputs")
    numbered = {str(number): output for number, (output, _) in enumerate(outputs, start=1)}
    expected = f"choose 1-{len(numbered)}, or type {_kind(domain, outputs)}"
    while True:
        say(f"What should it be? Type a number from the list or {_itself(domain)}; press Enter to stop.")
        line = sys.stdin.readline().strip()
        if not line:
            return None
        if line in numbered:
            output = numbered[line]
            if output is not None:
                return Example(asked.input, output)
            complain(f"an example needs an output: a failure cannot be asked for; {expected}")
            continue
        try:
            told = _told(domain, asked.input, line)
            solvable(domain).check_example(told, told)
        except InputError as error:
            complain(f"{error}; {expected}")
        else:
            return told


def _show_question(domain: AnyDomain, asked: Question, state: str) -> None:
    """Show the input and the outputs of the programs, as JSON or as pictures."""
    outputs = asked.outputs[:OPTIONS]
    counted = [f"{len(who)} program{'s' if len(who) > 1 else ''}" for _, who in outputs]
    if isinstance(domain, Drawing):
        say(f"\n{state}Programs that fit disagree on the output for this world:")
        say(drawn(domain, [""], [asked.input]) + "\n")
        captions = [f"{number}: {count}" for number, count in enumerate(counted, start=1)]
        say(drawn(domain, captions, [output for output, _ in outputs]))
        return
    say(f"\n{state}Programs that fit disagree on the output for {json.dumps(domain.value_json(asked.input))}:")
    for number, ((output, _), count) in enumerate(zip(outputs, counted, strict=True), start=1):
        say(f"  {number}: {FAILS if output is None else json.dumps(domain.value_json(output))}   {count}")


def _told(domain: AnyDomain, value: Any, line: str) -> Example[Any]:
    """The example that the user means. InputError."""
    if domain.values_in_files:
        return Example(value, read_input(domain, line))
    return Example(value, domain.read_value(line.removesuffix(",")))


def _itself(domain: AnyDomain) -> str:
    return "the name of a file with the output" if domain.values_in_files else "the output itself"


def _kind(domain: AnyDomain, outputs: Sequence[tuple[Any, Any]]) -> str:
    """What the user may type: the kind of output of the programs that did not fail."""
    if isinstance(domain, Drawing):
        return "the name of a file with a picture, or the picture in one line with / between its lines"
    output = next((output for output, _ in outputs if output is not None), None)
    return {list: "a list", tuple: "a list", int: "a number"}.get(type(output), "the output")
