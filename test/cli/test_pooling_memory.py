# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a device takes for the gradient of a pool whose windows are cut: its parts, what it puts together
of them, and the gradient on that. Not more: branches share neither what they read nor what they give."""

import json
import subprocess

import pytest

from conftest import BUILD

# 8x64x32x16 floats are 1 MiB, in four parts 256 KiB.
BLOCK, ROW = 1 << 18, 1 << 14
PROGRAM = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x64x32x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}, {{}}, {{}}]>}},
                %g: tensor<8x32x16x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}, {{}}, {{}}]>}})
    -> (tensor<8x64x32x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}, {{}}, {{}}]>}}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %g, %zero) <{{padding = dense<{padding}> : tensor<4x2xi64>,
      window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) : (tensor<8x64x32x16xf32>, tensor<8x32x16x16xf32>, tensor<f32>) -> tensor<8x64x32x16xf32>
  return %r : tensor<8x64x32x16xf32>
}}
"""


@pytest.mark.parametrize("padding", ["[[0, 0], [0, 1], [0, 1], [0, 0]]", "[[0, 0], [1, 0], [1, 0], [0, 0]]"])
def test_pooling_gradients_take_what_one_branch_needs(padding):
    text = PROGRAM.format(padding=padding)
    process = subprocess.run([BUILD / "bin/shardwise", "run", "-", "--json"], input=text, text=True,
                             capture_output=True)
    report = json.loads(process.stdout)
    assert process.returncode == 0 and report["verified"]
    # A block of %g has a quarter of the bytes of one of %x. Both are put together with up to three
    # rows that are received, or one, and the gradient is as large as the first.
    arguments = BLOCK + BLOCK // 4
    joined = BLOCK + 3 * ROW + BLOCK // 4 + ROW
    gradient = BLOCK + 3 * ROW
    received = 4 * ROW
    assert report["peak_bytes_per_device"] <= arguments + joined + gradient + received
