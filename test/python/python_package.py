# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as the build folder has it. Modules that import this are skipped if it was not built."""

import sys

from conftest import BUILD, ROOT, skip_without_package

PACKAGE = BUILD / "python"
MLP = ROOT / "examples/mlp_train/model.mlir"

skip_without_package()
sys.path.insert(0, str(PACKAGE))

import shardwise  # noqa: E402, F401

# A product whose contracted dimension is cut: one all_reduce.
PRODUCT = """module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                  %b: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> (tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    return %c : tensor<4x3xf32>
  }
}
"""


def negation(element_type, size=4):
    """A program that negates a tensor over two devices."""
    tensor = f"tensor<{size}x{element_type}>"
    return ('module {\n  sdy.mesh @mesh = <["x"=2]>\n'
            f'  func.func @main(%a: {tensor} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) '
            f'-> {tensor} {{\n    %b = stablehlo.negate %a : {tensor}\n    return %b : {tensor}\n  '
            '}\n}\n')
