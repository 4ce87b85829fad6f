"""Properties of every row: both paths agree, all parameters get a gradient, the row can learn, losses are finite."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from lasynth.config import MODELS, ModelConfig, model_config
from lasynth.domains.restricted_c.learning.values import ListConfig
from lasynth.layers import program_loss
from lasynth.models.base import IO, Batch
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.precision import bf16_works
from lasynth.settings import TRAINING, TrainConfig
from lasynth.train import learning_rate
from lasynth.vocab import BOS, EOS, PAD
from tests.models.conftest import CONFIGS, DOMAIN, ROWS, make_batch, new_model, sampled, small

every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def scores_by_steps(model: EncoderDecoder, io: IO, task: Tensor, tokens: Tensor, generator: torch.Generator) -> Tensor:
    """Log-probabilities of programs (N, T) for tasks (N,), while hypotheses are shuffled, dropped and repeated."""
    state = model.start(io).reorder(task)
    owner = torch.arange(len(task))  # index of each hypothesis's program
    total = torch.zeros(len(task))
    last = torch.full_like(task, BOS)
    for t in range(tokens.shape[1]):
        index = torch.randint(len(owner), (3 * len(task),), generator=generator)
        index = torch.cat([index, torch.stack([(owner == n).nonzero()[0, 0] for n in range(len(task))])])
        owner, last = owner[index], last[index]
        scores, state = model.step(state.reorder(index), last)
        last = tokens[owner, t]
        found = scores.gather(1, last.unsqueeze(1)).squeeze(1)
        for n in range(len(task)):
            mine = found[owner == n]
            torch.testing.assert_close(mine, mine[:1].expand_as(mine), atol=1e-5, rtol=0)
            total[n] += mine[0] if tokens[n, t] != PAD else 0
    return total


@every_config
def test_loss_and_steps_agree(config: ModelConfig, batch: Batch) -> None:
    """Also for different programs of one task, which share executions while their statements are the same."""
    model = new_model(config, seed=1)
    with torch.no_grad():
        rolled = torch.roll(batch.tokens, 1, 0)
        own, others = (
            -program_loss(model_scores(model, batch.io, tokens), tokens) for tokens in (batch.tokens, rolled)
        )
        tasks = torch.arange(len(batch.tokens)).repeat(2)
        generator = torch.Generator().manual_seed(2)
        by_steps = scores_by_steps(model, batch.io, tasks, torch.cat([batch.tokens, rolled]), generator)
        assert model.loss(batch).program.item() == pytest.approx(-own.mean().item(), abs=1e-4)
    torch.testing.assert_close(by_steps, torch.cat([own, others]), atol=1e-3, rtol=1e-5)


def model_scores(model: EncoderDecoder, io: IO, tokens: Tensor) -> Tensor:
    batch = Batch(io, tokens)
    return (model.run_stepwise(batch) if model.config.input_feeding else model.run_parallel(batch)).scores


PARALLEL = {name: config for name, config in CONFIGS.items() if not config.input_feeding}


@pytest.mark.parametrize("config", PARALLEL.values(), ids=PARALLEL)
def test_parallel_and_stepwise_runs_agree(config: ModelConfig, batch: Batch) -> None:
    model = new_model(config, seed=1)
    with torch.no_grad():
        parallel, stepwise = model.run_parallel(batch), model.run_stepwise(batch)
    real = batch.tokens != PAD
    torch.testing.assert_close(parallel.scores[real], stepwise.scores[real], atol=1e-4, rtol=1e-4)
    values = [run.latents[run.current][real] for run in (parallel, stepwise)]
    torch.testing.assert_close(values[0], values[1], atol=1e-4, rtol=1e-4)
    with torch.no_grad():
        losses = [torch.stack(model.losses(run, batch)) for run in (parallel, stepwise)]
    torch.testing.assert_close(losses[0], losses[1], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("execute_at", ["statement", "outer"])
def test_the_chain_executes_at_statement_ends_only(execute_at: str, batch: Batch) -> None:
    model = new_model(small("LaSynth+", execute_at=execute_at))
    run = model.run_parallel(batch)
    ends = torch.from_numpy(DOMAIN.statement_ends)[batch.tokens]
    if execute_at == "outer":
        words = [DOMAIN.vocab.decode(row) for row in batch.tokens.tolist()]
        opened = [
            [w.startswith(("for", "if")) - w.startswith("}") + w.startswith("} else") for w in row] for row in words
        ]
        for row, changes_of_depth in enumerate(opened):
            for t in range(len(changes_of_depth)):
                ends[row, t] &= sum(changes_of_depth[: t + 1]) == 0
        assert ends.sum() < torch.from_numpy(DOMAIN.statement_ends)[batch.tokens].sum()
    changes = run.current[:, 1:] != run.current[:, :-1]
    assert torch.equal(changes, ends[:, :-1])


@every_config
def test_every_parameter_gets_a_gradient(config: ModelConfig, batch: Batch) -> None:
    model = new_model(config, seed=1)
    model.loss(batch).total.backward()  # type: ignore[no-untyped-call]
    dead = [name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert dead == []
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def takes_long(name: str) -> bool:
    """Whether a row is trained lexeme by lexeme. Of these, only one is in the default tests."""
    return ROWS[name].input_feeding and name != "LaSynth, paper"


LEARNERS = [
    pytest.param(config, id=name, marks=[pytest.mark.slow] if takes_long(name) else []) for name, config in ROWS.items()
]


@pytest.mark.parametrize("config", LEARNERS)
def test_every_row_memorises_tasks(config: ModelConfig, short_batch: Batch) -> None:
    model = new_model(replace(config, hidden=36, embedding=32, decoder_hidden=48, layers=1), seed=3)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(250):
        losses = model.loss(short_batch)
        if step == 0:
            first = losses
        if losses.program.item() < 0.2:
            break
        optimiser.zero_grad()
        losses.total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
    assert losses.program.item() < 0.3
    assert losses.execution <= first.execution
    assert greedy(model, short_batch) == short_batch.tokens.tolist()


def lessons(rng: np.random.Generator, count: int) -> Batch:
    """Programs that increment or decrement one element, with new random lists."""
    place, sign = rng.integers(0, 5, count), rng.choice([-1, 1], count)
    inputs = rng.integers(-3, 4, (count, 5, 5))
    outputs = inputs + (np.arange(5) == place[:, None])[:, None] * sign[:, None, None]
    words = [["int p_0 =", str(at), "++a[p_0]" if up > 0 else "--a[p_0]"] for at, up in zip(place, sign, strict=True)]
    tokens = torch.tensor([DOMAIN.vocab.encode(program) for program in words])
    states, valid = torch.from_numpy(outputs).unsqueeze(1), torch.ones(count, 1, 5, dtype=torch.bool)
    io = IO(torch.from_numpy(inputs), torch.from_numpy(outputs), valid[:, 0])
    return Batch(io, tokens, states, valid)


CPU_ROWS = {name: config for name, config in ROWS.items() if name.endswith("cpu")}


@pytest.mark.parametrize("config", CPU_ROWS.values(), ids=CPU_ROWS)
def test_programs_are_likely_only_for_their_own_examples(config: ModelConfig) -> None:
    """A model must learn from the examples, not only what programs look like."""
    model = new_model(replace(config, hidden=32, embedding=32, decoder_hidden=32), seed=3)
    rng = np.random.default_rng(0)
    optimiser = torch.optim.Adam(model.parameters(), 5e-3)
    for _ in range(300):
        optimiser.zero_grad()
        losses = model.loss(lessons(rng, 32))
        losses.total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if losses.program < 0.4:
            break
    fresh = lessons(rng, 100)
    own, wrong = (
        model.loss(fresh._replace(tokens=tokens)).program for tokens in (fresh.tokens, fresh.tokens.roll(1, 0))
    )
    assert own < 1.0
    assert wrong > 2.0


def greedy(model: EncoderDecoder, batch: Batch) -> list[list[int]]:
    rows, steps = batch.tokens.shape
    with torch.no_grad():
        state, last = model.start(batch.io), torch.full((rows,), BOS)
        written = []
        for _ in range(steps):
            scores, state = model.step(state, last)
            last = scores.argmax(-1)
            written.append(last)
    programs = torch.stack(written, 1)
    ended = (programs == EOS).cumsum(1) - (programs == EOS).int() > 0
    return programs.masked_fill(ended, PAD).tolist()


@every_config
@pytest.mark.parametrize(("examples", "length", "low", "high"), [(1, 5, -4, 4), (2, 1, -4, 4), (10, 7, -2, 5)])
def test_losses_are_finite_for_any_shape(config: ModelConfig, examples: int, length: int, low: int, high: int) -> None:
    config = replace(config, values=ListConfig(length, low, high), examples=examples)
    shaped = make_batch(sampled(3, max(length, 5), low, high), examples, True, low, high)
    io, states = shaped.io, shaped.states
    assert states is not None  # there are too few lists of one element for tasks, so longer lists are cut
    cut = IO(io.inputs[..., :length], io.outputs[..., :length], io.present)
    shaped = shaped._replace(io=cut, states=states[..., :length])
    losses = new_model(config).loss(shaped)
    losses.total.backward()  # type: ignore[no-untyped-call]
    assert all(torch.isfinite(part) for part in losses)
    assert losses.program > 0
    assert (losses.execution > 0) == (config.learns_execution)
    assert (losses.operation > 0) == config.operation_predictor


@every_config
def test_absent_examples_have_no_effect(config: ModelConfig, batch: Batch) -> None:
    io = batch.io
    noise = torch.where(io.present.unsqueeze(-1), io.inputs, torch.full_like(io.inputs, -4))
    model = new_model(config)
    with torch.no_grad():
        given, changed = model.loss(batch), model.loss(batch._replace(io=io._replace(inputs=noise)))
    torch.testing.assert_close(tuple(given), tuple(changed))


def test_statement_losses_need_the_true_values(batch: Batch) -> None:
    model = new_model(small("LaSynth+"))
    with pytest.raises(ValueError, match="needs a batch with the true values"):
        model.loss(batch._replace(states=None))
    assert batch.states is not None
    with pytest.raises(ValueError, match="statement ends, the batch has values for 1"):
        model.loss(batch._replace(states=batch.states[:, :1]))


def test_the_seed_determines_weights_and_the_global_rng_is_untouched() -> None:
    before = torch.get_rng_state()
    weights = [new_model(small("LaSynth+"), seed).state_dict() for seed in (1, 1, 2)]
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert not all(torch.equal(weights[0][name], weights[2][name]) for name in weights[0])


@pytest.mark.parametrize("config", PARALLEL.values(), ids=PARALLEL)
@pytest.mark.skipif(not bf16_works("cpu"), reason="this processor has no bfloat16 for recurrent layers")
def test_losses_in_half_precision_are_close(config: ModelConfig, batch: Batch) -> None:
    model = new_model(config)
    exact = model.loss(batch)
    with torch.autocast("cpu", torch.bfloat16):
        near = model.loss(batch)
    near.total.backward()  # type: ignore[no-untyped-call]
    assert near.total.item() == pytest.approx(exact.total.item(), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("row", MODELS)
def test_training_steps_at_the_papers_size(row: str) -> None:
    """With the preset's own settings, the loss on one batch falls within a few steps."""
    config = TrainConfig(**TRAINING["paper"])
    model = new_model(model_config(row, "paper"))
    batch = make_batch(sampled(config.batch, 5, -4, 4))
    optimiser = torch.optim.Adam(model.parameters(), config.learning_rate, (0.9, config.beta2))
    losses = []
    for step in range(5):
        loss = model.loss(batch).total
        losses.append(loss.item())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimiser.param_groups[0]["lr"] = learning_rate(config, step, 0.0)
        optimiser.step()
    assert losses[-1] < losses[0]
