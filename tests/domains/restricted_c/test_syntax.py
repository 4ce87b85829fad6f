"""Text and trees: round trips, and clear errors with their position for text that is refused."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from lasynth.domains.restricted_c.data.sampler import sample_program
from lasynth.domains.restricted_c.language.canonical import inline_constants
from lasynth.domains.restricted_c.language.lexer import count_tokens
from lasynth.domains.restricted_c.language.nodes import Assign, Const, Element, Expr, Program, category
from lasynth.domains.restricted_c.language.parser import parse
from lasynth.domains.restricted_c.language.printer import print_program
from lasynth.domains.restricted_c.solving import standalone
from lasynth.task import Example, ParseError
from tests.domains.restricted_c.strategies import programs


def function(body: str) -> str:
    return f"int * func_1(int a[]) {{ int p_0 = 0; int l_1 = 2; {body} return a; }}"


@given(programs())
def test_print_then_parse_is_identity(program: Program) -> None:
    assert parse(print_program(program)) == program


def test_sampled_programs_round_trip(rng: Random) -> None:
    for _ in range(500):
        program = sample_program(rng)
        assert parse(print_program(program)) == program


@given(programs())
def test_a_complete_c_file_holds_its_function(program: Program) -> None:
    shown = inline_constants(program)
    assert parse(standalone(program, [Example([1, -(2**31)], [3, 4])])) == shown


FILE = """#include <stdio.h>
int * func_1(int a[]); /* the function */
static int inputs[2][1] = {{1}, {2}};

static int * func_1(int a[])
{
    a[0] = 1;
    return a;
}

