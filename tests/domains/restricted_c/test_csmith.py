"""The mapping of Csmith's programs, on texts written for the tests and on programs of Csmith itself."""

import shutil
from collections import Counter
from itertools import islice
from random import Random

import pytest

from lasynth.domains.restricted_c.data.csmith import (
    SETTINGS,
    SourceUnavailable,
    Unmappable,
    csmith_programs,
    map_program,
)
from lasynth.domains.restricted_c.data.statistics import statement_kind
from lasynth.domains.restricted_c.language.nodes import CATEGORIES, Assign, Expr, For, If, Program, category, statements
from lasynth.domains.restricted_c.language.printer import print_program

from .test_sampler import assert_valid

pytest.importorskip("pycparser", reason="pycparser reads what Csmith writes")
needs_csmith = pytest.mark.skipif(shutil.which("csmith") is None, reason="the program csmith is not installed")


def mapped(body: str, seed: int = 0) -> Program:
    text = f"static uint32_t  func_1(void);\n\nstatic uint32_t  func_1(void)\n{{\n{body}\nreturn l_2;\n}}\n"
    program = map_program(text, Random(seed))
    assert_valid(program)
    return program


def kinds(program: Program) -> list[str]:
    found = (statement_kind(statement) for statement in statements(program.body))
    return [kind for kind in found if kind != "jump elsewhere"]  # the bodies of if-break and if-continue


MAPPED = [
    ("l_2 = 3;", ["assign constant"]),
    ("l_2 = 0x1FE77DD6;", ["assign constant"]),
    ("l_2 = (-9);", ["assign constant"]),
    ("++l_2;", ["increment"]),
    ("l_2--;", ["increment"]),
    ("l_2 &= l_3;", ["update"]),
    ("l_2 ^= (((((l_10 & l_2) != l_5) & 0) ^ l_10) > l_9);", ["update"]),
    ("l_2 = (0x12U ^ (-(uint16_t)(+((1U > 0xA9) == l_3))));", ["assign expression"]),
    ("for (l_2 = 0; (l_2 < 5); l_2 += 8) {\n  uint16_t l_5 = 0x63F9;\n  ++l_5;\n}", ["for", "increment"]),
    ("for (l_2 = 1; (l_2 != (-5)); l_2--) { if (l_5) break; }", ["for", "if-break"]),
    ("for (l_2 = 1; (l_2 != (-5)); l_2--) { if (l_5) continue; }", ["for", "if-continue"]),
    ("++l_2; for (l_2 = 0; (l_2 < 5); l_2++) { return l_2; }", ["increment"]),
    ("++l_2; if (l_2) { return l_2; } else { return l_3; }", ["increment"]),
]


@pytest.mark.parametrize(("body", "expected"), MAPPED)
def test_statements_keep_their_kinds(body: str, expected: list[str]) -> None:
    for seed in range(20):
        assert kinds(mapped(body, seed)) == expected


def test_text_of_a_mapped_program() -> None:
    body = "    int32_t l_2 = (-10);\n    for (l_2 = 7; (l_2 != 3); --l_2) { l_2 = 2; }"
    texts = {print_program(mapped(body, seed)) for seed in range(200)}
    assert (
        "int * func_1(int a[])\n{\n    int p_0 = 0;\n    for (p_0 = 1; p_0 >= 0; p_0--)\n    {\n"
        "        a[p_0] = 2;\n    }\n    return a;\n}\n" in texts
    )


def test_loops_keep_their_direction_only() -> None:
    for step, operator in {"++l_2": "++", "l_2 += 9": "++", "l_2--": "--", "l_2 -= 2": "--"}.items():
        for seed in range(20):
            program = mapped(f"for (l_2 = (-27); (l_2 == 11); {step}) {{ ++l_3; }}", seed)
            (loop,) = program.body
            assert isinstance(loop, For)
            assert loop.operator == operator


def test_inner_loops_declare_their_variable() -> None:
    program = mapped("for (l_2 = 0; (l_2 < 5); l_2++) { for (l_5 = 0; (l_5 < 1); l_5++) { l_6 |= l_2; } }")
    assert [(s.variable, s.declares) for s in statements(program.body) if isinstance(s, For)] == [
        ("p_0", False),
        ("p_1", True),
    ]


@pytest.mark.parametrize(
    ("condition", "shape"),
    [
        ("l_2", [1]),
        ("(l_2 < l_3)", [1]),
        ("((l_2 > 1) && l_3)", [2]),
        ("(l_2 || (l_3 && l_4))", [1, 2]),
        ("((l_2 || l_3) && l_4)", [3]),
        ("(!(l_2 && l_3))", [2]),
        ("(l_2 || (l_3 || (l_4 || l_5)))", [1, 1, 1]),
    ],
)
def test_conditions_become_tests(condition: str, shape: list[int]) -> None:
    (branch,) = mapped(f"if ({condition}) {{ ++l_2; }}").body
    assert isinstance(branch, If)
    assert [len(conjunction) for conjunction in branch.condition] == shape


def test_copies_onto_themselves_go() -> None:
    found = Counter[str]()
    for seed in range(100):
        program = mapped("++l_2; l_3 = l_4;", seed)
        found.update(kinds(program))
        assert not any(isinstance(s, Assign) and s.value == Expr(s.target) for s in program.body)
    assert found["increment"] == 100
    assert 50 < found["assign variable"] < 100


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no program"),
        ("static int func_1(void) { float32 l_2 = 1; }", "cannot read"),
        ("static int func_1(void) { return 1; }", "no statements"),
        ("static int func_1(void) { while (1) ++l_2; }", "statement While"),
        ("static int func_1(void) { l_2 = (l_2 ? 1 : 2); }", "expression TernaryOp"),
    ],
)
def test_what_cannot_be_mapped_says_why(text: str, reason: str) -> None:
    with pytest.raises(Unmappable, match=reason):
        map_program(text, Random(0))


def test_missing_program_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SourceUnavailable, match="apt install csmith"):
        csmith_programs(Random(0))


@needs_csmith
def test_every_program_is_valid() -> None:
    passed_over: Counter[str] = Counter()
    programs = list(islice(csmith_programs(Random(1), passed_over=passed_over), 400))
    for program in programs:
        assert_valid(program)
    assert {category(program) for program in programs} == set(CATEGORIES)
    assert passed_over.total() < 40


@needs_csmith
def test_stream_is_a_function_of_the_rng() -> None:
    first, again, other = (list(islice(csmith_programs(Random(seed)), 80)) for seed in (5, 5, 6))
    assert first == again
    assert first != other


@needs_csmith
@pytest.mark.parametrize(("setting", "sums"), [(SETTINGS[0], False), (SETTINGS[1], True)], ids=["plain", "sums"])
def test_settings_differ_in_sums(setting: tuple[str, ...], sums: bool) -> None:
    programs = islice(csmith_programs(Random(2), settings=(setting,)), 60)
    assert any("assign expression" in kinds(program) for program in programs) is sums
