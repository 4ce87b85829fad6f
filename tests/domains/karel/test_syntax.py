"""The three written forms round-trip, and syntax errors name line and column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from lasynth.domains.karel import program_json, readable, syntax
from lasynth.domains.karel.nodes import (
    MAX_NESTING,
    Action,
    Condition,
    If,
    IfElse,
    Program,
    Repeat,
    While,
    canonical,
    category,
)
from lasynth.task import ParseError

from .strategies import programs

FIGURE = """def run():
  while (not rightIsClear):
    while (noMarkersPresent):
      putMarker
    move
    ifelse (rightIsClear):
      turnLeft
    else:
      repeat (4):
        move
  if (markersPresent):
    pickMarker"""


def check_round_trips(program: Program) -> None:
    assert syntax.parse(syntax.text(program)) == program
    assert syntax.parse(readable.write(program)) == program
    assert syntax.parse(json.dumps(program_json.to_json(program))) == program


@given(programs(most_negations=3))
def test_every_form_round_trips(program: Program) -> None:
    check_round_trips(program)


@given(programs(most_negations=3))
def test_length_is_the_number_of_tokens(program: Program) -> None:
    assert syntax.length(program) == len(syntax.text(program).split())


@given(programs(most_negations=3))
def test_canonical_programs_have_at_most_one_negation_and_are_stable(program: Program) -> None:
    once = canonical(program)
    assert "not c( not" not in syntax.text(once)
    assert canonical(once) == once


def test_the_form_of_the_papers_figures_is_read_and_written() -> None:
    program = syntax.parse(FIGURE)
    assert readable.write(program) == FIGURE
    assert category(program) == "Mixture"
    assert syntax.text(program).startswith(
        "DEF run m( WHILE c( not c( rightIsClear c) c) w( WHILE c( noMarkersPresent c) w("
    )


def test_readable_text_may_have_brackets_tabs_and_blank_lines() -> None:
    text = "def run():\n\n\twhile(not frontIsClear()):\n\t\tturnLeft()\n\tmove ;\r\n"
    assert syntax.parse(text) == Program((While(Condition("frontIsClear", 1), (Action("turnLeft"),)), Action("move")))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEF run m( move m)", "Seq-only"),
        ("DEF run m( IF c( frontIsClear c) i( move i) m)", "If-only"),
        ("DEF run m( IF c( frontIsClear c) i( IFELSE c( frontIsClear c) i( move i) ELSE e( move e) i) m)", "If-only"),
        ("DEF run m( REPEAT R=2 r( move r) m)", "Repeat-only"),
        ("DEF run m( WHILE c( frontIsClear c) w( move w) m)", "While-only"),
        ("DEF run m( WHILE c( frontIsClear c) w( REPEAT R=2 r( move r) w) m)", "Mixture"),
    ],
)
def test_categories(text: str, expected: str) -> None:
    assert category(syntax.parse(text)) == expected


NESTED = "REPEAT R=2 r( " * 10_000 + "move" + " r)" * 10_000
DEEP_JSON = '{"run": [' + '{"type": "repeat", "times": 2, "body": [' * 10_000
DEEP_TEXT = "def run():\n" + "".join(" " * (i + 1) + "repeat (2):\n" for i in range(200))


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "no program"),
        ("DEF run m( m)", 1, 12, "a block cannot be empty"),
        ("DEF run m( REPEAT R=3 r( r) m)", 1, 26, "a block cannot be empty"),
        ("DEF run m( jump m)", 1, 12, "unknown token 'jump'"),
        ("DEF run m( move", 1, 16, "the text ends"),
        ("DEF run m( move m) m)", 1, 20, "end of the text"),
        ("DEF run m( IF c( frontIsClear c) i( move m)", 1, 42, "expected a statement or 'i)'"),
        ("DEF run m( move r) m)", 1, 17, "expected a statement or 'm)'"),
        ("DEF run m( REPEAT R=20 r( move r) m)", 1, 19, "R=0 to R=19"),
        ("DEF run m( IFELSE c( frontIsClear c) i( move i) m)", 1, 49, "expected 'ELSE'"),
        ("DEF run m(\nIF c( frontIsClear and c) i( move i) m)", 2, 20, "'and' and 'or' are not supported"),
        ("DEF run m( IF c( or c) i( move i) m)", 1, 18, "'and' and 'or'"),
        (f"DEF run m( {NESTED} m)", 1, 443, "nested more than 30 deep"),
        ("move", 1, 1, "expected 'DEF'"),
        ("def run():\n  jump", 2, 3, "unknown statement 'jump'"),
        ("def run():", 1, 1, "a block cannot be empty"),
        ("def run():\n  repeat (3):\n  move", 2, 3, "a block cannot be empty"),
        ("def run():\n  repeat (20):\n    move", 2, 11, "0 to 19"),
        ("def run():\n  if (frontIsClear and leftIsClear):\n    move", 2, 7, "'and' and 'or'"),
        ("def run():\n  if (frontIsOpen):\n    move", 2, 7, "expected one of"),
        ("def run():\n  ifelse (frontIsClear):\n    move", 2, 3, "no 'else:'"),
        ("def run():\n  else:\n    move", 2, 3, "without an 'ifelse'"),
        ("def run():\n  move\n   move", 3, 4, "indented by 3"),
        ("def run():\n  move\nmove", 3, 1, "outside"),
        ("def walk():\n  move", 1, 1, "expected 'def run():'"),
        (DEEP_TEXT, 32, 32, "nested more than 30 deep"),
        ('{"run": [', 1, 10, "not JSON"),
    ],
)
def test_syntax_errors_name_line_and_column(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(ParseError) as raised:
        syntax.parse(text)
    assert (raised.value.line, raised.value.column) == (line, column)
    assert reason in raised.value.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"walk": []}', 'expected {"run"'),
        ('{"run": []}', "run: a block cannot be empty"),
        ('{"run": [{"type": "jump"}]}', "run[0]: unknown statement 'jump'"),
        ('{"run": [{"type": "repeat", "times": 20, "body": [{"type": "move"}]}]}', "run[0]: expected times"),
        ('{"run": [{"type": "if", "condition": {"type": "and"}, "body": []}]}', "run[0]: unknown condition 'and'"),
        (
            '{"run": [{"type": "ifElse", "condition": {"type": "frontIsClear"}, "ifBody": [{"type": "move"}]}]}',
            "elseBody",
        ),
        (DEEP_JSON, "nested too deep"),
    ],
)
def test_errors_in_json_name_the_statement(text: str, reason: str) -> None:
    with pytest.raises(ParseError, match=r".*") as raised:
        syntax.parse(text)
    assert reason in raised.value.reason


def test_the_deepest_program_is_read_in_every_form() -> None:
    program = Program((Action("move"),))
    for _ in range(MAX_NESTING):
        program = Program((Repeat(2, program.body),))
    check_round_trips(program)


def test_neurtasksyn_conditions_are_read() -> None:
    data = {"type": "run", "body": [{"type": "if", "condition": "notFrontIsClear", "body": [{"type": "move"}]}]}
    assert program_json.from_json(data) == Program((If(Condition("frontIsClear", 1), (Action("move"),)),))


def test_the_branches_of_an_ifelse_are_not_swapped() -> None:
    text = "DEF run m( IFELSE c( leftIsClear c) i( move i) ELSE e( turnLeft e) m)"
    expected = IfElse(Condition("leftIsClear"), (Action("move"),), (Action("turnLeft"),))
    assert syntax.parse(text) == Program((expected,))


def test_public_programs_are_read_and_written_unchanged(cases: Path) -> None:
    for line in (cases / "msr_val_short_programs_nearai.txt").read_text().splitlines():
        program = syntax.parse(line)
        assert syntax.text(program) == line
        assert syntax.parse(readable.write(program)) == program
