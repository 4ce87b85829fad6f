"""Random programs made by Csmith, the paper's own source, and mapped into restricted C.

Csmith writes C far beyond the language, even with most features switched off. The mapping keeps the skeleton of a
program: which statements stand in which blocks, and which of its many variables occur together in an expression. The
rest is resampled, as in the paper: scalars become elements of the list, operators become + and -, constants and loop
limits are moved into range.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from lasynth.domains.restricted_c.language.canonical import canonical, drop_unused
from lasynth.domains.restricted_c.language.nodes import (
    MAX_OPERATORS,
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
    StepOperator,
    Target,
    Test,
    Var,
)
from lasynth.task import InputError

FLAGS: Final = (
    *(
        f"--no-{feature}"
        for feature in (
            "pointers", "structs", "unions", "bitfields", "volatiles", "jumps", "longlong", "argc", "checksum",
            "safe-math", "comma-operators", "embedded-assigns", "consts", "muls", "divs", "math64", "int8", "uint8",
            "arrays", "global-variables",
        )
    ),
    *("--nomain", "--concise", "--max-funcs", "1", "--max-block-depth", "2"),
)  # fmt: skip
SETTINGS: Final[tuple[tuple[str, ...], ...]] = (
    ("--max-block-size", "3", "--max-expr-complexity", "1"),
    ("--max-expr-complexity", "2"),
)
"""Short programs without sums, and longer ones with sums. Each setting makes half of the programs."""
PROBABILITIES: Final = """
[statement_prob,statement_assign_prob=100,statement_block_prob=0,statement_ifelse_prob=15,statement_for_prob=35,\
statement_break_prob=40,statement_continue_prob=44,statement_return_prob=0,statement_goto_prob=0,statement_arrayop_prob=0]

(assign_binary_ops_prob,binary_add_prob=1,binary_sub_prob=1,binary_mul_prob=0,binary_div_prob=0,binary_mod_prob=0,\
binary_gt_prob=1,binary_lt_prob=1,binary_ge_prob=1,binary_le_prob=1,binary_eq_prob=1,binary_ne_prob=1,\
binary_and_prob=1,binary_or_prob=1,binary_bit_xor_prob=0,binary_bit_and_prob=0,binary_bit_or_prob=0,\
binary_bit_rshift_prob=0,binary_bit_lshift_prob=0)
"""
"""Statements in cumulative percentages. `return` is left out: nothing of it can be kept, and it would cut blocks short.
All operators that the language has too are equally likely."""

TIMEOUT: Final = 20.0
"""Seconds for one program: a thousand times what Csmith needs, so that a busy machine does not change the stream."""
BATCH: Final = 64
PROCESSES: Final = 2

ELEMENT_READS: Final = 0.95
ELEMENT_WRITES: Final = 0.92
"""Probability that a scalar becomes an element of the list, with the scalar as its subscript."""
LOOP_SUBSCRIPTS: Final = 0.6
"""Probability that a subscript inside a loop becomes the innermost loop's variable."""
ELSE_DROPPED: Final = 0.3
"""Probability that an `else` is dropped. Csmith writes every `if` with an `else`; people mostly do not."""
ITERATIONS: Final = (2,) * 16 + (1, 3, 4, 5)
"""Numbers of iterations to draw from. Most loops in the paper's listings run twice."""
MAX_TESTS: Final = 3
"""Most tests of a condition that are kept."""
SLOTS: Final = 4
"""Most variables that a program declares."""

RELATIONS: Final = frozenset(["<", ">", "<=", ">=", "==", "!="])
_DECLARATION = re.compile(r"^ *u?int\d+_t l_\d+ = [^;]*;\n", re.MULTILINE)
_CAST = re.compile(r"\(u?int\d+_t\)")


class SourceUnavailable(InputError):
    """A program or package that this source needs is not installed."""


class Unmappable(ValueError):
    """The program has no counterpart in the language; the message says why."""


def csmith_programs(
    rng: Random,
    settings: Sequence[Sequence[str]] = SETTINGS,
    probabilities: str = PROBABILITIES,
    passed_over: Counter[str] | None = None,
) -> Iterator[Program]:
    """An endless stream of programs that depends only on the rng, for given settings and probabilities.

    `passed_over` counts the programs that could not be used, by reason.
    """
    try:
        import pycparser  # noqa: F401
    except ImportError as error:
        raise SourceUnavailable("the csmith source needs pycparser: pip install 'lasynth[csmith]'") from error
    executable = shutil.which("csmith")
    if executable is None:
        raise SourceUnavailable("the program `csmith` was not found: apt install csmith, or use the native source")
    return _stream(executable, rng, settings, probabilities, Counter() if passed_over is None else passed_over)


