# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input: a located message that says what to do, the documented exit code, never a crash."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import numpy
import pytest

from conftest import BUILD

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
MLP = EXAMPLES / "mlp_train"

MESH = 'sdy.mesh @mesh = <["data"=4, "model"=2]>\n'


def main(arguments, body):
    return MESH + f"func.func @main({arguments}) -> tensor<8x6xf32> {{\n{body}\n}}\n"


def sharded(sharding):
    return f"%x: tensor<8x6xf32> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"


RETURN = "  return %x : tensor<8x6xf32>"
OTHER = 'sdy.mesh @other = <["x"=2]>\n'


def named(operand, result):
    return (f'  %0 = sdy.named_computation<"f">(%x) in_shardings=[{operand}] out_shardings=[{result}] '
            "(%a: tensor<8x6xf32>) {\n    sdy.return %a : tensor<8x6xf32>\n"
            "  } : (tensor<8x6xf32>) -> tensor<8x6xf32>\n  return %0 : tensor<8x6xf32>")


def sliced(mesh, axis):
    return (f'  %0 = sdy.all_slice [{{}}, {{"{axis}"}}] %x out_sharding=<@{mesh}, [{{}}, {{"{axis}"}}]> : '
            "tensor<8x6xf32>\n  return %0 : tensor<8x6xf32>")


