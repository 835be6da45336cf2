// RUN: shardwise-opt %s -split-input-file -shardwise-propagation-pipeline -shardwise-partition-pipeline | FileCheck %s
//
// chlo.ragged_dot on parts of its rows, its groups and its terms: nothing moves but the sum at the end.

// Rows: the sizes of the groups are those of what lies in the device's rows.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[ROWS:.*]]: tensor<6x8xf32>
// CHECK-NOT: stablehlo.all_
// CHECK: %[[SUMS:.*]] = "stablehlo.reduce_window"
// CHECK-NOT: stablehlo.all_
// CHECK: %[[RESULT:.*]] = "chlo.ragged_dot"(%[[ROWS]], %{{.*}}, %{{.*}}) {{.*}}, tensor<4xi64>) -> tensor<6x6xf32>
// CHECK-NEXT: return %[[RESULT]]
sdy.mesh @mesh = <["x"=2]>
func.func @rows(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x8x6xf32>, %s: tensor<4xi32>) -> tensor<12x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x6xf32>, tensor<4xi32>) -> tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}

// -----

// Groups: rows of other groups are skipped, the result is moved back to where they were.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[ROWS:.*]]: tensor<12x8xf32>
// CHECK-SAME: %[[EXPERTS:.*]]: tensor<2x8x6xf32>
// CHECK: %[[PADDED:.*]] = stablehlo.pad %[[ROWS]], {{.*}} high = [12, 0]
// CHECK: %[[MOVED:.*]] = stablehlo.dynamic_slice %[[PADDED]], {{.*}} sizes = [12, 8]
// CHECK: %[[PRODUCT:.*]] = "chlo.ragged_dot"(%[[MOVED]], %[[EXPERTS]], %{{.*}}) {{.*}}, tensor<2xi64>) -> tensor<12x6xf32>
// CHECK: %[[BEHIND:.*]] = stablehlo.pad %[[PRODUCT]], {{.*}} low = [12, 0]
// CHECK: %[[BACK:.*]] = stablehlo.dynamic_slice %[[BEHIND]], {{.*}} sizes = [12, 6]
// CHECK: "stablehlo.all_reduce"(%[[BACK]])
sdy.mesh @mesh = <["x"=2]>
func.func @groups(%a: tensor<12x8xf32>, %b: tensor<4x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %s: tensor<4xi32>) -> tensor<12x6xf32> {
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<4x8x6xf32>, tensor<4xi32>) -> tensor<12x6xf32>
  return %0 : tensor<12x6xf32>
}

// -----

// A product per group, of which the rows are cut: sums over the devices, and groups cut by "y".
// CHECK-LABEL: func.func @perGroup
// CHECK-SAME: tensor<6x8xf32>{{.*}}tensor<6x6xf32>{{.*}} -> (tensor<2x8x6xf32>
// CHECK: %[[PRODUCT:.*]] = "chlo.ragged_dot"({{.*}}, tensor<2xi64>) -> tensor<2x8x6xf32>
// CHECK-NEXT: "stablehlo.all_reduce"(%[[PRODUCT]]) {{.*}}name = "x"
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @perGroup(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<4xi32>) -> (tensor<4x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}]>}) {
  %0 = "chlo.ragged_dot"(%a, %b, %s) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<12x8xf32>, tensor<12x6xf32>, tensor<4xi32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}
