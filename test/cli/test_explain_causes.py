# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What transfers go back to, and what cures it; programs of which a report would be all zeros."""

import json

import pytest

# A table whose rows are cut over {"data"} along the features: at the lookup that beats the batch, and all
# layers below compute the whole batch and sum over {"data"}.
LAYER = """  %h{n} = stablehlo.dot_general %x{n}, %w{n}, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  %a{n} = stablehlo.tanh %h{n} : tensor<64x128xf32>
  %x{next} = stablehlo.dot_general %a{n}, %v{n}, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
"""


def lookup(layers=4, constraint=False):
    weights = ", ".join(f'%w{n}: tensor<32x128xf32> loc("params[\'w{n}\']"), %v{n}: tensor<128x32xf32> loc("params[\'v{n}\']")'
                        for n in range(layers))
    cured = ('  %x0 = sdy.sharding_constraint %e <@mesh, [{"data"}, {}]> : tensor<64x32xf32>\n' if constraint
             else "  %x0 = stablehlo.negate %e : tensor<64x32xf32>\n")
    return f"""sdy.mesh @mesh = <["data"=4]>
func.func @main(%t: tensor<100x32xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"data"}}]>}} loc("params['embed']"),
                %i: tensor<64x1xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"data"}}, {{}}]>}} loc("batch['ids']"), {weights}) -> tensor<64x32xf32> {{
  %e = "stablehlo.gather"(%t, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>}}> : (tensor<100x32xf32>, tensor<64x1xi32>) -> tensor<64x32xf32>
{cured}{"".join(LAYER.format(n=n, next=n + 1) for n in range(layers))}  return %x{layers} : tensor<64x32xf32>
}}
"""


def explain(shardwise, text, *arguments):
    process = shardwise("explain", "-", "--json", *arguments, stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_transfers_go_back_to_where_an_axis_won(shardwise):
    report = explain(shardwise, lookup())
    for transfer in report["transfers"]:
        if transfer["conflict"] >= 0:
            assert transfer["root"] == report["conflicts"][transfer["conflict"]]["root"]
    for cause in report["root_causes"]:
        assert cause["received_bytes"] == sum(report["transfers"][i]["received_bytes"] for i in cause["transfers"])
        assert all(report["transfers"][i]["root"] in cause["conflicts"] for i in cause["transfers"])
    costs = [cause["received_bytes"] for cause in report["root_causes"]]
    assert costs == sorted(costs, reverse=True)


CLASH = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, PARAMETERS) -> tensor<64x64xf32> {
BODY  return %cCOUNT : tensor<64x64xf32>
}
"""


def clashes(count):
    """Products whose columns want the axis that the rows of what they are summed up in have."""
    parameters = ", ".join(f'%b{n}: tensor<64x64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{?}}, {{"x"}}]>}}' for n in range(count))
    body = "  %c0 = stablehlo.negate %a : tensor<64x64xf32>\n" + "".join(
        f"  %d{n} = stablehlo.dot_general %c{n}, %b{n}, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        f"  %c{n + 1} = stablehlo.tanh %d{n} : tensor<64x64xf32>\n" for n in range(count))
    return CLASH.replace("PARAMETERS", parameters).replace("BODY", body).replace("COUNT", str(count))


def test_a_change_is_made_at_all_places_that_are_alike(shardwise):
    report = explain(shardwise, clashes(6), "--suggest-seconds", "60")
    assert report["suggestions"], report["conflicts"]
    best = report["suggestions"][0]
    assert best["applied_to"] > 1
    assert best["received_bytes"]["after"] < 0.5 * best["received_bytes"]["before"]
    assert best["memory_bytes"]["before"] == report["memory"]["peak_bytes"] and best["memory_bytes"]["after"] > 0
    text = shardwise("explain", "-", stdin=clashes(6)).stdout
    assert f"made at all {best['applied_to']} places that are alike" in " ".join(text.split())


def test_no_time_no_changes(shardwise):
    report = explain(shardwise, clashes(3), "--suggest-seconds", "0")
    assert report["edits_tried"] <= 1
    assert explain(shardwise, clashes(3), "--suggest", "0")["edits_tried"] == 0


FORGOTTEN = """sdy.mesh @mesh = <["data"=8]>
func.func @main(%w: tensor<64x64xf32> loc("params['w']"), %x: tensor<32x64xf32> loc("batch['x']"),
                %y: tensor<32x64xf32> loc("batch['y']"),
                %r: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>} loc("rates")) -> tensor<32x64xf32> {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %e = stablehlo.subtract %h, %y : tensor<32x64xf32>
  return %e : tensor<32x64xf32>
}
"""


def test_sharding_a_forgotten_batch_is_tried_and_measured(shardwise):
    (best,) = explain(shardwise, FORGOTTEN)["suggestions"]
    assert (best["conflict"], best["applied_to"]) == (-1, 2)
    assert best["flops"]["before"] == 8 * best["flops"]["after"]
    assert '[{"data"}, {}]' in best["edit"]


def test_a_gathered_weight_is_no_conflict(shardwise):
    """A weight that is cut like the batch, along what the product sums over: ZeRO-3."""
    text = """sdy.mesh @mesh = <["fsdp"=4]>
