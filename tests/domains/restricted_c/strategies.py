"""Hypothesis strategies for restricted C: programs of many shapes, with many kinds of names."""

from __future__ import annotations

from hypothesis import strategies as st

from lasynth.domains.restricted_c.language.nodes import (
    Assign,
    Block,
    Break,
    Const,
    Continue,
    Declaration,
    Element,
    Expr,
    For,
    If,
    Increment,
    LoopRelation,
    Program,
    StepOperator,
    Test,
    Var,
)

STEPS: tuple[StepOperator, ...] = ("++", "--")
BOUNDS: tuple[LoopRelation, ...] = ("<=", ">=")
NAMES = ("p_0", "p_1", "l_1", "l_2", "l_25", "i", "x_y", "for_", "A")
constants = st.integers(-6, 9) | st.sampled_from([2**31 - 1, -(2**31) + 1])
relations = st.sampled_from(["<", ">", "<=", ">=", "==", "!="])


def places(scope: tuple[str, ...]) -> st.SearchStrategy[Var | Element]:
    elements = st.integers(0, 6).map(lambda i: Element(Const(i)))
    if not scope:
        return elements
    variables = st.sampled_from(scope).map(Var)
    return variables.map(Element) | variables | elements


def expressions(scope: tuple[str, ...]) -> st.SearchStrategy[Expr]:
    operand = places(scope) | constants.map(Const)
    rest = st.lists(st.tuples(st.sampled_from(["+", "-"]), operand), max_size=2).map(tuple)
    return st.builds(Expr, operand, rest)


def conditions(scope: tuple[str, ...]) -> st.SearchStrategy[tuple[tuple[Test, ...], ...]]:
    side = expressions(scope)
    test = st.builds(Test, side) | st.builds(Test, side, relations, side)
    return st.lists(st.lists(test, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


@st.composite
def blocks(draw: st.DrawFn, scope: tuple[str, ...], in_loop: bool, depth: int, least: int = 1) -> Block:
    kinds = ["assign", "assign", "increment"] + ["for", "if"] * (depth > 0) + ["break", "continue"] * in_loop
    body: list[object] = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=least, max_size=4)):
        match kind:
            case "assign":
                body.append(Assign(draw(places(scope)), draw(expressions(scope))))
            case "increment":
                body.append(Increment(draw(places(scope)), draw(st.sampled_from(STEPS)), draw(st.booleans())))
            case "for":
                declares = not scope or draw(st.booleans())
                name = draw(st.sampled_from(NAMES if declares else scope))
                inner = draw(blocks(tuple({*scope, name}), True, depth - 1))
                first, relation, last = draw(st.tuples(st.integers(-1, 6), st.sampled_from(BOUNDS), st.integers(-1, 6)))
                body.append(For(name, declares, first, relation, last, draw(st.sampled_from(STEPS)), inner))
            case "if":
                orelse = draw(st.just(()) | blocks(scope, in_loop, depth - 1))
                body.append(If(draw(conditions(scope)), draw(blocks(scope, in_loop, depth - 1)), orelse))
            case _:
                body.append(Break() if kind == "break" else Continue())
    return tuple(body)  # type: ignore[arg-type]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
    declarations = tuple(Declaration(name, draw(st.none() | st.integers(-2, 6))) for name in names)
    return Program(declarations, draw(blocks(tuple(names), False, 3, least=0)))


lists = st.lists(st.integers(-4, 4), min_size=5, max_size=5)
