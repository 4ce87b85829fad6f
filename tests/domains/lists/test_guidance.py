"""A model guides the search of lists: parts of its programs are cheap leaves, and answers keep their usual costs."""

from __future__ import annotations

import time
from math import inf, log
from pathlib import Path

import numpy as np
import pytest

from lasynth import checkpoint
from lasynth.config import model_config
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.language.lexemes import unfinished
from lasynth.domains.lists.language.nodes import Constant, Expression, Type, walk
from lasynth.domains.lists.symbolic.guidance import COSTS, MOST, hinted
from lasynth.domains.lists.symbolic.search import Search
from lasynth.domains.solvable import Guidable
from lasynth.models.build import build_model
from lasynth.solver import solve
from lasynth.solver.answers import Answers
from lasynth.solver.neural import GUIDED, Neural, Trail
from lasynth.solver.portfolio import gather
from lasynth.solver.strategies import Candidate, Examples
from lasynth.task import Example

LISTS = Lists()
AS_GUIDABLE: Guidable[object, object] = LISTS  # type: ignore[assignment]
ROWS: list[list[Basic]] = [[[5, 2, 9, 4]], [[7, 1, 8, 3, 6]], [[2, 6, 4, 9, 1]], [[30, 11, 25]]]


def body_of(text: str) -> Expression:
    return LISTS.parse_text(f"(a: list) => {text}").body


def outputs_of(text: str) -> list[Basic]:
    return [LISTS.run(LISTS.parse_text(f"(a: list) => {text}"), row[0]) for row in ROWS]


DEEP = "interleave(running_max(sort_by(a, mod(a, 7))), square(reverse(a)))"


def test_a_hint_lets_the_search_find_what_is_too_deep_for_it() -> None:
    """The cost of the answer is the usual one, as if nothing had been hinted."""
    outputs = outputs_of(DEEP)
    assert not Search(ROWS, outputs, [Type.LIST], inf, most_cost=12).run()
    hints = hinted([(body_of("sum(running_max(sort_by(a, mod(a, 7))))"), -1.0)], ROWS)
    found = Search(ROWS, outputs, [Type.LIST], inf, most_cost=12, hints=hints).run()
    assert found[0].body == body_of(DEEP)
    assert found[0].cost == 4 + 4 + (4 + 1 + (3 + 1 + 4)) + 4 + (2 + 1)


def test_hints_change_neither_the_answers_that_are_there_anyway_nor_their_costs() -> None:
    outputs = outputs_of("sort(tail(a))")
    hints = hinted([(body_of("reverse(sort(tail(a)))"), -1.0), (body_of("sort(a)"), -3.0)], ROWS)
    alone = Search(ROWS, outputs, [Type.LIST], inf, most_cost=9).run()
    guided = Search(ROWS, outputs, [Type.LIST], inf, most_cost=9, hints=hints).run()
    assert alone[0] in guided
    assert guided[0].cost == alone[0].cost
    assert [one.cost for one in guided] == sorted(one.cost for one in guided)


def test_the_parts_of_likely_programs_come_first() -> None:
    hints = hinted([(body_of("sort(reverse(a))"), -9.0), (body_of("sum(tail(a))"), -1.0)], ROWS)
    assert [leaf.expression for leaf in hints[:2]] == [body_of("sum(tail(a))"), body_of("tail(a)")]
    assert {leaf.expression for leaf in hints} == {
        part for text in ("sort(reverse(a))", "sum(tail(a))") for part in walk(body_of(text)) if part != body_of("a")
    }
    assert hints[1].values == [row[0][1:] for row in ROWS if isinstance(row[0], list)]
    assert [leaf.cost for leaf in hints] == sorted(leaf.cost for leaf in hints)


def test_hints_that_fault_or_are_too_many_are_left_out() -> None:
    many = [(body_of(f"add(a, {n})"), -float(n)) for n in range(100)]
    assert len(hinted(many, ROWS)) == MOST == COSTS[-1][0]
    assert hinted([(body_of("nth(a, 4)"), 0.0)], ROWS) == []
    assert hinted([], ROWS) == []


def test_what_is_on_the_stack_of_an_unfinished_program_is_a_hint() -> None:
    examples: Examples = [Example(row[0], output) for row, output in zip(ROWS, outputs_of(DEEP), strict=True)]
    lexemes = ["(list)", "9", *LISTS.unparse(LISTS.parse_text("(a: list) => running_max(sort_by(a, mod(a, 7)))"))[1:]]
    types, stack = unfinished(lexemes)
    assert types == (Type.LIST,)
    assert stack == [Constant(9), body_of("running_max(sort_by(a, mod(a, 7)))")]
    found = next(LISTS.guided(examples, [(lexemes, 0.0)], time.perf_counter() + 20))
    assert LISTS.tester(examples)(found.program).all()


