"""Karel for models: packed worlds, states at the cursor, the robot's view, and the cursor model."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
import torch
from torch import Tensor

from lasynth.batch import Collator, padded
from lasynth.commands.arguments import KAREL_ROWS
from lasynth.config import ModelConfig, model_config
from lasynth.domains.karel import interpreter, tensor
from lasynth.domains.karel.domain import Karel
from lasynth.domains.karel.grammar import REPEAT, STATE, STATEMENT_ENDS
from lasynth.domains.karel.learning.grid_networks import FIXED, MARKERS, ROBOT, GridNetworks, dense
from lasynth.domains.karel.learning.programs import LexemeMachine, allowed_size
from lasynth.domains.karel.learning.traces import SENSES, ActionTraces
from lasynth.domains.karel.learning.values import BYTES, WorldValues, from_bytes, world_bytes
from lasynth.domains.karel.learning.view import FEATURES, ROOM, see
from lasynth.domains.karel.nodes import Program
from lasynth.domains.karel.world import World
from lasynth.models.base import IO, Batch
from lasynth.models.build import Model, build_model
from lasynth.models.traces import LONGEST, TraceModel
from lasynth.reward import BeamReward, scaled
from lasynth.search import beam_search
from lasynth.settings import SearchConfig
from lasynth.task import ExecutionError, Task
from lasynth.vocab import BOS, EOS, PAD

KAREL, VALUES, MACHINE = Karel(), WorldValues(), LexemeMachine()
TASKS: list[Task[Program, World]] = KAREL.sample_tasks(Random(3), 60, KAREL.options())[0]
SMALL: dict[str, Any] = {"hidden": 12, "embedding": 8, "decoder_hidden": 24}


def tokens_of(programs: list[Program]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return padded([KAREL.vocab.encode(KAREL.unparse(program)) for program in programs])


TOKENS = tokens_of([task.program for task in TASKS])
INPUTS = np.stack([VALUES.pack([e.input for e in task.examples]) for task in TASKS])
OUTPUTS = np.stack([VALUES.pack([e.output for e in task.examples]) for task in TASKS])


def a_batch(count: int = 12, given: int = 5, absent: bool = True) -> Batch:
    """With the true states; every second task lacks an example where `absent`."""
    return batch_of(np.arange(count), given, absent)


def batch_of(rows: np.ndarray[Any, np.dtype[np.int64]], given: int, absent: bool) -> Batch:
    present = torch.ones(len(rows), given, dtype=torch.bool)
    if absent:
        present[::2, -1] = False
    tokens, inputs, outputs = TOKENS[rows], INPUTS[rows, :given], OUTPUTS[rows, :given]
    tokens = tokens[:, : int((tokens != PAD).sum(1).max())]
    states, valid = MACHINE.states(tokens, inputs)
    io = IO(torch.from_numpy(inputs), torch.from_numpy(outputs), present)
    return Batch(io, torch.from_numpy(tokens), torch.from_numpy(states), torch.from_numpy(valid))


def short_batch() -> Batch:
    """Four short tasks with blocks: the slowest rows execute whole worlds after every lexeme."""
    blocks = (TOKENS >= REPEAT).any(axis=1)
    lengths = np.where(blocks, (TOKENS != PAD).sum(1), TOKENS.shape[1])
    return batch_of(np.argsort(lengths, kind="stable")[:4], given=3, absent=True)


def lessons() -> Batch:
    """The four shortest programs that differ."""
    by_length = np.argsort((TOKENS != PAD).sum(1), kind="stable")
    _, first = np.unique(TOKENS[by_length], axis=0, return_index=True)
    return batch_of(by_length[np.sort(first)[:4]], given=2, absent=False)


def test_packed_worlds_come_back() -> None:
    for task in TASKS[:20]:
        for example in task.examples:
            stored = world_bytes(example.input)
            assert len(stored) == BYTES
            assert from_bytes(np.frombuffer(stored, np.uint8)) == example.input
            assert (np.frombuffer(stored, np.uint8) == VALUES.pack([example.input])[0]).all()


def test_columns_are_read_without_python_objects() -> None:
    rows = [[world_bytes(example.input) for example in task.examples] for task in TASKS]
    column = pa.array(rows, pa.list_(KAREL.arrow_type()))
    assert (VALUES.read(column) == INPUTS).all()
    assert (VALUES.read(column.slice(7, 5)) == INPUTS[7:12]).all(), "a slice begins inside the buffer"


def test_whole_programs_run_as_the_interpreter_says() -> None:
    runs = MACHINE.run(TOKENS, INPUTS, np.arange(len(TASKS)))
    assert runs.programs.all()
    assert runs.fine.all()
    assert VALUES.same(runs.outputs, OUTPUTS).all()
    crashing = tokens_of([KAREL.parse(["move"] * 20)])
    assert not MACHINE.run(crashing, INPUTS[:1], np.zeros(1, np.int64)).fine.any()
    broken = TOKENS[:1].copy()
    broken[0, 0] = EOS
    assert not MACHINE.run(broken, INPUTS[:1], np.zeros(1, np.int64)).programs.any()


def test_the_state_after_the_last_statement_is_the_output() -> None:
    states, valid = MACHINE.states(TOKENS, INPUTS)
    last = STATEMENT_ENDS[TOKENS].sum(axis=1) - 1
    every = np.arange(len(TASKS))
    assert VALUES.same(states[every, last], OUTPUTS).all()
    assert valid[every, last].all()


def test_a_block_that_begins_after_the_last_tick_does_not_run() -> None:
    """Once, a loop inside such a block had a negative limit, and never ended."""
    most = ["REPEAT", "R=9", "REPEAT", "R=10", "turnLeft", "r)", "r)", *["turnLeft"] * 11]  # 200 ticks
    late = ["IF", "noMarkersPresent", "WHILE", "noMarkersPresent", "turnLeft", "w)", "i)"]
    value = VALUES.pack([World.build(2, 2, (0, 0, 0))])[None]
    for lexemes, failed in ((most, False), ([*most, *late[:2]], True), ([*most, *late[:-1]], True)):
        prefix = np.array([[KAREL.vocab.encode([lexeme])[0] for lexeme in lexemes]])
        assert MACHINE.failed(prefix, value)[0] == failed


def at_cursor(lexemes: list[str], world: World) -> tuple[World | None, bool]:
    """The world at the cursor by the tree-walking interpreter (None for a crash), and whether the cursor is reached.

    Open blocks are removed from the outside in. A block is entered once if its condition holds in the world before it.
    """
    stack: list[int] = []
    for i, lexeme in enumerate(lexemes):
        if lexeme in ("REPEAT", "WHILE", "IF", "IFELSE"):
            stack.append(i)
        elif lexeme in ("r)", "w)", "i)", "e)"):
            stack.pop()
        elif lexeme == "i) ELSE e(":
            stack[-1] = i
    begin = 0
    for start in stack:
        is_else = lexemes[start] == "i) ELSE e("
        head = start if not is_else else _head_of(lexemes, start)
        before = lexemes[begin:head]
        if before:
            try:
                world = interpreter.run(KAREL.parse(before), world)
            except ExecutionError:
                return None, True
        if is_else:
            enters = not _holds(lexemes[head + 1], world)
        elif lexemes[head] == "REPEAT":
            enters = lexemes[head + 1] != "R=0"
        else:
            enters = _holds(lexemes[head + 1], world)
        if not enters:
            return world, False
        begin = start + 1 if is_else else start + 2
    rest = lexemes[begin:]
    if rest:
        try:
            world = interpreter.run(KAREL.parse(rest), world)
        except ExecutionError:
            return None, True
    return world, True


def _head_of(lexemes: list[str], place: int) -> int:
    """The IFELSE that an ELSE belongs to."""
    depth = 0
    for i in range(place - 1, -1, -1):
        if lexemes[i] in ("r)", "w)", "i)", "e)"):
            depth += 1
        elif lexemes[i] in ("REPEAT", "WHILE", "IF", "IFELSE"):
            if depth == 0:
                return i
            depth -= 1
    raise AssertionError


def _holds(condition: str, world: World) -> bool:
    name = condition.removeprefix("not ")
    return interpreter.Run(world).test(name) != condition.startswith("not ")


def test_states_at_the_cursor_are_those_of_the_interpreter() -> None:
    """Compares every prefix that ends with a statement, of every program, on every world."""
    states, _ = MACHINE.states(TOKENS, INPUTS)
    reached = MACHINE.reaching(TOKENS, INPUTS, 0)
    compared = unreached = 0
    for n, task in enumerate(TASKS):
        words = KAREL.unparse(task.program)
        end = 0
        for t, lexeme in enumerate(words):
            if not STATEMENT_ENDS[KAREL.vocab.encode([lexeme])[0]]:
                continue
            last = MACHINE.last_state(TOKENS[n : n + 1, : t + 1], INPUTS[n : n + 1])[0]
            for k, example in enumerate(task.examples):
                world, here = at_cursor(words[: t + 1], example.input)
                assert reached[n, k, t] == here, (words[: t + 1], k)
                unreached += not here
                if world is not None and here:
                    assert from_bytes(states[n, end, k]) == world, words[: t + 1]
                    assert from_bytes(last[k]) == world
                    compared += 1
            end += 1
    assert compared > 1000
    assert unreached > 50
    for size in range(1, TOKENS.shape[1]):
        legal = (TOKENS[:, :size] > EOS).all(axis=1)
        last = MACHINE.reaching(TOKENS[legal, :size], INPUTS[legal], size - 1)
        assert (last[..., 0] == reached[legal, :, size - 1]).all()


def test_prefixes_that_crash_are_found() -> None:
    wall = World.build(2, 2, (0, 0, 2))
    inputs = VALUES.pack([wall])[None]
    for words, crashes in (
        (["move"], True),
        (["turnLeft", "move"], False),
        (["IF", "frontIsClear", "move"], False),
        (["REPEAT", "R=2", "turnLeft", "move"], False),
        (["REPEAT", "R=4", "turnLeft", "move", "move", "r)"], True),
        (["WHILE", "leftIsClear", "turnLeft", "turnLeft", "turnLeft", "turnLeft", "w)"], True),
    ):
        tokens = np.array([KAREL.vocab.encode(words)[:-1]])
        assert MACHINE.failed(tokens, inputs).tolist() == [crashes], words


def test_a_mistake_leaves_a_prefix_that_the_grammar_allows() -> None:
    """A lexeme is replaced by one alike, and the prefix ends with the statement. Others would have no state."""
    state, made = np.zeros(STATE, np.int64), 0
    for row in TOKENS:
        for place in np.flatnonzero(row > EOS):
            end = place + int(np.argmax(STATEMENT_ENDS[row[place:]]))
            for lexeme in np.flatnonzero(MACHINE.alike[row[place]]):
                prefix = row[: end + 1].copy()
                prefix[place] = lexeme
                assert allowed_size(prefix, state) == len(prefix), KAREL.vocab.decode(prefix.tolist())
                made += lexeme != row[place]
    assert made > 1000


def seen(world: World, wanted: World) -> set[int]:
    features, begins = see(VALUES.pack([world]), VALUES.pack([wanted]))
    assert begins.tolist() == [0]
    assert len(features) <= ROOM
    assert features.min() >= 0
    assert features.max() < FEATURES
    return set(features.tolist())


def test_the_view_turns_with_the_robot() -> None:
    """A robot that looks north and one that looks east in the turned world have the same view."""
    north = World.build(5, 5, (1, 2, 0), [(2, 3)], [(3, 2, 2)])
    east = World.build(5, 5, (2, 1, 1), [(1, 2)], [(2, 3, 2)])
    assert seen(north, north) == seen(east, east)
    assert seen(north, north) != seen(north, World.build(5, 5, (1, 2, 0), [(2, 3)], [(3, 2, 1)]))
    assert seen(north, north) != seen(north, World.build(5, 5, (1, 2, 1), [(2, 3)], [(3, 2, 2)]))
    assert seen(north, north) != seen(north, World.build(5, 5, (1, 3, 0), [(2, 3)], [(3, 2, 2)]))


ROWS = {
    f"{row}, {preset}": model_config(row, preset, rows=KAREL.rows, channels=4, **SMALL)
    for row in KAREL.rows("cpu")
    for preset in ("cpu", "paper")
}


def test_the_help_names_the_rows() -> None:
    assert tuple(KAREL.rows("cpu")) == tuple(KAREL.rows("paper")) == KAREL_ROWS


every_row = pytest.mark.parametrize("config", ROWS.values(), ids=ROWS)
CPU = {name: config for name, config in ROWS.items() if name.endswith("cpu")}


@pytest.fixture
def config() -> ModelConfig:
    return ROWS["Executed, cpu"]


@every_row
def test_parallel_equals_step_by_step(config: ModelConfig) -> None:
    model, batch = build_model(config, KAREL, seed=1).eval(), short_batch()
    with torch.no_grad():
        whole = model.run(batch).scores.log_softmax(-1)
        state, last = model.start(batch.io), torch.full((len(batch.tokens),), BOS)
        for t in range(batch.tokens.shape[1]):
            scores, state = model.step(state, last)
            real = batch.tokens[:, t] != PAD
            torch.testing.assert_close(scores[real], whole[real, t], atol=1e-4, rtol=1e-4)
            last = batch.tokens[:, t]


@every_row
def test_every_parameter_gets_a_gradient(config: ModelConfig) -> None:
    model = build_model(config, KAREL, seed=1)
    model.loss(short_batch()).total.backward()  # type: ignore[no-untyped-call]
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0] == []


@every_row
def test_absent_examples_change_nothing(config: ModelConfig) -> None:
    model, batch = build_model(config, KAREL, seed=1), short_batch()
    other = batch.io.inputs.clone()
    other[::2, -1] = other[::2, 0]
    with torch.no_grad():
        changed = model.loss(batch._replace(io=batch.io._replace(inputs=other)))
        torch.testing.assert_close(tuple(model.loss(batch)), tuple(changed))


@every_row
def test_probabilities_depend_on_the_examples(config: ModelConfig) -> None:
    """With new weights already: exchanging inputs or outputs between tasks changes how likely the programs are."""
    model, batch = build_model(config, KAREL, seed=1).eval(), short_batch()
    own, both = likelihoods(model, batch), likelihoods(model, exchanged(batch))
    assert (own - both).abs().amax() > 1e-4
    if "traces" in config.architecture:
        return  # it may know outputs only by the traces that it infers, and new weights infer the same ones from all
    for side in ("inputs", "outputs"):
        other = batch._replace(io=batch.io._replace(**{side: getattr(batch.io, side).roll(1, 0)}))
        assert (own - likelihoods(model, other)).abs().amax() > 1e-4, side


LEARNERS = CPU | {"Shin, paper": ROWS["Shin, paper"]}
"""`Shin` is another architecture in the preset `paper`. Other rows of that preset learn too slowly for a test."""


@pytest.mark.parametrize("config", LEARNERS.values(), ids=LEARNERS)
def test_programs_are_likely_only_for_their_own_examples(config: ModelConfig) -> None:
    """Every row learns which worlds belong to which program. A search then finds each program by its worlds."""
    config = replace(config, hidden=32, embedding=16, decoder_hidden=32, channels=8, layers=1)
    model, batch = build_model(config, KAREL, seed=1), lessons()
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    for step in range(250):
        if step % 5 == 0 and likelihoods(model.eval(), batch).mean() > -0.5:
            break
        model.train()
        optimiser.zero_grad()
        model.loss(batch).total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    own, wrong = likelihoods(model.eval(), batch), likelihoods(model, exchanged(batch))
    assert own.mean() > -1
    assert wrong.mean() < own.mean() - 2
    found = beam_search(model, batch.io, KAREL.syntax, SearchConfig(beam=2, max_length=6))
    width = batch.tokens.shape[1]
    assert found.tokens[:, 0, :width].tolist() == batch.tokens.tolist()


def likelihoods(model: Model, batch: Batch) -> Tensor:
    """Log-probabilities of the programs given the examples of the batch. (B,)"""
    with torch.no_grad():
        return model.log_probs(batch)


def exchanged(batch: Batch) -> Batch:
    """Every program with the examples of another one."""
    return batch._replace(io=IO(*(part.roll(1, 0) for part in batch.io)))


def test_a_world_as_a_tensor_is_the_public_one() -> None:
    for task in TASKS[:10]:
        for example in task.examples:
            ours = dense(torch.from_numpy(VALUES.pack([example.output])))[0]
            assert (ours.numpy() == tensor.to_dense(example.output)).all()


@pytest.mark.parametrize("network", ["lstm", "whole"])
def test_soft_states_are_probabilities_and_walls_stay(network: Literal["lstm", "whole"]) -> None:
    """The three predictors give a place, a direction and markers; the mask keeps wall and boundary."""
    networks = GridNetworks(replace(ROWS["LaSynth, cpu"], executor_network=network))
    worlds = torch.from_numpy(INPUTS[:3, :2])
    latent, executor = networks.certain(worlds), networks.executor
    assert executor is not None
    after = executor(latent, executor.prepare(torch.randn(3, 1, SMALL["decoder_hidden"])))
    assert after.shape == latent.shape
    torch.testing.assert_close(after[:, :, ROBOT].sum((2, 3, 4)), torch.ones(3, 2))
    assert torch.equal(after[:, :, FIXED], latent[:, :, FIXED])
    assert (after >= 0).all()
    assert (after[:, :, MARKERS].sum(2) <= 1 + 1e-5).all()
    assert (after[:, :, MARKERS] * latent[:, :, FIXED][:, :, :1] == 0).all()


def test_a_certain_world_costs_nothing_and_any_other_much() -> None:
    networks = GridNetworks(ROWS["LaSynth, cpu"])
    right, other = torch.from_numpy(OUTPUTS[:1, :1]), torch.from_numpy(INPUTS[:1, :1])
    assert networks.value_loss(networks.certain(right), right).abs().item() < 1e-4
    assert networks.value_loss(networks.certain(other), right).item() > 1


def test_latent_states_are_learned() -> None:
    """The execution loss of LaSynth+ falls: the executor learns what statements do."""
    model, batch = build_model(ROWS["LaSynth+, cpu"], KAREL, seed=2), short_batch()
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(25):
        found = model.loss(batch)
        losses.append(found.execution.item())
        optimiser.zero_grad()
        found.total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert losses[-1] < 0.7 * losses[0]


def test_tasks_are_memorised_and_found(config: ModelConfig) -> None:
    model, batch = build_model(config, KAREL, seed=3), a_batch(8, absent=False)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(150):
        loss = model.loss(batch).total
        if loss < 0.1:
            break
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert loss < 0.5
    inputs = INPUTS[:8, :5]
    found = beam_search(
        model.eval(), batch.io, KAREL.syntax, SearchConfig(beam=4, max_length=60),
        hopeless=lambda task, tokens: MACHINE.failed(tokens, inputs[task]),
    )  # fmt: skip
    right = MACHINE.run(found.tokens[:, 0], INPUTS[:8], np.arange(8))
    assert VALUES.same(right.outputs, OUTPUTS[:8]).all(axis=1).mean() > 0.7


def test_other_examples_mislead(config: ModelConfig) -> None:
    """After some training on many tasks, programs are less likely given the worlds of another task."""
    model = build_model(config, KAREL, seed=3)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    batch = a_batch(48, absent=False)
    for _ in range(60):
        loss = model.loss(batch).total
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    rolled = IO(batch.io.inputs.roll(1, 0), batch.io.outputs.roll(1, 0), batch.io.present)
    assert model.loss(batch._replace(io=rolled)).program > 1.5 * model.loss(batch).program


def test_traces_are_the_actions_of_the_interpreter() -> None:
    tracing = ActionTraces()
    traces = tracing.traces(TOKENS, INPUTS, 500)
    sensed = tracing.sensed(traces, INPUTS)
    for n, task in enumerate(TASKS):
        for k, example in enumerate(task.examples):
            actions = [lexeme for lexeme in traces[n, k].tolist() if lexeme not in (PAD, EOS)]
            run = interpreter.Run(example.input)
            for a, action in enumerate(KAREL.vocab.decode(actions)):
                conditions = ("frontIsClear", "leftIsClear", "rightIsClear", "markersPresent")
                assert sensed[n, k, a] == sum(run.test(name) << bit for bit, name in enumerate(conditions))
                run.action(action)
            assert run.world == example.output
            assert (sensed[n, k, len(actions) + 1 :] == SENSES - 1).all()
            cut = tracing.traces(TOKENS[n : n + 1], INPUTS[n : n + 1], 3)[0, k]
            assert cut.tolist() == traces[n, k, : len(cut)].tolist()


def test_traces_are_inferred_once_they_are_learned() -> None:
    model, batch = build_model(replace(ROWS["Shin, cpu"], decoder_hidden=48), KAREL, seed=3), short_batch()
    assert isinstance(model, TraceModel)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(400):
        losses = model.loss(batch)
        if losses.execution < 0.02:
            break
        optimiser.zero_grad()
        losses.execution.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    inputs = batch.io.inputs.numpy()
    inferred, true = model.eval().infer(batch.io), ActionTraces().traces(batch.tokens.numpy(), inputs, LONGEST)
    present = batch.io.present.numpy()
    assert inferred.numpy()[present][:, : true.shape[2]].tolist() == true[present][:, : inferred.shape[2]].tolist()


def test_probabilities_of_a_beam_add_up_to_one() -> None:
    rows = torch.tensor([0, 2, 0, 2, 2])
    chances = scaled(torch.tensor([-1.0, -800.0, -3.0, -801.0, -802.0]), rows, 3)
    torch.testing.assert_close(torch.zeros(3).scatter_add(0, rows, chances), torch.tensor([1.0, 0.0, 1.0]))
    torch.testing.assert_close(chances[0] / chances[2], torch.tensor(2.0).exp())


def test_reward_raises_the_probability_of_right_programs() -> None:
    model, batch = build_model(ROWS["Bunel, cpu"], KAREL, seed=3), a_batch(8, absent=False)
    batch = batch._replace(every=IO(torch.from_numpy(INPUTS[:8]), torch.from_numpy(OUTPUTS[:8]), batch.io.present))
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(60):  # learn the programs a little, so that some of them are in the beam
        optimiser.zero_grad()
        model.loss(batch).total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    reward = BeamReward(model, Collator.of(model.config, KAREL), KAREL.syntax, beam=8)
    losses = []
    for _ in range(15):
        loss = reward(batch).total
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    assert 0 < losses[0] < 1
    assert losses[-1] < losses[0]
