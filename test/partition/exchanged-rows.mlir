// RUN: shardwise-opt %s -shardwise-partition-pipeline | FileCheck %s
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards | FileCheck %s --check-prefix=RESHARDS
// RUN: shardwise-opt %s -shardwise-insert-partition-reshards=exchange-rows=false | FileCheck %s --check-prefix=SUMS
//
// Rows and indices on the same axes: indices go to the owners of rows, and rows come back.

sdy.mesh @mesh = <["x"=4]>

// CHECK-LABEL: func @lookup
// CHECK-SAME: (%[[TABLE:.*]]: tensor<16384x64xf32> {{.*}}, %[[INDICES:.*]]: tensor<128xi32>
// RESHARDS-LABEL: func @lookup
// RESHARDS-NEXT: "stablehlo.gather"(%arg0, %arg1)
// RESHARDS-NEXT: return
// SUMS-LABEL: func @lookup
// SUMS: %[[ALL:.*]] = sdy.reshard %arg1 <@mesh, [{}]>
// SUMS: %[[PARTS:.*]] = "stablehlo.gather"(%arg0, %[[ALL]]) {{.*}}unreduced={"x"}
// SUMS: sdy.reshard %[[PARTS]] <@mesh, [{"x"}, {}]>
func.func @lookup(%table: tensor<65536x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %indices: tensor<512xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // Every index is brought into the bounds of the whole table; its owner is a quotient.
  // CHECK: stablehlo.maximum
  // CHECK: stablehlo.minimum
  // CHECK: stablehlo.divide
  // CHECK: stablehlo.remainder
  // CHECK: "stablehlo.sort"
  // Counts and starts, in one collective.
  // CHECK: %[[BOTH:.*]] = stablehlo.concatenate {{.*}} -> tensor<4x2xi32>
  // CHECK: "stablehlo.all_to_all"(%[[BOTH]])
  // CHECK: %[[ASKED:.*]] = stablehlo.custom_call @ragged_all_to_all({{.*}} -> tensor<512x1xi32>
  // CHECK: %[[ROWS:.*]] = "stablehlo.gather"(%[[TABLE]], %[[ASKED]]) {{.*}} -> tensor<512x64xf32>
  // CHECK: %[[SORTED:.*]] = stablehlo.custom_call @ragged_all_to_all(%[[ROWS]], {{.*}} -> tensor<128x64xf32>
  // CHECK: "stablehlo.gather"(%[[SORTED]], {{.*}} -> tensor<128x64xf32>
  %0 = "stablehlo.gather"(%table, %indices) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>, indices_are_sorted = false}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<65536x64xf32>, tensor<512xi32>) -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}

// Updates are sent beside the indices. Places that nobody needs are beyond the shard of 16384 rows.
// CHECK-LABEL: func @update
// CHECK-SAME: (%[[TABLE:.*]]: tensor<16384x64xf32>
// CHECK: %[[FILLING:.*]] = stablehlo.constant dense<16384> : tensor<1xi32>
// CHECK: %[[PLACES:.*]] = stablehlo.custom_call @ragged_all_to_all({{.*}} -> tensor<512x1xi32>
// CHECK: %[[UPDATES:.*]] = stablehlo.custom_call @ragged_all_to_all({{.*}} -> tensor<512x64xf32>
// CHECK: "stablehlo.scatter"(%[[TABLE]], %[[PLACES]], %[[UPDATES]])
func.func @update(%table: tensor<65536x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %indices: tensor<512xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %updates: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<65536x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%table, %indices, %updates) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<65536x64xf32>, tensor<512xi32>, tensor<512x64xf32>) -> tensor<65536x64xf32>
  return %0 : tensor<65536x64xf32>
}

// The last update of a row counts: who sends it does not know the others.
// CHECK-LABEL: func @lastUpdate
// CHECK-NOT: ragged_all_to_all
// CHECK: return
func.func @lastUpdate(%table: tensor<65536x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %indices: tensor<512xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %updates: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<65536x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%table, %indices, %updates) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<65536x64xf32>, tensor<512xi32>, tensor<512x64xf32>) -> tensor<65536x64xf32>
  return %0 : tensor<65536x64xf32>
}
