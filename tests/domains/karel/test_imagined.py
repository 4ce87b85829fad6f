"""Karel's `LaSynth+`: changes of worlds, who reaches the cursor, and states that the model imagines."""

from __future__ import annotations

import numpy as np
import torch

from lasynth.domains.karel.grammar import STATEMENT_ENDS
from lasynth.domains.karel.learning.changes import CELLS, MOST, POSE, apply, compare
from lasynth.domains.karel.learning.imagined_networks import flow
from lasynth.domains.karel.learning.view import FAR
from lasynth.domains.karel.world import World
from lasynth.models.build import build_model
from lasynth.models.encoding import filled
from lasynth.models.imagined import Directions, ImaginedModel, Reach
from lasynth.models.losses import shifted
from lasynth.vocab import PAD
from tests.domains.karel.test_learning import INPUTS, KAREL, MACHINE, ROWS, TASKS, TOKENS, VALUES, short_batch

STAY = np.array([[FAR - 1, FAR - 1, 0]])
"""The pose of a robot that does nothing."""


def no_markers() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.full((1, CELLS), MOST)


def test_changes_lead_from_one_state_to_the_next() -> None:
    """For all states of all programs that differ in the window by few markers, as most do."""
    states, _ = MACHINE.states(TOKENS, INPUTS)
    exists = np.arange(states.shape[1]) < STATEMENT_ENDS[TOKENS].sum(1)[:, None]
    pairs = np.nonzero(exists[:, 1:])
    before, after = (part[pairs].reshape(-1, states.shape[-1]) for part in (states[:, :-1], states[:, 1:]))
    changes = compare(before, after)
    assert changes[0].shape == (len(before), POSE)
    right = VALUES.same(apply(before, *changes), after)
    assert right.mean() > 0.98, "a loop may change markers outside the window"
    moved = (before != after).any(axis=1)
    assert moved.sum() > 500
    assert right[moved].mean() > 0.95


def test_the_robot_does_not_enter_walls_and_markers_have_limits() -> None:
    world = World.build(3, 3, (1, 1, 0), [(2, 1)], [(1, 1, 2)])
    packed = VALUES.pack([world])
    pose, markers = STAY.copy(), no_markers()
    pose[0, 1] += 1  # ahead, into the wall
    pose[0, 2] = 1
    markers[0, CELLS // 2] = 0  # ten markers fewer, where there are two
    markers[0, CELLS // 2 + 11] = MOST + 3  # on the wall
    assert (apply(packed, pose, markers) == VALUES.pack([World.build(3, 3, (1, 1, 1), [(2, 1)])])).all()


def test_a_robot_that_does_nothing_changes_nothing() -> None:
    packed = VALUES.pack([example.input for example in TASKS[0].examples])
    poses, markers = compare(packed, packed)
    assert (poses == STAY).all()
    assert (markers == MOST).all()


def test_who_reaches_the_cursor_follows_from_who_enters_blocks() -> None:
    """With the true answer to every test, all branches and loops agree with the machine."""
    reached = torch.from_numpy(MACHINE.reaching(TOKENS, INPUTS, 0))  # (B, K, T)
    tokens, directions = torch.from_numpy(TOKENS), Directions(*map(torch.from_numpy, flow()[:-1]))
    reach = Reach.everywhere(len(INPUTS), INPUTS.shape[1], flow().deepest, tokens.device)
    for t in range(tokens.shape[1]):
        reach = reach.follow(directions.of(tokens[:, t]), reached[..., t])
        real = tokens[:, t] != PAD
        assert torch.equal(reach.now[real], reached[real, :, t])
    assert (reach.depth == 0).all()
    assert not reached.all()


def test_a_trained_model_imagines_the_true_states() -> None:
    """Overfitted to four tasks, the executor follows their programs to the output, from its own states alone."""
    model, batch = build_model(ROWS["LaSynth+, cpu"], KAREL, seed=2), short_batch()
    assert isinstance(model, ImaginedModel)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(300):
        optimiser.zero_grad()
        model.loss(batch).total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    inputs, outputs = filled(batch.io)
    with torch.no_grad():
        states, counting = model._imagined_run(shifted(batch.tokens), inputs, batch.io.present)
    last = model.statement_ends[batch.tokens].sum(1)  # (B,)
    final = states[torch.arange(len(last)), last]
    assert torch.equal(final[batch.io.present], outputs[batch.io.present])
    true = model.real.examples_at_cursor(shifted(batch.tokens), inputs, batch.io.present)
    assert torch.equal(counting, true)


def test_the_executor_does_not_see_the_wanted_world() -> None:
    """Else it would imagine that every program is right."""
    model, batch = build_model(ROWS["LaSynth+, cpu"], KAREL, seed=1).eval(), short_batch()
    assert isinstance(model, ImaginedModel)
    other = batch.io._replace(outputs=batch.io.outputs.flip(0))
    with torch.no_grad():
        one, two = (model.loss(batch._replace(io=io)) for io in (batch.io, other))
    assert torch.equal(one.execution, two.execution)
    assert not torch.equal(one.program, two.program)