# name: (program text, line of the message, fragments of the message)
REFUSED = {
    "empty file": ("", 1, ["empty", "StableHLO"]),
    "only blanks": (" \n\n", 1, ["empty"]),
    "syntax error": (main("%x: tensor<8x6xf32>", "  return %y : tensor<8x6xf32"), 3, ["expected"]),
    "no function": (MESH, 1, ["@main"]),
    "private function": (
        "func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
        "  return %x : tensor<8xf32>\n}\n", 1, ["@f", "private", "make it public"]),
    "declared function": ("func.func private @main(tensor<8xf32>) -> tensor<8xf32>\n", 1,
                          ["@main", "no body"]),
    "two functions of one name": (
        main("%x: tensor<8x6xf32>", RETURN) + main("%x: tensor<8x6xf32>", RETURN).replace(MESH, ""),
        5, ["redefinition", "main"]),
    "HLO": ("HloModule jit_f, entry_computation_layout={()->f32[]}\n", 1, ["HLO", "as_text()"]),
    "binary": ("a\0b\1c", 1, ["binary file", "StableHLO"]),
    "more elements than can be counted": (
        "\nfunc.func @main(%x: tensor<4000000000x4000000000xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.constant dense<0.0> : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n", 2,
        ["2^58 elements", "smaller"]),
    "constant that was left out": (
        main("%x: tensor<8x6xf32>",
             "  %0 = stablehlo.constant dense_resource<__elided__> : tensor<8x6xf32>\n" + RETURN), 3,
        ["dense_resource<__elided__>", "as_text()"]),
    "shardings of another partitioner": (
        'func.func @main(\n  %x: tensor<8xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}'
        ') -> tensor<8xf32> {\n  return %x : tensor<8xf32>\n}\n', 2,
        ["devices=[8]<=[8]", "jax_use_shardy_partitioner"]),
    "mesh axis of no devices": ('sdy.mesh @mesh = <["x"=0]>\n', 1, ["at least 1"]),
    "mesh axis twice": ('sdy.mesh @mesh = <["x"=2, "x"=2]>\n', 1, ["duplicate", "x"]),
    "unknown op": (main("%x: tensor<8x6xf32>",
                        "  %0 = stablehlo.frobnicate %x : tensor<8x6xf32>\n" + RETURN), 3,
                   ["stablehlo.frobnicate"]),
    "unknown op in generic form": (
        main("%x: tensor<8x6xf32>",
             '  %0 = "stablehlo.frobnicate"(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n' + RETURN),
        3, ["stablehlo.frobnicate"]),
    "unknown dialect": (
        main("%x: tensor<8x6xf32>",
             '  %0 = "mine.op"(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n' + RETURN),
        3, ["mine"]),
    "custom call that is no kernel": (
        main("%x: tensor<8x6xf32>",
             "  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
             "  return %0 : tensor<8x6xf32>"), 3, ["SPMDFullToShardShape", "not supported"]),
    "dynamic shape": (
        MESH + "func.func @main(%x: tensor<?x6xf32>) -> tensor<?x6xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<?x6xf32>\n  return %0 : tensor<?x6xf32>\n}\n",
        2, ["dynamic shapes are not supported"]),
    "hidden random state": (
        main("%x: tensor<8x6xf32>, %a: tensor<f32>, %s: tensor<2xi64>",
             "  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, "
             "tensor<2xi64>) -> tensor<8x6xf32>\n  return %0 : tensor<8x6xf32>"),
        3, ["stablehlo.rng", "not supported", "use rng_bit_generator"]),
    "float of 4 bits": (
        main("%x: tensor<8x6xf32>, %y: tensor<4xf4E2M1FN>", RETURN), 2,
        ["floats of 4 and 6 bits are not supported", "convert to f8 or wider"]),
    "element type that StableHLO lacks": (
        main("%x: tensor<8x6xf32>, %y: tensor<4xi3>", RETURN), 2,
        ["'tensor<4xi3>': the element type is not supported; convert to one of StableHLO"]),
    "tuple argument": (
        main("%x: tensor<8x6xf32>, %y: tuple<tensor<4xf32>>", RETURN), 2,
        ["tuples as arguments", "one tensor per element"]),
    "rank does not fit": (main(sharded('[{"data"}]'), RETURN), 2, ["rank", "1 != 2"]),
    "unknown axis": (main(sharded('[{"rows"}, {}]'), RETURN), 2, ["rows"]),
    "axis used twice": (main(sharded('[{"data"}, {"data"}]'), RETURN), 2, ["duplicate", "data"]),
    "unknown mesh": (
        main('%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>}', RETURN), 2,
        ["other"]),
    "indivisible named computation": (
        main("%x: tensor<8x6xf32>", named("<@mesh, [{}, {?}]>", '<@mesh, [{}, {"data"}]>')), 3,
        ["result 0", "dimension 1 of size 6", "pad"]),
    "indivisible operand of a named computation": (
        main("%x: tensor<8x6xf32>", named('<@mesh, [{}, {"data"}]>', "<@mesh, [{}, {?}]>")), 3,
        ["operand 0", "dimension 1 of size 6", "pad"]),
    "indivisible result of a collective": (main("%x: tensor<8x6xf32>", sliced("mesh", "data")), 3,
                                           ["result 0", "dimension 1 of size 6", "pad"]),
    "named computation on another mesh": (
        OTHER + main(sharded('[{"data"}, {}]'), named('<@other, [{"x"}, {}]>', "<@mesh, [{?}, {?}]>")),
        4, ['mesh <["data"=4, "model"=2]>', 'uses mesh <["x"=2]>', "the same devices"]),
    "collective on another mesh": (
        OTHER + main("%x: tensor<8x6xf32>", sliced("other", "x").replace("return %0", "return %1").replace(
            "  return", '  %1 = sdy.reshard %0 <@mesh, [{"data"}, {}]> : tensor<8x6xf32>\n  return')),
        5, ['mesh <["data"=4, "model"=2]>', 'uses mesh <["x"=2]>', "the same devices"]),
    "function that ends as a region does": (
        main("%x: tensor<8x6xf32>", RETURN) + "func.func @f(%a: tensor<i32>, %p: tensor<i1>) {\n"
        "  stablehlo.return %p : tensor<i1>\n}\n", 6,
        ["'stablehlo.return' op ends function @f", "expected 'func.return'"]),
    "called function that ends as a computation does": (
        main("%x: tensor<8x6xf32>", "  %0 = call @f(%x) : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
             + RETURN) + "func.func private @f(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {\n"
        "  sdy.return\n}\n", 7, ["'sdy.return' op ends function @f", "write 'return'"]),
    "computation of a call that is refused": (
        main("%x: tensor<8x6xf32>, %i: tensor<8x6xi32>, %a: tensor<f32>, %b: tensor<i32>",
             "  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) {called_computations = [@f]} : "
             "(tensor<8x6xf32>, tensor<8x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x2xf32>, "
             "tensor<8x2xi32>)\n" + RETURN) + "func.func @f(%a: tensor<f32>, %b: tensor<f32>, %i: "
        "tensor<i32>, %j: tensor<i32>) -> tensor<i1> {\n  %0 = stablehlo.compare GT, %a, %b : "
        "(tensor<f32>, tensor<f32>) -> tensor<i1>\n  stablehlo.return %0 : tensor<i1>\n}\n", 3,
        ["ApproxTopK", "use jax.lax.top_k"]),
    "device ids that only repeat one": (
        main("%x: tensor<8x6xf32>",
             '  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = '
             "dense<7> : tensor<1x4000000000xi64>}> : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
             + RETURN), 3, ["replica id #7 seen more than once"]),
    "pairs that only repeat one": (
        main("%x: tensor<8x6xf32>",
             '  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : '
             "tensor<4000000000x2xi64>}> : (tensor<8x6xf32>) -> tensor<8x6xf32>\n" + RETURN), 3,
        ["duplicate sources not allowed, got 0 twice"]),
    "layout of more dimensions than the tensor": (
        main("%x: tensor<8x6xf32>",
             "  %0 = stablehlo.custom_call @LayoutConstraint(%x) {operand_layouts = [dense<0> : "
             "tensor<4000000000xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : "
             "(tensor<8x6xf32>) -> tensor<8x6xf32>\n" + RETURN), 3, ["incorrect layout"]),
    "character of 128 bits": (
        main("%x: tensor<8x6xf32>, %a: tensor<4x4xf32>",
             "  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = "
             "99999999999999999999999999999 : i128}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, "
             "tensor<i32>)\n" + RETURN), 3, ["characters \"LU\" as uplo, got code 0"]),
    "number of a result that no op has": (
        main("%x: tensor<8x6xf32>", "  %0:2 = call @f(%x) : (tensor<8x6xf32>) -> "
             "(tensor<8x6xf32>, tensor<8x6xf32>)\n  return %0#2147483648 : tensor<8x6xf32>"), 4,
        ["result number 2147483648 is beyond 100000"]),
    "count of results that no op has": (
        main("%x: tensor<8x6xf32>",
             "  %0:2147483648 = stablehlo.negate %x : tensor<8x6xf32>\n" + RETURN), 3,
        ["1 results but was provided 2147483648"]),
    "number of a million digits": (
        main("%x: tensor<8x6xf32>", "  %0 = stablehlo.negate %x {number = " + "9" * 1_000_000
             + "} : tensor<8x6xf32>\n" + RETURN), 3,
        ["1000000 letters and digits in a row", "write a smaller number"]),
    "type of 200000 dimensions": (
        main("%x: tensor<8x6xf32>, %y: tensor<" + "1x" * 200_000 + "f32>", RETURN), 2,
        ["400003 letters and digits in a row", "fewer dimensions"]),
    "type mismatch": (
        main("%x: tensor<8x6xf32>",
             "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<8x6xf32>\n"
             + RETURN), 3, ["transpose"]),
}


