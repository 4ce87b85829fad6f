"""A complete C file: the function and a `main` that asserts every example."""

from __future__ import annotations

from collections.abc import Sequence

from lasynth.domains.lists.emission.c_text import literal
from lasynth.domains.lists.emission.written import HEAD, MAIN, written
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.nodes import Program
from lasynth.domains.lists.values import Value, bind
from lasynth.task import Example


def standalone(program: Program, examples: Sequence[Example[Value]]) -> str:
    blocks = "\n".join(_block(program, example) for example in examples)
    passed = f'    printf("%d examples passed\\n", {len(examples)});'
    return f"{HEAD}\n{written(program)}{MAIN}{{\n{blocks}\n{passed}\n    return 0;\n}}\n"


def _block(program: Program, example: Example[Value]) -> str:
    """Call the function on an example's inputs and compare."""
    lines, arguments = [], []
    for parameter, value in zip(program.parameters, bind(program.parameters, example.input), strict=True):
        lines.append(_declaration(f"{parameter.name}_", value))
        arguments.append(f"{parameter.name}_")
        if isinstance(value, list):
            arguments.append(str(len(value)))
    wanted = example.output
    if isinstance(wanted, list):
        lines.append(_declaration("wanted", wanted))
        lines.append(f"int found[{max(1, len(wanted))}];")
        lines.append(f"assert(func_1({', '.join([*arguments, 'found'])}) == {len(wanted)});")
        lines.append(f"assert(memcmp(found, wanted, {len(wanted)} * sizeof(int)) == 0);")
    else:
        assert isinstance(wanted, int)
        lines.append(f"assert(func_1({', '.join(arguments)}) == {literal(wanted).text});")
    return "\n".join(["    {", *(f"        {line}" for line in lines), "    }"])


def _declaration(name: str, value: Basic) -> str:
    """C has no empty arrays, so an empty list gets one element that nobody reads."""
    if isinstance(value, int):
        return f"const int {name} = {literal(value).text};"
    return f"const int {name}[] = {{{', '.join(literal(v).text for v in value or [0])}}};"
