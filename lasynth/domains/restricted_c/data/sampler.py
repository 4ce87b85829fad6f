"""Random programs from a probabilistic grammar: the native source.

The grammar has the shape that Csmith's programs have after post-processing (`csmith.py`): the size of a block and the
kinds of its statements depend on how deep the block is and how many loops are around it. Its weights are frequencies
counted in Csmith's programs. There is one table per Csmith setting, so sampling starts by drawing the setting.

Names are canonical. Statements are drawn before operands, because the name of the first variable depends on whether
`p_0` belongs to a loop.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Final, TypeAlias

from lasynth.domains.restricted_c.language.nodes import (
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
    """Frequencies of one Csmith setting.

    A key such as `2.1` is `depth.loops`: the number of blocks around a place, and how many of them are loops.
    """

    sizes: Mapping[str, Sequence[int]]
    """Blocks of 1, 2, .. statements."""
    kinds: Mapping[str, Sequence[int]]
    """Statements, in the order of KINDS."""
    operators: Mapping[str, Sequence[int]]
    """0, 1 or 2 operators: in the right side of a sum, in an update (after its target), in the sides of a test."""
    reads: Mapping[str, Sequence[int]]
    """Constant, scalar or element as an operand: in the same places and in a copy."""
    targets: Sequence[int]
    """Scalar or element as the target of a statement."""
    variables: Mapping[str, Sequence[int]]
    """p_0, a local or p_1, by use and number of loops; counted only in programs with loops."""
    fresh: Mapping[str, Sequence[int]]
    """How many of 1,000 mentions of a local introduce a new name, after 0 .. 4 names. A loop's p_0 is a name, too."""
    constants: Sequence[int]
    """-4 .. 4 in statements."""
    signs: Sequence[int]
    """+, -"""
    steps: Sequence[int]
    """++x, x++, --x, x--"""
    shapes: Mapping[str, int]
    """How many tests a condition joins: `1|2` is x || (y && z)."""
    relations: Sequence[int]
    """Relations of tests, in the order of RELATIONS."""
    directions: Sequence[int]
    """Loops up, loops down."""
    iterations: Sequence[int]
    """Loops over 1 .. 5 values."""