@pytest.mark.parametrize("command", ["run", "propagate", "partition"])
@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_located_message(shardwise, tmp_path, command, name):
    text, line, fragments = REFUSED[name]
    program = tmp_path / "program.mlir"
    program.write_text(text)
    process = shardwise(command, program)
    assert process.returncode == 1, process.stdout + process.stderr
    located = re.search(r"program\.mlir:(\d+):\d+: error: (.*)", process.stderr)
    assert located, process.stderr
    assert int(located.group(1)) == line, process.stderr
    for fragment in fragments:
        assert fragment in process.stderr
    assert process.stdout == ""


def test_text_of_other_encodings(shardwise, tmp_path):
    program = tmp_path / "program.mlir"
    text = (MLP / "model.mlir").read_text()
    program.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert shardwise("run", program).returncode == 0
    program.write_bytes(text.encode("utf-16"))
    process = shardwise("run", program)
    assert process.returncode == 1
    assert "program.mlir:1:1: error: this is UTF-16 text; save the file as UTF-8" in process.stderr


def test_json_of_names_that_are_no_text(shardwise, tmp_path):
    """Of a file, and of an argument: what is no UTF-8 is replaced."""
    text = (MLP / "model.mlir").read_text().replace("['b1']", "caf\xe9").encode("latin-1")
    program = os.fsencode(tmp_path) + b"/caf\xe9.mlir"
    with open(program, "wb") as file:
        file.write(text)
    for command in (["run"], ["run", "--profile"], ["eval"], ["explain"], ["explain", "--diff", program]):
        process = subprocess.run([BUILD / "bin/shardwise", command[0], program, *command[1:], "--json"],
                                 capture_output=True)
        assert process.returncode == 0, process.stderr
        assert "caf\ufffd.mlir" in json.dumps(json.loads(process.stdout), ensure_ascii=False), command
    border = tmp_path / "border.json"
    assert subprocess.run([BUILD / "bin/shardwise", "partition", program, "--shardings", border],
                          capture_output=True).returncode == 0
    assert json.loads(border.read_text())["devices"] == 8
    html = tmp_path / "page.html"
    assert subprocess.run([BUILD / "bin/shardwise", "explain", program, "--html", html],
                          capture_output=True).returncode == 0
    timeline = tmp_path / "step.json"
    assert subprocess.run([BUILD / "bin/shardwise", "explain", program, "--topology", "tpu-v5e", "--perfetto", timeline],
                          capture_output=True).returncode == 0
    assert json.loads(timeline.read_text())["otherData"]["program"].endswith("caf\ufffd.mlir")
    plan = subprocess.run([BUILD / "bin/shardwise", "plan", "--json", "--mesh", b'["caf\xe9"=2]', "--shape", "8xf32",
                           "--from", b'[{"caf\xe9"}]', "--to", "[{}]"], capture_output=True)
    assert plan.returncode == 0, plan.stderr
    assert "caf\ufffd" in json.dumps(json.loads(plan.stdout), ensure_ascii=False)
    axis = os.fsencode('["caf') + b'\xe9"=2]'
    process = subprocess.run([BUILD / "bin/shardwise", "plan", "--mesh", axis, "--shape", "4xf32", "--from", "[{}]",
                              "--to", "[{}]", "--json"], capture_output=True)
    assert process.returncode == 0 and json.loads(process.stdout)["steps"] == []