def _stream(
    executable: str, rng: Random, settings: Sequence[Sequence[str]], probabilities: str, passed_over: Counter[str]
) -> Iterator[Program]:
    # Csmith writes a file about the platform into its working directory, so it runs in a temporary one.
    with TemporaryDirectory() as folder, ThreadPoolExecutor(PROCESSES) as pool:
        configuration = Path(folder, "probabilities")
        configuration.write_text(probabilities)

        def write(seed: int) -> str:
            setting = settings[seed % len(settings)]
            options = [*FLAGS, *setting, "--probability-configuration", str(configuration), "--seed", str(seed)]
            try:
                done = subprocess.run(
                    [executable, *options], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT
                )
            except subprocess.TimeoutExpired:
                return ""
            return done.stdout

        # Create that file now: a process that reads it while another one writes it would give another program.
        write(0)
        while True:
            seeds = [rng.getrandbits(31) for _ in range(BATCH)]
            for seed, text in zip(seeds, pool.map(write, seeds), strict=True):
                try:
                    yield map_program(text, Random(seed))
                except Unmappable as error:
                    passed_over[str(error)] += 1


def map_program(text: str, rng: Random) -> Program:
    """Map a text written by Csmith to a canonical program of the language. Raises Unmappable."""
    from pycparser.c_parser import CParser, ParseError

    start = text.rfind("func_1(void)")
    if start < 0:
        raise Unmappable("no program")
    # Remove types and initial values: they are not kept, and pycparser would spend most of its time on them.
    plain = _CAST.sub("", _DECLARATION.sub("", text[start:]))
    try:
        tree = CParser().parse(f"int {plain}")
    except ParseError as error:
        raise Unmappable("text that pycparser cannot read") from error
    mapping = _Mapping(rng)
    body = mapping.block(tree.ext[0].body, 0)
    if not body:
        raise Unmappable("no statements")
    declarations = tuple(Declaration(name, rng.randrange(5)) for name in mapping.names)
    return canonical(drop_unused(Program(declarations, body)))


