"""Statistics of programs that are small enough to count by hand."""

import pytest

from lasynth.domains.restricted_c.data.statistics import LINES, iterations, program_statistics, statement_kind
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.statistics import normalise, total_variation


def program(body: str, declarations: str = "int p_0 = 0; int l_1 = 1;") -> Program:
    return parse(f"int * func_1(int a[]) {{ {declarations} {body} return a; }}")


KINDS = [
    ("a[p_0] = 3;", "assign constant"),
    ("p_0 = (-3);", "assign constant"),
    ("a[p_0] = a[l_1];", "assign variable"),
    ("p_0 = l_1;", "assign variable"),
    ("a[p_0] = (a[l_1] + 1);", "assign expression"),
    ("a[p_0] = (1 + a[p_0]);", "assign expression"),
    ("a[p_0] = a[p_0] + 1;", "update"),
    ("--a[p_0];", "increment"),
    ("if (a[p_0]) a[l_1]++;", "if"),
    ("if (a[p_0]) a[l_1]++; else a[l_1]--;", "if-else"),
    ("for (p_0 = 0; p_0 <= 1; p_0++) a[p_0]++;", "for"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_kind_of_statement(text: str, kind: str) -> None:
    (statement,) = program(text).body
    assert statement_kind(statement) == kind


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ("if (a[p_0]) break;", "if-break"),
        ("if (a[p_0]) continue;", "if-continue"),
        ("if (a[p_0]) break; else a[p_0]++;", "if-else"),
        ("break;", "jump elsewhere"),
    ],
)
def test_kind_of_jump(inside: str, kind: str) -> None:
    lines = program_statistics([program(f"for (p_0 = 0; p_0 <= 1; p_0++) {{ {inside} }}")])
    assert lines["statement kind"][kind] == 1


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("p_0 = 0; p_0 <= 4; p_0++", 5),
        ("p_0 = 4; p_0 >= 3; p_0--", 2),
        ("p_0 = 2; p_0 <= 2; p_0++", 1),
        ("p_0 = 3; p_0 <= 2; p_0++", 0),
        ("p_0 = 3; p_0 <= 2; p_0--", 0),
        ("p_0 = 0; p_0 <= 2; p_0--", None),
        ("p_0 = 4; p_0 >= 2; p_0++", None),
    ],
)
def test_iterations(head: str, count: int | None) -> None:
    (loop,) = program(f"for ({head}) a[p_0]++;").body
    assert iterations(loop) == count  # type: ignore[arg-type]
    name = "endless" if count is None else str(count)
    assert program_statistics([program(f"for ({head}) a[p_0]++;")])["loop iterations"][name] == 1


def test_lines_of_one_program() -> None:
    text = """
        a[l_1] = (a[p_0] - l_1 + (-2));
        for (p_0 = 1; p_0 <= 2; p_0++)
        {
            for (int p_1 = 0; p_1 <= 3; p_1++) { a[p_1] = a[p_0]; a[2] = a[l_1]; }
            if (a[p_0] < 3 && a[l_1]) continue;
        }"""
    counted = {
        line: {name: count for name, count in counts.items() if count}
        for line, counts in program_statistics([program(text)]).items()
    }
    assert counted == {
        "category": {"Mixture": 1},
        "statement kind": {"assign variable": 2, "assign expression": 1, "if-continue": 1, "for": 2},
        "C tokens": {"100-127": 1},
        "statements": {"05-06": 1},
        "nesting depth": {"2": 1},
        "loops per program": {"2": 1},
        "loop iterations": {"2": 1, "4": 1},
        "declarations": {"2": 1},
        "operators per expression": {"0": 5, "2": 1},
        "operand kind": {
            "constant": 2, "scalar": 1, "a[loop variable]": 3, "a[other variable]": 4, "a[constant]": 1,
        },
        "constant": {"-2": 1, "3": 1},
        "relation": {"none": 1, "<": 1},
        "condition tests": {"2": 1},
    }  # fmt: skip


def test_every_line_shows_all_its_classes_in_order() -> None:
    counted = program_statistics([])
    assert {line: tuple(counts) for line, counts in counted.items()} == LINES
    assert not any(counts.total() for counts in counted.values())
    for line in ("C tokens", "statements", "nesting depth", "loops per program", "declarations", "condition tests"):
        assert list(LINES[line]) == sorted(LINES[line])


def test_constants_beyond_the_data_have_a_class() -> None:
    counted = program_statistics([program("a[p_0] = 5; a[p_0] = (-100);")])
    assert counted["constant"]["5 and above"] == counted["constant"]["-5 and below"] == 1


def test_shares() -> None:
    assert normalise({"x": 1, "y": 3}) == {"x": 0.25, "y": 0.75}
    assert normalise({}) == normalise({"x": 0}) == {}


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ({"x": 1, "y": 1}, {"x": 10, "y": 10}, 0.0),
        ({"x": 1}, {"y": 1}, 1.0),
        ({"x": 1, "y": 1}, {"x": 1}, 0.5),
        ({"x": 3, "y": 1}, {"x": 1, "y": 3}, 0.5),
        ({}, {}, 0.0),
        ({}, {"x": 1}, 1.0),
    ],
)
def test_total_variation(a: dict[str, float], b: dict[str, float], distance: float) -> None:
    assert total_variation(a, b) == pytest.approx(distance)
    assert total_variation(b, a) == pytest.approx(distance)