def test_bytecode_of_another_version(shardwise, tmp_path):
    program = tmp_path / "program.mlirbc"
    program.write_bytes(b"ML\xefR\x06MLIR23\0" + bytes(range(64)))
    process = shardwise("run", program)
    assert process.returncode == 1
    assert "program.mlirbc:1:1: error: this bytecode cannot be read; export" in process.stderr


def test_only_what_is_around_the_place_is_shown_of_a_long_line(shardwise):
    arguments = ", ".join(f"%a{i}: tensor<8x6xf32>" for i in range(1000))
    bad = "%x: tensor<8x6xf32"
    process = shardwise("run", "-", stdin=main(f"{arguments}, {bad}, {arguments}", RETURN))
    message, line, caret = process.stderr.splitlines()[:3]
    column = int(re.match(r"<stdin>:2:(\d+): error: ", message).group(1))
    assert column > 20000
    assert line.startswith("...") and line.endswith("...") and len(line) < 140
    assert bad in line[:caret.index("^") + 1]


def test_every_complaint_has_a_place(shardwise):
    """The module itself has none in the text."""
    text = 'sdy.mesh @mesh = <["x"=1000000]>\n' + main("%x: tensor<8x6xf32>", RETURN).split("\n", 1)[1]
    process = shardwise("run", "-", stdin=text)
    assert process.returncode == 1
    assert re.match(r"<stdin>:\d+:\d+: error: ", process.stderr), process.stderr
    assert ":0:" not in process.stderr


@pytest.mark.parametrize("command", ["run", "eval"])
def test_tensors_larger_than_the_machine(shardwise, command):
    text = ("func.func @main(%x: tensor<10000000x1000000xf32>) -> tensor<10000000x1000000xf32> {\n"
            "  return %x : tensor<10000000x1000000xf32>\n}\n")
    process = shardwise(command, "-", stdin=text)
    assert process.returncode == 1
    assert "<stdin>:1:1: error: the arguments and results of @main take 72.8 TiB" in process.stderr
    assert shardwise("partition", "-", stdin=text).returncode == 0


