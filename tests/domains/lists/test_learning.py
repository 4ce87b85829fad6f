"""Lists for models: packed values, the stack after every lexeme, what a model sees, and the cursor model."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from lasynth.config import model_config
from lasynth.domains.learnable import Learnable
from lasynth.domains.lists.data.inputs import ListsOptions, as_value, random_input
from lasynth.domains.lists.data.programs import random_program
from lasynth.domains.lists.domain import Lists
from lasynth.domains.lists.execution.interpreter import Basic, apply
from lasynth.domains.lists.language.lexemes import BY_LEXEME, EMPTY, INPUT
from lasynth.domains.lists.language.nodes import Type
from lasynth.domains.lists.language.operations import OPERATIONS, Op
from lasynth.domains.lists.learning.programs import StackMachine
from lasynth.domains.lists.learning.values import (
    CELLS,
    DEPTH,
    HEAD,
    LONGEST,
    PARTS,
    SHOWN,
    UNDEFINED,
    StackConfig,
    StackValues,
)
from lasynth.domains.lists.learning.view import FEATURES, GIVES, ROOM, WITH_INPUT, see
from lasynth.models.base import IO, Batch
from lasynth.models.build import Model, build_model
from lasynth.search import beam_search
from lasynth.settings import SearchConfig
from lasynth.task import ExecutionError, InputError
from lasynth.vocab import BOS, EOS, PAD
from tests.domains.lists.programs import one_of_each

LISTS, VALUES, MACHINE = Lists(), StackValues(), StackMachine()
AS_LEARNABLE: Learnable = LISTS
OPTIONS = ListsOptions(examples=6, max_length=7, known_cost=6)
TASKS = LISTS.sample_tasks(Random(3), 60, OPTIONS)[0]
CONFIG = model_config("Executed", rows=LISTS.rows, hidden=16, embedding=8, decoder_hidden=24)
Numbers = np.ndarray[Any, np.dtype[np.int64]]


def tokens_of(programs: list[Any]) -> Numbers:
    rows = [LISTS.vocab.encode(LISTS.unparse(program)) for program in programs]
    tokens = np.full((len(rows), max(map(len, rows))), PAD, np.int64)
    for row, program in zip(tokens, rows, strict=True):
        row[: len(program)] = program
    return tokens


TOKENS = tokens_of([task.program for task in TASKS])
INPUTS = np.stack([VALUES.pack([e.input for e in task.examples]) for task in TASKS])
OUTPUTS = np.stack([VALUES.pack([e.output for e in task.examples]) for task in TASKS])


# --- values -----------------------------------------------------------------------------------------------------------
def test_columns_are_read_as_values_are_packed() -> None:
    for side, packed in (("input", INPUTS), ("output", OUTPUTS)):
        rows = [[LISTS.to_arrow(getattr(example, side)) for example in task.examples] for task in TASKS]
        column = pa.array(rows, pa.list_(LISTS.arrow_type()))
        assert (VALUES.read(column) == packed).all()
        assert (VALUES.read(column.slice(7, 5)) == packed[7:12]).all(), "a slice begins inside the buffer"


def test_values_are_the_same_only_if_they_are_equal() -> None:
    outputs = [example.output for task in TASKS for example in task.examples]
    values = [*outputs[:80], [], [0], 0, [1, 2], (1, [2]), ([1], 2)]
    packed = VALUES.pack(values)
    same = VALUES.same(packed[:, None], packed)
    assert same.tolist() == [[one == other for other in values] for one in values]


def test_inputs_by_name_are_packed_in_the_order_of_the_first() -> None:
    named = VALUES.pack([{"k": 2, "b": [5, 6]}, {"b": [1], "k": 7}])
    assert (named == VALUES.pack([(2, [5, 6]), (7, [1])])).all()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ((1, 2, 3, 4, 5), "at most 4 inputs"),
        ([0] * 33, "at most 32 elements"),
        (([0] * 32, [0] * 17), "at most 48 numbers"),
        ([5, 32_768], "numbers from -32,767"),
        (-(2**31), "numbers from -32,767"),
        (([0] * 32, [-32_767] * 16), None),
    ],
)
def test_values_that_do_not_fit_are_refused(value: Any, reason: str | None) -> None:
    packed = VALUES.pack([[1], value])
    refusal = VALUES.refusal(StackConfig(), packed)
    assert (refusal is None) == (reason is None)
    assert reason is None or (refusal is not None and reason in refusal)
    assert VALUES.inside(StackConfig(), packed).tolist() == [True, reason is None]


# --- the machine ------------------------------------------------------------------------------------------------------
def stack_after(lexemes: list[str], row: list[Basic]) -> list[tuple[Type, Basic | None]]:
    """What the interpreter's operations leave on a stack; None for what is undefined."""
    stack: list[tuple[Type, Basic | None]] = []
    for lexeme in lexemes[1:]:
        if lexeme in BY_LEXEME:
            operation = OPERATIONS[BY_LEXEME[lexeme]]
            count = len(operation.arguments)
            arguments = [value for _, value in stack[-count:]]
            stack[-count:] = [(operation.result, outcome(operation.op, arguments))]
        elif lexeme == "[]":
            stack.append((Type.LIST, []))
        elif lexeme.startswith("in"):
            value = row[int(lexeme[2:])]
            stack.append((Type.LIST if isinstance(value, list) else Type.INT, value))
        else:
            stack.append((Type.INT, int(lexeme)))
    return stack


