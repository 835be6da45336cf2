# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise run` on programs that do not hold their outputs to the tolerance of the type.

Each is right, out of tolerance, and verified by what the program itself moves by when its inputs and
roundings are disturbed by one unit in the last place. What is wrong in them is still found.
"""

import json

import numpy
import pytest

X8 = 'sdy.mesh @mesh = <["x"=8]>\n'
ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
COLUMNS = '{sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}'
VECTOR = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'

# Products, activations and their sums in bf16, results in f32.
BF16_MLP = X8 + f"""
func.func @main(%x: tensor<16x64xf32> {COLUMNS}, %w: tensor<64x64xf32> {ROWS},
                %v: tensor<64x32xf32> {ROWS}) -> tensor<16x32xf32> {{
  %a = stablehlo.convert %x : (tensor<16x64xf32>) -> tensor<16x64xbf16>
  %b = stablehlo.convert %w : (tensor<64x64xf32>) -> tensor<64x64xbf16>
  %c = stablehlo.convert %v : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16>
  %1 = stablehlo.tanh %0 : tensor<16x64xbf16>
  %2 = stablehlo.dot_general %1, %c, contracting_dims = [1] x [0] : (tensor<16x64xbf16>, tensor<64x32xbf16>) -> tensor<16x32xbf16>
  %3 = stablehlo.convert %2 : (tensor<16x32xbf16>) -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}}"""

# The gradient of sum(softmax(x)), which is 0: p - p * sum(p).
ZERO_GRADIENT = X8 + f"""
func.func @main(%x: tensor<512xf32> {VECTOR}) -> tensor<512xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<512xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %p = stablehlo.divide %e, %b : tensor<512xf32>
  %t = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %c = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<512xf32>
  %q = stablehlo.multiply %p, %c : tensor<512xf32>
  %g = stablehlo.subtract %p, %q : tensor<512xf32>
  return %g : tensor<512xf32>
}}"""

# The angle of -1 + i y, where y is 0 but for rounding: pi or -pi.
ANGLE = X8 + f"""
func.func @main(%x: tensor<64x1024xf32> {COLUMNS}) -> tensor<64xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x1024xf32>, tensor<f32>) -> tensor<64xf32>
  %h = stablehlo.reshape %x : (tensor<64x1024xf32>) -> tensor<64x32x32xf32>
  %r = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %t = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  %y = stablehlo.subtract %s, %t : tensor<64xf32>
  %m = stablehlo.constant dense<-1.0> : tensor<64xf32>
  %a = stablehlo.atan2 %y, %m : tensor<64xf32>
  return %a : tensor<64xf32>
}}"""

# 1 - sum(softmax(x)) of every row.
CANCELLATION = X8 + f"""
func.func @main(%x: tensor<32x256xf32> {COLUMNS}) -> tensor<32xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<32xf32>
  %e = stablehlo.exponential %x : tensor<32x256xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x256xf32>, tensor<f32>) -> tensor<32xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<32xf32>) -> tensor<32x256xf32>
  %p = stablehlo.divide %e, %b : tensor<32x256xf32>
  %t = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x256xf32>, tensor<f32>) -> tensor<32xf32>
  %d = stablehlo.subtract %one, %t : tensor<32xf32>
  return %d : tensor<32xf32>
}}"""

# Large terms of both signs that nearly cancel: a scalar, so that nothing sets a larger scale.
ALTERNATING = X8 + f"""
func.func @main(%x: tensor<4096xf32> {VECTOR}) -> tensor<f32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}}"""


# The same written per device, its sum over devices too.
MANUAL_ALTERNATING = X8 + """
func.func @main(%x: tensor<4096xf32>) -> tensor<f32> {
  %r = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, []>] manual_axes={"x"} (%l: tensor<512xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
    %t = "stablehlo.all_reduce"(%s) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    sdy.return %t : tensor<f32>
  } : (tensor<4096xf32>) -> tensor<f32>
  return %r : tensor<f32>
}"""


# Parts of it are 0 or infinite in f16, the whole is not: which of these it is the order decides.
PRODUCT = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f16>
  %a = stablehlo.convert %x : (tensor<32xf32>) -> tensor<32xf16>
  %b = stablehlo.reduce(%a init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<32xf16>, tensor<f16>) -> tensor<f16>
  %c = stablehlo.convert %b : (tensor<f16>) -> tensor<f32>
  return %c : tensor<f32>
}"""


def small_and_large(random):
    """32 elements whose product is about 3, those of the first 8 about 1e-9."""
    values = numpy.concatenate([numpy.full(8, 0.075), numpy.full(24, 2.49)])
    return [values * random.uniform(0.97, 1.03, 32)]


def alternating(random):
    """Large values, a value of the other sign behind each, and a small sum."""
    large = random.uniform(1e6, 2e6, 2048)
    return [numpy.stack([large, -large + random.normal(0, 1e-2, 2048)], 1).ravel()]


def normal(*shapes):
    return lambda random: [random.normal(0, 0.5, shape) for shape in shapes]


PROGRAMS = {
    "bf16 inside": (BF16_MLP, normal((16, 64), (64, 64), (64, 32))),
    "zero gradient": (ZERO_GRADIENT, normal((512,))),
    "angle at pi": (ANGLE, normal((64, 1024))),
    "softmax cancellation": (CANCELLATION, normal((32, 256))),
    "alternating sum": (ALTERNATING, alternating),
    "product of which a part is 0": (PRODUCT, small_and_large),
}
PER_DEVICE = "alternating sum per device"


