// RUN: shardwise-opt %s -sdy-update-non-divisible-input-output-shardings | FileCheck %s

// Shardings at the border keep the longest prefix of axes that divides the dimension; the last axis may be split.

sdy.mesh @mesh = <["x"=4, "y"=2]>
// CHECK-LABEL: func.func @main
// 4 and 6 have 2 in common.
// CHECK-SAME: %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}
// Divides: stays.
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>}
// 2 and 3 have nothing in common: "y" goes, and what is behind it.
// CHECK-SAME: %arg2: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}
// After "y" 6 has 3 left.
// CHECK-SAME: %arg3: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}
// CHECK-SAME: -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}, tensor<6xf32>)
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}]>},
                %c: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x", ?}]>},
                %d: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}]>})
    -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xf32>) {
  // Values inside may be uneven.
  // CHECK: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
  // Results of calls are a border, and operands and results of manual computations.
  // CHECK: call @f(%arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x":(1)2}]>]>}
  %1 = call @f(%d) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"}
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"y", "x"}]>] out_shardings=[<@mesh, [{"y", "x"}]>] manual_axes={"y"} (%p: tensor<3xf32>) {
    sdy.return %p : tensor<3xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  return %1, %2 : tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func private @f
// CHECK-SAME: %arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}
func.func private @f(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
  return %a : tensor<6xf32>
}
