# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.reshard` gives every device its part of the tensor, and refuses what is none."""

import itertools
import random

import numpy
import pytest

from python_package import shardwise as package
from shardwise import Mesh, Sharding

MESH = Mesh({"x": 2, "y": 3})


def cut(whole, sharding, mesh):
    return [whole[index].copy() for index in sharding.indices(mesh, whole.shape).values()]


SPECS = [(None, None), ("x", None), (None, "x"), ("x", "y"), ("y", "x"), (("x", "y"), None),
         (None, ("y", "x"))]


@pytest.mark.parametrize("before, after", itertools.product(SPECS, SPECS))
def test_every_device_has_its_part(before, after):
    for shape in ((6, 6), (5, 7), (1, 2)):
        whole = numpy.arange(shape[0] * shape[1], dtype="i4").reshape(shape)
        sources = cut(whole, Sharding(before), MESH)
        given = [one.copy() for one in sources]
        moved = package.reshard(sources, shape, MESH, before, after)
        for one, wanted in zip(moved, cut(whole, Sharding(after), MESH), strict=True):
            assert one.dtype == wanted.dtype and one.shape == wanted.shape and (one == wanted).all()
            one += 1  # An array of its own: neither the sources nor its siblings change.
        assert all((a == b).all() for a, b in zip(sources, given))


def test_partial_values_are_summed():
    rng = numpy.random.default_rng(0)
    parts = [rng.integers(-9, 9, (4, 6)).astype("f4") for _ in range(3)]
    sources = [parts[device % 3][2 * (device // 3):2 * (device // 3) + 2] for device in range(6)]
    moved = package.reshard(sources, (4, 6), MESH, Sharding(("x", None), unreduced="y"), ("x", "y"))
    for one, wanted in zip(moved, cut(sum(parts), Sharding(("x", "y")), MESH), strict=True):
        numpy.testing.assert_array_equal(one, wanted)


def test_two_meshes_device_orders_and_element_types():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    other = Mesh({"a": 3, "b": 2}, device_ids=random.Random(1).sample(range(6), 6))
    for dtype in ("i1", "u8", "f8", "c16", ml_dtypes.bfloat16):
        whole = numpy.arange(60).reshape(6, 10).astype(dtype)
        moved = package.reshard(cut(whole, Sharding(("x", "y")), MESH), (6, 10), MESH, ("x", "y"),
                                ("b", "a"), to_mesh=other)
        for one, wanted in zip(moved, cut(whole, Sharding(("b", "a")), other), strict=True):
            assert (one == wanted).all()


GOOD = {"shards": [numpy.zeros((3, 6), "f4")] * 6, "shape": (6, 6), "mesh": MESH, "from_": ("x", None),
        "to": (None, "x")}


@pytest.mark.parametrize("change, error, message", [
    ({"shards": []}, ValueError, "no shards"), ({"shards": GOOD["shards"][:5]}, ValueError, "5 shards"),
    ({"shards": numpy.zeros((6, 3, 6))}, TypeError, "single array"), ({"shards": 3}, TypeError, "list"),
    ({"shards": [1] * 6}, TypeError, "shard 0"),
    ({"shards": dict(enumerate(GOOD["shards"]))}, TypeError, "list"),
    ({"shards": [numpy.zeros((3, 5), "f4")] * 6}, ValueError, "shard 0 has shape"),
    ({"shards": GOOD["shards"][:5] + [numpy.zeros((3, 6))]}, ValueError, "shard 5 .*float64"),
    ({"shards": [numpy.zeros((3, 6), "O")] * 6}, TypeError, "element type"),
    ({"shape": (6,)}, ValueError, "rank"), ({"shape": "6x6"}, TypeError, "shape"),
    ({"mesh": None}, TypeError, "axes"), ({"to": ("z", None)}, ValueError, '"z"'),
    ({"topology": "tpu"}, ValueError, "tpu-v5e"), ({"memory_limit": 1}, ValueError, "1"),
    ({"strategy": "best"}, ValueError, "optimal"), ({"to_mesh": {"x": 0}}, ValueError, "at least 1")])
def test_refused(change, error, message):
    with pytest.raises(error, match=message) as caught:
        package.reshard(**{**GOOD, **change})
    assert isinstance(caught.value, package.ShardwiseError)


@pytest.mark.parametrize("name", ["int2", "int4", "uint2", "uint4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz",
                                  "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e3m4", "float8_e8m0fnu"])
def test_narrow_element_types(name):
    """A byte each, as in a run."""
    dtype = getattr(pytest.importorskip("ml_dtypes"), name)
    whole = numpy.ones((6, 10)).astype(dtype)
    before, after = ("x", "y"), ("y", "x")
    moved = package.reshard(cut(whole, Sharding(before), MESH), whole.shape, MESH, before, after)
    assert moved[0].dtype == dtype
    for one, wanted in zip(moved, cut(whole, Sharding(after), MESH), strict=True):
        assert (one == wanted).all()
    narrow = package.plan(whole.shape, dtype, MESH, before, after)
    assert narrow.received_bytes == package.plan(whole.shape, "i8", MESH, before, after).received_bytes


def test_one_array_for_several_devices():
    """It is only read, so it may stand for parts that differ, and for partial values that are alike."""
    zeros = numpy.zeros((3, 6), "f4")
    moved = package.reshard([zeros] * 6, (6, 6), MESH, ("x", None), (None, "x"))
    assert all(one.shape == (6, 3) and not one.any() for one in moved)
    ones = numpy.ones((2, 2), "i4")
    moved = package.reshard([ones] * 6, (2, 2), MESH, Sharding((None, None), unreduced=("x", "y")), (None, None))
    assert all((one == 6).all() for one in moved) and (ones == 1).all()


def test_tensor_without_dimensions():
    """Its parts are scalars of NumPy, if they are cut as those of any other tensor."""
    whole = numpy.array(3, "f4")
    sharding = Sharding(())
    shards = [whole[index] for index in sharding.indices(MESH, whole.shape).values()]
    assert [one.tolist() for one in package.reshard(shards, (), MESH, sharding, ())] == [3.0] * 6
