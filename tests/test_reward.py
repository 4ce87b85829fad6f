"""Training by reward: which programs of a task count."""

from __future__ import annotations

import numpy as np

from lasynth.reward import with_own_programs
from lasynth.search import Found
from lasynth.vocab import EOS


def test_the_own_program_of_every_task_counts_once() -> None:
    tokens = np.array([[[7, 8, EOS], [7, EOS, 0]], [[9, EOS, 0], [0, 0, 0]]], np.int16)
    found = Found(tokens, np.array([[-1.0, -2.0], [-1.0, -np.inf]], np.float32), tokens[:, :0])
    own = np.array([[7, EOS, 0, 0], [9, 9, 9, EOS], [5, EOS, 0, 0]])
    programs, task = with_own_programs(found, own)
    assert [(int(t), program.tolist()) for t, program in zip(task, programs, strict=True)] == [
        (0, [7, 8, EOS, 0]), (0, [7, EOS, 0, 0]), (1, [9, EOS, 0, 0]), (1, [9, 9, 9, EOS]), (2, [5, EOS, 0, 0]),
    ]  # fmt: skip
