// RUN: shardwise-opt %s -sdy-convert-global-to-local | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func @creation
func.func @creation() -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4x6xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK: %[[X:.*]] = stablehlo.convert %{{.*}} : (tensor<ui32>) -> tensor<i32>
  // CHECK: %[[TWO:.*]] = stablehlo.constant dense<2> : tensor<i32>
  // CHECK: %[[AT:.*]] = stablehlo.multiply %[[X]], %[[TWO]] : tensor<i32>
  // CHECK: %[[SPLAT:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  // CHECK: %[[ALL:.*]] = stablehlo.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<4xf32>
  // CHECK: %[[PART:.*]] = stablehlo.dynamic_slice %[[ALL]], %[[AT]], sizes = [2]
  // CHECK: %[[IOTA:.*]] = stablehlo.iota dim = 0 : tensor<2x3xi64>
  // CHECK: %[[START:.*]] = stablehlo.convert %[[AT]] : (tensor<i32>) -> tensor<i64>
  // CHECK: %[[STARTS:.*]] = stablehlo.broadcast_in_dim %[[START]], dims = [] : (tensor<i64>) -> tensor<2x3xi64>
  // CHECK: %[[INDEX:.*]] = stablehlo.add %[[IOTA]], %[[STARTS]] : tensor<2x3xi64>
  // CHECK: return %[[SPLAT]], %[[PART]], %[[INDEX]]
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<4xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : tensor<4x6xi64>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x6xi64>
}

// CHECK-LABEL: func @shapes
func.func @shapes(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: stablehlo.slice %arg0 [0:4, 1:5:2] : (tensor<4x6xf32>) -> tensor<4x2xf32>
  %0 = stablehlo.slice %a [0:8, 1:5:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x2xf32>
  // CHECK: stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [4, 2] : {{.*}} -> tensor<4x2xf32>
  %1 = stablehlo.dynamic_slice %a, %i, %i, sizes = [8, 2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>
  // CHECK: stablehlo.dynamic_update_slice %arg0, %{{.*}}, %arg1, %arg1 : (tensor<4x6xf32>, tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %2 = stablehlo.dynamic_update_slice %a, %1, %i, %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>, tensor<8x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
  // CHECK: stablehlo.pad %arg0, %{{.*}}, low = [0, 1], high = [0, 1], interior = [0, 0] : {{.*}} -> tensor<4x8xf32>
  %3 = stablehlo.pad %a, %z, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x8xf32>
  // CHECK: stablehlo.concatenate %arg0, %arg0, dim = 1 : {{.*}} -> tensor<4x12xf32>
  %4 = stablehlo.concatenate %a, %a, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
  // CHECK: stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %5 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<8x6xf32>) -> tensor<6x8xf32>
  // CHECK: stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<24xf32>
  %6 = stablehlo.reshape %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8x6xf32>) -> tensor<48xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  %7 = stablehlo.broadcast_in_dim %z, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<f32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func @grouped
func.func @grouped(%a: tensor<8x10x10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {"y"}]>},
                   %k: tensor<3x3x2x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"y"}]>}) {
  // CHECK: stablehlo.convolution(%arg0, %arg1)
  // CHECK-SAME: feature_group_count = 2 : i64
  // CHECK-SAME: (tensor<4x10x10x4xf32>, tensor<3x3x2x8xf32>) -> tensor<4x8x8x8xf32>
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}, {"y"}]>]>} : (tensor<8x10x10x8xf32>, tensor<3x3x2x16xf32>) -> tensor<8x8x8x16xf32>
  return
}

// Rows of a table that is cut by rows: every device gives what it has.
// CHECK-LABEL: func @lookUp
func.func @lookUp(%table: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %ids: tensor<4x1xi32>) {
  // CHECK: %[[LOCAL:.*]] = stablehlo.subtract
  // CHECK: stablehlo.compare GE, %[[LOCAL]]
  // CHECK: stablehlo.compare LE, %[[LOCAL]]
  // CHECK: %[[ROWS:.*]] = "stablehlo.gather"(%arg0, %[[LOCAL]])
  // CHECK-SAME: slice_sizes = array<i64: 1, 3>
  // CHECK-SAME: -> tensor<4x3xf32>
  // CHECK: stablehlo.select %{{.*}}, %[[ROWS]], %{{.*}} : tensor<4x3xi1>, tensor<4x3xf32>
  %0 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}], unreduced={"x"}>]>} : (tensor<8x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x6xf32>
  return
}

// Updates of such a table: what other devices have is dropped.
// CHECK-LABEL: func @update
func.func @update(%table: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %ids: tensor<4x1xi8>,
                  %rows: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK: stablehlo.convert %arg1 : (tensor<4x1xi8>) -> tensor<4x1xi64>
  // CHECK: %[[LOCAL:.*]] = stablehlo.subtract
  // CHECK: "stablehlo.scatter"(%arg0, %[[LOCAL]], %arg2)
  // CHECK: (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = "stablehlo.scatter"(%table, %ids, %rows) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x6xf32>, tensor<4x1xi8>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func @loop
func.func @loop(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // CHECK: stablehlo.while({{.*}}) : tensor<4xf32>
  // CHECK-NOT: sdy
  // CHECK: stablehlo.sine %{{.*}} : tensor<4xf32>
  %0 = stablehlo.while(%i = %a) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %1 = stablehlo.sine %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// An inner computation may take an argument of the outer one as it is, and the outer return its result.
// CHECK-LABEL: func @nested_manual
func.func @nested_manual(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK-NOT: sdy.manual_computation
  // CHECK: %[[TANH:.*]] = stablehlo.tanh %arg0 : tensor<4x4xf32>
  // CHECK: return %[[TANH]] : tensor<4x4xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%c: tensor<4x4xf32>) {
      %2 = stablehlo.tanh %c : tensor<4x4xf32>
      sdy.return %2 : tensor<4x4xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The body of a manual computation is what a device runs already; free axes cut it further.
// CHECK-LABEL: func @manual
func.func @manual(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  // CHECK-NOT: sdy.manual_computation
  // CHECK: %[[SIN:.*]] = stablehlo.sine %arg0 : tensor<4x4xf32>
  // CHECK: %[[SUM:.*]] = "stablehlo.all_reduce"(%[[SIN]])
  // CHECK: return %[[SUM]] : tensor<4x4xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = stablehlo.sine %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<4x8xf32>
    %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %3 = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %2 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
