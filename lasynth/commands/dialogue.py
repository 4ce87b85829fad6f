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
from lasynth.solver.asking import Question, check, count_behaviours, is_settled, question
from lasynth.solver.strategies import Candidate
from lasynth.task import Example, InputError

Examples = list[Example[Any]]
Search = Callable[[Examples, Sequence[Candidate]], Solution]
"""Searches for answers. The second argument are the behaviours that the last search found, with fewer examples."""

OPTIONS = 8
"""Most outputs that a question lists."""
CHECKS = 2
"""How many of the user's answers in a row the best behaviour must have been right about, before it is settled."""


def settle(domain: AnyDomain, solution: Solution, examples: Examples, search: Search) -> tuple[Solution, Examples]:
    """Ask until one behaviour is left or the user stops. Returns the answers and the old and new examples.

    The one that is left must have been right about the last answers of the user before these were told.
    """
    found, right = list(solution.behaviours), 0
    while (asked := _next_question(domain, solution, found, examples, right)) is not None:
        told = ask(domain, asked, _state(solution, right))
        if told is None:
            break
        again = search([*examples, told], solution.behaviours)
        if again.behaviours:
            right = right + 1 if told.output == asked.outputs[0][0] else 0
            solution, examples = again, [*examples, told]
            found += again.behaviours
        else:  # keep the answers and drop the example
            complain(f"no program was found for this, so it is ignored ({again.reason})")
    if solution.behaviours:
        say(_end(domain, solution, found, examples, right, asked is None))
    return solution, examples


def _next_question(
    domain: AnyDomain, solution: Solution, found: Sequence[Candidate], examples: Examples, right: int
) -> Question | None:
    """A question about behaviours that differ; if there is only one, a check. None if that was right often enough."""
    asked = question(domain, solution.behaviours, examples)
    if asked is None and right < CHECKS:
        return check(domain, solution.behaviours, found, examples)
    return asked


def _end(
    domain: AnyDomain,
    solution: Solution,
    found: Sequence[Candidate],
    examples: Examples,
    right: int,
    complete: bool,
) -> str:
    """What the dialogue has settled."""
    others = len(solution.behaviours) - 1
    if not complete and not _settled(solution, right):
        return f"not settled: {_behaviours(others + 1)} still fit{'s' if not others else ''}"
    count = count_behaviours(domain, found, examples)
    rest = f"; {_behaviours(others)} of far longer programs fit, too" if others else ""
    return f"settled among {_behaviours(count)} that {'was' if count == 1 else 'were'} found{rest}"


def _settled(solution: Solution, right: int) -> bool:
    return right >= CHECKS and is_settled(solution.behaviours)


def _behaviours(count: int) -> str:
    return f"{count:,} behaviour{'' if count == 1 else 's'}"


def _state(solution: Solution, right: int) -> str:
    """How many behaviours fit, how sure the best one is, and whether the others matter."""
    count = len(solution.behaviours)
    if _settled(solution, right):
        return (
            f"This is settled, unless you mean a far longer program: {_behaviours(count - 1)} of such programs "
            f"fit{'s' if count == 2 else ''}, too. Press Enter to take the answer, or go on. "
        )
    confidence = None if solution.best is None else solution.best.confidence
    sure = "" if confidence is None else f" (the best one has a confidence of {confidence:.2f})"
    return f"{_behaviours(count)} fit{'s' if count == 1 else ''}{sure}. "


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
            complain(f"{error.drawn}; {expected}")
        else:
            return told


def _show_question(domain: AnyDomain, asked: Question, state: str) -> None:
    """Show the input and the outputs of the programs, as JSON or as pictures."""
    outputs = asked.outputs[:OPTIONS]
    counted = [f"{len(who)} program{'s' if len(who) > 1 else ''}" for _, who in outputs]
    open_ = "Programs that fit disagree on" if len(outputs) > 1 else "To be sure, check"
    if isinstance(domain, Drawing):
        say(f"\n{state}{open_} the output for this world:")
        say(drawn(domain, [""], [asked.input]) + "\n")
        captions = [f"{number}: {count}" for number, count in enumerate(counted, start=1)]
        say(drawn(domain, captions, [output for output, _ in outputs]))
        return
    say(f"\n{state}{open_} the output for {json.dumps(domain.value_json(asked.input))}:")
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
