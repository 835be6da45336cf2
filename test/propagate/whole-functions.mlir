// RUN: shardwise-opt %s -split-input-file -sdy-user-priority-propagate 2>/dev/null | FileCheck %s

// Functions as a whole: their results, dead ops, rules that users attach, several results.

// Only the main function links its results.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func public @other(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @called(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func public @other(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {?}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @called(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {?}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// A function that is alone is the main one.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func public @foo(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y"}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func public @foo(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y"}]>}) {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// An argument that is returned is linked to each of its results.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}, tensor<8x8xf32>) {
// CHECK-NEXT: return %arg0, %arg0, %arg1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}, tensor<8x8xf32>) {
  return %arg0, %arg0, %arg1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Dead pure ops go; constraints and unknown custom calls stay and take part.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@m, [{"y"}, {}]> : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<8x8xf32>
  %1 = stablehlo.sine %0 : tensor<8x8xf32>
  %2 = stablehlo.custom_call @foo(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %1 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  %4 = sdy.sharding_constraint %1 <@m, [{"y"}, {}]> : tensor<8x8xf32>
  %5 = stablehlo.optimization_barrier %1 : tensor<8x8xf32>
  %6 = sdy.propagation_barrier %1 allowed_direction=FORWARD : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Attached rules win over the built-in ones, and let custom calls take part.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", ?}, {"x", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"z":(2)2, ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"z", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %1 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: %2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"z":(2)2, ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=8, j=2, k=4} permutation={i}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, i])->([i, j]) {i=8, j=8}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.add %arg0, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, j]) {i=8, j=8, k=8} blocked_propagation={i}>} : tensor<8x8xf32>
  %2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=8, j=2, k=4} permutation={i}, custom>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The first sharding of one result makes the others open.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}]>}) {
// CHECK-NEXT: %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64}> ({
// CHECK-NEXT: ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
// CHECK-NEXT: %2 = stablehlo.compare  GE, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %2 : tensor<i1>
// CHECK-NEXT: }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>, <@m, [{"x", ?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xi32>) -> (tensor<8x8xf32>, tensor<8x8xi32>)
// CHECK-NEXT: %1:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {?}]>, <@m, [{"x", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [i]) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
// CHECK-NEXT: return %0#0, %0#1, %1#1 : tensor<8x8xf32>, tensor<8x8xi32>, tensor<8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}, %arg1: tensor<8x8xi32>) -> (tensor<8x8xf32>, tensor<8x8xi32>, tensor<8xf32>) {
  %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 1 : i64}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>, %arg4: tensor<i32>, %arg5: tensor<i32>):
    %2 = stablehlo.compare  GE, %arg2, %arg3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8x8xf32>, tensor<8x8xi32>) -> (tensor<8x8xf32>, tensor<8x8xi32>)
  %1:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [i]) {i=8, j=8, k=8, l=8}, custom>} : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %1#1 : tensor<8x8xf32>, tensor<8x8xi32>, tensor<8xf32>
}

// -----

// An operand does not get more than a closed result of an element-wise op has.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"y", ?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %0 : tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {?}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Scalars carry shardings without dimensions.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<f32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) {
// CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@m, []> : tensor<f32>
// CHECK-NEXT: %1 = stablehlo.add %0, %arg0 : tensor<f32>
// CHECK-NEXT: %2 = stablehlo.optimization_barrier %1 : tensor<f32>
// CHECK-NEXT: %3 = stablehlo.broadcast_in_dim %2, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : (tensor<f32>) -> tensor<8x8xf32>
// CHECK-NEXT: %4 = stablehlo.add %3, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {?}]>]>} : tensor<8x8xf32>
// CHECK-NEXT: return %2, %4 : tensor<f32>, tensor<8x8xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@m, []>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {?}]>}) -> (tensor<f32>, tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %arg0 <@m, []> : tensor<f32>
  %1 = stablehlo.add %0, %arg0 : tensor<f32>
  %2 = stablehlo.optimization_barrier %1 : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %3, %arg1 : tensor<8x8xf32>
  return %2, %4 : tensor<f32>, tensor<8x8xf32>
}

// -----

// Priorities on arguments, results and constraints, for axes and for open dimensions.
// CHECK: sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
// CHECK-NEXT: func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"z"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?}]>}, %arg2: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "z":(2)2}, {?}]>}, %arg3: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"z":(1)2, "x"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"z", ?}, {?}]>}) {
// CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x", ?}, {"y", "z":(2)2, ?}]>]>} : tensor<16x16xf32>
// CHECK-NEXT: %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z", ?}, {?}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: %2 = stablehlo.multiply %1, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"z", ?}, {?}]>]>} : tensor<16x16xf32>
// CHECK-NEXT: %3 = sdy.sharding_constraint %2 <@m, [{"z", ?}, {?}]> : tensor<16x16xf32>
// CHECK-NEXT: %4 = stablehlo.transpose %3, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {"z", ?}]>]>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
// CHECK-NEXT: return %4, %2 : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT: }

sdy.mesh @m = <["x"=2, "y"=2, "z"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p2, {"z"}p1]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}p0, {"x", ?}p1]>}, %arg2: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "z":(2)2}p3, {?}p5]>}, %arg3: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}p1, {"z":(1)2, "x"}p7]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"y", ?}p4]>}, tensor<16x16xf32>) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<16x16xf32>
  %1 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = stablehlo.multiply %1, %arg3 : tensor<16x16xf32>
  %3 = sdy.sharding_constraint %2 <@m, [{"z", ?}p2, {?}]> : tensor<16x16xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %4, %2 : tensor<16x16xf32>, tensor<16x16xf32>
}
