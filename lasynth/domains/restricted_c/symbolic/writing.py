"""Writes explanations as programs: assignments in an order in which nothing is overwritten before it is read.

Neighbouring positions that are explained alike become a loop. Positions that share a condition become one `if`. Where
every order of assignments would overwrite a value that is needed later, the value is kept in a variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice, permutations, zip_longest

from lasynth.domains.restricted_c.language.canonical import canonical
from lasynth.domains.restricted_c.language.lexemes import MAX_SLOTS
from lasynth.domains.restricted_c.language.nodes import (
    INT_MAX,
    MAX_OPERATORS,
    Assign,
    Block,
    Const,
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
from lasynth.domains.restricted_c.symbolic.conditions import Comparison
from lasynth.domains.restricted_c.symbolic.explanations import Choice, Explanation, Tree, elements_of, shifted
from lasynth.domains.restricted_c.symbolic.sums import Sum

Term = tuple[Sign, Operand]
Resolve = Callable[[int], Operand]
"""Gives the place of an element's original value: the list or a variable."""
LOOP, INDEX, KEPT = "i", "next_{}", "old_{}"
"""Names of variables; `canonical` renames them."""
SHORTEST_LOOP = 3
MOST_KEPT = MAX_SLOTS // 2 - 4
"""Most variables for values that are needed later."""
ORDERS = 25
"""Orders of the summands: the usual one, and 24 others, as many as four summands have."""


class Unwritable(ValueError):
    """The language cannot express the explanation: a constant is too large, or too many values must be kept."""


def write(explanation: Explanation, order: int = 0, loops: bool = True) -> Program:
    """The program of an explanation, in canonical form. Raises Unwritable.

    `order` selects one of ORDERS orders of the summands. Order 0 reads best; others may stay within 32 bits where it
    does not. For short lists a program without loops may be shorter.
    """
    writer = _Writer(order, loops)
    block = writer.block(dict(enumerate(explanation)), {})
    return canonical(Program(tuple(Declaration(name, 0) for name in writer.declared), block))


@dataclass(frozen=True)
class _Unit:
    """Statements that are written together: one position, a loop over several, or an `if` around several."""

    positions: frozenset[int]
    reads: frozenset[int]
    write: Callable[[Mapping[int, Operand]], Block]
    """Gives the statements. Its argument maps elements to the variables that hold their original values."""
    keeps: frozenset[int] = frozenset()
    """Elements that must be in a variable because the unit overwrites them itself."""
    is_loop: bool = False


class _Waiting:
    """Units that are not written yet. There may be a thousand of them, so it counts the readers of each element."""

    def __init__(self, units: Iterable[_Unit]) -> None:
        self.units = {min(unit.positions): unit for unit in units}
        self.readers = Counter(element for unit in self.units.values() for element in unit.reads)
        """Number of waiting units that read each element."""
        self.owner = {position: first for first, unit in self.units.items() for position in unit.positions}
        """First position of the unit that overwrites each element."""
        self.needed = {
            first: {e for e in unit.positions if self.read_by_others(e)} for first, unit in self.units.items()
        }
        """Elements that each unit would overwrite although others still read them."""
        self.order = [self.rank(first) for first in self.units]
        """A heap of units by rank. A unit whose rank falls is pushed again; `take` skips its old entry."""
        heapify(self.order)

    def __len__(self) -> int:
        return len(self.units)

    def take(self) -> tuple[_Unit, set[int]]:
        """Remove the unit that overwrites the fewest elements that others need; return it and these elements.

        If several are equal, a loop comes first: it could not be a loop if elements that it reads were in variables.
        Then the leftmost one comes first.
        """
        while (place := heappop(self.order)[-1]) not in self.units:
            pass
        unit, needed = self.units.pop(place), self.needed.pop(place)
        self.readers.subtract(unit.reads)
        for element in unit.reads:
            owner = self.owner.get(element)
            if owner in self.units and element in self.needed[owner] and not self.read_by_others(element):
                self.needed[owner].remove(element)
                heappush(self.order, self.rank(owner))
        return unit, needed

    def rank(self, first: int) -> tuple[int, bool, int]:
        return len(self.needed[first]), not self.units[first].is_loop, first

    def read_by_others(self, element: int) -> bool:
        """Whether a unit reads the element besides the one that overwrites it."""
        return self.readers[element] > (element in self.units[self.owner[element]].reads)


