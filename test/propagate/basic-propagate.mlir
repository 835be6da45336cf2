// RUN: shardwise-opt %s -split-input-file -sdy-basic-propagate | FileCheck %s
// RUN: shardwise-opt %s -split-input-file -sdy-aggressive-propagate=propagation-strategy=basic | FileCheck %s

// An axis moves along a factor only as far as all tensors of the op can take it.

// x goes from the argument to all others, dimension by dimension.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @agreement
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}
func.func @agreement(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {?}]>]
  // CHECK-NOT: sdy.sharding_rule
  %c = stablehlo.add %a, %b : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// x is wanted by both dimensions of the result: nobody gets it.
sdy.mesh @mesh = <["x"=2]>
// CHECK-LABEL: func.func @conflict
func.func @conflict(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                            %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<64x16xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
  return %c : tensor<64x16xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
// CHECK-LABEL: func.func @conflictStopsAtPrefix
func.func @conflictStopsAtPrefix(%a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {?}]>},
                                 %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"z", "x"}]>}) -> tensor<64x16xf32> {
  // CHECK: stablehlo.dot_general {{.*}}[<@mesh, [{?}, {"z", ?}]>]
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
  return %c : tensor<64x16xf32>
}

// -----

// In an element-wise op the closed result keeps x from the other operand.
sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK-LABEL: func.func @sidewaysElementwise
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}
func.func @sidewaysElementwise(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add {{.*}}[<@mesh, [{}, {"y", ?}]>]
  %r = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK-LABEL: func.func @sidewaysCustomRule
// CHECK-SAME: %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}
func.func @sidewaysCustomRule(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.custom_call {{.*}}[<@mesh, [{}, {"y", ?}]>]
  %r = stablehlo.custom_call @foo(%a, %b) {
      sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>,
      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
