"""`lasynth solve`: find programs from examples."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, UseAppendAction, arg

from lasynth.commands.arguments import call
from lasynth.commands.dialogue import Examples, settle
from lasynth.commands.terminal import STANDARD_INPUT, complain, console, print_code, read_text, say
from lasynth.domains import get_domain
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import solvable
from lasynth.solver import Answer, Solution, StrategyName
from lasynth.solver import solve as find
from lasynth.solver.examples import read_examples
from lasynth.task import InputError

UNSOLVED = 1
ASKED_AMONG = 16
"""Number of answers among which questions decide."""
EMITTED = Literal["c"]
MOST = 100_000_000
"""Maximum size of a file with examples, in bytes."""


def solve(
    file: Annotated[
        Positional[Path | None],
        arg(
            metavar="FILE",
            constructor=Path,
            help='Examples, as JSON or as lines "[3,1,2] -> [4,2,3]"; - for standard input.',
            help_behavior_hint="",
        ),
    ] = None,
    /,
    example: Annotated[
        UseAppendAction[tuple[str, ...]],
        arg(metavar='"[..] -> [..]"', help="An example, instead of a file. Repeat the option for each example."),
    ] = (),
    top: Annotated[int, arg(help="Maximum number of answers. All of them differ in behaviour.")] = 1,
    timeout: Annotated[float, arg(metavar="S", help="Time limit in seconds, without loading the model.")] = 5.0,
    strategy: Annotated[StrategyName, arg(help="How to search; portfolio is both others together.")] = "portfolio",
    weights: Annotated[
        Path | None,
        arg(
            metavar="RUN",
            constructor=Path,
            help="A trained model to use instead of the shipped one.",
            help_behavior_hint="",
        ),
    ] = None,
    json: Annotated[bool, arg(help="Print the solution as JSON.")] = False,
    emit: Annotated[
        Literal["c"] | None,
        arg(
            constructor_factory=lambda: EMITTED,
            help="Print a complete source file whose main function checks every example.",
            help_behavior_hint="",
        ),
    ] = None,
    trace: Annotated[bool, arg(help="Show the value after each statement, for every example.")] = False,
    ask: Annotated[
        bool, arg(help="Ask questions if several answers with different behaviour satisfy the examples.")
    ] = False,
) -> int:
    """Find a program that does what the examples show. Every answer is checked on all examples.

    Exit code 0 if there is an answer, 1 if there is none (the best partial answer is shown), 2 if the examples are bad.
    """
    domain = get_domain("c")
    _check_options(json, emit is not None, trace, top)
    if ask and (json or file == STANDARD_INPUT):
        raise InputError("--ask needs a terminal: it works neither with --json nor with examples from standard input")
    examples = _read(domain, file, example)

    def search(examples: Examples, known: Sequence[Answer] = ()) -> Solution:
        pairs, count = [(e.input, e.output) for e in examples], max(top, ASKED_AMONG) if ask else top
        return find(
            pairs, timeout=timeout, top=count, strategy=strategy, weights=weights, language=domain.name, known=known
        )

    solution, examples = settle(domain, examples, search) if ask else (search(examples), examples)
    if json:
        print(json_format.dumps(solution.json()))
    elif emit is not None:
        _emit(domain, solution, examples)
    else:
        _show(domain, solution, examples, top, trace)
    return 0 if solution.solved else UNSOLVED


def _check_options(json: bool, emit: bool, trace: bool, top: int) -> None:
    """InputError if options contradict each other."""
    if top < 1:
        raise InputError("--top must be at least 1")
    if json and emit:
        raise InputError("give either --json or --emit")
    if trace and (json or emit):
        raise InputError("--trace works neither with --json nor with --emit")
    if emit and top != 1:
        raise InputError("--emit prints one answer: it does not work with --top")


def _read(domain: AnyDomain, file: Path | None, lines: Sequence[str]) -> Examples:
    if (file is None) == (not lines):
        raise InputError(
            'give either a file with examples (- is standard input), or --example "[..] -> [..]" once for each example'
        )
    if file is None:
        return read_examples("\n".join(lines), domain, "--example")
    return read_examples(read_text(file, MOST), domain, "standard input" if file == STANDARD_INPUT else str(file))


# --- output -----------------------------------------------------------------------------------------------------------
def _show(domain: AnyDomain, solution: Solution, examples: Examples, top: int, trace: bool) -> None:
    """Print code and traces to standard output, all other text to standard error."""
    _say_notes(solution)
    for number, answer in enumerate(solution.programs[:top], start=1):
        if number > 1:
            print()
        print_code(domain, answer.concise)
        report = _report(answer, solution, len(examples))
        say(f"answer {number}: {report}" if top > 1 else report)
        if trace:
            _trace(domain, answer, examples)
    if solution.solved:
        return
    if solution.partial is not None and solution.satisfied:
        print_code(domain, solution.partial.concise)
        say(_partial_report(solution, examples))
        if trace:
            _trace(domain, solution.partial, examples)
    complain(solution.reason or "")


def _emit(domain: AnyDomain, solution: Solution, examples: Examples) -> None:
    """Print a source file if there is an answer. A partial answer would fail its test: it goes to stderr."""
    _say_notes(solution)
    if solution.solved:
        print(solvable(domain).standalone(solution.programs[0].program, examples), end="")
        say(_report(solution.programs[0], solution, len(examples)))
        return
    if solution.partial is not None and solution.satisfied:
        say(solution.partial.concise.rstrip())
        say(_partial_report(solution, examples))
    complain(solution.reason or "")


def _say_notes(solution: Solution) -> None:
    for note in solution.notes:
        say(f"({note})")


def _report(answer: Answer, solution: Solution, examples: int) -> str:
    checked, executed = _counted(examples, "example"), _counted(solution.candidates, "candidate")
    return f"checked on {checked}; found by {answer.source}; {solution.seconds:.2f} s, {executed} executed"


def _partial_report(solution: Solution, examples: Examples) -> str:
    return f"this satisfies {solution.satisfied} of {_counted(len(examples), 'example')}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _trace(domain: AnyDomain, answer: Answer, examples: Examples) -> None:
    for number, example in enumerate(examples, start=1):
        console().print(f"\nexample {number}", markup=False)
        console().print(domain.show(domain.trace(answer.program, example.input), steps=True))


def main(words: Sequence[str]) -> int:
    return call(solve, "solve", words)
