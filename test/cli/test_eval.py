# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`shardwise eval`: programs of JAX give JAX's values under both evaluators; every element type and
shape goes in and out; what is wrong is refused at its place."""

import json
import pathlib

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = {path.parent.name: path.parent
           for folder in ("examples", "test/programs")
           for path in sorted((ROOT / folder).glob("*/model.mlir"))}
# Written per device, with shard_map: only the reference evaluator has several devices.
MANUAL = [name for name in FOLDERS if name.startswith("manual_")]

# Largest error over the largest magnitude of a result. Results computed through bf16 may differ in
# its last place where a sum was taken in another order.
TOLERANCES = {"mlp_bf16": 2e-2}
DEFAULT_TOLERANCE = 2e-6

CASES = [(name, evaluator) for name in FOLDERS for evaluator in ("compiled", "reference")
         if name not in MANUAL or evaluator == "reference"]


def read_arrays(folder):
    paths = sorted(folder.glob("*.npy"), key=lambda path: int(path.stem))
    return [numpy.load(path) for path in paths]


def assert_equal_within(actual, expected, tolerance):
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if numpy.issubdtype(expected.dtype, numpy.inexact):
        finite = numpy.abs(expected[numpy.isfinite(expected)])
        scale = finite.max() if finite.size else 1
        numpy.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)
    else:
        numpy.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("name", MANUAL)
def test_programs_written_per_device_are_for_the_reference_evaluator(shardwise, name):
    model = FOLDERS[name] / "model.mlir"
    process = shardwise("eval", model)
    assert process.returncode == 0, process.stderr
    assert "evaluated by the reference evaluator" in process.stdout
    for evaluator in ("compiled", "both"):
        process = shardwise("eval", model, "--evaluator", evaluator)
        assert process.returncode == 1
        assert "is written per device" in process.stderr
        assert "use the reference evaluator, or 'shardwise run'" in process.stderr


@pytest.mark.parametrize("name, evaluator", CASES)
def test_results_are_those_of_jax(shardwise, tmp_path, name, evaluator):
    folder = FOLDERS[name]
    process = shardwise("eval", folder / "model.mlir", "--inputs", folder / "inputs",
                        "--outputs", tmp_path, "--evaluator", evaluator)
    assert process.returncode == 0, process.stderr
    expected, actual = read_arrays(folder / "outputs"), read_arrays(tmp_path)
    assert len(actual) == len(expected) > 0
    for mine, recorded in zip(actual, expected):
        assert_equal_within(mine, recorded, TOLERANCES.get(name, DEFAULT_TOLERANCE))


# Element types with values at their ends, and how NumPy stores them.
VALUES = {
    "i1": numpy.array([True, False, True]),
    **{f"i{bits}": numpy.array([-2**(bits - 1), -1, 2**(bits - 1) - 1], f"<i{bits // 8}")
       for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": numpy.array([0, 1, 2**bits - 1], f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
    "f16": numpy.array([-0.0, 6e-8, numpy.inf], "<f2"),
    "f32": numpy.array([-0.0, 1e-45, numpy.nan], "<f4"),
    "f64": numpy.array([-0.0, 5e-324, -numpy.inf], "<f8"),
    "bf16": numpy.array([0x8000, 0x3F80, 0x7F80], "<u2").view("V2"),
    "complex<f32>": numpy.array([1 - 2j, -0.0, complex(numpy.inf, numpy.nan)], "<c8"),
    "complex<f64>": numpy.array([1 - 2j, 5e-324, complex(0, -numpy.inf)], "<c16"),
    # What NumPy has no name for lies in raw bytes, small integers extended by their sign.
    **{f"i{bits}": numpy.array([-2**(bits - 1), -1, 2**(bits - 1) - 1], "i1").view("V1")
       for bits in (2, 4)},
    **{f"ui{bits}": numpy.array([0, 1, 2**bits - 1], "u1").view("V1") for bits in (2, 4)},
    **{name: numpy.array([0x01, 0x38, 0x7F], "u1").view("V1")
       for name in ("f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ",
                    "f8E3M4", "f8E8M0FNU")},
}


@pytest.mark.parametrize("evaluator", ["compiled", "reference"])
@pytest.mark.parametrize("element_type", VALUES)
def test_every_element_type_goes_in_and_out(shardwise, tmp_path, element_type, evaluator):
    """Bit for bit, through an op that moves elements, in three ranks."""
    values = VALUES[element_type]
    for index, array in enumerate((values, values[1].reshape(()), values[:0])):
        numpy.save(tmp_path / f"{index}.npy", array)
    types = [f"tensor<3x{element_type}>", f"tensor<{element_type}>", f"tensor<0x{element_type}>"]
    text = f"""func.func @main(%a: {types[0]}, %b: {types[1]}, %c: {types[2]})
        -> ({", ".join(types)}, {types[0]}) {{
      %0 = stablehlo.reverse %a, dims = [0] : {types[0]}
      %1 = stablehlo.reverse %c, dims = [0] : {types[2]}
      return %0, %b, %1, %a : {", ".join(types)}, {types[0]}
    }}"""
    process = shardwise("eval", "-", "--inputs", tmp_path, "--outputs", tmp_path / "out",
                        "--evaluator", evaluator, stdin=text)
    assert process.returncode == 0, process.stderr
    expected = [values[::-1], values[1].reshape(()), values[:0], values]
    actual = read_arrays(tmp_path / "out")
    assert len(actual) == len(expected)
    for mine, wanted in zip(actual, expected):
        assert (mine.dtype, mine.shape) == (wanted.dtype, wanted.shape)
        assert mine.tobytes() == wanted.tobytes()


SUMS = """func.func @main(%a: tensor<2x3xi32>, %b: tensor<0x2xf32>)
    -> (tensor<2xi32>, tensor<2xf32> {jax.result_info = "result['empty']"}, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1.5> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  %1 = stablehlo.reduce(%b init: %one) applies stablehlo.add across dimensions = [0]
      : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %one : tensor<2xi32>, tensor<2xf32>, tensor<f32>
}"""


@pytest.fixture
def sums_inputs(tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.array([[1, 2, 3], [4, 5, 6]], numpy.int32))
    numpy.save(tmp_path / "b.npy", numpy.zeros((0, 2), numpy.float32))
    return f"{tmp_path}/a.npy,{tmp_path}/b.npy"


def test_results_are_printed_for_people(shardwise, sums_inputs):
    process = shardwise("eval", "-", "--inputs", sums_inputs, "--evaluator", "both", stdin=SUMS)
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert lines[0] == "-: verified, evaluated by the compiled path and the reference evaluator"
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["0", "2xi32", "0"], ["1", "['empty']", "2xf32"], ["2", "f32", "0"]]
    assert lines[6:] == ["output 0 =", "[6, 15]", "output 1 =", "[1.5, 1.5]", "output 2 =", "1.5"]


def test_results_are_values_in_json(shardwise, sums_inputs):
    process = shardwise("eval", "-", "--inputs", sums_inputs, "--json", stdin=SUMS)
    report = json.loads(process.stdout)
    assert report["evaluator"] == "compiled" and report["verified"] is None
    assert [output["values"] for output in report["outputs"]] == [[6, 15], [1.5, 1.5], [1.5]]
    assert [output["shape"] for output in report["outputs"]] == [[2], [2], []]
    assert [output["dtype"] for output in report["outputs"]] == ["i32", "f32", "f32"]
    assert report["outputs"][1]["name"] == "['empty']"
    assert report["peak_bytes"] > 0 and "reference_seconds" not in report


def test_written_results_are_not_printed(shardwise, tmp_path, sums_inputs):
    process = shardwise("eval", "-", "--inputs", sums_inputs, "--outputs", tmp_path / "out",
                        stdin=SUMS)
    assert "[6, 15]" not in process.stdout
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "out/0.npy"), [6, 15])


def test_random_inputs_depend_on_the_seed_alone(shardwise):
    model = FOLDERS["convnet"] / "model.mlir"
    texts = [shardwise("eval", model, "--json", *arguments).stdout
             for arguments in ((), ("--seed", 0), ("--seed", 1))]
    values = [json.loads(text)["outputs"][0]["values"] for text in texts]
    assert values[0] == values[1] != values[2]


def test_unequal_results_fail(shardwise, tmp_path, sums_inputs):
    for index, array in enumerate(([6, 16], [1.5, 1.5], 1.5)):
        kind = numpy.int32 if index == 0 else numpy.float32
        numpy.save(tmp_path / f"expected{index}.npy", numpy.array(array, kind))
    files = ",".join(f"{tmp_path}/expected{index}.npy" for index in range(3))
    process = shardwise("eval", "-", "--inputs", sums_inputs, "--expect", files, stdin=SUMS)
    assert process.returncode == 1
    assert "-: NOT verified, evaluated by the compiled path" in process.stdout
    assert ("output 0 differs from the expected output in 1 of 2 elements; the first is element 1 "
            "(row-major): 15 instead of 16") in process.stdout
    lenient = shardwise("eval", "-", "--inputs", sums_inputs, "--expect", files, "--atol", 1,
                        stdin=SUMS)
    assert lenient.returncode == 0
    assert lenient.stdout.startswith("-: verified")


def test_a_program_without_arguments_and_results(shardwise):
    for evaluator in ("compiled", "reference", "both"):
        process = shardwise("eval", "-", "--evaluator", evaluator, "--json",
                            stdin="func.func @main() {\n  return\n}")
        assert process.returncode == 0, process.stderr
        assert json.loads(process.stdout)["outputs"] == []


def test_what_is_written_per_device_is_refused(shardwise):
    text = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64,
    replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""
    process = shardwise("eval", "-", stdin=text)
    assert process.returncode == 1
    assert ("<stdin>:2:8: error: 'stablehlo.all_gather' op is written per device"
            in process.stderr)
    assert "shardwise run" in process.stderr


@pytest.mark.parametrize("arguments, status, message", [
    (["missing.mlir"], 1, "missing.mlir:1:1: error: cannot read the program"),
    ([], 2, "program is required (or --programs FILE)"),
    (["-", "--evaluator", "fast"], 2, "--evaluator: fast not in"),
    (["-", "--rtol", "-1"], 2, "--rtol"),
    (["-", "--inputs", "missing.npy"], 1, "missing.npy"),
    (["-", "--inputs", "test/programs/adam/inputs"], 1, "the program takes 2 tensors there"),
    (["-", "--inputs", "test/programs/adam/inputs/0.npy"], 1,
     "1 input given, but the program has 2"),
    (["-", "--inputs", "examples/convnet/inputs/0.npy,examples/convnet/inputs/0.npy"], 1,
     "input 0 is a tensor<10xf32>, but the program has a tensor<2x3xi32> there"),
    (["--programs", "missing.jsonl"], 1, "cannot read missing.jsonl"),
])
def test_errors_say_what_is_wrong(shardwise, arguments, status, message):
    words = [str(ROOT / word) if word.startswith("test/") else word for word in arguments]
    words = [",".join(str(ROOT / part) for part in word.split(","))
             if word.startswith("examples/") else word for word in words]
    process = shardwise("eval", *words, stdin=SUMS)
    assert process.returncode == status
    assert message in process.stderr
    assert process.stdout == ""


def test_errors_in_the_text_have_line_and_column(shardwise):
    process = shardwise("eval", "-", stdin=SUMS.replace("[1]\n", "[2]\n"))
    assert process.returncode == 1
    assert process.stderr.splitlines()[0].startswith("<stdin>:5:8: error:")


def test_many_programs_in_one_process(shardwise, tmp_path):
    model, broken = tmp_path / "sums.mlir", tmp_path / "broken.mlir"
    model.write_text(SUMS)
    broken.write_text("func.func @main( {")
    lines = [
        {"program": str(model), "evaluator": "both", "seed": 3},
        {"program": str(broken)},
        {"program": str(model), "outputs": str(tmp_path / "out"), "seed": 3},
        {"program": str(model), "evaluator": "fast"},
        {"program": str(model), "colour": "red"},
        {"inputs": "nothing"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines) + "\nnot json\n"
    process = shardwise("eval", "--programs", "-", stdin=text)
    assert process.returncode == 0 and process.stderr == ""
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(answers) == 7
    assert answers[0]["verified"] is True and answers[0]["program"] == str(model)
    assert f"{broken}:1:17: error:" in answers[1]["error"]
    assert "values" not in answers[2]["outputs"][0]
    assert numpy.load(tmp_path / "out/0.npy").tolist() == answers[0]["outputs"][0]["values"]
    assert 'no evaluator "fast"' in answers[3]["error"]
    assert 'unknown key "colour"' in answers[4]["error"]
    assert '"program" is missing' in answers[5]["error"]
    assert "not a JSON object" in answers[6]["error"]
