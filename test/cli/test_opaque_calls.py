# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of kernels that only the user has: `partition`, `explain` and `propagate` need none. The texts
are what JAX writes for `pl.pallas_call` lowered for TPUs, `jax.pure_callback` and `jax.ffi.ffi_call`; the
Pallas kernel itself is left out, nobody looks into it."""

import json
import re

import pytest

FORMS = ["stablehlo", "xla-replicas", "xla-shard-map", "sdy", "mlir-shard"]

HEAD = """
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @maximal_mesh_0 = <[], device_ids=[0]>
  sdy.mesh @empty_mesh = <[]>
  sdy.mesh @mesh = <["x"=4, "y"=2]>
"""
LAYOUTS = ("operand_layouts = [dense<[1, 0]> : tensor<2xindex>], "
           "result_layouts = [dense<[1, 0]> : tensor<2xindex>]")
PALLAS = 'custom_call @tpu_custom_call(%V) {backend_config = "{}", kernel_name = "addk", ' + LAYOUTS + "}"
CALLBACK = ("custom_call @xla_ffi_python_cpu_callback(%V) {backend_config = \"\", mhlo.backend_config = "
            "{index = 0 : ui64}, " + LAYOUTS + "}")
FFI = ("custom_call @my_target(%V) {backend_config = \"\", mhlo.backend_config = {eps = 1.0e-05 : f64}, "
       + LAYOUTS + "}")
LAPACK = "custom_call @lapack_sorgqr_ffi(%V) {backend_config = \"\"}"
CALLS = {"pallas": PALLAS, "callback": CALLBACK, "ffi": FFI}
TARGETS = {"pallas": "tpu_custom_call", "callback": "xla_ffi_python_cpu_callback", "ffi": "my_target"}


def inside(call, local="16x128", axes='"x", "y"', cut='[{"x"}, {"y"}]'):
    return HEAD + f"""
  func.func public @main(%arg0: tensor<64x256xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}}) -> tensor<64x256xf32> {{
    %0 = stablehlo.sine %arg0 : tensor<64x256xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, {cut}>] out_shardings=[<@mesh, {cut}>] manual_axes={{{axes}}} (%arg1: tensor<{local}xf32>) {{
      %3 = stablehlo.{call.replace("%V", "%arg1")} : (tensor<{local}xf32>) -> tensor<{local}xf32>
      sdy.return %3 : tensor<{local}xf32>
    }} : (tensor<64x256xf32>) -> tensor<64x256xf32>
    %2 = stablehlo.tanh %1 : tensor<64x256xf32>
    return %2 : tensor<64x256xf32>
  }}
}}"""


def outside(call, attributes=""):
    call = call.replace("%V", "%0").replace("{backend", "{" + attributes + "backend")
    return HEAD + f"""
  func.func public @main(%arg0: tensor<64x256xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}}) -> tensor<64x256xf32> {{
    %0 = stablehlo.sine %arg0 : tensor<64x256xf32>
    %1 = stablehlo.{call} : (tensor<64x256xf32>) -> tensor<64x256xf32>
    %2 = stablehlo.{call.replace("%0", "%1")} : (tensor<64x256xf32>) -> tensor<64x256xf32>
    return %2 : tensor<64x256xf32>
  }}
}}"""


@pytest.fixture
def save(tmp_path):
    def save(text):
        path = tmp_path / "program.mlir"
        path.write_text(text)
        return path

    return save


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", FORMS)
def test_inside_every_device_calls_it_on_its_shard(shardwise, save, name, form):
    process = shardwise("partition", save(inside(CALLS[name])), "--form", form)
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    call, = re.findall(rf"custom_call @{TARGETS[name]}.*", process.stdout)
    assert call.endswith("(tensor<16x128xf32>) -> tensor<16x128xf32>")
    assert "operand_layouts = [dense<[1, 0]>" in call
    assert not re.search("all_gather|all_reduce|permute", process.stdout)


@pytest.mark.parametrize("name", CALLS)
def test_inside_nothing_is_moved_or_warned_of(shardwise, save, name):
    for command in ("explain", "propagate"):
        process = shardwise(command, save(inside(CALLS[name])))
        assert process.returncode == 0, process.stderr
        assert process.stderr == ""
    assert "0 B received per device" in shardwise("explain", save(inside(CALLS[name]))).stdout


def test_along_free_axes_it_is_computed_whole(shardwise, save):
    """Of shard_map with axis_names={"x"}: "y" is the partitioner's."""
    process = shardwise("partition", save(inside(FFI, "16x256", '"x"', '[{"x"}, {}]')))
    assert process.returncode == 0, process.stderr
    assert "every device computes all of it" in process.stderr
    assert "@my_target" in process.stdout and "(tensor<16x256xf32>) -> tensor<16x256xf32>" in process.stdout


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", FORMS)
def test_outside_without_a_rule_every_device_computes_all_of_it(shardwise, save, name, form):
    process = shardwise("partition", save(outside(CALLS[name])), "--form", form)
    assert process.returncode == 0, process.stderr
    # Once for both calls.
    warning, = re.findall("warning: .*", process.stderr)
    for part in (f"custom call target '{TARGETS[name]}'", "has no sharding rule", "sdy.sharding_rule",
                 "jax.shard_map", "every device computes all of it"):
        assert part in warning
    calls = re.findall(rf"custom_call @{TARGETS[name]}.*", process.stdout)
    assert len(calls) == 2
    assert all(call.endswith("(tensor<64x256xf32>) -> tensor<64x256xf32>") for call in calls)


