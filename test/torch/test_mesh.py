# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Meshes, partition specs and text forms: the tables of the contract, value by value."""

import numpy
import pytest

from torch_package import mesh, torch, xs
from shardwise.torch.assignment import parse_assignment
from shardwise.torch.mesh import check_spec

PARTIAL = " last_tile_dim_replicate"
ABC = ((2, 2, 2), ("a", "b", "c"), None)
REVERSED = ((2, 4), ("x", "y"), range(7, -1, -1))


@pytest.mark.parametrize("spec, text", [
    (("x", "y"), "[2,4]0,1,2,3,4,5,6,7"),
    (("y", "x"), "[4,2]0,4,1,5,2,6,3,7"),
    (("x", None), "[2,1,4]0,1,2,3,4,5,6,7" + PARTIAL),
    ((None, "x"), "[1,2,4]0,1,2,3,4,5,6,7" + PARTIAL),
    (("y", None), "[4,1,2]0,4,1,5,2,6,3,7" + PARTIAL),
    ((None, "y"), "[1,4,2]0,4,1,5,2,6,3,7" + PARTIAL),
    ((("x", "y"), None), "[8,1]0,1,2,3,4,5,6,7"),
    ((("y", "x"), None), "[8,1]0,4,1,5,2,6,3,7"),
    ((None, ("y", "x")), "[1,8]0,4,1,5,2,6,3,7"),
    ((None, None), None),
    (((), ()), None),
    ((), None),
    (("x",), "[2,4]0,1,2,3,4,5,6,7" + PARTIAL),
    (("y",), "[4,2]0,4,1,5,2,6,3,7" + PARTIAL),
    ((("y", "x"),), "[8]0,4,1,5,2,6,3,7"),
    ((1, 0), "[4,2]0,4,1,5,2,6,3,7"),
    (((1, "x"), None), "[8,1]0,4,1,5,2,6,3,7"),
])
def test_text_on_two_axes(spec, text):
    expected = "{replicated}" if text is None else "{devices=" + text + "}"
    assert str(mesh().get_op_sharding(spec)) == expected
    assert str(parse_assignment(expected)) == expected


@pytest.mark.parametrize("of_mesh, spec, text", [
    (ABC, ("c", "b"), "[2,2,2]0,4,2,6,1,5,3,7" + PARTIAL),
    (ABC, (("a", "c"), None), "[4,1,2]0,2,1,3,4,6,5,7" + PARTIAL),
    (ABC, (None, ("c", "a")), "[1,4,2]0,2,4,6,1,3,5,7" + PARTIAL),
    (ABC, ("b",), "[2,4]0,1,4,5,2,3,6,7" + PARTIAL),
    (ABC, (("c", "b"), "a"), "[4,2]0,4,2,6,1,5,3,7"),
    (((1, 8), ("d", "m"), None), ("m", None), "[8,1]0,1,2,3,4,5,6,7"),
    (((1, 8), ("d", "m"), None), (None, "m"), "[1,8]0,1,2,3,4,5,6,7"),
    (((1, 8), ("d", "m"), None), ("d", None), None),
    (REVERSED, ("x", "y"), "[2,4]7,6,5,4,3,2,1,0"),
    (REVERSED, ("x", None), "[2,1,4]7,6,5,4,3,2,1,0" + PARTIAL),
    (REVERSED, (None, "y"), "[1,4,2]7,3,6,2,5,1,4,0" + PARTIAL),
])
def test_text_on_other_meshes(of_mesh, spec, text):
    expected = "{replicated}" if text is None else "{devices=" + text + "}"
    assert str(mesh(*of_mesh).get_op_sharding(spec)) == expected


