// RUN: shardwise-opt %s -shardwise-partition-pipeline | FileCheck %s
//
// Places that are known only when the program runs, along cut dimensions: the device that has a
// place reads or writes it.

sdy.mesh @mesh = <["x"=2]>

// A step of decoding: nothing is sent, and one row of the shard is read and written.
// CHECK-LABEL: func @cache
// CHECK-SAME: (%[[CACHE:.*]]: tensor<4x8xf32> {{.*}}, %[[ROW:.*]]: tensor<1x8xf32>, %[[AT:.*]]: tensor<i32>)
func.func @cache(%cache: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %row: tensor<1x8xf32>, %at: tensor<i32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NOT: all_gather
  // The start is clamped as in the global program, to 0..7, then counts from the shard.
  // CHECK: stablehlo.maximum %[[AT]]
  // CHECK: stablehlo.constant dense<7>
  // CHECK: %[[START:.*]] = stablehlo.minimum
  // CHECK: %[[OFFSET:.*]] = stablehlo.multiply
  // CHECK: %[[FIRST:.*]] = stablehlo.subtract %[[START]], %[[OFFSET]]
  // CHECK: %[[HERE:.*]] = stablehlo.clamp %{{.*}}, %[[FIRST]], %{{.*}}
  // CHECK: %[[SHIFT:.*]] = stablehlo.subtract %[[HERE]], %[[FIRST]]
  // CHECK: %[[OLD:.*]] = stablehlo.dynamic_slice %[[CACHE]], %[[HERE]], %{{.*}}, sizes = [1, 8]
  // CHECK: %[[IS_HERE:.*]] = stablehlo.compare EQ, %[[SHIFT]]
  // CHECK: %[[NEW:.*]] = stablehlo.select %[[IS_HERE]], %[[ROW]], %[[OLD]]
  // CHECK: stablehlo.dynamic_update_slice %[[CACHE]], %[[NEW]], %[[HERE]]
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %row, %at, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// An update of three rows can lie on both devices: it is moved to where the shard has its rows.
// CHECK-LABEL: func @threeRows
// CHECK-SAME: %[[ROWS:[^:]*]]: tensor<3x8xf32>
func.func @threeRows(%cache: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %rows: tensor<3x8xf32>, %at: tensor<i32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK: stablehlo.constant dense<5>
  // CHECK: %[[OLD:.*]] = stablehlo.dynamic_slice {{.*}} sizes = [3, 8]
  // CHECK: %[[LINE:.*]] = stablehlo.and {{.*}} : tensor<3xi1>
  // CHECK: %[[INSIDE:.*]] = stablehlo.broadcast_in_dim %[[LINE]], dims = [0]
  // CHECK: %[[PADDED:.*]] = stablehlo.pad %[[ROWS]], {{.*}} -> tensor<9x8xf32>
  // CHECK: %[[MOVED:.*]] = stablehlo.dynamic_slice %[[PADDED]], {{.*}} sizes = [3, 8]
  // CHECK: %[[NEW:.*]] = stablehlo.select %[[INSIDE]], %[[MOVED]], %[[OLD]]
  // CHECK: stablehlo.dynamic_update_slice {{.*}}, %[[NEW]]
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %rows, %at, %zero {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x8xf32>, tensor<3x8xf32>, tensor<i32>, tensor<i32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -0.0 is what changes no element by being added to it.
// CHECK-LABEL: func @readRow
func.func @readRow(%cache: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %at: tensor<i32>) -> tensor<1x8xf32> {
  // CHECK: %[[OWN:.*]] = stablehlo.dynamic_slice
  // CHECK: %[[NOTHING:.*]] = stablehlo.constant dense<-0.0
  // CHECK: %[[READ:.*]] = stablehlo.select %{{.*}}, %[[OWN]], %[[NOTHING]]
  // CHECK: "stablehlo.all_reduce"(%[[READ]])
  // CHECK: stablehlo.add
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %cache, %at, %zero, sizes = [1, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: func @readBooleans
func.func @readBooleans(%a: tensor<800xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %at: tensor<ui8>) -> tensor<3xi1> {
  // CHECK: stablehlo.dynamic_slice {{.*}} sizes = [3]
  // CHECK: stablehlo.pad {{.*}} low = [3], high = [3]
  // CHECK: %[[READ:.*]] = stablehlo.dynamic_slice {{.*}} sizes = [3]
  // CHECK: "stablehlo.all_reduce"(%[[READ]])
  // CHECK: stablehlo.or
  %0 = stablehlo.dynamic_slice %a, %at, sizes = [3] : (tensor<800xi1>, tensor<ui8>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}

// Windows of two rows become windows of one row, with twice as many indices.
// CHECK-LABEL: func @gatherWindows
func.func @gatherWindows(%a: tensor<800x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<3x1xi32>) -> tensor<3x2x4xf32> {
  // CHECK: stablehlo.constant dense<798>
  // CHECK: stablehlo.iota dim = 1 : tensor<3x2x1xi32>
  // CHECK: "stablehlo.gather"
  // CHECK-SAME: offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2
  // CHECK-SAME: (tensor<400x4xf32>, tensor<3x2x1xi32>) -> tensor<3x2x4xf32>
  // CHECK: "stablehlo.all_reduce"
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>, indices_are_sorted = true}> : (tensor<800x4xf32>, tensor<3x1xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func @scatterWindows
func.func @scatterWindows(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<3x1xi32>, %u: tensor<3x2x4xf32>)
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // CHECK-NOT: all_
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: indices_are_sorted = false
  // CHECK-SAME: update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2
  // CHECK-SAME: unique_indices = false
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    stablehlo.return %q : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x2x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