int main(void)
{
    printf("} int * f(int a[]) { %d\\n", func_1(inputs[0])[0]);
    char c = '{';
    return 0;
}
"""


def test_the_rest_of_a_complete_c_file_is_ignored() -> None:
    alone = parse("int * f(int a[]) { a[0] = 1; return a; }")
    head, main = FILE.index("static int *"), FILE.index("int main")
    assert parse(FILE) == alone
    assert parse(FILE[main:] + FILE[head:main]) == alone  # main first


@pytest.mark.parametrize(
    ("old", "new", "line", "complaint"),
    [
        ("a[0] = 1;", "a[0] = a[0] * 2;", 7, "multiplication and pointers are not supported"),
        ("a[0] = 1;", "a[0] = 1", 8, "expected `;`"),
        ("return a;\n}", "return a;\n", 11, "expected `}` at the end"),
        ("int a[])\n", "int b[])\n", 5, "expected `a` in the head"),
        ("int main", "int * g(int a[]) { return a; }\nint main", 11, "a second function"),
        ("#include", "#define X 1\n#include", 1, "preprocessor lines other than #include"),
        ("a[0] = 1;", 'a[0] = "1";', 7, "strings are not supported"),
        ("static int * func_1", "static void func_1", None, "this C file has no function"),
        ("int main", "int other", 1, "preprocessor lines are not supported"),
    ],
)
def test_errors_in_a_complete_c_file_name_its_lines(old: str, new: str, line: int | None, complaint: str) -> None:
    assert old in FILE
    with pytest.raises(ParseError) as caught:
        parse(FILE.replace(old, new))
    assert complaint in str(caught.value)
    assert caught.value.line == line


def test_white_space_and_comments_do_not_matter() -> None:
    squeezed = parse("int*f(int a[]){int i=1;a[i]=a[i]+2;return a;}")
    spread = parse(
        "int * func_1 ( int a [ ] )\n{\n // one\n int i = 1; /* two\n */ a [ i ] = ( a[i] ) + 2 ;\nreturn a;\n}\n"
    )
    assert squeezed == spread


@pytest.mark.parametrize(
    ("body", "same_as"),
    [
        ("a[l_1] = (a[p_0] + 1) - 2;", "a[l_1] = a[p_0] + 1 - 2;"),
        ("a[l_1] = -3;", "a[l_1] = (-3);"),
        ("if (a[l_1]) p_0++;", "if (a[l_1]) { p_0++; }"),
        ("if ((p_0 < 1) && (l_1 > 2)) p_0++;", "if (p_0 < 1 && l_1 > 2) p_0++;"),
        ("if (p_0 && l_1 || a[p_0]) p_0++;", "if ((p_0 && l_1) || a[p_0]) p_0++;"),
        ("if ((p_0 + 1) < 2) p_0++;", "if (p_0 + 1 < 2) p_0++;"),
        ("if (p_0) ++p_0; else if (l_1) --p_0;", "if (p_0) { ++p_0; } else { if (l_1) { --p_0; } }"),
    ],
)
def test_different_texts_of_the_same_tree(body: str, same_as: str) -> None:
    assert parse(function(body)) == parse(function(same_as))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("while (p_0) { p_0++; }", "`while` loops are not supported"),
        ("do { p_0++; } while (p_0);", "`do` loops are not supported"),
        ("switch (p_0) {}", "`switch` is not supported"),
        ("goto end;", "`goto` is not supported"),
        ("a[p_0] = a[p_0] * 2;", "multiplication and pointers are not supported"),
        ("*a = 1;", "multiplication and pointers are not supported"),
        ("a[p_0] = a[p_0] / 2;", "division is not supported"),
        ("a[p_0] = a[p_0] % 2;", "remainder"),
        ("a[p_0] = abs(2);", "calls are not supported"),
        ("swap(a);", "calls are not supported"),
        ("a[p_0] += 2;", "`+=` is not supported in restricted C; write `x = x + ..`"),
        ("a[p_0] = p_0 ? 1 : 2;", "conditional operator"),
        ("a[p_0] = !p_0;", "operator `!` is not supported"),
        ("a[p_0] = -p_0;", "unary minus"),
        ("a[p_0] = 1.5;", "only decimal integers"),
        ("a[p_0] = 0x1f;", "only decimal integers"),
        ("a[p_0] = 010;", "only decimal integers"),
        ('a[p_0] = "x";', "strings are not supported"),
        ("a[p_0] = 'x';", "character constants are not supported"),
        ("a[p_0] = 2147483648;", "constants beyond"),
        ("a[p_0] = 99999999999999999999;", "constants beyond"),
        ("a[p_0] = 1 + 2 + 3 + 4;", "at most 2 of + and -"),
        ("a[p_0] = 1 - (2 + 3);", "sums run from left to right"),
        ("a[p_0 + 1] = 1;", "a single variable or constant"),
        ("a[a[p_0]] = 1;", "must be a variable or a constant"),
        ("a[-1] = 1;", "not negative"),
        ("a[x] = 1;", "`x` is not declared"),
        ("x = 1;", "`x` is not declared"),
        ("int l_3 = 1;", None),
        ("p_0 = 1; int l_3 = 1;", "declarations may only stand at the start"),
        ("int p_0 = 1;", "`p_0` is declared already"),
        ("int a = 1;", "needs another name"),
        ("int b[2];", "arrays other than `a`"),
        ("int *b;", "pointers are not supported"),
        ("for (int p_1 = 0; p_1 <= 2; p_1++) { p_0++; } p_1 = 2;", "`p_1` is not declared"),
        ("for (p_0 = 0; p_0 < 5; p_0++) { l_1++; }", "a loop's test must be"),
        ("for (p_0 = 0; l_1 <= 5; p_0++) { l_1++; }", "expected `p_0` in the loop's test"),
        ("for (p_0 = 0; p_0 <= 5; p_0 = p_0 + 1) { l_1++; }", "a loop's step must be"),
        ("for (p_0 = 0; p_0 <= 5; p_0++) { }", "empty blocks"),
        ("break;", "`break` outside a loop"),
        ("if (p_0) continue;", "`continue` outside a loop"),
        ("if (p_0 < l_1 < 2) p_0++;", "comparison of a comparison"),
        ("if ((p_0 || l_1) && p_0) p_0++;", "`||` inside brackets"),
        ("return a; p_0++;", "expected `}` at the end"),
        ("if (p_0) return a;", "`return` may only stand at the end"),
        ("{ p_0++; }", "a block may only follow"),
        ("else p_0++;", "expected a statement"),
        ("#define X 1\n", "preprocessor lines are not supported"),
        ("p_0 = 1", "expected `;`"),
        ("p_0 = $;", "the character '$' is not supported"),
    ],
)
def test_errors_name_the_reason_and_the_position(body: str, complaint: str | None) -> None:
    text = function(body)
    if complaint is None:
        parse(text)
        return
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert complaint in str(caught.value)
    assert caught.value.line is not None
    assert "^" in str(caught.value)


def test_the_caret_points_at_the_mistake() -> None:
    text = "int * func_1(int a[])\n{\n    a[0] = a[1] * 2;\n    return a;\n}\n"
    with pytest.raises(ParseError) as caught:
        parse(text)
    message = str(caught.value).splitlines()
    assert message[0].startswith("line 3, column 17:")
    assert message[1][message[2].index("^")] == "*"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "int",
        "\x00\x01\x02",
        "(" * 1_000_000,
        "{" * 1_000_001,
        "int * f(int a[]) {" + "if (a[0]) {" * 10_000,
        "int * f(int a[]) {" + "if (a[0]) " * 10_000,
        "int * f(int a[]) { a[0] = " + "(" * 10_000,
        "int * f(int a[]) { if (" + "(" * 10_000 + "a[0] < 1" + ")" * 10_000,
        "int * f(int a[]) { return a; } int x;",
        "int main(" + "int * f(" * 100_000,
        "int main() {} " + "int * f(int a[]) { " * 40_000,
        "int main() {} int * f(int a[]) {" + '"\\' * 400_000,
        "/* " * 300_000,
        "void f(int a[]) { return a; }",
        "int * f(int b[]) { return b; }",
    ],
    ids=lambda text: f"{text[:12]!r}..{len(text)}",
)
def test_hostile_text_is_refused_quickly(text: str) -> None:
    with pytest.raises(ParseError):
        parse(text)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[p_0] = 1;", "Seq-only"),
        ("if (p_0) a[p_0] = 1;", "If-only"),
        ("for (p_0 = 0; p_0 <= 2; p_0++) a[p_0] = 1;", "For-only"),
        ("for (p_0 = 0; p_0 <= 2; p_0++) if (a[p_0]) break;", "Mixture"),
        ("if (l_1) for (p_0 = 0; p_0 <= 2; p_0++) a[p_0] = 1;", "Mixture"),
    ],
)
def test_categories(body: str, expected: str) -> None:
    assert category(parse(function(body))) == expected


def test_tokens_are_counted_as_c_does() -> None:
    program = Program((), (Assign(Element(Const(0)), Expr(Const(-3))),))
    # int * func_1 ( int a [ ] ) {   a [ 0 ] = ( - 3 ) ;   return a ; }
    assert count_tokens(print_program(program)) == 10 + 10 + 4
