// RUN: shardwise-opt %s -split-input-file -shardwise-propagation-pipeline -shardwise-insert-partition-reshards | FileCheck %s
//
// Between ragged_dots whose groups are cut alike a device computes the rows of its groups only: nothing is summed up
// there, though what is in between is not linear.

// CHECK-LABEL: func.func @experts
// CHECK: %[[IN:.*]] = "chlo.ragged_dot"(%arg0, %arg1, %arg3) {{.*}}{sdy.sharding = {{.*}}[{}, {}], unreduced={"x"}>]>, shardwise.rows_of_groups}
// CHECK-NEXT: %[[HIDDEN:.*]] = stablehlo.logistic %[[IN]] {sdy.sharding = {{.*}}unreduced={"x"}>]>, shardwise.rows_of_groups}
// CHECK-NEXT: %[[GATE:.*]] = "chlo.ragged_dot"(%arg0, %arg4, %arg3) {{.*}}rows_of_groups}
// CHECK-NEXT: %[[PRODUCT:.*]] = stablehlo.multiply %[[HIDDEN]], %[[GATE]] {{.*}}rows_of_groups}
// CHECK-NEXT: %[[OUT:.*]] = "chlo.ragged_dot"(%[[PRODUCT]], %arg2, %arg3) {{.*}}unreduced={"x"}>]>, shardwise.rows_of_groups}
// CHECK-NEXT: %[[SUM:.*]] = sdy.reshard %[[OUT]] <@mesh, [{}, {}]>
// CHECK-NEXT: return %[[SUM]]
sdy.mesh @mesh = <["x"=2]>
func.func @experts(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w2: tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %s: tensor<4xi32>, %w3: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = stablehlo.logistic %0 : tensor<64x64xf32>
  %2 = "chlo.ragged_dot"(%a, %w3, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %3 = stablehlo.multiply %1, %2 : tensor<64x64xf32>
  %4 = "chlo.ragged_dot"(%3, %w2, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<4x64x8xf32>, tensor<4xi32>) -> tensor<64x8xf32>
  return %4 : tensor<64x8xf32>
}

// -----

// The gradient by the matrices of the second product reads rows of groups of both operands.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[HIDDEN:.*]] = stablehlo.logistic {{.*}}rows_of_groups}
// CHECK-NEXT: "chlo.ragged_dot"(%[[HIDDEN]], %arg2, %arg3) {{.*}}[{"x"}, {}, {}]>]>, shardwise.rows_of_groups}
// CHECK-NEXT: return
sdy.mesh @mesh = <["x"=2]>
func.func @gradient(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %d: tensor<64x8xf32>, %s: tensor<4xi32>) -> (tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = stablehlo.logistic %0 : tensor<64x64xf32>
  %2 = "chlo.ragged_dot"(%1, %d, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x8xf32>, tensor<4xi32>) -> tensor<4x64x8xf32>
  return %2 : tensor<4x64x8xf32>
}

// -----

// Whoever reads all rows, or mixes them, or has other groups, needs the sum.
// CHECK-LABEL: func.func @returned
// CHECK-NOT: rows_of_groups
sdy.mesh @mesh = <["x"=2]>
func.func @returned(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w2: tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %s: tensor<4xi32>) -> (tensor<64x8xf32>, tensor<64x64xf32>) {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = stablehlo.logistic %0 : tensor<64x64xf32>
  %2 = "chlo.ragged_dot"(%1, %w2, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<4x64x8xf32>, tensor<4xi32>) -> tensor<64x8xf32>
  return %2, %1 : tensor<64x8xf32>, tensor<64x64xf32>
}

// -----

// CHECK-LABEL: func.func @mixed
// CHECK-NOT: rows_of_groups
sdy.mesh @mesh = <["x"=2]>
func.func @mixed(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w2: tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %s: tensor<4xi32>) -> tensor<64x8xf32> {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<64x64xf32>
  %2 = "chlo.ragged_dot"(%1, %w2, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<4x64x8xf32>, tensor<4xi32>) -> tensor<64x8xf32>
  return %2 : tensor<64x8xf32>
}

// -----

// CHECK-LABEL: func.func @otherSizes
// CHECK-NOT: rows_of_groups
sdy.mesh @mesh = <["x"=2]>
func.func @otherSizes(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %w2: tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %s: tensor<4xi32>, %t: tensor<4xi32>) -> tensor<64x8xf32> {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = "chlo.ragged_dot"(%0, %w2, %t) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<4x64x8xf32>, tensor<4xi32>) -> tensor<64x8xf32>
  return %1 : tensor<64x8xf32>
}

// -----

// Groups on "y" and "x": a device has others than on "x" and "y".
// CHECK-LABEL: func.func @otherOrder
// CHECK-NOT: rows_of_groups
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @otherOrder(%a: tensor<64x8xf32>, %w1: tensor<4x8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}, {}]>}, %w2: tensor<4x64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}, %s: tensor<4xi32>) -> tensor<64x8xf32> {
  %0 = "chlo.ragged_dot"(%a, %w1, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x8xf32>, tensor<4x8x64xf32>, tensor<4xi32>) -> tensor<64x64xf32>
  %1 = stablehlo.logistic %0 : tensor<64x64xf32>
  %2 = "chlo.ragged_dot"(%1, %w2, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<4x64x8xf32>, tensor<4xi32>) -> tensor<64x8xf32>
  return %2 : tensor<64x8xf32>
}
