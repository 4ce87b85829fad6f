"""Karel in `solve`: programs found by enumeration, and checks of examples."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

from lasynth.domains.karel import enumeration
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.enumeration import MOST_PROGRAMS, edges, enumerate_programs
from lasynth.domains.karel.generator import KarelOptions, sample_examples
from lasynth.domains.karel.learning.values import WorldValues
from lasynth.domains.karel.world import World
from lasynth.domains.solvable import calibration
from lasynth.solver import solve
from lasynth.task import Example, InputError

KAREL, VALUES = Karel(), WorldValues()
MEASURED = Path(__file__).parents[3] / "experiments" / "results" / "confidence_karel.json"


def examples_of(words: list[str], count: int = 5) -> list[tuple[World, World]]:
    """Random worlds on which the program runs without a crash, with its outputs."""
    program, rng = KAREL.parse(words), Random(4)
    pairs: list[tuple[World, World]] = []
    while len(pairs) < count:
        (world,) = KAREL.random_values(rng, 1)
        (output,) = KAREL.run_many([program], [world])[0]
        if output is not None:
            pairs.append((world, output))
    return pairs


@pytest.mark.parametrize(
    "words",
    [
        ["putMarker"],
        ["turnLeft", "putMarker", "turnLeft"],
        ["WHILE", "frontIsClear", "move", "w)", "putMarker"],
        ["REPEAT", "R=3", "putMarker", "r)", "turnRight"],
        ["IFELSE", "frontIsClear", "move", "i) ELSE e(", "turnLeft", "e)"],
    ],
)
def test_short_programs_are_found(words: list[str]) -> None:
    pairs = examples_of(words)
    solution = solve(pairs, language="karel", strategy="symbolic", timeout=20)
    assert solution.solved
    fresh = examples_of(words, 12)
    outputs = KAREL.run_many([solution.programs[0].program], [world for world, _ in fresh])[0]
    assert outputs == [output for _, output in fresh]


def test_every_enumerated_program_fits_and_costs_rise() -> None:
    pairs = examples_of(["WHILE", "frontIsClear", "move", "w)"], 1)
    inputs, outputs = (VALUES.pack(side) for side in zip(*pairs, strict=True))
    found = list(enumerate_programs(inputs, outputs, time.perf_counter() + 20))
    assert 1 < len(found) <= MOST_PROGRAMS
    assert len({tuple(program.tokens) for program in found}) == len(found)
    assert [program.cost for program in found] == sorted(program.cost for program in found)
    for tokens, _ in found:
        program = KAREL.parse(KAREL.vocab.decode(tokens))
        assert all(KAREL.run(program, world) == output for world, output in pairs)


def test_statements_in_the_middle_vary_too() -> None:
    """Three moves are the same as a `while` and a `repeat` on one example. All come before the last statement."""
    before = World.build(2, 4, (0, 0, 1))
    after = World.build(2, 4, (0, 3, 0), [], [(0, 3, 1)])
    inputs, outputs = VALUES.pack([before]), VALUES.pack([after])
    found = list(enumerate_programs(inputs, outputs, float("inf"), most_runs=300_000))
    behaviours = KAREL.behaviours([KAREL.parse(KAREL.vocab.decode(tokens)) for tokens, _ in found])
    ends = ["putMarker", "turnLeft"]
    for walk in (["WHILE", "frontIsClear", "move", "w)"], ["REPEAT", "R=3", "move", "r)"]):
        assert KAREL.behaviours([KAREL.parse([*walk, *ends])])[0] in behaviours


def test_a_comparer_tells_programs_apart_by_their_outputs() -> None:
    tasks, _ = KAREL.sample_tasks(Random(3), 40, KarelOptions())
    programs = [task.program for task in tasks]
    worlds = KAREL.random_values(Random(6), 20)
    compared, outputs = KAREL.comparer(worlds), KAREL.run_many(programs, worlds)
    for one, first in zip(programs, outputs, strict=True):
        for other, second in zip(programs, outputs, strict=True):
            assert (compared(one) == compared(other)) == (first == second)


def test_worlds_drawn_for_a_program_are_its_examples() -> None:
    program = KAREL.parse(["move", "IF", "markersPresent", "pickMarker", "i)", "putMarker"])
    drawn = sample_examples(Random(2), program, 30)
    assert len(drawn) == 30
    assert len({example.input for example in drawn}) > 20
    assert all(KAREL.run(program, example.input) == example.output for example in drawn)


def test_a_confidence_is_used_only_if_it_was_measured_and_is_calibrated() -> None:
    used = calibration(Karel)
    assert bool(used.weights) == MEASURED.exists()
    if used.weights:
        measured = json.loads(MEASURED.read_text())
        assert used.weights == measured["weights"]
        assert measured["expected calibration error"] <= 0.05
        assert measured["answers"] > 400


def test_the_baseline_answers_with_worlds() -> None:
    easy, hard = examples_of(["turnLeft", "putMarker"], 4), examples_of(["putMarker"], 4)
    swapped = [(one, other) for (one, _), (other, _) in zip(hard, hard[1:] + hard[:1], strict=True)]
    sides = [[VALUES.pack([pair[side] for pair in pairs]) for pairs in (easy, swapped)] for side in (0, 1)]
    inputs, outputs = (np.stack(side) for side in sides)
    monkeypatched = pytest.MonkeyPatch()
    monkeypatched.setattr(enumeration, "BASELINE_SECONDS", 0.5)
    predicted, found = enumeration.predict(inputs[:, :3], outputs[:, :3], inputs)
    monkeypatched.undo()
    assert found.tolist() == [True, False]
    assert VALUES.same(predicted[0], outputs[0]).all()


def test_the_deadline_holds() -> None:
    rng = Random(1)
    worlds = KAREL.random_values(rng, 3)
    inputs, outputs = VALUES.pack(worlds), VALUES.pack(worlds[1:] + worlds[:1])
    list(enumerate_programs(inputs, outputs, time.perf_counter() + 0.1))  # compiles the machine code
    spent = []
    for _ in range(3):
        begin = time.perf_counter()
        assert not list(enumerate_programs(inputs, outputs, begin + 0.5))
        spent.append(time.perf_counter() - begin)
    assert min(spent) < 0.55


def test_statements_are_programs_by_cost() -> None:
    known = edges()
    for row, size in zip(known.tokens[::37], known.sizes[::37], strict=True):
        assert KAREL.parse(KAREL.vocab.decode(row[:size].tolist()))
    assert (np.diff(known.begins) >= 0).all()


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (World.build(3, 3, (0, 0, 0)), World.build(3, 4, (0, 0, 0)), "3 x 3 cells, the output 3 x 4"),
        (
            World.build(3, 3, (0, 0, 0)),
            World.build(3, 3, (0, 0, 0), [(1, 2)]),
            "row 1, column 2 is a wall only in the output",
        ),
        (
            World.build(3, 3, (0, 0, 0), [(2, 2)]),
            World.build(3, 3, (0, 0, 0)),
            "row 2, column 2 is a wall only in the input",
        ),
    ],
)
def test_examples_that_no_program_satisfies_are_refused(before: World, after: World, message: str) -> None:
    with pytest.raises(InputError, match=message):
        KAREL.check_example(Example(before, after), Example(before, after))
    with pytest.raises(InputError, match="example 1"):
        solve([(before, after)], language="karel")


def test_worlds_are_taken_as_objects_and_as_json() -> None:
    pairs = examples_of(["turnLeft"], 2)
    as_json = [(one.to_json(), other.to_json()) for one, other in pairs]
    answers = [solve(given, language="karel", strategy="symbolic").programs[0].program for given in (pairs, as_json)]
    assert answers[0] == answers[1] == KAREL.parse(["turnLeft"])
