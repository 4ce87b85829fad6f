"""`lasynth solve`: find programs from examples."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from lasynth.commands.dialogue import Examples, settle
from lasynth.commands.parser import arg, call
from lasynth.commands.pictures import check_picture, drawn_difference
from lasynth.commands.terminal import STANDARD_INPUT, complain, console, print_code, read_text, say, write_text
from lasynth.domains import get_domain, recognised, suspected
from lasynth.domains.base import AnyDomain
from lasynth.domains.solvable import Drawing, solvable
from lasynth.solver import Answer, Solution, StrategyName
from lasynth.solver import solve as find
from lasynth.solver.doubt import doubt
from lasynth.solver.examples import read_task
from lasynth.solver.language import AUTO, read_in
from lasynth.solver.strategies import Candidate
from lasynth.task import InputError

UNSOLVED = 1
COMMENT = {"c": "// ", "lists": "// "}
"""Begins a comment, by language; `# ` in others."""
MOST = 100_000_000
"""Maximum size of a file with examples, in bytes."""


def solve(
    file: Annotated[
        Path | None,
        arg(
            metavar="FILE",
            help='Examples, as JSON, as lines "[3,1,2] -> [4,2,3]" or as pictures of worlds; - for standard input.',
        ),
    ] = None,
    /,
    example: Annotated[
        tuple[str, ...],
        arg(metavar='"[..] -> [..]"', help="An example, instead of a file. Repeat the option for each example."),
    ] = (),
    top: Annotated[int, arg(help="Maximum number of answers. All of them differ in behaviour.")] = 1,
    timeout: Annotated[float, arg(metavar="S", help="Time limit in seconds, without loading the model.")] = 5.0,
    language: Annotated[
        str, arg(metavar="NAME", help="c, lists or karel; auto chooses from the examples and says which it took.")
    ] = AUTO,
    strategy: Annotated[
        StrategyName, arg(help="How to search; portfolio is symbolic, and neural too if the answer is not sure.")
    ] = "portfolio",
    weights: Annotated[
        Path | None, arg(metavar="RUN", help="A trained model to use instead of the shipped one.")
    ] = None,
    json: Annotated[bool, arg(help="Print the solution as JSON.")] = False,
    emit: Annotated[
        Literal["c"] | None,
        arg(help="Print a complete source file whose main function checks every example."),
    ] = None,
    trace: Annotated[bool, arg(help="Show the value after each statement, for every example.")] = False,
    ask: Annotated[
        bool, arg(help="Ask questions until one of the behaviours that satisfy the examples is left.")
    ] = False,
    partial: Annotated[
        bool, arg(help="Without an answer, print the program that satisfies the most examples, with a comment.")
    ] = False,
    min_confidence: Annotated[
        float, arg(metavar="P", help="From 0 to 1. If the best answer is less sure, show what is open instead.")
    ] = 0.0,
    picture: Annotated[
        Path | None,
        arg(
            metavar="FILE.svg",
            help="Draw the examples from input to output as an SVG file (Karel).",
        ),
    ] = None,
) -> int:
    """Find a program that does what the examples show. Every answer is checked on all examples.

    Exit code 0 if there is an answer, 1 if there is none or none that is sure enough, 2 if the examples are bad.
    """
    _check_options(json, emit is not None, trace, top, partial)
    if not 0 <= min_confidence <= 1:
        raise InputError("--min-confidence must be 0 to 1")
    if ask and (json or file == STANDARD_INPUT):
        raise InputError("--ask needs a terminal: it works neither with --json nor with examples from standard input")
    text, name = _text(file, example)
    checks: Examples = []

    def read(domain: AnyDomain) -> Examples:
        examples, checks[:] = read_task(text, domain, name)
        return examples

    chosen = recognised(text) if language == AUTO else language
    readings = read_in(chosen, read, weights, suspect=suspected(text)).by_language
    languages, examples = list(readings), next(iter(readings.values()))  # several languages read the same values
    if picture is not None:
        check_picture(get_domain(languages[0]), picture)
    if emit is not None and isinstance(get_domain(languages[0]), Drawing):
        raise InputError(f"--emit does not support the language `{languages[0]}`")

    def search(examples: Examples, known: Sequence[Candidate] = ()) -> Solution:
        pairs = [(e.input, e.output) for e in examples]
        return find(
            pairs,
            timeout=timeout,
            top=top,
            strategy=strategy,
            weights=weights,
            language=languages[0] if len(languages) == 1 else AUTO,
            known=known,
            wide=ask,
        )

    solution = search(examples)
    domain = get_domain(solution.language)
    if ask:
        solution, examples = settle(domain, solution, examples, search)
    if picture is not None and isinstance(domain, Drawing):
        write_text(picture, domain.examples_picture(examples))
    sure = solution.best is not None and (solution.best.confidence or 0.0) >= min_confidence
    if json:
        print(json_format.dumps(solution.json() | _check_json(domain, solution, checks)))
    elif not solution.solved:
        _show_unsolved(domain, solution, examples, partial, trace)
    elif not sure:
        _show_unsure(domain, solution, min_confidence)
    elif emit is not None:
        _emit(domain, solution, examples)
    else:
        _show(domain, solution, examples, top, trace, ask)
        _say_check(domain, solution, checks)
    return 0 if sure else UNSOLVED


def _check_options(json: bool, emit: bool, trace: bool, top: int, partial: bool) -> None:
    """InputError if options contradict each other."""
    if top < 1:
        raise InputError("--top must be at least 1")
    if json and emit:
        raise InputError("give either --json or --emit")
    if trace and (json or emit):
        raise InputError("--trace works neither with --json nor with --emit")
    if emit and top != 1:
        raise InputError("--emit prints one answer: it does not work with --top")
    if emit and partial:
        raise InputError("--emit prints programs that satisfy every example: it does not work with --partial")
    if json and partial:
        raise InputError("--json contains the partial answer: it does not need --partial")


def _text(file: Path | None, lines: Sequence[str]) -> tuple[str, str]:
    """The text with the examples, and its name for messages."""
    if (file is None) == (not lines):
        raise InputError(
            'give either a file with examples (- is standard input), or --example "[..] -> [..]" once for each example'
        )
    if file is None:
        return "\n".join(lines), "--example"
    return read_text(file, MOST), "standard input" if file == STANDARD_INPUT else str(file)


# --- output -----------------------------------------------------------------------------------------------------------
def _show(domain: AnyDomain, solution: Solution, examples: Examples, top: int, trace: bool, asked: bool) -> None:
    """Print code and traces to standard output, all other text to standard error."""
    _say_notes(solution)
    for number, answer in enumerate(solution.programs[:top], start=1):
        if number > 1:
            print()
        print_code(domain, answer.code)
        report = _report(answer, solution, len(examples))
        say(f"answer {number}: {report}" if top > 1 else report)
        if trace:
            _trace(domain, answer, examples)
    _say_doubt(domain, solution, asked)


def _show_unsolved(domain: AnyDomain, solution: Solution, examples: Examples, partial: bool, trace: bool) -> None:
    """Say why there is no answer. Standard output stays empty unless the partial answer is wanted."""
    _say_notes(solution)
    best = solution.partial if solution.satisfied else None
    if partial and best is not None:
        failed = len(examples) - solution.satisfied
        verdict = f"fails {failed:,} of {_counted(len(examples), 'example')}"
        if not failed:
            verdict += ", but only memorises them"
        print_code(domain, f"{COMMENT.get(domain.name, '# ')}this program {verdict}\n{best.code}")
        if trace:
            _trace(domain, best, examples)
    complain((solution.reason or "") + ("" if partial or best is None else " (--partial shows the best program)"))


def _show_unsure(domain: AnyDomain, solution: Solution, least: float) -> None:
    """Say what is open, instead of an answer that is not sure enough."""
    _say_notes(solution)
    assert solution.best is not None
    confidence = solution.best.confidence or 0.0
    complain(f"the best answer has a confidence of {confidence:.2f}, less than {least:g}: more examples would help")
    if solution.difference is not None and isinstance(domain, Drawing):
        say(f"what is the output for this world?\n\n{drawn_difference(domain, solution.difference)}")
    elif solution.difference is not None:
        shown = solution.difference.json(solution.language)
        one, other = ("a failure" if shown[n] is None else json_format.dumps(shown[n]) for n in ("first", "second"))
        say(f"what is the output for {json_format.dumps(shown['input'])}? the best programs give {one} and {other}")


def _emit(domain: AnyDomain, solution: Solution, examples: Examples) -> None:
    """Print a source file that tests itself."""
    _say_notes(solution)
    print(solvable(domain).standalone(solution.programs[0].program, examples), end="")
    say(_report(solution.programs[0], solution, len(examples)))
    _say_doubt(domain, solution, False)


def _say_doubt(domain: AnyDomain, solution: Solution, asked: bool) -> None:
    if (line := doubt(solution)) is not None:
        say(line + ("" if asked else " (--ask to settle)"))
        if isinstance(domain, Drawing) and solution.difference is not None:
            say(f"\n{drawn_difference(domain, solution.difference)}\n")


def _passed(domain: AnyDomain, solution: Solution, checks: Examples) -> int:
    """How many of the checks the best answer passes."""
    if solution.best is None or not checks:
        return 0
    (outputs,) = domain.run_many([solution.best.program], [check.input for check in checks])
    return sum(output == check.output for output, check in zip(outputs, checks, strict=True))


def _say_check(domain: AnyDomain, solution: Solution, checks: Examples) -> None:
    """Say whether the best answer passes the examples of a record that the search did not see."""
    if checks:
        passed = _passed(domain, solution, checks)
        verdict = "passes" if passed == len(checks) else "fails"
        say(f"the answer {verdict} the check ({passed} of {_counted(len(checks), 'held-out example')} right)")


def _check_json(domain: AnyDomain, solution: Solution, checks: Examples) -> dict[str, Any]:
    if not checks:
        return {}
    return {"check": {"examples": len(checks), "passed": _passed(domain, solution, checks)}}


def _say_notes(solution: Solution) -> None:
    for note in solution.notes:
        say(f"({note})")


def _report(answer: Answer, solution: Solution, examples: int) -> str:
    checked, executed = _counted(examples, "example"), _counted(solution.candidates, "candidate")
    sure = "" if answer.confidence is None else f"confidence {answer.confidence:.2f}; "
    found = f"found by {answer.source} in {answer.language}"
    return f"{sure}checked on {checked}; {found}; {solution.seconds:.2f} s, {executed} executed"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _trace(domain: AnyDomain, answer: Answer, examples: Examples) -> None:
    for number, example in enumerate(examples, start=1):
        console().print(f"\nexample {number}", markup=False)
        console().print(domain.show(domain.trace(answer.program, example.input), steps=True))


def main(words: Sequence[str]) -> int:
    return call(solve, "solve", words)