def outcome(op: Op, arguments: list[Basic | None]) -> Basic | None:
    if op == Op.IF:
        return None if arguments[0] is None else arguments[1 if arguments[0] else 2]
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return None
    try:
        value = apply(op, known)
    except ExecutionError:
        return None
    return value if not isinstance(value, list) or len(value) <= 256 else None


def shown(state: np.ndarray[Any, np.dtype[np.int16]]) -> list[tuple[int, int, list[int]]]:
    """Types, lengths and stored elements of the values on the stack that a state shows, the top first."""
    found, at = [], PARTS
    for _ in range(min(int(state[DEPTH]), SHOWN)):
        stored = min(int(state[at + 1]), LONGEST)
        found.append((int(state[at]), int(state[at + 1]), state[at + HEAD : at + HEAD + stored].tolist()))
        at += HEAD + stored
    return found


def expected(stack: list[tuple[Type, Basic | None]]) -> list[tuple[int, int, list[int]]]:
    found = []
    for type_, value in stack[::-1][:SHOWN]:
        cells = [] if value is None else value if isinstance(value, list) else [value]
        clipped = [max(-32_767, min(32_767, cell)) for cell in cells[:LONGEST]]
        found.append((UNDEFINED if value is None else int(type_), len(cells), clipped))
    return found


def test_states_are_those_of_the_interpreter(rng: Random) -> None:
    """After every prefix, of random programs and of one for each operation, on inputs of which some are empty."""
    undefined = compared = 0
    programs = [random_program(rng, 5) for _ in range(150)] + one_of_each()
    for program in programs:
        lexemes = LISTS.unparse(program)
        rows = [random_input(rng, [p.type for p in program.parameters], OPTIONS) for _ in range(4)]
        packed = VALUES.pack([as_value(row) for row in rows])[None]
        tokens = tokens_of([program])
        states, valid = MACHINE.states(tokens, packed)
        assert states.shape == (1, len(lexemes), len(rows), CELLS)
        for t in range(len(lexemes)):
            last = MACHINE.last_state(tokens[:, : t + 1], packed)
            assert (last == states[:, t]).all()
            for k, row in enumerate(rows):
                stack = stack_after(lexemes[: t + 1], row)
                assert shown(states[0, t, k]) == expected(stack), (lexemes[: t + 1], row)
                assert valid[0, t, k] == all(value is not None for _, value in stack)
                undefined += not valid[0, t, k]
                compared += 1
    assert compared > 2000
    assert undefined > 100


def test_whole_programs_run_as_in_the_fast_interpreter(rng: Random) -> None:
    runs = MACHINE.run(TOKENS, INPUTS, np.arange(len(TASKS)))
    assert runs.programs.all()
    assert runs.fine.all()
    assert VALUES.same(runs.outputs, OUTPUTS).all()
    faults = 0
    for program in [random_program(rng, 4) for _ in range(200)]:
        values = [as_value(random_input(rng, [p.type for p in program.parameters], OPTIONS)) for _ in range(5)]
        outputs, fine, parsed = MACHINE.run(tokens_of([program]), VALUES.pack(values)[None], np.zeros(1, np.int64))
        (wanted,) = LISTS.run_many([program], values)
        assert parsed.all()
        for output, ok, value in zip(outputs[0], fine[0], wanted, strict=True):
            if value is None or (isinstance(value, list) and len(value) > 200):
                faults += not ok
            else:
                assert ok
                assert (output == VALUES.pack([value])[0]).all()
    assert faults > 20