@dataclass(frozen=True)
class _Run:
    """Neighbouring positions that are explained alike."""

    first: int
    last: int
    moving: bool
    """Whether all elements of the tree move along with the position, or only the position's own."""


@dataclass
class _Writer:
    order: int
    loops: bool
    declared: dict[str, None] = field(default_factory=dict)
    free: list[str] = field(default_factory=list)
    kept: int = 0

    # --- variables -------------------------------------------------------------------------------------------------
    def variable(self, name: str) -> Var:
        self.declared[name] = None
        return Var(name)

    def keep(self) -> Var:
        """A variable for a value that is needed later."""
        if not self.free:
            if self.kept == MOST_KEPT:
                raise Unwritable("too many values are needed after they are overwritten")
            self.free.append(KEPT.format(self.kept))
            self.kept += 1
        return self.variable(self.free.pop())

    # --- order -------------------------------------------------------------------------------------------------------
    def block(self, trees: Mapping[int, Tree], kept: Mapping[int, Operand]) -> Block:
        """Statements that give each position the value of its tree. `kept` maps overwritten elements to variables."""
        waiting = _Waiting(self.units({p: tree for p, tree in trees.items() if tree != Sum(((p, 1),))}))
        kept, mine, written = dict(kept), dict[int, Var](), list[Statement]()
        while waiting:
            unit, needed = waiting.take()
            for element in sorted(needed | unit.keeps):
                if element not in kept:
                    mine[element] = self.keep()
                    kept[element] = mine[element]
                    written.append(Assign(mine[element], Expr(Element(Const(element)))))
            written += unit.write(kept)
            for element in [e for e in mine if not waiting.readers[e]]:
                self.free.append(mine.pop(element).name)
                del kept[element]
        return tuple(written)

    def units(self, trees: dict[int, Tree]) -> Iterator[_Unit]:
        for run in _runs(trees) if self.loops else ():
            yield self.loop(run, trees)
            for position in range(run.first, run.last + 1):
                del trees[position]
        by_condition: dict[Comparison, dict[int, Choice]] = {}
        for position, tree in trees.items():
            if isinstance(tree, Choice):
                by_condition.setdefault(tree.condition, {})[position] = tree
            else:
                yield self.single(position, tree)
        for condition, members in by_condition.items():
            yield self.branch(condition, members)

    # --- units -------------------------------------------------------------------------------------------------------
    def single(self, position: int, total: Sum) -> _Unit:
        def statements(kept: Mapping[int, Operand]) -> Block:
            return tuple(self.assignment(Element(Const(position)), position, total, _places(kept)))

        return _Unit(frozenset([position]), elements_of(total), statements)

    def branch(self, condition: Comparison, members: dict[int, Choice]) -> _Unit:
        def statements(kept: Mapping[int, Operand]) -> Block:
            then = self.block({p: tree.then for p, tree in members.items()}, kept)
            orelse = self.block({p: tree.orelse for p, tree in members.items()}, kept)
            return _if(condition, _places(kept), then, orelse)

        reads = frozenset(e for tree in members.values() for e in elements_of(tree))
        return _Unit(frozenset(members), reads, statements)

    def loop(self, run: _Run, trees: Mapping[int, Tree]) -> _Unit:
        positions = range(run.first, run.last + 1)
        trees = {p: trees[p] for p in positions}
        tree = trees[run.first]
        offsets = {e - run.first for e in elements_of(tree)} if run.moving else set()
        up = not any(-len(positions) < offset < 0 for offset in offsets)

        def statements(kept: Mapping[int, Operand]) -> Block:
            indices: dict[int, Var] = {}
            outside = _places(kept)
            # a loop cannot index elements that are in variables
            if run.moving and any(e in kept for p in positions for e in elements_of(trees[p])):
                order = positions if up else reversed(positions)
                return tuple(s for p in order for s in self.statements(Element(Const(p)), p, trees[p], outside))

            def place(element: int) -> Operand:
                offset = element - run.first
                if offset == 0:
                    return Element(Var(LOOP))
                if not run.moving:
                    return outside(element)
                if offset not in indices:
                    indices[offset] = self.variable(INDEX.format(len(indices)))
                return Element(indices[offset])

            body = tuple(self.statements(Element(Var(LOOP)), run.first, tree, place))
            heads = [Assign(v, Expr(Var(LOOP), tuple(_added(offset)))) for offset, v in indices.items()]
            self.variable(LOOP)
            first, last = (run.first, run.last) if up else (run.last, run.first)
            return (For(LOOP, False, first, "<=" if up else ">=", last, "++" if up else "--", (*heads, *body)),)

        reads = frozenset(e for p in positions for e in elements_of(trees[p]))
        inside = (
            frozenset() if run.moving else frozenset(e for e in elements_of(tree) if e != run.first and e in positions)
        )
        return _Unit(frozenset(positions), reads, statements, inside, is_loop=True)

    # --- statements --------------------------------------------------------------------------------------------------
    def statements(self, target: Target, own: int, tree: Tree, place: Resolve) -> Iterator[Statement]:
        if isinstance(tree, Sum):
            yield from self.assignment(target, own, tree, place)
        else:
            then, orelse = (tuple(self.statements(target, own, b, place)) for b in (tree.then, tree.orelse))
            yield from _if(tree.condition, place, then, orelse)

    def assignment(self, target: Target, own: int, total: Sum, place: Resolve) -> Iterator[Statement]:
        """Statements that assign a sum to the target.

        `own` is the element that the target stands for. The first statement overwrites it, so that statement must read
        it.
        """
        if total.is_copy_of(own):
            return
        if total.terms == ((own, 1),) and abs(total.constant) == 1:
            yield Increment(target, "++" if total.constant > 0 else "--", False)
            return
        first, *rest = _ordered(total, own, place, self.order)
        if any(operand == target for _, operand in rest[MAX_OPERATORS:]):
            old = self.keep()
            yield Assign(old, Expr(target))
            yield from self.assignment(target, -1, total, lambda e: old if e == own else place(e))
            self.free.append(old.name)
            return
        yield Assign(target, Expr(first[1], tuple(rest[:MAX_OPERATORS])))
        for begin in range(MAX_OPERATORS, len(rest), MAX_OPERATORS):
            yield Assign(target, Expr(target, tuple(rest[begin : begin + MAX_OPERATORS])))


