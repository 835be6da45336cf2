# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What there is to see of a program before it runs."""

import re

import numpy
import pytest
from devices import MESH, jax, shardwise

import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P

WEIGHTS = {"in": jax.ShapeDtypeStruct((16, 32), numpy.float32), "out": jax.ShapeDtypeStruct((32, 8), numpy.float32)}
X = jax.ShapeDtypeStruct((64, 16), numpy.float32)
SPECS = ({"in": P(None, "model"), "out": P("model", None)}, P("data"))


def forward(weights, x):
    with jax.named_scope("layer0"):
        hidden = jnp.tanh(x @ weights["in"])
    with jax.named_scope("layer1"):
        return hidden @ weights["out"]


def loss(weights, x):
    return (forward(weights, x) ** 2).mean()


STEP = shardwise.jax.jit(jax.value_and_grad(loss), mesh=MESH, in_shardings=SPECS)


def test_text_at_every_stage():
    lowered = STEP.lower(WEIGHTS, X)
    assert "sdy.mesh @mesh" in lowered.text("global") and "test_looking.py" in lowered.text("global")
    assert '[{"data"}, {"model"}]' in lowered.text("propagated").replace(", ?", "")
    assert lowered.text() == STEP.text(WEIGHTS, X) and "stablehlo.all_reduce" in lowered.text()
    assert "all-reduce" in lowered.text("xla")
    with pytest.raises(shardwise.InvalidError, match="stage must be one of partitioned, global"):
        lowered.text("hlo")
    # What jax.jit(f).lower gives is a program for the rest of the package; so is this.
    assert len(shardwise.compile(lowered).inputs) == 3


def test_xla_has_the_names_and_lines_of_the_user():
    text = STEP.text(WEIGHTS, X, stage="xla")
    names = set(re.findall(r'op_name="([^"]*)"', text))
    for expected in ("jvp(layer0)/tanh", "jvp(layer1)/dot_general", "transpose(jvp(layer1))/dot_general"):
        assert any(name.endswith(expected) for name in names), f"{expected} is not in {sorted(names)}"
    collectives = re.findall(r'= \S+ all-reduce\(.*op_name="([^"]*)"', text) + re.findall(
        r'= \(.*\) all-reduce\(.*op_name="([^"]*)"', text)
    assert collectives and all("layer" in name for name in collectives)
    assert "test_looking.py" in text
    assert "loc(" not in STEP.text(WEIGHTS, X)


def test_names_and_pictures():
    lowered = STEP.lower(WEIGHTS, X)
    known = lowered.shardings()
    assert {"weights['in']", "x", "layer0/tanh", "layer1/dot_general", "backward/layer1/transpose"} <= set(known)
    hidden = lowered.sharding_of("layer0/tanh")
    assert hidden.shape == (64, 32) and hidden.local_shape == (16, 16)
    assert hidden.sharding.spec == ("data", "model")
    assert hidden.source.startswith("test_looking.py:")
    text = str(hidden)
    assert text.splitlines()[0].startswith("layer0/tanh: 64x32 f32")
    assert """from weights['in'] [{}, {"model"}]""" in text and text.count("\n+") == 5
    assert all(f" {device} " in text for device in range(8))
    assert lowered.sharding_of("layer0").name.startswith("layer0/")
    assert lowered.sharding_of(hidden.source).source == hidden.source
    assert "<table>" in hidden._repr_html_() and "layer0/tanh" in hidden._repr_html_()
    with pytest.raises(shardwise.InvalidError, match="no value 'layer7/tanh'; there are layer0/tanh"):
        lowered.sharding_of("layer7/tanh")


@pytest.mark.parametrize("shape, spec, expected", [
    ((), P(), "scalar"), ((8,), P("data"), "| 0,1 | 2,3 | 4,5 | 6,7 |"), ((8, 8), P(), "| 0-7 |"),
    ((4, 8, 2), P(None, "data", "model"), "|  0  |  1  |"), ((4, 4, 4), P("data", None, "model"), "|"),
])
def test_pictures_of_all_ranks(shape, spec, expected):
    step = shardwise.jax.jit(lambda x: x * 2, mesh=MESH, in_shardings=spec)
    picture = str(step.lower(jax.ShapeDtypeStruct(shape, numpy.float32)).sharding_of("x"))
    assert expected in picture or expected.replace(" ", "") in picture.replace(" ", "")


def test_cost_and_memory():
    lowered = STEP.lower(WEIGHTS, X)
    cost = lowered.cost()
    assert cost.received_bytes == sum(cost.by_collective.values()) > 0 and cost.seconds is None
    assert any(name.startswith("all_reduce") for name in cost.by_collective)
    timed = lowered.cost("tpu-v5e")
    assert timed.seconds >= timed.transfer_seconds > 0
    memory = lowered.memory()
    assert memory.argument_bytes == 16 * 16 * 4 + 16 * 8 * 4 + 16 * 16 * 4
    assert memory.peak_bytes >= memory.argument_bytes and memory.temp_bytes >= 0