def test_what_is_no_program_is_told() -> None:
    words = [["(list)", "in0", "in0"], ["(list)", "in0", "odd(list)"], ["in0"], ["(list)"], ["(list)", "in1"]]
    for lexemes in words:
        tokens = np.array([LISTS.vocab.encode(lexemes)])
        assert not MACHINE.run(tokens, INPUTS[:1], np.zeros(1, np.int64)).programs.any(), lexemes


def test_prefixes_that_fault_are_found() -> None:
    for words, value, fails in (
        (["(list)", "in0", "3", "nth(list,int)"], [1, 2], True),
        (["(list)", "in0", "1", "nth(list,int)"], [1, 2], False),
        (["(list)", "in0", "maximum(list)"], [], False),  # an `if` can still pass it over
        (["(int)", "in0", "0", "div(int,int)"], 5, True),
        (["(int)", "in0"], [1], True),
        (["(list)"], ([1], 2), True),
        (["(list,int)"], ([1], 2), False),
    ):
        tokens = np.array([LISTS.vocab.encode(words)[:-1]])
        assert MACHINE.failed(tokens, VALUES.pack([value])[None]).tolist() == [fails], words


def test_lexemes_that_replace_each_other_keep_a_program_a_program(rng: Random) -> None:
    for program in [random_program(rng, 4) for _ in range(40)]:
        tokens = LISTS.vocab.encode(LISTS.unparse(program))
        place = rng.randrange(1, len(tokens) - 1)
        others = [t for t in np.flatnonzero(MACHINE.alike[tokens[place]]) if not INPUT <= t < EMPTY]
        if others:
            tokens[place] = int(rng.choice(others))
            LISTS.parse(LISTS.vocab.decode(tokens))


# --- the view ---------------------------------------------------------------------------------------------------------
def seen(words: list[str], value: Any, wanted: Any) -> set[int]:
    tokens = np.array([LISTS.vocab.encode(words)[:-1]])
    state = MACHINE.last_state(tokens, VALUES.pack([value])[None])[0]
    features, begins = see(state, VALUES.pack([wanted]))
    assert begins.tolist() == [0]
    return set(features.tolist())


def test_features_are_in_range_and_do_not_depend_on_what_was_seen_before() -> None:
    states, _ = MACHINE.states(TOKENS, INPUTS)
    rows = states.reshape(-1, CELLS)
    wanted = np.broadcast_to(OUTPUTS[:, None], states.shape).reshape(-1, CELLS)
    features, begins = see(rows, wanted)
    assert features.min() >= 0
    assert features.max() < FEATURES
    counts = np.diff([*begins, len(features)])
    assert counts.max() <= ROOM
    for n in range(0, len(rows), 97):
        alone, _ = see(rows[n : n + 1], wanted[n : n + 1])
        assert alone.tolist() == features[begins[n] : begins[n] + counts[n]].tolist()
        assert len(set(alone.tolist())) == len(alone)


def test_an_operation_that_gives_the_output_is_seen(rng: Random) -> None:
    """The last operation of a program is one, and so are only those that the interpreter says."""
    for task in TASKS[:40]:
        example, lexemes = task.examples[0], LISTS.unparse(task.program)
        row = list(example.input) if isinstance(example.input, tuple) else [example.input]
        stack = stack_after(lexemes[:-1], row)  # type: ignore[arg-type]
        found = seen(lexemes[:-1], example.input, example.output)
        told = {number for number in range(len(OPERATIONS)) if GIVES + number in found}
        assert BY_LEXEME[lexemes[-1]] in told
        for number in rng.sample(range(len(OPERATIONS)), 30):
            types, values = zip(*stack[-len(OPERATIONS[number].arguments) :], strict=True)
            fits = types == OPERATIONS[number].arguments and task.program.body.type == OPERATIONS[number].result
            assert (number in told) == (fits and outcome(OPERATIONS[number].op, list(values)) == example.output)


