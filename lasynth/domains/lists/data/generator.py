"""Random tasks: programs that run on all examples, use every input, and are not written in a roundabout way.

A scene decides what the inputs are like. Several tasks share the inputs of one scene, so that all cheap programs need
to be enumerated only once: each drawn program is replaced by the cheapest one with the same outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from lasynth.domains.lists.data.cheapest import Cheapest
from lasynth.domains.lists.data.inputs import ListsOptions, Scene, as_value
from lasynth.domains.lists.data.programs import SIGNATURES, random_program
from lasynth.domains.lists.execution.interpreter import Basic
from lasynth.domains.lists.execution.machine import run_many
from lasynth.domains.lists.language.nodes import Call, Expression, Input, Program, Type, walk
from lasynth.domains.lists.language.text import count_tokens
from lasynth.domains.lists.values import Value
from lasynth.task import Example, InputError, Task

CATEGORIES = ("List", "Number")
TAKEN = "taken"
MOST_DRAWS = 10_000
"""Programs that are drawn for one scene before the next one; scenes in a row without a task are the end."""
MOST_SCENES = 20
TOGETHER = 100
"""Tasks of one scene."""
MOST_ELEMENTS, LARGEST = 32, 32_767
"""Outputs are not longer, and their numbers not larger."""
MOST_LOOKED_UP = 24
"""Examples on which programs are compared with cheaper ones."""


def category(program: Program) -> str:
    return CATEGORIES[0] if program.body.type == Type.LIST else CATEGORIES[1]


def sample_tasks(rng: Random, count: int, options: ListsOptions) -> tuple[list[Task[Program, Value]], Counter[str]]:
    """Tasks whose programs use every input and do not give the same output for all examples. InputError."""
    tasks: list[Task[Program, Value]] = []
    happened: Counter[str] = Counter()
    in_vain = 0
    while len(tasks) < count:
        found = _of_one_scene(rng, min(TOGETHER, count - len(tasks)), options, happened)
        in_vain = 0 if found else in_vain + 1
        if in_vain == MOST_SCENES:
            raise InputError("no program passes the filters with these options")
        tasks += found
    return tasks, happened


def _of_one_scene(rng: Random, count: int, options: ListsOptions, happened: Counter[str]) -> list[Task[Program, Value]]:
    """At most `count` tasks with the same inputs, each with another behaviour."""
    types = rng.choices(list(SIGNATURES), list(SIGNATURES.values()))[0]
    scene = Scene.draw(rng, types, options)
    rows = [scene.row(rng) for _ in range(options.examples)]
    simplified: Callable[[Expression], Expression | None] = lambda body: body  # noqa: E731
    if options.known_cost:
        simplified = Cheapest(rows[:MOST_LOOKED_UP], types, options.known_cost).simplified
    tasks: dict[str, Task[Program, Value]] = {}
    for _ in range(MOST_DRAWS):
        program = random_program(rng, options.max_operations, types)
        reason, outputs = "an input is not used", list[Basic]()
        if _uses(program.body) == len(types):
            body = simplified(program.body)
            program = Program(program.parameters, program.body if body is None else body)
            outputs = [] if body is None else [o for o in run_many(program, rows) if o is not None]
            reason = _verdict(program, rows, outputs, options)
        key = repr(outputs)
        if reason == TAKEN and key in tasks:
            reason = "the same behaviour twice"
        happened[reason] += 1
        if reason == TAKEN:
            examples = tuple(Example(as_value(row), output) for row, output in zip(rows, outputs, strict=True))
            tasks[key] = Task(program, examples, category(program), count_tokens(program), "native")
        if len(tasks) == count:
            break
    return list(tasks.values())


def _uses(body: Expression) -> int:
    """How many inputs an expression uses."""
    return len({part.place for part in walk(body) if isinstance(part, Input)})


def _verdict(program: Program, rows: list[list[Basic]], outputs: list[Basic], options: ListsOptions) -> str:
    """TAKEN, or why a program makes no task. Outputs are missing where a run faults."""
    if len(outputs) < len(rows):
        return "a run faults, or a part is constant"
    operations = sum(isinstance(e, Call) for e in walk(program.body))
    if operations > options.max_operations:
        return "too many operations"
    if _uses(program.body) < len(program.parameters):
        return "an input is not used"
    if not operations or all(output in row for row, output in zip(rows, outputs, strict=True)):
        return "the output is an input"
    if len(outputs) > 1 and all(output == outputs[0] for output in outputs):
        return "the output is always the same"
    numbers = [n for output in outputs for n in (output if isinstance(output, list) else [output])]
    longest = max((len(output) for output in outputs if isinstance(output, list)), default=0)
    if longest > MOST_ELEMENTS or max(map(abs, numbers), default=0) > LARGEST:
        return "an output is too large"
    return TAKEN