# --- parts of statements --------------------------------------------------------------------------------------------
def _places(kept: Mapping[int, Operand]) -> Resolve:
    return lambda element: kept[element] if element in kept else Element(Const(element))


def _sign(number: int) -> Sign:
    return "+" if number >= 0 else "-"


def _representable(value: int) -> list[int]:
    """Constants of the language whose sum is `value`. Raises Unwritable if it does not fit into an int.

    -2147483648 needs two constants, because C reads it as a long.
    """
    if value == -INT_MAX - 1:
        return [-INT_MAX, -1]
    if abs(value) > INT_MAX:
        raise Unwritable(f"the constant {value} does not fit into 32 bits")
    return [value]


def _added(value: int) -> list[Term]:
    """A number as terms that follow other summands."""
    return [(_sign(part), Const(abs(part))) for part in _representable(value)]


def _number(value: int) -> Expr:
    """A number as an expression of its own."""
    first, *rest = _representable(value)
    return Expr(Const(first), tuple(term for part in rest for term in _added(part)))


def _ordered(total: Sum, own: int, place: Resolve, order: int) -> list[Term]:
    """The summands; the first one is never subtracted. In order 0 the own element comes early and the constant late."""
    places = {element: place(element) for element, _ in total.terms}
    by_owner = sorted(total.terms, key=lambda term: (term[0] != own, term[1] < 0))
    terms: list[Term] = [(_sign(c), places[e]) for e, c in by_owner for _ in range(abs(c))]
    first = next((term for term in terms if term[0] == "+"), None)
    if first is None:
        number = _number(total.constant)
        return [("+", number.first), *terms, *number.rest]
    terms += _added(total.constant) if total.constant else ()
    if order:
        terms = _reordered(terms, order)
        first = next(term for term in terms if term[0] == "+")
    terms.remove(first)
    return [first, *terms]


def _reordered(terms: list[Term], order: int) -> list[Term]:
    """Order 1 alternates additions and subtractions, to keep partial sums small; the others are its permutations."""
    signs = ([term for term in terms if term[0] == sign] for sign in ("+", "-"))
    in_turn = [term for pair in zip_longest(*signs) for term in pair if term is not None]
    return list(next(islice(permutations(in_turn), order - 1, None), in_turn))


