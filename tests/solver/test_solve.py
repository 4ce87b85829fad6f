"""The solver: answers are verified and differ in behaviour, time limits hold, wrong candidates do no harm."""

from __future__ import annotations

import doctest
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasynth
import lasynth.solver
from lasynth.domains import get_domain
from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.language.nodes import Program
from lasynth.domains.solvable import solvable
from lasynth.solver.answers import PROBES, Answers
from lasynth.solver.asking import check, is_settled, question
from lasynth.solver.portfolio import gather
from lasynth.solver.strategies import Candidate, Examples, Strategy, Symbolic
from lasynth.task import Example, InputError
from tests.timing import keeps_within

C = get_domain("c")
solve = partial(lasynth.solver.solve, language="c")
LOOP = [([3, 1, 4], [4, 2, 5]), ([0, 7, 7], [1, 8, 8]), ([9, -2, 5], [10, -1, 6])]


def program(body: str) -> Program:
    parsed: Program = C.parse_text(f"int * f(int a[]) {{ {body} return a; }}")
    return parsed


def examples(pairs: list[tuple[list[int], list[int]]]) -> list[Example[list[int]]]:
    return [Example(x, y) for x, y in pairs]


def test_the_docstring_of_solve() -> None:
    failures, attempts = doctest.testmod(lasynth.solver)
    assert attempts >= 3
    assert failures == 0


def test_import_lasynth_is_light() -> None:
    loaded = "print('torch' in sys.modules, 'numba' in sys.modules)"
    code = f"import sys, lasynth; {loaded}; lasynth.solve; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False"] * 3
    assert lasynth.solve is lasynth.solver.solve


def test_answers_for_generated_tasks_satisfy_the_examples() -> None:
    tasks, _ = C.sample_tasks(Random(5), 25, COptions(reduce=True))
    for task in tasks:
        pairs = [(e.input, e.output) for e in task.examples]
        solution = solve(pairs[:5], strategy="symbolic", top=3, timeout=20)
        for answer in solution.programs:
            for code in (answer.found, answer.code):
                assert [C.run(C.parse_text(code), x) for x, _ in pairs[:5]] == [y for _, y in pairs[:5]]
            assert answer.tokens == C.length(C.parse_text(answer.code))
        behaviours = C.behaviours([C.canonical(a.program) for a in solution.programs], pairs[0][0])
        assert len(behaviours) == len(solution.programs)
        assert solution.solved == (solution.reason is None)


@given(st.integers(0, 2**31))
@settings(max_examples=6)
def test_answers_for_random_examples_are_never_wrong(seed: int) -> None:
    rng = Random(seed)
    pairs = [([rng.randint(-4, 4) for _ in range(4)], [rng.randint(-4, 4) for _ in range(4)]) for _ in range(7)]
    solution = solve(list({tuple(x): (x, y) for x, y in pairs}.values()), timeout=0.5)
    assert solution.solved or (solution.reason and solution.partial is not None)
    if solution.partial is not None:
        right = sum(C.run(solution.partial.program, x) == y for x, y in {tuple(x): (x, y) for x, y in pairs}.values())
        assert right == solution.satisfied > 0


