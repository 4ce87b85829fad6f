"""Prints a tree as C text, in the layout of the paper's listings.

`parse(print_program(p)) == p` for every program.
"""

from __future__ import annotations

from collections.abc import Iterator

from lasynth.domains.restricted_c.language.nodes import (
    ARRAY,
    Assign,
    Block,
    Break,
    Condition,
    Const,
    Continue,
    Declaration,
    Element,
    Expr,
    For,
    If,
    Increment,
    Operand,
    Program,
    Statement,
    Test,
)

INDENT = "    "


def print_program(program: Program, name: str = "func_1") -> str:
    """The function as C text, ending in a newline."""
    lines = [f"int * {name}(int {ARRAY}[])", "{"]
    lines += [INDENT + print_declaration(declaration) for declaration in program.declarations]
    lines += _block(program.body, INDENT)
    return "\n".join([*lines, f"{INDENT}return {ARRAY};", "}", ""])


def print_declaration(declaration: Declaration) -> str:
    value = "" if declaration.value is None else f" = {_constant(declaration.value)}"
    return f"int {declaration.name}{value};"


def print_head(statement: Statement) -> str:
    """The first line of a statement: all of a simple statement, or the head of a loop or branch."""
    match statement:
        case Assign(target=target, value=value):
            return f"{print_operand(target)} = {_right_side(target, value)};"
        case Increment(target=target, operator=operator, prefix=prefix):
            place = print_operand(target)
            return f"{operator}{place};" if prefix else f"{place}{operator};"
        case For(variable=v, declares=declares, start=start, relation=relation, limit=limit, operator=operator):
            first = f"{'int ' if declares else ''}{v} = {_constant(start)}"
            return f"for ({first}; {v} {relation} {_constant(limit)}; {v}{operator})"
        case If(condition=condition):
            return f"if ({_condition(condition)})"
        case Break():
            return "break;"
        case Continue():
            return "continue;"


def print_operand(operand: Operand) -> str:
    match operand:
        case Const(value=value):
            return _constant(value)
        case Element(index=index):
            return f"{ARRAY}[{print_operand(index)}]"
        case _:
            return operand.name


def _block(block: Block, indent: str) -> Iterator[str]:
    for statement in block:
        match statement:
            case If(then=(Break() | Continue() as jump,), orelse=()):
                yield f"{indent}{print_head(statement)} {print_head(jump)}"
            case If(then=then, orelse=orelse):
                yield indent + print_head(statement)
                yield from _braces(then, indent)
                if orelse:
                    yield indent + "else"
                    yield from _braces(orelse, indent)
            case For(body=body):
                yield indent + print_head(statement)
                yield from _braces(body, indent)
            case _:
                yield indent + print_head(statement)


def _braces(block: Block, indent: str) -> Iterator[str]:
    yield indent + "{"
    yield from _block(block, indent + INDENT)
    yield indent + "}"


def _right_side(target: Operand, value: Expr) -> str:
    """The value of an assignment. Sums get brackets, except in `v = v + e`, as in the paper's listings."""
    text = _expr(value)
    return text if not value.rest or value.first == target else f"({text})"


def _expr(expr: Expr) -> str:
    return " ".join([print_operand(expr.first), *(f"{sign} {print_operand(operand)}" for sign, operand in expr.rest)])


def _condition(condition: Condition) -> str:
    """The tests of an `if`. Conjunctions beside || get brackets, because compilers warn without them."""
    parts = [" && ".join(_test(test) for test in tests) for tests in condition]
    if len(condition) > 1:
        parts = [f"({part})" if len(tests) > 1 else part for part, tests in zip(parts, condition, strict=True)]
    return " || ".join(parts)


def _test(test: Test) -> str:
    return f" {test.relation} ".join(_expr(side) for side in test.sides)


def _constant(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"
