# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs beyond the examples: every kind of reshard, device orders, programs without a mesh."""

import json

import numpy
import pytest


def run_text(shardwise, text, *arguments):
    process = shardwise("run", "-", "--json", *arguments, stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def identity(mesh, source, target, shape="8x16"):
    return f"""
sdy.mesh @mesh = <{mesh}>
func.func @main(%x: tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, {source}>}})
    -> (tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, {target}>}}) {{
  return %x : tensor<{shape}xf32>
}}
"""


SHARDINGS = ["[{}, {}]", '[{"x"}, {}]', '[{}, {"x"}]', '[{"x"}, {"y"}]', '[{"y"}, {"x"}]',
             '[{"x", "y"}, {}]', '[{"y", "x"}, {}]', '[{}, {"x", "y"}]', '[{"x":(1)2}, {"x":(2)2}]']


@pytest.mark.parametrize("mesh", ['["x"=4, "y"=2]', '["x"=4, "y"=2], device_ids=[7, 2, 5, 0, 1, 6, 3, 4]'])
@pytest.mark.parametrize("source", SHARDINGS)
def test_every_reshard_keeps_the_values(shardwise, mesh, source):
    for target in SHARDINGS:
        report = run_text(shardwise, identity(mesh, source, target))
        assert report["verified"] is True and report["outputs"][0]["max_abs_error"] == 0
        assert report["outputs"][0]["sharding"] == target


def test_program_without_a_mesh_runs_on_one_device(shardwise):
    report = run_text(shardwise, "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                                 "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
                                 "  return %0 : tensor<3xf32>\n}\n")
    assert report["devices"] == 1 and report["verified"] is True
    assert report["collectives"] == []


def test_the_only_public_function_is_the_program(shardwise):
    """Named computations become functions on the way."""
    report = run_text(shardwise, """
sdy.mesh @mesh = <["x"=2]>
func.func @step(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.named_computation<"layer">(%x) (%a: tensor<4xf32>) {
    %1 = func.call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
""")
    assert report["verified"] is True and report["outputs"][0]["sharding"] == '[{"x"}]'


def test_named_computations_of_one_name_keep_their_bodies(shardwise):
    report = run_text(shardwise, """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) (%a: tensor<8xf32>) {
    %1 = stablehlo.negate %a : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"f">(%0) (%a: tensor<8xf32>) {
    %1 = stablehlo.exponential %a : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
""")
    assert report["verified"] is True and report["collectives"] == []


COMPOSITES = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<16x16xf32> {
  %0 = stablehlo.composite "own.gelu" %a {decomposition = @gelu, composite_attributes = {approximate = true}, version = 1 : i32} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.composite "own.gelu" %0 {decomposition = @gelu, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
func.func private @gelu(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.tanh %x : tensor<16x16xf32>
  %1 = stablehlo.composite "own.gate" %0, %x {decomposition = @gate} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
func.func private @gate(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
"""


def test_shardings_flow_through_composites(shardwise):
    """Into the first, from its operand; what is written on the second is moved to."""
    report = run_text(shardwise, COMPOSITES)
    assert report["verified"] is True
    assert [(c["kind"], c["count"], c["bytes_received_per_device"]) for c in report["collectives"]] == [
        ("all_to_all", 1, 192)]
    assert report["outputs"][0]["sharding"] == '[{}, {"x"}]'
    partitioned = shardwise("partition", "-", stdin=COMPOSITES)
    assert "composite" not in partitioned.stdout
    explained = shardwise("explain", "-", "--json", stdin=COMPOSITES)
    assert len(json.loads(explained.stdout)["transfers"]) == 1


def test_composites_in_loops_and_branches(shardwise):
    report = run_text(shardwise, """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %p: tensor<i1>) -> tensor<8xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %a) : tensor<i32>, tensor<8xf32>
  cond {
    %t = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c1 : tensor<i32>
    %w = stablehlo.composite "own.norm" %v {decomposition = @norm} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %n, %w : tensor<i32>, tensor<8xf32>
  }
  %1 = "stablehlo.if"(%p) ({
    %w = stablehlo.composite "own.norm" %0#1 {decomposition = @norm} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %w : tensor<8xf32>
  }, {
    stablehlo.return %0#1 : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @norm(%x: tensor<8xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.subtract %x, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
""")
    assert report["verified"] is True and report["collectives"]


def test_collectives_that_the_user_wrote_keep_the_values(shardwise):
    text = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.all_gather [{"y"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x4xf32>
  %2 = sdy.all_slice [{"y"}, {}] %1 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
"""
    report = run_text(shardwise, text)
    assert report["verified"] is True and report["outputs"][0]["max_abs_error"] == 0
    process = shardwise("eval", "-", "--evaluator", "both", stdin=text)
    assert process.returncode == 0, process.stderr


def test_tensors_without_elements_are_resharded(shardwise):
    for target in ("[{}, {}]", '[{"y"}, {"x"}]', '[{}, {"x"}]', '[{"y", "x"}, {}]'):
        report = run_text(shardwise, identity('["x"=2, "y"=2]', '[{"x"}, {"y"}]', target, "0x4"))
        assert report["verified"] is True and report["outputs"][0]["sharding"] == target


@pytest.mark.parametrize("kind", ["", "max", "min"])
def test_arguments_that_are_partial_values_combine_to_the_argument(shardwise, kind):
    report = run_text(shardwise, identity('["x"=2, "y"=2]', f'[{{"x"}}, {{}}], unreduced={kind}{{"y"}}',
                                          '[{"x"}, {}]'))
    assert report["verified"] is True and report["outputs"][0]["max_abs_error"] == 0


@pytest.mark.parametrize("kind", ["", "max", "min"])
def test_results_that_are_partial_values_are_compared_combined(shardwise, kind):
    partial = f'[{{"x"}}, {{}}], unreduced={kind}{{"y"}}'
    report = run_text(shardwise, identity('["x"=2, "y"=2, "z"=2]', partial, partial))
    assert report["verified"] is True and report["outputs"][0]["max_abs_error"] == 0


def test_products_that_are_not_summed_up_are_compared_summed_up(shardwise):
    report = run_text(shardwise, """sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %b: tensor<4x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}) {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>
  } : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
""")
    assert report["verified"] is True and report["collectives"] == []
    assert report["outputs"][0]["sharding"] == '[{"y"}, {}], unreduced={"x"}'


@pytest.mark.parametrize("source, target", [
    ('[{"x"}, {}]', '[{}, {}], unreduced={"x"}'),
    ('[{}, {}]', '[{}, {}], unreduced={"x"}'),
    ('[{"x", "y"}, {}]', '[{"y"}, {}], unreduced={"x"}'),
    ('[{"x"}, {"y"}]', '[{}, {"z"}], unreduced={"x", "y"}'),
    ('[{"x":(1)2}, {"x":(2)2}]', '[{}, {}], unreduced={"x"}'),
    ('[{"x"}, {}], unreduced={"y"}', '[{}, {}], unreduced={"x", "y"}'),
    ('[{"x"}, {}], unreduced={"y"}', '[{"y"}, {}], unreduced={"x"}'),
    ('[{"y"}, {}], unreduced=max{"x"}', '[{}, {"x"}], unreduced={"y"}'),
])
def test_values_become_partial(shardwise, source, target):
    """Explicitly, by a reshard, and implicitly, where the function returns."""
    mesh = '["x"=4, "y"=2, "z"=2]'
    report = run_text(shardwise, identity(mesh, source, target))
    assert report["verified"] is True and report["outputs"][0]["max_abs_error"] == 0
    report = run_text(shardwise, f"""sdy.mesh @mesh = <{mesh}>
func.func @main(%x: tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, {source}>}}) -> tensor<8x16xf32> {{
  %0 = sdy.reshard %x <@mesh, {target}> : tensor<8x16xf32>
  %1 = stablehlo.sine %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}}
""")
    assert report["verified"] is True


def test_nothing_is_sent_for_becoming_partial(shardwise):
    report = run_text(shardwise, identity('["x"=2, "y"=2]', '[{"x"}, {}]', '[{}, {}], unreduced={"x", "y"}'))
    assert report["verified"] is True and report["collectives"] == []


def test_calls_pass_partial_sums_on(shardwise):
    partial = '#sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>'
    report = run_text(shardwise, f"""sdy.mesh @mesh = <["x"=8]>
func.func @main(%a: tensor<16x8xf32> {{sdy.sharding = {partial}}}) -> tensor<16x8xf32> {{
  %0 = call @twice(%a) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = call @twice(%0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}}
func.func private @twice(%a: tensor<16x8xf32> {{sdy.sharding = {partial}}}) -> (tensor<16x8xf32> {{sdy.sharding = {partial}}}) {{
  %0 = stablehlo.add %a, %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{}}, {{}}], unreduced={{"x"}}>]>}} : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}}
""")
    assert report["verified"] is True
    assert [(c["kind"], c["count"]) for c in report["collectives"]] == [("all_reduce", 1)]


def test_sum_declared_as_maximum_is_refused_at_the_op(shardwise):
    process = shardwise("run", "-", stdin="""sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=max{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
""")
    assert process.returncode == 1
    assert "4:8: error: 'stablehlo.reduce' op result 0 is declared unreduced by max along \"x\"" in process.stderr


def test_mesh_without_shardings_still_counts_devices(shardwise):
    report = run_text(shardwise, 'sdy.mesh @mesh = <["a"=3]>\n'
                                 "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                                 "  return %x : tensor<3xf32>\n}\n")
    assert report["devices"] == 3 and report["verified"] is True


def test_shapes_that_do_not_divide_stay_whole_where_propagation_may_choose(shardwise):
    report = run_text(shardwise, """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
  %0 = stablehlo.slice %x [1:7] : (tensor<8xf32>) -> tensor<6xf32>
  %1 = stablehlo.sine %0 : tensor<6xf32>
  return %1 : tensor<6xf32>
}
""")
    assert report["verified"] is True


def test_manual_computation_is_partitioned(shardwise):
    """What JAX prints for a shard_map with a psum."""
    text = """
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"data"}, {"model"}]>, <@mesh, [{"model"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"data", "model"} (%arg2: tensor<2x8xf32>, %arg3: tensor<8x4xf32>) {
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    sdy.return %2 : tensor<2x4xf32>
  } : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
"""
    report = run_text(shardwise, text)
    assert report["devices"] == 8
    # What memory it would take on one device is not made up.
    assert report["verified"] is True and report["unpartitioned_peak_bytes"] is None
    assert {c["kind"] for c in report["collectives"]} == {"all_reduce"}


def lapack(name, options, results):
    """What JAX prints for decompositions: batch dimensions shard, matrix dimensions do not."""
    return f"""
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x3x3xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}, {{}}]>}},
    %b: tensor<4x3x2xf32>) -> tensor<4x3x2xf32> {{
  %t = stablehlo.transpose %a, dims = [0, 2, 1] : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %p = stablehlo.dot_general %a, %t, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x3x3xf32>, tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
  %i = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %e = stablehlo.broadcast_in_dim %i, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<4x3x3xf32>
  %s = stablehlo.add %p, %e : tensor<4x3x3xf32>
  %0:{len(results)} = stablehlo.custom_call @{name}(%s) {{mhlo.backend_config = {options[0]}, sdy.sharding_rule = {options[1]}}} : (tensor<4x3x3xf32>) -> ({", ".join(results)})
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%0#0, %b) {{mhlo.backend_config = {{diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {{i=4, j=3, k=3, l=3, m=2, n=3, o=2}}, custom>}} : (tensor<4x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return %1 : tensor<4x3x2xf32>
}}
"""


@pytest.mark.parametrize("name, options, results", [
    ("lapack_spotrf_ffi",
     ("{uplo = 76 : ui8}", "#sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i]) "
                           "{i=4, j=3, k=3, l=3, m=3}, custom>"),
     ["tensor<4x3x3xf32>", "tensor<4xi32>"]),
    ("lapack_sgetrf_ffi",
     ("{}", "#sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) "
            "{i=4, j=3, k=3, l=3, m=3, n=3}, custom>"),
     ["tensor<4x3x3xf32>", "tensor<4x3xi32>", "tensor<4xi32>"]),
])
def test_lapack_calls_run_on_shards_of_the_batch(shardwise, name, options, results):
    report = run_text(shardwise, lapack(name, options, results))
    assert report["verified"] is True
    assert report["outputs"][0]["sharding"].startswith('[{"x"')
    assert report["collectives"] == []


LOOP = """
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %p = stablehlo.compare NE, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""


def test_a_loop_that_random_inputs_keep_running_is_stopped(shardwise):
    """Counts away from its end: two to the 32 iterations for most numbers."""
    for seed in range(4):
        process = shardwise("run", "-", "--seed", seed, stdin=LOOP)
        if process.returncode != 0:
            assert "has not ended after 100000 iterations" in process.stderr
            assert "4:8" in process.stderr, "names the loop"
            return
    pytest.fail("no seed gives a number above one")


def test_the_limit_of_iterations_can_be_chosen(shardwise, tmp_path):
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "0.npy", numpy.int32(-5))
    process = shardwise("run", "-", "--inputs", tmp_path, "--max-iterations", 5, stdin=LOOP)
    assert process.returncode == 1 and "after 5 iterations" in process.stderr
    process = shardwise("run", "-", "--inputs", tmp_path, "--max-iterations", 6, stdin=LOOP)
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("before, op, after", [
    ('[{"y", "x"}, {}]', 'all_gather [{"x"}, {}]', '[{"y"}, {}]'),
    ('[{"y", "x"}, {}]', 'all_gather [{"y", "x"}, {}]', '[{}, {}]'),
    ('[{"y"}, {}]', 'all_slice [{"x"}, {}]', '[{"y", "x"}, {}]'),
    ('[{"y"}, {"x"}]', 'all_to_all [{"x"}: 1->0]', '[{"y", "x"}, {}]'),
    ('[{}, {"y", "x"}]', 'all_to_all [{"y", "x"}: 1->0]', '[{"y", "x"}, {}]'),
    ('[{"y"}, {}], unreduced={"x"}', 'all_reduce {"x"}', '[{"y"}, {}]'),
    ('[{"y"}, {}], unreduced={"x"}', 'reduce_scatter [{}, {"x"}]', '[{"y"}, {"x"}]'),
    ('[{"y"}, {}]', 'replicated_to_unreduced {"x"}', '[{"y"}, {}], unreduced={"x"}'),
    ('[{"y", "x"}, {}]', 'sharded_to_unreduced [{"x"}, {}]', '[{"y"}, {}], unreduced={"x"}'),
    ('[{"y"}, {"x"}]', 'collective_permute', '[{"y", "x"}, {}]'),
])
def test_collectives_over_an_axis_of_size_one(shardwise, before, op, after):
    report = run_text(shardwise, f"""sdy.mesh @mesh = <["x"=1, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {before}>}}) -> tensor<8x8xf32> {{
  %0 = sdy.{op} %a out_sharding=<@mesh, {after}> : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}}
""")
    assert report["verified"] is True


def test_empty_complex_tensors_change_their_cut(shardwise):
    report = run_text(shardwise, """sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%a: tensor<8x0xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
    -> (tensor<0x8xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)2}, {"y", "x":(1)2}]>}) {
  %0 = stablehlo.exponential %a : tensor<8x0xcomplex<f32>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x0xcomplex<f32>>) -> tensor<0x8xcomplex<f32>>
  return %1 : tensor<0x8xcomplex<f32>>
}
""")
    assert report["verified"] is True


def scan(body, arguments, inits, results, dimension, attributes="", captured=""):
    """A program of one chlo.scan of %x; `arguments` are those of the function, `inits` types."""
    names = ", ".join(f"%c{i}" for i in range(len(inits)))
    carried = ", ".join(f"%b{i}: {t}" for i, t in enumerate(inits))
    lhs = ", ".join(f"%r{i}" for i in range(len(results)))
    x = arguments[0][1]
    part = x.split("<")[1].split("x")
    part = "tensor<" + "x".join(part[:dimension] + part[dimension + 1:])
    signature = ", ".join(
        f"{name}: {t}" + (f" {{sdy.sharding = #sdy.sharding<@mesh, {s}>}}" if s else "")
        for name, t, s in arguments)
    return f"""
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main({signature}) -> ({", ".join(results)}) {{
  {captured}
  {lhs} = chlo.scan(%x) inits ({names}) dimension={dimension} attributes {{is_reverse = {attributes or "false"}}} {{
  ^bb0(%a0: {part}, {carried}):
    {body}
  }} : ({", ".join([x] + inits)}) -> ({", ".join(results)})
  return {lhs} : {", ".join(results)}
}}
"""


SUM = """%s = stablehlo.add %a0, %b0 : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>"""
SUM_OF_LAYERS = """%k = stablehlo.constant dense<0.5> : tensor<4x6xf32>
    %m = stablehlo.multiply %b0, %k : tensor<4x6xf32>
    %s = stablehlo.add %a0, %m : tensor<4x6xf32>
    %t = stablehlo.tanh %s : tensor<4x6xf32>
    stablehlo.return %t, %s : tensor<4x6xf32>, tensor<4x6xf32>"""
PRODUCT = """%p = stablehlo.dot_general %b0, %w, contracting_dims = [0] x [0] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %s = stablehlo.add %a0, %p : tensor<4xf32>
    %t = stablehlo.tanh %s : tensor<4xf32>
    stablehlo.return %t, %t : tensor<4xf32>, tensor<4xf32>"""


@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize("sharding", ['[{}, {}]', '[{"x"}, {}]', '[{}, {"x"}]', '[{"x"}, {"y"}]',
                                      '[{"x", "y"}, {}]'])
def test_scans_are_cut_along_all_other_dimensions(shardwise, sharding, reverse):
    text = scan(SUM, [("%x", "tensor<4x8xf32>", sharding), ("%c0", "tensor<4xf32>", "")],
                ["tensor<4xf32>"], ["tensor<4x8xf32>", "tensor<4xf32>"], 1, reverse)
    report = run_text(shardwise, text)
    assert report["verified"] is True
    if sharding in ('[{"x"}, {}]', '[{"x", "y"}, {}]'):
        assert report["collectives"] == []


def test_scan_of_a_middle_dimension(shardwise):
    text = scan(SUM_OF_LAYERS, [("%x", "tensor<4x8x6xf32>", '[{"x"}, {}, {"y"}]'),
                                ("%c0", "tensor<4x6xf32>", "")],
                ["tensor<4x6xf32>"], ["tensor<4x8x6xf32>", "tensor<4x6xf32>"], 1)
    report = run_text(shardwise, text)
    assert report["verified"] is True and report["collectives"] == []
    assert report["outputs"][1]["sharding"] == '[{"x"}, {"y"}]'


@pytest.mark.parametrize("sharding", ["", '[{"x"}, {}]', '[{}, {"y"}]', '[{"x"}, {"y"}]'])
def test_scan_that_mixes_elements_with_a_captured_matrix(shardwise, sharding):
    """Its slices are whole; the product in it is partitioned by itself."""
    text = scan(PRODUCT, [("%x", "tensor<4x8xf32>", '[{"x"}, {}]'), ("%c0", "tensor<4xf32>", ""),
                          ("%w", "tensor<4x4xf32>", sharding)],
                ["tensor<4xf32>"], ["tensor<4x8xf32>", "tensor<4xf32>"], 1)
    report = run_text(shardwise, text)
    assert report["verified"] is True


def test_scan_of_a_partial_sum(shardwise):
    """A sum that reaches the body only by name is combined before it."""
    captured = """%z = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>"""
    body = """%n = stablehlo.broadcast_in_dim %sum, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %p = stablehlo.multiply %a0, %n : tensor<4xf32>
    %s = stablehlo.add %p, %b0 : tensor<4xf32>
    stablehlo.return %s, %s : tensor<4xf32>, tensor<4xf32>"""
    text = scan(body, [("%x", "tensor<4x8xf32>", '[{"x"}, {}]'), ("%c0", "tensor<4xf32>", ""),
                       ("%v", "tensor<8xf32>", '[{"y"}]')],
                ["tensor<4xf32>"], ["tensor<4x8xf32>", "tensor<4xf32>"], 1, captured=captured)
    report = run_text(shardwise, text)
    assert report["verified"] is True
    assert [c["kind"] for c in report["collectives"]] == ["all_reduce"]


REGIONS = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x6xf32>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%b: tensor<f32>, %c: tensor<f32>):
    %none = stablehlo.constant dense<0.0> : tensor<f32>
    %d = stablehlo.maximum %b, %none : tensor<f32>
    %1 = stablehlo.compare LT, %d, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %2 = stablehlo.reduce(%a init: %zero) across dimensions = [0]
      : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32> reducer(%b: tensor<f32>, %c: tensor<f32>) {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %d = stablehlo.multiply %c, %one : tensor<f32>
    %3 = stablehlo.add %b, %d : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %0, %2 : tensor<8x6xf32>, tensor<6xf32>
}
"""


