"""Generated tasks: properties of every task, and that the seed determines them."""

from __future__ import annotations

import shutil
from random import Random
from typing import Any

import pytest

from lasynth.domains.restricted_c.data.generator import COptions
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.domains.restricted_c.execution.interpreter import run
from lasynth.domains.restricted_c.language.nodes import For, If, statements
from lasynth.task import InputError

C = RestrictedC()


def draw(options: COptions, count: int = 300, seed: int = 0) -> list:  # type: ignore[type-arg]
    tasks, counts = C.sample_tasks(Random(seed), count, options)
    assert len(tasks) == count <= counts["drawn"]
    return tasks


@pytest.mark.parametrize(
    "options",
    [
        COptions(),
        COptions(reduce=True),
        COptions(reduce=True, branch_share=0.7, reduce_checks=0, zero_share=0.2),
        COptions(reduce=True, rewrite=True, loop_share=0),
        COptions(inputs="discard"),
        COptions(examples=3, list_length=7, smallest_value=0, largest_value=9, loop_share=0.8, max_tokens=100),
    ],
    ids=["redraw", "reduced", "branches", "rewritten", "discard", "other sizes"],
)
def test_properties_of_every_task(options: COptions) -> None:
    tasks = draw(options)
    for task in tasks:
        inputs = [example.input for example in task.examples]
        outputs = [example.output for example in task.examples]
        assert [run(task.program, values) for values in inputs] == outputs
        assert len(inputs) == options.examples == len({tuple(values) for values in inputs})
        for values in (*inputs, *outputs):
            assert len(values) == options.list_length
            assert all(options.smallest_value <= v <= options.largest_value for v in values)
        assert inputs != outputs
        assert any(output != outputs[0] for output in outputs)
        assert task.tokens == C.length(task.program) <= options.max_tokens
        assert task.category == C.category(task.program)
        assert C.canonical(task.program) == task.program
        C.vocab.encode(C.unparse(task.program))
    for kind, share in ((For, options.loop_share), (If, options.branch_share)):
        having = sum(any(isinstance(s, kind) for s in statements(task.program.body)) for task in tasks)
        assert having >= share * len(tasks)


@pytest.mark.parametrize("zero_share", [0.0, 0.3])
def test_share_of_zeros(zero_share: float) -> None:
    tasks = draw(COptions(loop_share=0, zero_share=zero_share), 200)
    elements = [value for task in tasks for example in task.examples for value in example.input]
    assert abs(elements.count(0) / len(elements) - (zero_share + (1 - zero_share) / 9)) < 0.04


def test_a_seed_decides_the_tasks() -> None:
    assert draw(COptions(), 50, seed=4) == draw(COptions(), 50, seed=4)
    assert draw(COptions(), 50, seed=4) != draw(COptions(), 50, seed=5)


def test_reduced_programs_do_the_same_on_new_inputs() -> None:
    """With the same seed, the n-th drawn program is the same with and without reduction."""
    plain = draw(COptions(loop_share=0), 200)
    reduced = draw(COptions(loop_share=0, reduce=True), 200)
    fresh = C.random_values(Random(99), 200)
    same = 0
    for long, short in zip(plain, reduced, strict=True):
        assert long.examples == short.examples
        assert len(C.unparse(short.program)) <= len(C.unparse(long.program))
        results = C.run_many([long.program, short.program], fresh)
        same += results[0] == results[1]
    assert same > 190  # 74 lists tell nearly all programs apart, but not all


@pytest.mark.skipif(shutil.which("csmith") is None, reason="csmith is not installed")
def test_csmith_as_the_source() -> None:
    tasks = draw(COptions(source="csmith"), 20)
    assert all(task.source == "csmith" for task in tasks)
    assert tasks == draw(COptions(source="csmith"), 20)


@pytest.mark.parametrize(
    "wrong",
    [{"examples": 0}, {"examples": 1000}, {"list_length": 0}, {"smallest_value": 5}, {"loop_share": 2.0},
     {"branch_share": -0.1}, {"zero_share": 0.6}, {"zero_share": 0.1, "smallest_value": 1},
     {"reduce_checks": 119}, {"rewrite": True}, {"max_tokens": 3}, {"list_length": 1}],
)  # fmt: skip
def test_contradictory_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        COptions(**wrong)


def test_behaviour_digests_tell_programs_apart() -> None:
    texts = ["a[0] = 1;", "a[0] = 2;", "int i = 0; a[i] = 1;", "if (a[0] != 1) a[0] = 1;"]
    parsed = [C.canonical(C.parse_text(f"int * f(int a[]) {{ {text} return a; }}")) for text in texts]
    digests = C.behaviours(parsed, [0] * 5)
    assert digests[0] == digests[2] == digests[3] != digests[1]
