// RUN: shardwise-opt %s -shardwise-shield-scattered-slices | FileCheck %s

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
