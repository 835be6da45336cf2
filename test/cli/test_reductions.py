# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where sums over devices are taken, and that small collectives run together."""

import json

import pytest

SHARDED = '[{"x"}, {}]'
MESH = 'sdy.mesh @mesh = <["x"=4, "y"=2]>\n'


def tensor(shape, dims=None):
    """Type and sharding of an argument: `tensor("8x4xf32", '[{"x"}, {}]')`."""
    text = f"tensor<{shape}>"
    return f"{text} {{sdy.sharding = #sdy.sharding<@mesh, {dims}>}}" if dims else text


def dot(left, right, left_type, right_type, result):
    return (f"stablehlo.dot_general {left}, {right}, contracting_dims = [1] x [0] : "
            f"(tensor<{left_type}>, tensor<{right_type}>) -> tensor<{result}>")


CONTRACTED = '[{}, {"x"}]'
BOTH = '[{"x"}, {"y"}]'
A = tensor("16x32xf32", CONTRACTED)
B = tensor("32x8xf32", SHARDED)
FACTORS = f"%a: {A}, %b: {B}, %c: {A}, %d: {B}"
AB = dot("%a", "%b", "16x32xf32", "32x8xf32", "16x8xf32")
CD = dot("%c", "%d", "16x32xf32", "32x8xf32", "16x8xf32")
M = "tensor<16x8xf32>"
WHOLE = tensor("16x8xf32", "[{}, {}]")
S = "tensor<f32>"
SUM = f"across dimensions = [0, 1] : ({M}, {S}) -> {S}"
# What an all_reduce of 16x8xf32 over x=4 receives, and one of a scalar.
MATRIX, SCALAR = 2 * 512 * 3 // 4, 6

LOOP = f"""
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %acc = %s) : tensor<i32>, {M}
  cond {{
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }} do {{
    %1 = {AB}
    %f = stablehlo.convert %i : (tensor<i32>) -> {S}
    %g = stablehlo.broadcast_in_dim %f, dims = [] : ({S}) -> {M}
    %2 = stablehlo.multiply %1, %g : {M}
    %3 = stablehlo.add %acc, %2 : {M}
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %3 : tensor<i32>, {M}
  }}
  return %0#1 : {M}"""

