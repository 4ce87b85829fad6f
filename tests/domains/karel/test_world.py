"""Worlds round-trip through every form, and impossible worlds are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

from lasynth.domains.karel import drawing, machine, tensor
from lasynth.domains.karel.world import World
from lasynth.task import InputError

from .strategies import worlds


@given(worlds())
def test_json_and_pictures_round_trip(world: World) -> None:
    assert World.from_json(world.to_json()) == world
    assert World.from_json(json.dumps(world.to_json())) == world
    assert drawing.read(drawing.draw(world)) == world
    assert drawing.read(drawing.draw(world).replace("\n", " / ")) == world


@given(worlds(most_markers=10))
def test_tensors_round_trip(world: World) -> None:
    assert tensor.from_sparse(tensor.to_sparse(world)) == world
    assert tensor.from_dense(tensor.to_dense(world)) == world
    assert world.check_input() is world


@given(worlds())
def test_packed_worlds_round_trip(world: World) -> None:
    assert machine.unpack_all(machine.pack([world])) == [world]


def test_a_picture_has_the_top_row_first() -> None:
    world = drawing.read(". # 3 \n >2 . .\n . . 12")
    assert world.to_json() == {
        "rows": 3,
        "cols": 3,
        "crashed": False,
        "hero": "1:0:east",
        "blocked": "2:1",
        "markers": "2:2:3 1:0:2 0:2:12",
    }


def test_the_tensor_has_the_documented_channels() -> None:
    dense = tensor.to_dense(drawing.read(". # / ^ 10"))
    assert dense.shape == (16, 18, 18)
    assert [tuple(place) for place in np.argwhere(dense[:5])] == [(0, 1, 1), (4, 2, 2)]
    assert np.argwhere(dense[6:]).tolist() == [[9, 1, 2]]
    assert dense[5].sum() == 12


GRID = {"rows": 3, "cols": 3, "crashed": False, "hero": "0:0:north", "blocked": "", "markers": ""}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 17}, "2 to 16 rows"),
        ({"cols": 1}, "2 to 16 rows"),
        ({"rows": "3"}, "whole number"),
        ({"hero": "3:0:north"}, "outside the world"),
        ({"hero": "0:0:up"}, '"hero" should be'),
        ({"hero": None}, '"hero" should be'),
        ({"blocked": "0:0"}, "stands on a wall"),
        ({"blocked": "0:5"}, "outside a world"),
        ({"blocked": "1:1 1:1"}, "given twice"),
        ({"blocked": "1"}, '"blocked" should be'),
        ({"blocked": 7}, '"blocked" should be a string'),
        ({"markers": "1:1:0"}, "holds 1 to 101"),
        ({"markers": "1:1:102"}, "holds 1 to 101"),
        ({"markers": "1:1:x"}, "where a number belongs"),
        ({"markers": "1:1:-1"}, "where a number belongs"),
        ({"crashed": True}, "crashed"),
    ],
)
def test_impossible_worlds_in_json_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        World.from_json(GRID | change)


@pytest.mark.parametrize("text", ["[]", "3", "{}", '{"rows": 3, "cols": 3}', "{", "[" * 100_000])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        World.from_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (". .\n. .", "this one has none"),
        ("> .\n. <", "this one has 2"),
        ("> .\n. . .", "line 2 of the world has 3 cells, the first line has 2"),
        ("> x\n. .", "line 1 of the world, cell 2: 'x'"),
        ("> 102\n. .", "cell 2: 102 markers"),
        ("> #2\n. .", "cell 2: '#2'"),
        ("> " * 17 + "\n. .", "not 2 x 17"),
        (">.\n..", "not 2 x 1"),
        ("", "not 0 x 0"),
    ],
)
def test_impossible_pictures_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawing.read(text)


@pytest.mark.parametrize("text", ["", "5:1.0", "99999:1.0", "3:2.0", "x"])
def test_impossible_tensors_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        tensor.from_sparse(text)


def test_a_world_given_by_a_person_has_at_most_ten_markers_in_a_cell() -> None:
    world = World.from_json(GRID | {"markers": "1:2:11"})
    with pytest.raises(InputError, match="11 markers at row 1, column 2"):
        world.check_input()
    with pytest.raises(InputError, match="channels for 1 to 10"):
        tensor.to_dense(world)
