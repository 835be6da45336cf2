// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that are read and printed, but not supported beyond that.
// RUN: shardwise-opt %s | FileCheck %s
// RUN: shardwise-opt %s | shardwise-opt | FileCheck %s

// CHECK-LABEL: func.func @dynamicShapes
func.func @dynamicShapes(%a: tensor<?xf32>, %s: tensor<2xi32>, %n: tensor<i32>, %one: tensor<1xindex>, %v: tensor<f32>, %i: tensor<5x1xi32>) {
  // CHECK-NEXT: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  // CHECK-NEXT: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.dynamic_pad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (
  %3 = stablehlo.dynamic_pad %a, %v, %one, %one, %one : (tensor<?xf32>, tensor<f32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  // CHECK-NEXT: stablehlo.real_dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (
  %4 = stablehlo.real_dynamic_slice %a, %one, %one, %one : (tensor<?xf32>, tensor<1xindex>, tensor<1xindex>, tensor<1xindex>) -> tensor<?xf32>
  // CHECK-NEXT: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  %5 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  // CHECK-NEXT: "stablehlo.dynamic_gather"(
  %6 = "stablehlo.dynamic_gather"(%a, %i, %one) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?xf32>, tensor<5x1xi32>, tensor<1xindex>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: func.func @deprecated
func.func @deprecated(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi32>) {
  // CHECK-NEXT: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,bc->ac" : (
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: stablehlo.unary_einsum %{{.*}}, config = "ab->a" : (
  %1 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.broadcast %{{.*}}, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  %2 = stablehlo.broadcast %a, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  // CHECK-NEXT: "stablehlo.torch_index_select"(
  %3 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  // CHECK-NEXT: "stablehlo.cross-replica-sum"(
  %4 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @quantised
func.func @quantised(%a: tensor<2xf32>) {
  // CHECK-NEXT: stablehlo.uniform_quantize %{{.*}} : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} : tensor<2x!quant
  %1 = stablehlo.add %0, %0 : tensor<2x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK-NEXT: stablehlo.uniform_dequantize
  %2 = stablehlo.uniform_dequantize %1 : (tensor<2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @hostAndAsync
func.func @hostAndAsync(%a: tensor<4xf32>, %t: !stablehlo.token, %m: memref<4xf32>) {
  // CHECK-NEXT: "stablehlo.infeed"(%{{.*}}) <{infeed_config = "c"}>
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "c"}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK-NEXT: "stablehlo.outfeed"(
  %1 = "stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: "stablehlo.send"(
  %2 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: "stablehlo.recv"(
  %3:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK-NEXT: "stablehlo.async_start"(%{{.*}}) ({
  %4 = "stablehlo.async_start"(%a) ({
  ^bb0(%b: tensor<4xf32>):
    %9 = stablehlo.slice %b [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %9 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  // CHECK: "stablehlo.async_done"(%{{.*}}) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %5 = "stablehlo.async_done"(%4) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.custom_call @Pin(%{{.*}}) : (memref<4xf32>) -> tensor<*xf32>
  %6 = stablehlo.custom_call @Pin(%m) : (memref<4xf32>) -> tensor<*xf32>
  return
}
