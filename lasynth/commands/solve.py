"""`lasynth solve`: programs from examples."""

import json as json_format
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional, UseAppendAction, arg

from lasynth.commands.arguments import call
from lasynth.commands.terminal import STANDARD_INPUT, complain, console, print_code, read_text
from lasynth.domains import get_domain
from lasynth.domains.base import Domain
from lasynth.domains.solvable import solvable
from lasynth.solver import Answer, Solution, StrategyName
from lasynth.solver import solve as find
from lasynth.solver.asking import Question, question
from lasynth.solver.examples import read_example, read_examples
from lasynth.task import Example, InputError

UNSOLVED = 1
ASKED_AMONG = 16
"""Answers that questions tell apart."""
MOST = 100_000_000
"""Bytes of a file with examples."""
Examples = list[Example[Any]]


def solve(
    file: Annotated[
        Positional[Path | None],
        arg(metavar="FILE", help='Examples as JSON, or a line "[3,1,2] -> [4,2,3]" each; - for standard input.'),
    ] = None,
    /,
    example: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(metavar='"[..] -> [..]"', help="An example instead of a file; may be given several times."),
    ] = (),
    top: Annotated[int, arg(help="So many answers at most, no two of which do the same.")] = 1,
    timeout: Annotated[float, arg(metavar="S", help="Seconds, after the model is loaded.")] = 5.0,
    strategy: Annotated[StrategyName, arg(help="Who may answer; the portfolio is both others.")] = "portfolio",
    weights: Annotated[
        Path | None, arg(metavar="RUN", help="A trained model instead of the one that is shipped.")
    ] = None,
    json: Annotated[bool, arg(help="Print the solution as JSON, for machines.")] = False,
    emit: Annotated[Literal["c"] | None, arg(help="Print a complete file whose main asserts every example.")] = None,
    trace: Annotated[bool, arg(help="Show, example by example, the value after each statement.")] = False,
    ask: Annotated[bool, arg(help="Settle by questions what the examples leave open.")] = False,
) -> int:
    """Write a program that does what the examples show, and check it on every one of them.

    Exit 0 if there is an answer, 1 if there is none (the best partial answer is shown), 2 if the examples are bad.
    """
    domain = get_domain("c")
    examples = _read(domain, file, example)
    if json and emit is not None:
        raise InputError("give either --json or --emit")
    if ask and (json or emit is not None or file == STANDARD_INPUT):
        raise InputError("--ask is for a person at a terminal: not with --json, --emit or examples from standard input")

    def solved(examples: Examples, top: int) -> Solution:
        pairs = [(e.input, e.output) for e in examples]
        return find(pairs, timeout=timeout, top=top, strategy=strategy, weights=weights, language=domain.name)

    solution = solved(examples, max(top, ASKED_AMONG) if ask else top)
    while ask and (asked := question(domain, [*solution.programs], examples)) is not None:
        told = _ask(domain, asked)
        if told is None:
            break
        examples = [*examples, told]
        solution = solved(examples, max(top, ASKED_AMONG))
    if json:
        print(json_format.dumps(solution.json()))
    elif emit is not None:
        _emit(domain, solution, examples)
    else:
        _show(domain, solution, examples, top, trace)
    return 0 if solution.solved else UNSOLVED


def _read(domain: Domain[Any, Any, Any], file: Path | None, lines: Sequence[str]) -> Examples:
    if (file is None) == (not lines):
        raise InputError('give either a file with examples, or --example "[..] -> [..]"')
    if file is None:
        return read_examples("\n".join(lines), domain, "--example")
    return read_examples(read_text(file, MOST), domain, "standard input" if file == STANDARD_INPUT else str(file))


# --- what is printed -----------------------------------------------------------------------------------------------------
def _show(domain: Domain[Any, Any, Any], solution: Solution, examples: Examples, top: int, trace: bool) -> None:
    """The code goes to standard output, what is said of it to standard error, so that a pipe gets code alone."""
    for note in solution.notes:
        _say(f"({note})")
    for number, answer in enumerate(solution.programs[:top], start=1):
        if number > 1:
            print()
        print_code(domain, answer.concise)
        _say(
            f"answer {number}: {_praise(answer, solution, len(examples))}"
            if top > 1
            else _praise(answer, solution, len(examples))
        )
        if trace:
            _trace(domain, answer, examples)
    if solution.solved:
        return
    if solution.partial is not None and solution.satisfied:
        print_code(domain, solution.partial.concise)
        _say(f"this satisfies {solution.satisfied} of {len(examples)} examples")
        if trace:
            _trace(domain, solution.partial, examples)
    complain(solution.reason or "")


def _emit(domain: Domain[Any, Any, Any], solution: Solution, examples: Examples) -> None:
    """No file rather than one that fails its own test."""
    if solution.solved:
        print(solvable(domain).standalone(solution.programs[0].program, examples), end="")
    else:
        complain(solution.reason or "")


def _praise(answer: Answer, solution: Solution, examples: int) -> str:
    checked = f"checked on {examples} example{'s' if examples > 1 else ''}"
    return f"{checked}; found by {answer.source}; {solution.seconds:.2f} s, {solution.candidates:,} candidates executed"


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _trace(domain: Domain[Any, Any, Any], answer: Answer, examples: Examples) -> None:
    for number, example in enumerate(examples, start=1):
        console().print(f"\nexample {number}", markup=False)
        console().print(domain.show(domain.trace(answer.program, example.input), steps=True))


# --- questions -----------------------------------------------------------------------------------------------------------
def _ask(domain: Domain[Any, Any, Any], asked: Question) -> Example[Any] | None:
    """The example that the user adds; None if the user stops."""
    value = json_format.dumps(domain.value_json(asked.input))
    _say(f"\nThe examples leave open what becomes of {value}:")
    for number, (output, who) in enumerate(asked.outputs, start=1):
        shown = "(the program fails)" if output is None else json_format.dumps(domain.value_json(output))
        _say(f"  {number}: {shown}   {len(who)} answer{'s' if len(who) > 1 else ''}")
    numbered = {str(number): output for number, (output, _) in enumerate(asked.outputs, start=1)}
    while True:
        _say("What should it be? A number, or the output itself; nothing to stop.")
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


def main(words: Sequence[str]) -> int:
    return call(solve, "solve", words)
