// RUN: shardwise-opt %s -sdy-remove-sub-axes-in-input-output-shardings | FileCheck %s

// An open dimension of an argument or result of the main function ends before its first sub-axis.

sdy.mesh @mesh = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}]>}
// What follows a sub-axis goes as well.
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// A closed dimension is what the user wants.
// CHECK-SAME: %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x":(2)2}]>})
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2, ?}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "y", ?}]>},
                %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}, {"x":(2)2}]>}) {
  // Values inside keep them.
  // CHECK: stablehlo.broadcast_in_dim {{.*}}[<@mesh, [{"x":(1)2, ?}, {?}]>]
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2, ?}, {?}]>]>} : (tensor<8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Other functions keep them too.
// CHECK-LABEL: func.func private @f
// CHECK-SAME: [{"x":(1)2, ?}]
func.func private @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}]>}) {
  return
}
