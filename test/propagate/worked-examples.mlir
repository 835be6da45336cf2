// RUN: split-file %s %t
// RUN: shardwise-opt %t/row-wins-by-size.mlir -sdy-basic-propagate | FileCheck %t/row-wins-by-size.mlir --check-prefix=BASIC
// RUN: shardwise-opt %t/row-wins-by-size.mlir -sdy-aggressive-propagate | FileCheck %t/row-wins-by-size.mlir --check-prefix=AGGRESSIVE
// RUN: shardwise-opt %t/broadcast.mlir -sdy-aggressive-propagate | FileCheck %t/broadcast.mlir
// RUN: shardwise-opt %t/pad.mlir -sdy-op-priority-propagate=conservative-propagation=true | FileCheck %t/pad.mlir
// RUN: shardwise-opt %t/convolution.mlir -sdy-op-priority-propagate | FileCheck %t/convolution.mlir
// RUN: shardwise-opt %t/closed-constraint.mlir -sdy-apply-sharding-constraints -sdy-op-priority-propagate | FileCheck %t/closed-constraint.mlir --check-prefix=APPLIED
// RUN: shardwise-opt %t/closed-constraint.mlir -sdy-op-priority-propagate | FileCheck %t/closed-constraint.mlir --check-prefix=ALONE
// RUN: shardwise-opt %t/second-constraint.mlir -sdy-apply-sharding-constraints -sdy-op-priority-propagate | FileCheck %t/second-constraint.mlir
// RUN: shardwise-opt %t/open-constraint.mlir -sdy-apply-sharding-constraints -sdy-op-priority-propagate | FileCheck %t/open-constraint.mlir

// What the tests of single passes and data-flow.mlir leave out of the examples in which a conflict or a rule
// decides.

//--- row-wins-by-size.mlir
// B has 512 elements and A 128, so the columns get x.
sdy.mesh @mesh = <["x"=2]>
// BASIC: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (
// AGGRESSIVE: stablehlo.dot_general {{.*}}[<@mesh, [{?}, {"x", ?}]>]
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
                %b: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> tensor<16x64xf32> {
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x64xf32>) -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
}

//--- broadcast.mlir
// Without levels the broadcast is visited first, and its column conflicts with the row of t.
sdy.mesh @mesh = <["x"=2]>
// CHECK: %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}
// CHECK: stablehlo.broadcast_in_dim {{.*}}[<@mesh, [{?}, {"x", ?}]>]
// CHECK: stablehlo.add {{.*}}[<@mesh, [{?}, {"x", ?}]>]
// CHECK: stablehlo.tanh {{.*}}[<@mesh, [{"x", ?}, {?}]>]
func.func @main(%bias: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %h: tensor<8x16xf32>)
    -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) {
  %bb = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %o = stablehlo.add %h, %bb : tensor<8x16xf32>
  %t = stablehlo.tanh %o : tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}

//--- pad.mlir
// The padded dimension is blocked.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: stablehlo.pad {{.*}}[<@mesh, [{?}, {"y", ?}]>]
func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %p: tensor<f32>) -> tensor<18x8xf32> {
  %0 = stablehlo.pad %a, %p, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<16x8xf32>, tensor<f32>) -> tensor<18x8xf32>
  return %0 : tensor<18x8xf32>
}

//--- convolution.mlir
sdy.mesh @mesh = <["b"=2, "s"=4, "k"=2]>
// CHECK: %arg1: tensor<2x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"k", ?}, {?}]>}
// CHECK: stablehlo.convolution{{.*}}[<@mesh, [{"b", ?}, {"s", ?}, {?}]>]
func.func @main(%lhs: tensor<8x32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"s"}, {"k"}]>},
                %kernel: tensor<2x16x64xf32>) -> tensor<8x16x64xf32> {
  %0 = stablehlo.convolution(%lhs, %kernel) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x16xf32>, tensor<2x16x64xf32>) -> tensor<8x16x64xf32>
  return %0 : tensor<8x16x64xf32>
}

//--- closed-constraint.mlir
sdy.mesh @mesh = <["x"=2, "y"=2]>
// APPLIED: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}
// APPLIED-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// APPLIED: stablehlo.add {{.*}}[<@mesh, [{"x"}, {}]>]
// APPLIED: sdy.sharding_constraint {{.*}} <@mesh, [{"x"}, {}]>
// ALONE: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}
// ALONE-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>})
// ALONE: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
// ALONE: sdy.sharding_constraint {{.*}} <@mesh, [{"x"}, {}]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

//--- second-constraint.mlir
// With two opinions on v, none is applied to it.
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}
// CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
// CHECK: sdy.sharding_constraint {{.*}} <@mesh, [{"x"}, {}]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %d = sdy.sharding_constraint %v <@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %c, %d : tensor<8x8xf32>, tensor<8x8xf32>
}

//--- open-constraint.mlir
sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y"}]>}
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {"y", ?}]>})
// CHECK: stablehlo.add {{.*}}[<@mesh, [{"x", ?}, {"y", ?}]>]
// CHECK: sdy.sharding_constraint {{.*}} <@mesh, [{"x", ?}, {"y", ?}]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %v = stablehlo.add %a, %a : tensor<8x8xf32>
  %c = sdy.sharding_constraint %v <@mesh, [{"x", ?}, {?}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
