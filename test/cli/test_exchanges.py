# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges: programs in which one is cheaper than uniform collectives run it, are verified, and receive
what the planner says; explain lists it; the forms for XLA have permutes instead."""

import json
import random
import subprocess

import pytest
from conftest import BUILD, IS_SANITIZED


def program(mesh, shape, dtype, source, target, body=None, other=None):
    """A value that is on `source` and wanted on `target`."""
    type_ = "x".join(map(str, shape)) + "x" + dtype
    body = body or f"  %r = stablehlo.negate %a : tensor<{type_}>"
    meshes = f"sdy.mesh @mesh = {mesh}\n" + (f"sdy.mesh @other = {other}\n" if other else "")
    on = "@other" if other else "@mesh"
    return (f"{meshes}func.func @main(%a: tensor<{type_}> {{sdy.sharding = #sdy.sharding<@mesh, {source}>}})"
            f" -> (tensor<{type_}> {{sdy.sharding = #sdy.sharding<{on}, {target}>}}) {{\n{body}\n"
            f"  return %r : tensor<{type_}>\n}}\n")


def run(shardwise, text, *options):
    process = shardwise("run", "-", "--json", *options, stdin=text)
    assert process.returncode == 0, text + process.stdout + process.stderr
    report = json.loads(process.stdout)
    assert report["verified"] is True, text + process.stdout
    return report


def explained(shardwise, text):
    process = shardwise("explain", "-", "--json", "--suggest", "0", stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)["transfers"]


def planned(shardwise, mesh, shape, dtype, source, target):
    process = shardwise("plan", "--mesh", mesh[1:-1], "--shape", "x".join(map(str, shape)) + "x" + dtype,
                        "--from", source, "--to", target, "--json", "--strategy", "exchange")
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


XY = '<["x"=2, "y"=4]>'
XYZ = '<["x"=2, "y"=3, "z"=4]>'
W = '<["w"=8, "v"=3]>'
CASES = {
    "swap": (XY, (64, 64), "f32", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]', '{"x", "y"}', 32 * 16 * 4),
    "uneven swap": ('<["a"=2, "b"=3]>', (12, 12), "f32", '[{"a"}, {"b"}]', '[{"b"}, {"a"}]', '{"a", "b"}', 96),
    "three axes rotated": (XYZ, (24, 24, 24), "f32", '[{"x"}, {"y"}, {"z"}]', '[{"y"}, {"z"}, {"x"}]',
                           '{"x", "y", "z"}', 8 * 6 * 12 * 4),
    "parts of an axis": (W, (48, 48), "f32", '[{"w":(1)2}, {"v"}]', '[{"v"}, {"w":(1)2}]', '{"w":(1)2, "v"}',
                         16 * 24 * 4),
    "bf16": (XY, (64, 64), "bf16", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]', '{"x", "y"}', 32 * 16 * 2),
    "complex": (XY, (16, 16), "complex<f64>", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]', '{"x", "y"}', 8 * 4 * 16),
    "what does not divide": (XYZ, (50, 70), "f32", '[{"z"}, {"y"}]', '[{"y"}, {"z"}]', '{"y", "z"}', 17 * 18 * 4),
    "more devices than elements": (XYZ, (3, 512), "f32", '[{"z"}, {"y"}]', '[{"y"}, {"z"}]', '{"y", "z"}', None),
    "another order of devices": ('<["x"=2, "y"=4], device_ids=[3, 1, 0, 7, 5, 6, 2, 4]>', (64, 64), "f32",
                                 '[{"x"}, {"y"}]', '[{"y"}, {"x"}]', '{"x", "y"}', 32 * 16 * 4),
}


@pytest.mark.parametrize("name", CASES)
def test_one_exchange_is_run_and_receives_what_is_planned(shardwise, name):
    mesh, shape, dtype, source, target, axes, num_bytes = CASES[name]
    text = program(mesh, shape, dtype, source, target)
    [row] = run(shardwise, text)["collectives"]
    assert (row["kind"], row["axes"], row["count"], row["tensors"]) == ("exchange", axes, 1, 1)
    if num_bytes is not None:
        assert row["bytes_received_per_device"] == num_bytes
    [transfer] = explained(shardwise, text)
    assert transfer["steps"] == f"exchange {axes}"
    assert transfer["received_bytes"] == row["bytes_received_per_device"]
    if "device_ids" not in mesh:
        plan = planned(shardwise, mesh, shape, "f64" if dtype == "complex<f64>" else dtype, source, target)
        factor = 2 if dtype == "complex<f64>" else 1
        assert plan["cost"]["received_bytes_max"] * factor == row["bytes_received_per_device"]


@pytest.mark.parametrize("dtype", ["i1", "ui8", "i16", "f8E4M3FN", "f16", "f64"])
def test_every_element_type(shardwise, dtype):
    text = program(XYZ, (48, 90), dtype, '[{"z"}, {"y"}]', '[{"y"}, {"z"}]',
                   f"  %r = stablehlo.maximum %a, %a : tensor<48x90x{dtype}>")
    assert [row["kind"] for row in run(shardwise, text)["collectives"]] == ["exchange"]


def test_in_the_body_of_a_loop(shardwise):
    text = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<64x64xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.transpose %v, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %w = stablehlo.subtract %t, %v : tensor<64x64xf32>
    stablehlo.return %n, %w : tensor<i32>, tensor<64x64xf32>
  }
  return %r#1 : tensor<64x64xf32>
}
"""
    [row] = run(shardwise, text)["collectives"]
    assert (row["kind"], row["count"], row["bytes_received_per_device"]) == ("exchange", 3, 3 * 32 * 16 * 4)


