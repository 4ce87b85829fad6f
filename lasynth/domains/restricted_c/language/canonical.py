"""Changes to a tree that keep its meaning: canonical names, no unused declarations, constants instead of variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lasynth.domains.restricted_c.language.nodes import (
    Assign,
    Block,
    Condition,
    Const,
    Element,
    Expr,
    For,
    If,
    Increment,
    Operand,
    Program,
    Statement,
    Target,
    Var,
    operands,
    statements,
    variable_of,
)


def canonical(program: Program) -> Program:
    """The same program with canonical names.

    `p_0` is the variable of the first loop that does not declare its own variable. Without such a loop, `p_0` is the
    first variable used. The other declared variables are `l_1`, `l_2`, .. in the order of their first use, and they are
    declared in that order. A variable that a loop declares gets the first `p_k` that is free there.
    """
    order = _order_of_use(program)
    names = {name: "p_0" if i == 0 else f"l_{i}" for i, name in enumerate(order)}
    declared = {declaration.name: declaration for declaration in program.declarations}
    declarations = tuple(replace(declared[name], name=names[name]) for name in order)
    return Program(declarations, _rename_block(program.body, names, 1 if order else 0))


def drop_unused(program: Program) -> Program:
    """The same program without the declarations of unused variables."""
    used = set(_order_of_use(program, unused=False))
    return replace(program, declarations=tuple(d for d in program.declarations if d.name in used))


def inline_constants(program: Program) -> Program:
    """The same program with variables replaced by their initial values where they still hold them.

    A variable counts as changed from the first top-level statement that writes to it. Unused declarations are
    dropped. A variable with a negative value stays where it is a subscript: the language has no negative subscripts.
    """
    shadowed = {s.variable for s in statements(program.body) if isinstance(s, For) and s.declares}
    values = {d.name: d.value for d in program.declarations if d.value is not None and d.name not in shadowed}

    def inline(operand: Operand) -> Operand:
        match operand:
            case Var(name=name) if name in values:
                return Const(values[name])
            case Element(index=Var(name=name)) if values.get(name, -1) >= 0:
                return Element(Const(values[name]))
        return operand

    body: list[Statement] = []
    for statement in program.body:
        for variable in filter(None, map(_written, statements((statement,)))):
            values.pop(variable, None)
        body += map_operands((statement,), inline)
    return drop_unused(replace(program, body=tuple(body)))


def localise_loops(program: Program) -> Program:
    """The same program where a loop declares its variable if only loops over that variable use it."""
    outside: set[str] = set()

    def visit(block: Block, loops: frozenset[str]) -> None:
        for statement in block:
            if isinstance(statement, For):
                if statement.variable in loops:  # an inner loop writes to the variable of the loop around it
                    outside.add(statement.variable)
                visit(statement.body, loops | {statement.variable})
                continue
            outside.update(name for o in operands(statement) if (name := variable_of(o)) and name not in loops)
            if isinstance(statement, If):
                visit(statement.then, loops)
                visit(statement.orelse, loops)

    def localise(block: Block) -> Block:
        return tuple(statement(s) for s in block)

    def statement(s: Statement) -> Statement:
        match s:
            case For(variable=name, declares=declares, body=body):
                return replace(s, declares=declares or name not in outside, body=localise(body))
            case If(then=then, orelse=orelse):
                return replace(s, then=localise(then), orelse=localise(orelse))
        return s

    visit(program.body, frozenset())
    return drop_unused(replace(program, body=localise(program.body)))


def map_operands(block: Block, change: Callable[[Operand], Operand]) -> Block:
    """The block with `change` applied to every operand and target. Loop heads stay as they are."""

    def target(place: Target) -> Target:
        changed = change(place)
        assert not isinstance(changed, Const), "a constant cannot be assigned to"
        return changed

    def expr(e: Expr) -> Expr:
        return Expr(change(e.first), tuple((sign, change(operand)) for sign, operand in e.rest))

    def condition(c: Condition) -> Condition:
        return tuple(
            tuple(replace(t, left=expr(t.left), right=t.right and expr(t.right)) for t in conjunction)
            for conjunction in c
        )

    def statement(s: Statement) -> Statement:
        match s:
            case Assign(target=place, value=value):
                return Assign(target(place), expr(value))
            case Increment(target=place):
                return replace(s, target=target(place))
            case For(body=body):
                return replace(s, body=map_operands(body, change))
            case If(condition=c, then=then, orelse=orelse):
                return If(condition(c), map_operands(then, change), map_operands(orelse, change))
        return s

    return tuple(statement(s) for s in block)


def _written(statement: Statement) -> str | None:
    """The variable that the statement writes to."""
    match statement:
        case Assign(target=Var(name=name)) | Increment(target=Var(name=name)) | For(variable=name):
            return name
    return None


def _order_of_use(program: Program, unused: bool = True) -> list[str]:
    """Names of declared variables, in the order of the canonical names.

    First the variable of the first loop that does not declare its own, then the others by first use. `unused` appends
    the variables that are never used.
    """
    declared = [declaration.name for declaration in program.declarations]
    loop_variables: list[str] = []
    used: list[str] = []

    def visit(block: Block, hidden: frozenset[str]) -> None:
        for statement in block:
            hidden_here = hidden
            if isinstance(statement, For):
                if statement.declares:
                    hidden_here = hidden | {statement.variable}
                elif statement.variable not in hidden:
                    loop_variables.append(statement.variable)
            used.extend(name for o in operands(statement) if (name := variable_of(o)) and name not in hidden_here)
            match statement:
                case For(body=body):
                    visit(body, hidden_here)
                case If(then=then, orelse=orelse):
                    visit(then, hidden_here)
                    visit(orelse, hidden_here)

    visit(program.body, frozenset())
    return list(dict.fromkeys([*loop_variables[:1], *used, *(declared if unused else ())]))


def _rename_block(block: Block, names: Mapping[str, str], loop_names: int) -> Block:
    """Rename variables by `names`. `loop_names` is how many of p_0, p_1, .. are taken here."""

    def rename(operand: Operand) -> Operand:
        match operand:
            case Var(name=name):
                return Var(names[name])
            case Element(index=Var(name=name)):
                return Element(Var(names[name]))
        return operand

    renamed: list[Statement] = []
    for statement in block:
        match statement:
            case For(variable=variable, declares=True, body=body):
                own = f"p_{loop_names}"
                inner = _rename_block(body, {**names, variable: own}, loop_names + 1)
                renamed.append(replace(statement, variable=own, body=inner))
            case For(variable=variable, body=body):
                inner = _rename_block(body, names, loop_names)
                renamed.append(replace(statement, variable=names[variable], body=inner))
            case If(then=then, orelse=orelse):
                (head,) = map_operands((replace(statement, then=(), orelse=()),), rename)
                assert isinstance(head, If)
                branches = (_rename_block(then, names, loop_names), _rename_block(orelse, names, loop_names))
                renamed.append(replace(head, then=branches[0], orelse=branches[1]))
            case _:
                renamed += map_operands((statement,), rename)
    return tuple(renamed)
