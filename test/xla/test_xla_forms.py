# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XLA runs the per-device programs of the forms xla-replicas and xla-shard-map, and computes what the
unpartitioned program does.

SHARDWISE_XLA_PROGRAMS=all runs every program of examples and test/programs, and
of the benchmark's table.
"""

import json
import os
import pathlib
import re
import sys

import pytest

from conftest import BUILD, JAX_PYTHON, NEEDS_JAX, ROOT

sys.path.append(str(ROOT / "test/three_way"))

from line_process import LineProcess  # noqa: E402

numpy = pytest.importorskip("numpy")

pytestmark = NEEDS_JAX

FORMS = ["xla-replicas", "xla-shard-map"]
ALL = sorted(path.parent for folder in ("examples", "test/programs")
             for path in (ROOT / folder).glob("*/model.mlir"))
# A loop, gathers and scatters, permutes and partition_id in a body of the user, all of training.
FEW = [ROOT / name for name in ("examples/rnn_train", "examples/mlp_train",
                                "test/programs/fully_sharded", "test/programs/manual_pipeline")]
PROGRAMS = ALL if os.environ.get("SHARDWISE_XLA_PROGRAMS") == "all" else FEW

# XLA adds and multiplies in another order, and has its own exp and log. A gradient in bf16 is
# rounded before it is added.
TOLERANCES = {"mlp_bf16": 2e-2, "special_functions": 1e-3, "fsdp_step_in_bf16": 2e-2}
TOLERANCE = 1e-4


@pytest.fixture(scope="session")
def xla():
    process = LineProcess([JAX_PYTHON, pathlib.Path(__file__).with_name("run_with_xla.py")])

    def ask(question):
        process.send({key: value if isinstance(value, list) else str(value)
                      for key, value in question.items()})
        return process.receive()

    yield ask
    process.close()


def partitioned(shardwise, model, form, folder):
    """The paths of the per-device program and of its shardings."""
    shardings = folder / "shardings.json"
    process = shardwise("partition", model, "--form", form, "--shardings", shardings)
    assert process.returncode == 0, process.stderr
    assert "sdy" not in process.stdout and "mesh" not in process.stdout
    (folder / "local.mlir").write_text(process.stdout)
    return folder / "local.mlir", shardings


def run_and_compare(shardwise, xla, model, inputs, form, folder, tolerance=TOLERANCE):
    """XLA's results are those of our own run, which is compared with the unpartitioned program."""
    program, shardings = partitioned(shardwise, model, form, folder)
    answer = xla({"program": program, "shardings": shardings,
                  "inputs": [str(path) for path in inputs], "outputs": folder / "out"})
    assert answer == {}
    given = ["--inputs", ",".join(map(str, inputs))] if inputs else []
    run = shardwise("run", model, *given, "--expect", folder / "out", "--rtol", tolerance)
    assert run.returncode == 0, run.stdout + run.stderr
    return program.read_text(), json.loads(shardings.read_text())


def files_in(folder):
    return sorted(folder.glob("*.npy"), key=lambda path: int(path.stem))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_exported_programs(shardwise, xla, tmp_path, program, form):
    tolerance = TOLERANCES.get(program.name, TOLERANCE)
    run_and_compare(shardwise, xla, program / "model.mlir", files_in(program / "inputs"), form,
                    tmp_path, tolerance)
    # What XLA computed on one device when the program was exported.
    for actual, expected in zip(files_in(tmp_path / "out"), files_in(program / "outputs")):
        ours, theirs = numpy.load(actual), numpy.load(expected)
        if ours.dtype.kind == "f":
            scale = numpy.nanmax(numpy.abs(theirs), initial=0)
            numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance * scale)
        elif ours.dtype.kind in "iub":
            numpy.testing.assert_array_equal(ours, theirs)


TABLE = sorted((ROOT / "benchmarks/partition/texts").glob("*.mlir"))
# One that fetches intervals, one that handles parts of unequal size, one with forms of its own.
FEW_ROWS = [path for path in TABLE if path.stem in ("stencil_of_five_points", "uneven_sequence", "best_eight")]
TYPES = {"f32": "float32", "bf16": None, "i32": "int32", "ui32": "uint32", "i1": "bool", "complex<f32>": "complex64"}


def random_inputs(text, folder):
    """Files of random values for the arguments of the program; small integers, which may be places."""
    header = text[text.index("@main("):]
    header = header[:header.index(") -> ")]
    random = numpy.random.default_rng(1)
    paths = []
    for shape, element in re.findall(r"%arg\d+: tensor<((?:\d+x)*)(\w+(?:<\w+>)?)>", header):
        sizes = [int(size) for size in shape.split("x")[:-1]]
        if TYPES[element] is None:
            pytest.skip(f"{element} is no type of .npy files")
        values = random.normal(size=sizes) / 8
        if element == "complex<f32>":
            values = values + 1j * random.normal(size=sizes) / 8
        elif element not in ("f32",):
            values = random.integers(0, 2 if element == "i1" else 4, size=sizes)
        paths.append(folder / f"in{len(paths)}.npy")
        numpy.save(paths[-1], numpy.asarray(values).astype(TYPES[element]))
    return paths


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", TABLE if PROGRAMS is ALL else FEW_ROWS, ids=lambda path: path.stem)
def test_rows_of_the_benchmark(shardwise, xla, tmp_path, path, form):
    inputs = random_inputs(path.read_text(), tmp_path)
    run_and_compare(shardwise, xla, path, inputs, form, tmp_path,
                    TOLERANCES.get(path.stem, TOLERANCE))