def test_an_operation_with_an_input_is_seen() -> None:
    found = seen(["(list,int)", "in0"], ([5, 6, 7], 2), [5, 6])
    assert WITH_INPUT + BY_LEXEME["take(list,int)"] in found
    assert WITH_INPUT + BY_LEXEME["drop(list,int)"] not in found


def test_other_values_are_seen_as_others() -> None:
    views = [
        seen(words, value, wanted)
        for words in (["(list)"], ["(list)", "in0"], ["(list)", "in0", "sort(list)"], ["(list)", "in0", "1"])
        for value, wanted in (([3, 1, 2], [1, 2, 3]), ([3, 1, 2], [3, 2, 1]), ([3, 1, 2], 6), ([3, 1, 5], [1, 2, 3]))
    ]
    assert len({frozenset(view) for view in views}) == len(views)


# --- the model --------------------------------------------------------------------------------------------------------
def a_batch(count: int = 12, given: int = 4, absent: bool = True) -> Batch:
    """Every second task lacks an example where `absent`."""
    present = torch.ones(count, given, dtype=torch.bool)
    if absent:
        present[::2, -1] = False
    io = IO(torch.from_numpy(INPUTS[:count, :given]), torch.from_numpy(OUTPUTS[:count, :given]), present)
    return Batch(io, torch.from_numpy(TOKENS[:count]))


def test_parallel_equals_step_by_step() -> None:
    model, batch = build_model(CONFIG, LISTS, seed=1).eval(), a_batch()
    with torch.no_grad():
        whole = model.run(batch).scores.log_softmax(-1)
        state, last = model.start(batch.io), torch.full((len(batch.tokens),), BOS)
        for t in range(batch.tokens.shape[1]):
            scores, state = model.step(state, last)
            real = batch.tokens[:, t] != PAD
            torch.testing.assert_close(scores[real], whole[real, t], atol=1e-4, rtol=1e-4)
            last = batch.tokens[:, t]


def test_every_parameter_gets_a_gradient() -> None:
    model = build_model(CONFIG, LISTS, seed=1)
    model.loss(a_batch()).total.backward()  # type: ignore[no-untyped-call]
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0] == []


def test_absent_examples_change_nothing() -> None:
    model, batch = build_model(CONFIG, LISTS, seed=1), a_batch()
    other = batch.io.inputs.clone()
    other[::2, -1] = other[::2, 0]
    with torch.no_grad():
        changed = model.loss(batch._replace(io=batch.io._replace(inputs=other)))
        torch.testing.assert_close(tuple(model.loss(batch)), tuple(changed))


def trained(batch: Batch, steps: int) -> Model:
    model = build_model(CONFIG, LISTS, seed=3)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(steps):
        loss = model.loss(batch).total
        if loss < 0.1:
            break
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return model.eval()


def test_tasks_are_memorised_and_found() -> None:
    batch = a_batch(12, absent=False)
    model, inputs = trained(batch, 200), INPUTS[:12, :4]
    found = beam_search(
        model, batch.io, LISTS.syntax, SearchConfig(beam=4, max_length=20),
        hopeless=lambda task, tokens: MACHINE.failed(tokens, inputs[task]),
    )  # fmt: skip
    outputs = MACHINE.run(found.tokens[:, 0], INPUTS[:12], np.arange(12)).outputs
    assert VALUES.same(outputs, OUTPUTS[:12]).all(axis=1).mean() > 0.7


def test_other_examples_mislead() -> None:
    """After some training, programs are less likely given the examples of another task."""
    batch = a_batch(48, absent=False)
    model = trained(batch, 60)
    rolled = IO(batch.io.inputs.roll(1, 0), batch.io.outputs.roll(1, 0), batch.io.present)
    assert model.loss(batch._replace(io=rolled)).program > 1.5 * model.loss(batch).program


def test_there_is_one_kind_of_model() -> None:
    with pytest.raises(InputError, match="architecture: cursor"):
        build_model(model_config("LaSynth"), LISTS)


def test_programs_end_at_their_eos() -> None:
    longer = np.concatenate([TOKENS, np.full((len(TOKENS), 3), EOS)], axis=1)
    assert VALUES.same(MACHINE.run(longer, INPUTS, np.arange(len(TASKS))).outputs, OUTPUTS).all()