OUTPUTS = {"run": [MLP / "model.mlir"], "eval": [MLP / "model.mlir"], "explain": [MLP / "model.mlir"],
           "propagate": [MLP / "model.mlir"], "partition": [MLP / "model.mlir"],
           "plan": ["--mesh", '["x"=2]', "--shape", "4xf32", "--from", '[{"x"}]', "--to", "[{}]"],
           "--help": [], "explain --json --all": [MLP / "model.mlir"]}


@pytest.mark.parametrize("command", OUTPUTS)
def test_output_that_cannot_be_written_is_no_success(command):
    with open("/dev/full", "w") as full:
        process = subprocess.run([BUILD / "bin/shardwise", *command.split(), *OUTPUTS[command]],
                                 stdout=full, stderr=subprocess.PIPE, text=True)
    assert process.returncode == 1, process.stderr
    assert process.stderr == ("shardwise: error: cannot write standard output: "
                              "No space left on device\n")


def test_a_reader_that_has_enough_ends_the_command(shardwise):
    command = f"{BUILD}/bin/shardwise explain --all --json {MLP}/model.mlir | head -c 10"
    process = subprocess.run(["bash", "-c", command], text=True, capture_output=True)
    assert process.stdout == "{\n  \"schem" and process.stderr == ""


def test_a_device_is_written_and_not_replaced(shardwise, tmp_path):
    (tmp_path / "0.npy").symlink_to("/dev/full")
    process = shardwise("run", MLP / "model.mlir", "--outputs", tmp_path)
    assert process.returncode == 1
    assert "0.npy': No space left on device" in process.stderr
    assert (tmp_path / "0.npy").is_symlink() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["import-func-calls", "flatten-call-graph", "propagation-pipeline"])
def test_copies_of_functions_that_would_fill_memory(shardwise_opt, name):
    """Every function calls the next one twice."""
    functions = "".join(
        f"func.func {'private' if i else 'public'} @{f'f{i}' if i else 'main'}(%a: tensor<f32>) -> "
        f"tensor<f32> {{\n  %0 = call @f{i + 1}(%a) : (tensor<f32>) -> tensor<f32>\n"
        f"  %1 = call @f{i + 1}(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}}\n"
        for i in range(30))
    process = shardwise_opt(f"-sdy-{name}", "-", stdin=functions + (
        "func.func private @f30(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"))
    if process.returncode != 0:
        assert "ops once its calls are replaced" in process.stderr, process.stderr[-2000:]


@pytest.mark.parametrize("flag", ["-sdy-constant-or-scalar-splitter",
                                  "-sdy-propagation-pipeline=dedup-functions-fully=true"])
def test_constants_whose_copies_would_fill_memory(shardwise_opt, flag):
    """Every function returns twice what the next one returns."""
    pair = "(tensor<8xf32>, tensor<8xf32>)"
    functions = "".join(
        f"func.func {'private' if i else 'public'} @{f'f{i}' if i else 'main'}() -> {pair} {{\n"
        f"  %0:2 = call @f{i + 1}() : () -> {pair}\n"
        f"  return %0#0, %0#0 : tensor<8xf32>, tensor<8xf32>\n}}\n" for i in range(60))
    process = shardwise_opt(flag, "-", stdin=functions + (
        f"func.func private @f60() -> {pair} {{\n  %0 = stablehlo.iota dim = 0 : tensor<8xf32>\n"
        "  return %0, %0 : tensor<8xf32>, tensor<8xf32>\n}\n"))
    assert process.returncode == 0, process.stderr[-2000:]
    assert process.stdout.count("func.func") < 100_000


def test_outputs_appear_together_or_not_at_all(shardwise, tmp_path):
    """Output 2 is larger than files may be."""
    limited = lambda folder: subprocess.run(
        ["bash", "-c", f"ulimit -f 4; exec '{BUILD}/bin/shardwise' run '{MLP}/model.mlir' "
         f"--outputs '{folder}'"], text=True, capture_output=True)
    process = limited(tmp_path / "new")
    assert process.returncode == 1, process.stderr
    assert "2.npy': File too large" in process.stderr
    assert not (tmp_path / "new").exists()
    (tmp_path / "0.npy").write_text("as before")
    (tmp_path / "9.npy").write_text("as before")
    assert limited(tmp_path).returncode == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.npy", "9.npy"]
    assert (tmp_path / "0.npy").read_text() == "as before"
    assert shardwise("run", MLP / "model.mlir", "--outputs", tmp_path).returncode == 0
    assert len(list(tmp_path.iterdir())) == 6


