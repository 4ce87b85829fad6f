"""The definition of the semantics: an interpreter that walks the tree, written to be read.

Tests compare everything else that runs programs, the compiled machine and gcc, with this interpreter.

- Values are 32-bit integers. Overflow is a fault, because it is undefined in C.
- It is a fault to use a subscript outside the list, or to read a variable that has no value yet.
- Right-hand sides are evaluated before the place they are assigned to. && and || stop as soon as the result is known.
- One evaluation of a loop's test is one step. Only loops can run long, so a limit on steps bounds every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from lasynth.domains.base import Step, Trace
from lasynth.domains.restricted_c.language.nodes import (
    Assign,
    Block,
    Break,
    Condition,
    Const,
    Continue,
    Element,
    Expr,
    For,
    If,
    Increment,
    Operand,
    Program,
    Relation,
    Statement,
    Target,
    Test,
    Var,
)
from lasynth.domains.restricted_c.language.printer import print_declaration, print_head, print_operand
from lasynth.task import ExecutionError, StepLimit

MAX_STEPS = 10_000
"""Most loop tests in one run, by default."""

RELATIONS: dict[Relation, Callable[[int, int], bool]] = {
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
}


class OutOfBounds(ExecutionError):
    """A subscript outside the list."""


class UninitialisedRead(ExecutionError):
    """A variable was read before it had a value."""


class Overflow(ExecutionError):
    """A result that does not fit into 32 bits."""


class _BreakLoop(Exception):
    pass


class _ContinueLoop(Exception):
    pass


def run(program: Program, values: Sequence[int], max_steps: int = MAX_STEPS) -> list[int]:
    """The list after a run on `values`. ExecutionError if the run faults or is too long."""
    return Execution(program, values, max_steps).run()


def trace(program: Program, values: Sequence[int], max_steps: int = MAX_STEPS) -> Trace[list[int]]:
    """A run step by step: the list and the variables after each declaration, statement, and loop test that holds."""
    steps: list[Step[list[int]]] = []

    def record(label: str, run: Execution) -> None:
        steps.append(Step(label, list(run.list), tuple((n, v) for n, v in run.variables.items() if v is not None)))

    execution = Execution(program, values, max_steps, record)
    try:
        output = execution.run()
    except ExecutionError as error:
        return Trace(list(values), tuple(steps), None, error)
    return Trace(list(values), tuple(steps), output)


class Execution:
    """One run of a program on one list. `record` is called after each step with the step's text."""

    def __init__(
        self,
        program: Program,
        values: Sequence[int],
        max_steps: int,
        record: Callable[[str, Execution], None] | None = None,
    ) -> None:
        self.program = program
        self.list = list(values)
        self.variables: dict[str, int | None] = {}
        self.steps_left = max_steps
        self.max_steps = max_steps
        self.record = record

    def run(self) -> list[int]:
        for declaration in self.program.declarations:
            self.variables[declaration.name] = declaration.value
            self.did(print_declaration, declaration)
        self.block(self.program.body)
        return self.list

    def did(self, label: Callable[..., str], *what: object) -> None:
        """Record a step. The label is built only if there is a recorder."""
        if self.record:
            self.record(label(*what), self)

    # --- statements ----------------------------------------------------------------------------------------------
    def block(self, block: Block) -> None:
        for statement in block:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Assign(target=target, value=value):
                self.write(target, self.value(value))
                self.did(print_head, statement)
            case Increment(target=target, operator=operator):
                self.write(target, self.fit(self.read(target) + (1 if operator == "++" else -1)))
                self.did(print_head, statement)
            case If(condition=condition, then=then, orelse=orelse):
                self.block(then if self.holds(condition) else orelse)
            case For():
                self.loop(statement)
            case Break():
                raise _BreakLoop
            case Continue():
                raise _ContinueLoop

    def loop(self, loop: For) -> None:
        hidden = dict(self.variables)
        self.variables[loop.variable] = loop.start
        with suppress(_BreakLoop):
            while self.loop_test(loop):
                self.did(print_head, loop)
                with suppress(_ContinueLoop):
                    self.block(loop.body)
                self.advance(loop)
        if loop.declares:
            del self.variables[loop.variable]
            if loop.variable in hidden:  # the loop declared a variable of the same name
                self.variables[loop.variable] = hidden[loop.variable]

    def loop_test(self, loop: For) -> bool:
        if self.steps_left == 0:
            raise StepLimit(f"the program made more than {self.max_steps:,} loop tests; it may never end")
        self.steps_left -= 1
        return RELATIONS[loop.relation](self.read(Var(loop.variable)), loop.limit)

    def advance(self, loop: For) -> None:
        variable = Var(loop.variable)
        self.write(variable, self.fit(self.read(variable) + (1 if loop.operator == "++" else -1)))

    # --- conditions and expressions --------------------------------------------------------------------------------
    def holds(self, condition: Condition) -> bool:
        return any(all(self.test(test) for test in conjunction) for conjunction in condition)

    def test(self, test: Test) -> bool:
        left = self.value(test.left)
        if test.relation is None or test.right is None:
            return left != 0
        return RELATIONS[test.relation](left, self.value(test.right))

    def value(self, expr: Expr) -> int:
        total = self.read(expr.first)
        for sign, operand in expr.rest:
            total = self.fit(total + self.read(operand) if sign == "+" else total - self.read(operand))
        return total

    def fit(self, value: int) -> int:
        if -(2**31) <= value < 2**31:
            return value
        raise Overflow(f"{value} does not fit into 32 bits")

    # --- places ------------------------------------------------------------------------------------------------------
    def read(self, operand: Operand) -> int:
        match operand:
            case Const(value=value):
                return value
            case Element():
                return self.list[self.subscript(operand)]
            case Var(name=name):
                value_of = self.variables[name]
                if value_of is None:
                    raise UninitialisedRead(f"{name} is read before anything was assigned to it")
                return value_of

    def write(self, target: Target, value: int) -> None:
        match target:
            case Element():
                self.list[self.subscript(target)] = value
            case Var(name=name):
                self.variables[name] = value

    def subscript(self, element: Element) -> int:
        index = self.read(element.index)
        if 0 <= index < len(self.list):
            return index
        place = print_operand(element)
        raise OutOfBounds(f"{place} is outside the list of {len(self.list)} elements: the subscript is {index}")
