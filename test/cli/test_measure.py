# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`measure`: a file that --topology takes, with figures that this machine can have."""

import json

import pytest

# The sum of a large vector that all devices have, and one over devices.
PROGRAM = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<1048576xf32>, %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<1048576xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.cbrt %a : tensor<1048576xf32>
  %1 = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<1048576xf32>, tensor<64x64xf32>
}
"""


def measure(shardwise, devices, *arguments):
    process = shardwise("measure", "--devices", str(devices), "--repeat", "1", *arguments)
    assert process.returncode == 0, process.stderr
    assert process.stderr == ""
    return process.stdout


@pytest.mark.parametrize("devices", [1, 2, 3])
def test_figures_are_plausible(shardwise, devices):
    machine = json.loads(measure(shardwise, devices))
    device = machine["device"]
    assert set(device["flops_per_s"]) == {"f32", "f64", "bf16"}
    for rate in [*device["flops_per_s"].values(), device["vector_flops_per_s"], device["memory_bytes_per_s"]]:
        assert 1e5 < rate < 1e15
    # A product reads each element more than once; nothing else does as many operations in the time.
    assert device["flops_per_s"]["f32"] > device["vector_flops_per_s"]
    assert list(device["access_bytes_per_s"]) == ["copy", "transpose", "reduce", "window", "gather", "patch"]
    for name, rate in device["access_bytes_per_s"].items():
        assert 1e5 < rate < 1e15
        assert any(source.startswith(f"device.access_bytes_per_s.{name}") for source in machine["sources"])
    assert 0 <= device.get("patch_run_s", 0) < 1e-3
    assert 1 / devices <= device["common_work"] <= 1
    assert device["memory_bytes"] > 1 << 20
    assert 1e3 < machine["link"]["bytes_per_s"] < 1e15
    assert 0 <= machine["link"]["latency_s"] < 1 and 0 <= machine["start_s"] < 1
    assert devices == 1 or machine["start_s"] + machine["link"]["latency_s"] > 0
    products = "2 products of 1024x1024 matrices" if devices <= 2 else "8 products of 512x512 matrices"
    assert machine["sources"]["device.flops_per_s"] == products


def test_the_file_is_a_topology(shardwise, tmp_path):
    file = tmp_path / "this.json"
    assert measure(shardwise, 2, "-o", str(file)) == ""
    program = tmp_path / "program.mlir"
    program.write_text(PROGRAM)
    process = shardwise("explain", program, "--topology", file, "--json")
    assert process.returncode == 0, process.stderr
    report = json.loads(process.stdout)
    assert report["topology"]["name"] == "measured-2"
    device = json.loads(file.read_text())["device"]
    assert report["topology"]["device"]["common_work"] == device["common_work"]
    assert report["topology"]["device"]["access_bytes_per_s"] == device["access_bytes_per_s"]
    assert report["summary"]["scheduled_seconds"] > 0
    assert shardwise("run", program, "--topology", file).returncode == 0


def test_what_devices_do_alike_takes_its_share(shardwise, tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(PROGRAM)
    seconds = {}
    for share in (1, 0.5, 0.1):
        file = tmp_path / f"{share}.json"
        file.write_text(json.dumps({"link": {"latency_s": 0, "bytes_per_s": 1e30}, "device": {
            "flops_per_s": {"f32": 1e30}, "vector_flops_per_s": 1e30, "memory_bytes_per_s": 1e6, "common_work": share}}))
        report = json.loads(shardwise("explain", program, "--topology", file, "--json").stdout)
        seconds[share] = report["summary"]["memory_seconds"]
    # Reads and writes 8 MiB, which both devices do; the product is cut.
    assert seconds[1] == pytest.approx(8 * 2**20 / 1e6, rel=0.01)
    assert seconds[0.5] == pytest.approx(seconds[1] / 2, rel=0.01)
    assert seconds[0.1] == seconds[0.5]


# A convolution of 2 images of 8x8 with 16 features by 3x3 kernels, max pooling, and a sum.
ACCESSES = """func.func @main(%x: tensor<2x8x8x16xf32>, %k: tensor<3x3x16x32xf32>, %z: tensor<f32>) -> (tensor<2x4x4x32xf32>, tensor<32xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x16xf32>, tensor<3x3x16x32xf32>) -> tensor<2x8x8x32xf32>
  %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x8x8x32xf32>, tensor<f32>) -> tensor<2x4x4x32xf32>
  %2 = stablehlo.negate %1 : tensor<2x4x4x32xf32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x32xf32>, tensor<f32>) -> tensor<32xf32>
  return %1, %3 : tensor<2x4x4x32xf32>, tensor<32xf32>
}
"""


@pytest.mark.parametrize("access, expected", [
    # Patches of 3 * 3 * 16 elements for each of 128 positions, of which 3 * 16 lie side by side.
    ({"access_bytes_per_s": {"patch": 1e6}}, 4 * 128 * 144),
    ({"patch_run_s": 1e-6}, 128 * 3),
    ({"access_bytes_per_s": {"window": 1e6}}, 4 * (128 * 32 + 32 * 32 + 1)),
    # It reads what `negate` makes, which is otherwise never in memory.
    ({"access_bytes_per_s": {"reduce": 1e6}}, 4 * (32 * 32 + 1 + 32)),
    ({"access_bytes_per_s": {"gather": 1e6}}, 0),
])
def test_accesses_have_rates_of_their_own(shardwise, tmp_path, access, expected):
    program = tmp_path / "program.mlir"
    program.write_text(ACCESSES)
    file = tmp_path / "machine.json"
    device = {"flops_per_s": {"f32": 1e30}, "vector_flops_per_s": 1e30, "memory_bytes_per_s": 1e30}
    seconds = []
    for rates in ({}, access):
        file.write_text(json.dumps({"link": {"latency_s": 0, "bytes_per_s": 1e30}, "device": {**device, **rates}}))
        report = json.loads(shardwise("explain", program, "--topology", file, "--json").stdout)
        for key, rate in rates.items():
            assert report["topology"]["device"][key] == rate
        seconds.append(report["summary"]["work_seconds"])
    assert seconds[0] == pytest.approx(0, abs=1e-12)
    assert seconds[1] == pytest.approx(expected / 1e6, abs=1e-12)
    assert shardwise("run", program, "--topology", file).returncode == 0


def test_an_access_that_is_none_is_named(shardwise, tmp_path):
    program = tmp_path / "program.mlir"
    program.write_text(ACCESSES)
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({"link": {"latency_s": 0, "bytes_per_s": 1}, "device": {
        "flops_per_s": {"f32": 1}, "vector_flops_per_s": 1, "memory_bytes_per_s": 1, "access_bytes_per_s": {"convolution": 1}}}))
    for command in ("explain", "run"):
        process = shardwise(command, program, "--topology", file)
        assert process.returncode == 1
        assert ("machine.json: device.access_bytes_per_s.convolution is no key; expected one of copy, transpose, reduce, window, "
                "gather, patch") in process.stderr


@pytest.mark.parametrize("arguments, code, message", [
    ([], 2, "--devices is required"),
    (["--devices", "0"], 2, "--devices: expected a whole number from 1 to 256, got '0'"),
    (["--devices", "257"], 2, "--devices: expected a whole number from 1 to 256, got '257'"),
    (["--devices", "2.5"], 2, "got '2.5'"),
    (["--devices", "2", "--repeat", "0"], 2, "--repeat: expected a whole number from 1 to 1000, got '0'"),
    (["--devices", "2", "-o", ""], 2, "expected a file or folder, got an empty text"),
    (["--devices", "1", "--repeat", "1", "-o", "no/such/folder/this.json"], 1, "no/such/folder/this.json"),
])
def test_bad_arguments(shardwise, arguments, code, message):
    process = shardwise("measure", *arguments)
    assert process.returncode == code, process.stderr
    assert message in process.stderr
    assert process.stdout == ""
