"""Random programs from a probabilistic grammar: the native source. Knows no text, no inputs and no filters.

The grammar has the shape that Csmith's programs have after post-processing (`csmith.py`): the size of a block and the
kinds of its statements depend on how deep the block is and how many loops are around it. Its weights are frequencies
counted in Csmith's programs, one table per Csmith setting, so sampling starts by drawing the setting.

Names come out canonical. Statements are drawn before operands, because whether `p_0` belongs to a loop must be known when
the first variable is named.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Final, TypeAlias

from lasynth.domains.restricted_c.nodes import (
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
    Relation,
    Sign,
    Statement,
    Target,
    Test,
    Var,
)

KINDS: Final = ("constant", "copy", "sum", "update", "step", "if", "if-else", "if-break", "if-continue", "for")
"""Kinds of statement. An update is `v = v ± ..`; a sum is any other right-hand side with operators."""
RELATIONS: Final[tuple[Relation | None, ...]] = (None, "<", ">", "<=", ">=", "==", "!=")


@dataclass(frozen=True)
class Weights:
    """Frequencies of one Csmith setting. Keys `depth.loops`: blocks around a statement, and how many are loops' bodies."""

    sizes: Mapping[str, Sequence[int]]
    """Blocks of 1, 2, .. statements."""
    kinds: Mapping[str, Sequence[int]]
    """In the order of KINDS."""
    operators: Mapping[str, Sequence[int]]
    """0, 1 or 2 operators in: the right side of a sum, an update (after its target), a test's sides."""
    reads: Mapping[str, Sequence[int]]
    """Constant, scalar or element as an operand in the same places, and in a copy."""
    targets: Sequence[int]
    """Scalar or element as what is written."""
    variables: Mapping[str, Sequence[int]]
    """p_0, a local or p_1, by use and number of loops; only of programs with loops."""
    constants: Sequence[int]
    """-4 .. 4 in statements."""
    signs: Sequence[int]
    """+, -"""
    steps: Sequence[int]
    """++x, x++, --x, x--"""
    shapes: Mapping[str, int]
    """Tests of a condition: `1|2` is x || (y && z)."""
    relations: Sequence[int]
    """In the order of RELATIONS."""
    directions: Sequence[int]
    """Loops up, loops down."""
    iterations: Sequence[int]
    """Loops over 1 .. 5 values."""


PLAIN = Weights(
    sizes={"0.0": (5, 45, 50), "1.0": (40, 35, 25), "1.1": (30, 35, 35), "2.0": (45, 35, 20), "2.1": (45, 35, 20), "2.2": (40, 35, 25)},
    kinds={
        "0.0": (12, 27, 0, 16, 12, 4, 11, 0, 0, 18), "1.0": (12, 30, 0, 18, 13, 3, 9, 0, 0, 15),
        "1.1": (12, 27, 0, 16, 12, 3, 9, 6, 2, 13), "2.0": (16, 40, 0, 25, 19, 0, 0, 0, 0, 0),
        "2.1": (15, 37, 0, 22, 17, 0, 0, 6, 3, 0), "2.2": (15, 37, 0, 22, 17, 0, 0, 6, 3, 0),
    },
    operators={"sum": (0, 1, 1), "update": (0, 100, 0), "test": (100, 0, 0), "left": (1, 0, 0), "right": (1, 0, 0)},
    reads={"copy": (0, 5, 95), "sum": (1, 0, 2), "update": (30, 3, 67), "test": (8, 5, 87), "left": (0, 5, 95), "right": (30, 5, 65)},
    targets=(8, 92),
    variables={
        "element read 0": (25, 75, 0), "element read 1": (70, 30, 0), "element read 2": (10, 30, 60),
        "element write 0": (25, 75, 0), "element write 1": (70, 30, 0), "element write 2": (10, 30, 60),
        "scalar read 0": (25, 75, 0), "scalar read 1": (25, 75, 0), "scalar read 2": (20, 60, 20),
        "scalar write 0": (25, 75, 0), "scalar write 1": (0, 100, 0), "scalar write 2": (0, 100, 0),
    },
    constants=(9, 9, 9, 20, 15, 20, 9, 9, 9),
    signs=(50, 50), steps=(25, 25, 25, 25),
    shapes={"1": 100}, relations=(100, 0, 0, 0, 0, 0, 0),
    directions=(50, 50), iterations=(5, 80, 7, 4, 4),
)  # fmt: skip
SUMS = Weights(
    sizes={"0.0": (5, 25, 35, 35), "1.0": (25, 30, 25, 20), "1.1": (20, 30, 25, 25), "2.0": (30, 35, 20, 15), "2.1": (30, 35, 20, 15), "2.2": (30, 30, 20, 20)},
    kinds={
        "0.0": (5, 8, 27, 16, 12, 4, 11, 0, 0, 17), "1.0": (5, 8, 28, 18, 13, 3, 9, 0, 0, 15),
        "1.1": (5, 7, 27, 16, 12, 3, 9, 6, 2, 13), "2.0": (6, 12, 38, 25, 19, 0, 0, 0, 0, 0),
        "2.1": (5, 11, 36, 22, 17, 0, 0, 6, 3, 0), "2.2": (5, 11, 36, 22, 17, 0, 0, 6, 3, 0),
    },
    operators={"sum": (0, 35, 65), "update": (0, 40, 60), "test": (60, 20, 20), "left": (50, 25, 25), "right": (80, 15, 5)},
    reads={"copy": (0, 5, 95), "sum": (30, 4, 66), "update": (30, 3, 67), "test": (8, 5, 87), "left": (5, 5, 90), "right": (40, 5, 55)},
    targets=(8, 92),
    variables=PLAIN.variables,
    constants=(9, 9, 9, 20, 15, 20, 9, 9, 9),
    signs=(50, 50), steps=(25, 25, 25, 25),
    shapes={"1": 85, "2": 6, "1|1": 7, "1|2": 1, "2|1": 1}, relations=(60, 7, 7, 7, 7, 6, 6),
    directions=(50, 50), iterations=(5, 80, 7, 4, 4),
)  # fmt: skip

