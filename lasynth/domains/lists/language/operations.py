"""The operations of the language: names, types, and the hand-set cost of each in the search.

One name may stand for several operations with different arguments: `add` takes two numbers, a list and a number, or two
lists. `Op` is what is computed; the types of the arguments say over what.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from lasynth.domains.lists.language.nodes import Type


class Op(IntEnum):
    """What is computed. Those before SUM work on numbers and, element by element, on lists."""

    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    MOD = 4
    MIN = 5
    MAX = 6
    EQ = 7
    NE = 8
    LT = 9
    LE = 10
    GT = 11
    GE = 12
    AND = 13
    OR = 14
    NEG = 15
    ABS = 16
    ODD = 17
    EVEN = 18
    NOT = 19
    SQUARE = 20
    TO_NUMBER = 21

    SUM = 32
    PRODUCT = 33
    MAXIMUM = 34
    MINIMUM = 35
    LENGTH = 36
    FIRST = 37
    LAST = 38
    ARGMAX = 39
    ARGMIN = 40
    COMMON = 41
    COUNT = 42
    ANY = 43
    ALL = 44
    POSITION = 45
    LAST_POSITION = 46
    NTH = 47
    IF = 48

    REVERSE = 64
    SORT = 65
    SORT_DOWN = 66
    UNIQUE = 67
    TAIL = 68
    INIT = 69
    INDICES = 70
    RUNNING_SUM = 71
    RUNNING_MAX = 72
    RUNNING_MIN = 73
    RUNNING_PRODUCT = 74
    OCCURRENCES = 75
    SQUEEZE = 76
    IS_FIRST = 77
    SINGLE = 78
    RANGE = 79
    DIGITS = 80
    BETWEEN = 81
    FILL = 82
    TAKE = 83
    DROP = 84
    TAKE_LAST = 85
    DROP_LAST = 86
    APPEND = 87
    CONS = 88
    ROTATE = 89
    REPEAT = 90
    STRETCH = 91
    EVERY = 92
    DELETE = 93
    CONCAT = 94
    INTERLEAVE = 95
    GATHER = 96
    SORT_BY = 97
    MEMBER = 98
    FILTER = 99
    REJECT = 100
    TAKE_WHILE = 101
    DROP_WHILE = 102
    POSITIONS = 103
    SLICE = 104
    INSERT = 105
    REPLACE = 106
    SWAP = 107
    WHERE = 108
    ORDINALS = 109
    REPLICATE = 110


class Operation(NamedTuple):
    op: Op
    name: str
    arguments: tuple[Type, ...]
    result: Type
    cost: int


LETTERS = {"I": Type.INT, "B": Type.BOOL, "L": Type.LIST, "M": Type.MASK}
TABLE = """
add        II>I 3  LI>L 3  LL>L 3
sub        II>I 3  LI>L 3  IL>L 4  LL>L 3
mul        II>I 3  LI>L 3  LL>L 4
div        II>I 4  LI>L 4  LL>L 6  IL>L 5
mod        II>I 3  LI>L 3  LL>L 6  IL>L 5
min        II>I 3  LI>L 4  LL>L 4
max        II>I 3  LI>L 4  LL>L 4
eq         II>B 3  LI>M 3  LL>M 3
ne         II>B 3  LI>M 3  LL>M 4
lt         II>B 3  LI>M 3  LL>M 3
le         II>B 4  LI>M 4  LL>M 4
gt         LI>M 3
ge         LI>M 4
and        BB>B 4  MM>M 3
or         BB>B 4  MM>M 4
neg        I>I 4   L>L 4
abs        I>I 4   L>L 4
odd        I>B 3   L>M 3
even       I>B 3   L>M 3
not        B>B 3   M>M 3
square     I>I 4   L>L 4
to_number  B>I 3   M>L 4
sum        L>I 2
product    L>I 3
maximum    L>I 2
minimum    L>I 2
length     L>I 2
first      L>I 2
last       L>I 2
argmax     L>I 4
argmin     L>I 4
common     L>I 4
count      M>I 2
any        M>B 3
all        M>B 3
position   M>I 3
last_position M>I 4
nth        LI>I 3
if         BII>I 5 BLL>L 5
reverse    L>L 2
sort       L>L 3
sort_down  L>L 3
unique     L>L 3
tail       L>L 2
init       L>L 2
indices    L>L 3
ordinals   L>L 3
running_sum L>L 3
running_max L>L 4
running_min L>L 4
running_product L>L 5
occurrences L>L 4
squeeze    L>L 4
is_first   L>M 4
single     I>L 2
range      I>L 3
digits     I>L 5
between    II>L 4
fill       II>L 4
take       LI>L 2
drop       LI>L 2
take_last  LI>L 3
drop_last  LI>L 3
append     LI>L 3
cons       IL>L 3
rotate     LI>L 4
repeat     LI>L 4
stretch    LI>L 4
replicate  LL>L 5
every      LI>L 4
delete     LI>L 4
concat     LL>L 3
interleave LL>L 4
gather     LL>L 4
sort_by    LL>L 4
member     LL>M 4
filter     LM>L 2
reject     LM>L 3
take_while LM>L 4
drop_while LM>L 4
positions  M>L 3
slice      LII>L 4
insert     LII>L 4
replace    LII>L 4
swap       LII>L 4
where      MLL>L 4 MLI>L 4 MIL>L 4 MII>L 4
"""


def _read(table: str) -> tuple[Operation, ...]:
    found = []
    for line in table.strip().splitlines():
        name, *rest = line.split()
        for shape, cost in zip(rest[::2], rest[1::2], strict=True):
            arguments, _, result = shape.partition(">")
            types = tuple(LETTERS[letter] for letter in arguments)
            found.append(Operation(Op[name.upper()], name, types, LETTERS[result], int(cost)))
    return tuple(found)


OPERATIONS = _read(TABLE)
"""All operations; an operation's number is its place here."""
NUMBERS = {(operation.name, operation.arguments): number for number, operation in enumerate(OPERATIONS)}
"""Name and types of the arguments -> number."""
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.NE, Op.AND, Op.OR})
"""Operations that give the same for their arguments in either order, if both have one type."""