def _if(condition: Comparison, place: Resolve, then: Block, orelse: Block) -> Block:
    if not then and not orelse:
        return ()
    if not then:
        return (If(((_test(condition, place, False),),), orelse),)
    test = _test(condition, place, True)
    if orelse and test.relation == "==" and test.right == Expr(Const(0)):  # `if (x)` reads better than `if (x == 0)`
        return (If(((_test(condition, place, False),),), orelse, then),)
    return (If(((test,),), then, orelse),)


NEGATED: dict[Relation, Relation] = {"==": "!=", "<=": ">", "<": ">="}


def _test(condition: Comparison, place: Resolve, wanted: bool) -> Test:
    """The condition as a test, or its negation if not `wanted`."""
    terms, constant = condition.left.terms, condition.left.constant
    plus = [place(e) for e, c in terms if c > 0]
    minus = [place(e) for e, c in terms if c < 0]
    relation: Relation = condition.relation
    if relation == "<=" and constant == 1:  # x + 1 <= 0 is x < 0
        relation, constant = "<", 0
    if not wanted:
        relation = NEGATED[relation]
    if constant == 0 and len(plus) == len(minus) == 1:
        return Test(Expr(plus[0]), relation, Expr(minus[0]))
    left = Expr(plus[0], (*(("+", o) for o in plus[1:]), *(("-", o) for o in minus)))
    if relation == "!=" and constant == 0 and not left.rest:
        return Test(left)
    return Test(left, relation, _number(-constant))


# --- runs -----------------------------------------------------------------------------------------------------------
def _runs(trees: Mapping[int, Tree]) -> Iterator[_Run]:
    """Runs of neighbouring positions that are worth a loop, from left to right."""
    moving_ends = _moving_ends(trees)
    position, last = min(trees, default=0), max(trees, default=-1)
    while position <= last:
        run = max(_runs_from(position, trees, moving_ends), key=lambda r: r.last, default=None)
        if run is None or run.last - run.first + 1 < _shortest(trees[position]):
            position += 1
            continue
        yield run
        position = run.last + 1


def _runs_from(first: int, trees: Mapping[int, Tree], moving_ends: Mapping[int, int]) -> Iterator[_Run]:
    """The longest run of each kind that starts at `first` and can be written as a loop."""
    if first in trees:
        if not _is_shared(trees[first], first):
            yield _Run(first, _fixed_end(trees, first), moving=False)
        run = _Run(first, moving_ends[first], moving=True)
        if _goes_one_way(trees[first], run):
            yield run


def _shortest(tree: Tree) -> int:
    return SHORTEST_LOOP if isinstance(tree, Sum) else SHORTEST_LOOP - 1


def _moving_ends(trees: Mapping[int, Tree]) -> dict[int, int]:
    """For each position, the last position of its run: neighbours whose trees are equal relative to their positions."""
    ends: dict[int, int] = {}
    relative = {p: shifted(tree, -p) for p, tree in trees.items()}
    for p in sorted(trees, reverse=True):
        ends[p] = ends[p + 1] if relative.get(p + 1) == relative[p] else p
    return ends


def _fixed_end(trees: Mapping[int, Tree], first: int) -> int:
    """The last position of the run from `first` in which trees differ only in the position's own element."""
    last = first
    while last + 1 in trees and trees[last + 1] == _own_replaced(trees[first], first, last + 1):
        last += 1
    return last


def _own_replaced(tree: Tree, first: int, position: int) -> Tree:
    if isinstance(tree, Sum):
        terms = sorted((position if e == first else e, c) for e, c in tree.terms)
        return Sum(tuple(terms), tree.constant)
    left = _own_replaced(tree.condition.left, first, position)
    assert isinstance(left, Sum)
    branches = (_own_replaced(branch, first, position) for branch in (tree.then, tree.orelse))
    return Choice(tree.condition._replace(left=left), *branches)


def _is_shared(tree: Tree, position: int) -> bool:
    """Whether the tree's condition does not depend on the position: then one `if` is better than a loop."""
    return isinstance(tree, Choice) and position not in tree.condition.elements


def _goes_one_way(tree: Tree, run: _Run) -> bool:
    """Whether a loop in one direction overwrites nothing that it reads later."""
    size = run.last - run.first + 1
    offsets = {e - run.first for e in elements_of(tree)}
    return not (any(-size < o < 0 for o in offsets) and any(0 < o < size for o in offsets))