func.func @main(%w: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>} loc("params['w']"),
                %x: tensor<4096x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>} loc("batch['x']")) -> tensor<4096x128xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4096x64xf32>, tensor<64x128xf32>) -> tensor<4096x128xf32>
  return %y : tensor<4096x128xf32>
}
"""
    report = explain(shardwise, text)
    assert [(c["weight_gather"], c["root"]) for c in report["conflicts"]] == [(True, -1)]
    assert report["suggestions"] == [] and report["root_causes"] == []
    assert report["transfers"][0]["because"] == (
        "params['w'] is cut over {\"fsdp\"} and gathered where it is used, as in ZeRO-3 (FSDP)")
    assert "gathers weights for use" in " ".join(shardwise("explain", "-", stdin=text).stdout.split())


PRODUCT = """func.func @main(%x: tensor<8x8xf32>ATTRIBUTES, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
"""
SHARDED = ' {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
MESH = 'sdy.mesh @mesh = <["x"=4]>\n'


@pytest.mark.parametrize("text, code, words", [
    (PRODUCT.replace("ATTRIBUTES", ""), "no_mesh", "in_shardings"),
    ("module attributes {mhlo.num_partitions = 8 : i32} {\n" + PRODUCT.replace("ATTRIBUTES", "") + "}", "no_mesh",
     "mhlo.num_partitions says 8 devices"),
    (MESH + PRODUCT.replace("ATTRIBUTES", ""), "no_shardings", "each of the 4 devices does all"),
    ("module attributes {mhlo.num_partitions = 16 : i32} {\n" + MESH + PRODUCT.replace("ATTRIBUTES", SHARDED) + "}",
     "num_partitions", "says 16 devices, but the mesh has 4"),
    (MESH + PRODUCT.replace("ATTRIBUTES", SHARDED).replace(
        "%w: tensor<8x8xf32>", '%w: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}'),
     "mhlo_sharding", "jax_use_shardy_partitioner")])
def test_what_a_program_lacks_is_told(shardwise, text, code, words):
    (note,) = [note for note in explain(shardwise, text)["notes"] if note["code"] == code]
    assert words in note["text"]
    shown = " ".join(" ".join(shardwise("explain", "-", stdin=text).stdout.splitlines()[:10]).split())
    assert words in shown


def test_a_program_with_all_it_needs_has_no_such_notes(shardwise):
    text = "module attributes {mhlo.num_partitions = 4 : i32} {\n" + MESH + PRODUCT.replace("ATTRIBUTES", SHARDED) + "}"
    assert explain(shardwise, text)["notes"] == []


def test_only_old_shardings_are_refused(shardwise):
    text = PRODUCT.replace("ATTRIBUTES", ' {mhlo.sharding = "{devices=[4,1]<=[4]}"}')
    process = shardwise("explain", "-", stdin=text)
    assert process.returncode == 1
    assert "is of the partitioner before Shardy; export with Shardy" in process.stderr


def test_a_jaxpr_is_named(shardwise):
    process = shardwise("explain", "-", stdin="{ lambda ; a:f32[8]. let b:f32[8] = tanh a in (b,) }\n")
    assert process.returncode == 1
    assert "this is a jaxpr, expected StableHLO; export the program as text" in process.stderr
