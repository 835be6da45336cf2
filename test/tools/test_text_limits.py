# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that nest deep go through; those that nest too deep are refused with a message at the
place, before anything recurses into them."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SHARDWISE_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "benchmarks" / "propagation"))

from shapes import nested_loops  # noqa: E402  (needs the path above)

HEADER = (ROOT / "shardwise" / "driver" / "TextLimits.h").read_text(encoding="utf-8")
LIMIT = int(re.search(r"kMaxNesting = ([\d']+);", HEADER)[1].replace("'", ""))


def function(name, attribute):
    """A program of one function with one attribute."""
    return (f"func.func @main() attributes {{sdy.{name} =\n{attribute}}} {{\n  return\n}}\n")


def nested(opening, inner, closing):
    """Makes programs with an attribute on line 2 that nests as deep as asked for."""
    return lambda depth: function("deep", opening * depth + inner + closing * depth)


# Programs of a depth. Each has one more bracket around what nests.
DEEP = {
    "array": nested("[", "1", "]"),
    "dictionary": nested("{a = ", "1", "}"),
    "tuple": nested("tuple<", "f32", ">"),
    "parentheses": lambda depth: function(
        "deep", "affine_map<(d0) -> " + "(" * (depth - 1) + "d0" + ")" * (depth - 1) + ">"),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_attribute_is_read(shardwise_opt, name):
    process = shardwise_opt("-", stdin=DEEP[name](LIMIT - 1))
    assert process.returncode == 0, process.stderr[-2000:]
    assert "sdy.deep" in process.stdout


@pytest.mark.parametrize("tool", ["opt", "propagate", "run"])
@pytest.mark.parametrize("name", DEEP)
def test_too_deep_attribute_is_refused(shardwise, shardwise_opt, tmp_path, tool, name):
    program = tmp_path / "program.mlir"
    for depth in (LIMIT, 20 * LIMIT):
        program.write_text(DEEP[name](depth))
        process = shardwise_opt(program) if tool == "opt" else shardwise(tool, program)
        assert process.returncode == 1
        located = re.search(r"program\.mlir:2:\d+: error: (.*)", process.stderr)
        assert located, process.stderr[:2000]
        assert f"deeper than {LIMIT} brackets" in located[1] and "move inner" in located[1]
        assert process.stdout == ""


@pytest.mark.parametrize("tool", ["opt", "propagate", "run"])
@pytest.mark.parametrize("text", [
    "  return %a#2147483648 : tensor<4xf32>", "  return %a #100001 : tensor<4xf32>",
    f"  %0 = stablehlo.negate %a {{n = {'7' * 10_001}}} : tensor<4xf32>",
    f"  %0 = stablehlo.constant dense<0.0> : tensor<{'1x' * 6_000}f32>"])
def test_what_the_parser_must_not_see_is_refused(shardwise, shardwise_opt, tmp_path, tool, text):
    program = tmp_path / "program.mlir"
    program.write_text(f"func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n{text}\n"
                       "  return %a : tensor<4xf32>\n}\n")
    process = shardwise_opt(program) if tool == "opt" else shardwise(tool, program)
    assert process.returncode == 1
    assert re.search(r"program\.mlir:2:\d+: error: .*which is the limit", process.stderr)


def test_brackets_that_follow_each_other_do_not_nest(shardwise_opt):
    program = function("wide", "[" + "[], " * (3 * LIMIT) + "[]]")
    assert shardwise_opt("-", stdin=program).returncode == 0


def test_deep_chain_of_names_is_read(shardwise_opt):
    """Names of attributes nest without brackets."""
    names = "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(3 * LIMIT))
    program = "#a0 = [1]\n" + names + function("deep", f"#a{3 * LIMIT}")
    assert shardwise_opt("-", "-o", "/dev/null", stdin=program).returncode == 0


def test_deep_regions_are_read(shardwise_opt):
    # On 8 MiB of stack, MLIR reads about 2,600 of these.
    process = shardwise_opt("-", "-o", "/dev/null", stdin=nested_loops(4000))
    assert process.returncode == 0, process.stderr[-2000:]


@pytest.mark.parametrize("threads", [(), ("-mlir-disable-threading",)])
def test_deep_regions_are_propagated(shardwise_opt, threads):
    # Not deeper, since MLIR takes time by the square of the depth.
    process = shardwise_opt("-sdy-propagation-pipeline", "-", *threads, stdin=nested_loops(1500))
    assert process.returncode == 0, process.stderr[-2000:]
    assert "sdy.sharding = #sdy.sharding<@mesh" in process.stdout


def test_too_deep_regions_are_refused(shardwise_opt):
    process = shardwise_opt("-sdy-propagation-pipeline", "-", stdin=nested_loops(LIMIT))
    assert process.returncode == 1
    assert re.match(r"<stdin>:\d+:\d+: error: the program nests deeper", process.stderr)


def test_little_address_space_is_enough_for_ordinary_programs():
    """The deep stack is asked for, not demanded."""
    tool = BUILD / "bin" / "shardwise-opt"
    if b"__asan_init" in tool.read_bytes():
        pytest.skip("the address sanitizer reserves terabytes")
    process = subprocess.run(["sh", "-c", f"ulimit -v 400000; exec {tool} -"], text=True,
                             input=function("flat", "1"), capture_output=True, timeout=60)
    assert process.returncode == 0, process.stderr
    assert "sdy.flat" in process.stdout


def test_line_of_a_late_diagnostic_is_shown(shardwise_opt, tmp_path):
    """Passes come when the text was given back; it is read again where somebody complains."""
    line = "  %0 = stablehlo.negate %x : tensor<?xf32>"
    program = tmp_path / "program.mlir"
    program.write_text("// a line\n" * 10_000 + "func.func @main(%x: tensor<?xf32>) -> "
                       f"tensor<?xf32> {{\n{line}\n  return %0 : tensor<?xf32>\n}}\n" +
                       "// a line\n" * 10_000)
    process = shardwise_opt("-sdy-propagation-pipeline", program)
    assert process.returncode == 1
    assert "program.mlir:10002:" in process.stderr and line in process.stderr