def test_a_propagated_program_is_a_program(shardwise):
    """Constants are those of sdy then, in the regions of sorts and reductions too."""
    propagated = shardwise("propagate", "-", stdin=REGIONS).stdout
    assert propagated.count("sdy.constant") == 3
    assert run_text(shardwise, propagated)["verified"] is True
    for evaluator in ("compiled", "reference"):
        process = shardwise("eval", "-", "--evaluator", evaluator, stdin=propagated)
        assert process.returncode == 0, process.stderr


def test_updates_of_a_dimension_of_one_element_reach_its_owner(shardwise, tmp_path):
    """A dimension of size 1 that is cut has one owner, who needs all updates, also those that are cut over the same axis."""
    text = """sdy.mesh @m = <["x"=4]>
func.func @main(%x: tensor<4x4x1x3xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {"x"}, {}]>}, %u: tensor<3x3x4x1x3xi32>,
    %i: tensor<3x2x3xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) -> tensor<4x4x1x3xi32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2, 3],
      inserted_window_dims = [2], scatter_dims_to_operand_dims = [2, 3], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %least = stablehlo.minimum %a, %b : tensor<i32>
    stablehlo.return %least : tensor<i32>
  }) : (tensor<4x4x1x3xi32>, tensor<3x2x3xi32>, tensor<3x3x4x1x3xi32>) -> tensor<4x4x1x3xi32>
  return %r : tensor<4x4x1x3xi32>
}
"""
    random = numpy.random.default_rng(0)
    inputs = [random.integers(-9, 9, (4, 4, 1, 3)), random.integers(-9, 9, (3, 3, 4, 1, 3)), numpy.zeros((3, 2, 3))]
    for number, one in enumerate(inputs):
        numpy.save(tmp_path / f"{number}.npy", one.astype(numpy.int32))
    assert run_text(shardwise, text, "--inputs", str(tmp_path))["verified"] is True