T = "tensor<8x12xf32>"
MESHES = """sdy.mesh @mesh = <["x"=2, "y"=4]%s>
sdy.mesh @mixed = <["x"=2, "y"=4], device_ids=[3, 0, 7, 1, 2, 6, 4, 5]>
sdy.mesh @flat = <["e"=8]>
sdy.mesh @d5 = <[], device_ids=[5]>
"""


def on(axes, mesh="mesh"):
    return f"{{sdy.sharding = #sdy.sharding<@{mesh}, {axes}>}}"


# Name: arguments, result and body. Every collective, and devices by their coordinates.
CASES = {
    "moves axes": ([on('[{"x"}, {"y"}]')], on('[{"y"}, {"x"}]'), "  return %a0 : T"),
    "all to all": ([on('[{"y"}, {}]')], on('[{}, {"y"}]'), "  return %a0 : T"),
    "part of an axis": ([on('[{"y":(1)2}, {}]')], on('[{"y":(2)2}, {"x"}]'),
                        "  %0 = stablehlo.negate %a0 : T\n  return %0 : T"),
    "coordinates": ([on('[{"x", "y"}, {}]')], on('[{"x", "y"}, {}]'),
                    "  %0 = stablehlo.iota dim = 0 : T\n  %1 = stablehlo.add %0, %a0 : T\n"
                    "  return %1 : T"),
    "a product in two orders": (
        [on('[{"x"}, {}]'), on('[{"y"}, {"x"}]', "mixed")], on('[{}, {"x"}]', "mixed"),
        "  %0 = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0] : (T, T) ->"
        " tensor<12x12xf32>\n  %1 = stablehlo.dot_general %a1, %0, contracting_dims = [1] x [0] :"
        " (T, tensor<12x12xf32>) -> T\n  return %1 : T"),
    "another order": ([on('[{"x", "y"}, {}]', "mixed")], on('[{"x"}, {"y"}]'),
                      "  return %a0 : T"),
    "other axes": ([on('[{"e"}, {}]', "flat")], on('[{"x"}, {"y"}]'), "  return %a0 : T"),
    "an op on one device": (
        [on('[{"x"}, {}]'), on("[]", "d5")], on('[{"y"}, {}]'),
        "  %0 = stablehlo.add %a0, %a1 {sdy.sharding = #sdy.sharding_per_value<[<@d5, []>]>} : T\n"
        "  return %0 : T"),
    "a result on one device": ([on('[{"x"}, {}]')], on("[]", "d5"), "  return %a0 : T"),
}
ORDERS = {"in order": "", "ids": ", device_ids=[6, 1, 3, 4, 0, 2, 7, 5]"}
DEFAULT_CASES = ["moves axes", "a product in two orders", "an op on one device"]
CHOSEN = list(CASES) if PROGRAMS is ALL else DEFAULT_CASES


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CHOSEN)
def test_orders_of_devices(shardwise, xla, tmp_path, name, order, form):
    arguments, result, body = CASES[name]
    arguments = [*arguments, on('[{"x"}, {}]')]  # Its axes say which mesh is the first.
    texts = ", ".join(f"%a{i}: {T} {sharding}" for i, sharding in enumerate(arguments))
    model = tmp_path / "model.mlir"
    model.write_text(f"{MESHES % ORDERS[order]}func.func @main({texts}) -> ({T} {result}) {{\n"
                     + body.replace("T", T) + "\n}\n")
    inputs = []
    for i in range(len(arguments)):
        inputs.append(tmp_path / f"{i}.npy")
        numpy.save(inputs[-1], numpy.random.default_rng(i).normal(size=(8, 12)).astype("float32"))
    _, border = run_and_compare(shardwise, xla, model, inputs, form, tmp_path)
    if form == "xla-shard-map":
        # Callers have one mesh, without ids.
        values = border["arguments"] + border["results"]
        assert not any("device_ids" in one for one in [border["mesh"], *values])


