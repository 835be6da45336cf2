# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms along several dimensions give the values of the unpartitioned program, however these are cut."""

import itertools
import json

import pytest

MESH = 'sdy.mesh @m = <["x"=3, "y"=2]>\n'
# Type: element and size of the last dimension before and behind; the transform of it has 10 elements.
KINDS = {"FFT": ("complex<f32>", 10, "complex<f32>", 10), "IFFT": ("complex<f32>", 10, "complex<f32>", 10),
         "RFFT": ("f32", 10, "complex<f32>", 6), "IRFFT": ("complex<f32>", 6, "f32", 10)}
# Where "x" and "y" are: on one of the dimensions, or nowhere.
PLACES = list(itertools.product((None, 0, 1, 2), repeat=2))


def sharding(place):
    dims = [[name for name, dim in zip(("x", "y"), place) if dim == i] for i in range(3)]
    return "[" + ", ".join("{" + ", ".join(f'"{name}"' for name in names) + "}" for names in dims) + "]"


def program(kind, num_dims, before, after):
    element, size, result_element, result_size = KINDS[kind]
    operand, result = f"tensor<4x6x{size}x{element}>", f"tensor<4x6x{result_size}x{result_element}>"
    lengths = [4, 6, 10][3 - num_dims:]
    return MESH + f"""
func.func @main(%a: {operand} {{sdy.sharding = #sdy.sharding<@m, {sharding(before)}>}})
    -> ({result} {{sdy.sharding = #sdy.sharding<@m, {sharding(after)}>}}) {{
  %0 = stablehlo.fft %a, type = {kind}, length = {lengths} : ({operand}) -> {result}
  return %0 : {result}
}}
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_dims", [2, 3])
def test_every_placement(kind, num_dims, shardwise, tmp_path):
    path = tmp_path / "model.mlir"
    for i, (before, after) in enumerate(itertools.product(PLACES, repeat=2)):
        # A tenth of the pairs for each kind, another one each.
        if (i + num_dims + list(KINDS).index(kind)) % 10:
            continue
        path.write_text(program(kind, num_dims, before, after))
        process = shardwise("run", path, "--json")
        assert process.returncode == 0, (path.read_text(), process.stderr)
        assert json.loads(process.stdout)["verified"], path.read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_the_other_dimension_takes_the_axis(kind, shardwise, tmp_path):
    """All_to_alls there and back: nothing is gathered."""
    element, size, result_element, result_size = KINDS[kind]
    operand, result = f"tensor<60x{size}x{element}>", f"tensor<60x{result_size}x{result_element}>"
    path = tmp_path / "model.mlir"
    path.write_text(f"""sdy.mesh @m = <["x"=2]>
func.func @main(%a: {operand} {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}, {{}}]>}})
    -> ({result} {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}, {{}}]>}}) {{
  %0 = stablehlo.fft %a, type = {kind}, length = [60, 10] : ({operand}) -> {result}
  return %0 : {result}
}}
""")
    report = json.loads(shardwise("run", path, "--json").stdout)
    assert report["verified"] and not report["forced_gathers"]
    assert {entry["kind"] for entry in report["collectives"]} == {"all_to_all"}