NAMES: Final = ("p_0", "l_1", "l_2", "l_3", "p_1")
INNER: Final = 4
"""Index of p_1, the variable that an inner loop declares."""
SLOTS: Final = 4
"""How many variables a program may declare."""

# Every leaf that a program can have, made once: building frozen objects is what sampling would otherwise spend its time on.
# Operands are indexed by a code: 0-8 the constants -4 .. 4, then the five scalars, then the five elements.
FIRST_SCALAR: Final = 9
FIRST_ELEMENT: Final = FIRST_SCALAR + len(NAMES)
_TARGETS: Final[tuple[Target, ...]] = (*(Var(name) for name in NAMES), *(Element(Var(name)) for name in NAMES))
_OPERANDS: Final[tuple[Operand, ...]] = (*(Const(value) for value in range(-4, 5)), *_TARGETS)
_SINGLES: Final = tuple(Expr(operand) for operand in _OPERANDS)
_TERMS: Final[tuple[tuple[tuple[Sign, Operand], ...], ...]] = tuple(
    tuple((sign, operand) for operand in _OPERANDS) for sign in ("+", "-")
)
_STEPS: Final = tuple(
    tuple(Increment(target, operator, prefix) for target in _TARGETS)
    for operator in ("++", "--") for prefix in (True, False)
)  # fmt: skip
_DECLARATIONS: Final = tuple(tuple(Declaration(name, value) for value in range(5)) for name in NAMES)
_BREAK: Final[Block] = (Break(),)
_CONTINUE: Final[Block] = (Continue(),)

Shape: TypeAlias = "list[tuple[int, Shape, Shape]]"
"""A block before its operands are drawn: kind, body, else-branch of each statement."""
Cumulative: TypeAlias = list[float]


def sample_program(rng: Random) -> Program:
    """One program; the stream of programs is a function of the rng alone."""
    random = rng.random
    return _Sampling(random, _GRAMMARS[random() < 0.5]).program()


def _cumulative(weights: Sequence[int]) -> Cumulative:
    """Running shares, for `bisect(.., random())`: classes of weight zero are never hit."""
    total = sum(weights)
    return [running / total for running in accumulate(weights)]


class _Grammar:
    """The weights of one setting, prepared for bisection."""

    def __init__(self, weights: Weights) -> None:
        self.sizes = {_context(key): _cumulative(row) for key, row in weights.sizes.items()}
        self.kinds = {_context(key): _cumulative(row) for key, row in weights.kinds.items()}
        self.operators = {key: _cumulative(row) for key, row in weights.operators.items()}
        self.reads = {key: _cumulative(row) for key, row in weights.reads.items()}
        self.targets = _cumulative(weights.targets)
        self.variables = [
            [_cumulative(weights.variables[f"{use} {loops}"]) for loops in range(3)]
            for use in ("scalar read", "element read", "scalar write", "element write")
        ]
        self.constants = _cumulative(weights.constants)
        self.plus = _cumulative(weights.signs)[0]
        self.steps = _cumulative(weights.steps)
        self.shapes = [tuple(int(count) for count in key.split("|")) for key in weights.shapes]
        self.shape_weights = _cumulative(list(weights.shapes.values()))
        self.relations = _cumulative(weights.relations)
        self.up = _cumulative(weights.directions)[0]
        self.iterations = _cumulative(weights.iterations)


def _context(key: str) -> tuple[int, int]:
    depth, loops = key.split(".")
    return int(depth), int(loops)


CONSTANT, COPY, SUM, UPDATE, STEP, IF, IF_ELSE, IF_BREAK, IF_CONTINUE, FOR = range(len(KINDS))
_GRAMMARS: Final = (_Grammar(PLAIN), _Grammar(SUMS))


