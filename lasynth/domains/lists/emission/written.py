"""The text that people get: a C function, with the exact program in a comment above it, from which it is read back.

    int func_1(const int a[], int n, int out[])    a list: writes it to `out` and returns its length
    int func_1(const int a[], int n)               a number

`out` must have room for the result and must not overlap an input; nothing behind the result is written. Each list is
followed by its length. Where the program faults, the C function is undefined.
"""

from __future__ import annotations

import re

from lasynth.domains.lists.emission.c_text import C, Length
from lasynth.domains.lists.emission.emitter import Emitter
from lasynth.domains.lists.language.nodes import Program, Type
from lasynth.domains.lists.language.text import parse_program, program_text
from lasynth.task import ParseError

LENGTH_NAMES = ("n", "m", "len_c", "len_d", "len_e", "len_f", "len_g", "len_h")
HEADERS = (("limits.h", r"\bINT_M(?:AX|IN)\b"), ("stdlib.h", r"\b(?:malloc|abs)\("))
COMMENT = re.compile(r"\s*/\*(.*?)\*/", re.DOTALL)
VERDICT = re.compile(r"(?:\s*//[^\n]*\n)+")
"""Comments above the program, such as the one about examples that it fails."""
HEAD, MAIN = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\n", "\nint main(void)\n"
"""What a complete file has around the function."""
DECLARED = re.compile(r"( +)int (\w+)(?: = [^;]*)?;$")


def written(program: Program) -> str:
    """The C function of a program, below a comment that holds the program."""
    code = function(program)
    includes = "".join(f"#include <{header}>\n" for header, used in HEADERS if re.search(used, code))
    return f"/* {program_text(program).strip()} */\n{includes}{'' if not includes else chr(10)}{code}"


def function(program: Program) -> str:
    """The C function alone."""
    taken = {"out", "func_1", *(p.name for p in program.parameters)}
    heads: list[str] = []
    inputs: list[tuple[C, Length | None]] = []
    spare = iter([name for name in LENGTH_NAMES if name not in taken])
    for parameter in program.parameters:
        if parameter.type == Type.LIST:
            length = next(spare)
            taken.add(length)
            heads += [f"const int {parameter.name}[]", f"int {length}"]
            inputs.append((C(parameter.name), Length(C(length))))
        else:
            heads.append(f"int {parameter.name}")
            inputs.append((C(parameter.name), None))
    is_list = program.body.type == Type.LIST
    emitter = Emitter(inputs, taken)
    result = emitter.fill(program.body, "out") if is_list else emitter.number(program.body)
    if emitter.buffers and not result.text.isidentifier():  # compute it before the buffers that it reads are freed
        result = emitter.out.variable("result", result)
    for name in emitter.buffers:
        emitter.out.add(f"free({name});")
    emitter.out.add(f"return {result.text};")
    lines = without_idle(emitter.out.lines)
    names = [re.sub(r"\W", "", head.split()[-1]) for head in heads]
    unused = [name for name in names if not any(re.search(rf"\b{name}\b", line) for line in lines)]
    lines = [*(f"    (void){name};" for name in unused), *lines]
    signature = ", ".join([*heads, *(["int out[]"] if is_list else [])])
    return "\n".join([f"int func_1({signature})", "{", *lines, "}", ""])


def without_idle(lines: list[str]) -> list[str]:
    """The lines without variables that nothing reads and without blocks that do nothing."""
    while True:
        shorter = _without_one(lines)
        if shorter is None:
            return lines
        lines = shorter


def _without_one(lines: list[str]) -> list[str] | None:
    for number, line in enumerate(lines):
        declared = DECLARED.match(line)
        if declared is not None:
            idle = _idle(lines, number, len(declared[1]), declared[2])
            if idle is not None:
                return [kept for at, kept in enumerate(lines) if at not in idle]
        after = [later.strip() for later in lines[number + 1 : number + 3]]
        if line.strip() == "{" and after[:1] == ["}"] and after[1:] != ["else"]:
            return lines[: number - 1] + lines[number + 2 :]
    return None


def _idle(lines: list[str], number: int, indent: int, name: str) -> set[int] | None:
    """The lines that declare and set a variable, if nothing reads it before its block ends; else None."""
    found = {number}
    sets = re.compile(rf" *(?:if \(.*\) )?{name}(?: [-+*]?= [^;]*|\+\+|--);$")
    for at in range(number + 1, len(lines)):
        if len(lines[at]) - len(lines[at].lstrip()) < indent:
            break
        times = len(re.findall(rf"\b{name}\b", lines[at]))
        if times == 1 and sets.match(lines[at]):
            found.add(at)
        elif times:
            return None
    return found


def parse_any(text: str) -> Program:
    """The program in its exact text, or in the comment above its C function. ParseError, also if the C was changed.

    The C may be a complete file with a `main` that tests the function.
    """
    text = VERDICT.sub("", text, count=1) if VERDICT.match(text) else text
    if text.startswith(HEAD) and MAIN in text:
        text = text.removeprefix(HEAD).partition(MAIN)[0]
    comment = COMMENT.match(text)
    if comment is None:
        return parse_program(text)
    program = parse_program(comment[1])
    if written(program).split() != text.split():
        raise ParseError(
            "the C text is not that of the program in the comment above it; edit the comment alone, or both"
        )
    return program
