# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise.plan` gives what `shardwise plan` gives, and refuses with its words."""

import json

import numpy
import pytest

from python_package import shardwise as package
from shardwise import Mesh, Sharding

MESH = Mesh({"x": 2, "y": 3})
PAIRS = [
    ('[{"x"}, {"y"}]', '[{"y"}, {"x"}]'),
    ('[{"x"}, {}]', '[{}, {"x"}]'),
    ('[{}, {}]', '[{"x", "y"}, {}]'),
    ('[{"x", "y"}, {}]', '[{}, {}]'),
    ('[{}, {}], unreduced={"y"}', '[{"y"}, {}]'),
]


@pytest.mark.parametrize("before, after", PAIRS)
def test_same_as_the_tool(shardwise, before, after):
    arguments = ["plan", "--mesh", str(MESH), "--shape", "6x12xbf16", "--from", before, "--to", after]
    made = package.plan((6, 12), "bfloat16", MESH, before, after)
    assert made.json == json.loads(shardwise(*arguments, "--json").stdout)
    assert made.text == shardwise(*arguments, "--no-pictures").stdout
    assert made.lower_bound_bytes <= made.received_bytes
    assert made.received_bytes == sum(step.received_bytes for step in made.steps)
    if made.steps:
        assert made.steps[-1].sharding == Sharding(after)


def test_topologies_and_two_meshes(shardwise):
    before, after = ("x", None), (None, "x")
    other = Mesh({"x": 3, "y": 2})
    made = package.plan((6, 6), numpy.float32, MESH, before, after, "tpu-v5e", to_mesh=other)
    printed = shardwise("plan", "--mesh", str(MESH), "--to-mesh", str(other), "--shape", "6x6xf32", "--from",
                        '[{"x"}, {}]', "--to", '[{}, {"x"}]', "--topology", "tpu-v5e", "--json").stdout
    assert made.json == json.loads(printed)
    assert "tpu-v5e" in package.TOPOLOGIES and package.STRATEGIES[0] == "optimal"
    assert made.seconds > package.plan((6, 6), "f32", MESH, before, after, to_mesh=other).seconds


def test_nothing_to_do_and_partial_sums():
    assert package.plan((6,), "i8", MESH, ("x",), ("x",)).steps == ()
    made = package.plan((6,), "f32", MESH, Sharding((None,), unreduced="y"), (None,))
    sums = [step for step in made.steps if step.kind in ("all_reduce", "reduce_scatter")]
    assert [step.axes for step in sums] == [("y",)] and sums[0].kind in str(made)


@pytest.mark.parametrize("change, error, message", [
    ({"shape": (6,)}, ValueError, "rank"), ({"shape": (6, -1)}, ValueError, "at least 0"),
    ({"shape": "6x6xf32"}, TypeError, "element type"), ({"shape": (6, 1.5)}, TypeError, "integer"),
    ({"dtype": "float31"}, ValueError, "float31"), ({"dtype": None}, TypeError, "element type"),
    ({"mesh": 3}, TypeError, "axes"), ({"mesh": '["x"=2'}, ValueError, "mesh"),
    ({"from_": ("z", None)}, ValueError, '"z"'), ({"to": ("x", "x")}, ValueError, '"x"'),
    ({"to": 7}, TypeError, "sharding"), ({"topology": "tpu"}, ValueError, "tpu-v5e"),
    ({"topology": 5}, TypeError, "topology"), ({"strategy": "best"}, ValueError, "optimal"),
    ({"memory_limit": -1}, ValueError, "at least 0"), ({"memory_limit": "1"}, TypeError, "integer"),
    ({"memory_limit": 1}, ValueError, "1"),
    ({"to": '[{}, {}], unreduced={"y"}'}, NotImplementedError, "y")])
def test_refused(change, error, message):
    good = {"shape": (6, 6), "dtype": "f32", "mesh": MESH, "from_": ("x", None), "to": (None, "x")}
    with pytest.raises(error, match=message) as caught:
        package.plan(**{**good, **change})
    assert isinstance(caught.value, package.ShardwiseError)