def test_explain_lists_what_that_costs(shardwise, save):
    process = shardwise("explain", save(outside(FFI)), "--json")
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    # 64x256 floats but for a block of 16x128.
    assert sum(entry["received_bytes"] for entry in report["transfers"]) == (64 * 256 - 16 * 128) * 4


RULE = "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=64, j=256}, custom>, "
ROWS_ONLY = ("sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=64, j=256} "
             "need_replication={j}, custom>, ")


@pytest.mark.parametrize("form", FORMS)
def test_a_rule_says_what_may_be_cut(shardwise, save, form):
    process = shardwise("partition", save(outside(FFI, RULE)), "--form", form)
    assert process.returncode == 0 and process.stderr == ""
    assert process.stdout.count("(tensor<16x128xf32>) -> tensor<16x128xf32>") == 2
    assert not re.search("all_gather|permute", process.stdout)
    process = shardwise("partition", save(outside(FFI, ROWS_ONLY)), "--form", form)
    assert process.returncode == 0 and process.stderr == ""
    # Rows may take the axis of the columns, too.
    assert re.search(r"@my_target.*\(tensor<(16|8)x256xf32>\)", process.stdout)


@pytest.mark.parametrize("name, advice", [("pallas", "a kernel for TPUs"), ("callback", "host callbacks"),
                                          ("ffi", "lower it to StableHLO ops before export"),
                                          ("lapack", "only potrf, trsm and getrf")])
@pytest.mark.parametrize("command", ["run", "eval"])
def test_running_needs_a_kernel(shardwise, save, command, name, advice):
    process = shardwise(command, save(inside({**CALLS, "lapack": LAPACK}[name])))
    assert process.returncode == 1
    assert re.search(r"program.mlir:\d+:\d+: error: 'stablehlo.custom_call' op custom call target "
                     rf"'{TARGETS.get(name, 'lapack_sorgqr_ffi')}' has no kernel that could be run: {advice}", process.stderr)
    assert "'shardwise partition' and 'shardwise explain' need none" in process.stderr


def test_a_callback_on_one_device_stays_there(shardwise, save):
    """JAX gives callbacks outside of shard_map to device 0."""
    call = CALLBACK.replace("}, " + LAYOUTS, "}, " + LAYOUTS +
                            ", sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>")
    process = shardwise("partition", save(outside(call)))
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    assert "stablehlo.if" in process.stdout and "collective_broadcast" in process.stdout


def test_debug_prints_go_through(shardwise, save):
    process = shardwise("partition", save(HEAD + """
  func.func public @main(%arg0: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<64x256xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x256xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.custom_call @xla_ffi_python_cpu_callback(%0) {backend_config = "", has_side_effect = true, mhlo.backend_config = {index = 0 : ui64}, operand_layouts = [dense<> : tensor<0xindex>], result_layouts = [], sdy.sharding = #sdy.sharding_per_value<[<@maximal_mesh_0, []>]>} : (tensor<f32>) -> ()
    %1 = stablehlo.add %arg0, %arg0 : tensor<64x256xf32>
    return %1 : tensor<64x256xf32>
  }
}"""))
    assert process.returncode == 0, process.stderr
    assert "all_reduce" in process.stdout and "@xla_ffi_python_cpu_callback" in process.stdout


def test_what_is_no_kernel_is_still_refused(shardwise, save):
    call = "custom_call @CustomSPMDPartitioning(%V) {backend_config = \"139736559500688\", api_version = 2 : i32}"
    process = shardwise("partition", save(outside(call, RULE)))
    assert process.returncode == 1
    assert "'CustomSPMDPartitioning' is not supported: partitioned by Python code" in process.stderr
