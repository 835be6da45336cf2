// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts that are read but not printed: other blanks, orders of keys, and older spellings.
// RUN: shardwise-opt %s | FileCheck %s

// CHECK-LABEL: func.func @blanks
func.func @blanks(%a: tensor<4x6xf32>, %i: tensor<f32>) {
  // CHECK-NEXT: stablehlo.compare  LT, %{{.*}}, %{{.*}},  FLOAT : (
  %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
  // CHECK-NEXT: stablehlo.add %{{.*}}, %{{.*}} : tensor<4x6xf32>
  %1 = stablehlo.add %a, %a : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: stablehlo.convert %{{.*}} : tensor<4x6xf32>
  %2 = stablehlo.convert %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: stablehlo.slice %{{.*}} [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %3 = stablehlo.slice %a[0:4:1,1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0, 1] : (
  %4 = stablehlo.reduce(%a init : %i)applies stablehlo.add across dimensions=[0,1]:(tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  return
}

// Inherent attributes outside <{ }>, as older printers wrote them.
// CHECK-LABEL: func.func @olderPlace
func.func @olderPlace(%a: tensor<4x6xf32>) {
  // CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [1, 0] {note} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>, note} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<2x3xi32>
  %1 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
  return
}

// CHECK-LABEL: func.func @structs
func.func @structs(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>) {
  // CHECK-NEXT: batching_dims = [0] x [0], contracting_dims = [2] x [1] :
  %0 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [2], rhs_batching_dimensions = [0], lhs_batching_dimensions = [0],>}> : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  // CHECK-NEXT: empty = #stablehlo.dot<>
  %1 = stablehlo.negate %a {empty = #stablehlo.dot<>} : tensor<2x4x8xf32>
  // CHECK-NEXT: channel = #stablehlo.channel_handle<handle = 1, type = 0>
  %2 = stablehlo.negate %a {channel = #stablehlo.channel_handle<type = 0, handle = 1>} : tensor<2x4x8xf32>
  // CHECK-NEXT: mesh = #stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 2>], device_ids=dense<[3, 2, 1, 0]> : tensor<4xi64>>
  %3 = stablehlo.negate %a {mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, <size = 2, name = "y">], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>} : tensor<2x4x8xf32>
  // CHECK-NEXT: axis = #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
  %4 = stablehlo.negate %a {axis = #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>} : tensor<2x4x8xf32>
  // CHECK-NEXT: groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>
  %5 = stablehlo.negate %a {groups = #stablehlo.replica_group_mesh_axes<axes = [<name = "x">, #stablehlo.axis_ref<name = "y">], mesh = @mesh>} : tensor<2x4x8xf32>
  return
}

// CHECK-LABEL: func.func @convolutions
func.func @convolutions(%l: tensor<2x8x8x3xf32>, %r: tensor<3x3x3x16xf32>) {
  // CHECK-NEXT: window = {stride = [2, 2], pad = {{\[\[}}1, 1], [1, 1]], reverse = [true, false]}
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f], window = {reverse = [1, false], pad = [[1, 1], [1, 1]], stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x4x4x16xf32>
  // CHECK-NEXT: dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
  %1 = "stablehlo.convolution"(%l, %r) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<2x6x6x16xf32>
  // Numbers without a short form stay raw.
  // CHECK-NEXT: #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>
  %2 = stablehlo.negate %l {conv = #stablehlo.conv<raw input_batch_dimension = 7, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : tensor<2x8x8x3xf32>
  // CHECK-NEXT: conv = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[0, b, f]>
  %3 = stablehlo.negate %l {conv = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[0, b, f]>} : tensor<2x8x8x3xf32>
  return
}

// CHECK-LABEL: func.func @bounds
// CHECK-SAME: tensor<?x4xf32, #stablehlo.bounds<8, ?>>
// CHECK-SAME: tensor<?xf32, #stablehlo.bounds<3>>
func.func @bounds(%a: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [8, ?]>>, %b: tensor<?xf32, #stablehlo.bounds<3>>, %c: tensor<?xf32>, %d: tensor<3xf32>) {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  %0 = stablehlo.add %c, %d : (tensor<?xf32>, tensor<3xf32>) -> tensor<?xf32>
  return
}

// Ids of any size; the largest and smallest numbers are nothing special.
// CHECK-LABEL: func.func @ids
func.func @ids(%a: tensor<4xf32>) {
  // CHECK-NEXT: "stablehlo.collective_permute"
  %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[9223372036854775807, 9223372036854775806]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: "stablehlo.collective_broadcast"
  %1 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[9223372036854775807, 9223372036854775806]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: "stablehlo.collective_reduce"
  %2 = "stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
