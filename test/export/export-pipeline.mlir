// RUN: shardwise-opt %s -split-input-file -sdy-export-pipeline 2>/dev/null | FileCheck %s

// The whole export.

// Groups and rules go, dimensions close and divide at the border, constraints become reshards.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}p1]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}) {
// CHECK-NEXT: %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y"}]>]>} : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %1 = sdy.reshard %0 <@m, [{"x"}, {}]> : tensor<6x8xf32>
// CHECK-NEXT: return %1 : tensor<6x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", ?}, {"x"}p1]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}) -> (tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z":(1)2, ?}]>}) {
  sdy.sharding_group %arg1 group_id=0 : tensor<8x8xf32>
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"y", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=6, j=8, k=8} reduction={k}>} : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {?}]> : tensor<6x8xf32>
  %2 = stablehlo.tanh %1 : tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}

// -----

// Equal constants of one block are one; iotas stay.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
// CHECK-NEXT: %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %3 = stablehlo.iota dim = 0 : tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.iota dim = 0 : tensor<8x8xf32>
// CHECK-NEXT: %5 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT: %11 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK-NEXT: %12 = stablehlo.add %11, %11 : tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %12 : tensor<8x8xf32>
// CHECK-NEXT: }, {
// CHECK-NEXT: %11 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: stablehlo.return %11 : tensor<8x8xf32>
// CHECK-NEXT: }) : (tensor<i1>) -> tensor<8x8xf32>
// CHECK-NEXT: %6 = stablehlo.add %0, %0 : tensor<8x8xf32>
// CHECK-NEXT: %7 = stablehlo.add %2, %2 : tensor<8x8xf32>
// CHECK-NEXT: %8 = stablehlo.add %3, %4 : tensor<8x8xf32>
// CHECK-NEXT: %9 = stablehlo.add %1, %6 : tensor<8x8xf32>
// CHECK-NEXT: %10 = stablehlo.add %7, %8 : tensor<8x8xf32>
// CHECK-NEXT: return %5, %9, %10 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  %1 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  %2 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} dense<1.000000e+00> : tensor<8x8xf32>
  %3 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %5 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %6 = stablehlo.iota dim = 0 : tensor<8x8xf32>
  %7 = "stablehlo.if"(%arg0) ({
    %13 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
    %14 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
    %15 = stablehlo.add %13, %14 : tensor<8x8xf32>
    stablehlo.return %15 : tensor<8x8xf32>
  }, {
    %13 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    stablehlo.return %13 : tensor<8x8xf32>
  }) : (tensor<i1>) -> tensor<8x8xf32>
  %8 = stablehlo.add %0, %1 : tensor<8x8xf32>
  %9 = stablehlo.add %3, %4 : tensor<8x8xf32>
  %10 = stablehlo.add %5, %6 : tensor<8x8xf32>
  %11 = stablehlo.add %2, %8 : tensor<8x8xf32>
  %12 = stablehlo.add %9, %10 : tensor<8x8xf32>
  return %7, %11, %12 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