@pytest.mark.parametrize("timeout", [1.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_the_time_limit_is_kept(timeout: float) -> None:
    rng = Random(0)
    lists = [[rng.randint(-99, 99) for _ in range(60)] for _ in range(12)]
    pairs = [(x, [rng.randint(-99, 99) for _ in x]) for x in lists]
    solve([(x, x) for x, _ in pairs])  # loads models and compiled code

    def work() -> None:
        solution = solve(pairs, timeout=timeout)
        assert not solution.solved
        assert solution.partial is not None

    assert keeps_within(1.1 * timeout, work)


def test_the_time_limit_is_kept_with_many_examples() -> None:
    """The solver runs every program on all examples, several times."""
    rng = Random(1)
    lists = [[rng.randint(-99, 99) for _ in range(100)] for _ in range(3000)]
    pairs = [(x, [value + 1 for value in x]) for x in lists]
    solve(pairs[:2])

    def seconds() -> float:
        solution = solve(pairs, timeout=0.5)
        assert solution.solved
        return solution.seconds

    assert any(seconds() <= 0.55 for _ in range(3))


def test_torch_is_not_loaded_for_lists_that_the_model_cannot_take() -> None:
    code = "import sys; from lasynth import solve; print(solve([([1, 2], [2, 3])]).solved, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_other_answers_come_smallest_first() -> None:
    pairs = [([1, 5, 3], [2, 0, 1]), ([4, 1, 0], [5, 0, 4])]
    best, solution = solve(pairs), solve(pairs, top=8)
    sizes = [answer.tokens for answer in solution.programs[1:]]
    assert len(sizes) > 2
    assert sizes == sorted(sizes)
    assert solution.programs[0].code == best.programs[0].code


def test_an_unchanged_list_needs_no_statement() -> None:
    solution = solve([(x, x) for x, _ in LOOP])
    assert C.run(solution.programs[0].program, [5, 6, 7]) == [5, 6, 7]


class Proposes:
    """A strategy that proposes the given candidates, right or wrong."""

    name = "proposes"

    def __init__(self, *candidates: Candidate) -> None:
        self.given = candidates

    def refusal(self, examples: Examples) -> str | None:
        return None

    def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
        yield from self.given


def gathered(*candidates: Candidate, pairs: Any = LOOP) -> Answers:
    team: list[Strategy] = [Proposes(*candidates)]
    return gather(team, Answers(C, examples(pairs)), time.perf_counter(), 10.0)


def test_more_time_is_advised_only_if_the_search_for_all_examples_was_cut() -> None:
    def slow(after_all: bool) -> Answers:
        class Slow(Proposes):
            def candidates(self, examples: Examples, deadline: float) -> Iterator[Candidate]:
                yield Candidate(WRONG, "slow", after_all=after_all)
                while time.perf_counter() < deadline:
                    pass

        return gather([Slow()], Answers(C, examples(LOOP)), time.perf_counter(), 0.01)

    assert slow(after_all=False).cut_short
    assert not slow(after_all=True).cut_short


def test_sums_whose_intermediate_results_may_overflow() -> None:
    rng = Random(1)
    lists = [[rng.randint(19 * 10**8, 2 * 10**9) for _ in range(5)] for _ in range(6)]
    for own, plus, minus in [(0, 1, 2), (3, 4, 0)]:
        pairs = [(x, [*x[:own], x[own] + x[plus] - x[minus], *x[own + 1 :]]) for x in lists]
        solution = solve(pairs, strategy="symbolic", timeout=20)
        assert solution.solved
        assert C.run(solution.programs[0].program, lists[0]) == pairs[0][1]


def test_a_partial_answer_if_every_explanation_overflows() -> None:
    """Whichever element is added last, the sum of the other two overflows in one of the examples."""
    rng = Random(2)
    lists = [
        [(-1 if i == negative else 1) * rng.randint(19 * 10**8, 2 * 10**9) for i in range(3)]
        for negative in (0, 1, 2) * 3
    ]
    pairs = [(x, [sum(x), *x[1:]]) for x in lists]
    solution = solve(pairs, strategy="symbolic", timeout=20)
    assert not solution.solved
    assert solution.satisfied > 0
    assert any(found.after_all for found in solvable(C).explained(examples(pairs), inf))


INCREMENTS = program("a[0]++; a[1]++; a[2]++;")
THE_SAME = program("int i = 0; for (i = 0; i <= 2; i++) a[i] = a[i] + 2 - 1;")
WRONG = program("a[0]++;")
FAULTY = program("int i = 9; a[i] = 0;")
OTHER = program("a[0]++; a[1]++; a[2]++; if (a[0] == 3) a[1] = 0;")


def test_reduction_keeps_a_branch_that_one_of_many_examples_needs() -> None:
    """Only the last of 300 examples needs the branch, and reduction does not run that example."""
    rng = Random(4)
    pairs = [([rng.randint(-1000, 1000) for _ in range(4)], [0] * 4) for _ in range(299)] + [([1234, 0, 0, 0], [0] * 4)]
    branch = program("if (a[0] == 1234) a[1] = 7;")
    answers = Answers(C, [Example(x, C.run(branch, x)) for x, _ in pairs])
    answers.add(Candidate(branch, "x", length=1.0))
    (answer,) = answers.answers(1, inf)
    assert C.run(answer.program, [1234, 0, 0, 0]) == [1234, 7, 0, 0]


def test_the_shortest_proposal_is_shown() -> None:
    long = program("if (a[0] == a[0]) { a[0]++; a[1]++; a[2]++; } else { a[0] = 3; }")
    (answer,) = gathered(
        Candidate(long, "symbolic", length=1.0), Candidate(INCREMENTS, "neural", log_prob=-1.0)
    ).answers(1, inf)
    assert answer.tokens <= C.length(INCREMENTS)
    assert answer.source == "neural, symbolic"


@pytest.mark.parametrize("wrong", [[3], [([1],)], [([1], [1], [1])], [None]])
def test_examples_that_are_not_pairs(wrong: Any) -> None:
    with pytest.raises(InputError, match="example 1 is not a pair"):
        solve(wrong)


def test_only_programs_that_satisfy_every_example_are_answers() -> None:
    answers = gathered(*(Candidate(p, "x", length=1.0) for p in (FAULTY, WRONG, INCREMENTS)))
    assert [behaviour.program for behaviour in answers.ranked()] == [INCREMENTS]
    assert answers.executed == 3
    partial, satisfied = gathered(
        Candidate(FAULTY, "x"), Candidate(WRONG, "x"), pairs=[*LOOP, ([0, 0, 0], [1, 0, 0])]
    ).partial_answer()
    assert satisfied == 1
    assert partial is not None
    assert C.run(partial.program, [0, 0, 0]) == [1, 0, 0]


def test_programs_with_the_same_behaviour_are_one_answer() -> None:
    answers = gathered(
        Candidate(INCREMENTS, "symbolic", length=3.0), Candidate(THE_SAME, "neural", log_prob=-1.0),
        Candidate(THE_SAME, "neural", log_prob=-2.0), Candidate(OTHER, "neural", log_prob=-9.0),
    )  # fmt: skip
    first, second = answers.ranked()
    assert list(first.proposals) == ["symbolic", "neural"]
    assert first.log_prob == pytest.approx(-0.6867, abs=1e-3), "probabilities of the same behaviour add up"
    assert second.program == OTHER
    assert answers.answers(1, inf)[0].source == "neural, symbolic"


def test_the_model_orders_only_what_it_alone_has_found() -> None:
    first, second = Candidate(OTHER, "symbolic", length=3.0), Candidate(INCREMENTS, "symbolic", length=3.0)
    assert gathered(first, second).ranked()[0].program == OTHER
    believed = gathered(first, second, Candidate(THE_SAME, "neural", log_prob=-1.0))
    assert believed.ranked()[0].program == OTHER, "so the portfolio is not worse than the symbolic strategy"
    unlikely, likely = Candidate(OTHER, "neural", log_prob=-9.0), Candidate(INCREMENTS, "neural", log_prob=-1.0)
    assert gathered(unlikely, likely).ranked()[0].program == INCREMENTS
    assert gathered(likely, first).ranked()[0].program == OTHER, "a description counts for more than the model"


def test_the_model_scores_programs_of_other_strategies() -> None:
    class Judge:
        def log_probs(self, programs: Any, examples: Any) -> list[float | None]:
            self.asked = programs
            return [-19.0 if "if" in C.unparse(asked) else -1.0 for asked in programs]

    judge = Judge()
    answers = gathered(Candidate(OTHER, "symbolic", length=3.0), Candidate(INCREMENTS, "symbolic", length=3.0))
    answers.weigh(judge, inf)
    assert len(judge.asked) == 2
    assert judge.asked[1] == program("++a[0]; ++a[1]; ++a[2];"), "in the canonical form of the training data"
    assert sorted(b.log_prob for b in answers.ranked() if b.log_prob is not None) == [-19.0, -1.0]


def test_reduction_keeps_the_behaviour_and_shortens() -> None:
    clumsy = program(
        "int i = 0; int k = 3; for (i = 0; i <= 2; i++) { k = a[i]; a[i] = 0; a[i] = a[i] + k + 1; } k = 1;"
    )
    answers = gathered(Candidate(clumsy, "x", length=1.0))
    (answer,) = answers.answers(1, inf)
    assert answer.tokens < C.length(clumsy)
    assert C.run(answer.program, [1, 2, 3]) == [2, 3, 4]


def test_questions_split_the_answers_evenly() -> None:
    def answer(body: str) -> Any:
        answers = gathered(Candidate(program(body), "x", length=1.0), pairs=[([1, 1], [1, 1])])
        return answers.answers(1, inf)[0]

    given_ones = examples([([1, 1], [1, 1])])
    candidates = [
        answer(body) for body in ("", "if (a[0] == 0) a[1] = 4;", "if (a[0] == 0) a[1] = 4; if (a[1] == 2) a[0] = 1;")
    ]
    asked = question(C, candidates, given_ones)
    assert asked is not None
    assert len(asked.outputs) > 1
    for output, who in asked.outputs:
        assert all(C.run(candidates[i].program, asked.input) == output for i in who)
    assert question(C, candidates[:1], given_ones) is None
    assert question(C, [], given_ones) is None


def test_a_reply_removes_what_it_contradicts_and_keeps_the_rest() -> None:
    pairs = [([3, 1], [1, 3]), ([1, 4], [1, 4])]
    before = solve(pairs, language="c", strategy="symbolic", wide=True).behaviours
    asked = question(C, before, examples(pairs))
    assert asked is not None
    told = (asked.input, sorted(asked.input))
    after = solve([*pairs, told], language="c", strategy="symbolic", known=before, wide=True).behaviours
    assert all(C.run(candidate.program, told[0]) == told[1] for candidate in after)
    probes = solvable(C).probes(Random(0), PROBES, examples([*pairs, told]))
    left = C.run_many([candidate.program for candidate in after], probes)
    (group,) = (who for output, who in asked.outputs if output == told[1])
    assert all(C.run_many([before[i].program], probes)[0] in left for i in group)


def test_probable_answers_are_told_apart_first() -> None:
    """Two short programs differ where a[0] is 0, many long ones where a[1] is something else."""
    short = [Candidate(program(body), "x", length=5.0) for body in ("", "if (a[0] == 0) a[0] = 1;")]
    bodies = [f"if (a[1] == {n}) a[1] = {n + 1};" for n in (0, 2, 3, 4)]
    given_ones = examples([([1, 1], [1, 1])])
    for longer, settled in ((0.0, False), (30.0, True)):
        others = [Candidate(program(body), "x", length=5.0 + longer) for body in bodies]
        asked = question(C, [*short, *others], given_ones)
        assert asked is not None
        assert asked.input[0] == 0 or not settled
        assert is_settled([short[0], *others]) == settled
        assert not is_settled([*short, *others])


def test_an_answer_without_rivals_is_checked_where_refuted_ones_differ() -> None:
    given_ones = examples([([1, 1], [1, 1])])
    left, refuted = (Candidate(program(body), "x", length=5.0) for body in ("", "if (a[0] == -3) a[0] = 1;"))
    asked = check(C, [left], [left, refuted], given_ones)
    assert asked is not None
    assert asked.input[0] == -3
    assert asked.outputs == ((asked.input, (0,)),)
    assert check(C, [left], [left], given_ones) is not None
    assert check(C, [], [], given_ones) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"timeout": 0}, "timeout"), ({"timeout": float("nan")}, "timeout"), ({"top": 0}, "top"), ({"top": 1.5}, "whole"),
     ({"strategy": "magic"}, "magic"),
     ({"language": "basic"}, "basic"), ({"language": "karel"}, "a world"), ({"weights": "/nowhere"}, "nowhere")],
)  # fmt: skip
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(LOOP, **settings)