class _Sampling:
    """One program in the making."""

    __slots__ = ("declared", "grammar", "has_loop", "named", "random")

    def __init__(self, random: Callable[[], float], grammar: _Grammar) -> None:
        self.random = random
        self.grammar = grammar
        self.has_loop = False
        self.named = [-1] * SLOTS
        """Index of the name of each slot that has been used."""
        self.declared = 0

    def program(self) -> Program:
        shape = self.shape(0, 0)
        if self.has_loop:
            self.named[0] = 0
            self.declared = 1
        body = self.block(shape, 0)
        random = self.random
        return Program(tuple([_DECLARATIONS[name][int(random() * 5)] for name in range(self.declared)]), body)

    def shape(self, depth: int, loops: int) -> Shape:
        random, grammar = self.random, self.grammar
        kinds = grammar.kinds[depth, loops]
        block: Shape = []
        for _ in range(bisect(grammar.sizes[depth, loops], random()) + 1):
            kind = bisect(kinds, random())
            if kind == FOR:
                self.has_loop = True
                block.append((kind, self.shape(depth + 1, loops + 1), []))
            elif kind == IF_ELSE:
                block.append((kind, self.shape(depth + 1, loops), self.shape(depth + 1, loops)))
            elif kind == IF:
                block.append((kind, self.shape(depth + 1, loops), []))
            else:
                block.append((kind, [], []))
        return block

    # --- statements ------------------------------------------------------------------------------------------------
    def block(self, shape: Shape, loops: int) -> Block:
        statements: list[Statement] = []
        for kind, body, orelse in shape:
            if kind < STEP:
                statements.append(self.assignment(kind, loops))
            elif kind == STEP:
                step = bisect(self.grammar.steps, self.random())
                statements.append(_STEPS[step][self.target(loops) - FIRST_SCALAR])
            elif kind == FOR:
                statements.append(self.loop(body, loops))
            elif kind == IF_BREAK:
                statements.append(If(self.condition(loops), _BREAK))
            elif kind == IF_CONTINUE:
                statements.append(If(self.condition(loops), _CONTINUE))
            else:
                statements.append(If(self.condition(loops), self.block(body, loops), self.block(orelse, loops)))
        return tuple(statements)

    def assignment(self, kind: int, loops: int) -> Assign:
        random, grammar = self.random, self.grammar
        code = self.target(loops)
        target = _TARGETS[code - FIRST_SCALAR]
        if kind == CONSTANT:
            return Assign(target, _SINGLES[bisect(grammar.constants, random())])
        if kind == COPY:
            return Assign(target, _SINGLES[self.read("copy", loops)])
        if kind == SUM:
            return Assign(target, self.expression("sum", loops))
        return Assign(target, Expr(target, self.terms("update", loops)))

    def loop(self, body: Shape, loops: int) -> For:
        random, grammar = self.random, self.grammar
        more = bisect(grammar.iterations, random())
        low = int(random() * (5 - more))
        block = self.block(body, loops + 1)
        name = NAMES[INNER] if loops else NAMES[0]
        if random() < grammar.up:
            return For(name, loops > 0, low, "<=", low + more, "++", block)
        return For(name, loops > 0, low + more, ">=", low, "--", block)

    def condition(self, loops: int) -> Condition:
        grammar = self.grammar
        shape = grammar.shapes[bisect(grammar.shape_weights, self.random())]
        return tuple([tuple([self.test(loops) for _ in range(count)]) for count in shape])

    def test(self, loops: int) -> Test:
        relation = RELATIONS[bisect(self.grammar.relations, self.random())]
        if relation is None:
            return Test(self.expression("test", loops))
        return Test(self.expression("left", loops), relation, self.expression("right", loops))

    # --- expressions -----------------------------------------------------------------------------------------------
    def expression(self, place: str, loops: int) -> Expr:
        first = self.read(place, loops)
        terms = self.terms(place, loops)
        return Expr(_OPERANDS[first], terms) if terms else _SINGLES[first]

    def terms(self, place: str, loops: int) -> tuple[tuple[Sign, Operand], ...]:
        random, grammar = self.random, self.grammar
        count = bisect(grammar.operators[place], random())
        return tuple([_TERMS[random() >= grammar.plus][self.read(place, loops)] for _ in range(count)])

    def read(self, place: str, loops: int) -> int:
        """The code of an operand."""
        random, grammar = self.random, self.grammar
        sort = bisect(grammar.reads[place], random())
        if sort == 0:
            return bisect(grammar.constants, random())
        if sort == 1:
            return FIRST_SCALAR + self.variable(grammar.variables[0][loops])
        return FIRST_ELEMENT + self.variable(grammar.variables[1][loops])

    def target(self, loops: int) -> int:
        """The code of what a statement writes."""
        grammar = self.grammar
        if bisect(grammar.targets, self.random()):
            return FIRST_ELEMENT + self.variable(grammar.variables[3][loops])
        return FIRST_SCALAR + self.variable(grammar.variables[2][loops])

    def variable(self, weights: Cumulative) -> int:
        """Index of a name; locals are numbered as they come. Without loops, p_0 is a local like the others."""
        random = self.random
        if self.has_loop:
            sort = bisect(weights, random())
            if sort != 1:
                return INNER if sort else 0
            slot = 1 + int(random() * 3)
        else:
            slot = int(random() * SLOTS)
        name = self.named[slot]
        if name < 0:
            name = self.named[slot] = self.declared
            self.declared += 1
        return name