def run(shardwise, folder, name, *arguments, seed=0):
    program, inputs = (MANUAL_ALTERNATING, alternating) if name == PER_DEVICE else PROGRAMS[name]
    for index, values in enumerate(inputs(numpy.random.default_rng(seed))):
        numpy.save(folder / f"{index}.npy", values.astype(numpy.float32))
    (folder / "model.mlir").write_text(program)
    inputs = ",".join(str(path) for path in sorted(folder.glob("?.npy")))
    return shardwise("run", folder / "model.mlir", "--inputs", inputs, *arguments)


@pytest.mark.parametrize("oracle", ["reference", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_right_programs_out_of_tolerance_verify(shardwise, tmp_path, name, oracle):
    numbers = []
    for seed in range(3):
        process = run(shardwise, tmp_path, name, "--json", "--verify", oracle, seed=seed)
        report = json.loads(process.stdout)
        assert report["verified"] is True and process.returncode == 0, process.stdout
        assert report["compared_with"] == oracle
        output = report["outputs"][0]
        numbers.append(output.get("excused_elements", 0))
        if numbers[-1]:
            assert report["disturbed_evaluations"] >= 4
            assert output["excused_error"] > 0 and output["excused_movement"] > 0
    # The compiled path may add as the devices do.
    assert any(numbers) or oracle == "compiled", "no element was out of tolerance"


@pytest.mark.parametrize("name", PROGRAMS)
def test_wrong_values_are_found_in_them(shardwise, tmp_path, name):
    """What is expected is what the program gives, with one element wrong beyond its own movement."""
    outputs = tmp_path / "outputs"
    assert run(shardwise, tmp_path, name, "--outputs", outputs).returncode == 0
    expected = numpy.load(outputs / "0.npy")
    if name == "angle at pi":
        expected[3] = 2.5
    elif name == "product of which a part is 0":
        expected[()] = 1.5
    else:
        expected.reshape(-1)[3 % expected.size] += {"alternating sum": 5000, "bf16 inside": 1}.get(name, 0.05)
    numpy.save(outputs / "0.npy", expected)
    process = run(shardwise, tmp_path, name, "--expect", outputs)
    assert process.returncode == 1
    assert "NOT verified" in process.stdout
    assert "under one-ulp changes" in process.stdout
    jumps = "the program itself has other values there under one-ulp changes, but not this one"
    assert (jumps in process.stdout) is (name in ("angle at pi", "product of which a part is 0"))
    assert "differs from the expected output in 1 of" in process.stdout


def test_what_is_written_per_device_is_disturbed_too(shardwise, tmp_path):
    excused = 0
    for seed in range(3):
        process = run(shardwise, tmp_path, PER_DEVICE, "--json", seed=seed)
        assert process.returncode == 0, process.stderr + process.stdout
        assert process.stderr == "", "copies of the result differ"
        report = json.loads(process.stdout)
        assert report["verified"] is True and report["compared_with"] == "reference"
        excused += report["outputs"][0].get("excused_elements", 0)
    assert excused > 0, "no element was out of tolerance"
    outputs = tmp_path / "outputs"
    assert run(shardwise, tmp_path, PER_DEVICE, "--outputs", outputs).returncode == 0
    numpy.save(outputs / "0.npy", numpy.load(outputs / "0.npy") + numpy.float32(5000))
    process = run(shardwise, tmp_path, PER_DEVICE, "--expect", outputs)
    assert process.returncode == 1
    assert "NOT verified" in process.stdout


def test_the_report_says_by_what_measure(shardwise, tmp_path):
    process = run(shardwise, tmp_path, "zero gradient", seed=1)
    assert process.returncode == 0
    assert "elements are out of tolerance from the unpartitioned run and pass as rounding: element " in process.stdout
    assert "; the program itself moves by " in process.stdout
    assert "unpartitioned by the reference evaluator in " in process.stdout
    assert "times disturbed in" in process.stdout


def test_a_given_tolerance_is_the_measure(shardwise, tmp_path):
    process = run(shardwise, tmp_path, "bf16 inside", "--rtol", "1e-5")
    assert process.returncode == 1
    assert "under one-ulp changes" not in process.stdout


def test_oracles(shardwise, examples):
    model = examples / "mlp_train/model.mlir"

    def compared(*arguments):
        process = shardwise("run", model, "--json", *arguments)
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    assert compared()["compared_with"] == "reference"
    assert compared("--verify", "reference")["compared_with"] == "reference"
    report = compared("--verify", "compiled")
    assert report["compared_with"] == "compiled"
    assert report["verified"] is True
    for nothing in (["--verify", "none"], ["--no-verify"]):
        report = compared(*nothing)
        assert report["compared_with"] is None
        assert report["verified"] is False
    process = shardwise("run", model, "--verify", "both")
    assert process.returncode == 2
    assert "--verify" in process.stderr
    assert shardwise("run", model, "--verify", "compiled", "--no-verify").returncode == 2


def test_large_programs_are_compared_with_the_compiled_run(shardwise):
    text = X8 + f"""
    func.func @main(%x: tensor<1024x1024xf32> {ROWS}, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {{
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
      return %0 : tensor<1024x1024xf32>
    }}"""
    process = shardwise("run", "-", stdin=text)
    assert process.returncode == 0, process.stderr
    assert "unpartitioned by the compiled path in " in process.stdout