def test_a_note_if_there_are_no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lasynth.solver.portfolio, "PRETRAINED", tmp_path)
    assert any("no weights" in note for note in solve(LOOP).notes)
    assert not solve(LOOP, strategy="symbolic").notes
    with pytest.raises(InputError, match="no weights"):
        solve(LOOP, strategy="neural")


def test_symbolic_refuses_nothing() -> None:
    assert Symbolic(C).refusal(examples(LOOP)) is None


def test_known_answers_are_kept_if_they_satisfy_the_examples() -> None:
    """`OTHER` is kept beyond `top`; `WRONG` does not satisfy the examples any more."""
    known = [
        answer
        for found, pairs in ((OTHER, LOOP), (WRONG, [([0, 0, 0], [1, 0, 0])]))
        for answer in gathered(Candidate(found, "x", length=99.0), pairs=pairs).answers(1, inf)
    ]
    solution = solve(LOOP, strategy="symbolic", known=known)
    assert solution.programs[0].source == "symbolic"
    assert [answer.code for answer in solution.programs[1:]] == [known[0].code]


def test_known_answers_keep_their_source_and_length() -> None:
    (known,) = gathered(Candidate(INCREMENTS, "x", length=2.0, log_prob=-1.0)).answers(1, inf)
    answers = gather([Proposes(Candidate(OTHER, "y", length=3.0))], Answers(C, examples(LOOP)), 0.0, inf, [known])
    first, second = answers.answers(1, inf)[0], answers.ranked()[1]
    assert (first.source, first.length, first.log_prob) == ("x", 2.0, None), "the old log-probability is dropped"
    assert second.program == OTHER