def test_common_work_before_a_loop_beside_a_collective(shardwise):
    """Devices do the random bits and the loop once for all, while the state is gathered."""
    text = """sdy.mesh @mesh = <["y"=2]>
func.func public @main(%a9: tensor<2xui64>, %a17: tensor<0xui64>, %a21: tensor<2xui64>, %a25: tensor<i32>, %a26: tensor<i32>, %cv13: tensor<i32>, %cv15_1: tensor<i32>) -> (tensor<1xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<2xui64>, tensor<i32>) {
  %v5:2 = stablehlo.rng_bit_generator %a9, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1xui32>)
  %v5_0_c = sdy.sharding_constraint %v5#0 <@mesh, [{"y"}]> : tensor<2xui64>
  %v8 = stablehlo.concatenate %v5_0_c, %a17, dim = 0 : (tensor<2xui64>, tensor<0xui64>) -> tensor<2xui64>
  %v10 = stablehlo.power %v5_0_c, %a21 : tensor<2xui64>
  %v17:4 = stablehlo.while(%v17_i0 = %a25, %v17_i1 = %cv15_1, %v17_i2 = %v10, %v17_i3 = %cv13) : tensor<i32>, tensor<i32>, tensor<2xui64>, tensor<i32>
    cond {
    %v17_c = stablehlo.compare LT, %v17_i0, %a26 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %v17_c : tensor<i1>
  } do {
    %v17_1 = stablehlo.constant dense<1> : tensor<i32>
    %v17_n = stablehlo.add %v17_i0, %v17_1 : tensor<i32>
    %v17_b0 = stablehlo.add %v17_i1, %v17_i3 : tensor<i32>
    %v17_b1 = stablehlo.xor %v17_i1, %v17_b0 : tensor<i32>
    %v17_b2 = stablehlo.xor %v17_b0, %v17_i3 : tensor<i32>
    %v17_b3 = stablehlo.subtract %v17_i3, %v17_b1 : tensor<i32>
    stablehlo.return %v17_n, %v17_b3, %v17_i2, %v17_b3 : tensor<i32>, tensor<i32>, tensor<2xui64>, tensor<i32>
  }
  return %v5#1, %v8, %v17#3 : tensor<1xui32>, tensor<2xui64>, tensor<i32>
}
"""
    assert run_text(shardwise, text)["verified"] is True