def test_outputs_of_which_one_cannot_get_its_name(shardwise, tmp_path):
    (tmp_path / "3.npy").mkdir()
    process = shardwise("run", MLP / "model.mlir", "--outputs", tmp_path)
    assert process.returncode == 1
    assert "3.npy': Is a directory" in process.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["3.npy"]


LARGE = """
func.func @main() -> tensor<60000000xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<60000000xf32>
  return %0 : tensor<60000000xf32>
}
"""


def test_an_interrupt_leaves_no_partial_file(tmp_path):
    (tmp_path / "large.mlir").write_text(LARGE)
    folder = tmp_path / "outputs"
    folder.mkdir()
    # Shells start what runs in the background with interrupts ignored, and children inherit that.
    process = subprocess.Popen([BUILD / "bin/shardwise", "eval", tmp_path / "large.mlir",
                                "--outputs", folder], stdout=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while process.poll() is None and not any(folder.glob("*.part")):
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == -signal.SIGINT
    assert list(folder.iterdir()) == []


def test_refused_on_standard_input_too(shardwise):
    process = shardwise("run", "-", stdin="")
    assert process.returncode == 1
    assert "<stdin>:1:1: error:" in process.stderr


def test_missing_program(shardwise, tmp_path):
    process = shardwise("run", tmp_path / "none.mlir")
    assert process.returncode == 1
    assert "none.mlir" in process.stderr and "No such file" in process.stderr


def test_mesh_larger_than_allowed(shardwise):
    process = shardwise("run", MLP / "model.mlir", "--devices", 4)
    assert process.returncode == 1
    assert re.search(r"model\.mlir:2:\d+: error: ", process.stderr), process.stderr
    assert "has 8 devices" in process.stderr and "4" in process.stderr


@pytest.mark.parametrize("command", ["run", "partition", "propagate", "explain"])
def test_mesh_of_more_devices_than_can_be_counted(shardwise, command):
    """It took all memory of the machine, and wrote a negative number of partitions."""
    text = main("%x: tensor<8x6xf32>", RETURN).replace('"data"=4', '"data"=99999999999')
    process = shardwise(command, "-", stdin=text)
    assert (process.returncode, process.stdout) == (1, "")
    assert process.stderr.startswith('<stdin>:1:1: error: mesh <["data"=99999999999, "model"=2]> has 199999999998 devices, '
                                     'but at most 16777216 can be planned for; make the mesh smaller'), process.stderr


def test_mesh_as_large_as_allowed(shardwise):
    assert shardwise("run", MLP / "model.mlir", "--devices", 8).returncode == 0


@pytest.mark.parametrize("body", [named('<@other, [{"x"}, {}]>', '<@other, [{"x"}, {}]>'),
                                  sliced("other", "x")])
def test_the_mesh_is_that_of_computations_and_collectives(shardwise, body):
    """The first mesh of the file is not used."""
    process = shardwise("run", "-", stdin=main("%x: tensor<8x6xf32>", body).replace(MESH, MESH + OTHER))
    assert process.returncode == 0, process.stderr
    assert 'verified on 2 devices, mesh <["x"=2]>' in process.stdout


def with_inputs(tmp_path, **changed):
    """Copies the inputs of the MLP example with some of them replaced (None: left out)."""
    for path in (MLP / "inputs").glob("*.npy"):
        array = changed.get(f"input{path.stem}", numpy.load(path))
        if array is not None:
            numpy.save(tmp_path / path.name, array)
    return tmp_path


def test_missing_input_file(shardwise, tmp_path):
    folder = with_inputs(tmp_path, input2=None)
    process = shardwise("run", MLP / "model.mlir", "--inputs", folder)
    assert process.returncode == 1
    assert "2.npy" in process.stderr


def test_input_of_wrong_shape(shardwise, tmp_path):
    folder = with_inputs(tmp_path, input0=numpy.zeros((3,), numpy.float32))
    process = shardwise("run", MLP / "model.mlir", "--inputs", folder)
    assert process.returncode == 1
    assert "input 0" in process.stderr and "3xf32" in process.stderr
    assert "64xf32" in process.stderr


def test_input_of_wrong_type(shardwise, tmp_path):
    folder = with_inputs(tmp_path, input0=numpy.zeros((64,), numpy.float64))
    process = shardwise("run", MLP / "model.mlir", "--inputs", folder)
    assert process.returncode == 1
    assert "64xf64" in process.stderr and "64xf32" in process.stderr


def test_too_few_inputs(shardwise):
    process = shardwise("run", MLP / "model.mlir", "--inputs", MLP / "inputs/0.npy")
    assert process.returncode == 1
    assert "1" in process.stderr and "6" in process.stderr


def test_file_that_is_no_array(shardwise, tmp_path):
    folder = with_inputs(tmp_path)
    (tmp_path / "0.npy").write_text("not an array")
    process = shardwise("run", MLP / "model.mlir", "--inputs", folder)
    assert process.returncode == 1
    assert "0.npy" in process.stderr


def test_wrong_expected_output_is_not_verified(shardwise, tmp_path):
    for path in (MLP / "outputs").glob("*.npy"):
        numpy.save(tmp_path / path.name, numpy.load(path) + (path.stem == "2"))
    process = shardwise("run", MLP / "model.mlir", "--inputs", MLP / "inputs", "--expect", tmp_path)
    assert process.returncode == 1
    assert "NOT verified" in process.stdout
    assert "output 2 differs from the expected output" in process.stdout


def test_tolerances_are_obeyed(shardwise, tmp_path):
    for path in (MLP / "outputs").glob("*.npy"):
        numpy.save(tmp_path / path.name, numpy.load(path) * numpy.float32(1.001))
    arguments = ("run", MLP / "model.mlir", "--inputs", MLP / "inputs", "--expect", tmp_path)
    assert shardwise(*arguments).returncode == 1
    assert shardwise(*arguments, "--rtol", "1e-2").returncode == 0
    assert shardwise(*arguments, "--rtol", "0", "--atol", "1").returncode == 0
    assert shardwise(*arguments, "--rtol", "0", "--atol", "1e-9").returncode == 1


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["run"], ["run", "a", "b"],
                                       ["run", "a", "--devices", "0"],
                                       ["run", "a", "--devices", "99999999999999999999"],
                                       ["run", "a", "--seed", "-1"], ["run", "a", "--rtol", "nan"],
                                       ["run", "a", "--inputs", ""], ["runn", "a"],
                                       ["explain", "a", "--top", "-1"], ["explain", ""], ["run", ""],
                                       ["explain", "a", "--suggest-seconds", "nan"],
                                       ["explain", "a", "--fail-if", ""], ["explain", "a", "--html", ""],
                                       ["explain", "a", "--mesh", ""], ["run", "a", "--trace", ""],
                                       ["run", "a", "--topology", ""],
                                       ["plan", "--device-ids", "9223372036854775808,0"],
                                       ["plan", "--to-device-ids", "1,-2"],
                                       ["run", "a", "--rtol", "x"]])
def test_wrong_usage(shardwise, arguments):
    assert shardwise(*arguments).returncode == 2


@pytest.mark.parametrize("command, option", [("plan", "--problems"), ("eval", "--programs")])
def test_a_folder_has_no_lines(shardwise, tmp_path, command, option):
    process = shardwise(command, option, tmp_path)
    assert process.returncode == 1 and f"cannot read {tmp_path}" in process.stderr and process.stdout == ""


def test_wrong_usage_says_what_was_expected(shardwise):
    assert "there is no command 'runn'; the commands are run, eval" in shardwise("runn").stderr
    assert ("--seed: expected a whole number of at least 0, got '-1'" in
            shardwise("run", "a", "--seed", "-1").stderr)
    assert "--atol: expected a number of at least 0, got 'inf'" in shardwise(
        "run", "a", "--atol", "inf").stderr