def test_a_known_answer_is_enough_without_a_strategy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(lasynth.solver.portfolio, "PRETRAINED", tmp_path)
    known = gathered(Candidate(INCREMENTS, "x")).answers(1, inf)
    solution = solve(LOOP, strategy="neural", known=known)
    assert [answer.code for answer in solution.programs] == [answer.code for answer in known]
    assert "no weights" in solution.notes[0]
    unsolved = solve([([0, 0, 0], [0, 0, 9])], strategy="neural", known=known)
    assert unsolved.reason is not None
    assert "1 program executed" in unsolved.reason


def test_questions_prefer_inputs_within_the_range_of_the_examples() -> None:
    """The answers differ if a[0] > 11. Inputs with fewer digits are shorter, but outside the range of the examples."""
    pairs = [([10, 14], [10, 14]), ([11, 13], [11, 13])]
    candidates = (Candidate(program(body), "x") for body in ("", "if (a[0] > 11) a[1] = 0;"))
    answers = gathered(*candidates, pairs=pairs).answers(2, inf)
    assert len(answers) == 2
    asked = question(C, answers, examples(pairs))
    assert asked is not None
    assert all(10 <= value <= 14 for value in asked.input)


def test_numpy_arrays_and_integers() -> None:
    arrays = [(np.array(x), np.array(y, np.int32)) for x, y in LOOP]
    assert solve(arrays).programs[0].code == solve(LOOP).programs[0].code
    assert solve(np.array(LOOP)).solved  # type: ignore[arg-type]
    assert solve([([np.int64(v) for v in x], y) for x, y in LOOP], top=np.int64(2)).solved  # type: ignore[arg-type]
    with pytest.raises(InputError, match="example 1"):
        solve([(np.array([1.5]), [1])])


@pytest.mark.parametrize("wrong", [None, 3])
def test_examples_that_are_not_a_list(wrong: Any) -> None:
    with pytest.raises(InputError, match="examples must be a list of pairs"):
        solve(wrong)
