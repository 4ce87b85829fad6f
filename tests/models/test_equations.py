"""The paper's equations, written out literally, against the code that computes them (see `docs/paper_map.md`)."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import lasynth
from lasynth.config import ModelConfig
from lasynth.layers import Attention, Join
from lasynth.models.base import Batch
from lasynth.models.decoder import INPUT, OUTPUT, Decoder, Overview, View
from lasynth.models.encoder_decoder import EncoderDecoder
from lasynth.vocab import BOS, PAD
from tests.models.conftest import new_model, small

MAP = Path(__file__).parents[2] / "docs" / "paper_map.md"
PACKAGE = Path(lasynth.__file__).parent


def joined(join: Join, *parts: Tensor) -> Tensor:
    """W [parts] + b, with one matrix W."""
    weights = torch.cat(list(join.weights), 1)
    width = max(part.shape[1] for part in parts)
    wide = [part.expand(-1, width, -1, -1) for part in parts]
    return F.linear(torch.cat(wide, -1), weights, join.bias)


def attention(decoder: Decoder, view: int, query: list[Tensor], memory: Tensor) -> Tensor:
    """Scores q W M, and tanh(W [context; query])."""
    layer = decoder.attentions[view]
    assert isinstance(layer, Attention)
    projected: Tensor = layer.memory(memory)
    keys, values = projected.chunk(2, -1)
    weights = (joined(layer.query, *query) @ keys.transpose(-1, -2)).softmax(-1)
    return (weights @ values + joined(layer.combine, *query)).tanh()


def test_double_attention() -> None:
    """s^O = Attention(h, O), s^I = Attention([h; s^O], I)."""
    decoder = Decoder(small("LaSynth", "paper"), 30, [24, 24])
    rng = torch.Generator().manual_seed(0)
    hidden = torch.randn(2, 3, 4, 20, generator=rng)  # (B, K, T, H)
    features = [torch.randn(2, 3, 5, 24, generator=rng) for _ in range(2)]
    seen = decoder.attend(hidden, [View(decoder.project(view, part)) for view, part in enumerate(features)])
    before = attention(decoder, OUTPUT, [hidden], features[OUTPUT])
    after = attention(decoder, INPUT, [hidden, before], features[INPUT])
    torch.testing.assert_close(seen[OUTPUT], before)
    torch.testing.assert_close(seen[INPUT], after)


def test_next_lexeme() -> None:
    """m = MaxPool_j tanh(W [s^I; s^O; op]), d = Attention(m, lexemes so far), P = Softmax(V d)."""
    decoder = Decoder(small("LaSynth", "paper"), 30, [24, 24])
    rng = torch.Generator().manual_seed(1)
    seen = [torch.randn(2, 3, 4, 12, generator=rng) for _ in range(3)]  # s^I, s^O and op: (B, K, T, A)
    counts = torch.randint(0, 3, (2, 4, 30), generator=rng).float()
    counts[..., BOS] += 1
    present = torch.tensor([[True, True, True], [True, False, True]])
    scores = decoder.predict(torch.zeros(2, 3, 4, 20), seen, present, counts, Overview(None, None))
    each = joined(decoder.merge, *seen).tanh()
    pooled = torch.stack([each[0].amax(0), each[1, [0, 2]].amax(0)])  # (B, T, A)
    assert decoder.recall is not None
    torch.testing.assert_close(scores, decoder.output(decoder.recall(pooled, counts)))


def last_value(model: EncoderDecoder, batch: Batch, row: int) -> tuple[Tensor, Tensor]:
    """The latent value of one task after its whole program and the decoder's state there, computed step by step."""
    io = type(batch.io)(*(part[row : row + 1] for part in batch.io))
    state = model.start(io)
    lexemes = [BOS, *(int(token) for token in batch.tokens[row] if token != PAD)][:-1]
    for lexeme in lexemes:
        moment, state = model.advance(state, torch.tensor([lexeme]))
    return state.latents[0], moment.hidden[0, :, 0]  # (K, L, C), (E, H)


@pytest.mark.parametrize("row", ["LaSynth", "NoPartialExecutor"])
def test_execution_loss(row: str, batch: Batch) -> None:
    """L_Exec = Loss(I_T, O), with I_T after the last lexeme; LatentExecutor(I, h_T) without partial execution."""
    model = new_model(small(row, "paper"), seed=1)
    losses = []
    with torch.no_grad():
        for n in range(len(batch.tokens)):
            value, hidden = last_value(model, batch, n)
            if row == "NoPartialExecutor":
                executor = model.networks.executor
                assert executor is not None
                inputs = model.encoding.certain(batch.io.inputs[n : n + 1])
                value = executor(inputs, executor.prepare(hidden[None]))[0]
            there = batch.io.present[n]
            wanted = model.networks.numbers(batch.io.outputs[n, there])
            losses.append(F.cross_entropy(value[there].flatten(0, 1), wanted.flatten()))
        assert model.loss(batch).execution.item() == pytest.approx(torch.stack(losses).mean().item(), abs=1e-4)


def test_operation_loss(batch: Batch) -> None:
    """L_Op uses the results of attention at step 0, before any lexeme is written."""
    model = new_model(small("LaSynth", "paper"), seed=1)
    operations = model.networks.operations
    assert operations is not None
    with torch.no_grad():
        moment, _ = model.advance(model.start(batch.io), torch.full((len(batch.tokens),), BOS))
        seen = [part.squeeze(2) for part in moment.seen]
        inputs, outputs = (model.networks.numbers(side) for side in batch.io[:2])
        each = operations.loss(seen[INPUT], seen[OUTPUT], inputs, outputs)  # type: ignore[attr-defined]
        mean = torch.stack([row[there].mean() for row, there in zip(each, batch.io.present, strict=True)]).mean()
        assert model.loss(batch).operation.item() == pytest.approx(mean.item(), abs=1e-4)


def modules_of(file: str) -> list[ModuleType]:
    """The modules of a file that the map names by its path, or by the end of its path."""
    paths = [path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py") if path.as_posix().endswith(f"/{file}")]
    return [importlib.import_module(".".join(path.with_suffix("").parts)) for path in paths]


def test_names_in_the_paper_map_exist() -> None:
    lines = [line for line in MAP.read_text().splitlines() if line.startswith("| ") and "| in the code |" not in line]
    files = set(re.findall(r"`([\w/]+\.py)`", "\n".join(lines)))
    modules = {file: modules_of(file) for file in files}
    assert all(modules.values()), [file for file in files if not modules[file]]
    assert {"models/decoder.py", "domains/karel/learning/grid_networks.py"} <= files
    everywhere = [module for found in modules.values() for module in found]
    named = 0
    for line in lines:
        told = line.split("|")[-2]
        for name in re.findall(r"`([A-Z]\w*(?:\.\w+)?|[a-z]+_\w+|update|attend|dense)`", told):
            first, _, rest = name.partition(".")
            owners = [module for module in everywhere if hasattr(module, first)]
            assert owners or hasattr(ModelConfig, first), f"{name} in: {line}"
            assert not rest or any(hasattr(getattr(module, first), rest) for module in owners), name
            named += 1
        for name, file in re.findall(r"`(\w+)(?:\.\w+)?` \(`([\w/]+\.py)`\)", told):
            assert any(hasattr(module, name) for module in modules[file]), f"{name} is not in {file}"
    assert named > 60
