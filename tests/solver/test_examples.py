"""Reading examples: both formats give the same result, and errors show the wrong line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasynth import lenient
from lasynth.domains import get_domain
from lasynth.solver.examples import MAX_EXAMPLES, check_examples, read_examples
from lasynth.task import Example, InputError

C = get_domain("c")
numbers = st.integers(-(2**31), 2**31 - 1)
pairs = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.tuples(*[st.lists(numbers, min_size=n, max_size=n)] * 2), min_size=1, max_size=6)
)


@given(pairs)
def test_both_formats_and_python_give_the_same_examples(made: list[tuple[list[int], list[int]]]) -> None:
    unique = list({tuple(x): (x, y) for x, y in made}.values())
    text = "# examples\n\n" + "\n".join(f" {x} ->{y}   # a pair" for x, y in unique)
    as_json = json.dumps({"examples": [{"input": x, "output": y} for x, y in unique]})
    wanted = [Example(x, y) for x, y in unique]
    objects = [json.dumps({"input": x, "output": y}) for x, y in unique]
    assert read_examples("\n".join(objects) + "\n\n", C, "l") == wanted
    assert read_examples(f"[\n{', '.join(objects)}]", C, "b") == wanted
    assert read_examples(text, C, "t") == read_examples(as_json, C, "j") == check_examples(C, wanted) == wanted


BAD = [
    ("[1,2] -> [1,2]\n[1,x] -> [1,2]", ["line 2", "[1,x] -> [1,2]", "not a list"]),
    ("[1,2] -> [1,2]\n\n[1,2]", ["line 3", "[1,2]", "->"]),
    ("[1,2] -> [1,2] -> [3]", ["line 1", "->"]),
    ("[1,2] -> [1,2,3]", ["line 1", "2 elements", "3"]),
    ("[1,2] -> [1,2]\n[1,2,3] -> [1,2,3]", ["line 2", "3 elements", "first example 2"]),
    ("[1,2] -> [1,2]\n[0,0] -> [0,0]\n[1,2] -> [2,1]", ["line 3", "line 1", "same input"]),
    ("[1,2] -> [1,99999999999]", ["line 1", "32 bits"]),
    ("[] -> []", ["line 1", "empty"]),
    ("", ["FILE has no example"]),
    ("# nothing\n", ["FILE has no example"]),
    ('{"examples": [}', ["line 1, column 15", "not JSON: Expecting value"]),
    ('{"examples": [\n', ['line 1, column 15: {"examples": [\n', "not JSON: the text is cut off"]),
    ('{"examples": \n"\u2028" 3}', ["line 2", "not JSON"]),
    ('{"examples": 3}', ["no list"]),
    ('{"pairs": []}', ["no list", "the form is"]),
    ('{"examples": []}', ["FILE has no example"]),
    ('{"examples": [{"input": [1], "output": [1]},\n,]}', ["line 2", "not JSON"]),
    ('{"examples": [{"input": [1,,], "output": [1]}]}', ["line 1", "not JSON"]),
    (
        '{"examples": [{"input": [1,], "output": [1],},\n{"input": [2 3], "output" [4]}]}',
        ["line 2", "[2 3]", "not JSON"],
    ),
    ("[1, 1.5] -> [1, 2]", ["line 1", "`[1, 1.5]` is not a list", "1.5 is not an integer"]),
    ("[1 1.5] -> [1 2]", ["line 1", "1.5 is not an integer"]),
    ("[[1], 2] -> [1, 2]", ["line 1", "a list cannot be an element of a list"]),
    ("[1 2] => [1 two]", ["line 1", "`[1 two]`", "`two` is not an integer"]),
    ("[1, 2 3] -> [1, 2, 3]", ["line 1", "`[1, 2 3]`", "by single commas, or by spaces only"]),
    ("[1,,2] -> [1,2]", ["line 1", "by single commas"]),
    ("[,] -> [1]", ["line 1", "not a list"]),
    ("[1,2 -> [1,2]", ["line 1", "the closing bracket is missing"]),
    ("[01] -> [1]", ["line 1", "`01` begins with a zero"]),
    ("[1] => [2] => [3]", ["line 1", "`input -> output`"]),
    ('{"input": [1.5], "output": [1]}', ["line 1", "1.5 is not an integer"]),
    ('{"input": [[1]], "output": [1]}', ["line 1", "a list cannot be an element of a list"]),
    ('{"input": [NaN], "output": [1]}', ["line 1", "nan is not an integer"]),
    ('{"input": ["1"], "output": [1]}', ["line 1", '"1" is not a number']),
    ('{"input": [1e10], "output": [1]}', ["line 1", "32 bits"]),
    ('{"input": [1], "output": [1]}\n{"input": [2]}', ["FILE, line 2", '"output"']),
    ('{"input": [1], "output": [1]}\n\n{"input": [2}', ["FILE, line 3", "not JSON"]),
    ('[{"input": [1], "output": [1]}, 3]', ["FILE, example 2", "an object"]),
    ('{"examples": [{"input": [1]}]}', ["example 1", '"output"']),
    ('{"examples": [{"input": [1], "output": "x"}]}', ["example 1", "not a list"]),
    ('{"examples": [{"input": [true], "output": [1]}]}', ["example 1", "not a list"]),
    ("[" + "1" * 5000 + "] -> [1]", ["line 1", "not a list"]),
    ("\x00\x01", ["line 1"]),
    (f"{[0] * 1001} -> {[0] * 1001}", ["1,001 elements"]),
    ("\n".join(f"[{i}] -> [0]" for i in range(MAX_EXAMPLES + 1)), ["10,001 examples", "line 10001: [10000] -> [0]"]),
]


@pytest.mark.parametrize(("text", "words"), BAD, ids=[text[:30] for text, _ in BAD])
def test_errors_show_the_place_and_the_reason(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as error:
        read_examples(text, C, "FILE")
    assert all(word in str(error.value) for word in words), str(error.value)
    assert len(str(error.value)) < 500


UNUSUAL = [
    "[1, -2] => [3, 4]\n[5, 6] => [7, 8]",
    "[1, -2] → [3, 4]\n[5, 6]→[7, 8]",
    "[1, -2] --> [3, 4]\n[5, 6] ==> [7, 8]",
    "[1 -2] -> [3 4]\n[5 6] -> [7  8]",
    "[1, -2,] -> [3, 4 , ]\n[5, 6] -> [7, 8],  # a comma",
    "[1.0, -2.0] -> [3, 4.00]\n[5. 6.] -> [ 7.  8. ]",
    "[+1, \N{MINUS SIGN}2] -> [3, 4]\n[5, 6] -> [7, 8]",
    '{"input": [1.0, -2], "output": [3, 4],},\n{"input": [5, 6,], "output": [7 8]},\n',
    '[{"input": [1 -2], "output": [3, 4]},\n{"input": [5.0 6.0], "output": [7, 8.0]},\n]',
    '{"examples": [{"input": [1, -2,], "output": [3, 4]}, {"input": [5, 6], "output": [7, 8]},],\n}',
    '{"note": "a \\" [1 2],]", "examples": [{"input": [1\n-2], "output": [3,4,]}, {"input":[5 6], "output": [7 8]}]}',
]


@pytest.mark.parametrize("text", UNUSUAL)
def test_lists_and_arrows_as_people_type_them(text: str) -> None:
    wanted = [Example([1, -2], [3, 4]), Example([5, 6], [7, 8])]
    read = read_examples(text, C, "t")
    assert read == wanted
    assert all(type(number) is int for example in read for number in (*example.input, *example.output))


@given(st.text(alphabet='[]{},:".\\ \n+-0123456789ax\N{MINUS SIGN}', max_size=40))
def test_repairs_keep_every_character_in_its_place(text: str) -> None:
    """So positions in messages are right. What strict JSON reads keeps its value."""
    repaired = lenient.repaired(text)
    assert len(repaired) == len(text)
    assert all(new in (old, " ", ",", "-") for old, new in zip(text, repaired, strict=True))
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert lenient.loads(text) == value


@given(st.recursive(st.one_of(st.integers(), st.text(), st.none()), lambda inner: st.lists(inner, max_size=4)))
def test_strict_json_needs_no_repair(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    assert json.loads(lenient.repaired(text)) == value


@pytest.mark.parametrize("part", ['"\\"', "[", "[1 ", "[1,", ", ", "1 ", "],"])
def test_hostile_text_is_repaired_in_linear_time(part: str) -> None:
    text = part * 100_000
    assert len(lenient.repaired(text)) <= 2 * len(text)  # takes hours if it is quadratic


def test_whole_numbers_of_python() -> None:
    floats = [Example(np.array([1.0, 2.0]), (np.float32(3), 4.0))]
    assert check_examples(C, floats) == [Example([1, 2], [3, 4])]


@pytest.mark.parametrize("value", [None, "abc", 3, [1.5], ["a"], {1: 2}, object()])
def test_python_values_that_are_not_lists(value: object) -> None:
    with pytest.raises(InputError, match="example 2"):
        check_examples(C, [Example([1], [1]), Example(value, [1])])


def test_repeated_examples_count_once() -> None:
    assert len(read_examples("[1] -> [2]\n[1] -> [2]", C, "t")) == 1
