"""The syntax tree of restricted C and the limits of the language. Does not know text or execution.

    program   := 'int * func_1(int a[])' '{' declaration* statement* 'return a;' '}'

Trees are immutable and hashable. Two programs are equal if and only if their trees are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

INT_MAX = 2**31 - 1
"""Largest constant; the smallest is -INT_MAX, because C reads -2147483648 as a long."""
MAX_OPERATORS = 2
"""Most + and - in one expression."""
MAX_DEPTH = 30
"""Most blocks inside each other."""
ARRAY = "a"
"""Name of the parameter, the list."""

Sign: TypeAlias = Literal["+", "-"]
StepOperator: TypeAlias = Literal["++", "--"]
Relation: TypeAlias = Literal["<", ">", "<=", ">=", "==", "!="]
LoopRelation: TypeAlias = Literal["<=", ">="]


@dataclass(frozen=True, slots=True)
class Const:
    value: int


@dataclass(frozen=True, slots=True)
class Var:
    name: str


@dataclass(frozen=True, slots=True)
class Element:
    """`a[index]`"""

    index: Var | Const


Operand: TypeAlias = Const | Var | Element
Target: TypeAlias = Var | Element


@dataclass(frozen=True, slots=True)
class Expr:
    """`first ± operand ± operand`, from left to right."""

    first: Operand
    rest: tuple[tuple[Sign, Operand], ...] = ()

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.first, *(operand for _, operand in self.rest))


@dataclass(frozen=True, slots=True)
class Test:
    """`left relation right`; or `left` alone, which is true if it is not zero."""

    left: Expr
    relation: Relation | None = None
    right: Expr | None = None

    @property
    def sides(self) -> tuple[Expr, ...]:
        return (self.left,) if self.right is None else (self.left, self.right)


Condition: TypeAlias = tuple[tuple[Test, ...], ...]
"""A disjunction of conjunctions of tests: ((x, y), (z,)) is `(x && y) || z`."""


@dataclass(frozen=True, slots=True)
class Assign:
    target: Target
    value: Expr


@dataclass(frozen=True, slots=True)
class Increment:
    """`++target;` (prefix) or `target++;`, and the same with --."""

    target: Target
    operator: StepOperator
    prefix: bool


@dataclass(frozen=True, slots=True)
class For:
    """`for ([int] variable = start; variable relation limit; variable operator) body`"""

    variable: str
    declares: bool
    """True with `int`: the variable is new and exists in this loop only."""
    start: int
    relation: LoopRelation
    limit: int
    operator: StepOperator
    body: Block


@dataclass(frozen=True, slots=True)
class If:
    condition: Condition
    then: Block
    orelse: Block = ()
    """Empty if there is no `else`."""


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


Statement: TypeAlias = Assign | Increment | For | If | Break | Continue
Block: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """`int name = value;`, or `int name;` if value is None. Then reading the variable before writing it is a fault."""

    name: str
    value: int | None


@dataclass(frozen=True, slots=True)
class Program:
    declarations: tuple[Declaration, ...]
    body: Block


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of the block and of the blocks inside it, in the order of the text."""
    for statement in block:
        yield statement
        match statement:
            case For(body=body):
                yield from statements(body)
            case If(then=then, orelse=orelse):
                yield from statements(then)
                yield from statements(orelse)


def operands(statement: Statement) -> Iterator[Operand]:
    """What the statement itself reads and writes, in the order of the text. Blocks inside it are left out."""
    match statement:
        case Assign(target=target, value=value):
            yield target
            yield from value.operands
        case Increment(target=target):
            yield target
        case For(variable=name):
            yield Var(name)
        case If(condition=condition):
            for conjunction in condition:
                for test in conjunction:
                    for side in test.sides:
                        yield from side.operands


def variable_of(operand: Operand) -> str | None:
    """The scalar variable that the operand uses, as a value or as a subscript. None if it uses none."""
    match operand:
        case Var(name=name) | Element(index=Var(name=name)):
            return name
    return None


def category(program: Program) -> str:
    """Which control flow the program uses. The names are those of the paper's figures."""
    kinds = {type(statement) for statement in statements(program.body)}
    return CATEGORIES[(If in kinds) + 2 * (For in kinds)]


CATEGORIES = ("Seq-only", "If-only", "For-only", "Mixture")
