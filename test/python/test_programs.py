# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs by the Python package: compile, run, verify, partition, propagate, explain, beside what the
command line tool prints; and what is refused."""

import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

from conftest import ROOT
from interrupts import errors_after_ctrl_c
from python_package import MLP, PACKAGE, PRODUCT, negation, shardwise as package


def tensors(folder):
    return [numpy.load(folder / f"{i}.npy") for i in range(len(list(folder.glob("*.npy"))))]


@pytest.mark.parametrize("name", ["mlp_train", "convnet", "rnn_scan", "transformer_train"])
def test_examples_give_what_jax_computed(name):
    folder = ROOT / "examples" / name
    program = package.compile(folder / "model.mlir")
    inputs, expected = tensors(folder / "inputs"), tensors(folder / "outputs")
    for actual, wanted in zip(program.run(inputs), expected, strict=True):
        assert actual.dtype == wanted.dtype and actual.shape == wanted.shape
        numpy.testing.assert_allclose(actual, wanted, rtol=1e-3, atol=1e-5)
    report = program.verify(inputs, expected=expected)
    assert report and report.verified and not report.failed, str(report)


def test_verify_is_the_report_of_the_tool(shardwise):
    report = package.compile(str(MLP)).verify(seed=3)
    printed = json.loads(shardwise("run", MLP, "--seed", 3, "--json").stdout)
    for key in ("outputs", "collectives", "devices", "mesh", "verified", "peak_bytes_per_device"):
        assert report.json[key] == printed[key]
    assert report.received_bytes == sum(c["bytes_received_per_device"] for c in printed["collectives"])
    assert report.json["compile_seconds"] > 0 and str(MLP) in report.text


def test_wrong_expectations_are_found():
    program = package.compile(PRODUCT)
    inputs = program.random_inputs(1)
    right = program.run(inputs)
    assert program.verify(inputs, expected=right, evaluator="reference")
    wrong = program.verify(inputs, expected=[right[0] + 1])
    assert wrong.failed and not wrong
    assert program.verify(inputs, expected=[right[0] + 1], atol=2).verified


@pytest.mark.parametrize("form", package.FORMS)
def test_forms_are_those_of_the_tool(shardwise, form):
    printed = shardwise("partition", MLP, "--form", form)
    if printed.returncode:
        with pytest.raises(package.ProgramError) as caught:
            package.partition(MLP, form=form)
        assert str(caught.value) == printed.stderr.rstrip()
        return
    assert package.partition(MLP, form=form) == printed.stdout
    program = package.compile(MLP, form=form)
    assert program.text() == program.text(form) == printed.stdout


def test_propagate_explain_and_topology_are_those_of_the_tool(shardwise):
    path = ROOT / "examples/rnn_scan/model.mlir"
    assert package.propagate(path) == shardwise("propagate", path).stdout
    explanation = package.explain(path)
    assert explanation.json == json.loads(shardwise("explain", path, "--json").stdout)
    assert str(explanation) == shardwise("explain", path, "--width", 100).stdout
    assert explanation.received_bytes == sum(one["received_bytes"]
                                             for one in explanation.json["transfers"])
    assert explanation.conflicts and explanation.transfers[0].because
    one = package.explain(path, values=["%2#6"], topology="tpu-v5e")
    assert one.text == shardwise("explain", path, "--value", "%2#6", "--topology", "tpu-v5e", "--width",
                                 100).stdout
    timed = package.explain(path, topology="tpu-v5e", choose_by="xla-cpu")
    assert timed.text == shardwise("explain", path, "--topology", "tpu-v5e", "--choose-by", "xla-cpu", "--width",
                                   100).stdout
    assert timed.json["chosen_for"] == "xla-cpu"
    assert package.partition(path, topology="h100-nvlink-ib") == shardwise(
        "partition", path, "--topology", "h100-nvlink-ib").stdout


def test_types_and_shardings():
    program = package.compile(PRODUCT)
    a, b = program.inputs
    assert (a.dtype, a.shape, a.local_shape) == ("f32", (4, 6), (2, 3))
    assert str(a.sharding) == '[{"x"}, {"y"}]' and b.numpy_dtype == numpy.float32
    assert program.mesh == package.Mesh({"x": 2, "y": 2}) and program.peak_bytes > 0
    assert program.border()["arguments"][0]["spec"] == [["x"], ["y"]]
    assert "2 inputs and 1 outputs" in repr(program)


def test_shards_make_the_whole():
    program = package.compile(PRODUCT)
    inputs = program.random_inputs()
    whole, = program.run(inputs)
    numpy.testing.assert_allclose(whole, inputs[0] @ inputs[1], rtol=1e-5)
    shards, = program.run_shards(inputs)
    assert [shard.device for shard in shards] == [0, 1, 2, 3]
    for shard in shards:
        numpy.testing.assert_array_equal(shard.data, whole[shard.index])
    details = program.run_with_details(inputs)
    assert [(one.kind, one.axes, one.count) for one in details.collectives] == [
        ("all_reduce", '{"y"}', 1)]
    assert details.seconds > 0 and details.shards == []


def test_uneven_shards_have_no_padding():
    program = package.compile(negation("f32", size=5))
    assert program.inputs[0].local_shape == (3,)
    shards, = program.run_shards([[1, 2, 3, 4, 5]])
    assert [shard.data.tolist() for shard in shards] == [[-1, -2, -3], [-4, -5]]


@pytest.mark.parametrize("source", [
    str(MLP), MLP, MLP.read_text(), MLP.read_bytes(), bytearray(MLP.read_bytes()),
    type("Lowered", (), {"as_text": lambda self: MLP.read_text()})()],
    ids=["str path", "path", "text", "bytes", "bytearray", "lowered"])
def test_sources_of_programs(source):
    assert package.compile(source).mesh.shape == (4, 2)


def test_bytecode(shardwise_opt, tmp_path):
    path = tmp_path / "program.mlirbc"
    assert shardwise_opt(MLP, "--emit-bytecode", "-o", path).returncode == 0
    assert package.partition(path) == package.partition(MLP)


@pytest.mark.parametrize("dtype, element_type", [
    ("int8", "i8"), ("int64", "i64"), ("float16", "f16"), ("float64", "f64"),
    ("complex64", "complex<f32>"), ("bfloat16", "bf16"), ("float8_e4m3fn", "f8E4M3FN"), ("int4", "i4")])
def test_element_types(dtype, element_type):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = numpy.dtype(getattr(ml_dtypes, dtype, dtype))
    program = package.compile(negation(element_type))
    assert program.inputs[0].numpy_dtype == dtype
    array = numpy.array([1, -2, 3, 0]).astype(dtype)
    out, = program.run([array])
    assert out.dtype == dtype and (out == -array).all()
    assert program.run([[1, -2, 3, 0]])[0].tolist() == out.tolist()
    assert program.verify(), str(program.verify())


def test_arrays_of_all_layouts():
    program = package.compile(PRODUCT)
    a, b = program.random_inputs()
    expected = program.run([a, b])[0].tolist()
    readonly = a.copy()
    readonly.flags.writeable = False
    wide = numpy.zeros((8, 6), numpy.float32)
    wide[::2] = a
    for one in (numpy.asfortranarray(a), readonly, wide[::2], a.astype(">f4"), a.tolist(), list(a)):
        assert program.run((one, b))[0].tolist() == expected
    out, = program.run([a, b])
    out += 1  # Results belong to the caller.
    assert program.run([a, b])[0].tolist() == expected


def test_scalars_and_empty_tensors():
    text = negation("f32", size=1).replace("1xf32", "f32").replace('[{"x"}]', "[]")
    assert package.compile(text).run([2.5])[0] == -2.5
    assert package.compile(negation("f32", size=0)).run([[]])[0].shape == (0,)


@pytest.mark.parametrize("inputs, error, message", [
    ([], ValueError, "0 inputs given, but the program has 2"),
    ([numpy.zeros((4, 6), "f4")] * 3, ValueError, "3 inputs"),
    ([numpy.zeros((4, 6)), numpy.zeros((6, 3), "f4")], ValueError, "input 0 .*float64.*float32"),
    ([numpy.zeros((4, 5), "f4"), numpy.zeros((6, 3), "f4")], ValueError, "input 0 .*4x5.*4x6"),
    ([[[1], [1, 2]], 1], ValueError, "input 0"), (["a", "b"], TypeError, "input 0"),
    ([None, None], TypeError, "input 0"), (3, TypeError, "list"), ({0: 1, 1: 2}, TypeError, "list"), ("ab", TypeError, "list"),
    (numpy.zeros((2, 2)), TypeError, "single array"),
    ([numpy.array(["a"]), 1], TypeError, "input 0"), ([[[1j] * 6] * 4, 1], ValueError, "complex")])
def test_inputs_are_refused(inputs, error, message):
    program = package.compile(PRODUCT)
    for method in (program.run, program.run_shards, program.verify):
        with pytest.raises(error, match=message) as caught:
            method(inputs)
        assert isinstance(caught.value, package.ShardwiseError)


def test_numbers_out_of_range_are_refused():
    program = package.compile(negation("i8"))
    assert program.run([[1, 2, 3, 127]])[0].tolist() == [-1, -2, -3, -127]
    for values in ([1, 2, 3, 128], [1.5, 2, 3, 4]):
        with pytest.raises(ValueError, match="input 0"):
            program.run([values])


BAD = PRODUCT.replace('@mesh, [{"y"}, {}]', '@mesh, [{"z"}, {}]')


@pytest.mark.parametrize("function", ["compile", "partition", "propagate", "explain"])
def test_programs_are_refused_with_their_place(function):
    call = getattr(package, function)
    with pytest.raises(package.ProgramError) as caught:
        call(BAD)
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, package.ShardwiseError)
    assert (error.file, error.line) == ("<string>", 4) and error.column > 0
    assert '"z"' in error.message and str(error).startswith(f"<string>:4:{error.column}: error: ")
    with pytest.raises(package.ProgramError, match="mine.mlir:4"):
        call(BAD, name="mine.mlir")
    for text in ("{", "module {", "HloModule {\n", " \n", b"", b"ML\xefR\0\0", "\n\ud800"):
        with pytest.raises(ValueError):
            call(text)
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        call("no-such-file.mlir")
    with pytest.raises(package.ProgramFileError):
        call(ROOT)
    for wrong in ("", "a\0b"):
        with pytest.raises(ValueError):
            call(wrong)
    for wrong in (3, None, ["a"]):
        with pytest.raises(TypeError, match="program"):
            call(wrong)
    with pytest.raises(package.ProgramError, match="8 devices"):
        call(MLP, max_devices=4)


@pytest.mark.parametrize("change, error, message", [
    ({"form": "xla"}, ValueError, "xla-replicas"), ({"form": 3}, TypeError, "form"),
    ({"topology": "tpu"}, ValueError, "tpu-v5e"), ({"topology": 3}, TypeError, "topology"),
    ({"topology": ""}, ValueError, "tpu-v5e"), ({"memory_limit": 0}, ValueError, "at least 1"),
    ({"memory_limit": 1.5}, TypeError, "integer"), ({"memory_limit": 100}, ValueError, "limit of 100"),
    ({"max_devices": 0}, ValueError, "at least 1"), ({"name": 3}, TypeError, "name")])
def test_options_are_refused(change, error, message):
    for call in (package.compile, package.partition):
        with pytest.raises(error, match=message) as caught:
            call(MLP, **change)
        assert isinstance(caught.value, package.ShardwiseError)


def test_options_of_explain_and_verify_are_refused():
    for change, message in (({"values": ["%nope"]}, "%nope"), ({"width": 5}, "40"), ({"top": -1}, "top"),
                            ({"suggest": -1}, "suggest"), ({"topology": "tpu"}, "tpu-v5e"), ({"choose_by": "tpu"}, "tpu-v5e")):
        with pytest.raises(ValueError, match=message):
            package.explain(MLP, **change)
    with pytest.raises(TypeError):
        package.explain(MLP, values=[3])
    with pytest.raises(TypeError, match="choose_by must be a name or a path, got 5"):
        package.explain(MLP, choose_by=5)
    program = package.compile(PRODUCT)
    for change, message in (({"evaluator": "me"}, "reference"), ({"rtol": -1}, "rtol"),
                            ({"atol": float("nan")}, "atol"), ({"seed": -1}, "seed"),
                            ({"seed": 2**64}, "less than 2..64"), ({"expected": []}, "0 expected outputs")):
        with pytest.raises(ValueError, match=message):
            program.verify(**change)
    assert program.verify(seed=2**64 - 1).verified
    with pytest.raises(TypeError):
        program.verify(rtol="1")
    with pytest.raises(ValueError, match="xla-replicas"):
        program.text("xla")


def test_loops_can_be_stopped():
    text = """module {
  func.func @main(%a: tensor<i32>) -> tensor<i32> {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%b = %a) : tensor<i32> cond {
      %c = stablehlo.compare NE, %b, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %b, %one : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
"""
    program = package.compile(text)
    with pytest.raises(package.ShardwiseError, match="100"):
        program.run([2], max_iterations=100)
    assert program.run([-50], max_iterations=100)[0] == 1


# A loop without end, in which devices wait for each other.
ENDLESS = """module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.while(%b = %a) : tensor<2xf32> cond {
      %sum = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      %c = stablehlo.compare NE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.negate %b : tensor<2xf32>
      stablehlo.return %next : tensor<2xf32>
    }
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.mark.parametrize("call", ["run([[1, 2]])", "run_shards([[1, 2]])", "verify([[1, 2]], max_iterations=0)"])
def test_ctrl_c_ends_a_run(call):
    code = (f"import shardwise\nprogram = shardwise.compile({ENDLESS!r})\n"
            f"print('starts', flush=True)\nprogram.{call}\n")
    errors = errors_after_ctrl_c([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert "KeyboardInterrupt" in errors


def test_what_does_not_fit_in_memory_is_refused():
    program = package.compile(negation("f32", size=10**15))
    for call in (program.random_inputs, program.verify):
        with pytest.raises(package.ProgramError, match="TiB, this machine has"):
            call()


def test_programs_nest():
    nested = "module {" * 9000 + "}" * 9000
    for text, message in ((nested, "no function @main"), ("{" * 20000, "nests deeper than 10000")):
        with pytest.raises(package.ProgramError, match=message):
            package.compile(text)


def test_nothing_is_printed():
    script = f"""
import shardwise
for call in (shardwise.compile, shardwise.partition, shardwise.propagate, shardwise.explain):
    try:
        call({BAD!r})
    except ValueError:
        pass
shardwise.compile({PRODUCT!r}).verify()
"""
    process = subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": str(PACKAGE)}, text=True,
                             capture_output=True, timeout=120)
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")


def test_command_line(shardwise):
    def call(*arguments):
        return subprocess.run([sys.executable, "-m", "shardwise", *map(str, arguments)], text=True,
                              env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, timeout=120)

    for arguments, code in ((["partition", MLP], 0), (["partition", "no-such.mlir"], 1),
                            (["nonsense"], 2), (["plan", "--help"], 0)):
        mine, tool = call(*arguments), shardwise(*arguments)
        assert mine.returncode == tool.returncode == code
        assert (mine.stdout, mine.stderr) == (tool.stdout, tool.stderr)


def test_signatures_are_typed():
    import inspect
    for name in package.__all__:
        thing = getattr(package, name)
        if isinstance(thing, tuple):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)
    assert (pathlib.Path(package.__file__).parent / "py.typed").exists()