# Name: mesh, shape, type, shardings before and after. Each is one exchange when we run it.
EXCHANGES = {
    "swap": ('["x"=2, "y"=4]', (64, 64), "f32", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]'),
    "blocks that do not nest": ('["x"=2, "y"=3]', (24, 36), "f32", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]'),
    "what does not divide": ('["x"=4, "y"=2]', (271, 331), "i16", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]'),
    "fewer elements than devices": ('["x"=4, "y"=2]', (3, 301), "f64", '[{"x"}, {"y"}]', '[{"y"}, {"x"}]'),
    "three axes": ('["x"=2, "y"=2, "z"=2]', (32, 32, 32), "i1", '[{"x", "y"}, {"z"}, {}]',
                   '[{}, {"x", "y"}, {"z"}]'),
    "another order": ('["x"=2, "y"=4], device_ids=[6, 1, 3, 4, 0, 2, 7, 5]', (64, 64), "f32", '[{"x"}, {"y"}]',
                      '[{"y"}, {"x"}]'),
}
KINDS = {"f32": "float32", "f64": "float64", "i16": "int16", "i1": "bool"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", EXCHANGES if PROGRAMS is ALL else ["swap", "blocks that do not nest", "what does not divide"])
def test_exchanges(shardwise, xla, tmp_path, name, form):
    mesh, shape, dtype, source, target = EXCHANGES[name]
    type_ = f"tensor<{'x'.join(map(str, shape))}x{dtype}>"
    model = tmp_path / "model.mlir"
    model.write_text(f"sdy.mesh @mesh = <{mesh}>\nfunc.func @main(%a: {type_} {on(source)}) -> ({type_} {on(target)}) "
                     f"{{\n  %0 = stablehlo.maximum %a, %a : {type_}\n  return %0 : {type_}\n}}\n")
    values = numpy.random.default_rng(0).normal(size=shape) * 100
    numpy.save(tmp_path / "0.npy", (values > 0 if dtype == "i1" else values).astype(KINDS[dtype]))
    text, _ = run_and_compare(shardwise, xla, model, [tmp_path / "0.npy"], form, tmp_path)
    assert "collective_permute" in text
    run = shardwise("run", model, "--json", "--no-verify")
    assert [row["kind"] for row in json.loads(run.stdout)["collectives"]] == ["exchange"]


@pytest.mark.parametrize("form", FORMS)
def test_a_scatter_of_one_update_into_shards(shardwise, xla, tmp_path, form):
    """Behind the slices that cut a whole value XLA would write a number of another place."""
    model = tmp_path / "model.mlir"
    model.write_text(f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<3xi32> {on('[{}]')}, %u: tensor<i32>, %i: tensor<1xi32>) -> (tensor<3xi32> {on('[{"x"}]')}) {{
  %0 = "stablehlo.scatter"(%a, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}}> ({{
  ^bb0(%b: tensor<i32>, %c: tensor<i32>):
    %1 = stablehlo.and %b, %c : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }}) : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
  %2 = stablehlo.or %0, %0 : tensor<3xi32>
  return %2 : tensor<3xi32>
}}
""")
    inputs = [tmp_path / f"{number}.npy" for number in range(3)]
    for path, values in zip(inputs, ([5, 6, 7], 3, [-1])):
        numpy.save(path, numpy.array(values, "int32"))
    text, _ = run_and_compare(shardwise, xla, model, inputs, form, tmp_path)
    assert "optimization_barrier" in text


@pytest.mark.parametrize("form", FORMS)
def test_an_all_to_all_of_a_padded_value(shardwise, xla, tmp_path, form):
    """XLA would lay out its parts differently, and refuse that."""
    model = tmp_path / "model.mlir"
    model.write_text(f"""sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<2x1x2x2xf64>) -> (tensor<1x2x2x2xf64> {on('[{"x"}, {}, {}, {}]')}) {{
  %0 = stablehlo.transpose %a, dims = [1, 3, 0, 2] : (tensor<2x1x2x2xf64>) -> tensor<1x2x2x2xf64>
  %1 = sdy.sharding_constraint %0 <@mesh, [{{}}, {{}}, {{}}, {{"x"}}]> : tensor<1x2x2x2xf64>
  return %1 : tensor<1x2x2x2xf64>
}}
""")
    numpy.save(tmp_path / "0.npy", numpy.arange(8.0).reshape(2, 1, 2, 2))
    run_and_compare(shardwise, xla, model, [tmp_path / "0.npy"], form, tmp_path)


def test_what_the_runner_assembles_is_checked(shardwise, xla, tmp_path):
    """A program that is wrong is told from one that is right."""
    program = ROOT / "examples/mlp_train"
    text, shardings = partitioned(shardwise, program / "model.mlir", "xla-replicas", tmp_path)
    wrong = text.read_text().replace("[[0, 1], [2, 3], [4, 5], [6, 7]]",
                                     "[[0, 2], [1, 3], [4, 6], [5, 7]]", 1)
    assert wrong != text.read_text()
    text.write_text(wrong)
    answer = xla({"program": text, "shardings": shardings, "outputs": tmp_path / "out",
                  "inputs": [str(path) for path in files_in(program / "inputs")]})
    run = shardwise("run", program / "model.mlir", "--inputs", program / "inputs",
                    "--expect", tmp_path / "out", "--rtol", 1e-4) if answer == {} else None
    assert answer != {} or run.returncode == 1
