"""Shin's model as its paper has it: worlds on the way of a trace, and a writer that sees them."""

from __future__ import annotations

from dataclasses import replace

import torch

from lasynth.domains.karel import interpreter
from lasynth.domains.karel.learning.rows import rows
from lasynth.domains.karel.learning.traces import ActionTraces
from lasynth.models.build import build_model
from lasynth.models.encoding import filled
from lasynth.models.world_traces import WorldTraceModel
from lasynth.vocab import EOS, PAD
from tests.domains.karel.test_learning import INPUTS, KAREL, TASKS, TOKENS, VALUES, short_batch


def test_worlds_before_actions_are_those_of_the_interpreter() -> None:
    tracing = ActionTraces()
    traces = tracing.traces(TOKENS[:20], INPUTS[:20], 500)
    worlds = tracing.before(traces, INPUTS[:20])
    for n, task in enumerate(TASKS[:20]):
        for k, example in enumerate(task.examples):
            run = interpreter.Run(example.input)
            actions = KAREL.vocab.decode([lexeme for lexeme in traces[n, k].tolist() if lexeme not in (PAD, EOS)])
            for a, action in enumerate(actions):
                assert (worlds[n, k, a] == VALUES.pack([run.world])[0]).all()
                run.action(action)
            assert (worlds[n, k, len(actions) :] == VALUES.pack([example.output])[0]).all()


def test_traces_are_inferred_as_they_are_learned() -> None:
    """Action by action, the writer chooses what it finds likeliest when it sees the whole trace."""
    config = replace(rows("paper")["Shin"], hidden=8, embedding=8, decoder_hidden=12, channels=4)
    batch = short_batch()
    for seed in range(4):
        model = build_model(config, KAREL, seed).eval()
        assert isinstance(model, WorldTraceModel)
        with torch.no_grad():
            traces = model.infer(batch.io)
            scores = model.trace_scores(traces, *filled(batch.io))
        chosen = scores.masked_fill(~model.in_traces, -torch.inf).argmax(-1)
        written = traces != PAD
        assert (chosen[written] == traces[written]).all()
        assert written[..., 0].all()