def test_a_trail_remembers_what_is_not_hopeless() -> None:
    trail = Trail(lambda task, tokens: tokens[:, 0] == 4)
    lost = trail(np.zeros(3, np.int64), np.array([[4, 5], [6, 7], [8, 9]], np.int16))
    assert lost.tolist() == [True, False, False]
    assert trail.prefixes == [([6, 7], 0.0), ([8, 9], pytest.approx(-log(2)))]


def test_a_described_program_has_the_names_of_the_examples() -> None:
    examples: Examples = [Example({"x": [5, 6, 7], "n": 2}, [5, 6]), Example({"n": 1, "x": [3]}, [3])]
    program, length, _ = LISTS.described(LISTS.parse(["(list,int)", "in0", "in1", "take(list,int)"]), examples)
    assert LISTS.text(program) == "(x: list, n: int) => take(x, n)\n"
    assert LISTS.tester(examples)(program).all()
    (first, *_) = LISTS.explained(examples, time.perf_counter() + 5)
    assert (first.program, first.length) == (program, length), "as the search itself would propose it"


# --- with a model that has learned nothing ----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("run")
    config = model_config("Executed", rows=LISTS.rows, hidden=8, embedding=8, decoder_hidden=8)
    card = {**checkpoint.describe("Executed", config, LISTS), "step": 0, "programs": 0, "metrics": {}}
    checkpoint.save(run, "step-0", build_model(config, LISTS).state_dict(), card, {}, True)
    return run


def test_the_search_goes_on_with_the_programs_of_the_model(weights: Path) -> None:
    outputs = outputs_of("unique(running_max(a))")
    examples: Examples = [Example(row[0], output) for row, output in zip(ROWS, outputs, strict=True)]
    found = list(Neural(weights, "lists", guides=True).candidates(examples, time.perf_counter() + 20))
    assert GUIDED in {candidate.source for candidate in found}
    assert GUIDED not in {c.source for c in Neural(weights, "lists").candidates(examples, time.perf_counter() + 2)}
    right = [candidate for candidate in found if LISTS.tester(examples)(candidate.program).all()]
    assert right
    assert all(candidate.length is not None for candidate in right)


def test_inputs_by_name_are_judged_as_those_without_names(weights: Path) -> None:
    named: Examples = [Example({"k": 2, "b": [5, 6]}, [7, 8]), Example({"b": [5, 1, 4], "k": 1}, [6, 2, 5])]
    plain: Examples = [Example((2, [5, 6]), [7, 8]), Example((1, [5, 1, 4]), [6, 2, 5])]
    model = Neural(weights, "lists")
    (one,) = model.log_probs([LISTS.parse_text("(k: int, b: list) => add(b, k)")], named)
    (other,) = model.log_probs([LISTS.parse_text("(k: int, a: list) => add(a, k)")], plain)
    assert one is not None
    assert one == other
    assert model.log_probs([LISTS.parse_text("(k: int, b: list) => add(b, 5000)")], named) == [None]


def test_what_the_model_cannot_take_is_told_and_solved_without_it(weights: Path) -> None:
    pairs = [(list(range(n)), n) for n in (40, 35, 37)]
    solution = solve(pairs, language="lists", weights=weights, timeout=10)
    assert solution.solved
    assert any("lists of at most 32 elements" in note for note in solution.notes)


class Proposes:
    """A strategy with given candidates."""

    def __init__(self, *candidates: Candidate) -> None:
        self.given, self.name, self.asked = candidates, "fake", False

    def refusal(self, examples: Examples) -> str | None:
        return None

    def candidates(self, examples: Examples, deadline: float):  # type: ignore[no-untyped-def]
        self.asked = True
        yield from self.given


def test_the_model_is_not_asked_where_the_search_has_an_answer() -> None:
    examples = [Example([3, 1], 4), Example([5], 5)]
    right, wrong = (Candidate(LISTS.parse_text(f"(a: list) => {b}"), "x", length=9.0) for b in ("sum(a)", "first(a)"))
    for first, asked in ((right, False), (wrong, True)):
        model = Proposes()
        gather([Proposes(first), model], Answers(LISTS, examples), time.perf_counter(), 5.0, wide=True)
        assert model.asked == asked
