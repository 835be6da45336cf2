# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mesh and Sharding of the Python package: text, specs, parts of devices, and what is refused."""

import copy
import pickle

import numpy
import pytest

from python_package import shardwise
from shardwise import Axis, Mesh, Sharding


@pytest.mark.parametrize("axes", [
    '["x"=2, "y"=3]', '<["x"=2, "y"=3]>', {"x": 2, "y": 3}, [("x", 2), ("y", 3)],
    [("x", numpy.int64(2)), ["y", 3]], Mesh({"x": 2, "y": 3})])
def test_mesh_from_all_that_says_one(axes):
    mesh = Mesh(axes)
    assert mesh == Mesh({"x": 2, "y": 3}) and hash(mesh) == hash(Mesh({"x": 2, "y": 3}))
    assert (mesh.axis_names, mesh.shape, mesh.size) == (("x", "y"), (2, 3), 6)
    assert mesh.devices == (0, 1, 2, 3, 4, 5)


def test_device_order():
    mesh = Mesh({"x": 3}, device_ids=[2, 0, 1])
    assert str(mesh) == '["x"=3], device_ids=[2, 0, 1]' and Mesh(str(mesh)) == mesh
    assert Mesh(mesh) == mesh and mesh.devices == (2, 0, 1)
    assert Mesh({"x": 3}, device_ids=[0, 1, 2]).device_ids == ()


def test_values_are_copied_and_pickled():
    for value in (Mesh({"x": 2}, [1, 0]), Sharding('[{"x", ?}p1, {}], replicated={"y"}'), Axis("x", 1, 2)):
        assert copy.deepcopy(value) == value and pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("axes, message", [
    ({"x": 0}, "at least 1"), ({"x": -1}, "at least 1"), ([("x", 2), ("x", 2)], "x"),
    ('["x"=2', "mesh"), ("", "mesh"), ([("x",)], "pair"), ({"x": 2**64}, "2\\*\\*63")])
def test_mesh_is_refused(axes, message):
    with pytest.raises(shardwise.InvalidError, match=message):
        Mesh(axes)


@pytest.mark.parametrize("axes", [{"x": 2.0}, {"x": True}, {"x": "2"}, {2: 2}, 3, None, ["x"]])
def test_mesh_of_another_type(axes):
    with pytest.raises(TypeError):
        Mesh(axes)


def test_device_ids_are_refused():
    for ids in ([0], [0, 0], [0, 5], [-1, 0]):
        with pytest.raises(ValueError):
            Mesh({"x": 2}, device_ids=ids)


@pytest.mark.parametrize("text", [
    '[]', '[{}]', '[{?}]', '[{"x"}, {"y", ?}p2]', '[{"x":(1)2, "y"}, {}], replicated={"z"}',
    '[{}], unreduced={"x"}', '[{}], unreduced=max{"x", "y":(2)2}'])
def test_text_is_printed_back(text):
    assert str(Sharding(text)) == text
    assert Sharding(text) == Sharding(Sharding(text)) == Sharding("<" + text + ">")


def test_specs():
    assert str(Sharding(("x", None, ("y", "z")))) == '[{"x"}, {}, {"y", "z"}]'
    assert Sharding(()) == Sharding("[]") and Sharding([None]) == Sharding("[{}]")
    assert str(Sharding((Axis("x", 2, 4), [Axis("y")]))) == '[{"x":(2)4}, {"y"}]'
    assert Sharding('[{"x":(2)4}, {}]').spec == ("x:(2)4", None)
    assert str(Sharding((None,), unreduced="x", reduction="min")) == '[{}], unreduced=min{"x"}'
    assert str(Sharding('[{}], unreduced={"x"}', unreduced=["y"])) == '[{}], unreduced={"y"}'
    assert str(Sharding((None,), unreduced={"y", "x"})) == '[{}], unreduced={"x", "y"}'


@pytest.mark.parametrize("sharding, error", [
    ('[x]', ValueError), ('[{"x"}', ValueError), ('', ValueError), ('[{"\ud800"}]', ValueError),
    (3, TypeError), (None, TypeError), ((3,), TypeError), ((("x", 3),), TypeError),
    # Neither has an order.
    (({"x", "y"},), TypeError), ({"x", "y"}, TypeError), ((b"x",), TypeError)])
def test_sharding_is_refused(sharding, error):
    with pytest.raises(error) as caught:
        Sharding(sharding)
    assert isinstance(caught.value, shardwise.ShardwiseError)


def test_sharding_on_a_mesh():
    mesh = Mesh({"x": 4, "y": 2})
    assert Sharding(("x", "y")).check(mesh, rank=2) == Sharding(("x", "y"))
    for text, message in (('[{"z"}]', '"z"'), ('[{"x"}, {"x"}]', '"x"'), ('[{"x":(1)3}]', "3"),
                          ('[{"x":(1)2, "x":(2)2}]', "merged")):
        with pytest.raises(shardwise.InvalidError, match=message):
            Sharding(text).check(mesh)
    with pytest.raises(shardwise.InvalidError):
        Sharding(("x",)).check(mesh, rank=2)


def test_parts_of_devices():
    mesh = Mesh({"x": 2, "y": 3}, device_ids=[5, 4, 3, 2, 1, 0])
    indices = Sharding(("y", "x")).indices(mesh, (4, 5))
    assert indices[5] == (slice(0, 2), slice(0, 3)) and indices[0] == (slice(4, 4), slice(3, 5))
    assert Sharding(("y", "x")).local_shape(mesh, (4, 5)) == (2, 3)
    whole = numpy.arange(20).reshape(4, 5)
    seen = sorted(element for index in indices.values() for element in whole[index].ravel())
    assert seen == list(range(20))
    with pytest.raises(ValueError):
        Sharding(("y",)).indices(mesh, (4, 5))
    with pytest.raises(ValueError):
        Sharding(("y",)).local_shape(mesh, (-1,))
    with pytest.raises(TypeError):
        Sharding(("y",)).local_shape(mesh, 5)