# Name: arguments, body, result, and (kind, axes, count, tensors, bytes) of what runs.
CASES = {
    "sum of a product": (FACTORS, f"""
  %0 = {AB}
  %z = stablehlo.constant dense<0.0> : {S}
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add {SUM}
  return %1 : {S}""", S, [("all_reduce", '{"x"}', 1, 1, SCALAR)]),
    "scaled and added": (FACTORS, f"""
  %h = stablehlo.constant dense<0.5> : {M}
  %t = stablehlo.constant dense<2.0> : {M}
  %0 = {AB}
  %1 = {CD}
  %2 = stablehlo.multiply %0, %h : {M}
  %3 = stablehlo.multiply %t, %1 : {M}
  %4 = stablehlo.add %2, %3 : {M}
  return %4 : {M}""", M, [("all_reduce", '{"x"}', 1, 1, MATRIX)]),
    "a whole value between two sums": (FACTORS + f", %s: {M}", f"""
  %0 = {AB}
  %1 = {CD}
  %2 = stablehlo.add %s, %0 : {M}
  %3 = stablehlo.add %2, %1 : {M}
  return %3 : {M}""", M, [("all_reduce", '{"x"}', 1, 1, MATRIX)]),
    "norm of several values": (f"%a: {A}, %b: {B}, %c: {A}", f"""
  %z = stablehlo.constant dense<0.0> : {S}
  %0 = stablehlo.multiply %a, %a : tensor<16x32xf32>
  %1 = stablehlo.multiply %b, %b : tensor<32x8xf32>
  %2 = stablehlo.multiply %c, %c : tensor<16x32xf32>
  %3 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32xf32>, {S}) -> {S}
  %4 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<32x8xf32>, {S}) -> {S}
  %5 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32xf32>, {S}) -> {S}
  %6 = stablehlo.add %z, %3 : {S}
  %7 = stablehlo.add %6, %4 : {S}
  %8 = stablehlo.add %7, %5 : {S}
  %9 = stablehlo.sqrt %8 : {S}
  return %9 : {S}""", S, [("all_reduce", '{"x"}', 1, 1, SCALAR)]),
    "accumulated in a loop": (FACTORS + f", %s: {M}", LOOP, M,
                              [("all_reduce", '{"x"}', 1, 1, MATRIX)]),
    "two sums of one group": (FACTORS, f"""
  %0 = {AB}
  %1 = {CD}
  %2 = stablehlo.exponential %0 : {M}
  %3 = stablehlo.exponential %1 : {M}
  return %2, %3 : {M}, {M}""", f"({WHOLE}, {WHOLE})", [("all_reduce", '{"x"}', 1, 2, 2 * MATRIX)]),
    "cut in the end": (FACTORS, f"""
  %0 = {AB}
  %1 = {CD}
  %2 = stablehlo.negate %1 : {M}
  %3 = stablehlo.add %0, %2 : {M}
  return %3 : {M}""", "(" + tensor("16x8xf32", '[{"x"}, {}]') + ")",
                       [("reduce_scatter", '{"x"}', 1, 1, MATRIX // 2)]),
}


def run(shardwise, text, *options):
    process = shardwise("run", "-", "--json", *options, stdin=text)
    assert process.returncode == 0, process.stdout + process.stderr
    return json.loads(process.stdout)


@pytest.mark.parametrize("name", CASES)
def test_sums_are_taken_where_they_are_cheapest(shardwise, name):
    arguments, body, result, expected = CASES[name]
    text = f"{MESH}func.func @main({arguments}) -> {result} {{{body}\n}}\n"
    report = run(shardwise, text)
    assert report["verified"]
    assert [(c["kind"], c["axes"], c["count"], c["tensors"], c["bytes_received_per_device"])
            for c in report["collectives"]] == expected
    # What explain tells of transfers is what runs, tensor by tensor.
    transfers = json.loads(shardwise("explain", "-", "--json", stdin=text).stdout)["transfers"]
    assert sum(t["calls"] for t in transfers) == sum(c["tensors"] for c in report["collectives"])
    assert sum(t["received_bytes"] for t in transfers) == sum(
        c["bytes_received_per_device"] for c in report["collectives"])


def test_wider_sums_pay_from_two_on(shardwise):
    """Partial sums of bf16 are converted and added as f32; one alone is reduced as bf16."""
    for number, kind in ((1, "bf16"), (2, "f32"), (3, "f32")):
        lines = []
        for i in range(number):
            lines.append(f"%p{i} = {dot('%a', f'%b{i}', '16x32xbf16', '32x8xbf16', '16x8xbf16')}")
            lines.append(f"%w{i} = stablehlo.convert %p{i} : (tensor<16x8xbf16>) -> {M}")
            lines.append(f"%s{i} = stablehlo.add %s{i - 1}, %w{i} : {M}" if i else
                         f"%s0 = stablehlo.negate %w0 : {M}")
        arguments = ", ".join([f"%a: {tensor('16x32xbf16', CONTRACTED)}"] + [
            f"%b{i}: {tensor('32x8xbf16', SHARDED)}" for i in range(number)])
        text = (f"{MESH}func.func @main({arguments}) -> ({WHOLE}) {{\n  " + "\n  ".join(lines) +
                f"\n  return %s{number - 1} : {M}\n}}\n")
        # Rounded to bf16 on every device, as each product of the program is.
        (reduction,) = run(shardwise, text, "--rtol", "0.02")["collectives"]
        assert reduction["count"] == 1
        assert reduction["bytes_received_per_device"] == (MATRIX if kind == "f32" else MATRIX // 2)


def test_many_small_sums_are_one_collective(shardwise):
    arguments = ", ".join(f"%a{i}: {tensor(f'8x{i + 1}xf32', SHARDED)}" for i in range(12))
    body = [f"%z = stablehlo.constant dense<0.0> : {S}"]
    for i in range(12):
        body.append(f"%r{i} = stablehlo.reduce(%a{i} init: %z) applies stablehlo.add across "
                    f"dimensions = [0] : (tensor<8x{i + 1}xf32>, {S}) -> tensor<{i + 1}xf32>")
        body.append(f"%e{i} = stablehlo.exponential %r{i} : tensor<{i + 1}xf32>")
    types = ", ".join(f"tensor<{i + 1}xf32>" for i in range(12))
    results = ", ".join(tensor(f"{i + 1}xf32", "[{}]") for i in range(12))
    values = ", ".join(f"%e{i}" for i in range(12))
    text = (f"{MESH}func.func @main({arguments}) -> ({results}) {{\n  " + "\n  ".join(body) +
            f"\n  return {values} : {types}\n}}\n")
    report = run(shardwise, text)
    (collective,) = report["collectives"]
    assert report["verified"] and (collective["count"], collective["tensors"]) == (1, 12)
    assert "1 (12 tensors)" in shardwise("run", "-", stdin=text).stdout
    assert shardwise("partition", "-", stdin=text).stdout.count('"stablehlo.all_reduce"') == 1


def test_optimizer_states_in_parts_take_gradients_in_parts(shardwise):
    """ZeRO-1: a reduce_scatter of the gradient, an all_gather of the weight; of the norm one number."""
    weight = "tensor<32x16xf32>"
    whole, part = tensor("32x16xf32", "[{}, {}]"), tensor("32x16xf32", SHARDED)
    x = tensor("64x32xf32", SHARDED)
    text = f"""{MESH}func.func @main(%x: {x}, %w: {whole}, %m: {part}) -> ({whole}, {part}, {S}) {{
  %h = {dot("%x", "%w", "64x32xf32", "32x16xf32", "64x16xf32")}
  %d = stablehlo.tanh %h : tensor<64x16xf32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<64x32xf32>, tensor<64x16xf32>) -> {weight}
  %z = stablehlo.constant dense<0.0> : {S}
  %s = stablehlo.multiply %g, %g : {weight}
  %norm = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0, 1] : ({weight}, {S}) -> {S}
  %n = stablehlo.add %m, %g : {weight}
  %u = stablehlo.subtract %w, %n : {weight}
  return %u, %n, %norm : {weight}, {weight}, {S}
}}
"""
    report = run(shardwise, text)
    bytes_of_parts = 32 * 16 * 4 * 3 // 4
    assert report["verified"]
    assert [(c["kind"], c["axes"], c["count"], c["bytes_received_per_device"])
            for c in report["collectives"]] == [
        ("all_gather", '{"x"}', 1, bytes_of_parts), ("all_reduce", '{"x"}', 1, SCALAR),
        ("reduce_scatter", '{"x"}', 1, bytes_of_parts)]


def test_a_sum_stops_at_a_reshape_that_would_make_its_blocks_strided(shardwise):
    """4 of the 8 columns of 4x8 are no block of 2x16: the sum is whole before it."""
    product = dot("%a", "%b", "4x16xf32", "16x8xf32", "4x8xf32")
    text = f"""{MESH}func.func @main(%a: {tensor("4x16xf32", CONTRACTED)}, %b: {tensor("16x8xf32", BOTH)})
    -> tensor<2x16xf32> {{
  %0 = {product}
  %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}}
"""
    report = run(shardwise, text)
    assert report["verified"]
    assert [(c["kind"], c["axes"], c["bytes_received_per_device"]) for c in report["collectives"]] == [
        ("all_gather", '{"y"}', 64), ("all_reduce", '{"x"}', 96)]
