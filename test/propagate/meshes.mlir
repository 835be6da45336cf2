// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate 2>/dev/null | FileCheck %s

// Which mesh a step works on.

// Meshes with equal axes are one mesh; other axes or another order of devices stop a step; what has the empty
// mesh joins any.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: sdy.mesh @n = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: sdy.mesh @o = <["p"=16]>
// CHECK-NEXT: sdy.mesh @dev = <["x"=2, "y"=2, "z"=4], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK-NEXT: sdy.mesh @e = <[]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}, {"y", ?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x", ?}, {"y", ?}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@o, [{"p"}, {?}]>}, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@dev, [{"z"}, {?}]>}, %arg4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x", ?}, {"y", ?}]>}, tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@o, [{"p", ?}, {?}]>}, tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x", ?}, {"y", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{?}, {"y", ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.add %arg1, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@n, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %arg2, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@o, [{"p", ?}, {?}]>]>} : tensor<16x8xf32>
// CHECK-NEXT: %2 = stablehlo.add %arg3, %0 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.add %arg4, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@n, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.negate %arg4 {sdy.sharding = #sdy.sharding_per_value<[<@n, [{?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0, %1, %2, %3, %4 : tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @n = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @o = <["p"=16]>
sdy.mesh @dev = <["x"=2, "y"=2, "z"=4], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @e = <[]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@n, [{?}, {"y", ?}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@o, [{"p"}, {?}]>}, %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@dev, [{"z"}, {?}]>}, %arg4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@e, [{}, {?}]>}) -> (tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %arg1, %arg0 : tensor<8x8xf32>
  %1 = stablehlo.add %arg2, %arg2 : tensor<16x8xf32>
  %2 = stablehlo.add %arg3, %0 : tensor<8x8xf32>
  %3 = stablehlo.add %arg4, %arg0 : tensor<8x8xf32>
  %4 = stablehlo.negate %arg4 : tensor<8x8xf32>
  return %0, %1, %2, %3, %4 : tensor<8x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A value on one device has no axes to give or to take.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: sdy.mesh @mx = <[], device_ids=[3]>
// CHECK-NEXT: sdy.mesh @big = <["x"=2, "w"=8]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mx, []>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.negate %1 : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.add %0, %1 : tensor<8x8xf32>
// CHECK-NEXT: return %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
sdy.mesh @mx = <[], device_ids=[3]>
sdy.mesh @big = <["x"=2, "w"=8]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mx, []>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %1, %arg1 : tensor<8x8xf32>
  %3 = stablehlo.negate %1 : tensor<8x8xf32>
  %4 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
