# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of `shardwise explain` share: programs, and reports as JSON."""

import json

MATMUL = """sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
                %w: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}) -> (tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %z = stablehlo.tanh %y : tensor<32x128xf32>
  return %z : tensor<32x128xf32>
}
"""


def explain(shardwise, text, *arguments):
    process = shardwise("explain", "-", "--json", *arguments, stdin=text)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def only_conflict(shardwise, text):
    conflicts = explain(shardwise, text, "--top", "0")["conflicts"]
    assert len(conflicts) == 1, conflicts
    return conflicts[0]


def conflict_program(lhs, rhs, lhs_shape="64x8", rhs_shape="8x16", extra=""):
    """A matmul whose operands both want their axes on the result."""
    rows, columns = lhs_shape.split("x")[0], rhs_shape.split("x")[1]
    types = f"tensor<{lhs_shape}xf32>, tensor<{rhs_shape}xf32>"
    return f"""sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<{lhs_shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, {lhs}>}},
                %b: tensor<{rhs_shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, {rhs}>}}) -> tensor<{rows}x{columns}xf32> {{
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({types}) -> tensor<{rows}x{columns}xf32>
  return %c : tensor<{rows}x{columns}xf32>
}}
"""
