"""The weights that come with the package: their card is right, and they find short programs."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256

import pytest

from lasynth.domains import get_domain
from lasynth.solver import PRETRAINED, solve

C = get_domain("c")
FOLDER = PRETRAINED / "c"
INPUTS = [[3, 1, 3, -2, -4], [4, -4, -3, 0, 1], [0, 1, 2, 3, 4], [2, 2, 0, -1, -1], [-3, 4, 1, 1, 0]]
"""The first two differ in every element, so that two examples tell e.g. `a[1] = 0` from `--a[1]`."""
NEW = [[1, 0, -2, 3, 3], [-4, 4, 4, -4, 0]]


def test_the_card_describes_the_weights() -> None:
    card = json.loads((FOLDER / "card.json").read_text())
    weights = (FOLDER / "weights.safetensors").read_bytes()
    assert len(weights) <= 8_000_000
    assert sha256(weights).hexdigest() == card["sha256"]
    assert card["data"]["options"]["reduce"]
    assert card["training"]["draw_examples"] == [1, 10]
    assert card["programs"] > 300_000
    assert card["seconds"] > 0
    measured = card["evaluation"]
    assert sorted(measured) == ["given_10", "given_2", "given_3", "given_5"]
    for name, results in measured.items():
        model = next(result for result in results if "run" in result)
        assert f"given_{model['given']}" == name
        assert model["overall"]["tasks"] == 1000
        assert set(model["groups"]["category"]) == set(C.categories)


@pytest.mark.parametrize(
    "body", ["++a[2];", "a[1] = a[4];", "a[0] = 3; a[3] = a[3] - 1;", "for (int i = 1; i <= 3; i++) { a[i] = 0; }"]
)
@pytest.mark.parametrize("given", [2, 5])
def test_the_model_alone_finds_short_programs(body: str, given: int) -> None:
    program = C.parse_text(f"int * f(int a[]) {{ {body} return a; }}")
    pairs = [(value, C.run(program, value)) for value in INPUTS[:given]]
    solution = solve(pairs, language="c", strategy="neural", timeout=20)
    assert solution.solved
    assert solution.programs[0].source == "neural"
    assert solution.programs[0].log_prob is not None
    assert C.run_many([solution.programs[0].program], NEW) == C.run_many([program], NEW)


def test_the_portfolio_asks_the_model_if_the_symbolic_answer_is_not_certain() -> None:
    pairs = [(value, [value[0], value[1], 0, *value[3:]]) for value in INPUTS]
    solution = solve(pairs[:1], language="c", timeout=20)
    assert "neural" in {source for found in solution.behaviours for source in found.source.split(", ")}
    assert solve(pairs[:1], language="c", timeout=20, wide=True).best is not None
    assert solution.notes == ()


def test_torch_is_not_loaded_for_a_certain_answer() -> None:
    pairs = [(value, [value[0], value[1], 0, *value[3:]]) for value in INPUTS]
    solved = f"solve({pairs}, language='c').best.source"
    code = f"import sys; from lasynth import solve; print({solved}, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["symbolic", "False"]


# --- lists ------------------------------------------------------------------------------------------------------------
LISTS = get_domain("lists")


def test_the_card_of_lists_describes_the_weights() -> None:
    folder = PRETRAINED / "lists"
    card = json.loads((folder / "card.json").read_text())
    weights = (folder / "weights.safetensors").read_bytes()
    assert len(weights) <= 4_000_000
    assert sha256(weights).hexdigest() == card["sha256"]
    assert card["domain"] == "lists"
    assert card["training"]["draw_examples"] == [1, 8]
    assert card["programs"] > 1_000_000
    ((measured,),) = card["evaluation"].values()
    assert (measured["given"], measured["overall"]["tasks"]) == (4, 1000)


@pytest.mark.parametrize("body", ["sort(a)", "sum(square(a))", "filter(a, gt(a, 0))", "tail(init(a))"])
def test_the_model_of_lists_finds_short_programs(body: str) -> None:
    program = LISTS.parse_text(f"(a: list) => {body}")
    inputs = [[5, -2, 7, 0, 4], [3, 1, 2], [9, 4, 4, 6], [-8, 12, -1, 3]]
    pairs = [(value, LISTS.run(program, value)) for value in inputs]
    solution = solve(pairs, language="lists", strategy="neural", timeout=20)
    assert solution.best is not None
    assert solution.best.source == "neural"
    assert solution.best([2, -6, 11, 4, 4, 0]) == LISTS.run(program, [2, -6, 11, 4, 4, 0])


def test_the_model_of_lists_is_asked_only_on_demand() -> None:
    """No program fits: the symbolic strategy has all the time, and torch is not loaded."""
    solved = "solve([([1, 5, 2], [91, 7, 7, 3]), ([8, 3], [55, 2])], language='lists', timeout=0.5).notes"
    code = f"import sys; from lasynth import solve; print({solved}, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["()", "False"]