def test_a_report():
    report = STEP.explain(WEIGHTS, X)
    assert report.transfers and "received per device" in str(report)
    assert "jit(loss)" in str(report) and report.json["devices"] == 8
    page = report._repr_html_()
    assert page.startswith("<iframe") and "layer1" in page
    same = shardwise.jax.explain(jax.value_and_grad(loss), WEIGHTS, X, mesh=MESH, options={"in_shardings": SPECS})
    assert str(same) == str(report)
    assert str(shardwise.jax.explain(STEP, WEIGHTS, X)) == str(report)
    with pytest.raises(shardwise.InvalidError, match="leave them out"):
        shardwise.jax.explain(STEP, WEIGHTS, X, mesh=MESH)


def test_without_devices():
    mesh = AbstractMesh((4096, 16), ("data", "model"))
    step = shardwise.jax.jit(forward, mesh=mesh, in_shardings=SPECS)
    weights = {"in": jax.ShapeDtypeStruct((1024, 4096), jnp.bfloat16),
               "out": jax.ShapeDtypeStruct((4096, 1024), jnp.bfloat16)}
    lowered = step.lower(weights, jax.ShapeDtypeStruct((65536, 1024), jnp.bfloat16))
    assert lowered.sharding_of("layer0/tanh").local_shape == (16, 256)
    assert lowered.cost("tpu-v5p").seconds > 0 and lowered.memory().argument_bytes is None
    assert "65536 devices" in str(lowered.explain())
    with pytest.raises(shardwise.InvalidError, match="without devices"):
        lowered.compile()


def test_on_cpus_no_device_does_the_work_of_others():
    def forward(weights, x):
        return jax.nn.relu(x @ weights[0]) @ weights[1]

    def products(topology):
        step = shardwise.jax.jit(jax.grad(lambda weights, x: jnp.mean(forward(weights, x) ** 2)), mesh=MESH,
                                 in_shardings=([P(None, "model"), P("model")], P("data")),
                                 out_shardings=[P(None, "model"), P("model")], topology=topology)
        lines = step.text([jax.ShapeDtypeStruct(shape, "float32") for shape in ((512, 2048), (2048, 512))],
                          jax.ShapeDtypeStruct((1024, 512), "float32")).splitlines()
        return [line for line in lines if "dot_general" in line]

    # Four devices along "data" have 256 of 1024 rows each. Fewer bytes are received where all have all rows.
    assert all("tensor<256x" in line for line in products(None))
    assert products("xla-cpu") == products(None)
    of_fewest_bytes = "(tensor<1024x512xf32>, tensor<512x1024xf32>) -> tensor<1024x1024xf32>"
    assert any(of_fewest_bytes in line for line in products("default"))


def test_times_are_of_the_program_as_it_is_partitioned():
    def lowered(mesh):
        step = shardwise.jax.jit(jax.value_and_grad(loss), mesh=mesh, in_shardings=SPECS)
        return step.lower(*jax.tree.map(lambda one: jax.ShapeDtypeStruct(one.shape, one.dtype), (WEIGHTS, X)))

    def chosen_for(report):
        return report.json["chosen_for"], report.json.get("topology", {}).get("name")

    on_cpus = lowered(MESH)
    assert on_cpus.cost().seconds is None
    assert on_cpus.cost("tpu-v5e").received_bytes == on_cpus.cost().received_bytes
    assert chosen_for(on_cpus.explain()) == ("xla-cpu", None)
    assert chosen_for(on_cpus.explain(topology="tpu-v5e")) == ("xla-cpu", "tpu-v5e")
    assert "cheapest on xla-cpu" in str(on_cpus.explain())
    nowhere = lowered(MESH.abstract_mesh)
    assert chosen_for(nowhere.explain()) == ("default", None)
    assert chosen_for(nowhere.explain(topology="tpu-v5e")) == ("default", "tpu-v5e")


def test_shardings_of_arguments_count():
    product = shardwise.jax.jit(lambda x, w: x @ w, mesh=MESH)
    w = jax.ShapeDtypeStruct((16, 8), numpy.float32)

    def bytes_of(spec):
        x = jax.ShapeDtypeStruct((64, 16), numpy.float32, sharding=NamedSharding(MESH, spec))
        return product.lower(x, w).cost().received_bytes

    assert bytes_of(P("data")) == 0 and bytes_of(P(None, "data")) > 0


def test_export(tmp_path):
    pytest.importorskip("flatbuffers", reason="no flatbuffers; make setup-optional installs it")
    step = shardwise.jax.jit(lambda x, w: x @ w, mesh=MESH, in_shardings=(P("data", "model"), P("model")))
    x, w = (numpy.random.default_rng(0).normal(size=shape).astype("f") for shape in ((16, 8), (8, 4)))
    step.export(tmp_path / "step.bin", x, w)
    exported = jax.export.deserialize(bytearray((tmp_path / "step.bin").read_bytes()))
    on_mesh = jax.device_put((x, w), (NamedSharding(MESH, P("data", "model")), NamedSharding(MESH, P("model"))))
    assert numpy.allclose(jax.jit(exported.call)(*on_mesh), x @ w, atol=1e-5)
    assert not (tmp_path / "step.bin.part").exists()