# Counted in 25,000 programs of each setting: python experiments/csmith_fit.py --weights --programs 25000
PLAIN = Weights(
    sizes={
        "0.0": (388, 363, 250), "1.0": (375, 357, 268), "1.1": (405, 372, 223), "2.0": (375, 376, 249),
        "2.1": (426, 370, 204), "2.2": (389, 368, 243),
    },
    kinds={
        "0.0": (133, 169, 0, 171, 115, 58, 121, 0, 0, 233), "1.0": (129, 185, 0, 169, 114, 56, 119, 0, 0, 227),
        "1.1": (129, 124, 0, 166, 113, 57, 108, 59, 21, 224), "2.0": (224, 311, 0, 283, 182, 0, 0, 0, 0, 0),
        "2.1": (210, 207, 0, 269, 182, 0, 0, 95, 37, 0), "2.2": (202, 241, 0, 263, 172, 0, 0, 88, 35, 0),
    },
    operators={
        "sum": (0, 1, 0), "update": (0, 1000, 0), "test": (1000, 0, 0), "left": (0, 1, 0), "right": (0, 1, 0),
    },
    reads={
        "copy": (0, 82, 918), "sum": (0, 1, 0), "update": (335, 33, 631), "test": (0, 50, 950), "left": (0, 1, 0),
        "right": (0, 1, 0),
    },
    variables={
        "element read 0": (315, 685, 0), "element read 1": (694, 306, 0), "element read 2": (162, 240, 598),
        "element write 0": (298, 702, 0), "element write 1": (646, 354, 0), "element write 2": (122, 342, 535),
        "scalar read 0": (331, 669, 0), "scalar read 1": (400, 600, 0), "scalar read 2": (291, 497, 212),
        "scalar write 0": (306, 694, 0), "scalar write 1": (0, 1000, 0), "scalar write 2": (0, 1000, 0),
    },
    fresh={
        "straight": (1000, 736, 256, 157, 0), "loop": (0, 1000, 572, 245, 0),
    },
    targets=(83, 917), constants=(80, 83, 83, 170, 169, 166, 82, 83, 83), signs=(502, 498),
    steps=(246, 248, 247, 259), relations=(1000, 0, 0, 0, 0, 0, 0), directions=(590, 410),
    iterations=(50, 797, 52, 51, 50),
    shapes={
        "1": 1000,
    },
)  # fmt: skip
SUMS = Weights(
    sizes={
        "0.0": (261, 257, 258, 223), "1.0": (256, 259, 259, 225), "1.1": (266, 265, 247, 222),
        "2.0": (262, 259, 258, 221), "2.1": (265, 271, 259, 205), "2.2": (241, 285, 279, 195),
    },
    kinds={
        "0.0": (38, 48, 194, 224, 104, 52, 117, 0, 0, 223), "1.0": (37, 56, 205, 207, 106, 52, 115, 0, 0, 222),
        "1.1": (37, 35, 154, 229, 99, 50, 111, 53, 24, 208), "2.0": (62, 90, 340, 334, 174, 0, 0, 0, 0, 0),
        "2.1": (56, 58, 249, 358, 157, 0, 0, 83, 39, 0), "2.2": (57, 69, 277, 331, 146, 0, 0, 83, 37, 0),
    },
    operators={
        "sum": (0, 311, 689), "update": (0, 311, 689), "test": (835, 52, 113), "left": (309, 211, 480),
        "right": (1000, 0, 0),
    },
    reads={
        "copy": (0, 80, 920), "sum": (376, 37, 587), "update": (332, 34, 634), "test": (174, 42, 784),
        "left": (332, 32, 637), "right": (330, 34, 635),
    },
    variables={
        "element read 0": (305, 695, 0), "element read 1": (714, 286, 0), "element read 2": (145, 250, 605),
        "element write 0": (296, 704, 0), "element write 1": (696, 304, 0), "element write 2": (111, 301, 588),
        "scalar read 0": (305, 695, 0), "scalar read 1": (361, 639, 0), "scalar read 2": (308, 565, 127),
        "scalar write 0": (285, 715, 0), "scalar write 1": (0, 1000, 0), "scalar write 2": (0, 1000, 0),
    },
    fresh={
        "straight": (1000, 543, 175, 123, 0), "loop": (0, 1000, 456, 206, 0),
    },
    targets=(74, 926), constants=(84, 86, 85, 132, 173, 173, 88, 90, 90), signs=(499, 501),
    steps=(246, 253, 251, 250), relations=(667, 56, 56, 56, 55, 53, 56), directions=(592, 408),
    iterations=(49, 799, 52, 50, 51),
    shapes={
        "1": 891, "1|1": 48, "1|1|1": 3, "2": 46, "2|1": 4, "3": 8,
    },
)  # fmt: skip

NAMES: Final = ("p_0", "l_1", "l_2", "l_3", "p_1")
INNER: Final = 4
"""Index of p_1, the variable that an inner loop declares."""

# Every leaf that a program can have, built once: building frozen objects would take most of the sampling time.
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
    """One program. The stream of programs depends on the rng alone."""
    random = rng.random
    return _Sampling(random, _GRAMMARS[random() < 0.5]).program()


def _cumulative(weights: Sequence[int]) -> Cumulative:
    """Cumulative shares, for `bisect(.., random())`. Classes of weight zero are never drawn."""
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
        self.fresh = [[weight / 1000 for weight in weights.fresh[key]] for key in ("straight", "loop")]
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
    """Draws one program."""

    __slots__ = ("declared", "grammar", "has_loop", "random")

    def __init__(self, random: Callable[[], float], grammar: _Grammar) -> None:
        self.random = random
        self.grammar = grammar
        self.has_loop = False
        self.declared = 0

    def program(self) -> Program:
        shape = self.shape(0, 0)
        self.declared = int(self.has_loop)
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
            while (source := self.read("copy", loops)) == code:  # `v = v` would do nothing
                pass
            return Assign(target, _SINGLES[source])
        if kind == SUM:
            while (source := self.read("sum", loops)) == code:  # `v = v ± ..` is an update
                pass
            return Assign(target, Expr(_OPERANDS[source], self.terms("sum", loops)))
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
        """The code of the target of a statement."""
        grammar = self.grammar
        if bisect(grammar.targets, self.random()):
            return FIRST_ELEMENT + self.variable(grammar.variables[3][loops])
        return FIRST_SCALAR + self.variable(grammar.variables[2][loops])

    def variable(self, weights: Cumulative) -> int:
        """Index of a name. Locals are numbered in the order of their first mention; without loops p_0 is a local."""
        random, has_loop, declared = self.random, self.has_loop, self.declared
        if has_loop and (sort := bisect(weights, random())) != 1:
            return INNER if sort else 0
        if random() < self.grammar.fresh[has_loop][declared]:
            self.declared = declared + 1
            return declared
        return has_loop + int(random() * (declared - has_loop))
