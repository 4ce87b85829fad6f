"""Problems in the words of people who type them: answers that are right on random inputs of other lengths, and seconds.

    python benchmarks/typed.py --seconds 10 --out benchmarks/results/typed.json

Each problem has 3 to 5 examples as a person would give them and a reference in Python. The first answer is judged on
200 random inputs on which the reference has a result. The references give the examples' outputs, so that no example is
wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple

from _lists import attempt_all, middle
from _measuring import Solving, add_clock, add_strategy, choose_clock, choose_strategy, parser, report

from lasynth.domains import get_domain

JUDGED = 200
LOW = 0.5
"""Answers with a smaller confidence are not sure: the portfolio would ask a model, and a person should be asked."""
LONGEST = 12
A, B, C = [3, 1, 2], [5, -2, 7, 0, 4], [9, 4, 4, 6]
D, E = [2, 8, -3, 8, 1, 6], [7]


class Problem(NamedTuple):
    words: str
    reference: Callable[..., Any]
    inputs: Sequence[tuple[Any, ...]]
    draw: str = "list"
    """Which inputs are drawn: letters of DRAWN."""


def numbers(rng: Random, low: int = -20, high: int = 20) -> list[int]:
    return [rng.randint(low, high) for _ in range(rng.randint(0, LONGEST))]


DRAWN: dict[str, Callable[[Random], tuple[Any, ...]]] = {
    "list": lambda rng: (numbers(rng),),
    "full": lambda rng: (numbers(rng) or [rng.randint(-20, 20)],),
    "few": lambda rng: ([rng.randint(0, 4) for _ in range(rng.randint(0, LONGEST))],),
    "two": lambda rng: ([rng.randint(-20, 20) for _ in range(rng.randint(2, LONGEST))],),
    "small": lambda rng: ([rng.randint(-4, 4) for _ in range(rng.randint(0, 7))],),
    "mixed": lambda rng: (sorted(numbers(rng)) if rng.random() < 0.5 else numbers(rng),),
    "number, list": lambda rng: (rng.randint(0, 6), numbers(rng)),
    "number, few": lambda rng: (rng.randint(0, 4), [rng.randint(0, 4) for _ in range(rng.randint(0, LONGEST))]),
    "any number, list": lambda rng: (rng.randint(-20, 20), numbers(rng)),
    "list, list": lambda rng: (numbers(rng), numbers(rng)),
    "few, few": lambda rng: tuple([rng.randint(0, 6) for _ in range(rng.randint(0, LONGEST))] for _ in range(2)),
    "natural": lambda rng: (numbers(rng, 0, 40) or [5],),
    "alike": lambda rng: _alike(rng),
    "number": lambda rng: (rng.randint(0, 40),),
    "large": lambda rng: (rng.randint(0, 99_999),),
    "number, number": lambda rng: (rng.randint(-20, 20), rng.randint(-20, 20)),
    "bounds, list": lambda rng: (rng.randint(-20, 0), rng.randint(0, 20), numbers(rng)),
}


def _alike(rng: Random) -> tuple[list[int], list[int]]:
    """Two lists of one length."""
    one = numbers(rng)
    return one, [rng.randint(-20, 20) for _ in one]


def merged(x: list[int], y: list[int]) -> list[int]:
    return sorted(x + y)


def common(x: list[int]) -> int:
    return max(x, key=lambda v: (x.count(v), -x.index(v)))


PROBLEMS = (
    Problem("the sum of a list", sum, [(A,), (B,), ([],)]),
    Problem("the product of a list", lambda x: _product(x), [(A,), ([5, 2],), ([4, 4, 2],)], "small"),
    Problem("the largest number", max, [(A,), (B,), (C,), (D,)], "full"),
    Problem("the smallest number", min, [(A,), (B,), (C,), (D,)], "full"),
    Problem("how many numbers there are", len, [(A,), (B,), ([],)]),
    Problem(
        "where the largest number is", lambda x: x.index(max(x)),
        [(A,), (B,), (D,), (E,), ([1, 2, 9, 3],)], "full",
    ),
    Problem("where the smallest number is", lambda x: x.index(min(x)), [(A,), (B,), (D,), (E,), ([9, 9, 1],)], "full"),
    Problem("sort", sorted, [(A,), ([9, 4],), ([],)]),
    Problem("sort downwards", lambda x: sorted(x, reverse=True), [(A,), (B,), ([],)]),
    Problem("reverse", lambda x: x[::-1], [(A,), (B,), ([],)]),
    Problem("rotate left by one", lambda x: x[1:] + x[:1], [(A,), (B,), (E,)]),
    Problem("rotate right by one", lambda x: x[-1:] + x[:-1], [(A,), (B,), (E,)]),
    Problem("the running sum", lambda x: list(accumulate(x)), [(A,), (B,), ([],)]),
    Problem("the running maximum", lambda x: list(accumulate(x, max)), [(A,), (B,), (D,)]),
    Problem(
        "the running product", lambda x: list(accumulate(x, lambda p, q: p * q)),
        [(A,), ([2, 5, 3],), (E,)], "small",
    ),
    Problem("how many are positive", lambda x: sum(v > 0 for v in x), [(A,), (B,), (D,), ([-1, -5],), ([0, 1, 1],)]),
    Problem("how many are negative", lambda x: sum(v < 0 for v in x), [(B,), (D,), ([-1, -5],), ([0, 1, -1],)]),
    Problem("how many are even", lambda x: sum(v % 2 == 0 for v in x), [(A,), (B,), (D,), (E,)]),
    Problem("remove duplicates", lambda x: list(dict.fromkeys(x)), [(C,), (D,), ([2, 2, 2],)], "few"),
    Problem("how many different numbers there are", lambda x: len(set(x)), [(C,), (D,), ([2, 2, 2],), (A,)], "few"),
    Problem("the second largest number", lambda x: sorted(x)[-2], [(A,), (B,), ([9, 4, 6],), ([1, 2],)], "two"),
    Problem("differences of neighbours", lambda x: [q - p for p, q in pairwise(x)], [(A,), (B,), (E,)]),
    Problem("sums of neighbours", lambda x: [q + p for p, q in pairwise(x)], [(A,), (B,), (E,)]),
    Problem("merge two sorted lists", merged, [([1, 3], [2, 4]), ([5], [1, 9]), ([], [2])], "list, list"),
    Problem("concatenate two lists", lambda x, y: x + y, [([1, 3], [2]), ([5], [1, 9]), ([], [2])], "list, list"),
    Problem("only the positive numbers", lambda x: [v for v in x if v > 0], [(B,), (D,), ([-1, 0, 1],)]),
    Problem("only the even numbers", lambda x: [v for v in x if v % 2 == 0], [(A,), (B,), (D,)]),
    Problem("only the odd numbers", lambda x: [v for v in x if v % 2], [(A,), (B,), (D,)]),
    Problem("every other element", lambda x: x[::2], [(A,), (B,), (D,)]),
    Problem("every other element from the second on", lambda x: x[1::2], [(A,), (B,), (D,)]),
    Problem("square every number", lambda x: [v * v for v in x], [(A,), (B,), ([],)]),
    Problem("double every number", lambda x: [2 * v for v in x], [(A,), (B,), ([],)]),
    Problem("add one to every number", lambda x: [v + 1 for v in x], [(A,), (B,), ([],)]),
    Problem("absolute values", lambda x: [abs(v) for v in x], [(B,), (D,), ([-4, -5],)]),
    Problem("negate every number", lambda x: [-v for v in x], [(A,), (B,), ([],)]),
    Problem("the sum of squares", lambda x: sum(v * v for v in x), [(A,), (B,), (E,)]),
    Problem("the sum of the even numbers", lambda x: sum(v for v in x if v % 2 == 0), [(A,), (B,), (D,), (C,)]),
    Problem("the first k elements", lambda k, x: x[:k], [(2, B), (1, A), (3, D)], "number, list"),
    Problem("without the first k elements", lambda k, x: x[k:], [(2, B), (1, A), (3, D)], "number, list"),
    Problem("the last k elements", lambda k, x: x[max(0, len(x) - k) :], [(2, B), (1, A), (3, D)], "number, list"),
    Problem(
        "the numbers larger than k", lambda k, x: [v for v in x if v > k],
        [(2, B), (1, A), (4, D)], "any number, list",
    ),
    Problem("how often k occurs", lambda k, x: x.count(k), [(8, D), (4, C), (5, A), (1, [1, 1, 1, 2])], "number, few"),
    Problem("whether k occurs", lambda k, x: int(k in x), [(8, D), (4, C), (5, A), (0, B), (6, A)], "number, few"),
    Problem("remove all k", lambda k, x: [v for v in x if v != k], [(8, D), (4, C), (5, A)], "number, few"),
    Problem(
        "multiply every number by k", lambda k, x: [k * v for v in x],
        [(2, A), (3, B), (0, E)], "any number, list",
    ),
    Problem("k copies of the list", lambda k, x: x * k, [(2, A), (3, E), (0, C)], "number, list"),
    Problem(
        "add two lists", lambda x, y: [p + q for p, q in zip(x, y, strict=True)],
        [(A, [1, 5, 2]), (B, D[:5]), (E, [1])], "alike",
    ),
    Problem(
        "the dot product", lambda x, y: sum(p * q for p, q in zip(x, y, strict=True)),
        [(A, [1, 5, 2]), (B, D[:5]), (E, [2])], "alike",
    ),
    Problem(
        "elements in both lists", lambda x, y: [v for v in x if v in y],
        [(A, [2, 5, 3]), (B, [7, 7, 1]), (D, [8])], "few, few",
    ),
    Problem(
        "elements only in the first list", lambda x, y: [v for v in x if v not in y],
        [(A, [2, 5, 3]), (B, [7, 7, 1]), (D, [8])], "few, few",
    ),
    Problem(
        "alternate two lists", lambda x, y: [v for p in zip(x, y, strict=True) for v in p],
        [(A, [1, 5, 2]), (B, D[:5]), (E, [2])], "alike",
    ),
    Problem(
        "clamp to 0 .. 10", lambda x: [min(10, max(0, v)) for v in x],
        [([3, 15, -4],), ([11, 10, 0, -1],), ([99, 5, 7, -20],)],
    ),
    Problem("negative numbers become 0", lambda x: [max(0, v) for v in x], [(B,), (D,), ([-1, -7, 1],)]),
    Problem("the digits of a number", lambda k: [int(c) for c in str(k)], [(352,), (7,), (1904,)], "large"),
    Problem("the sum of the digits", lambda k: sum(map(int, str(k))), [(352,), (7,), (1904,)], "large"),
    Problem("count from 1 to k", lambda k: list(range(1, k + 1)), [(3,), (5,), (1,)], "number"),
    Problem("count down from k to 1", lambda k: list(range(k, 0, -1)), [(3,), (5,), (1,)], "number"),
    Problem("the sum of 1 to k", lambda k: k * (k + 1) // 2, [(3,), (5,), (10,), (1,)], "number"),
    Problem("the larger of two numbers", max, [(3, 5), (9, 2), (-4, -7)], "number, number"),
    Problem("the first and the last element", lambda x: [x[0], x[-1]], [(A,), (B,), (E,)], "full"),
    Problem("without the first and the last element", lambda x: x[1:-1], [(A,), (B,), (D,)], "two"),
    Problem("largest minus smallest", lambda x: max(x) - min(x), [(A,), (B,), (C,)], "full"),
    Problem(
        "whether the list is sorted", lambda x: int(x == sorted(x)),
        [(A,), ([1, 2, 5],), (C,), ([2, 2, 3],), ([],)], "mixed",
    ),
    Problem(
        "whether it reads the same backwards", lambda x: int(x == x[::-1]),
        [(A,), ([1, 2, 1],), (C,), ([5, 5],), ([4, 1, 3, 4],)], "few",
    ),
    Problem(
        "the median of an odd number of values", lambda x: sorted(x)[len(x) // 2],
        [(A,), (B,), (E,), ([9, 1, 8, 2, 7],)], "full",
    ),
    Problem("the most frequent number", common, [(C,), (D,), ([1, 2, 2, 1, 2],)], "full"),
    Problem(
        "the average, rounded down", lambda x: sum(x) // len(x),
        [(A,), ([5, 8, 4],), ([10, 1],), ([7, 7, 9, 8],)], "natural",
    ),
    Problem("each element twice", lambda x: [v for v in x for _ in range(2)], [(A,), (B,), (E,)]),
    Problem("swap the first and the last element", lambda x: [x[-1], *x[1:-1], x[0]], [(A,), (B,), (D,)], "two"),
    Problem("append the sum", lambda x: [*x, sum(x)], [(A,), (B,), (E,)]),
    Problem(
        "the positions of the zeros", lambda x: [i for i, v in enumerate(x) if v == 0],
        [([0, 1, 0],), (B,), ([3, 0, 0, 2],)], "few",
    ),
    Problem(
        "put zeros at the end", lambda x: [v for v in x if v] + [v for v in x if not v],
        [([0, 1, 0, 2],), (B,), ([3, 0, 0, 2],)], "few",
    ),
    Problem(
        "odd numbers before even ones", lambda x: [v for v in x if v % 2] + [v for v in x if v % 2 == 0],
        [(A,), (B,), (D,)],
    ),
    Problem("each element minus the smallest", lambda x: [v - min(x) for v in x], [(A,), (B,), (C,)]),
    Problem("multiply each number by its position", lambda x: [i * v for i, v in enumerate(x)], [(A,), (B,), (D,)]),
    Problem(
        "numbers between two bounds", lambda p, q, x: [v for v in x if p <= v <= q],
        [(1, 4, B), (2, 3, A), (0, 7, D), (4, 8, C)], "bounds, list",
    ),
)  # fmt: skip


def _product(x: Sequence[int]) -> int:
    result = 1
    for v in x:
        result *= v
    return result


def value_of(row: Sequence[Any]) -> Any:
    return row[0] if len(row) == 1 else tuple(row)


def attempt(problem: Problem, seconds: float, solving: Solving) -> dict[str, Any]:
    """Solve one problem by its examples and judge the answers by the reference."""
    examples = [(value_of(row), problem.reference(*row)) for row in problem.inputs]
    begin = time.perf_counter()
    solution = solving(examples, timeout=seconds, top=3)
    taken = time.perf_counter() - begin
    rng = Random(7)
    rows = [DRAWN[problem.draw](rng) for _ in range(JUDGED)]
    if "odd number" in problem.words:
        rows = [(x if len(x) % 2 else x[1:] or [1, 2, 3],) for (x,) in rows]
        rows = [(x if len(x) % 2 else [*x, 0],) for (x,) in rows]
    wanted = [problem.reference(*row) for row in rows]
    domain = get_domain("lists")
    found = domain.run_many([answer.program for answer in solution.programs], [value_of(row) for row in rows])
    rights = [outputs == wanted for outputs in found]
    return {
        "problem": problem.words,
        "examples": [f"{', '.join(map(str, row))} -> {problem.reference(*row)}" for row in problem.inputs],
        "right": bool(rights) and rights[0],
        "right among three": any(rights),
        "seconds": round(taken, 3),
        "confidence": solution.best.confidence if solution.best else None,
        "source": solution.best.source if solution.best else None,
        "program": domain.text(solution.programs[0].program).strip() if solution.programs else None,
    }


def sureness(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """How sure right and wrong answers are."""
    right = [row["confidence"] for row in rows if row["right"] and row["confidence"] is not None]
    wrong = [row["confidence"] for row in rows if not row["right"] and row["confidence"] is not None]
    return {
        "wrong answers": len(wrong),
        "highest confidence of a wrong answer": round(max(wrong, default=0.0), 3),
        "every wrong answer has a low confidence": all(confidence < LOW for confidence in wrong),
        "right answers with a low confidence": sum(confidence < LOW for confidence in right),
        "low means below": LOW,
        "median confidence of right answers": middle(right),
    }


def main() -> None:
    accepted = parser(__doc__)
    accepted.add_argument("--seconds", type=float, default=10.0, help="time limit of each problem")
    add_clock(accepted)
    add_strategy(accepted)
    arguments = accepted.parse_args()
    clock = choose_clock(arguments)
    solving = choose_strategy(arguments)
    rows = attempt_all(PROBLEMS, lambda problem: attempt(problem, arguments.seconds, solving), "right")
    times = [row["seconds"] for row in rows if row["right"]]
    figures = {
        "strategy": arguments.strategy,
        "seconds per problem": arguments.seconds,
        **clock,
        "problems": len(rows),
        "right": len(times),
        "percent": round(100 * len(times) / len(rows), 1),
        "right among three answers": sum(row["right among three"] for row in rows),
        **sureness(rows),
        "median seconds of problems that are right": middle(times),
        "longest seconds": max(row["seconds"] for row in rows),
        "problems, one by one": rows,
    }
    report(figures, arguments.out)


if __name__ == "__main__":
    main()