def test_in_a_training_step(shardwise):
    """The momentum is cut by rows and columns, and the weight that comes of it the other way round."""
    text = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%x: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                %m: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>})
    -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %rate = stablehlo.constant dense<1.0e-2> : tensor<64x64xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  %t = stablehlo.tanh %y : tensor<512x64xf32>
  %g = stablehlo.dot_general %x, %t, contracting_dims = [0] x [0] : (tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<64x64xf32>
  %d = stablehlo.multiply %g, %rate : tensor<64x64xf32>
  %n = stablehlo.subtract %m, %d : tensor<64x64xf32>
  return %n : tensor<64x64xf32>
}
"""
    report = run(shardwise, text)
    assert "exchange" in [row["kind"] for row in report["collectives"]]


def test_inside_a_manual_computation_only_devices_of_one_block_exchange(shardwise):
    """Along the manual axis every device has a value of its own."""
    text = """
sdy.mesh @mesh = <["m"=2, "x"=2, "y"=3]>
func.func @main(%a: tensor<24x36xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "x"}, {"y"}]>}) -> (tensor<24x36xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "y"}, {"x"}]>}) {
  %r = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"m", "x"}, {"y"}]>] out_shardings=[<@mesh, [{"m", "y"}, {"x"}]>] manual_axes={"m"} (%b: tensor<12x36xf32>) {
    %c = sdy.sharding_constraint %b <@mesh, [{"x"}, {"y"}]> : tensor<12x36xf32>
    %s = stablehlo.sine %c : tensor<12x36xf32>
    %d = sdy.sharding_constraint %s <@mesh, [{"y"}, {"x"}]> : tensor<12x36xf32>
    %e = stablehlo.cosine %d : tensor<12x36xf32>
    sdy.return %e : tensor<12x36xf32>
  } : (tensor<24x36xf32>) -> tensor<24x36xf32>
  return %r : tensor<24x36xf32>
}
"""
    report = run(shardwise, text)
    assert "exchange" in [row["kind"] for row in report["collectives"]], report


def test_to_another_order_of_devices(shardwise):
    text = program(XY, (64, 64), "f32", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]',
                   other='<["x"=2, "y"=4], device_ids=[3, 1, 0, 7, 5, 6, 2, 4]>')
    report = run(shardwise, text)
    received = sum(row["bytes_received_per_device"] for row in report["collectives"])
    assert sum(row["received_bytes"] for row in explained(shardwise, text)) == received


def random_sharding(generator, axes, rank):
    dims = [[] for _ in range(rank)]
    for axis in generator.sample(axes, generator.randint(1, len(axes))):
        dims[generator.randrange(rank)].append(f'"{axis}"')
    return "[" + ", ".join("{" + ", ".join(dim) + "}" for dim in dims) + "]"


@pytest.mark.parametrize("seed", range(40))
def test_random_reshards_receive_what_is_explained(shardwise, seed):
    generator = random.Random(seed)
    sizes = generator.choice([{"x": 2, "y": 3}, {"x": 2, "y": 4}, {"x": 2, "y": 3, "z": 2}, {"x": 4, "y": 3}])
    mesh = "<[" + ", ".join(f'"{axis}"={size}' for axis, size in sizes.items()) + "]>"
    rank = generator.randint(2, 3)
    shape = [generator.choice([5, 12, 18, 24, 31]) for _ in range(rank)]
    source, target = (random_sharding(generator, list(sizes), rank) for _ in range(2))
    text = program(mesh, shape, "f32", source, target)
    report = run(shardwise, text)
    received = sum(row["bytes_received_per_device"] for row in report["collectives"])
    assert sum(row["received_bytes"] for row in explained(shardwise, text)) >= received, text
    kinds = [row["kind"] for row in report["collectives"]]
    if kinds == ["exchange"]:
        plan = planned(shardwise, mesh, shape, "f32", source, target)
        assert received == plan["cost"]["received_bytes_max"], text


@pytest.mark.parametrize("form", ["stablehlo", "xla-replicas", "xla-shard-map"])
def test_forms_that_have_no_exchange_permute(shardwise, form):
    mesh, shape, dtype, source, target, *_ = CASES["swap"]
    process = shardwise("partition", "-", "--form", form, stdin=program(mesh, shape, dtype, source, target))
    assert process.returncode == 0, process.stderr
    assert "exchange" not in process.stdout
    assert process.stdout.count("collective_permute") == 2


def test_the_form_sdy_says_it_in_one_op(shardwise):
    mesh, shape, dtype, source, target, *_ = CASES["swap"]
    texts = []
    for size in (4, 128):
        mesh = f'<["x"={size // 2}, "y"={size}]>'
        process = shardwise("partition", "-", "--form", "sdy",
                            stdin=program(mesh, (512, 512), dtype, source, target))
        assert process.returncode == 0, process.stderr
        assert process.stdout.count("sdy.exchange") == 1
        texts.append(process.stdout)
    assert len(texts[1]) < len(texts[0]) + 40


def test_the_form_mlir_shard_does_without(shardwise):
    process = shardwise("partition", "-", "--form", "mlir-shard",
                        stdin=program('<["x"=2, "y"=2]>', (64, 64), "f32", '[{"x"}, {"y"}]', '[{"y", "x"}, {}]'))
    assert "exchange" not in process.stdout + process.stderr


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers reserve more address space than that")
def test_memory_is_not_quadratic_in_devices():
    """Of 32,768 devices a list of the group for each was 8 GiB."""
    text = program('<["x"=16384, "y"=2]>', (8, 6), "f32", '[{"x"}, {}]', '[{}, {"x"}]')
    process = subprocess.run(["bash", "-c", f"ulimit -v 2000000; exec '{BUILD}/bin/shardwise' explain - --suggest 0"],
                             input=text, text=True, capture_output=True, timeout=120)
    assert process.returncode == 0 and "exchange" in process.stdout, process.stdout + process.stderr