def test_second_text_form():
    read = parse_assignment("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
    assert str(read) == "{devices=[4,1,2]0,4,1,5,2,6,3,7" + PARTIAL + "}"
    assert parse_assignment("{devices=[8]<=[8]}").devices == tuple(range(8))
    with pytest.raises(ValueError, match="is no sharding; expected"):
        parse_assignment("{devices=8}")


@pytest.mark.parametrize("spec, error, message", [
    (("z", None), ValueError, "the mesh has no axis 'z'"),
    (("x", "x"), AssertionError, "used only once"),
    ((("x", 0), None), AssertionError, "used only once"),
    ((2, None), AssertionError, "axis 2 does not exist"),
    ((-1, None), AssertionError, "axis -1 does not exist"),
    (((("x",),), None), AssertionError, "nested"),
    ((0.5, None), ValueError, "0.5 in the partition spec"),
    (((None,), None), ValueError, "None inside of a tuple"),
    (["x", None], TypeError, r"must be a tuple, got list.*write \('x', None\)"),
    (("x",), AssertionError, r"length \(1\).*dimensions of the tensor \(2\)"),
])
def test_specs_that_are_refused(spec, error, message):
    with pytest.raises(error, match=message):
        check_spec(mesh(), spec, rank=2)


@pytest.mark.parametrize("arguments, message", [
    ((range(16), (16,)), r"Number of device IDs \(16\) must match the global number of devices \(8\)"),
    ((range(8), (2, 4), ("x",)), "Number of axis names .* must match mesh dimensions"),
    ((range(8), (2, 4), ("x", "x")), "Axis names must be unique"),
    ((range(8), (2, 2)), "Number of device IDs .* must match mesh size"),
    ((numpy.zeros(8, int), (8,)), "Device IDs must be unique"),
    ((range(1, 9), (8,)), "Device IDs must be less than mesh size"),
])
def test_meshes_that_are_refused(arguments, message):
    with pytest.raises(AssertionError, match=message):
        xs.Mesh(*arguments)


def test_mesh():
    own = mesh()
    assert own.size() == 8 and list(own.shape().items()) == [("x", 2), ("y", 4)]
    assert own.get_logical_mesh().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert (own.get_axis_name_idx("y"), own.get_axis_name_idx("z")) == (1, None)
    unnamed = xs.Mesh(numpy.arange(8), (8,))
    assert list(unnamed.shape()) == [0] and unnamed.get_axis_name_idx("x") is None
    assert str(xs.Mesh.from_str(str(own))) == str(own) and xs.Mesh.from_str("{'x'") is None
    assert xs.Mesh(numpy.arange(4), (4,)).size() == 4


def test_assignment_is_built_once(monkeypatch):
    own, built = mesh(), []
    build = own._build_op_sharding
    monkeypatch.setattr(own, "_build_op_sharding", lambda axes: built.append(axes) or build(axes))
    first = own.get_op_sharding(("x", None))
    assert own.get_op_sharding(("x", None)) is first and len(built) == 1
    own.get_op_sharding(("y", None))
    assert len(built) == 2


def test_global_mesh():
    assert xs.get_global_mesh() is None
    own = xs.get_1d_mesh("data")
    xs.set_global_mesh(own)
    assert xs.get_global_mesh() is own and own.axis_names == ("data",)
    xs.set_global_mesh(None)
    assert xs.get_1d_mesh().axis_names is None


def _devices(names, slices=None):
    coordinates = [(0, 0), (1, 0), (0, 1), (1, 1)] * 2
    return [{"name": f"TPU:{name}", "coords": coordinate, **({} if slices is None else {"slice_index": slices[i]})}
            for i, (name, coordinate) in enumerate(zip(names, coordinates))]


def test_hybrid_mesh(monkeypatch):
    by_place = _devices([2, 1, 0, 3, 4, 7, 6, 5], [0] * 4 + [1] * 4)
    monkeypatch.setattr(xs, "global_runtime_device_attributes", lambda: by_place)
    own = xs.HybridMesh(ici_mesh_shape=(2, 2), dcn_mesh_shape=(2, 1), axis_names=("x", "y"))
    assert own.get_logical_mesh().tolist() == [[2, 1], [0, 3], [4, 7], [6, 5]]
    with pytest.raises(ValueError, match="give dcn_mesh_shape"):
        xs.HybridMesh(ici_mesh_shape=(2, 4))
    with pytest.raises(ValueError, match="2 slices of devices"):
        xs.HybridMesh(ici_mesh_shape=(1, 2), dcn_mesh_shape=(4, 1))
    with pytest.raises(AssertionError, match="same number of axes"):
        xs.HybridMesh(ici_mesh_shape=(2, 4), dcn_mesh_shape=(1,))
    monkeypatch.undo()
    assert xs.HybridMesh(ici_mesh_shape=(2, 4)).get_logical_mesh().tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(ValueError, match="no slice_index"):
        xs.HybridMesh(ici_mesh_shape=(1, 4), dcn_mesh_shape=(2, 1))


@pytest.mark.parametrize("size, bounds", [
    (10, [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10), (10, 10), (10, 10), (10, 10)]),
    (9, [(0, 2), (2, 4), (4, 6), (6, 8), (8, 9), (9, 9), (9, 9), (9, 9)]),
    (3, [(0, 1), (1, 2), (2, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3)])])
def test_bounds_of_uneven_shards(size, bounds):
    parts = xs.get_1d_mesh().get_op_sharding((0,)).bounds((size,))
    assert [(parts[i][0].start, parts[i][0].stop) for i in range(8)] == bounds


@pytest.mark.parametrize("shape, tiles, first, last", [
    ((8, 7, 4), (2, 4, 1), (4, 2, 4), (4, 1, 4)),
    ((8, 7, 4), (1, 4, 2), (8, 2, 2), (8, 1, 2)),
    ((1, 8, 7, 4), (1, 1, 4, 2), (1, 8, 2, 2), (1, 8, 1, 2)),
    ((10, 1, 8, 7, 4), (1, 1, 2, 2, 2), (10, 1, 4, 4, 2), (10, 1, 4, 3, 2))])
def test_shapes_of_shards(shape, tiles, first, last):
    sharding = xs.OpSharding(numpy.arange(8).reshape(tiles), [], [], xs.ShardingType.TILED)
    parts = sharding.bounds(shape)
    extents = [tuple(part.stop - part.start for part in parts[i]) for i in (0, 7)]
    assert extents == [first, last] and sharding.shard_shape(shape) == first


def test_counts():
    assert xs.global_runtime_device_count() == xs.addressable_runtime_device_count() == 8
    assert len(xs.global_runtime_device_attributes()) == 8 and "name" in xs.global_runtime_device_attributes()[0]
    assert {xs.world_size(), xs.global_device_count(), xs.local_device_count(), xs.addressable_device_count(),
            xs.process_count(), xs.local_process_count()} == {1}
    assert {xs.global_ordinal(), xs.local_ordinal(), xs.process_index()} == {0}
    assert xs.is_spmd() and not xs.is_auto_spmd() and xs.device() == torch.device("shardwise", 0)
    with pytest.raises(ValueError, match="there is no device 1"):
        xs.device(1)