class _Mapping:
    """Maps one program into the language. `loops` is the number of loops around the current place."""

    names = ("p_0", *(f"l_{i}" for i in range(1, SLOTS)))

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.slots: dict[str, str] = {}
        """Our variable for each of Csmith's, drawn when it first occurs."""
        self.active: dict[str, str] = {}
        """The same for the variables of the loops around the current place."""

    # --- statements ------------------------------------------------------------------------------------------------
    def block(self, node: Any, loops: int) -> Block:
        if node is None:
            return ()
        items = (node.block_items or []) if _kind(node) == "Compound" else [node]
        return tuple(statement for item in items if (statement := self.statement(item, loops)) is not None)

    def statement(self, node: Any, loops: int) -> Statement | None:
        """The statement, or None if nothing of it can be kept."""
        match _kind(node):
            case "Assignment":
                return self.assignment(node, loops)
            case "UnaryOp" if node.op in ("++", "--", "p++", "p--"):
                prefix = node.op[0] != "p"
                return Increment(self.target(node.expr, loops), cast(StepOperator, node.op[-2:]), prefix)
            case "For":
                return self.loop(node, loops)
            case "If":
                return self.branch(node, loops)
            case "Return":
                return None
            case kind:
                raise Unmappable(f"statement {kind}")

    def assignment(self, node: Any, loops: int) -> Assign | None:
        """`v = e`, or `v op= e` as `v = v ± e`. None if the result would be `v = v`."""
        target = self.target(node.lvalue, loops)
        if node.op == "=":
            value = self.sum(node.rvalue, loops)
            return Assign(target, value) if value != Expr(target) else None
        (_, first), *rest = self.terms(node.rvalue)[:MAX_OPERATORS]
        return Assign(target, Expr(target, self.operands([(self.sign(node.op[:-1]), first), *rest], loops)))

    def loop(self, node: Any, loops: int) -> For | None:
        """The loop; only the direction of its head is kept. None if the body is empty."""
        outer = self.active
        own = node.init.lvalue.name
        if not loops:
            self.slots[own] = self.names[0]
        self.active = {**outer, own: f"p_{loops}"}
        body = self.block(node.stmt, loops + 1)
        self.active = outer
        more = self.rng.choice(ITERATIONS) - 1
        low = self.rng.randint(0, 4 - more)
        if not body:
            return None
        if "+" in node.next.op:
            return For(f"p_{loops}", loops > 0, low, "<=", low + more, "++", body)
        return For(f"p_{loops}", loops > 0, low + more, ">=", low, "--", body)

    def branch(self, node: Any, loops: int) -> If | None:
        condition = self.condition(node.cond, loops)
        match _kind(node.iftrue):
            case "Break":
                return If(condition, (Break(),))
            case "Continue":
                return If(condition, (Continue(),))
        then, orelse = self.block(node.iftrue, loops), self.block(node.iffalse, loops)
        if self.rng.random() < ELSE_DROPPED:
            orelse = ()
        return If(condition, then, orelse) if then else None

    # --- conditions ------------------------------------------------------------------------------------------------
    def condition(self, node: Any, loops: int) -> Condition:
        """Tests joined by && and ||. A || inside a && becomes &&: conditions of the language have no brackets."""
        kept = MAX_TESTS
        condition: list[tuple[Test, ...]] = []
        for conjunction in self.disjunction(node):
            if kept:
                condition.append(tuple(self.test(test, loops) for test in conjunction[:kept]))
                kept -= len(condition[-1])
        return tuple(condition)

    def disjunction(self, node: Any) -> list[list[Any]]:
        node = _strip(node)
        if _kind(node) == "BinaryOp" and node.op in ("&&", "||"):
            left, right = self.disjunction(node.left), self.disjunction(node.right)
            return left + right if node.op == "||" else [[*chain(*left, *right)]]
        return [[node]]

    def test(self, node: Any, loops: int) -> Test:
        if _kind(node) == "BinaryOp" and node.op in RELATIONS:
            left = self.sum(node.left, loops)
            return Test(left, cast(Relation, node.op), self.sum(node.right, loops))
        return Test(self.sum(node, loops))

    # --- expressions -----------------------------------------------------------------------------------------------
    def sum(self, node: Any, loops: int) -> Expr:
        """The first operands of the expression, whatever its operators were."""
        (_, first), *rest = self.terms(node)[: MAX_OPERATORS + 1]
        return Expr(self.operand(first, loops), self.operands(rest, loops))

    def operands(self, terms: Sequence[tuple[Sign, Any]], loops: int) -> tuple[tuple[Sign, Operand], ...]:
        return tuple((sign, self.operand(node, loops)) for sign, node in terms)

    def terms(self, node: Any) -> list[tuple[Sign, Any]]:
        """Constants and variables from left to right, each with the operator before it."""
        node = _strip(node)
        match _kind(node):
            case "Constant" | "ID" | "UnaryOp":
                return [("+", node)]
            case "BinaryOp":
                (_, first), *rest = self.terms(node.right)
                return [*self.terms(node.left), (self.sign(node.op), first), *rest]
            case kind:
                raise Unmappable(f"expression {kind}")

    def sign(self, operator: str) -> Sign:
        if operator in ("+", "-"):
            return cast(Sign, operator)
        return "+" if self.rng.random() < 0.5 else "-"

    def operand(self, node: Any, loops: int) -> Operand:
        if _kind(node) == "ID":
            if self.rng.random() < ELEMENT_READS:
                return self.element(node.name, loops)
            return Var(self.variable(node.name))
        return Const(self.constant(node))

    def constant(self, node: Any) -> int:
        negative = _kind(node) == "UnaryOp"
        value = int((node.expr if negative else node).value.rstrip("UL"), 0)
        if value > 4:
            return self.rng.randint(-4, 4)
        return -value if negative else value

    def target(self, node: Any, loops: int) -> Target:
        """What the statement writes. It is never the variable of a running loop, as in Csmith's own programs."""
        scalar = self.rng.random() >= ELEMENT_WRITES
        name = self.variable(node.name)
        if scalar and name not in self.active.values():
            return Var(name)
        return self.element(node.name, loops)

    def element(self, name: str, loops: int) -> Element:
        if loops and self.rng.random() < LOOP_SUBSCRIPTS:
            return Element(Var(f"p_{loops - 1}"))
        return Element(Var(self.variable(name)))

    def variable(self, name: str) -> str:
        if name in self.active:
            return self.active[name]
        if name not in self.slots:
            self.slots[name] = self.rng.choice(self.names)
        return self.slots[name]


def _kind(node: Any) -> str:
    return type(node).__name__


def _strip(node: Any) -> Any:
    """The node without the unary operators around it. The minus sign of a constant stays."""
    while _kind(node) == "UnaryOp" and not (node.op == "-" and _kind(node.expr) == "Constant"):
        node = node.expr
    return node
