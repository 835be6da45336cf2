// RUN: shardwise-opt %s -shardwise-shield-operands | FileCheck %s

// CHECK-LABEL: func @slice
// CHECK: %[[SLICE:.*]] = stablehlo.dynamic_slice %arg0
// CHECK: %[[OWN:.*]] = stablehlo.optimization_barrier %[[SLICE]]
// CHECK: "stablehlo.scatter"(%[[OWN]], %arg2, %arg3)
func.func @slice(%a: tensor<4xi32>, %start: tensor<i32>, %index: tensor<1xi32>, %update: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.dynamic_slice %a, %start, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %1 = "stablehlo.scatter"(%0, %index, %update) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%b: tensor<i32>, %c: tensor<i32>):
    stablehlo.return %c : tensor<i32>
  }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
  return %1 : tensor<2xi32>
}

// Updates, and operands that are computed, stay as they are.
// CHECK-LABEL: func @others
// CHECK-NOT: optimization_barrier
func.func @others(%a: tensor<4xi32>, %start: tensor<i32>, %index: tensor<2x1xi32>) -> tensor<4xi32> {
  %0 = stablehlo.negate %a : tensor<4xi32>
  %1 = stablehlo.dynamic_slice %a, %start, sizes = [2] : (tensor<4xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = "stablehlo.scatter"(%0, %index, %1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%b: tensor<i32>, %c: tensor<i32>):
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}

// CHECK-LABEL: func @padded
// CHECK: %[[PADDED:.*]] = stablehlo.pad
// CHECK: %[[OWN:.*]] = stablehlo.optimization_barrier %[[PADDED]]
// CHECK: "stablehlo.all_to_all"(%[[OWN]])
// CHECK-NOT: optimization_barrier
func.func @padded(%a: tensor<1x2xf64>, %zero: tensor<f64>, %b: tensor<2x2xf64>) -> (tensor<1x4xf64>, tensor<1x4xf64>) {
  %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<1x2xf64>, tensor<f64>) -> tensor<2x2xf64>
  %1 = "stablehlo.all_to_all"(%0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf64>) -> tensor<1x4xf64>
  %2 = "stablehlo.all_to_all"(%b) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<2x2xf64>) -> tensor<1x4xf64>
  return %1, %2 : tensor<1x4xf64>, tensor<1x4xf64>
}
