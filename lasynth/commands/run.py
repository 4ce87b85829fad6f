"""`lasynth run`: run a program on inputs."""

import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from lasynth.commands.arguments import Inputs, ProgramFile
from lasynth.commands.parser import arg, call
from lasynth.commands.pictures import check_picture
from lasynth.commands.terminal import complain, console, read_input, read_program, write_text
from lasynth.domains.base import AnyDomain, Trace
from lasynth.task import InputError

RUN_FAILED = 1


def run(
    file: ProgramFile,
    /,
    inputs: Inputs = (),
    trace: Annotated[bool, arg(help="Show the values after each statement.")] = False,
    json: Annotated[bool, arg(help="Print one line of JSON per input.")] = False,
    picture: Annotated[Path | None, arg(metavar="FILE.svg", help="Draw the run as an SVG file (Karel).")] = None,
) -> int:
    """Run a program on inputs and print the outputs.

    Exit code 0 if every run succeeds, 1 if one fails, 2 if the program or an input is bad.
    """
    domain, program = read_program(file)
    if not inputs:
        raise InputError("give at least one --input")
    if picture is not None:
        _check_picture(domain, picture, len(inputs))
    values = [read_input(domain, text) for text in inputs]
    traces = [domain.trace(program, value) for value in values]
    if picture is not None:
        write_text(picture, domain.picture(traces[0]))  # type: ignore[attr-defined]
    for result in traces:
        if json:
            print(_trace_json(domain, result, trace))
        elif trace or result.error is None:
            console().print(domain.show(result, steps=trace))
        if trace and not json and result.error is None:
            console().print("output:", domain.show(result, steps=False), markup=False)
        if result.error is not None:
            complain(f"{type(result.error).__name__}: {result.error}")
    return RUN_FAILED if any(result.error for result in traces) else 0


def _trace_json(domain: AnyDomain, trace: Trace[Any], steps: bool) -> str:
    output: Any = None if trace.output is None else domain.value_json(trace.output)
    result: Any = output
    if trace.error is not None:
        result = {"error": type(trace.error).__name__, "message": str(trace.error)}
    if steps:
        rows = [
            {"label": step.label, "value": domain.value_json(step.value), "variables": dict(step.scalars)}
            for step in trace.steps
        ]
        result = {**(result if trace.error else {"output": output}), "trace": rows}
    return json_format.dumps(result)


def _check_picture(domain: AnyDomain, file: Path, inputs: int) -> None:
    """InputError if the run cannot be drawn to this file."""
    check_picture(domain, file)
    if inputs != 1:
        raise InputError("--picture takes exactly one --input")


def main(words: Sequence[str]) -> int:
    return call(run, "run", words)
